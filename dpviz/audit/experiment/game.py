"""The membership inference game: a challenger draws records with a prior, an attack guesses."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.experiment.counts import ExperimentCounts, error_rates
from dpviz.checks import FloatArray
from dpviz.theory import ListExperiment, TradeoffFunction
from dpviz.theory.tradeoff import checked_tradeoff

Flags = NDArray[np.bool_]
Tallies = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounds:
    """The results of single rounds, arrays of shape (rounds,)."""

    members: Flags  # whether the challenger's record was a member
    guesses: Flags  # whether the attack flagged it as one

    @property
    def counts(self) -> ExperimentCounts:
        """Counts of guesses by membership."""
        return ExperimentCounts(
            true_positives=int((self.members & self.guesses).sum()),
            false_positives=int((~self.members & self.guesses).sum()),
            true_negatives=int((~self.members & ~self.guesses).sum()),
            false_negatives=int((self.members & ~self.guesses).sum()),
        )


@dataclass(frozen=True)
class Experiment:
    """The membership inference game of the best attack that a guarantee allows at one FPR.

    In each round the challenger shows a record of the training set with probability `prior`, and
    otherwise a new one from the same distribution. The attack flags a member with probability
    ``f.tpr(fpr)`` and a non-member with probability `fpr`. There are
    ``gamma = (1 - prior) / prior`` non-members per member.

    Parameters
    ----------
    f : TradeoffFunction
        A guarantee for replace-one adjacency: the new record takes the place of another.
    prior : float, probability in (0, 1) that the record is a member
    fpr : float, the attack's false positive rate, in [0, 1]

    Raises
    ------
    ValueError
        If `f` is no trade-off function or a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> game = audit.Experiment(theory.PureDP(epsilon=1), prior=0.5, fpr=0.1)
    >>> round(game.tpr, 4), game.counts(np.random.default_rng(0), rounds=1000).rounds
    (0.2718, 1000)
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
        """The attack's true positive rate: the largest that the guarantee allows."""
        return self.f.tpr(self.fpr)

    def play(self, rng: np.random.Generator, rounds: int) -> Rounds:
        """Play rounds one by one."""
        n = checks.whole("rounds", rounds, 0)
        members = _checked(rng).random(n) < self.prior
        says_member = np.where(members, self.tpr, self.fpr)
        return Rounds(members=members, guesses=rng.random(n) < says_member)

    def counts(self, rng: np.random.Generator, rounds: int) -> ExperimentCounts:
        """Counts distributed as those of `play`; a million rounds take no longer than one."""
        checks.whole("rounds", rounds, 0)
        return ExperimentCounts.of_tally(self.tallies(rng, [rounds])[0])

    def tallies(self, rng: np.random.Generator, rounds: ArrayLike) -> Tallies:
        """Counts of independent plays, of which each has a number of `rounds`, at least 0.

        Shape (k, 4) for k plays: true and false positives, true and false negatives.
        """
        n = checks.counts("rounds", rounds, 0).astype(np.int64)
        members = _checked(rng).binomial(n, self.prior)
        hits = rng.binomial(members, self.tpr)
        false = rng.binomial(n - members, self.fpr)
        return np.column_stack([hits, false, n - members - false, members - hits])

    def cloud(self, rng: np.random.Generator, repeats: int, rounds: int) -> FloatArray:
        """Measured (FPR, FNR) of independent plays, shape (repeats, 2); nan for 0/0.

        There is at least 1 play; each has `rounds` rounds, at least 0.
        """
        repeats = checks.whole("repeats", repeats, 1)
        rounds = checks.whole("rounds", rounds, 0)
        return error_rates(self.tallies(rng, np.full(repeats, rounds)))


@dataclass(frozen=True, kw_only=True, eq=False)
class ListAnswers:
    """Counts of the answers 0, ..., J + 1 of a list experiment's treatment group."""

    supporters: Tallies  # of the sensitive item
    opponents: Tallies
    telling: tuple[int, ...]  # answers that only supporters or only opponents can give

    @property
    def rounds(self) -> int:
        """Number of respondents."""
        return int(self.supporters.sum() + self.opponents.sum())

    @property
    def given_away(self) -> int:
        """Respondents whose answer reveals their opinion on the sensitive item."""
        told = list(self.telling)
        return int(self.supporters[told].sum() + self.opponents[told].sum())

    def __add__(self, other: "ListAnswers") -> "ListAnswers":
        """The counts of both, for the same list."""
        return ListAnswers(
            supporters=checks.read_only(self.supporters + other.supporters),
            opponents=checks.read_only(self.opponents + other.opponents),
            telling=self.telling,
        )


def play_list(
    rng: np.random.Generator, support: tuple[float, ...], rounds: int, *, prior: float = 0.5
) -> ListAnswers:
    """Simulated answers to "how many of these J + 1 items do you support?", by opinion.

    Opinions on different items are independent.

    Parameters
    ----------
    rng : numpy.random.Generator
    support : sequence of float
        Probability in [0, 1] that a respondent supports each of the other items.
    rounds : int, respondents, at least 0
    prior : float, probability in (0, 1) that a respondent supports the sensitive item

    Returns
    -------
    ListAnswers

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> answers = audit.play_list(np.random.default_rng(0), (0.5, 0.5, 0.5), 1000)
    >>> answers.telling, answers.given_away
    ((0, 4), 129)
    """
    chances = ListExperiment(support=support).support
    n = checks.whole("rounds", rounds, 0)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    supports = _checked(rng).random(n) < prior
    answers = supports.astype(np.intp)
    for chance in chances:
        answers += rng.random(n) < chance
    length = len(chances) + 2
    return ListAnswers(
        supporters=checks.read_only(np.bincount(answers[supports], minlength=length)),
        opponents=checks.read_only(np.bincount(answers[~supports], minlength=length)),
        telling=telling_answers(chances),
    )


def telling_answers(support: tuple[float, ...]) -> tuple[int, ...]:
    """Answers that only supporters or only opponents of the sensitive item can give.

    Those below a supporter's smallest answer or above an opponent's largest one: 0 and J + 1, or
    others if the opinion on some item is known.
    """
    fewest, most = opponents_range(support)
    return tuple(
        k for k in range(len(support) + 2) if (k <= fewest or k > most) and fewest <= k <= most + 1
    )


def opponents_range(support: tuple[float, ...]) -> tuple[int, int]:
    """The smallest and largest answer of an opponent; those of a supporter are one more."""
    return sum(chance == 1 for chance in support), sum(chance > 0 for chance in support)


def _checked(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise checks.fail("rng", "a numpy.random.Generator", rng)
    return rng
