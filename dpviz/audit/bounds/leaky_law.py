"""The least favourable distribution of a ranking under (epsilon, delta), by exact sums.

It is leaky randomized response, ranked (`dpviz.audit.bounds.rank`, step 4): members that show
themselves with probability delta, the upper class, the lower class, non-members that show
themselves. Of n members and m non-members that do not, the upper class has each member with
probability ``q = e^epsilon / (1 + e^epsilon)`` and each non-member with probability ``1 - q``.

**The crossing of a boundary.** `chance_to_cross` is the probability that, for some cut k of a list,
at least so many members as its boundary says are among the first k records. Let each record be a
member with probability n / (n + m) instead, independently. Given the number K of records in the
upper class, the ranks are then members independently of each other, with one probability above K
and another below; and given that n are members, the distribution is that of fixed n and m. So

    ``P(no crossing) = sum_K P(K) sum_i f_K(i) g_K(i) / P(n members)``,

where ``f_K(i)`` is the probability of i members among the first K ranks without a crossing, and
``g_K(i)`` that of no crossing and n members in the end, from i members among the first K. Ranks
above K do not depend on K otherwise, so one walk forwards gives all f, one backwards all g.

Whatever is rounded or left out raises the probability: numbers of leaks are rounded up (a member
that shows itself only moves up), and what is too small to be followed counts as a crossing.
"""

from functools import lru_cache
from itertools import pairwise

import numpy as np
from scipy.fft import next_fast_len
from scipy.special import bdtr, bdtrc, expit

from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray

NEGLIGIBLE = 1e-19  # probabilities that are not followed
REACH = 9.0  # standard deviations of a class size that are followed
LONG = 300  # counts from which sums are formed by Fourier transforms: errors are about 1e-19, too
BLOCK = 64  # ends of the upper class whose powers are computed once
LEAK_VALUES = 3  # numbers of leaks of a class that are told apart
LEAK_TAIL = 1e-3  # share of the level that may be given to numbers of leaks left out

LeakPair = tuple[int, int, float]  # numbers of leaks of both classes, and their probability
Part = tuple[int, FloatArray]  # the smallest count, and the probabilities from there on


def rounding(records: int) -> float:
    """More than the error of all sums: 4e-11 were seen with 200 000 records."""
    return 1e-15 * max(records, 100)


@lru_cache(maxsize=64)
def leaks(records: int, delta: float, level: float, values: int) -> list[tuple[int, float]]:
    """Numbers of leaking records, rounded up, and their probabilities; what lacks to 1 is small.

    At most so many `values`.
    """
    if delta == 0:
        return [(0, 1.0)]
    # Beyond 40 standard deviations and 1600 records more, the tail is below 1e-250 (Bernstein).
    most = min(records, int(records * delta + 40 * (records * delta) ** 0.5 + 1600))
    upto = bdtr(np.arange(most + 1), records, delta)
    last = int(np.searchsorted(upto, 1 - level * LEAK_TAIL))
    first = int(np.searchsorted(upto, 1 / (4 * values)))
    kept = np.unique(np.linspace(first, min(last, most), values).round().astype(int))
    if last < values:
        kept = np.arange(min(last, most) + 1)
    return list(zip(kept.tolist(), np.diff(upto[kept], prepend=0.0).tolist(), strict=True))


def leak_pairs(
    n_members: int, n_nonmembers: int, delta: float, level: float, values: int
) -> list[LeakPair]:
    """Numbers of leaking members and non-members, and their probabilities, as of `leaks`."""
    members = leaks(n_members, delta, level, values)
    nonmembers = leaks(n_nonmembers, delta, level, values)
    pairs = [(a, b, p * q) for a, p in members for b, q in nonmembers]
    return [pair for pair in pairs if pair[2] > level * LEAK_TAIL / len(pairs)]


def joined(pairs: list[LeakPair], rare: float) -> list[LeakPair]:
    """The least probable pairs, up to `rare` together, as one with the most leaks of each class.

    More leaks raise what is summed, so the sum is not below that of all pairs.
    """
    rising = sorted(pairs, key=lambda pair: pair[2])
    few = int(np.searchsorted(np.cumsum([pair[2] for pair in rising]), rare, "right"))
    if few < 2:
        return pairs
    members, nonmembers, chances = zip(*rising[:few], strict=True)
    return [*rising[few:], (max(members), max(nonmembers), sum(chances))]


