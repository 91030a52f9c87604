"""A statement in one setting, and three ways to count how often it is false."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from benchmarks.statements.settings import Setting
from dpviz.audit import AttackScores

RUNS = 10_000
Draw = Callable[[int], AttackScores]


@dataclass(frozen=True)
class Statement:
    """How often `name` is false at each of `levels`: `false` of so many runs."""

    name: str
    setting: Setting
    levels: tuple[float, ...]
    false: Callable[[int], list[int]]


def directly(
    name: str,
    setting: Setting,
    levels: tuple[float, ...],
    draw: Draw,
    is_false: Callable[[AttackScores, float, int], bool],
) -> Statement:
    """Call the public function for every data set and level; the run is its seed, too."""

    def false(runs: int) -> list[int]:
        counts = np.zeros(len(levels), int)
        for run in range(runs):
            scores = draw(run)
            counts += [is_false(scores, level, run) for level in levels]
        return counts.tolist()

    return Statement(name, setting, levels, false)


def by_p_value(
    name: str, setting: Setting, levels: tuple[float, ...], p_value: Callable[[int], float]
) -> Statement:
    """Judge all levels by one p-value of each run."""

    def false(runs: int) -> list[int]:
        found = np.array([p_value(run) for run in range(runs)])
        # As the package compares: 1 - 0.8 is a little less than a p-value of 1/5.
        return [int(np.sum(found <= (1 - level) * (1 + 1e-9))) for level in levels]

    return Statement(name, setting, levels, false)


def by_number(
    name: str,
    setting: Setting,
    level: float,
    draw: Draw,
    numbers: Callable[[Iterator[AttackScores]], np.ndarray],
    is_false: Callable[[AttackScores], bool],
) -> Statement:
    """For a statement that is false from some value of one number of the data set on.

    So the public function is called where this value is searched, by bisection.
    """

    def false(runs: int) -> list[int]:
        of_runs = numbers(draw(run) for run in range(runs))
        values, first = np.unique(of_runs, return_index=True)
        low, high = -1, values.size  # values up to `low` are not false, those from `high` on are
        while high - low > 1:
            middle = (low + high) // 2
            if is_false(draw(int(first[middle]))):
                high = middle
            else:
                low = middle
        return [int(np.sum(of_runs >= values[high])) if high < values.size else 0]

    return Statement(name, setting, (level,), false)
