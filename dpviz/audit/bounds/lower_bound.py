"""The lower bound on epsilon by any method, and the largest bound that class sizes allow.

`ceiling` is the bound of a perfect attack; `fewest_records`, how many records certify an epsilon.
"""

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Literal

import numpy as np
from scipy.special import bdtr, expit

from dpviz import checks
from dpviz.audit.bounds import rank, result
from dpviz.audit.bounds.boundary_crossing import leak_pairs
from dpviz.audit.bounds.fixed_split import request_at_delta_zero
from dpviz.audit.bounds.rank import default_test_and_leaks, exact_test_and_leaks, smallest_p_value
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import AppliesTo, BoundMethod, EpsilonBound, default_method
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import Sampling, Scores, data_warnings
from dpviz.checks import Rng

LEAST_TIED = 0.05  # share of tied scores from which a warning mentions them
UNFAIR_COIN_P_VALUE = 1e-9  # a number of members with a smaller p-value was not drawn by fair coins
SPREADS = 4.0  # standard deviations over seeds that a ceiling adds where p-values are simulated
CACHED = 1024  # ceilings, and notes on too few records
MOST_RECORDS = 5000  # largest size of the larger class that `fewest_records` tries
SIZES_TRIED_IN_TURN = 40  # sizes tried in turn; beyond them the search is by bisection
ENOUGH_RECORDS = 100  # of each class, from which on no warning calls them too few
NEXT_SIZES = 100  # larger sizes that such a warning tries
USED_LEVEL_SHARE = 0.8  # rate of false bounds of simulated tests, about, over the level


def lower_bound(
    scores: ScoresLike,
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str | None = None,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    directions: Literal["attack", "both"] = "attack",
    threshold: float | None = None,
    rng: Rng = 0,
) -> EpsilonBound:
    """Return a lower confidence limit of epsilon that accounts for the search over thresholds.

    The default method is a rank test, exact for the least favourable of all distributions (see
    `dpviz.audit.bounds.rank`). Its p-values are computed without random numbers; for many records
    or a large delta they are simulated, and `warnings` says so.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        Higher = more member-like: low scores of members are no evidence. The bound is about the
        epsilon of the two distributions of scores in the attack's direction. It holds if the attack
        was not fitted to these scores: a fitted attack knows who is a member.
        Copies of records, as `dpviz.audit.scores.attack_scores` defines them, are left out, and
        `warnings` says so.
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1); up to 0.9999 ("both": 0.9998) for simulated p-values
    method : str, optional, a key of `BOUNDS`
        By default "rank_exact", and "one_run_curve" for fair coins.
    applies_to : {"instance", "mechanism"}, optional, by default what `sampling` says
        "instance": train and hold-out losses of one model, and the epsilon is of this model.
        "mechanism": membership was drawn, and `sampling`, of the argument or the scores, says how.
    sampling : {"independent_trainings", "fair_coins", "fixed_split"}, required for a mechanism
        One canary, in and out of independent trainings; or one training run, whose records were
        each included by a fair coin, or were split at random into classes of these sizes.
        A fixed split bounds replace-one epsilon, at a delta far below 1 / (members x non-members).
        If somebody chose the members, nothing is known of the mechanism.
    directions : {"attack", "both"}
        "both" also tests the reversed scores, each direction at half of ``1 - confidence_level``;
        then the epsilon of either direction is bounded.
    threshold : float, optional
        On the original scale of the scores, **fixed before looking at them**; required by
        "clopper_pearson".
    rng : int or Generator
        Ranks tied scores; not used by the default, whose simulations have a seed of their own.

    Raises
    ------
    ValueError, if an argument is out of range, or the method does not suit the sampling or scores

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> round(audit.lower_bound(read_sample("overfitted"), delta=1e-5).low, 1)
    2.8
    """
    scores = without_copies(scores)
    sampling = result.sampling_of(scores, sampling, applies_to)
    applies_to = result.checked_applies_to(applies_to, sampling)
    method = default_method(sampling) if method is None else checks.choice("method", method, BOUNDS)
    checks.choice("directions", directions, ("attack", "both"))
    level = checks.confidence_level(confidence_level)
    both = directions == "both"
    request = result.BoundRequest(
        delta=(delta := checks.real("delta", delta, 0, 1)),
        confidence_level=(1 + level) / 2 if both else level,
        seed=checks.seed(rng),
        threshold=None if threshold is None else checks.real("threshold", threshold),
    )
    chosen, n, m = BOUNDS[method], scores.n_members, scores.n_nonmembers
    if sampling is not None and sampling not in chosen.samplings:
        valid = " or ".join(repr(m) for m, each in BOUNDS.items() if sampling in each.samplings)
        raise checks.fail("method", f"{valid} for sampling={sampling!r}", method)
    if chosen.needs_threshold and threshold is None:
        raise ValueError(f"threshold must be given for method {method!r}, got None")
    # A two-sided binomial test that membership was drawn by fair coins.
    if chosen.requires_fair_coins and 2 * bdtr(min(n, m), n + m, 0.5) < UNFAIR_COIN_P_VALUE:
        raise ValueError(
            f"scores must have about as many members as non-members for method {method!r}, "
            f"got {n} members among {n + m} records"
        )
    if sampling == "fixed_split":
        request = request_at_delta_zero(request, n, m)
    direction: result.Direction = "attack"
    found = chosen.rule(scores, request)
    # The reversed attack has the other half of the level.
    if both and (other := chosen.rule(scores.reversed(), request)).low > found.low:
        found, direction = other, "reversed"
    notes = found.notes
    # The price of delta of a fixed split rises with the sizes that this would try.
    if found.low == 0 and min(n, m) < ENOUGH_RECORDS and request.delta == delta:
        notes += _too_few_records_warning(chosen, n, m, replace(request, seed=0, threshold=0.0))
    fields = {name: getattr(found, name) for name in ("low", "evidence", "seed", "seed_spread")}
    return EpsilonBound(
        **fields,
        delta=delta,
        confidence_level=level,
        method=method,
        n_members=n,
        n_nonmembers=m,
        sampling=chosen.conditions(sampling),
        applies_to=applies_to,
        direction=direction,
        warnings=(*warnings_about(scores, sampling), *notes),
    )


