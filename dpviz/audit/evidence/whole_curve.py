"""An exact test of a whole trade-off function, after looking at every threshold.

**Statement.** Members are independent draws of one law of scores, non-members of another; n and m
of them. If at every threshold ``TPR <= 1 - f(FPR)``, the p-value is at most a with probability at
most a, for every a, whatever both laws are. Nothing else about the mechanism is assumed, and f may
be any trade-off function.

**Why.** Rank all records by descending score, ties at random, and let h be a function of who is a
member in that ranking that does not fall when a member moves up.

1. Only ranks matter, so let scores be such that a non-member's place from the top is uniform on
   [0, 1]. A member's place then has the distribution function ``R(t) = TPR at FPR t``, the curve of
   the attack, straight where scores are tied.
2. The assumption says that R lies nowhere above ``L(t) = 1 - f(t)`` at thresholds; L is concave, so
   it holds on the straight pieces, too.
3. Let U be uniform. A member at the place where L reaches U is never below a member at the place
   where R reaches U. So members whose places have law L (those in the jump at 0 stand above all
   non-members) can be made from those at hand by moving each upwards: ``P(h >= c)`` is largest for
   L, the least favourable of all laws. It can be simulated.

**The statistic.** For some j fixed beforehand, A_j is the number of members above the j-th
highest non-member. Its log-odds ``log((A_j + 1) / (n - A_j + 1))`` are put in units of their
standard deviation, as simulated beforehand. h looks at each of them, and at sums of two, which pool
both ends of the ranking. The vector of the data is put among S simulated vectors. Each coordinate
of each of the S + 1 vectors gets the share of the vectors with at least as large a value; each
vector keeps its smallest share, and its largest value for when two shares are equal, as those of
vectors beyond all others are. The p-value is the share of the vectors that are in this order no
less extreme than the data, the data among them.

- Under L the S + 1 vectors are exchangeable and are treated alike, so the p-value is at most a with
  probability at most a: no approximation, whatever S.
- When a member of the data moves up, the data's values do not fall, its shares do not grow, and the
  others' shares do not fall: the p-value does not grow, and step 3 applies to it.

The law L and the counts A_j are in `dpviz.audit.curve_law`.
"""

from dataclasses import dataclass
from itertools import chain

import numpy as np

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores
from dpviz.audit.curve_law import CurveLaw, members_above, picks
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

RUNS = 200.0
"""Simulations, times the level: 4000 at 0.05."""
SMALLEST_LEVEL = 1e-3
SCALING = 200
"""Simulations that the units come from."""
CHUNK = 20_000


@dataclass(frozen=True, kw_only=True)
class CurveEvidence:
    """The counts in which scores stand out most against a trade-off function.

    Parameters
    ----------
    false_positives, n_nonmembers, true_positives, n_members : int
        Of an attack that says "member" above some place of the ranking; tied scores are ranked at
        random, so a threshold with these counts need not exist.
    permitted_tpr : float
        The largest TPR permitted at this very FPR. The counts are a measured point: one above the
        curve is, alone, no proof.
    """

    false_positives: int
    n_nonmembers: int
    true_positives: int
    n_members: int
    permitted_tpr: float

    @property
    def fpr(self) -> float:
        """False positive rate, in [0, 1]."""
        return self.false_positives / self.n_nonmembers

    @property
    def tpr(self) -> float:
        """True positive rate, in [0, 1]."""
        return self.true_positives / self.n_members


@dataclass(frozen=True, kw_only=True)
class CurveTest:
    """How unusual scores are that obey a trade-off function.

    Parameters
    ----------
    p_value : float
        In (0, 1]. Over sample and simulations, at most a with probability at most a if the scores
        obey the function, for a seed that was fixed beforehand; the smallest of several is none.
    confidence_level : float
    runs : int
        Simulations behind it.
    evidence : CurveEvidence
        Where the data stand out most, whether that is unusual or not.
    n_members, n_nonmembers : int
    """

    p_value: float
    confidence_level: float
    runs: int
    evidence: CurveEvidence
    n_members: int
    n_nonmembers: int

    @property
    def rejected(self) -> bool:
        """Whether the p-value is at most ``1 - confidence_level``."""
        return self.p_value <= 1 - self.confidence_level


