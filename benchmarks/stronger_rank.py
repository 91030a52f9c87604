"""A stronger statistic for the rank bound, beside the default on the same data (no method yet).

Run with dpviz installed::

    python -m benchmarks.stronger_rank              # medians of 301 runs a law: ten minutes
    python -m benchmarks.stronger_rank --enumerate  # exact p-values beside all rankings, a minute

**The statistic.** Guesses as in `dpviz.audit.bounds.rank`, with denser cut-offs (`RATIO`) and exact
p-values. The guess i refutes epsilon if the binomial tail of its right guesses is at most
``level * share_i(epsilon)``; h is the largest epsilon that some guess refutes. With s the share of
all records that is guessed, and r twice the share of the smaller class::

    both ends    0.5 s^(1 / (1 + r epsilon))
    first ranks  0.1
    last ranks   0.035 (as much as the default gives)

A weak leak is everywhere, so near epsilon = 0 the level is spent at large cut-offs; where epsilon
is large the evidence is an almost clean run of right guesses, at any cut-off. First ranks are where
models leak much about few records.

**Why the theorem holds.** It asks of h only that it is a function of the ranking that does not
fall when a member moves up, and that it does not know the epsilon that is tested. Each guess has a
g_i(count) = the largest epsilon it refutes, which does not fall with the count, and h is their
maximum. The event that h is at least h0 is that some count reaches `needed` (h0), if `needed` never
falls with epsilon: the tail has to grow faster than the share. Both logarithms' derivatives:
the tail's is at least the excess of right guesses over their mean, the share's is at most
``r log(1/s) / (1 + r epsilon)^2``; `monotone` looks at all sizes. Without the factor r it fails
for unequal classes.
"""

import sys
import time
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from dpviz import read_sample
from dpviz.audit import AttackScores
from dpviz.audit.bounds.exact_rank import PValue
from dpviz.audit.bounds.leaky_law import leak_pairs
from dpviz.audit.bounds.method import Request
from dpviz.audit.bounds.rank import RankTest, rank_bound
from dpviz.audit.bounds.rank_guesses import Guesses, guesses, members_in_first
from dpviz.checks import FloatArray

RATIO, RUNS, LEVEL, LARGEST = 1.08, 301, 0.05, 16.0


def shares(tried: Guesses, epsilon: FloatArray | float) -> FloatArray:
    """Of the level, what each guess may spend."""
    n, m = tried.n_members, tried.n_nonmembers
    s = 2 * np.maximum(tried.top, tried.bottom) / (n + m)
    both = 0.5 * s ** (1 / (1 + 2 * min(n, m) / (n + m) * epsilon))
    one = np.where(tried.top > 0, 0.1, 0.035)
    return np.where((tried.top > 0) & (tried.bottom > 0), both, one)


def cut_offs(n: int, m: int, *, delta: float, level: float) -> tuple[Guesses, FloatArray]:
    """The guesses; levels follow from epsilon."""
    tried = guesses(n, m, delta=delta, level=level / 10, ratio=RATIO)
    return tried, level * shares(tried, 0.0)


def statistics(test: RankTest, right: np.ndarray) -> FloatArray:
    """H of each column, 0 where nothing is refuted; each distinct count once, by bisection."""
    at, values, places = [], [], []
    for i, counts in enumerate(right):
        value, place = np.unique(counts, return_inverse=True)
        at.append(np.full(value.size, i))
        values.append(value)
        places.append(place)
    i, counts, tried = np.concatenate(at), np.concatenate(values), test.guesses
    alike = replace(tried, top=tried.top[i], bottom=tried.bottom[i], leaks=tried.leaks[i])
    low, high = np.zeros(i.size), np.full(i.size, LARGEST)
    for _ in range(40):
        middle = (low + high) / 2
        refuted = alike.refuted(counts, test.level * shares(alike, middle)) >= middle
        low, high = np.where(refuted, middle, low), np.where(refuted, high, middle)
    found, begin = np.zeros(right.shape[1]), 0
    for value, place in zip(values, places, strict=True):
        found = np.maximum(found, low[begin : begin + value.size][place])
        begin += value.size
    return np.where(found > 1e-9, found, 0.0)


def bound_of(test: RankTest, h: float, delta: float) -> float:
    """The epsilon whose p-value is the level; 0 where that of 0 is above."""
    if h <= 0:
        return 0.0
    h *= 1 - 1e-7
    test.levels = test.level * shares(test.guesses, h)
    n, m = test.guesses.n_members, test.guesses.n_nonmembers
    p_value = PValue(test, h, leak_pairs(n, m, delta, test.level, 3))
    low, high = 0.0, h
    if p_value(0.0) > test.level:
        return 0.0
    while p_value(high) <= test.level:
        low, high = high, high + 0.2
    while high - low > 5e-4:
        middle = (low + high) / 2
        if ndtri(p_value(middle)) <= ndtri(test.level):
            low = middle
        else:
            high = middle
    return low


def outlying(share: float, by: float):
    """A share of the members moved far up."""
    return lambda rng, n, is_member: rng.normal(0, 1, n) + by * is_member * (rng.random(n) < share)


