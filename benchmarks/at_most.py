"""How often limits from above fail, what useless attacks show, and whether bounds cross.

Run with dpviz installed::

    python -m benchmarks.at_most            # a quarter of an hour
    python -m benchmarks.at_most --quick    # fewer runs, nothing is written

- *enumerated*: for all class sizes of at most 14 records together, every set of outcomes that a
  limit stands for has its largest probability at that limit, by SciPy's binomials on a grid of
  rates; and every sample of three scores its probability under seven distributions.
- *simulated*: distributions and class sizes, records drawn one by one.
- *shown*: the exact chance that a useless attack shows an advantage of at most 5 %.
- *crossed*: bounds from below and limits from above of the same samples.

The results are kept in `at_most.json`. A limit depends on a sample by the largest T alone and rises
with it (`dpviz.audit.upper_limits.limits`): so the share of limits below the true number is found
with a few limits.
"""

import argparse
import json
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import binom, multinomial

from dpviz import audit
from dpviz.audit import AttackScores
from dpviz.audit.upper_limits import inversion, limits
from dpviz.audit.upper_limits.area import upper_area
from dpviz.audit.upper_limits.orders import DifferenceOrder, Order, RateOrder, SlopeOrder
from dpviz.audit.upper_limits.quantity import Quantity, power_at_most
from dpviz.audit.upper_limits.thresholds import ReachedCounts, reached_counts

FILE = Path(__file__).with_suffix(".json")
LEVEL = 0.05
TOTAL = 14
SIZES = ((20, 20), (60, 60), (500, 500), (10_000, 10_000), (20, 1000), (1000, 20), (300, 900))
RUNS, RUNS_OF_MANY, MANY = 2000, 300, 5000
FPR, EPSILON, DELTA, PRIOR = 0.05, 1.0, 0.2, 0.2
SHOWN = (800, 1000, 1200, 1300, 1400, 1500, 1750, 2000, 2250, 2500)
CROSSED, EVERY = 10_000, 9  # samples, and of these every one with a bound on epsilon
PARTS = ("shown", "enumerated", "crossed", "simulated")
RIGHT = float(np.e / (1 + np.e))  # of randomized response at epsilon 1
Draw = Callable[[np.random.Generator, int], np.ndarray]


class Law(NamedTuple):
    """Two distributions of scores, and the true rates at all thresholds or on a fine grid."""

    member: Draw
    nonmember: Draw
    tpr: np.ndarray
    fpr: np.ndarray


def discrete(member: list[float], nonmember: list[float]) -> Law:
    """Few scores, from the highest one, with these probabilities."""

    def draw(chances: list[float]) -> Draw:
        return lambda rng, size: -1.0 * rng.choice(len(chances), p=chances, size=size)

    tpr, fpr = (np.concatenate([[0.0], np.cumsum(each)]) for each in (member, nonmember))
    return Law(draw(member), draw(nonmember), tpr, fpr)


def normal(shift: float) -> Law:
    """Normal scores of standard deviation 1."""
    t = np.linspace(-9, 9 + shift, 200_001)[::-1]
    member: Draw = lambda rng, size: rng.normal(shift, 1, size)  # noqa: E731
    return Law(member, lambda rng, size: rng.normal(0, 1, size), ndtr(shift - t), ndtr(-t))


def mixed(share: float) -> Law:
    """A share of the members above all non-members, the others like these."""
    t = np.linspace(0, 1, 100_001)

    def member(rng: np.random.Generator, size: int) -> np.ndarray:
        return np.where(rng.random(size) < share, 10.0, 0.0) + rng.random(size)

    tpr, fpr = np.append(0.0, share + (1 - share) * t), np.append(0.0, t)
    return Law(member, lambda rng, size: rng.random(size), tpr, fpr)