def curve_test(
    scores: Scores,
    f: TradeoffFunction,
    *,
    confidence_level: float = 0.95,
    seed: int = 0,
) -> CurveTest:
    """Test "at every threshold TPR <= 1 - f(FPR)" on scores that may be looked at freely.

    Exact for any sizes, laws and ties (see the module). A test that does not reject says that this
    attack on this many records shows nothing against f, not that f holds.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        Higher = more member-like, as always: a reversed attack shows nothing.
    f : TradeoffFunction
        For replace-one adjacency.
    confidence_level : float
        In (0, 0.999]: the simulations are the longer the less is left.
    seed : int
        Of ties and simulations: the same seed gives the same p-value.

    Raises
    ------
    ValueError
        If an argument leaves its range, or `f` is for add/remove adjacency or is not convex.
    """
    f = checked_replace_one("f", f)
    confidence = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    level = 1 - confidence
    if level < SMALLEST_LEVEL * (1 - 1e-9):  # 1 - 0.999 is 1e-3 up to rounding
        raise checks.fail("confidence_level", f"at most {1 - SMALLEST_LEVEL:g}", confidence)
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    n, m = scores.n_members, scores.n_nonmembers
    chosen = picks(f, m)
    law = CurveLaw.least_favourable(f, n_members=n, n_nonmembers=m, picks=np.unique(chosen))
    runs = int(np.ceil(RUNS / level))
    scaling = law.draw(SCALING, rng)
    simulated = [law.draw(min(CHUNK, runs - begin), rng) for begin in range(0, runs, CHUNK)]
    above = np.concatenate([members_above(scores, law.picks, rng)[:, None], *simulated], axis=1)
    pairs = np.searchsorted(law.picks, chosen).T
    best, smallest, largest = _compared(_values(above, scaling, n), pairs)
    as_extreme = (smallest < smallest[0]) | ((smallest == smallest[0]) & (largest >= largest[0]))
    false_positives = int(law.picks[best]) - 1
    return CurveTest(
        p_value=float(np.mean(as_extreme)),
        confidence_level=confidence,
        runs=runs,
        evidence=CurveEvidence(
            false_positives=false_positives,
            n_nonmembers=m,
            true_positives=int(above[best, 0]),
            n_members=n,
            permitted_tpr=f.tpr(false_positives / m),
        ),
        n_members=n,
        n_nonmembers=m,
    )


def checked_replace_one(name: str, value: object) -> TradeoffFunction:
    """Return `value` if it is a trade-off function for replace-one adjacency."""
    f = checked_tradeoff(name, value)
    if f.adjacency != "replace_one":
        raise ValueError(
            f"{name} must be for replace_one adjacency, got {f!r}: "
            "convert it with .to_replace_one()"
        )
    return f


def _values(above: Counts, scaling: Counts, n: int) -> FloatArray:
    """Log-odds of the counts in units of their standard deviation."""
    mean = scaling.mean(axis=1, keepdims=True)
    of_one = 1 / (mean + 1) + 1 / (n - mean + 1)  # what one member more does
    units = _log_odds(scaling, n)
    spread = np.sqrt(units.var(axis=1, keepdims=True) + of_one**2)
    return np.asarray((_log_odds(above, n) - units.mean(axis=1, keepdims=True)) / spread)


def _log_odds(counts: Counts, n: int) -> FloatArray:
    return np.log((counts + 1.0) / (n - counts + 1.0))


def _compared(values: FloatArray, pairs: Counts) -> tuple[int, Counts, FloatArray]:
    """Where the data stand out most; every vector's smallest share and largest value.

    Vectors are columns, the data the first. Shares are numbers of vectors with as large a value.
    """
    runs = values.shape[1]
    smallest, largest = np.full(runs, runs), np.full(runs, -np.inf)
    of_data: list[tuple[int, float]] = []
    sums = ((values[i] + values[j]) / np.sqrt(2) for i, j in pairs)
    for coordinate in chain(values, sums):
        share = runs - np.searchsorted(np.sort(coordinate), coordinate)
        smallest, largest = np.minimum(smallest, share), np.maximum(largest, coordinate)
        of_data.append((int(share[0]), -float(coordinate[0])))
    best = of_data.index(min(of_data))
    if best >= values.shape[0]:  # a pair: the end that stands out more
        best = min(pairs[best - values.shape[0]].tolist(), key=lambda end: of_data[end])
    return best, smallest, largest
