"""The largest median that any valid lower bound can have, beside the median of dpviz' default.

Run with dpviz installed::

    python -m benchmarks.limit            # what limit.json does not have: a minute for all
    python -m benchmarks.limit --medians  # measures dpviz again, after a change of its bound

**Statement.** Scores of n members are independent draws of Q, scores of m non-members of P. A pair
(q, p) of distributions is allowed by epsilon if ``e^-epsilon <= q / p <= e^epsilon`` for every
score. A 95 % method is valid if its bound exceeds epsilon with probability at most 5 % under every
pair that epsilon allows. Take any such pair, and the most powerful test of it against (Q, P) with
power one half. If the level of this test is above 5 %, the median of every valid method under
(Q, P) is at most epsilon.

**Proof.** "The bound exceeds epsilon" is a test of the pair with a level of at most 5 %. If epsilon
is below the median, the power of this test is at least one half. By Neyman and Pearson a test with
this power has at least the level of the likelihood ratio test, randomized at its critical value. ∎
Methods for half-lines of scores, or for a delta above 0, must hold for more pairs, so the limit is
theirs, too. It is also one of randomized methods.

**The pair.** The limit is small if the pair is close to (Q, P). Taken is the closest in relative
entropy, the reverse information projection: it minimizes ``n KL(Q | q) + m KL(P | p)``. Let u and v
be the multipliers of the conditions that p and q sum to 1, and ``c = q / p``. Each score then has
the terms ``-n Q log(c p) - m P log(p) + u p + v c p``. They are least in p at
``p = (n Q + m P) / (u + v c)``. What is left falls in c up to ``u n Q / (v m P)`` and rises from
there, so c is the allowed value next to it. The sum of ``u p + v q`` is n + m, and so is u + v: one
equation is left.

**The level.** Let S be the log likelihood ratio of (Q, P) to the pair, summed over all records, and
s its median under (Q, P). The test with power one half refutes the pair where S > s, so its level
is the mean of ``e^-S`` under (Q, P) where S > s, and a part of that where S = s. S is a sum of n
and of m independent terms: its distribution is a product of powers of Fourier transforms on a
lattice. Continuous scores are cut into cells. With twice as many cells and values of the lattice no
limit changes by 0.001; of tied scores, limits are within 0.001 of those of binomial tests.

Limits do not change with dpviz, so they stay in limit.json. Medians are of `RUNS` data sets, with
95 % limits from order statistics. The table in docs/appendix/limit.md is written from the
file. `benchmarks.peers` sets some of the limits beside other methods: that its records are members
by fair coins changes these by less than 0.002.
"""

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats
from scipy.fft import irfft, rfft
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import binom

from benchmarks.pages import APPENDIX, write_table
from dpviz.audit import AttackScores
from dpviz.audit.bounds.rank import (
    bound_from_statistic,
    exact_test_and_leaks,
    fewest_members_above_cuts,
)
from dpviz.checks import FloatArray

LEVEL, DELTA, RUNS = 0.05, 1e-5, 1000
CELLS = 800  # quantiles of each distribution
LATTICE = 2**16  # values of S
FILE, PAGE = Path(__file__).with_suffix(".json"), APPENDIX / "limit.md"
COLUMNS = ("law", "members", "nonmembers", "limit", "median", "low", "high")


class Mixture:
    """Shares of distributions of SciPy."""

    def __init__(self, *parts: tuple[float, Any]) -> None:
        self.shares, self.parts = np.array([share for share, _ in parts]), [x for _, x in parts]

    def quantiles(self) -> list[FloatArray]:
        """Of each part, dense at both ends."""
        at = expit(np.linspace(-25, 0, CELLS // 2))
        return [np.concatenate([part.ppf(at), part.isf(at)]) for part in self.parts]

    def of_cells(self, edges: FloatArray) -> FloatArray:
        """Probabilities between the edges, and beyond the outer ones."""
        at = np.concatenate([[-np.inf], edges, [np.inf]])
        below, above = (
            self.shares @ [getattr(part, tail)(at) for part in self.parts] for tail in ("cdf", "sf")
        )
        return np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))

    def sample(self, n: int, rng: np.random.Generator) -> FloatArray:
        """Independent draws."""
        numbers = rng.multinomial(n, self.shares)
        drawn = [x.rvs(k, random_state=rng) for x, k in zip(self.parts, numbers, strict=True)]
        return np.concatenate(drawn)


