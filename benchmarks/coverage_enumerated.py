"""The exact probability that statements about up to 14 records are false, by enumeration.

Run with dpviz installed::

    python -m benchmarks.coverage_enumerated     # some minutes

All orders of the records are listed with their probabilities under leaky randomized response (step
4 of the proof in `dpviz.audit.bounds.rank`), the least favourable of all distributions: no other
one has a larger probability. For each statement, class sizes, delta and confidence level the row
with the largest probability over some epsilons is kept in `coverage_enumerated.json`. Statements
for fair coins are asked about 14 records of which any number are members.
"""

import argparse
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import combinations, product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import comb as combs
from scipy.stats import binom

from benchmarks.methods import OTHERS, methods
from benchmarks.statements.bounds import (
    best_accuracy,
    best_advantage,
    precision,
    statistics_of,
    tpr,
)
from benchmarks.statements.settings import LEVELS, Setting
from benchmarks.statements.table import load, save
from dpviz import audit, theory
from dpviz.audit import AttackScores
from dpviz.audit.bounds.certified_profile import profile_rank_test
from dpviz.audit.bounds.rank import DefaultRankTest, guess_sets
from dpviz.audit.bounds.result import BoundRequest
from dpviz.audit.evidence.plan import rank_statistics

FILE = Path(__file__).with_suffix(".json")
COLUMNS = ("statement", "n", "m", "delta", "confidence", "epsilon", "chance")
TOTAL = 14
SIZES = ((7, 7), (4, 10), (11, 3), (1, 13))
DELTAS = (0.0, 1e-5, 0.01, 0.1)
EPSILONS = (0.0, 0.3, 1.0, 2.0)
FPR, DEPTH = 0.2, 3
BY_ALL_RANKS = ("local_levels",)
FAIR = ("one_run", "three_paths")  # methods for records that were included by fair coins
# Of class sizes, delta and confidence: for each order the certified epsilon, or that of each delta.
Lows = Callable[[int, int, float, float], np.ndarray]
Number = Callable[[AttackScores], float]
Row = list[Any]


