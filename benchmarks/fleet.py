"""Estimates and bounds of many models beside a sort: ``python -m benchmarks.fleet``."""

from collections.abc import Iterator

import numpy as np

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import AttackScores, audit
from dpviz.audit.models import FleetModel

MODELS, LOSSES = (5, 10_000) if QUICK else (50, 300_000)


def fleet_of(models: int, losses: int) -> audit.Fleet:
    """Models whose losses are made anew for each use: one is in memory at a time."""
    half = losses // 2

    def made(seed: int) -> AttackScores:
        rng = np.random.default_rng(seed)
        return AttackScores(member=rng.normal(1, 1, half), nonmember=rng.normal(0, 1, half))

    return audit.Fleet(
        models=[
            FleetModel(name=f"model {i}", utility=i / models, scores=lambda i=i: made(i))
            for i in range(models)
        ]
    )


def rows() -> Iterator[Row]:
    """All models once: this takes seconds to minutes."""
    fleet = fleet_of(MODELS, LOSSES)

    def sort() -> None:
        for model in fleet.models:
            scores = model.read()
            np.sort(scores.member), np.sort(scores.nonmember)

    peer = Peer.timed("the losses made and sorted", sort, 1)
    works = {
        "estimates, counted": lambda: fleet.estimates(delta=1e-5),
        "estimates, Normal": lambda: fleet.estimates(delta=1e-5, method="normal"),
        "bounds, ranks": lambda: fleet.bounds(delta=1e-5),
    }
    for name, work in works.items():
        yield Row(f"{name}, {MODELS} models of {LOSSES} losses", best(work, 1), peer)


if __name__ == "__main__":
    show(rows())