@dataclass(frozen=True)
class Law:
    """Distributions of the scores of members and of non-members."""

    member: Mixture
    nonmember: Mixture

    def cells(self) -> tuple[FloatArray, FloatArray]:
        """Probabilities of both on cells that are narrow for either."""
        quantiles = self.member.quantiles() + self.nonmember.quantiles()
        edges = np.unique(np.concatenate(quantiles))
        return self.member.of_cells(edges), self.nonmember.of_cells(edges)


def shifted(part: Any, by: float, share: float = 1.0) -> Law:
    """A share of the members moved up."""
    stay = [(1 - share, part())] if share < 1 else []
    return Law(Mixture(*stay, (share, part(by))), Mixture((1.0, part())))


LAWS = {
    "Laplace 1": shifted(stats.laplace, 1),
    **{f"Gaussian {mu:g}": shifted(stats.norm, mu) for mu in (0.5, 1, 2, 4)},
    "LiRA-like": Law(
        Mixture((0.8, stats.norm(0.1)), (0.15, stats.norm(1, 1.2)), (0.05, stats.norm(4, 1.5))),
        Mixture((1.0, stats.norm())),
    ),
    "5 % far out": shifted(stats.norm, 6, 0.05),
    "2 % far out": shifted(stats.norm, 6, 0.02),
    "logistic, moved by 1.5": shifted(stats.logistic, 1.5),
    "exponential, mean 3 instead of 1": Law(
        Mixture((1.0, stats.expon(scale=3))), Mixture((1.0, stats.expon()))
    ),
    "10 % moved by 4": shifted(stats.norm, 4, 0.1),
    "3 % far out": shifted(stats.norm, 6, 0.03),
    "Student t (3 degrees), moved by 1": shifted(lambda by=0.0: stats.t(3, by), 1),
}
Case = tuple[str, int, int]  # law, members, non-members
CASES: list[Case] = [
    ("Laplace 1", 500, 500),
    *((f"Gaussian {mu:g}", 500, 500) for mu in (0.5, 1, 2, 4)),
    ("Gaussian 2", 100, 100),
    ("Gaussian 1", 30, 1000),
    ("Gaussian 1", 2000, 2000),
    ("LiRA-like", 500, 500),
    ("5 % far out", 500, 500),
    ("2 % far out", 500, 500),
]
# Nothing of the default bound was chosen on these.
HELD_OUT: list[Case] = [
    ("logistic, moved by 1.5", 500, 500),
    ("exponential, mean 3 instead of 1", 500, 500),
    ("10 % moved by 4", 500, 500),
    ("3 % far out", 1000, 1000),
    ("Student t (3 degrees), moved by 1", 500, 500),
    ("LiRA-like", 250, 250),
]


def closest_pair(
    member: FloatArray, nonmember: FloatArray, n: int, m: int, epsilon: float
) -> tuple[FloatArray, FloatArray]:
    """Probabilities of members and non-members that epsilon allows, least in relative entropy."""
    q_part, p_part, records = n * member, m * nonmember, n + m

    def pair(u: float) -> tuple[FloatArray, FloatArray]:
        v = records - u
        with np.errstate(divide="ignore"):
            ratio = np.clip(u * q_part / (v * p_part), np.exp(-epsilon), np.exp(epsilon))
        p = (q_part + p_part) / (u + v * ratio)
        return ratio * p, p

    def difference(u: float) -> float:
        q, p = pair(u)
        return float(np.sum(q) - np.sum(p))

    tiny = 1e-9 * records
    return pair(brentq(difference, tiny, records - tiny, xtol=1e-13 * records))


