"""How often the limits of AUC, advantage and TPR miss the truth, and how wide they are.

Run with dpviz installed::

    python -m benchmarks.intervals           # 2500 runs a cell: ten minutes
    python -m benchmarks.intervals --runs 200

Laws whose true numbers are known in closed form or by quadrature on their curves; 95 % limits. The
standard error of a share of .05 in 2500 runs is .0044.
"""

import argparse
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr, ndtri

from dpviz.audit import AttackScores, advantage, auc_interval, tpr_interval
from dpviz.checks import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]
Roc = Callable[[FloatArray], FloatArray]  # TPR at an FPR
FPR = 0.1
SIZES = ((20, 20), (60, 1000), (1000, 60), (30, 3000), (500, 500))


def gaussian(mu: float, spread: float = 1.0) -> tuple[Draw, Draw, Roc]:
    """Normal scores, those of members with another mean and spread."""
    return (
        lambda rng, n: rng.normal(mu, spread, n),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: ndtr((mu + ndtri(fpr)) / spread),
    )


def exponential(factor: float) -> tuple[Draw, Draw, Roc]:
    """Exponential scores, those of members so many times as large."""
    return (
        lambda rng, n: rng.exponential(factor, n),
        lambda rng, n: rng.exponential(1, n),
        lambda fpr: fpr ** (1 / factor),
    )


def leak(share: float) -> tuple[Draw, Draw, Roc]:
    """Normal scores, of which a share of the members is far above all."""
    return (
        lambda rng, n: rng.normal(0, 1, n) + 20 * (rng.random(n) < share),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: share + (1 - share) * fpr,
    )


def steps(at: float, share: float) -> tuple[Draw, Draw, Roc]:
    """The least favourable distribution of a TPR: a share of the members at one FPR, all beyond.

    Scores are minus the places from the top, which are uniform for non-members.
    """
    return (
        lambda rng, n: np.where(rng.random(n) < share, -at, -at - 1e-9),
        lambda rng, n: -rng.random(n),
        lambda fpr: np.where(fpr > at, 1.0, np.where(fpr < at, 0.0, share)),
    )


LAWS = {
    "no leak": gaussian(0),
    "Gauss 1": gaussian(1),
    "Gauss 2": gaussian(2),
    "Gauss 3": gaussian(3),
    "Gauss 4": gaussian(4),
    "wide": gaussian(4, 3),
    "exponential 49": exponential(49),
    "5 % leak": leak(0.05),
    "95 % leak": leak(0.95),
    "steps": steps(FPR, 0.5),
}
# Midpoints, dense at both ends.
EDGES = np.concatenate([[0.0], np.geomspace(1e-9, 0.5, 40_000)])
EDGES = np.concatenate([EDGES, 1 - EDGES[-2::-1]])


def main() -> None:
    """Print a line for each law and size: shares of runs that miss, and mean widths."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=2500)
    runs = parser.parse_args().runs
    middle = (EDGES[1:] + EDGES[:-1]) / 2
    print("missed / width of      AUC            advantage      TPR at FPR 10 %")
    for name, (member, nonmember, roc) in LAWS.items():
        truths = (
            float(roc(middle) @ np.diff(EDGES)),
            float(np.max(roc(middle) - middle)),
            float(roc(np.array([FPR]))[0]),
        )
        for n, m in SIZES:
            rng = np.random.default_rng([n, m])
            found = np.empty((runs, 3, 2))
            for run in range(runs):
                scores = AttackScores(member=member(rng, n), nonmember=nonmember(rng, m))
                area, best = auc_interval(scores), advantage(scores)
                found[run] = (area.low, area.high), (best.low, best.high), tpr_interval(scores, FPR)
            low, high = found[..., 0], found[..., 1]
            missed = ((low > truths) | (high < truths)).mean(axis=0)
            widths = (high - low).mean(axis=0)
            cells = [f"{a:.3f} / {b:.4f}" for a, b in zip(missed, widths, strict=True)]
            print(f"{name:15} {n:4} + {m:4}  {'  '.join(cells)}", flush=True)


if __name__ == "__main__":
    main()