@cache
def orders(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels from the last record to the first one, and members among the first k for all k."""
    labels = np.zeros((comb(n + m, n), n + m), int)
    for row, places in enumerate(combinations(range(n + m), n)):
        labels[row, list(places)] = 1
    members = np.concatenate([np.zeros((len(labels), 1), int), np.cumsum(labels, axis=1)], axis=1)
    return labels[:, ::-1], members


@cache
def chances(n: int, m: int, epsilon: float, delta: float) -> np.ndarray:
    """Of all orders. Given the sizes of the four classes, those within a class are equally likely.

    Sums over the members and non-members that leak, and over where the upper class ends.
    """
    _, members = orders(n, m)
    q, found = 1 / (1 + np.exp(-epsilon)), np.zeros(len(members))
    for top, bottom in product(range(n + 1), range(m + 1)):
        leak = binom.pmf(top, n, delta) * binom.pmf(bottom, m, delta)
        if leak == 0:
            continue
        end, free, others = n + m - bottom, n - top, m - bottom
        fits = (members[:, top] == top) & (members[:, end] == n)
        for border in range(top, end + 1):
            a = members[:, border] - top
            told = binom.pmf(a, free, q) * binom.pmf(border - top - a, others, 1 - q)
            ways = combs(border - top, a) * combs(end - border, free - a)
            found += leak * np.where(fits & (ways > 0), told / np.maximum(ways, 1), 0)
    return found


def scores_of(labels: np.ndarray) -> AttackScores:
    """Records in this order, without ties."""
    places = np.arange(labels.size)
    return AttackScores(member=places[labels == 1], nonmember=places[labels == 0])


def low_of(name: str, labels: np.ndarray, delta: float, level: float) -> float:
    """The bound of a method from records in this order."""
    request = BoundRequest(delta=delta, confidence_level=level)
    return methods()[name].rule(scores_of(labels), request).low


def method(name: str) -> Lows:
    """Of a method, for each order."""

    def lows(n: int, m: int, delta: float, level: float) -> np.ndarray:
        return np.array([[low_of(name, row, delta, level)] for row in orders(n, m)[0]])

    return lows


def by_cuts(name: str) -> Lows:
    """Of a method that depends on the members among the first records at some cuts."""

    def lows(n: int, m: int, delta: float, level: float) -> np.ndarray:
        (labels, members), cuts = orders(n, m), guess_sets(n, m, delta=0.0, level=0.5).cuts
        _, first, place = np.unique(
            members[:, cuts], axis=0, return_index=True, return_inverse=True
        )
        found = [low_of(name, labels[i], delta, level) for i in first]
        return np.array(found)[place][:, None]

    return lows


def by_statistic(n: int, m: int, delta: float, level: float) -> np.ndarray:
    """Of `lower_bound` with exact p-values, which depends on the statistic."""
    given = {"delta": delta, "confidence_level": level, "method": "rank_exact"}
    (labels, members), test = orders(n, m), DefaultRankTest(n, m, delta=delta, level=1 - level)
    of_orders = rank_statistics(test, test.guesses.count_right(members.T[test.guesses.cuts]))
    _, first, place = np.unique(of_orders, return_index=True, return_inverse=True)
    found = [audit.lower_bound(scores_of(labels[i]), **given).low for i in first]
    return np.array(found)[place][:, None]


def by_number(number: Number, certified: Callable[..., object]) -> Lows:
    """Where it depends on a number of the scores: `certified` by value, scores, delta and level."""

    @cache
    def values_of(n: int, m: int) -> np.ndarray:
        return np.array([round(number(scores_of(row)), 12) for row in orders(n, m)[0]])

    def lows(n: int, m: int, delta: float, level: float) -> np.ndarray:
        values, first, place = np.unique(values_of(n, m), return_index=True, return_inverse=True)
        some = [scores_of(orders(n, m)[0][i]) for i in first]
        found = [certified(*each, delta, level) for each in zip(values, some, strict=True)]
        return np.array(found).reshape(values.size, -1)[place]

    return lows


def published(name: str, number: Number, **others: object) -> Lows:
    """By `certify`."""

    def low(value: float, scores: AttackScores, delta: float, level: float) -> float:
        sizes = {"n_members": scores.n_members, "n_nonmembers": scores.n_nonmembers}
        given = {"delta": delta, "confidence_level": level, "ties": "none"}
        return audit.certify(**{name: float(value)}, **others, **sizes, **given).low

    return by_number(number, low)


def profile(n: int, m: int, delta: float, level: float) -> np.ndarray:
    """By `certified_profile`, at all deltas from this one on: it is about all of them."""

    def epsilons(_: float, scores: AttackScores, delta: float, level: float) -> np.ndarray:
        some = deltas_from(delta)
        return audit.certified_profile(scores, deltas=some, confidence_level=level).epsilons

    test = profile_rank_test(n, m, 1 - level)
    numbers = statistics_of(test, Setting(n=n, m=m))
    return by_number(lambda scores: float(numbers(iter([scores]))[0]), epsilons)(n, m, delta, level)


def deltas_from(delta: float) -> list[float]:
    """Where the truth is finite."""
    return [each for each in DELTAS if each >= delta]


def title(name: str) -> str:
    """Name of the statement of a method."""
    return f"other method, {name}" if name in OTHERS else f"lower_bound, {name}"


def statements() -> dict[str, tuple[Lows, tuple[tuple[int, int], ...]]]:
    """By name: certified epsilons, and class sizes; those for fair coins have all of one total."""
    every = tuple((n, TOTAL - n) for n in range(1, TOTAL))
    numbers = {
        "advantage": published("advantage", best_advantage),
        "accuracy": published("accuracy", best_accuracy),
        "tpr": published("tpr", partial(tpr, fpr=FPR), fpr=FPR),
        "precision": published("precision", partial(precision, k=DEPTH), k=DEPTH),
    }
    return {
        **{f"certify, {name}": (lows, SIZES) for name, lows in numbers.items()},
        "lower_bound, rank_exact": (by_statistic, SIZES),
        **{title(name): (by_cuts(name), every) for name in FAIR},
        **{title(name): (method(name), SIZES) for name in BY_ALL_RANKS},
        "certify, auc": (published("auc", audit.auc), SIZES),
        "certified_profile": (profile, SIZES),
    }


def false_chance(lows: np.ndarray, n: int, m: int, epsilon: float, delta: float) -> float:
    """That the bound of an order, or one of several at different deltas, exceeds the truth."""
    claim = theory.ApproximateDP(epsilon=epsilon, delta=delta)
    deltas = deltas_from(delta) if lows.shape[1] > 1 else [delta]
    truths = np.array([claim.epsilon(each) for each in deltas])
    false = np.any(lows > truths * (1 + 1e-9), axis=1)
    return float(chances(n, m, epsilon, delta)[false].sum())


def rows_of(
    name: str, lows: Lows, sizes: tuple[tuple[int, int], ...], delta: float, level: float
) -> Iterator[Row]:
    """The epsilon with the largest chance: for each size, or for all if membership is random."""
    found = {}
    for n, m in sizes:
        each = lows(n, m, delta, level)
        found[n, m] = np.array([false_chance(each, n, m, epsilon, delta) for epsilon in EPSILONS])
    if sizes != SIZES:
        weights = {(n, m): comb(n + m, n) / 2 ** (n + m) for n, m in sizes}
        found = {(TOTAL // 2, TOTAL // 2): sum(weights[key] * found[key] for key in sizes)}
    for (n, m), of_epsilons in found.items():
        worst = int(np.argmax(of_epsilons))
        yield [name, n, m, delta, level, EPSILONS[worst], float(f"{of_epsilons[worst]:.6g}")]


def main() -> None:
    """Fill the file, statement by statement."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--minutes", type=float, default=1e9)
    given = arguments.parse_args()
    end = time.monotonic() + 60 * given.minutes
    rows = load(FILE)
    known = {(row[0], row[3], row[4]) for row in rows}
    for (name, (lows, sizes)), delta, level in product(statements().items(), DELTAS, LEVELS):
        if (name, delta, level) in known or time.monotonic() > end:
            continue
        begin = time.process_time()
        found = list(rows_of(name, lows, sizes, delta, level))
        rows += found
        save(FILE, rows, COLUMNS)
        worst = max(row[-1] for row in found) / (1 - level)
        print(
            name, delta, level, f"{worst:.3f}", f"{time.process_time() - begin:.1f} s", flush=True
        )


if __name__ == "__main__":
    main()