def class_chances(share: float, epsilon: float) -> tuple[float, float, float]:
    """Chances of a record that is a member with probability `share`.

    To be in the upper class; to be a member if it is there; to be one if it is in the lower class.
    """
    right, wrong = float(expit(epsilon)), float(expit(-epsilon))
    members, others = share * right, (1 - share) * wrong
    below = share * wrong / (share * wrong + (1 - share) * right)
    return members + others, members / (members + others), below


@lru_cache(maxsize=1024)
def binomial(trials: int, chance: float) -> Part:
    """The probabilities of a binomial count that are worth following.

    By ratios of neighbours: of 10^6 trials a logarithm of a factorial has an error of 1e-9.
    """
    if trials == 0 or chance in (0, 1):
        return int(trials * chance), np.ones(1)
    spread = REACH * np.sqrt(trials * chance * (1 - chance)) + REACH * REACH / 3
    first = max(int(trials * chance - spread), 0)
    k = np.arange(first + 1, min(int(trials * chance + spread) + 1, trials) + 1)
    ratios = np.log((trials + 1 - k) / k) + np.log(chance / (1 - chance))
    logs = np.concatenate([[0.0], np.cumsum(ratios)])
    values = np.exp(logs - logs.max())
    return first, values / values.sum()


def chance_to_cross(
    cuts: Counts,
    boundary: Counts,
    *,
    n_members: int,
    n_nonmembers: int,
    epsilon: float,
    delta: float,
    level: float,
) -> float:
    """The probability of a crossing; not below it, and above it by next to nothing.

    `cuts` ascend; at `boundary` members among the first records the boundary is crossed. `level`
    says which probabilities are of interest.
    """
    stays = 0.0
    for top, bottom, chance in leak_pairs(n_members, n_nonmembers, delta, level, LEAK_VALUES):
        walk = _Walk(
            np.clip(cuts - top, 0, n_members + n_nonmembers - top - bottom),
            boundary - np.minimum(cuts, top),
            n_members - top,
            n_nonmembers - bottom,
        )
        stays += chance * walk.stays(epsilon)
    return min(max(1 - stays, 0.0) + rounding(n_members + n_nonmembers), 1.0)


class _Walk:
    """Members among the first ranks, without leaks, and the boundary."""

    def __init__(self, cuts: Counts, boundary: Counts, n: int, m: int) -> None:
        # Cuts behind the last rank that may hold a member are the end, where the count is n.
        places, first = np.unique(cuts, return_index=True)
        least = np.minimum.reduceat(boundary, first) if cuts.size else boundary
        reachable = least <= np.minimum(places, n)
        kept = reachable & (places > 0)
        self._crosses_at_once = bool((reachable & (places == 0)).any())
        self._n, self._total, self._free = n, n + m, n + m + 1
        self._needed: dict[int, int] = {0: self._free}
        self._needed.update(zip(places[kept].tolist(), least[kept].tolist(), strict=True))
        self._needed.setdefault(self._total, self._free)

    def stays(self, epsilon: float) -> float:
        """The probability that the boundary is not crossed."""
        n, total = self._n, self._total
        if self._crosses_at_once or self._needed[total] <= n:
            return 0.0
        if total == 0:
            return 1.0
        share = n / total
        upper, above, below = class_chances(share, epsilon)
        first, sizes = binomial(total, upper)
        last = first + sizes.size - 1
        places = self._within_reach(first, last, above, below)
        ahead = self._ahead(places, below, first)
        behind = (0, np.ones(1))
        found = 0.0
        for begin, end in pairwise(places):
            # The upper class ends within (begin, end], or at 0 before all ranks.
            least = max(begin + 1 if begin else 0, first)
            if least <= end:
                chances = sizes[least - first : end + 1 - first]
                step = mixture(begin, end, least, chances, above, below)
                if behind[1].size <= ahead[end][1].size:
                    found += _product(_added(behind, step), ahead[end])
                else:
                    found += _product(behind, _added(ahead[end], _backwards(step)))
            if last <= end:
                break
            behind = _cut(_added(behind, binomial(end - begin, above)), self._needed_at(end))
        lowest, of_total = binomial(total, share)
        return found / float(of_total[n - lowest])

    def _within_reach(self, first: int, last: int, above: float, below: float) -> list[int]:
        """Places where the boundary may be crossed; of the others, all together are negligible.

        Before the upper class may end, `first`, ranks are members with one probability, behind
        `last` with another one. These are probabilities without the condition of n members, which
        has a probability of more than 1e-4.
        """
        places = np.array(sorted(self._needed))
        needed = np.array([self._needed[each] for each in places.tolist()])
        within = (places == 0) | (places == self._total) | ((first <= places) & (places <= last))
        before, behind = (~within & (places < first)), (~within & (places > last))
        within[before] = bdtrc(needed[before] - 1, places[before], above) > NEGLIGIBLE
        rest = self._total - places[behind]
        within[behind] = bdtr(self._n - needed[behind], rest, below) > NEGLIGIBLE
        kept: list[int] = places[within].tolist()
        return kept

    def _needed_at(self, place: int) -> int:
        return self._needed.get(place, self._free)

    def _ahead(self, places: list[int], below: float, first: int) -> dict[int, Part]:
        """At each place after `first`: staying from there, and n members in the end."""
        part = (self._n, np.ones(1))
        found = {}
        for begin, end in reversed([*pairwise(places)]):
            if end < first:
                break
            part = _cut(part, self._needed_at(end))
            found[end] = part
            part = _added(part, _backwards(binomial(end - begin, below)))
            if part[0] < 0:
                part = 0, part[1][-part[0] :]
        return found


