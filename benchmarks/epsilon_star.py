"""Time Epsilon*, as ratios to known work on the same data in the same run.

Run with dpviz and scikit-learn installed (``pip install -e '.[mixture]'``)::

    python benchmarks/epsilon_star.py            # 10^7 losses per class
    python benchmarks/epsilon_star.py 1000000    # other sizes

Seconds depend on the machine; the ratios are what to compare. "sort" is `numpy.sort` of both
classes; "roc" is `sklearn.metrics.roc_curve` and the same maximum over its points; "grid" is the
paper's evaluation of two fitted Normal laws at 2 x 10^6 quantiles.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import count

import numpy as np
from scipy.stats import norm
from sklearn.metrics import roc_curve
from timing import best

from dpviz import AttackScores, read_sample
from dpviz.audit import epsilon_star, epsilon_star_of_normals, permutation_test
from dpviz.audit.blocks import SortedBlocks
from dpviz.audit.fits import fit_laws
from dpviz.audit.fitted import parametric_epsilon_star
from dpviz.audit.transform import TransformedScores

SIZES = (10_000_000,)
CLIP = 1e-3
DELTA = 1e-5
NONMEMBER, MEMBER = (1.0, 1.25), (0.0, 1.0)
QUANTILES = 2_000_000


def report(what: str, seconds: float, **others: float) -> None:
    """One line: milliseconds, and how many times what each other work takes."""
    ratios = "".join(f"{seconds / other:12.4g} x {name}" for name, other in others.items())
    print(f"  {what:<34}{1e3 * seconds:12.3f} ms{ratios}")


def largest(fpr: np.ndarray, tpr: np.ndarray, clip: float) -> float:
    """Epsilon* of rates, as one would write it."""
    fnr, tnr = 1 - tpr, 1 - fpr
    keep = np.min([fpr, tpr, fnr, tnr], axis=0) > clip
    t, e = fpr[keep], fnr[keep]
    ratios = (
        (1 - DELTA - e) / t,
        (1 - DELTA - t) / e,
        (e - DELTA) / (1 - t),
        (t - DELTA) / (1 - e),
    )
    return float(max(0.0, np.log(max(r.max() for r in ratios))))


def paper_grid() -> float:
    """Two Normal laws at the quantiles of the non-members' law."""
    t = np.arange(1, QUANTILES) / QUANTILES
    x = norm.ppf(t, *NONMEMBER)
    return largest(t, norm.cdf(x, *MEMBER), DELTA)


def bench_empirical(n: int) -> None:
    """Losses to Epsilon*, and changes afterwards."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, n), rng.normal(1, 1, n)
    labels, pooled = np.repeat([1, 0], n), -np.concatenate([member, nonmember])

    def ours() -> float:
        scores = AttackScores.from_losses(member=member, nonmember=nonmember)
        return epsilon_star(scores, delta=DELTA).value

    def peer() -> float:
        fpr, tpr, _ = roc_curve(labels, pooled, drop_intermediate=False)
        return largest(fpr, tpr, CLIP)

    print(f"{n} + {n} losses: {ours():.6f} here, {peer():.6f} through roc_curve")
    sort = best(lambda: (np.sort(member), np.sort(nonmember)), 3)
    roc = best(peer, 2)
    report("numpy.sort, both classes", sort)
    report("roc_curve and the maximum", roc, sort=sort)
    report("AttackScores and epsilon_star", best(ours, 3), sort=sort, roc=roc)
    scores = AttackScores.from_losses(member=member, nonmember=nonmember)
    blocks = SortedBlocks(scores)
    deltas: Iterator[float] = (k * 1e-5 for k in count(1))
    clips: Iterator[float] = (k * 1e-4 for k in count(1))
    changes: dict[str, Callable[[], object]] = {
        "change of delta": lambda: blocks.largest_log_ratios(delta=next(deltas), clip=CLIP),
        "change of delta, no clip": lambda: blocks.largest_log_ratios(
            delta=1e-3 + next(deltas), clip=None
        ),
        "change of clip": lambda: blocks.largest_log_ratios(delta=DELTA, clip=next(clips)),
    }
    for what, change in changes.items():
        report(what, best(change, 10))


def bench_parametric() -> None:
    """Two Normal laws, exactly, and what a change costs for each kind of fit."""

    def ours() -> float:
        return epsilon_star_of_normals(
            nonmember=NONMEMBER, member=MEMBER, delta=DELTA, clip=DELTA
        ).value

    print(f"two Normal laws, clip = delta: {ours():.12f} here, {paper_grid():.12f} on the grid")
    grid = best(paper_grid, 3)
    report("the paper's grid", grid)
    report("epsilon_star_of_normals", best(ours, 200), grid=grid)
    sample = TransformedScores.of(read_sample("gamma"))
    for components in (1, 3, 10):
        fits = fit_laws(sample, method="mixture", components=components)
        deltas: Iterator[float] = (k * 1e-6 for k in count(1))

        def change(fits: object = fits, deltas: Iterator[float] = deltas) -> object:
            return parametric_epsilon_star(fits, delta=next(deltas))  # type: ignore[arg-type]

        report(f"change of delta, {components} components", best(change, 10))


def bench_chance() -> None:
    """999 labellings of 5000 + 5000 losses, against as many rounds of sorting the scores anew."""
    scores = read_sample("gamma")
    pooled = np.concatenate([scores.member, scores.nonmember])

    def sorts() -> None:
        for _ in range(999):
            np.sort(pooled)

    sort = best(sorts, 1)
    report("999 sorts of 10000", sort)
    for method in ("empirical", "normal"):
        seconds = best(lambda m=method: permutation_test(scores, delta=DELTA, method=m), 1)  # type: ignore[misc]
        report(f"permutation test, {method}", seconds, sorts=sort)


if __name__ == "__main__":
    for size in [int(argument) for argument in sys.argv[1:]] or SIZES:
        bench_empirical(size)
    bench_parametric()
    bench_chance()
