"""The rank bound with dense cut-offs, `benchmarks.rank_dense`, beside the default on the same data.

Run with dpviz installed::

    python -m benchmarks.stronger_rank              # medians of 301 runs a law: ten minutes
    python -m benchmarks.stronger_rank --enumerate  # exact p-values beside all rankings, a minute

Its shares were chosen on runs with other seeds. Laws are those of `benchmarks.coverage`, and some
whose leaks are rare, at one end, or tied.
"""

import sys
import time
from itertools import product

import numpy as np
from scipy.stats import binom

from benchmarks import coverage, rank_dense
from benchmarks.rank_dense import LATTICE, DenseTest
from dpviz import read_sample
from dpviz.audit import AttackScores
from dpviz.audit.bounds.exact_rank import LEAK_VALUES, PValue, bound_of
from dpviz.audit.bounds.leaky_law import leak_pairs
from dpviz.audit.bounds.method import Request
from dpviz.audit.bounds.power import refuted
from dpviz.audit.bounds.rank import rank_bound
from dpviz.audit.bounds.rank_guesses import Guesses, members_in_first

RUNS, LEVEL, SEED = 301, 0.05, 23
SHARES = rank_dense.shares
SAMPLES = ("overfitted", "regularised", "gamma", "null")


def outlying(share: float, by: float) -> coverage.Sampler:
    """A share of the members moved far up."""
    return lambda rng, n, is_member, _: (
        rng.normal(0, 1, n) + by * is_member * (rng.random(n) < share)
    )


LAWS: dict[str, coverage.Sampler] = {
    **{law: draw for law, (draw, _) in coverage.LAWS.items()},
    "laplace 0.2": coverage.shifted("laplace", 0.2),
    "gaussian 4": coverage.shifted("normal", 4.0),
    "5 % leak": outlying(0.05, 6),
    "1 % leak": outlying(0.01, 6),
    "LiRA-like (2 % far out)": outlying(0.02, 6),
    "LiRA-like (2 % four out)": outlying(0.02, 4),
    "5 % of non-members leak": lambda rng, n, is_member, delta: (
        -outlying(0.05, 6)(rng, n, not is_member, delta)
    ),
    "30 % randomized response 2": lambda rng, n, is_member, delta: np.where(
        rng.random(n) < 0.3, coverage.responses(2.0)(rng, n, is_member, delta), 0.5
    ),
}
CELLS = [(law, 500, 500, 0.0) for law in LAWS] + [
    *((law, 1000, 1000, 0.0) for law in ("laplace 1", "gaussian 1", "gaussian 2", "1 % leak")),
    ("gaussian 1", 1000, 1000, 1e-5),
    ("gaussian 1", 30, 1000, 0.0),
    ("gaussian 1", 5000, 5000, 0.0),
]


def table() -> None:
    """Medians of both on the same data."""
    for key in SAMPLES:
        scores = read_sample(key)
        compare(key, [scores], scores.n_members, scores.n_nonmembers, 1e-5)
    for law, n, m, delta in CELLS:
        drawn = []
        for run in range(RUNS):
            rng = np.random.default_rng([SEED, run, n, m, list(LAWS).index(law)])
            member, nonmember = (
                LAWS[law](rng, size, is_member, delta)
                for size, is_member in ((n, True), (m, False))
            )
            drawn.append(AttackScores(member=member, nonmember=nonmember))
        compare(law, drawn, n, m, delta)


def compare(law: str, drawn: list[AttackScores], n: int, m: int, delta: float) -> None:
    """One row."""
    test = DenseTest(n, m, delta=delta, level=LEVEL)
    old, right = [], []
    for run, scores in enumerate(drawn):
        request = Request(delta=delta, confidence_level=1 - LEVEL, seed=run)
        old.append(rank_bound(scores, request).low)
        ranked = members_in_first(scores, test.guesses.cuts, np.random.default_rng(run))
        right.append(test.guesses.right(ranked[:, 0]))
    found = np.sort(refuted(test, np.array(right).T))
    begin = time.process_time()
    leaks = leak_pairs(n, m, delta, LEVEL, LEAK_VALUES)
    # The bound does not fall with the statistic: its median is that of the median statistic.
    new = bound_of(test, float(found[(found.size - 1) // 2]), leaks)
    seconds, before = time.process_time() - begin, float(np.median(old))
    ratio = f"{new / before:.3f}" if before else "-"
    print(f"{law:26s} {n}+{m} {delta:g} {before:.3f} {new:.3f} {ratio} {seconds:.2f}s", flush=True)


def by_definition(members: np.ndarray, n: int, m: int, level: float) -> float:
    """The statistic in other words: the largest epsilon such that a guess passes it and all before.

    At delta = 0.
    """
    total, largest = n + m, -np.inf

    def chance(epsilon: float, share: float) -> float:
        return share * np.exp(epsilon) / (share * np.exp(epsilon) + 1 - share)

    cut = total // 2
    while cut >= 4:
        top, bottom = members[cut], cut - (n - members[total - cut])
        for right, guessed, part in ((top + bottom, 2 * cut, 0.5), (top, cut, 1), (bottom, cut, 0)):
            for epsilon in LATTICE:
                p = part * chance(epsilon, n / total) + (1 - part) * chance(epsilon, m / total)
                power = 1 / (1 + 2 * min(n, m) / total * epsilon)
                share = {0.5: 0.5 * (guessed / total) ** power, 1: 0.1, 0: 0.035}[part]
                if right == 0 or binom.sf(right - 1, guessed, p) > level * share * (1 + 1e-9):
                    break
                largest = max(largest, epsilon)
        cut = int(cut / 1.08)
    return largest


def rising_and_falling(tried: Guesses, epsilon: float) -> np.ndarray:
    """Shares that change faster with epsilon than tails do: the proof allows any."""
    return SHARES(tried, epsilon) * np.exp(2 * np.sin(9 * epsilon) - 2)


def enumerate_all() -> None:
    """p-values beside sums over all rankings."""
    from tests.audit.bounds.test_exact_rank import orders_with_chances

    members, _ = orders_with_chances(6, 6, 0.0, 0.0)
    test = DenseTest(6, 6, delta=0.0, level=0.4)
    for row in members[::9]:
        expected = by_definition(row, 6, 6, 0.4)
        assert np.max(test.refuted(row[test.guesses.cuts])) == expected, (row, expected)
    settings = list(
        product(((6, 6), (5, 7), (7, 5), (3, 9), (9, 3)), (0.0, 1e-5, 0.01, 0.1), (0.0, 0.4, 1.2))
    )
    for rank_dense.shares in (SHARES, rising_and_falling):
        rank_dense.needed_counts.cache_clear()
        total = below = 0
        worst = 0.0
        for ((n, m), delta, epsilon), level in product(settings, (0.05, 0.3)):
            members, chances = orders_with_chances(n, m, epsilon, delta)
            test = DenseTest(n, m, delta=delta, level=level)
            h = refuted(test, test.guesses.right(members.T[test.guesses.cuts]))
            refuting = np.zeros(h.size, bool)
            for value in np.unique(h[h > 0]).tolist():
                p = PValue(test, value, leak_pairs(n, m, delta, level, 20))(epsilon)
                exact = chances[h >= value].sum()
                total, below = total + 1, below + (p < exact - 1e-9)
                refuting |= (p <= level) & (h >= value)
            worst = max(worst, chances[refuting].sum() / level)
        print(
            f"{total} p-values, {below} below the exact one; largest size {worst:.4f} of the level"
        )


if __name__ == "__main__":
    enumerate_all() if "--enumerate" in sys.argv else table()
