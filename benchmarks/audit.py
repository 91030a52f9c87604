"""Time the audit picture, as ratios to the default lower bound on the same data in the same run.

Run with dpviz installed::

    python benchmarks/audit.py            # 5000 and 10^6 scores per class
    python benchmarks/audit.py 100000     # other sizes

Seconds depend on the machine; the ratios are what to compare. What follows by itself in the
explorer is "bound" to "null band"; "change" is what a slider waits for once those are known.
"""

import sys

import numpy as np
from timing import best

from dpviz import Analysis, AttackScores, Spec, audit
from dpviz.theory import GaussianDP, SubsampledGaussian

SIZES = (5_000, 1_000_000)
DELTA = 1e-5


def picture_of(size: int) -> None:
    """Every part of the audit of two Gaussian classes, sorted beforehand."""
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(1, 1, size), nonmember=rng.normal(0, 1, size))
    curve = audit.AttackCurve.from_scores(scores)
    null = audit.null_distribution(scores, delta=DELTA)
    dp_sgd = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1000)
    claim, sizes = dp_sgd.to_replace_one(), {"n_members": size, "n_nonmembers": size}
    analysis, spec = Analysis(scores), Spec.of(delta=DELTA)
    analysis.prepare_audit(spec)
    moved = iter(np.linspace(1, 2, 1000))
    parts = {
        "bound": lambda: audit.lower_bound(scores, delta=DELTA),
        "ceiling": lambda: audit.ceiling(**sizes, delta=DELTA, seed=next(seeds)),
        "null": lambda: audit.null_distribution(scores, delta=DELTA),
        "null band": null.band,
        "band": lambda: audit.curve_band(curve),
        "TPR at FPR": lambda: audit.tpr_table(curve, 0.01),
        "AUC": lambda: audit.auc_interval(scores),
        "advantage": lambda: audit.advantage(curve),
        "claim, Gaussian": lambda: audit.claim_test(scores, GaussianDP(mu=0.9), curve=curve),
        "claim, DP-SGD": lambda: audit.claim_test(scores, claim, curve=curve),
        "change": lambda: analysis.result(spec.changed(epsilon=next(moved))),
    }
    seeds = iter(range(1, 1000))  # the ceiling is remembered for each seed
    seconds = {name: best(part) for name, part in parts.items()}
    print(f"{size} scores per class, delta {DELTA:g}")
    for name, taken in seconds.items():
        print(f"  {name:16s} {1e3 * taken:8.1f} ms   {taken / seconds['bound']:6.3f} x bound")


if __name__ == "__main__":
    for asked in [int(size) for size in sys.argv[1:]] or SIZES:
        picture_of(asked)
