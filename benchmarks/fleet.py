"""Time many models: estimates and bounds for all of them, and what the picture of them takes.

Run with dpviz installed::

    python benchmarks/fleet.py             # 50 models of 300 000 losses
    python benchmarks/fleet.py 500 300000  # as many as are asked for

Seconds grow with the number of models; "sort" is `numpy.sort` of the same losses in the same run.
"""

import sys
import time

import numpy as np
from timing import best

from dpviz import AttackScores, audit
from dpviz.widgets import LandscapeView

MODELS, LOSSES, PICTURED = 50, 300_000, 500


def fleet_of(models: int, losses: int) -> audit.Fleet:
    """Models whose losses are made anew whenever they are asked for: one is in memory at a time."""
    half = losses // 2

    def made(seed: int) -> AttackScores:
        rng = np.random.default_rng(seed)
        return AttackScores(member=rng.normal(1, 1, half), nonmember=rng.normal(0, 1, half))

    return audit.Fleet(
        models=[
            audit.FleetModel(name=f"model {i}", utility=i / models, scores=lambda i=i: made(i))
            for i in range(models)
        ]
    )


def main(models: int, losses: int) -> None:
    """All models once: this takes seconds to minutes."""
    fleet = fleet_of(models, losses)

    def sort() -> None:
        for model in fleet.models:
            scores = model.read()
            np.sort(scores.member), np.sort(scores.nonmember)

    start = time.perf_counter()
    sort()
    sorting = time.perf_counter() - start
    print(f"{models} models of {losses} losses; made and sorted in {sorting:.1f} s")
    asked = {
        "estimates, counted": lambda: fleet.estimates(delta=1e-5),
        "estimates, Normal": lambda: fleet.estimates(delta=1e-5, method="normal"),
        "bounds, ranks": lambda: fleet.bounds(delta=1e-5),
        "bounds, local levels": lambda: fleet.bounds(delta=1e-5, method="local_levels"),
    }
    for name, work in asked.items():
        start = time.perf_counter()
        work()
        taken = time.perf_counter() - start
        print(f"  {name:22s} {taken:7.1f} s   {taken / sorting:5.2f} x sort")
    view = LandscapeView(fleet_of(PICTURED, 200))
    view.compute()
    view.prior = 0.3
    moved = iter(np.linspace(0.1, 0.9, 1000))

    def change() -> None:
        view.prior = next(moved)

    print(f"  a change beside a picture of {PICTURED} models: {1e3 * best(change):.1f} ms")


if __name__ == "__main__":
    asked_for = [int(number) for number in sys.argv[1:]]
    main(*(asked_for or (MODELS, LOSSES)))
