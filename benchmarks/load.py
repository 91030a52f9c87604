"""Loading losses and moving each number, beside scikit-learn: ``python -m benchmarks.load``.

Every changed value is new, so that nothing is remembered.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
from sklearn.metrics import roc_curve

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import Analysis, AttackScores, Spec

SIZES = (10_000,) if QUICK else (10_000, 1_000_000)
CHANGES: dict[str, Callable[[int], dict[str, float]]] = {
    "epsilon": lambda i: {"epsilon": 1 + i / 100},
    "prior": lambda i: {"prior": 0.1 + i / 100},
    "FPR": lambda i: {"fpr": 0.02 + i / 100},
    "delta": lambda i: {"delta": 1e-4 + i / 1e5},
}


def loading(n: int) -> Iterator[Row]:
    """The first result of n members and n non-members, then a change of each number."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, n), rng.normal(1, 1, n)
    labels = np.repeat([1, 0], n)
    pooled = -np.concatenate([member, nonmember])

    def load() -> Analysis:
        analysis = Analysis(AttackScores.from_losses(member=member, nonmember=nonmember))
        analysis.result(Spec())
        return analysis

    peer = Peer.timed("roc_curve", lambda: roc_curve(labels, pooled, drop_intermediate=False), 3)
    yield Row(f"load and first result, {n} a class", best(load, 3), peer)
    analysis = load()
    for name, change in CHANGES.items():
        steps: Iterator[int] = count(1)

        def move(
            change: Callable[[int], dict[str, float]] = change, steps: Iterator[int] = steps
        ) -> object:
            return analysis.result(Spec.of(**change(next(steps))))

        yield Row(f"change of {name}, {n} a class", best(move), peer)


def importing() -> Row:
    """Importing dpviz in a fresh interpreter, beside what it needs at least."""

    def seconds(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    empty = seconds("pass")
    base = seconds("import numpy, scipy.special") - empty
    full = seconds("from dpviz import *") - empty  # `import dpviz` alone imports nothing else
    return Row("from dpviz import *", full, Peer("import numpy, scipy.special", base))


def rows() -> Iterator[Row]:
    """All sizes, then the import."""
    for size in SIZES:
        yield from loading(size)
    yield importing()


if __name__ == "__main__":
    show(rows())