LAWS = {
    "useless": normal(0.0),
    "normal, shift 1": normal(1.0),
    "reversed, shift -1": normal(-1.0),
    "randomized response, epsilon 1": discrete([RIGHT, 1 - RIGHT], [1 - RIGHT, RIGHT]),
    "a leak of 5 %, smooth": mixed(0.05),
    "ties: five scores": discrete([0.1, 0.25, 0.3, 0.25, 0.1], [0.05, 0.15, 0.3, 0.3, 0.2]),
    "an atom at either end": discrete([0.05, 0.9, 0.05], [0.02, 0.9, 0.08]),
    "few false positives": discrete([0.3, 0.7], [0.001, 0.999]),
}
THREE = {  # leaks so large that limits of few records can be below them
    "useless": ([0.3, 0.4, 0.3], [0.3, 0.4, 0.3]),
    "at both ends": ([0.9, 0.05, 0.05], [0.05, 0.05, 0.9]),
    "a leak": ([0.7, 0.2, 0.1], [0.1, 0.2, 0.7]),
    "at one end": ([0.8, 0.1, 0.1], [0.0, 0.5, 0.5]),
    "few flagged": ([0.1, 0.1, 0.8], [0.0, 0.0, 1.0]),
    "reversed": ([0.2, 0.2, 0.6], [0.6, 0.2, 0.2]),
    "perfect": ([0.5, 0.5, 0.0], [0.0, 0.0, 1.0]),
}


def limit_of(order: Order, value: float) -> float:
    """The limit where the largest T is `value`."""
    outcomes = order.upto(value)
    if isinstance(order, RateOrder):
        return inversion.upper_rate(outcomes, order.fpr, level=LEVEL)
    given = {"measured": 0.0, "near": max(value, 0.0), "level": LEVEL}
    if isinstance(order, SlopeOrder):
        if value == np.inf:
            return np.inf
        return inversion.upper_slope(outcomes, order.delta, **given)
    return inversion.upper_difference(outcomes, order.slope, **given)


def largest(order: Order, counts: ReachedCounts) -> float:
    """The largest T of all thresholds."""
    return float(order.values(counts.x, counts.y).max())


def is_below(limit: Callable[[float], float], true: float, values: np.ndarray) -> np.ndarray:
    """For each sample, given by its largest T, whether the limit is below the true number."""
    distinct = np.unique(values)
    first = bisect_left(distinct.tolist(), True, key=lambda value: limit(value) >= true)
    return values < distinct[first] if first < distinct.size else np.ones(values.shape, bool)


def orders(n: int, m: int) -> dict[str, tuple[tuple[Order, bool], ...]]:
    """The orders that decide about each quantity, and whether classes are exchanged."""
    one = {"n_members": n, "n_nonmembers": m, "level": LEVEL}
    other = {"n_members": m, "n_nonmembers": n, "level": LEVEL}
    slope = float(np.exp(EPSILON))
    return {
        "advantage": ((DifferenceOrder(**one, slope=1.0), False),),
        "accuracy": ((DifferenceOrder(**one, slope=(1 - PRIOR) / PRIOR), False),),
        "profile": (
            (DifferenceOrder(**one, slope=slope), False),
            (DifferenceOrder(**other, slope=slope), True),
        ),
        "epsilon": (
            (SlopeOrder(**one, delta=DELTA), False),
            (SlopeOrder(**other, delta=DELTA), True),
        ),
        "tpr": ((RateOrder(**one, fpr=FPR), False),),
    }


def true_numbers(law: Law) -> dict[str, float]:
    """What the limits must not be below."""
    tpr, fpr = law.tpr, law.fpr
    slope = np.exp(EPSILON)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [
            np.log(np.maximum(a - DELTA, 0)) - np.log(b)
            for a, b in ((tpr, fpr), (1 - fpr, 1 - tpr))
        ]
    return {
        "advantage": float((tpr - fpr).max()),
        "accuracy": float((tpr - (1 - PRIOR) / PRIOR * fpr).max()),
        "profile": float(max((tpr - slope * fpr).max(), (1 - fpr - slope * (1 - tpr)).max())),
        "epsilon": max(0.0, *(float(np.nanmax(each)) for each in ratios)),
        "tpr": float(tpr[fpr <= FPR * (1 + 1e-12)].max()),
        "auc": float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1])) / 2),
    }