def mixture(
    begin: int, end: int, first: int, chances: FloatArray, above: float, below: float
) -> Part:
    """Members in ranks (begin, end], mixed over where the upper class ends, from `first` on.

    By its characteristic function; what is outside the window is less than rounding.
    """
    over = np.arange(first - begin, first - begin + chances.size)  # ranks of the upper class
    under = end - begin - over
    means = over * above + under * below
    variances = over * above * (1 - above) + under * below * (1 - below)
    spread = REACH * np.sqrt(variances.max()) + REACH * REACH / 3
    low = max(int(means.min() - spread), 0)
    size = min(int(means.max() + spread) + 1, end - begin) + 1 - low
    turns = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    # 1e-300 keeps the logarithm of 0 finite: of no rank it has to be 0.
    one_above, one_below = np.log([1 + c * (turns - 1) + 1e-300 for c in (above, below)])
    # Logarithms are linear in where the class ends, so largest at an end.
    sizes = [over[at] * one_above.real + under[at] * one_below.real for at in (0, -1)]
    kept = np.flatnonzero(np.maximum(*sizes) > np.log(NEGLIGIBLE))
    transform = np.zeros(turns.size, complex)
    # Powers of their ratio within blocks, where none is too large or too small.
    ratio = one_above[kept] - one_below[kept]
    block = BLOCK if np.abs(ratio.real).max() * BLOCK < 300 else 1
    begins = slice(None, None, block)
    logs = np.outer(over[begins], one_above[kept]) + np.outer(under[begins], one_below[kept])
    padded = np.pad(chances, (0, -chances.size % block)).reshape(-1, block)
    sums = padded @ np.exp(np.outer(np.arange(block), ratio))
    transform[kept] = np.sum(sums * np.exp(logs), axis=0) * turns[kept].conj() ** low
    values = np.maximum(np.fft.irfft(transform, size), 0.0)
    return low, values * min(1.0, chances.sum() / values.sum())  # rounding adds to no sum


def _added(one: Part, other: Part) -> Part:
    """The distribution of a sum, without negligible ends."""
    if one[1].size == 0 or other[1].size == 0:
        return 0, np.zeros(0)
    size = one[1].size + other[1].size - 1
    if min(one[1].size, other[1].size) < LONG:
        values = np.convolve(one[1], other[1])
    else:
        length = next_fast_len(size, real=True)
        transforms = [np.fft.rfft(each[1], length) for each in (one, other)]
        values = np.fft.irfft(transforms[0] * transforms[1], length)[:size]
    kept = np.flatnonzero(values > NEGLIGIBLE)
    if kept.size == 0:
        return one[0] + other[0], values[:0]
    return one[0] + other[0] + int(kept[0]), values[kept[0] : kept[-1] + 1]


def _backwards(step: Part) -> Part:
    """From as many members fewer as are in the step."""
    return -(step[0] + step[1].size - 1), step[1][::-1]


def _cut(part: Part, needed: int) -> Part:
    """What has not reached the boundary."""
    return part[0], part[1][: max(needed - part[0], 0)]


def _product(one: Part, other: Part) -> float:
    begin = max(one[0], other[0])
    end = min(one[0] + one[1].size, other[0] + other[1].size)
    if begin >= end:
        return 0.0
    return float(
        one[1][begin - one[0] : end - one[0]] @ other[1][begin - other[0] : end - other[0]]
    )
