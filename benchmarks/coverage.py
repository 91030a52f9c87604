"""Measure how often each lower bound exceeds the truth, and how much it certifies.

Run with dpviz installed and tqdm (``pip install -e '.[dev]'``)::

    python -m benchmarks.coverage           # 10 000 runs a cell up to n = 1000, 1000 above: hours
    python -m benchmarks.coverage --share 0.02 --largest 100 --file quick.json

Every cell is a law, a number of records per class, a delta and a method, at confidence 0.95. The
file is the table that dpviz ships (`dpviz.audit.bounds.coverage`), and one beside this script for
methods that it does not offer (`benchmarks.methods`); at the end the table in
docs/appendix/coverage.md is written from both, between two markers. A cell that already has
the requested number of runs is not run again, so a run can be interrupted; delete rows whose method
changed. A cell of 1000 runs that is beyond its level by two standard errors is run 10 000 times.
Methods that need a threshold get the one that 10 % of the non-members' distribution exceed, fixed
before any record is drawn; methods for records that were included by fair coins get such records,
2n in all. The rank bound is judged with shared critical values: see `rank_table`.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from itertools import product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks import rank_table
from benchmarks.methods import CONDITIONAL, methods
from benchmarks.methods import OTHERS as OTHER_METHODS
from benchmarks.pages import APPENDIX, write_table
from dpviz import theory
from dpviz.audit import AttackScores
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.coverage import TABLE, TABLE_LEVEL
from dpviz.audit.bounds.result import BoundRequest

# Generator, number of records, whether they are members, delta -> scores
Sampler = Callable[[np.random.Generator, int, bool, float], np.ndarray]
Key = tuple[str, int, float, str]
COLUMNS = ("law", "n", "delta", "method", "truth", "runs", "false", "median", "mean")
SIZES = (100, 1000, 10_000)
DELTAS = (0.0, 1e-5)
CHUNK = 50  # runs per task
AGAIN = 10  # times as many runs where 1000 are beyond the level: of many cells, some are by chance
ABOUT = (
    "Made by benchmarks/coverage.py. All runs of a cell of the method rank_exact share critical "
    "values of their size."
)
OTHERS = Path(__file__).with_name("coverage_of_others.json")
PAGE = APPENDIX / "coverage.md"
SHOWN = {  # columns of the table in that page: medians at n = 1000 of a law and a delta
    "Laplace, ε = 1": ("laplace 1", 0.0),
    "Gaussian, μ = 2, δ = 1e-5": ("gaussian 2", 1e-5),
    "null": ("null", 0.0),
}


def shifted(draw: str, by: float) -> Sampler:
    """Members' scores moved up by `by`."""
    return lambda rng, n, is_member, _: getattr(rng, draw)(by * is_member, 1.0, n)


def responses(epsilon: float) -> Sampler:
    """Randomized response: two scores only."""
    right = 1 / (1 + np.exp(-epsilon))
    return lambda rng, n, is_member, _: (rng.random(n) < (right if is_member else 1 - right)) * 1.0


def leaky_responses(epsilon: float) -> Sampler:
    """The least favourable law: randomized response without ties, delta leaks at both ends."""

    def draw(rng: np.random.Generator, n: int, is_member: bool, delta: float) -> np.ndarray:
        told = responses(epsilon)(rng, n, is_member, delta)
        leaked = rng.random(n) < delta
        return np.where(leaked, 2.0 if is_member else -1.0, told) + rng.random(n) / 2

    return draw


def rounded(rng: np.random.Generator, n: int, is_member: bool, _: float) -> np.ndarray:
    """Discrete Laplace scores: many ties."""
    p = 1 - np.exp(-0.5)
    return rng.geometric(p, n) - rng.geometric(p, n) + 1.0 * is_member


# Sampler, and true epsilon at a delta in the attack's direction.
LAWS: dict[str, tuple[Sampler, Callable[[float], float]]] = {
    "null": (shifted("normal", 0.0), theory.PureDP(epsilon=0.0).epsilon),
    "reversed": (shifted("laplace", -1.0), theory.PureDP(epsilon=0.0).epsilon),
    **{
        f"gaussian {mu:g}": (shifted("normal", mu), theory.GaussianDP(mu=mu).epsilon)
        for mu in (0.5, 1.0, 2.0)
    },
    **{
        f"laplace {e:g}": (shifted("laplace", e), theory.LaplaceMechanism(epsilon=e).epsilon)
        for e in (0.5, 1.0, 2.0)
    },
    "randomized response 1": (responses(1.0), theory.RandomizedResponse(epsilon=1.0).epsilon),
    "least favourable 1": (leaky_responses(1.0), lambda _: 1.0),
    "discrete laplace 0.5": (rounded, theory.DiscreteLaplaceMechanism(scale=2.0).epsilon),
}


