"""Cases on which an auditor is checked: known distributions, numbers of records and a delta."""

import math
from dataclasses import dataclass
from zlib import crc32

import numpy as np

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.checks import FloatArray
from dpviz.testing.auditors.distributions import (
    FewValues,
    LeakAtTheTop,
    LeakyResponses,
    ScoreDistributions,
    ShiftedIntegers,
    ShiftedNoise,
    TwoScores,
)
from dpviz.theory import DiscreteLaplaceMechanism, GaussianDP, LaplaceMechanism
from dpviz.value_object import ValueObject

DELTA = 1e-5
GUESSED_SHARE = 0.1  # of the records: so many are called members, and so many non-members


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class KnownCase(ValueObject):
    """Scores whose epsilon is known, for `check_auditor`.

    Parameters
    ----------
    name : str
    draw : callable, ``draw(rng, size, is_member)`` returns independent scores of one class
        For several processes it must be an object that other processes can read.
    epsilon : float, the exact epsilon of both classes' distributions at `delta`, either way round
    delta : float
    n_members, n_nonmembers : int
    fair_coins : bool
        Whether a fair coin decides which of all records are members; the numbers are then means.
    threshold : float, fixed beforehand, from which on a score flags a member where errors count

    Raises
    ------
    ValueError, if a number is out of range

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.testing.auditors.cases import CASES
    >>> case = CASES["Gaussian"]
    >>> scores = case.scores(np.random.default_rng(0))
    >>> round(case.epsilon, 2), scores.n_members + scores.n_nonmembers
    (4.38, 500)
    """

    name: str
    draw: ScoreDistributions
    epsilon: float
    delta: float
    n_members: int = 250
    n_nonmembers: int = 250
    fair_coins: bool = True
    threshold: float = 1.0

    def __post_init__(self) -> None:
        """Check the numbers."""
        checks.real("epsilon", self.epsilon, 0.0)
        checks.real("delta", self.delta, 0.0, 1.0)
        checks.whole("n_members", self.n_members, 1)
        checks.whole("n_nonmembers", self.n_nonmembers, 1)
        checks.real("threshold", self.threshold)

    def scores(self, rng: np.random.Generator) -> AttackScores:
        """Return one sample of scores, with at least one member and one non-member."""
        total, members = self.n_members + self.n_nonmembers, self.n_members
        if self.fair_coins:
            members = min(max(int(rng.binomial(total, 0.5)), 1), total - 1)
        return AttackScores(
            member=self._drawn(rng, members, True),
            nonmember=self._drawn(rng, total - members, False),
        )

    def _drawn(self, rng: np.random.Generator, size: int, is_member: bool) -> FloatArray:
        drawn = self.draw(rng, size, is_member)
        if np.shape(drawn) != (size,):
            condition = f"a function whose scores have the shape ({size},)"
            raise checks.fail("draw", condition, np.shape(drawn))
        return drawn

    def generator(self, seed: int, run: int) -> np.random.Generator:
        """Return the generator of one run, which depends on no other case or run."""
        return np.random.default_rng([seed, crc32(self.name.encode()), run])


def error_counts(scores: AttackScores, threshold: float) -> dict[str, int]:
    """Return the errors of the attack that flags scores from a threshold on."""
    hits, false_positives = scores.count_at_least(threshold)
    return {
        "false_positives": false_positives,
        "n_nonmembers": scores.n_nonmembers,
        "false_negatives": scores.n_members - hits,
        "n_members": scores.n_members,
    }


def guess_counts(scores: AttackScores, rng: np.random.Generator) -> dict[str, int]:
    """Return how many guesses are right: the first tenth are members, the last tenth are not.

    The numbers of guesses are fixed beforehand; tied scores are ranked at random.
    """
    values = np.concatenate([scores.member, scores.nonmember])
    is_member = np.arange(values.size) < scores.n_members
    order = np.lexsort((rng.random(values.size), -values))
    each = max(1, round(GUESSED_SHARE * values.size))
    right = np.sum(is_member[order[:each]]) + np.sum(~is_member[order[-each:]])
    return {"right": int(right), "guesses": 2 * each, "records": int(values.size)}


def _case(name: str, draw: ScoreDistributions, epsilon: float, **given: float) -> KnownCase:
    chosen: dict[str, object] = {"delta": DELTA, **given}
    return KnownCase(name=name, draw=draw, epsilon=epsilon, **chosen)  # type: ignore[arg-type]


def _unequal(name: str, draw: ScoreDistributions, epsilon: float, n: int, m: int) -> KnownCase:
    sizes = {"n_members": n, "n_nonmembers": m, "fair_coins": False}
    return _case(name, draw, epsilon, **sizes)


RESPONSES = TwoScores(fpr=1 / (1 + math.e), tpr=math.e / (1 + math.e))
RARE_ALARMS = TwoScores(fpr=0.0044, tpr=0.985)
LAPLACE = LaplaceMechanism(epsilon=1.0).epsilon(DELTA)
GAUSSIAN = GaussianDP(mu=1.0).epsilon(DELTA)

CASES: dict[str, KnownCase] = {
    case.name: case
    for case in (
        _case("null", ShiftedNoise("normal", 0.0), 0.0),
        _case("null, delta 0", ShiftedNoise("normal", 0.0), 0.0, delta=0.0),
        _case("null, ties", FewValues(4), 0.0, threshold=3.0),
        _case("null, 40 records", ShiftedNoise("normal", 0.0), 0.0, n_members=20, n_nonmembers=20),
        _unequal("null, 30 + 1000", ShiftedNoise("normal", 0.0), 0.0, 30, 1000),
        _case("randomized response", RESPONSES, RESPONSES.epsilon(DELTA)),
        _case("rare alarms", RARE_ALARMS, RARE_ALARMS.epsilon(DELTA)),
        _case(
            "weak Laplace",
            ShiftedNoise("laplace", 0.2),
            LaplaceMechanism(epsilon=0.2).epsilon(DELTA),
        ),
        _case("Laplace", ShiftedNoise("laplace", 1.0), LAPLACE),
        _case("Laplace, reversed", ShiftedNoise("laplace", -1.0), LAPLACE),
        _case(
            "Laplace on integers",
            ShiftedIntegers(2.0),
            DiscreteLaplaceMechanism(scale=2.0).epsilon(DELTA),
        ),
        _case("Gaussian", ShiftedNoise("normal", 1.0), GAUSSIAN, threshold=2.0),
        _unequal("Gaussian, 30 + 1000", ShiftedNoise("normal", 1.0), GAUSSIAN, 30, 1000),
        _case("leaks at both ends", LeakyResponses(1.0, 0.05), 1.0, delta=0.05),
        _case("leak at the top", LeakAtTheTop(0.05), 0.0, delta=0.05, threshold=2.0),
    )
}
"""The cases of `check_auditor`, by name."""
