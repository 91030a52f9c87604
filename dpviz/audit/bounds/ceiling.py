"""The largest bound that numbers of records allow, however good the attack."""

from functools import lru_cache

from dpviz import checks
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.bounds.registry import BOUNDS, DEFAULT

SPREADS = 4.0  # standard deviations over seeds that are added for a method that simulates


KEPT = 1024  # ceilings in the cache


def ceiling(
    *,
    n_members: int,
    n_nonmembers: int,
    delta: float,
    confidence_level: float = 0.95,
    method: str = DEFAULT,
    seed: int = 0,
) -> float:
    """The lower bound of a perfect attack on this many records: about the most they can certify.

    A bound near its ceiling shows that there are few records, not that the model is private. Where
    p-values are simulated (by "rank", and of many records by the default), the ceiling is
    `SPREADS` standard deviations over seeds (`EpsilonBound.seed_spread`, some hundredths) above the
    bound with `seed`; 1 to 2 in 100 other seeds give more (measured).

    Parameters
    ----------
    n_members, n_nonmembers : int, at least 1 each
    delta : float, in [0, 1]
    confidence_level : float, in (0, 1); up to 0.9999 where p-values are simulated
    method : str, a key of `dpviz.audit.bounds.BOUNDS`
    seed : int, of simulations, as for `lower_bound`

    Returns
    -------
    float, in [0, inf)

    Raises
    ------
    ValueError
        If an argument is out of range, or the method rejects such numbers of records.

    Examples
    --------
    >>> from dpviz import audit
    >>> numbers = {"n_members": 100, "n_nonmembers": 100, "delta": 1e-5}
    >>> round(audit.ceiling(**numbers, method="clopper_pearson"), 3)
    3.281
    """
    checks.choice("method", method, BOUNDS)
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
        BOUNDS[method].separated(n, m),
        delta=delta,
        confidence_level=confidence_level,
        method=method,
        threshold=0.0,
        seed=seed,
    )
    return bound.low + SPREADS * (bound.seed_spread or 0.0)
