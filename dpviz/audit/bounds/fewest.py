"""The fewest records with which `registry.DEFAULT` certifies an epsilon, however good the attack.

That more records certify more is not proved: counts are whole numbers, and cut-offs are too. So
sizes are tried one by one, from the first at which a perfect ranking is rare enough. Under leaky
randomized response (`dpviz.audit.bounds.rank`, step 4) a record shows or says what it is with
probability ``delta + (1 - delta) e^epsilon / (1 + e^epsilon)``; where all do, the ranking is
perfect. The p-value is no smaller than the chance of that, which falls with every record.
"""

from bisect import bisect_left
from functools import partial

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.audit.bounds.exact_rank import exact_test, smallest_p_value
from dpviz.audit.bounds.lattice import SMALLEST

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
