"""The note of a bound of 0 that no attack on so few records could have raised."""

from dataclasses import replace
from functools import lru_cache

from dpviz.audit.bounds import exact_rank, rank
from dpviz.audit.bounds.exact_rank import LEAK_VALUES, chosen_test, smallest_p_value
from dpviz.audit.bounds.fewest import sizes_of, suffice
from dpviz.audit.bounds.leaky_law import leak_pairs
from dpviz.audit.bounds.method import BoundMethod, Request

# Records of each class from which on nothing is said. Where delta counts once for every canary,
# more can be too few as well.
ENOUGH = 100
TRIED = 100  # next sizes that are tried
SIMULATED = 0.8  # share of the level that simulated tests make use of, about
KEPT = 1024  # answers in the cache


def too_few(method: BoundMethod, n: int, m: int, request: Request) -> tuple[str, ...]:
    """A note if a perfect attack on so many records certifies nothing, with the next that would."""
    if min(n, m) >= ENOUGH:
        return ()
    return _note(method, n, m, replace(request, seed=0, threshold=0.0))


@lru_cache(maxsize=KEPT)
def _note(method: BoundMethod, n: int, m: int, request: Request) -> tuple[str, ...]:
    delta, level = request.delta, 1 - request.confidence_level

    def certifies(n: int, m: int) -> bool:
        # One p-value of the rank tests is enough; their bounds would take seconds.
        exact = method is exact_rank.METHOD
        if exact and chosen_test(n, m, delta=delta, level=level)[1] is not None:
            return suffice(n, m, 0.0, delta, level)
        if exact or method is rank.METHOD:
            return _simulated_certify(n, m, delta, level)
        return method.rule(method.separated(n, m), request).low > 0

    if certifies(n, m):
        return ()
    if method.fair_coins:  # which need not have turned out like this
        few = "no attack on these numbers of records certifies anything with this method"
        halves = range((n + m) // 2 + 1, (n + m) // 2 + 1 + TRIED)
        half = next((half for half in halves if certifies(half, half)), None)
        return (few if half is None else f"{few}; on {2 * half}, half of them members, one can",)
    few = "no attack on so few records certifies anything with this method"
    larger = max(n, m)
    following = (sizes_of(larger + i, ratio=n / m) for i in range(1, TRIED + 1))
    found = next((sizes for sizes in following if certifies(*sizes)), None)
    if found is None:
        return (f"{few} and at this delta",)
    return (f"{few}; on {found[0]} members and {found[1]} non-members one can",)


def _simulated_certify(n: int, m: int, delta: float, level: float) -> bool:
    """Whether simulated p-values refute 0, as a rule, if all members come first."""
    test = rank.RankTest(n, m, delta=delta, level=level)
    leaks = leak_pairs(n, m, delta, level, LEAK_VALUES)
    return test.largest() > 0 and smallest_p_value(test, leaks, 0.0) <= SIMULATED * level
