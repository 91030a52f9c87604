"""Changes of a view in Python beside making the view: ``python -m benchmarks.views``."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from benchmarks.fleet import fleet_of
from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import explore, read_sample
from dpviz.theory import GaussianDP
from dpviz.widgets import ExperimentView, LandscapeView, MechanismView

PICTURED = 50 if QUICK else 500


def landscape() -> LandscapeView:
    """Of many small models, computed."""
    view = LandscapeView(fleet_of(PICTURED, 200))
    view.compute()
    return view


MADE: dict[str, tuple[str, Callable[[], Any]]] = {
    "explorer with scores": ("fpr", lambda: explore(read_sample("overfitted"))),
    "mechanism": ("fpr", lambda: MechanismView(claim=GaussianDP(mu=1.0))),
    "experiment": ("fpr", ExperimentView),
    f"landscape of {PICTURED} models": ("prior", landscape),
}


def rows() -> Iterator[Row]:
    """Each view made, then one of its numbers moved."""
    for name, (number, make) in MADE.items():
        peer = Peer.timed("the view made", make, 1)
        view, steps = make(), count(1)

        def move(view: Any = view, steps: Iterator[int] = steps, number: str = number) -> None:
            setattr(view, number, 0.1 + next(steps) / 1000)

        yield Row(f"{name}: change of {number}", best(move, 20), peer)


if __name__ == "__main__":
    show(rows())
