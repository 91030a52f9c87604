"""Sample size of an audit: the records needed to certify an epsilon with a given power.

The power of `lower_bound` is the probability that the bound from new records is at least `epsilon`,
if the attack has the assumed curve. That curve is not known in advance: a plan is an estimate, even
where its standard error is small. `dpviz.audit.bounds.power` computes the power.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.power import (
    SMALLEST_LEVEL,
    Estimate,
    OneRunPower,
    RankPower,
    RocPolyline,
    ThresholdPower,
    exact_power,
)
from dpviz.audit.bounds.registry import BOUNDS, DEFAULT, RANK_TESTS
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray
from dpviz.theory import TradeoffFunction, implied_epsilons
from dpviz.theory.region import log_ratio

METHODS = (*RANK_TESTS, "clopper_pearson", "one_run_curve")
SMALLEST = 4  # records of the larger class in the smallest plan
STEP = 1.05  # ratio of neighbouring sizes
DOUBLING = 14  # steps that double a size
RUNS = 2000  # data sets simulated at each size
AGAIN = 4  # times as many at the planned size
OF_CURVE = "simulated; holds if the attack's curve is the one that was assumed"
OF_SCORES = (
    "an estimate, and an optimistic one: records resampled from these scores, whose curve shows "
    "more than the attack does, by chance"
)
KNOWN = "; the best threshold has to be known before the records are"
OF_RATES = "exact if the attack, fixed in advance, has these error rates"
Power = Callable[[int, int, int], Estimate]  # of numbers of members, non-members and runs


class HasRates(Protocol):
    """Object with the error rates of one attack, such as an `OperatingPoint`."""

    @property
    def fpr(self) -> float:
        """False positive rate."""

    @property
    def fnr(self) -> float:
        """False negative rate."""


@dataclass(frozen=True, kw_only=True)
class AttackRates:
    """The true error rates of one attack.

    Parameters
    ----------
    fpr, fnr : float, in [0, 1]

    Examples
    --------
    >>> from dpviz import audit
    >>> attack = audit.AttackRates(fpr=0.01, fnr=0.5)
    >>> audit.plan(attack, epsilon=2, delta=0, method="clopper_pearson").n_members
    141
    """

    fpr: float
    fnr: float

    def __post_init__(self) -> None:
        for name in ("fpr", "fnr"):
            object.__setattr__(self, name, checks.real(name, getattr(self, name), 0, 1))


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """Numbers of records that certify an epsilon, and the power they have.

    Parameters
    ----------
    n_members, n_nonmembers : int or None
        The smallest size found; None if the largest one is not enough. With "one_run_curve" and
        delta > 0 smaller sizes can be enough that were not tried: delta counts for every canary.
        So they can with "rank_exact" just below the size from which p-values are simulated, which
        costs a little power.
    power : float
        Probability that the bound is at least `epsilon`, at that size or else at the largest one.
        If simulated, anew at this size and the next ones until it is as requested.
    power_error : float, its standard error; 0 where it is exact, if the attack is as assumed
    epsilon, delta, confidence_level : float
    method : {"rank_exact", "rank", "clopper_pearson", "one_run_curve"}
    tried_members, tried_nonmembers : ndarray of int, shape (k,)
        The sizes that were evaluated, ascending.
    tried_powers : ndarray, shape (k,), the power at each, from fewer simulations
    note : str, the assumption behind the numbers

    Examples
    --------
    >>> from dpviz import audit
    >>> attack = audit.AttackRates(fpr=0.01, fnr=0.5)
    >>> round(audit.plan(attack, epsilon=2, delta=0, method="clopper_pearson").power, 3)
    0.816
    """

    n_members: int | None
    n_nonmembers: int | None
    power: float
    power_error: float
    epsilon: float
    delta: float
    confidence_level: float
    method: str
    tried_members: Counts = field(repr=False)
    tried_nonmembers: Counts = field(repr=False)
    tried_powers: FloatArray = field(repr=False)
    note: str


def plan(
    attack: TradeoffFunction | Scores | HasRates,
    *,
    epsilon: float,
    delta: float,
    power: float = 0.8,
    confidence_level: float = 0.95,
    method: str | None = None,
    ratio: float = 1.0,
    largest: int = 1_000_000,
    runs: int = RUNS,
    seed: int = 0,
    progress: Progress = iter,
) -> Plan:
    """The number of records (or retrained models) that certify `epsilon` with probability `power`.

    Parameters
    ----------
    attack : TradeoffFunction, AttackScores, BinnedScores, AttackRates or OperatingPoint
        The true attack: its whole curve, or scores to resample records from; for
        "clopper_pearson", also the error rates of one attack.
    epsilon : float, to be certified, > 0
    delta : float, in [0, 1]
    power : float, in (0, 1)
    confidence_level : float, in (0, 1); of the rank bounds up to 0.9999
    method : {"rank_exact", "rank", "clopper_pearson", "one_run_curve"}, of `lower_bound`
        Left out: the one that fits the attack. "clopper_pearson" with a curve supposes that its
        best threshold is known beforehand. For "one_run_curve" all records are canaries of one
        training.
    ratio : float, members per non-member, in [0.001, 1000]
    largest : int, records of the larger class, at most; at least 4
    runs : int, data sets simulated at each size; four times as many at the planned one
    seed : int, of simulations
    progress : callable, wraps the range of sizes to try; the search ends before

    Returns
    -------
    Plan

    Raises
    ------
    ValueError
        If an argument is out of range, the method does not fit the attack, or the attack does not
        show as much as `epsilon` with any number of records.

    Examples
    --------
    >>> from dpviz import audit
    >>> attack = audit.AttackRates(fpr=0.001, fnr=0.9)
    >>> audit.plan(attack, epsilon=3, delta=1e-5).n_members
    2166
    """
    if method is None:
        method = DEFAULT if isinstance(attack, TradeoffFunction | Scores) else "clopper_pearson"
    checks.choice("method", method, METHODS)
    epsilon = checks.real("epsilon", epsilon, 0, np.inf, closed="neither")
    delta = checks.real("delta", delta, 0, 1)
    power = checks.real("power", power, 0, 1, closed="neither")
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)
    seed, runs = checks.whole("seed", seed, 0), checks.whole("runs", runs, 1)
    if BOUNDS[method].fair_coins and ratio != 1:
        raise checks.fail("ratio", f"1 for method {method!r}, as by fair coins", ratio)
    if method in RANK_TESTS and level > 1 - SMALLEST_LEVEL:
        raise checks.fail("confidence_level", f"at most {1 - SMALLEST_LEVEL:g}", level)
    sizes = _sizes(checks.whole("largest", largest, SMALLEST), ratio)
    of_size, note = _power_of(
        attack, method, epsilon=epsilon, delta=delta, confidence_level=level, seed=seed
    )
    if (shown := shown_epsilon(attack, delta)) <= epsilon:
        raise checks.fail("epsilon", f"below what the attack shows ({shown:.6g})", epsilon)

    # Double the size until the power is reached, then bisect.
    tried: dict[int, tuple[float, float]] = {}
    few, enough, last = -1, None, len(sizes) - 1
    for _ in progress(range(len(sizes))):
        if enough is None:
            index = min(few + 1 if few < 0 else few + DOUBLING, last)
        else:
            index = (few + enough) // 2
        tried[index] = of_size(*sizes[index], runs)
        if tried[index][0] >= power:
            enough = index
        else:
            few = index
        if few == last or (enough is not None and enough - few == 1):
            break
    # With more simulations; if the power is not confirmed, the next larger sizes.
    found = last if enough is None else enough
    estimate, error = of_size(*sizes[found], AGAIN * runs)
    while enough is not None and estimate < power and found < last:
        found += 1
        estimate, error = of_size(*sizes[found], AGAIN * runs)
    is_found = enough is not None and estimate >= power
    looked_at = np.array([sizes[i] for i in sorted(tried)])
    return Plan(
        n_members=sizes[found][0] if is_found else None,
        n_nonmembers=sizes[found][1] if is_found else None,
        power=estimate,
        power_error=error,
        epsilon=epsilon,
        delta=delta,
        confidence_level=level,
        method=method,
        tried_members=checks.read_only(looked_at[:, 0]),
        tried_nonmembers=checks.read_only(looked_at[:, 1]),
        tried_powers=checks.read_only(np.array([tried[i][0] for i in sorted(tried)])),
        note=note,
    )


def shown_epsilon(attack: TradeoffFunction | Scores | HasRates, delta: float) -> float:
    """The epsilon that infinitely many records would show: what is certified is less."""
    if isinstance(attack, TradeoffFunction):
        return max(attack.epsilon(delta), attack.inverse().epsilon(delta))
    if isinstance(attack, Scores):
        curve = RocPolyline.of(attack)
        pairs = ((curve.tpr, curve.fpr), (1 - curve.fpr, 1 - curve.tpr))
        return max(float(log_ratio(top - delta, bottom).max()) for top, bottom in pairs)
    implied = implied_epsilons(fpr=attack.fpr, fnr=attack.fnr, delta=delta)
    return max(0.0, float(np.max(implied[:2])))


def _sizes(largest: int, ratio: float) -> list[tuple[int, int]]:
    """Numbers of members and non-members that may be planned, ascending."""
    steps = int(np.log(largest / SMALLEST) / np.log(STEP)) + 1
    of_larger = np.append(np.ceil(SMALLEST * STEP ** np.arange(steps)), largest)
    of_larger = np.unique(np.minimum(of_larger, largest)).astype(np.int64)
    of_smaller = np.maximum(1, np.rint(of_larger * min(ratio, 1 / ratio))).astype(np.int64)
    members, nonmembers = (of_larger, of_smaller) if ratio >= 1 else (of_smaller, of_larger)
    return list(zip(members.tolist(), nonmembers.tolist(), strict=True))


def _power_of(
    attack: TradeoffFunction | Scores | HasRates,
    method: str,
    *,
    epsilon: float,
    delta: float,
    confidence_level: float,
    seed: int,
) -> tuple[Power, str]:
    """The power function, and a note."""
    given = {"epsilon": epsilon, "delta": delta, "confidence_level": confidence_level}
    if not isinstance(attack, TradeoffFunction | Scores):
        rates = _rates(attack, method)

        def exact(n: int, m: int, _: int) -> Estimate:
            return exact_power(n, m, fpr=rates.fpr, fnr=rates.fnr, **given), 0.0

        return exact, OF_RATES
    curve = RocPolyline.of(attack)
    powers: dict[str, Power] = {
        **{
            name: RankPower(curve=curve, simulated=name == "rank", seed=seed, **given)
            for name in RANK_TESTS
        },
        "clopper_pearson": ThresholdPower(curve=curve, **given),
        "one_run_curve": OneRunPower(curve=curve, seed=seed, **given),
    }
    note = OF_CURVE if isinstance(attack, TradeoffFunction) else OF_SCORES
    return powers[method], note + KNOWN * (method == "clopper_pearson")


def _rates(attack: HasRates, method: str) -> AttackRates:
    """The rates of one attack that is fixed in advance, if the method can use them."""
    if not (hasattr(attack, "fpr") and hasattr(attack, "fnr")):
        raise checks.fail("attack", "a trade-off function, scores or AttackRates", attack)
    if method != "clopper_pearson":
        raise checks.fail("attack", f"a trade-off function or scores for method {method!r}", attack)
    return AttackRates(fpr=attack.fpr, fnr=attack.fnr)
