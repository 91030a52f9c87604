"""Lower bounds beside sorting the same scores: ``python -m benchmarks.bounds``.

The joint-beta epsilon is beside `scipy.integrate.quad` and `brentq`, as one would write it.
"""

from collections.abc import Iterator

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta

from benchmarks.harness import QUICK, Peer, Row, best, show
from benchmarks.methods import methods
from benchmarks.methods.joint_posterior import joint_beta_epsilon
from dpviz import AttackScores
from dpviz.audit.bounds.result import BoundMethod, BoundRequest
from dpviz.theory import ApproximateDP

SIZES = (1_000,) if QUICK else (5_000, 1_000_000)
DELTA, GAP = 1e-5, 2.0
COUNTS = {
    "false_positives": 100,
    "true_negatives": 900,
    "false_negatives": 500,
    "true_positives": 500,
}


def by_quad() -> float:
    """One integral over the FPR for each epsilon."""
    fpr, fnr = beta(100.5, 900.5), beta(500.5, 500.5)

    def share(epsilon: float) -> float:
        claim = ApproximateDP(epsilon=epsilon, delta=DELTA)

        def inside(t: float) -> float:
            return float(fpr.pdf(t) * (fnr.cdf(1 - claim.beta(1 - t)) - fnr.cdf(claim.beta(t))))

        return quad(inside, *fpr.ppf([1e-12, 1 - 1e-12]), limit=200)[0]

    return float(brentq(lambda epsilon: share(epsilon) - 0.05, 0.1, 5))


def bounds_of(size: int) -> Iterator[Row]:
    """Every method on two Gaussian classes, the scores sorted beforehand."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(GAP, 1, size), rng.normal(0, 1, size)
    peer = Peer.sort(member, nonmember)
    scores = AttackScores(member=member, nonmember=nonmember)
    request = BoundRequest(delta=DELTA, confidence_level=0.95, threshold=GAP / 2)
    for name, method in methods().items():
        found = []

        def bound(method: BoundMethod = method, found: list[float] = found) -> None:
            found.append(method.rule(scores, request).low)

        seconds = best(bound, 3)
        yield Row(f"bound `{name}`, {size} a class", seconds, peer, f"epsilon {found[0]:.3g}")


def rows() -> Iterator[Row]:
    """All methods at all sizes."""
    for size in SIZES:
        yield from bounds_of(size)
    ours = best(lambda: joint_beta_epsilon(**COUNTS, delta=DELTA, confidence_level=0.95))
    yield Row("joint-beta epsilon", ours, Peer.timed("scipy quad, brentq", by_quad, 1))


if __name__ == "__main__":
    show(rows())
