"""Compare the exact p-values of method "rank_exact" with simulated ones of the same statistic.

Run with dpviz installed::

    python -m benchmarks.exact_p_values      # 10^6 simulations in each of 30 cells: some minutes

Each cell is a data set (Laplace scores, one apart) and an epsilon; simulated are the leaky
randomized response of `dpviz.audit.bounds.rank`, and how often its statistic is as large as the
data's. The rows are kept in `exact_p_values.json`; those that are there are not run again.
"""

import json
from math import sqrt
from pathlib import Path

import numpy as np

from dpviz.audit import AttackScores
from dpviz.audit.bounds.boundary_crossing import LeakPair
from dpviz.audit.bounds.rank import (
    RankTest,
    bound_from_statistic,
    exact_test_and_leaks,
    fewest_members_above_cuts,
    p_value_curve,
)

FILE = Path(__file__).with_suffix(".json")
SIMULATIONS, BATCH, LEVEL = 1_000_000, 20_000, 0.05
SIZES = (
    (7, 7, 0.0), (60, 40, 0.0), (60, 40, 0.01), (300, 300, 0.0), (300, 300, 1e-3),
    (500, 500, 1e-5), (900, 100, 0.0), (100, 900, 1e-5), (1000, 1000, 0.0), (3000, 3000, 0.0),
)  # fmt: skip
STEPS = (-0.1, 0.0, 0.25)  # in epsilon, from the bound
COLUMNS = ("n", "m", "delta", "epsilon", "exact", "simulated", "standard_error")


def scores_of(n: int, m: int) -> AttackScores:
    """The data set of a cell."""
    rng = np.random.default_rng([n, m])
    return AttackScores(member=rng.laplace(1.5, 1, n), nonmember=rng.laplace(0, 1, m))


def tested(n: int, m: int, delta: float) -> tuple[RankTest, float, list[LeakPair]]:
    """The test of a cell, the statistic of its data, and the leaks that p-values sum over."""
    test, leaks = exact_test_and_leaks(n, m, delta=delta, level=LEVEL)
    members = fewest_members_above_cuts(scores_of(n, m), test.guesses.cuts)
    return test, float(np.max(test.refuted_epsilons(members))), leaks


def main() -> None:
    """Fill the file, and say how many standard errors are between both at most."""
    rows = json.loads(FILE.read_text("utf-8"))["cells"] if FILE.exists() else []
    known = {tuple(row[:4]) for row in rows}
    for n, m, delta in SIZES:
        test, statistic, leaks = tested(n, m, delta)
        low, p_value = (
            bound_from_statistic(test, statistic, leaks),
            p_value_curve(test, statistic, leaks),
        )
        needed = test.fewest_right_to_refute(statistic)[:, None]
        rng = np.random.default_rng([n, m, 1])
        for step in STEPS:
            epsilon = low + step if low + step >= 0 else low + 2 * STEPS[-1]
            if (n, m, delta, round(epsilon, 6)) in known:
                continue
            found = 0
            for _ in range(SIMULATIONS // BATCH):
                drawn = test.law.draw(np.full(BATCH, epsilon), rng)
                found += int((test.guesses.count_right(drawn) >= needed).any(axis=0).sum())
            share = found / SIMULATIONS
            error = sqrt(share * (1 - share) / SIMULATIONS)
            exact = p_value(epsilon)
            rows.append([n, m, delta, round(epsilon, 6), exact, share, error])
            print(*rows[-1], f"{(exact - share) / error:+.2f} standard errors", flush=True)
    lines = ",\n".join(json.dumps(row) for row in rows)
    FILE.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "cells": [\n{lines}\n]}}\n', "utf-8")


if __name__ == "__main__":
    main()
