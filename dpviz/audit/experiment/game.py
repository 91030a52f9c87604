"""The membership experiment: a challenger draws records with a prior, an attack guesses."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.experiment_counts import ExperimentCounts, error_rates
from dpviz.checks import FloatArray
from dpviz.theory import ListExperiment, TradeoffFunction

Flags = NDArray[np.bool_]
Tallies = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Rounds:
    """Rounds one by one.

    Parameters
    ----------
    members : ndarray of bool, shape (rounds,)
        The challenger's b: whether the record was a member.
    guesses : ndarray of bool, shape (rounds,)
        Whether the attack said "member".
    """

    members: Flags
    guesses: Flags

    @property
    def counts(self) -> ExperimentCounts:
        """How often each answer was given to each kind of record."""
        return ExperimentCounts(
            true_positives=int((self.members & self.guesses).sum()),
            false_positives=int((~self.members & self.guesses).sum()),
            true_negatives=int((~self.members & ~self.guesses).sum()),
            false_negatives=int((self.members & ~self.guesses).sum()),
        )


@dataclass(frozen=True)
class Experiment:
    """The best attack that a guarantee permits at one FPR, played against a challenger.

    In each round the challenger draws b = 1 with probability `prior` and shows a record of the
    training set, else a fresh one of the same distribution; the attack says "member" of a member
    with probability ``f.tpr(fpr)`` and of a non-member with probability `fpr`. There are
    ``gamma = (1 - prior) / prior`` non-members per member.

    Parameters
    ----------
    f : TradeoffFunction
        A guarantee for replace-one adjacency: the fresh record takes the place of another.
    prior : float
        Probability in (0, 1) that the record is a member.
    fpr : float
        The attack's false positive rate, in [0, 1].

    Raises
    ------
    ValueError
        If `f` is no guarantee for replace-one adjacency or a number leaves its range.
    """

    f: TradeoffFunction
    prior: float
    fpr: float

    def __post_init__(self) -> None:
        if not isinstance(self.f, TradeoffFunction):
            raise checks.fail("f", "a trade-off function such as dpviz.theory.PureDP", self.f)
        if self.f.adjacency != "replace_one":
            raise ValueError(
                f"f must be for replace_one adjacency, got {self.f!r}: "
                "convert it with .to_replace_one()"
            )
        prior = checks.real("prior", self.prior, 0, 1, closed="neither")
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "fpr", checks.real("fpr", self.fpr, 0, 1))

    @cached_property
    def tpr(self) -> float:
        """The attack's true positive rate: the largest that is permitted."""
        return self.f.tpr(self.fpr)

    def play(self, rng: np.random.Generator, rounds: int) -> Rounds:
        """Play some rounds, one by one."""
        n = checks.whole("rounds", rounds, 0)
        members = _checked(rng).random(n) < self.prior
        says_member = np.where(members, self.tpr, self.fpr)
        return Rounds(members=members, guesses=rng.random(n) < says_member)

    def counts(self, rng: np.random.Generator, rounds: int) -> ExperimentCounts:
        """Counts with the law of those of `play`; a million rounds take no longer than one."""
        checks.whole("rounds", rounds, 0)
        return ExperimentCounts.of_tally(self.tallies(rng, [rounds])[0])

    def tallies(self, rng: np.random.Generator, rounds: ArrayLike) -> Tallies:
        """Counts of independent plays.

        Parameters
        ----------
        rng : numpy.random.Generator
        rounds : array of int, shape (k,)
            Rounds of each play, at least 0.

        Returns
        -------
        ndarray of int, shape (k, 4)
            True and false positives, true and false negatives.
        """
        n = checks.counts("rounds", rounds, 0).astype(np.int64)
        members = _checked(rng).binomial(n, self.prior)
        hits = rng.binomial(members, self.tpr)
        accused = rng.binomial(n - members, self.fpr)
        return np.column_stack([hits, accused, n - members - accused, members - hits])

    def cloud(self, rng: np.random.Generator, repeats: int, rounds: int) -> FloatArray:
        """Measured (FPR, FNR) of the same attack run many times, shape (repeats, 2); nan for 0/0.

        Parameters
        ----------
        rng : numpy.random.Generator
        repeats, rounds : int
            Runs, at least 1, and the rounds of each, at least 0.
        """
        repeats = checks.whole("repeats", repeats, 1)
        rounds = checks.whole("rounds", rounds, 0)
        return error_rates(self.tallies(rng, np.full(repeats, rounds)))


@dataclass(frozen=True, kw_only=True, eq=False)
class ListAnswers:
    """Answers of the treatment group of a list experiment, counted.

    Parameters
    ----------
    supporters, opponents : ndarray of int, shape (J + 2,)
        How many of those who do, or do not, support the sensitive item answered 0..J + 1.
    telling : tuple of int
        Answers that only supporters or only opponents can give, whatever the attacker knows.
    """

    supporters: Tallies
    opponents: Tallies
    telling: tuple[int, ...]

    @property
    def rounds(self) -> int:
        """Respondents played."""
        return int(self.supporters.sum() + self.opponents.sum())

    @property
    def given_away(self) -> int:
        """Respondents whose answer gave their opinion away."""
        told = list(self.telling)
        return int(self.supporters[told].sum() + self.opponents[told].sum())

    def __add__(self, other: "ListAnswers") -> "ListAnswers":
        """Both together, of the same list."""
        return ListAnswers(
            supporters=checks.read_only(self.supporters + other.supporters),
            opponents=checks.read_only(self.opponents + other.opponents),
            telling=self.telling,
        )


def play_list(
    rng: np.random.Generator, support: tuple[float, ...], rounds: int, *, prior: float = 0.5
) -> ListAnswers:
    """Ask respondents how many of J + 1 items they support, and count the answers.

    Each respondent holds an opinion on every item, independently of the others.

    Parameters
    ----------
    rng : numpy.random.Generator
    support : sequence of float
        Probability in [0, 1] that a respondent supports each of the other items.
    rounds : int
        Respondents, at least 0.
    prior : float
        Probability in (0, 1) that a respondent supports the sensitive item.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    chances = ListExperiment(support=support).support
    n = checks.whole("rounds", rounds, 0)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    supports = _checked(rng).random(n) < prior
    answers = supports.astype(np.int64)
    for chance in chances:
        answers += rng.random(n) < chance
    length = len(chances) + 2
    return ListAnswers(
        supporters=checks.read_only(np.bincount(answers[supports], minlength=length)),
        opponents=checks.read_only(np.bincount(answers[~supports], minlength=length)),
        telling=telling_answers(chances),
    )


def telling_answers(support: tuple[float, ...]) -> tuple[int, ...]:
    """Answers to a list that only supporters or only opponents of its sensitive item can give.

    Those below the fewest items that a supporter names or above the most that an opponent names: 0
    and J + 1, and more of them where the opinion on another item is known.
    """
    fewest, most = opponents_range(support)
    return tuple(
        k for k in range(len(support) + 2) if (k <= fewest or k > most) and fewest <= k <= most + 1
    )


def opponents_range(support: tuple[float, ...]) -> tuple[int, int]:
    """The fewest and the most items an opponent can name; a supporter names one more."""
    return sum(chance == 1 for chance in support), sum(chance > 0 for chance in support)


def _checked(rng: np.random.Generator) -> np.random.Generator:
    if not isinstance(rng, np.random.Generator):
        raise checks.fail("rng", "a numpy.random.Generator", rng)
    return rng
