"""Measure how often each lower bound exceeds the truth, and how much it certifies.

Run with dpviz installed and tqdm (``pip install -e '.[dev]'``)::

    python benchmarks/coverage.py results.json                   # 10 000 runs a cell up to n = 1000
    python benchmarks/coverage.py results.json --share 0.02 --largest 100

Every cell is a law, a number of records per class, a delta and a method, at confidence 0.95. A cell
that is in the file is not run again: stop and go on as you like. Methods that need a threshold get
the one that 10 % of the non-members' law exceed, fixed before any record is drawn.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

import numpy as np
from tqdm import tqdm

from dpviz import theory
from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS

Sampler = Callable[[np.random.Generator, int, bool], np.ndarray]
Cell = tuple[str, int, float, str]
SIZES = (100, 1000, 10_000)
DELTAS = (0.0, 1e-5)
LEVEL = 0.95
CHUNK = 50
"""Runs of one task."""


def shifted(draw: str, by: float) -> Sampler:
    """Members' scores moved up by `by`."""
    return lambda rng, n, is_member: getattr(rng, draw)(by * is_member, 1.0, n)


def responses(epsilon: float) -> Sampler:
    """Randomized response: two scores only."""
    right = 1 / (1 + np.exp(-epsilon))
    return lambda rng, n, is_member: (rng.random(n) < (right if is_member else 1 - right)) * 1.0


def rounded(rng: np.random.Generator, n: int, is_member: bool) -> np.ndarray:
    """Discrete Laplace scores: many ties."""
    p = 1 - np.exp(-0.5)
    return rng.geometric(p, n) - rng.geometric(p, n) + 1.0 * is_member


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
    "discrete laplace 0.5": (rounded, theory.DiscreteLaplaceMechanism(scale=2.0).epsilon),
}
"""Sampler and true epsilon at a delta, in the attack's direction."""


def runs_of(n: int, share: float) -> int:
    """How many runs a cell gets."""
    return max(CHUNK, int(share * (10_000 if n <= 1000 else 1000)) // CHUNK * CHUNK)


def chunk(task: tuple[Cell, int]) -> list[float]:
    """The bounds of some runs, each with a seed of its own."""
    (law, n, delta, method), begin = task
    draw = LAWS[law][0]
    threshold = float(np.quantile(draw(np.random.default_rng(1), 100_000, False), 0.9))
    found = []
    for run in range(begin, begin + CHUNK):
        rng = np.random.default_rng([run, n, list(LAWS).index(law), int(delta * 1e9)])
        scores = AttackScores(member=draw(rng, n, True), nonmember=draw(rng, n, False))
        bound = lower_bound(
            scores,
            delta=delta,
            confidence_level=LEVEL,
            method=method,
            threshold=threshold,
            seed=run,
        )
        found.append(bound.low)
    return found


def cells(largest: int) -> Iterator[Cell]:
    """Small ones first."""
    sizes = [n for n in SIZES if n <= largest]
    for n, delta, law, method in product(sizes, DELTAS, LAWS, BOUNDS):
        yield law, n, delta, method


def main() -> None:
    """Fill the file, cell by cell."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("file", type=Path)
    arguments.add_argument("--share", type=float, default=1.0, help="of the full number of runs")
    arguments.add_argument("--largest", type=int, default=SIZES[-1], help="records per class")
    arguments.add_argument("--methods", nargs="*", default=list(BOUNDS), choices=list(BOUNDS))
    given = arguments.parse_args()
    table = json.loads(given.file.read_text()) if given.file.exists() else {}
    wanted = [cell for cell in cells(given.largest) if cell[3] in given.methods]
    missing = [cell for cell in wanted if json.dumps(cell) not in table]
    with ProcessPoolExecutor() as pool:
        for cell in tqdm(missing):
            law, n, delta, _ = cell
            tasks = [(cell, begin) for begin in range(0, runs_of(n, given.share), CHUNK)]
            lows = np.concatenate(list(pool.map(chunk, tasks)))
            truth = LAWS[law][1](delta)
            table[json.dumps(cell)] = {
                "runs": lows.size,
                "false": int(np.sum(lows > truth * (1 + 1e-9))),
                "median": float(np.median(lows)),
                "mean": float(np.mean(lows)),
                "truth": truth,
            }
            given.file.write_text(json.dumps(table, indent=0))


if __name__ == "__main__":
    main()