def warnings_about(scores: Scores, sampling: Sampling | None) -> tuple[str, ...]:
    """Return warnings about a bound from these scores, such as about ties or pooled groups."""
    remarks = data_warnings(scores, least_tied_share=LEAST_TIED)
    if sampling == "independent_trainings" and len(scores.groups) > 1:
        pooled = (
            f"{len(scores.groups)} groups are pooled: canaries of the same trained models are not "
            "independent, so a bound from all groups is not valid: use retraining_audit, which "
            "gives a bound for each canary"
        )
        return (pooled, *remarks)
    return remarks


def ceiling(
    *,
    n_members: int,
    n_nonmembers: int,
    delta: float,
    confidence_level: float = 0.95,
    method: str | None = None,
    sampling: Sampling | None = None,
    rng: Rng = 0,
) -> float:
    """Return the lower bound on epsilon that a perfect attack gives for these class sizes.

    It is the most that these sizes can certify. A bound near its ceiling shows that records
    are few, not that the model is private. Where p-values are simulated, the ceiling is
    `SPREADS` standard deviations over seeds above the bound (`EpsilonBound.seed_spread`, some
    hundredths); 1 to 2 in 100 seeds exceed it (measured).

    Parameters
    ----------
    n_members, n_nonmembers : int, at least 1 each
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1); up to 0.9999 where p-values are simulated
    method, sampling, rng : as of `lower_bound`

    Raises
    ------
    ValueError, if an argument is out of range, or the method rejects these numbers of records

    Examples
    --------
    >>> from dpviz import audit
    >>> numbers = {"n_members": 100, "n_nonmembers": 100, "delta": 1e-5}
    >>> round(audit.ceiling(**numbers, method="clopper_pearson"), 3)
    3.281
    """
    method = default_method(sampling) if method is None else checks.choice("method", method, BOUNDS)
    return _cached_ceiling(
        checks.whole("n_members", n_members, 1),
        checks.whole("n_nonmembers", n_nonmembers, 1),
        delta=checks.real("delta", delta, 0, 1),
        confidence_level=checks.confidence_level(confidence_level),
        method=method,
        sampling=sampling,
        seed=checks.seed(rng),
    )


@lru_cache(maxsize=CACHED)
def _cached_ceiling(n: int, m: int, *, method: str, seed: int, **given: Any) -> float:
    of_perfect = partial(lower_bound, BOUNDS[method].separated(n, m), method=method, threshold=0.0)
    bound = of_perfect(rng=seed, **given)
    return bound.low + SPREADS * (bound.seed_spread or 0.0)


