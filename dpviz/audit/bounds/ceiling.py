"""The most epsilon that some numbers of records can certify, however good the attack."""

from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import BinnedScores, Scores
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.scores import AttackScores

SPREADS = 4.0
"""Standard deviations over seeds that are added where a method simulates."""
ONE_BY_ONE = 10**6
"""Records that get a score each where ranks count; in many more, ties change the seed's draws."""
KEPT = 1024
"""Ceilings that are remembered."""


def ceiling(
    *,
    n_members: int,
    n_nonmembers: int,
    delta: float,
    confidence_level: float = 0.95,
    method: str = "rank",
    seed: int = 0,
) -> float:
    """The bound from scores that separate members from non-members without an error.

    A small bound near its ceiling is about too few records, not about a private model. No scores of
    as many records give more. A method that simulates ("rank") gives other bounds with other seeds:
    its ceiling is `SPREADS` standard deviations of that (`EpsilonBound.seed_spread`, some
    hundredths) above the bound with `seed`, which 1 to 2 in 100 other seeds exceed (measured).

    Parameters
    ----------
    n_members, n_nonmembers : int
        At least 1 each.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1); up to 0.9999 for "rank".
    method : str
        A key of `dpviz.audit.bounds.BOUNDS`.
    seed : int
        Of simulations.

    Returns
    -------
    float
        In [0, inf).

    Raises
    ------
    ValueError
        If an argument leaves its range, or the method refuses such numbers of records.
    """
    return _ceiling(
        checks.whole("n_members", n_members, 1),
        checks.whole("n_nonmembers", n_nonmembers, 1),
        delta=checks.real("delta", delta, 0, 1),
        confidence_level=checks.real("confidence_level", confidence_level, 0, 1, closed="neither"),
        method=method,
        seed=checks.whole("seed", seed, 0),
    )


@lru_cache(maxsize=KEPT)
def _ceiling(
    n: int, m: int, *, delta: float, confidence_level: float, method: str, seed: int
) -> float:
    bound = lower_bound(
        _apart(n, m, method),
        delta=delta,
        confidence_level=confidence_level,
        method=method,
        threshold=0.0,
        seed=seed,
    )
    return bound.low + SPREADS * (bound.seed_spread or 0.0)


def _apart(n: int, m: int, method: str) -> Scores:
    """Scores that separate the classes without an error."""
    if method == "rank" and n + m <= ONE_BY_ONE:
        member, nonmember = np.arange(1.0, n + 1), np.arange(-float(m), 0.0)
        return AttackScores.of_sorted(member, nonmember, kind="score")
    if method == "e_process":  # in which order they came matters, and they are alike in any
        return AttackScores(member=np.ones(n), nonmember=np.full(m, -1.0))
    # All scores of a class alike: any threshold learned from some tells the others apart, too.
    return BinnedScores(
        thresholds=np.array([-1.0, 1.0]),
        member_counts=np.array([0, n]),
        nonmember_counts=np.array([m, 0]),
    )
