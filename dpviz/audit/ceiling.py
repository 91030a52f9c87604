"""The most epsilon that some numbers of records can certify, however good the attack."""

from functools import lru_cache

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.scores import AttackScores

SPREADS = 4.0
"""Standard deviations over seeds that are added where a method simulates."""
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
    if method == "rank":  # ties would be ranked by chance
        member, nonmember = np.arange(1.0, n + 1), np.arange(-float(m), 0.0)
    else:
        # All scores of a class alike: any threshold learned from some tells the others apart, too.
        member, nonmember = np.ones(n), np.full(m, -1.0)
    bound = lower_bound(
        AttackScores.of_sorted(member, nonmember, kind="score"),
        delta=delta,
        confidence_level=confidence_level,
        method=method,
        threshold=0.0,
        seed=seed,
    )
    return bound.low + SPREADS * (bound.seed_spread or 0.0)