def simulated(runs: int, runs_of_many: int) -> Iterator[list[Any]]:
    """Rows: distribution, sizes, quantity, runs, share of limits below the true number, s.e."""
    for (name, law), (n, m) in product(LAWS.items(), SIZES):
        rng = np.random.default_rng([n, m, len(name)])
        size = runs if max(n, m) < MANY else runs_of_many
        decided, true = orders(n, m), true_numbers(law)
        values: dict[str, list[list[float]]] = {each: [] for each in decided}
        areas = []
        for _ in range(size):
            scores = AttackScores(member=law.member(rng, n), nonmember=law.nonmember(rng, m))
            counts = reached_counts(scores)
            swapped = counts.exchanged()
            areas.append(audit.auc(scores))
            for each, several in decided.items():
                found = [largest(order, swapped if back else counts) for order, back in several]
                values[each].append(found)
        for each, several in decided.items():
            # The larger limit of both directions is below only if both are.
            below = [
                is_below(partial(limit_of, order), true[each], column)
                for (order, _), column in zip(several, np.array(values[each]).T, strict=True)
            ]
            yield row(name, n, m, each, np.all(below, axis=0))
        area = partial(upper_area, pairs=min(n, m), level=LEVEL)
        yield row(name, n, m, "auc", is_below(area, true["auc"], np.array(areas)))


def row(name: str, n: int, m: int, quantity: str, below: np.ndarray) -> list[Any]:
    """One cell as a row."""
    share = float(below.mean())
    error = float(np.sqrt(max(share, 1 / below.size) * (1 - share) / below.size))
    return [name, n, m, quantity, below.size, round(share, 5), round(error, 5)]


def enumerated(total: int) -> dict[str, Any]:
    """The largest exact probabilities that limits fail, of all class sizes up to a total."""
    sizes = [(n, k - n) for k in range(2, total + 1) for n in range(1, k)]
    worst: dict[str, float] = {}
    cells = 0
    for n, m in sizes:
        for slope in (1.0, float(np.e)):
            order = DifferenceOrder(n_members=n, n_nonmembers=m, level=LEVEL, slope=slope)
            x, y = np.indices((n + 1, m + 1))
            t = order.values(x.ravel(), y.ravel())
            for value in np.unique(t).tolist():
                high = limit_of(order, value)
                if high < 1:
                    cells += 1
                    chance = worst_chance(order, (t <= value).reshape(n + 1, m + 1), high)
                    key = f"a set of outcomes, slope {slope:.3g}"
                    worst[key] = max(worst.get(key, 0.0), chance)
        for key, chance in three_scores(n, m):
            worst[key] = max(worst.get(key, 0.0), chance)
    return {"class_sizes": len(sizes), "sets": cells, "largest_chance_to_fail": worst}


def worst_chance(order: DifferenceOrder, inside: np.ndarray, high: float) -> float:
    """The largest probability of a set where TPR - c FPR is `high`, on a grid of 1000 FPRs."""
    last = min(1.0, (1 - high) / order.slope)
    fpr = np.sin(np.linspace(0, np.arcsin(np.sqrt(last)), 1001)) ** 2
    tpr = np.clip(high + order.slope * fpr, 0, 1)
    of_x = binom.pmf(np.arange(order.n_members + 1)[:, None], order.n_members, tpr)
    of_y = binom.pmf(np.arange(order.n_nonmembers + 1)[:, None], order.n_nonmembers, fpr)
    return float(np.sum(of_x * (inside @ of_y), axis=0).max())