def level_at_half_power(
    member: FloatArray, nonmember: FloatArray, n: int, m: int, epsilon: float
) -> float:
    """Of the likelihood ratio test of the closest pair that epsilon allows."""
    classes = []
    pair = closest_pair(member, nonmember, n, m, epsilon)
    for true, allowed, size in zip((member, nonmember), pair, (n, m), strict=True):
        true, allowed = true[true > 0], allowed[true > 0]
        ratio = np.log(true / allowed)
        mean = true @ ratio
        classes.append((true, ratio - mean, mean, true @ (ratio - mean) ** 2, size))
    mean, variance = (sum(each[i] * each[4] for each in classes) for i in (2, 3))
    if variance < 1e-18:  # the pair is (P, Q) itself
        return 0.5
    step = 24 * np.sqrt(variance) / LATTICE
    transform = 1.0
    for true, ratio, _, _, size in classes:
        # Between two values of the lattice, so that means stay.
        place = np.clip(ratio / step, 1 - LATTICE // 2, LATTICE // 2 - 2)
        below = np.floor(place).astype(int)
        density = sum(
            np.bincount((below + i) % LATTICE, true * share, LATTICE)
            for i, share in ((0, below + 1 - place), (1, place - below))
        )
        transform = transform * rfft(density) ** size
    falling = np.roll(irfft(transform, LATTICE), LATTICE // 2)[::-1]
    s = mean + step * (LATTICE // 2 - 1 - np.arange(LATTICE))
    power = np.cumsum(falling)
    critical = int(np.argmax(power >= 0.5))
    weights = falling[: critical + 1]
    weights[-1] -= power[critical] - 0.5
    return float(weights @ np.exp(-s[: critical + 1]))


def limit(member: FloatArray, nonmember: FloatArray, n: int, m: int) -> float:
    """The epsilon at which the level is `LEVEL`, from probabilities of each score."""

    def excess(epsilon: float) -> float:
        return level_at_half_power(member, nonmember, n, m, epsilon) - LEVEL

    if excess(0.0) >= 0:
        return 0.0
    largest = 0.25
    while excess(largest) < 0:
        largest *= 1.5
    return float(brentq(excess, 0.0, largest, xtol=1e-5))


def median(case: Case) -> list[float]:
    """Of dpviz' default bound, with 95 % limits: the bound does not fall with the statistic."""
    name, n, m = case
    law, statistics = LAWS[name], []
    test, leaks = exact_test_and_leaks(n, m, delta=DELTA, level=LEVEL)
    for run in range(RUNS):
        rng = np.random.default_rng([run, n, m, list(LAWS).index(name)])
        member, nonmember = law.member.sample(n, rng), law.nonmember.sample(m, rng)
        scores = AttackScores(member=member, nonmember=nonmember)
        members = fewest_members_above_cuts(scores, test.guesses.cuts)
        statistics.append(float(np.max(test.refuted_epsilons(members))))
    statistics.sort()
    rank = int(binom.ppf(0.025, RUNS, 0.5))
    middle, low, high = (
        float(np.mean([bound_from_statistic(test, statistics[i], leaks) for i in places]))
        for places in (((RUNS - 1) // 2, RUNS // 2), (rank - 1,), (RUNS - rank,))
    )
    return [round(bound, 4) for bound in (middle, low, high)]


def load() -> dict[Case, list[float]]:
    """Limit, median and its limits of each case."""
    rows = json.loads(FILE.read_text("utf-8"))["rows"] if FILE.exists() else []
    return {tuple(row[:3]): row[3:] for row in rows}


def rounded_up(number: float) -> str:
    """With two decimals."""
    return f"{ceil(100 * number) / 100:.2f}"


def table(rows: dict[Case, list[float]]) -> list[str]:
    """A line for each case; limits are rounded up."""
    lines = [
        "| scores | members + others | dpviz, median | no valid method more than | ratio |",
        "|---|---|---|---|---|",
    ]
    for title, cases in (("", CASES), ("*held out:*", HELD_OUT)):
        lines += [f"| {title} | | | | |"] if title else []
        for law, n, m in cases:
            most, middle, low, high = rows[law, n, m]
            found = f"{middle:.2f} ({low:.2f} to {high:.2f})"
            lines.append(
                f"| {law} | {n} + {m} | {found} | {rounded_up(most)} | {middle / most:.2f} |"
            )
    return lines


def main() -> None:
    """Fill the file and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--medians", action="store_true", help="measure all medians again")
    again, known = arguments.parse_args().medians, load()
    cases = CASES + HELD_OUT
    limits = [
        known[case][0] if case in known else limit(*LAWS[case[0]].cells(), *case[1:])
        for case in cases
    ]
    missing = [case for case in cases if again or case not in known]
    with ProcessPoolExecutor() as pool:
        medians = dict(zip(missing, pool.map(median, missing), strict=True))
    rows = {
        case: [round(most, 4), *(medians.get(case) or known[case][1:])]
        for case, most in zip(cases, limits, strict=True)
    }
    lines = ",\n".join(json.dumps([*case, *numbers]) for case, numbers in rows.items())
    FILE.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "rows": [\n{lines}\n]}}\n', "utf-8")
    write_table(PAGE, "limit", table(rows))


if __name__ == "__main__":
    main()
