"""Simulated rounds of the membership inference game and of list experiments (a survey method).

A challenger chooses records, members with a prior probability, and an attack guesses membership. A
list experiment is the same game, with support of a sensitive item in place of membership.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.checks import FloatArray
from dpviz.theory import TradeoffFunction
from dpviz.theory.mechanisms.discrete import ListExperiment
from dpviz.theory.tradeoff import checked_tradeoff
from dpviz.value_object import ValueObject

Flags = NDArray[np.bool_]
Tallies = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class MeasuredRate:
    """An estimated rate: the share `hits` / `trials`."""

    hits: int
    trials: int
    among: str  # what the trials are, such as "members"

    @property
    def value(self) -> float:
        """The estimate, hits / trials; nan, with a `reason`, if there is no trial."""
        return self.hits / self.trials if self.trials else float("nan")

    @property
    def reason(self) -> str:
        """Why `value` is nan; empty if it is a number."""
        return "" if self.trials else f"no {self.among} so far"

    def interval(self, *, confidence_level: float) -> tuple[float, float]:
        """Return Clopper-Pearson limits of the rate, for fixed `trials`; (0, 1) without a trial."""
        trials = max(self.trials, 1)
        low, high = clopper_pearson(self.hits, trials, confidence_level=confidence_level)
        return (float(low), float(high)) if self.trials else (0.0, 1.0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ExperimentCounts(ValueObject):
    """The numbers of true and false positives and negatives.

    Counts of several plays can be added.

    Parameters
    ----------
    true_positives, false_positives, true_negatives, false_negatives : int, at least 0

    Examples
    --------
    >>> from dpviz.audit.experiment import ExperimentCounts
    >>> counts = ExperimentCounts(true_positives=30, false_negatives=70, true_negatives=100)
    >>> counts.tpr.value, counts.fpr.value, counts.ppv.value
    (0.3, 0.0, 1.0)
    """

    true_positives: int = 0
    false_positives: int = 0
    true_negatives: int = 0
    false_negatives: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            count = checks.whole(field.name, getattr(self, field.name), 0)
            object.__setattr__(self, field.name, count)

    @classmethod
    def of_tally(cls, tally: NDArray[np.int64]) -> "ExperimentCounts":
        """Make counts from one row of `Experiment.tallies`: TP, FP, TN, FN."""
        names = (field.name for field in fields(cls))
        return cls(**dict(zip(names, tally.tolist(), strict=True)))

    def __add__(self, other: Any) -> "ExperimentCounts":
        if not isinstance(other, ExperimentCounts):
            return NotImplemented
        return ExperimentCounts.of_tally(self.tally + other.tally)

    @property
    def tally(self) -> NDArray[np.int64]:
        """The counts as a row of `Experiment.tallies`: TP, FP, TN, FN."""
        return np.array([getattr(self, field.name) for field in fields(self)], dtype=np.int64)

    @property
    def members(self) -> int:
        """The number of rounds whose record was a member."""
        return self.true_positives + self.false_negatives

    @property
    def nonmembers(self) -> int:
        """The number of rounds whose record was a non-member."""
        return self.false_positives + self.true_negatives

    @property
    def flagged(self) -> int:
        """The number of rounds in which the attack flagged the record as a member."""
        return self.true_positives + self.false_positives

    @property
    def rounds(self) -> int:
        """The number of all rounds."""
        return self.members + self.nonmembers

    @property
    def tpr(self) -> MeasuredRate:
        """True positive rate: fraction of the members that were flagged."""
        return MeasuredRate(hits=self.true_positives, trials=self.members, among="members")

    @property
    def fnr(self) -> MeasuredRate:
        """False negative rate: fraction of the members that were missed."""
        return MeasuredRate(hits=self.false_negatives, trials=self.members, among="members")

    @property
    def fpr(self) -> MeasuredRate:
        """False positive rate: fraction of the non-members that were flagged."""
        return MeasuredRate(hits=self.false_positives, trials=self.nonmembers, among="non-members")

    @property
    def ppv(self) -> MeasuredRate:
        """Positive predictive value: fraction of the flagged records that were members."""
        return MeasuredRate(hits=self.true_positives, trials=self.flagged, among="flagged records")

    @property
    def advantage(self) -> float:
        """The advantage of the attack, TPR - FPR.

        The result is nan if there are no members or no non-members.
        """
        return self.tpr.value - self.fpr.value

    def advantage_interval(self, *, confidence_level: float) -> tuple[float, float]:
        """Return confidence limits of TPR - FPR from those of both rates (Bonferroni)."""
        level = checks.confidence_level(confidence_level)
        # Both intervals hold at once, each at half of the error probability.
        tpr = self.tpr.interval(confidence_level=(1 + level) / 2)
        fpr = self.fpr.interval(confidence_level=(1 + level) / 2)
        return tpr[0] - fpr[1], tpr[1] - fpr[0]


def error_rates(tallies: NDArray[np.int64]) -> FloatArray:
    """Return FPR and FNR of each row of `Experiment.tallies`, shape (k, 2); nan where 0/0."""
    tp, fp, tn, fn = tallies.T
    with np.errstate(invalid="ignore"):
        return np.column_stack([fp / (fp + tn), fn / (tp + fn)])


@dataclass(frozen=True, kw_only=True, eq=False)
class PlayedRounds:
    """For each round of the game, the record's membership and the attack's guess."""

    members: Flags  # whether the challenger's record was a member
    guesses: Flags  # whether the attack flagged it as one

    @property
    def counts(self) -> ExperimentCounts:
        """The numbers of true and false positives and negatives."""
        members, flagged = self.members, self.guesses
        positives = [(members & flagged).sum(), (~members & flagged).sum()]
        negatives = [(~members & ~flagged).sum(), (members & ~flagged).sum()]
        return ExperimentCounts.of_tally(np.array([*positives, *negatives]))


@dataclass(frozen=True, eq=False, repr=False)
class Experiment(ValueObject):
    """The membership inference game with the best attack that a guarantee allows at one FPR.

    In each round the challenger shows a record of the training set with probability `prior`, and
    otherwise a new one from the same distribution. The attack flags a member with probability
    ``f.tpr(fpr)`` and a non-member with probability `fpr`. There are
    ``gamma = (1 - prior) / prior`` non-members per member.

    Parameters
    ----------
    f : TradeoffFunction, for replace-one adjacency: the new record takes the place of another
    prior : float, probability in (0, 1) that the record is a member
    fpr : float, the attack's false positive rate, in [0, 1]

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> round(audit.experiment.Experiment(theory.PureDP(epsilon=1), prior=0.5, fpr=0.1).tpr, 4)
    0.2718
    """

    f: TradeoffFunction
    prior: float
    fpr: float

    def __post_init__(self) -> None:
        checked_tradeoff("f", self.f)
        prior = checks.real("prior", self.prior, 0, 1, closed="neither")
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "fpr", checks.real("fpr", self.fpr, 0, 1))

    @cached_property
    def tpr(self) -> float:
        """The true positive rate of the attack.

        This is the largest rate that the guarantee allows at `fpr`.
        """
        return self.f.tpr(self.fpr)

    def play(self, rng: np.random.Generator, rounds: int) -> PlayedRounds:
        """Simulate `rounds` rounds of the game one by one."""
        n = checks.whole("rounds", rounds, 0)
        members = _checked_generator(rng).random(n) < self.prior
        says_member = np.where(members, self.tpr, self.fpr)
        return PlayedRounds(members=members, guesses=rng.random(n) < says_member)

    def counts(self, rng: np.random.Generator, rounds: int) -> ExperimentCounts:
        """Simulate the counts of one play by binomial draws.

        The counts have the distribution of those of `play`. The time does not depend on `rounds`.
        """
        checks.whole("rounds", rounds, 0)
        return ExperimentCounts.of_tally(self.tallies(rng, [rounds])[0])

    def tallies(self, rng: np.random.Generator, rounds: ArrayLike) -> Tallies:
        """Simulate games and return the counts of their outcomes.

        The result has a row (TP, FP, TN, FN) for each number in `rounds`.
        """
        n = checks.whole_numbers("rounds", rounds, 0).astype(np.int64)
        members = _checked_generator(rng).binomial(n, self.prior)
        # Hits among the members, false alarms among the others; the rest follows.
        hits = rng.binomial(members, self.tpr)
        false = rng.binomial(n - members, self.fpr)
        return np.column_stack([hits, false, n - members - false, members - hits])

    def rates(self, rng: np.random.Generator, repeats: int, rounds: int) -> FloatArray:
        """Simulate games and return the FPR and the FNR of each.

        There are `repeats` games of `rounds` rounds each. The result has a row (FPR, FNR) for each
        game. A rate of 0/0 is nan.
        """
        repeats = checks.whole("repeats", repeats, 1)
        rounds = checks.whole("rounds", rounds, 0)
        return error_rates(self.tallies(rng, np.full(repeats, rounds)))


@dataclass(frozen=True, kw_only=True, eq=False)
class ListExperimentAnswers:
    """How many respondents gave each answer; an answer is how many listed items they support."""

    supporters: Tallies  # of the sensitive item, by answer
    opponents: Tallies
    telling: tuple[int, ...]  # answers that reveal the opinion

    @property
    def rounds(self) -> int:
        """The number of respondents."""
        return int(self.supporters.sum() + self.opponents.sum())

    @property
    def n_revealed(self) -> int:
        """The number of respondents whose answer reveals their opinion on the sensitive item."""
        return int((self.supporters + self.opponents)[list(self.telling)].sum())

    def __add__(self, other: "ListExperimentAnswers") -> "ListExperimentAnswers":
        """Add the counts of two plays with the same list."""
        return ListExperimentAnswers(
            supporters=checks.read_only(self.supporters + other.supporters),
            opponents=checks.read_only(self.opponents + other.opponents),
            telling=self.telling,
        )


def play_list(
    rng: np.random.Generator, support: tuple[float, ...], rounds: int, *, prior: float = 0.5
) -> ListExperimentAnswers:
    """Return the answers of a simulated list experiment.

    An answer is the number of items that a respondent supports. Opinions on different items are
    independent.

    Parameters
    ----------
    rng : numpy.random.Generator
    support : sequence of float in [0, 1], how likely a respondent supports each of the other items
    rounds : int, respondents, at least 0
    prior : float, probability in (0, 1) that a respondent supports the sensitive item

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> answers = audit.experiment.play_list(np.random.default_rng(0), (0.5, 0.5, 0.5), 1000)
    >>> answers.telling, answers.n_revealed
    ((0, 4), 129)
    """
    chances = ListExperiment(support=support).support
    n = checks.whole("rounds", rounds, 0)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    supports = _checked_generator(rng).random(n) < prior
    answers = supports.astype(np.intp)
    for chance in chances:
        answers += rng.random(n) < chance
    length = len(chances) + 2
    supporters, opponents = (
        checks.read_only(np.bincount(answers[of_group], minlength=length))
        for of_group in (supports, ~supports)
    )
    # An opponent never supports more than `most` items, a supporter never as few as `fewest`.
    fewest, most = opponents_answer_range(chances)
    telling = tuple(k for k in range(fewest, most + 2) if k <= fewest or k > most)
    return ListExperimentAnswers(supporters=supporters, opponents=opponents, telling=telling)


def opponents_answer_range(support_chances: tuple[float, ...]) -> tuple[int, int]:
    """Return the smallest and the largest answer that an opponent can give, as numbers of items."""
    return sum(p == 1 for p in support_chances), sum(p > 0 for p in support_chances)


def _checked_generator(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise checks.fail("rng", "a numpy.random.Generator", rng)
    return rng