def three_scores(n: int, m: int) -> Iterator[tuple[str, float]]:
    """The exact probability that limits fail, for each quantity and distribution of `THREE`."""
    decided = orders(n, m)
    of_n, of_m = samples(n), samples(m)
    counts = [
        ReachedCounts(
            x=np.append(0, np.cumsum(a)), y=np.append(0, np.cumsum(b)), n_members=n, n_nonmembers=m
        )
        for a, b in product(of_n, of_m)
    ]
    values = {
        name: [
            np.array([largest(order, each.exchanged() if back else each) for each in counts])
            for order, back in several
        ]
        for name, several in decided.items()
    }
    for law in THREE.values():
        true = true_numbers(discrete(*law))
        chances = np.outer(multinomial.pmf(of_n, n, law[0]), multinomial.pmf(of_m, m, law[1]))
        for name, several in decided.items():
            below = [
                is_below(partial(limit_of, order), true[name], column)
                for (order, _), column in zip(several, values[name], strict=True)
            ]
            yield f"three scores, {name}", float(chances.ravel() @ np.all(below, axis=0))


def samples(size: int) -> list[list[int]]:
    """All counts of three scores."""
    return [[a, b, size - a - b] for a in range(size + 1) for b in range(size + 1 - a)]


def crossed(runs: int) -> dict[str, Any]:
    """How often bounds from below exceed limits from above, each at 95 %, on the same samples."""
    rng = np.random.default_rng(46)
    names = ("samples", "advantage", "epsilon")
    names += ("epsilon_finite", "epsilon_compared", "epsilon_above_measured")
    found = dict.fromkeys(names, 0)
    laws = list(LAWS.values())
    for i in range(runs):
        law = laws[i % len(laws)]
        n, m = rng.integers(20, 300, size=2).tolist()
        scores = AttackScores(member=law.member(rng, n), nonmember=law.nonmember(rng, m))
        counts = reached_counts(scores)
        found["samples"] += 1
        low = audit.advantage(scores, confidence_level=0.9).low  # of two limits: 95 % each
        found["epsilon_finite"] += limits.delta_of_finite_epsilon(counts, level=LEVEL) < DELTA
        # No limit is below the number of the sample, so few need to be computed.
        if low > limits.measured_difference(counts, 1.0):
            found["advantage"] += low > limits.largest_difference(counts, 1.0, level=LEVEL)
        if i % EVERY:
            continue
        bound = audit.lower_bound(scores, delta=DELTA).low  # takes seconds where delta is large
        found["epsilon_compared"] += 1
        if bound > limits.measured_epsilon(counts, DELTA):
            found["epsilon_above_measured"] += 1
            found["epsilon"] += bound > limits.largest_epsilon(counts, DELTA, level=LEVEL)
    return {name: int(number) for name, number in found.items()}


def shown() -> list[list[float]]:
    """Records of each class, and the exact chance of an advantage of at most 5 % and 10 %."""
    quantity = Quantity(name="advantage", level=LEVEL)
    return [[n, *(round(power_at_most(quantity, a, n, n), 4) for a in (0.05, 0.1))] for n in SHOWN]


def main() -> None:
    """Measure some or all parts and write them into the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=PARTS)
    chosen = parser.parse_args()
    quick = chosen.quick
    measure: dict[str, Callable[[], Any]] = {
        "shown": shown,
        "enumerated": partial(enumerated, 6 if quick else TOTAL),
        "crossed": partial(crossed, 100 if quick else CROSSED),
        "simulated": partial(simulated, *((100, 20) if quick else (RUNS, RUNS_OF_MANY))),
    }

    def keep(name: str, found: Any) -> None:
        if not quick:
            kept = json.loads(FILE.read_text("utf-8")) if FILE.exists() else {}
            FILE.write_text(json.dumps({**kept, name: found}) + "\n", "utf-8")

    for name in chosen.parts:
        start = time.process_time()
        found = measure[name]()
        if name == "simulated":
            rows: list[Any] = []
            for each in found:
                rows.append(each)
                keep(name, rows)  # cell by cell, as all of them take long
            found = rows
        print(f"{name}: {time.process_time() - start:.0f} s")
        if name == "simulated":
            shares = [each[5] for each in found]
            print(f"{len(found)} cells, largest share {max(shares)}")
            print(*(each for each in found if each[5] > LEVEL + 2 * each[6]), sep="\n", flush=True)
        else:
            print(found, flush=True)
        keep(name, found)


if __name__ == "__main__":
    main()