def fewest_records(
    *, epsilon: float = 0.0, delta: float, confidence_level: float = 0.95, ratio: float = 1.0
) -> tuple[int, int] | None:
    """Return the smallest numbers of members and non-members that can certify `epsilon`.

    With this many records, `lower_bound` by its default method and exact p-values refutes `epsilon`
    if the attack ranks all members first; with one record fewer in the larger class it does not.
    Smaller numbers do not suffice either, unless the classes are so unequal that more than 40 sizes
    had to be tried. Simulated p-values may need a few more or fewer. `plan` is for imperfect
    attacks. The answer is (members, non-members), or None if more than 5000 records of the larger
    class are needed.

    Parameters
    ----------
    epsilon : float, at least 0; at 0, whether anything can be certified
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1)
    ratio : float, members per non-member, in [0.001, 1000]

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.bounds.fewest_records(delta=1e-5), audit.bounds.fewest_records(epsilon=4, delta=1e-5)
    ((4, 4), (84, 84))
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    delta = checks.real("delta", delta, 0, 1)
    level = 1 - checks.confidence_level(confidence_level)
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)
    sizes = partial(class_sizes, ratio=ratio)
    # Under leaky randomized response a record reveals its class with this probability, and the
    # ranking is perfect if all do. The p-value is no smaller than the probability of that, which
    # falls with every record: so sizes are tried from the first at which it is at most the level.
    right = delta + (1 - delta) * float(expit(epsilon))

    def is_perfect_ranking_rare(larger_class: int) -> bool:
        return bool(sum(sizes(larger_class)) * np.log(right) <= np.log(level * (1 + 1e-9)))

    def certifies_epsilon(larger_class: int) -> bool:
        return perfect_attack_refutes(*sizes(larger_class), epsilon, delta, level)

    # That more records certify more is not proved, since counts and cut-offs are whole numbers.
    first = bisect_left(range(1, MOST_RECORDS + 1), True, key=is_perfect_ranking_rare) + 1
    for larger in range(first, min(first + SIZES_TRIED_IN_TURN, MOST_RECORDS + 1)):
        if certifies_epsilon(larger):
            return sizes(larger)
    # None of these was enough: double the size, then bisect.
    few = first + SIZES_TRIED_IN_TURN - 1
    enough = min(2 * few, MOST_RECORDS)
    if few >= MOST_RECORDS:
        return None
    while not certifies_epsilon(enough):
        if enough == MOST_RECORDS:
            return None
        few, enough = enough, min(2 * enough, MOST_RECORDS)
    while enough - few > 1:
        middle = (few + enough) // 2
        few, enough = (few, middle) if certifies_epsilon(middle) else (middle, enough)
    return sizes(enough)


def class_sizes(larger_size: int, *, ratio: float) -> tuple[int, int]:
    """Return (members, non-members) in the given ratio; the larger number is `larger_size`."""
    smaller_size = max(1, round(larger_size * min(ratio, 1 / ratio)))
    return (larger_size, smaller_size) if ratio >= 1 else (smaller_size, larger_size)


def perfect_attack_refutes(n: int, m: int, epsilon: float, delta: float, level: float) -> bool:
    """Return whether a perfect attack refutes `epsilon`; instead of 0, a tiny value is tested."""
    test, leaks = exact_test_and_leaks(n, m, delta=delta, level=level)
    tested = max(epsilon, result.SMALLEST_EPSILON)
    return smallest_p_value(test, leaks, tested) <= level * (1 + 1e-9)


@lru_cache(maxsize=CACHED)
def _too_few_records_warning(
    method: BoundMethod, n: int, m: int, request: result.BoundRequest
) -> tuple[str, ...]:
    """Return a tuple of one warning if the bound of a perfect attack is 0, else an empty tuple."""
    delta, level = request.delta, 1 - request.confidence_level

    def certifies(n: int, m: int) -> bool:
        if method is not rank.METHOD:
            return method.rule(method.separated(n, m), request).low > 0
        # One p-value of the rank test is enough; its bound would take seconds.
        test, leaks = default_test_and_leaks(n, m, delta=delta, level=level)
        if leaks is not None:
            return perfect_attack_refutes(n, m, 0.0, delta, level)
        leaks = leak_pairs(n, m, delta, level, rank.LEAK_VALUES)
        limit = USED_LEVEL_SHARE * level
        return test.largest_statistic() > 0 and smallest_p_value(test, leaks, 0.0) <= limit

    if certifies(n, m):
        return ()
    few = "no attack on this many records certifies an ε above 0 with this method"
    if method.requires_fair_coins:  # other records would not have these class sizes
        halves = range((n + m) // 2 + 1, (n + m) // 2 + 1 + NEXT_SIZES)
        half = next((half for half in halves if certifies(half, half)), None)
        return (few if half is None else f"{few}; {2 * half}, half of them members, are enough",)
    # The next larger sizes, in the same ratio, that would certify something.
    following = (class_sizes(max(n, m) + i, ratio=n / m) for i in range(1, NEXT_SIZES + 1))
    for sizes in following:
        if certifies(*sizes):
            return (f"{few}; {sizes[0]} members and {sizes[1]} non-members are enough",)
    return (f"{few} and at this delta",)