def runs_of(n: int, share: float) -> int:
    """Number of runs of a cell."""
    return max(CHUNK, int(share * (10_000 if n <= 1000 else 1000)) // CHUNK * CHUNK)


def is_beyond(false: int, runs: int) -> bool:
    """Whether two standard errors more bounds are false than the level allows."""
    return false > (1 - TABLE_LEVEL) * runs + 2 * sqrt(TABLE_LEVEL * (1 - TABLE_LEVEL) * runs)


def chunk(task: tuple[Key, int, rank_table.Critical | None]) -> list[float]:
    """The bounds of `CHUNK` runs, each with its own seed."""
    (law, n, delta, method), begin, critical = task
    draw, asked = LAWS[law][0], methods()[method]
    drawn = []
    for run in range(begin, begin + CHUNK):
        rng = np.random.default_rng([run, n, list(LAWS).index(law), int(delta * 1e9)])
        members = int(rng.binomial(2 * n, 0.5)) if asked.requires_fair_coins else n
        drawn.append((draw(rng, members, True, delta), draw(rng, 2 * n - members, False, delta)))
    if critical is not None:
        member, nonmember = (np.array(each) for each in zip(*drawn, strict=True))
        return rank_table.bounds(member, nonmember, critical, delta=delta, level=1 - TABLE_LEVEL)
    many = draw(np.random.default_rng(1), 100_000, False, delta)
    threshold = float(np.quantile(many, 0.9))
    found = []
    for run, (member, nonmember) in enumerate(drawn, begin):
        scores = AttackScores(member=member, nonmember=nonmember)
        # As in `lower_bound`, without the warnings.
        given = {"seed": run, "threshold": threshold}
        request = BoundRequest(delta=delta, confidence_level=TABLE_LEVEL, **given)
        found.append(asked.rule(scores, request).low)
    return found


def keys(largest: int) -> Iterator[Key]:
    """All cells, those with few records first."""
    sizes = [n for n in SIZES if n <= largest]
    for n, delta, law, method in product(sizes, DELTAS, LAWS, methods()):
        yield law, n, delta, method


def load(file: Path) -> dict[Key, list[Any]]:
    """The rows of a table by their first four columns."""
    rows = json.loads(file.read_text())["cells"] if file.exists() else []
    return {tuple(row[:4]): row for row in rows}


def save(file: Path, table: dict[Key, list[Any]], some: Iterable[str] | None = None) -> None:
    """One row a line, in the order of `keys`, of all methods or of some."""
    chosen = methods() if some is None else some
    rows = [table[key] for key in keys(SIZES[-1]) if key in table and key[3] in chosen]
    lines = ",\n".join(json.dumps(row) for row in rows)
    columns = json.dumps(COLUMNS)
    file.write_text(f'{{"about": "{ABOUT}",\n"columns": {columns}, "cells": [\n{lines}\n]}}\n')


def write_page(file: Path, table: dict[Key, list[Any]]) -> None:
    """Replace the rows between the markers: a line for each method with all its cells."""
    every = {(law, n, delta) for law, n, delta, _ in keys(SIZES[-1])}
    lines = [
        f"| method | false at worst | {' | '.join(SHOWN)} |",
        "|---|---|" + "---|" * len(SHOWN),
    ]
    for method in methods():
        cells = {key[:3]: row for key, row in table.items() if key[3] == method}
        if cells.keys() >= every:
            worst = max(row[6] / row[5] for row in cells.values())
            medians = [f"{cells[law, 1000, delta][7]:.2f}" for law, delta in SHOWN.values()]
            lines.append(f"| `{method}` | {100 * worst:.1f} % | {' | '.join(medians)} |")
    write_table(file, "coverage", lines)


def main() -> None:
    """Fill the file, cell by cell."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--file", type=Path, default=TABLE)
    arguments.add_argument("--share", type=float, default=1.0, help="of the full number of runs")
    arguments.add_argument("--largest", type=int, default=SIZES[-1], help="records per class")
    arguments.add_argument("--methods", nargs="*", default=list(methods()), choices=list(methods()))
    arguments.add_argument("--processes", type=int, help="default: one per core")
    given = arguments.parse_args()
    table = load(given.file) | (load(OTHERS) if given.file == TABLE else {})
    missing = [
        key
        for key in keys(given.largest)
        if key[3] in given.methods
        and (key not in table or table[key][5] < runs_of(key[1], given.share))
    ]
    with ProcessPoolExecutor(given.processes) as pool:

        @cache
        def critical_of(n: int, delta: float) -> rank_table.Critical:
            if n <= rank_table.EACH:
                return np.zeros(0), np.zeros(0)
            values = rank_table.values_of(n, delta, 1 - TABLE_LEVEL)
            tasks = [(n, delta, 1 - TABLE_LEVEL, float(value)) for value in values]
            lows = list(pool.map(rank_table.exact_bound, tasks))
            return rank_table.rising_from_0(lows, (n, delta, 1 - TABLE_LEVEL), values)

        for key in tqdm(missing):
            law, n, delta, method = key
            critical = critical_of(n, delta) if method == DEFAULT else None
            truth, lows = LAWS[law][1](delta), np.zeros(0)
            for share in (given.share, AGAIN * given.share):
                begins = range(lows.size, runs_of(n, share), CHUNK)
                more = list(pool.map(chunk, [(key, begin, critical) for begin in begins]))
                lows = np.concatenate([lows, *more])
                false = int(np.sum(lows > truth * (1 + 1e-9)))
                once = n <= 1000 or method in CONDITIONAL
                if once or not is_beyond(false, lows.size):
                    break
            median, mean = float(np.median(lows)), float(np.mean(lows))
            known = truth if np.isfinite(truth) else None  # JSON has no infinity
            table[key] = [*key, known, lows.size, false, round(median, 4), round(mean, 4)]
            save(given.file, table, BOUNDS if given.file == TABLE else None)
            if given.file == TABLE:
                save(OTHERS, table, OTHER_METHODS)
    if given.file == TABLE:
        write_page(PAGE, table)


if __name__ == "__main__":
    main()
