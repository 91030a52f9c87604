"""Time loading losses and moving each number, as ratios to known work on the same machine.

Run with dpviz and scikit-learn installed (``pip install -e '.[dev]'``)::

    python benchmarks/load.py            # 10^4 and 10^6 losses per class
    python benchmarks/load.py 100000     # other sizes

Seconds depend on the machine; the ratios are what to compare. "sort" is `numpy.sort` of both
classes, "roc" is `sklearn.metrics.roc_curve` of the same arrays, both timed in the same run. Each
figure is the best of a few runs; every changed value is new, so that nothing is remembered.
"""

import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
from sklearn.metrics import roc_curve
from timing import best

from dpviz import Analysis, AttackScores, Spec

SIZES = (10_000, 1_000_000)
CHANGES: dict[str, Callable[[int], dict[str, float]]] = {
    "epsilon": lambda i: {"epsilon": 1 + i / 100},
    "prior": lambda i: {"prior": 0.1 + i / 100},
    "fpr": lambda i: {"fpr": 0.02 + i / 100},
    "delta": lambda i: {"delta": 1e-4 + i / 1e5},
}


def report(what: str, seconds: float, *, sort: float, roc: float) -> None:
    """One line: milliseconds and ratios."""
    print(f"  {what:<26}{1e3 * seconds:10.2f} ms{seconds / sort:10.3f}{seconds / roc:10.3f}")


def bench(n: int) -> None:
    """All timings for n members and n non-members."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, n), rng.normal(1, 1, n)
    labels = np.repeat([1, 0], n)
    pooled = -np.concatenate([member, nonmember])

    def load() -> Analysis:
        analysis = Analysis(AttackScores.from_losses(member=member, nonmember=nonmember))
        analysis.result(Spec())
        return analysis

    sort = best(lambda: (np.sort(member), np.sort(nonmember)))
    roc = best(lambda: roc_curve(labels, pooled, drop_intermediate=False), 3)
    print(f"{n} + {n} losses{'/ sort':>35}{'/ roc':>10}")
    report("numpy.sort, both classes", sort, sort=sort, roc=roc)
    report("sklearn roc_curve", roc, sort=sort, roc=roc)
    report("load and first result", best(load, 3), sort=sort, roc=roc)
    analysis = load()
    for name, change in CHANGES.items():
        steps: Iterator[int] = count(1)

        def move(
            change: Callable[[int], dict[str, float]] = change, steps: Iterator[int] = steps
        ) -> object:
            return analysis.result(Spec.of(**change(next(steps))))

        report(f"change {name}", best(move), sort=sort, roc=roc)


def import_time() -> None:
    """Importing dpviz in a fresh interpreter, over importing what it needs at least."""

    def seconds(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True))

    empty = seconds("pass")
    base = seconds("import numpy, scipy.special") - empty
    full = seconds("import dpviz") - empty
    print(f"import numpy, scipy.special {1e3 * base:8.0f} ms")
    print(f"import dpviz                {1e3 * full:8.0f} ms, ratio {full / base:.2f}")


if __name__ == "__main__":
    for size in [int(argument) for argument in sys.argv[1:]] or SIZES:
        bench(size)
    import_time()
