"""The fewest records with which the default method certifies an epsilon, for every attack."""

from bisect import bisect_left
from dataclasses import replace
from functools import lru_cache, partial

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.bounds import exact_rank, rank
from dpviz.audit.bounds.exact_rank import LEAK_VALUES, chosen_test, exact_test, smallest_p_value
from dpviz.audit.bounds.number_law import leak_pairs
from dpviz.audit.bounds.result import BoundMethod, Request
from dpviz.audit.bounds.search import SMALLEST

# The fewest records with which `registry.DEFAULT` certifies an epsilon, however good the attack.
#
# That more records certify more is not proved: counts are whole numbers, and cut-offs are too. So
# sizes are tried one by one, from the first at which a perfect ranking is rare enough. Under
# leaky
# randomized response (`dpviz.audit.bounds.rank`, step 4) a record shows or says what it is with
# probability ``delta + (1 - delta) e^epsilon / (1 + e^epsilon)``; where all do, the ranking is
# perfect. The p-value is no smaller than the chance of that, which falls with every record.

LARGEST = 5000  # records of the larger class, at most


ONE_BY_ONE = 40  # sizes tried in turn; beyond them the search is by halving


def fewest_records(
    *, epsilon: float = 0.0, delta: float, confidence_level: float = 0.95, ratio: float = 1.0
) -> tuple[int, int] | None:
    """Numbers of members and non-members below which `lower_bound` never certifies `epsilon`.

    By its default method, `bounds.DEFAULT`, with exact p-values. Where it simulates them, as its
    notes then say, a few more may be needed, or by chance a few fewer be enough. With so many
    records it refutes `epsilon` if the attack puts all members first; with one record of the larger
    class less it does not. Nor does it with any fewer, unless the classes are so unequal that more
    than 40 sizes had to be tried. How many records a given attack needs is another question: that
    of `plan`.

    Parameters
    ----------
    epsilon : float, at least 0; at 0, whether anything can be certified
    delta : float, in [0, 1]
    confidence_level : float, in (0, 1)
    ratio : float, members per non-member, in [0.001, 1000]

    Returns
    -------
    (int, int) or None
        None if more than 5000 records of the larger class are needed.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.fewest_records(delta=1e-5), audit.fewest_records(epsilon=4, delta=1e-5)
    ((4, 4), (84, 84))
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    delta = checks.real("delta", delta, 0, 1)
    level = 1 - checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    ratio = checks.real("ratio", ratio, 1e-3, 1e3)

    sizes = partial(sizes_of, ratio=ratio)
    told = delta + (1 - delta) * float(expit(epsilon))

    def is_rare(larger: int) -> bool:
        return bool(sum(sizes(larger)) * np.log(told) <= np.log(level * (1 + 1e-9)))

    first = bisect_left(range(1, LARGEST + 1), True, key=is_rare) + 1
    for larger in range(first, min(first + ONE_BY_ONE, LARGEST + 1)):
        if suffice(*sizes(larger), epsilon, delta, level):
            return sizes(larger)
    few = first + ONE_BY_ONE - 1
    enough = min(2 * few, LARGEST)
    if few >= LARGEST:
        return None
    while not suffice(*sizes(enough), epsilon, delta, level):
        if enough == LARGEST:
            return None
        few, enough = enough, min(2 * enough, LARGEST)
    while enough - few > 1:
        middle = (few + enough) // 2
        if suffice(*sizes(middle), epsilon, delta, level):
            enough = middle
        else:
            few = middle
    return sizes(enough)


def sizes_of(larger: int, *, ratio: float) -> tuple[int, int]:
    """Members and non-members, `ratio` members per non-member, at least one of each."""
    smaller = max(1, round(larger * min(ratio, 1 / ratio)))
    return (larger, smaller) if ratio >= 1 else (smaller, larger)


def suffice(n: int, m: int, epsilon: float, delta: float, level: float) -> bool:
    """Whether an attack that puts all members first refutes `epsilon`, or at 0 a little more."""
    test, leaks = exact_test(n, m, delta=delta, level=level)
    return smallest_p_value(test, leaks, max(epsilon, SMALLEST)) <= level * (1 + 1e-9)


# The note of a bound of 0 that no attack on so few records could have raised.


# Records of each class from which on nothing is said. Where delta counts once for every canary,
# more can be too few as well.
ENOUGH = 100


TRIED = 100  # next sizes that are tried


SIMULATED = 0.8  # share of the level that simulated tests make use of, about


KEPT_NOTES = 1024  # answers in the cache


def too_few(method: BoundMethod, n: int, m: int, request: Request) -> tuple[str, ...]:
    """A note if a perfect attack on so many records certifies nothing, with the next that would."""
    if min(n, m) >= ENOUGH:
        return ()
    return _note(method, n, m, replace(request, seed=0, threshold=0.0))


@lru_cache(maxsize=KEPT_NOTES)
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
