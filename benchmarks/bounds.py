"""Time the lower bounds, as ratios to known work on the same data in the same run.

Run with dpviz installed::

    python benchmarks/bounds.py            # 5000 and 10^6 scores per class
    python benchmarks/bounds.py 100000     # other sizes

Seconds depend on the machine; the ratios are what to compare. "sort" is `numpy.sort` of both
classes; "quad" is the joint-beta epsilon by `scipy.integrate.quad` and `brentq`.
"""

import sys

import numpy as np
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.stats import beta
from timing import best

from dpviz import AttackScores
from dpviz.audit import lower_bound
from dpviz.audit.bounds import BOUNDS, joint_beta_epsilon
from dpviz.theory import ApproximateDP

SIZES = (5_000, 1_000_000)
DELTA, GAP = 1e-5, 2.0
COUNTS = {
    "false_positives": 100,
    "true_negatives": 900,
    "false_negatives": 500,
    "true_positives": 500,
}


def by_quad() -> float:
    """The joint-beta epsilon as one would write it: one integral over the FPR for each epsilon."""
    fpr, fnr = beta(100.5, 900.5), beta(500.5, 500.5)

    def share(epsilon: float) -> float:
        claim = ApproximateDP(epsilon=epsilon, delta=DELTA)

        def inside(t: float) -> float:
            return float(fpr.pdf(t) * (fnr.cdf(1 - claim.beta(1 - t)) - fnr.cdf(claim.beta(t))))

        return quad(inside, *fpr.ppf([1e-12, 1 - 1e-12]), limit=200)[0]

    return float(brentq(lambda epsilon: share(epsilon) - 0.05, 0.1, 5))


def bounds_of(size: int) -> None:
    """Every method on two Gaussian classes, the scores sorted beforehand."""
    rng = np.random.default_rng(0)
    member, nonmember = rng.normal(GAP, 1, size), rng.normal(0, 1, size)
    sort = best(lambda: (np.sort(member), np.sort(nonmember)))
    scores = AttackScores(member=member, nonmember=nonmember)
    print(f"{size} scores per class, delta {DELTA:g}; sort {1e3 * sort:.1f} ms")
    for method in BOUNDS:
        found = []

        def bound(method: str = method, found: list[float] = found) -> None:
            found.append(lower_bound(scores, delta=DELTA, method=method, threshold=GAP / 2).low)

        seconds = best(bound, 3)
        print(f"  {method:<16}{found[0]:8.3f}{1e3 * seconds:12.1f} ms{seconds / sort:10.2f} x sort")


if __name__ == "__main__":
    for size in [int(text) for text in sys.argv[1:]] or SIZES:
        bounds_of(size)
    ours = best(lambda: joint_beta_epsilon(**COUNTS, delta=DELTA, confidence_level=0.95))
    plain = best(by_quad, 1)
    print(f"joint-beta: {1e3 * ours:.2f} ms = {ours / plain:.2g} x quad")
