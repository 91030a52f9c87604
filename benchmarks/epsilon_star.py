"""Epsilon* beside known work on the same data: ``python -m benchmarks.epsilon_star``.

"roc_curve" is that of scikit-learn and the same maximum over its points; "grid" is the paper's
evaluation of two Normal distributions at 2 x 10^6 quantiles.
"""

from collections.abc import Iterator
from itertools import count

import numpy as np
from scipy.stats import norm
from sklearn.metrics import roc_curve

from benchmarks.harness import QUICK, Peer, Row, best, show
from dpviz import Analysis, AttackScores, Spec, read_sample
from dpviz.audit import epsilon_star, permutation_test
from dpviz.audit.epsilon_star import epsilon_star_of_normals

SIZE, QUANTILES, PERMUTATIONS = (100_000, 200_000, 99) if QUICK else (10_000_000, 2_000_000, 999)
CLIP, DELTA = 1e-3, 1e-5
NONMEMBER, MEMBER = (1.0, 1.25), (0.0, 1.0)


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
    """Two Normal distributions at the quantiles of that of the non-members."""
    t = np.arange(1, QUANTILES) / QUANTILES
    x = norm.ppf(t, *NONMEMBER)
    return largest(t, norm.cdf(x, *MEMBER), DELTA)


def empirical(n: int) -> Iterator[Row]:
    """Losses to Epsilon*, and changes afterwards."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(0, 1, n), rng.normal(1, 1, n)
    labels, pooled = np.repeat([1, 0], n), -np.concatenate([member, nonmember])

    def ours() -> float:
        scores = AttackScores.from_losses(member=member, nonmember=nonmember)
        return epsilon_star(scores, delta=DELTA).value

    def theirs() -> float:
        fpr, tpr, _ = roc_curve(labels, pooled, drop_intermediate=False)
        return largest(fpr, tpr, CLIP)

    sort, roc = Peer.sort(member, nonmember), Peer.timed("roc_curve", theirs, 2)
    seconds, values = best(ours, 3), f"{ours():.6f} here, {theirs():.6f} there"
    yield Row(f"Epsilon* of losses, {n} a class", seconds, sort)
    yield Row(f"Epsilon* of losses, {n} a class", seconds, roc, values)
    scores = AttackScores.from_losses(member=member, nonmember=nonmember)
    epsilon_star(scores, delta=DELTA)
    deltas, clips = (k * 1e-5 for k in count(2)), (k * 1e-4 for k in count(1))
    delta = best(lambda: epsilon_star(scores, delta=next(deltas)), 10)
    yield Row(f"change of delta, {n} a class", delta, sort)
    clip = best(lambda: epsilon_star(scores, delta=DELTA, clip=next(clips)), 10)
    yield Row(f"change of clip, {n} a class", clip, sort)


def parametric() -> Iterator[Row]:
    """Two Normal distributions, exactly, and a change of delta for each kind of fit."""

    def ours() -> float:
        return epsilon_star_of_normals(
            nonmember=NONMEMBER, member=MEMBER, delta=DELTA, clip=DELTA
        ).value

    grid = Peer.timed("grid", paper_grid, 3)
    values = f"{ours():.12f} here, {paper_grid():.12f} there"
    yield Row("Epsilon* of two Normal distributions", best(ours, 200), grid, values)
    analysis = Analysis(read_sample("gamma"))
    for components in (1, 3, 10):
        spec = Spec.of(method="mixture", components=components)
        analysis.result(spec)
        deltas = (k * 1e-6 for k in count(1))

        def change(spec: Spec = spec, deltas: Iterator[float] = deltas) -> object:
            return analysis.result(spec.changed(delta=next(deltas)))

        yield Row(f"change of delta, mixture of {components}", best(change, 10), grid)


def permutations() -> Iterator[Row]:
    """Permuted labels of 5000 + 5000 losses, beside as many rounds of sorting the scores anew."""
    scores = read_sample("gamma")
    pooled = np.concatenate([scores.member, scores.nonmember])
    sorts = Peer.timed(
        f"{PERMUTATIONS} x numpy.sort", lambda: [np.sort(pooled) for _ in range(PERMUTATIONS)], 1
    )
    for method in ("empirical", "normal"):

        def test(method: str = method) -> object:
            return permutation_test(scores, delta=DELTA, method=method, n_resamples=PERMUTATIONS)

        yield Row(f"permutation test, {method}", best(test, 1), sorts)


def rows() -> Iterator[Row]:
    """Counts, fits, permutations."""
    yield from empirical(SIZE)
    yield from parametric()
    yield from permutations()


if __name__ == "__main__":
    show(rows())