def shifted(draw: str, by: float):
    """Members moved up."""
    return lambda rng, n, is_member: getattr(rng, draw)(by * is_member, 1.0, n)


def geometric(rng, n, is_member):
    """Discrete Laplace scores."""
    p = 1 - np.exp(-0.5)
    return rng.geometric(p, n) - rng.geometric(p, n) + 1.0 * is_member


LAWS = {
    **{f"laplace {e:g}": shifted("laplace", e) for e in (0.2, 0.5, 1, 2)},
    **{f"gaussian {mu:g}": shifted("normal", mu) for mu in (0.5, 1, 2, 4)},
    "randomized response 1": lambda rng, n, is_member: (
        1.0 * (rng.random(n) < 1 / (1 + np.exp(-1.0 if is_member else 1.0)))
    ),
    "discrete laplace 0.5": geometric,
    "5 % leak": outlying(0.05, 6),
    "1 % leak": outlying(0.01, 6),
    "LiRA-like (2 % far out)": outlying(0.02, 6),
    "LiRA-like (2 % four out)": outlying(0.02, 4),
    "5 % of non-members leak": lambda rng, n, is_member: -outlying(0.05, 6)(rng, n, not is_member),
}
CELLS = [(law, 500, 500, 0.0) for law in LAWS] + [
    (law, 1000, 1000, 0.0) for law in ("laplace 1", "gaussian 1", "gaussian 2", "1 % leak")
]


def table() -> None:
    """Medians of both on the same data."""
    for key in ("overfitted", "regularised", "gamma", "null"):
        scores = read_sample(key)
        compare(key, [scores], scores.n_members, scores.n_nonmembers, 1e-5)
    for law, n, m, delta in CELLS:
        drawn = []
        for run in range(RUNS):
            rng = np.random.default_rng([run, n, m, list(LAWS).index(law)])
            drawn.append(
                AttackScores(member=LAWS[law](rng, n, True), nonmember=LAWS[law](rng, m, False))
            )
        compare(law, drawn, n, m, delta)


def compare(law: str, drawn: list[AttackScores], n: int, m: int, delta: float) -> None:
    """One row."""
    test = RankTest(n, m, delta=delta, level=LEVEL, statistic=cut_offs)
    old, right = [], []
    for run, scores in enumerate(drawn):
        request = Request(delta=delta, confidence_level=1 - LEVEL, seed=run)
        old.append(rank_bound(scores, request).low)
        ranked = members_in_first(scores, test.guesses.cuts, np.random.default_rng(run))
        right.append(test.guesses.right(ranked[:, 0]))
    found = np.sort(statistics(test, np.array(right).T))
    begin = time.process_time()
    before, new = float(np.median(old)), bound_of(test, float(found[(found.size - 1) // 2]), delta)
    ratio = f"{new / before:.3f}" if before else "-"
    seconds = time.process_time() - begin
    print(f"{law:26s} {n}+{m} {delta:g} {before:.3f} {new:.3f} {ratio} {seconds:.2f}s", flush=True)


def enumerate_all() -> None:
    """p-values beside sums over all rankings, and whether `needed` ever falls."""
    from tests.audit.bounds.test_exact_rank import orders_with_chances

    total = below = 0
    worst = 0.0
    for n, m in ((7, 7), (5, 9), (9, 5), (3, 11), (11, 3)):
        for delta in (0.0, 1e-5, 0.01, 0.1):
            for epsilon in (0.0, 0.4, 1.2):
                for level in (0.05, 0.2):
                    members, chances = orders_with_chances(n, m, epsilon, delta)
                    test = RankTest(n, m, delta=delta, level=level, statistic=cut_offs)
                    h = statistics(test, test.guesses.right(members.T[test.guesses.cuts]))
                    for value in np.unique(h[h > 0]):
                        test.levels = level * shares(test.guesses, value * (1 - 1e-9))
                        leaks = leak_pairs(n, m, delta, level, 20)
                        p = PValue(test, value * (1 - 1e-9), leaks)(epsilon)
                        exact = chances[h >= value - 1e-7].sum()
                        total, below = total + 1, below + (p < exact - 1e-9)
                        if p <= level:
                            worst = max(worst, exact / level)
    print(f"{total} p-values, {below} below the exact one; largest size {worst:.4f} of the level")
    for n, m in ((50, 50), (500, 500), (10, 1000), (1000, 10), (30, 1000), (10**6, 10**4)):
        print(n, m, "needed counts that fall:", monotone(n, m))


def monotone(n: int, m: int) -> int:
    """Times that a needed count falls with epsilon, at some levels."""
    falls, grid = 0, np.concatenate([np.linspace(1e-4, 2, 80), np.linspace(2.05, 14, 60)])
    for level in (0.2, 0.05, 1e-6):
        tried = cut_offs(n, m, delta=0.0, level=level)[0]
        needed = np.array([tried.needed(e, level * shares(tried, e)) for e in grid])
        falls += int((np.diff(needed, axis=0) < 0).sum())
    return falls


if __name__ == "__main__":
    enumerate_all() if "--enumerate" in sys.argv else table()
