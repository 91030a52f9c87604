"""How often the limits of AUC, advantage and TPR miss the truth, and how wide they are.

Run with dpviz installed::

    python -m benchmarks.intervals          # some three minutes
    python -m benchmarks.intervals --page   # only writes the table again

Laws whose true numbers are known in closed form or by quadrature on their curves; 95 % limits. The
limits of the TPR are set beside those that give a quarter of the level to each of four errors. The
rows are kept in intervals.json; the table in docs/appendix/intervals.md is written
from it. The standard error of a share of .05 is .0022 in 10,000 runs, .0044 in 2500.
"""

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from benchmarks.pages import APPENDIX, write_table
from dpviz.audit import AttackCurve, AttackScores, advantage, auc_interval
from dpviz.audit.roc import tpr_interval
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.roc.tpr_at_fpr import vertices_limiting_tpr
from dpviz.checks import FloatArray

Draw = Callable[[np.random.Generator, int], FloatArray]
Roc = Callable[[FloatArray], FloatArray]  # TPR at an FPR
FPR, LEVEL = 0.1, 0.05
SIZES = ((20, 20), (7, 400), (400, 7), (60, 1000), (1000, 60), (30, 3000), (500, 500))
RUNS, MORE_RUNS = 2500, 10_000
FILE = Path(__file__).with_suffix(".json")
PAGE = APPENDIX / "intervals.md"
STATEMENTS = ("AUC", "advantage", "TPR", "TPR, by quarters")
COLUMNS = ("law", "members", "nonmembers", "runs", *STATEMENTS)  # of each: missed, mean width


@dataclass(frozen=True)
class Law:
    """Scores of members and non-members, and their ROC curve."""

    member: Draw
    nonmember: Draw
    roc: Roc
    corners: tuple[float, ...] = ()  # FPRs of the thresholds of tied scores

    def truths(self) -> tuple[tuple[float, float], ...]:
        """AUC, advantage and TPR, each as a range: a tie leaves the TPR open."""
        edges = np.unique(np.concatenate([EDGES, self.corners]))
        middle = (edges[1:] + edges[:-1]) / 2
        area = float(self.roc(middle) @ np.diff(edges))
        best = float(np.max(self.roc(edges) - edges))
        before = max((corner for corner in self.corners if corner <= FPR), default=FPR)
        tpr = self.roc(np.array([before, FPR]))
        return (area, area), (best, best), (float(tpr[0]), float(tpr[1]))


def gaussian(mu: float, spread: float = 1.0) -> Law:
    """Normal scores, those of members with another mean and spread."""
    return Law(
        lambda rng, n: rng.normal(mu, spread, n),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: ndtr((mu + ndtri(fpr)) / spread),
    )


def rounded(mu: float) -> Law:
    """Normal scores, rounded to whole numbers."""
    ends = np.arange(-10, 10) + 0.5
    fpr, tpr = (np.append(ndtr(-np.array(ends) + by)[::-1], 1.0) for by in (0.0, mu))
    return Law(
        lambda rng, n: np.rint(rng.normal(mu, 1, n)),
        lambda rng, n: np.rint(rng.normal(0, 1, n)),
        lambda at: np.interp(at, fpr, tpr),
        tuple(fpr.tolist()),
    )


def exponential(factor: float) -> Law:
    """Exponential scores, those of members so many times as large."""
    return Law(
        lambda rng, n: rng.exponential(factor, n),
        lambda rng, n: rng.exponential(1, n),
        lambda fpr: fpr ** (1 / factor),
    )


def leak(share: float, below: float = 0.0) -> Law:
    """Normal scores, of which a share of the members is far above all, the others moved down."""
    return Law(
        lambda rng, n: rng.normal(0, 1, n) - below + (20 + below) * (rng.random(n) < share),
        lambda rng, n: rng.normal(0, 1, n),
        lambda fpr: share + (1 - share) * (fpr if below == 0 else np.floor(fpr)),
    )


def steps(at: float, share: float) -> Law:
    """Nearly the hardest curve: a share of the members at one FPR, the others just beyond.

    Scores are minus the places from the top, which are uniform for non-members.
    """
    return Law(
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
    "Gauss 1, ties": rounded(1),
    "wide": gaussian(4, 3),
    "exponential 49": exponential(49),
    "5 % leak": leak(0.05),
    "95 % leak": leak(0.95),
    "flat": leak(0.5, below=40.0),
    "steps": steps(FPR, 0.5),
}
# What the page shows, with more runs.
SHOWN = tuple(
    product(
        ("no leak", "Gauss 1", "Gauss 1, ties", "Gauss 3", "flat", "steps"),
        ((60, 1000), (1000, 60)),
    )
)
# Places, dense at both ends.
EDGES = np.concatenate([[0.0], np.geomspace(1e-9, 0.5, 40_000)])
EDGES = np.concatenate([EDGES, 1 - EDGES[-2::-1]])


def by_quarters(curve: AttackCurve) -> tuple[float, float]:
    """Limits of the TPR of which threshold and members may each err with a quarter of the level."""
    each = LEVEL / 4
    below, above = (
        int(curve.true_positives[i]) for i in vertices_limiting_tpr(curve, FPR, level=each)
    )
    n, confidence = curve.n_members, 1 - each
    low = clopper_pearson(below, n, confidence_level=confidence, side="lower")
    return low, clopper_pearson(above, n, confidence_level=confidence, side="upper")


def measure(name: str, n: int, m: int, runs: int) -> list[Any]:
    """A row of the file."""
    law, rng = LAWS[name], np.random.default_rng([n, m])
    area, best, tpr = law.truths()
    truths = np.array([area, best, tpr, tpr])
    found = np.empty((runs, len(STATEMENTS), 2))
    for run in range(runs):
        scores = AttackScores(member=law.member(rng, n), nonmember=law.nonmember(rng, m))
        curve = AttackCurve.from_scores(scores)
        auc, reached = auc_interval(scores), advantage(curve)
        limits = (auc.low, auc.high), (reached.low, reached.high), tpr_interval(curve, FPR)
        found[run] = (*limits, by_quarters(curve))
    missed = ((found[..., 0] > truths[:, 0]) | (found[..., 1] < truths[:, 1])).sum(axis=0)
    widths = (found[..., 1] - found[..., 0]).mean(axis=0).round(4)
    return [name, n, m, runs, *zip(missed.tolist(), widths.tolist(), strict=True)]


def table(rows: list[list[Any]]) -> list[str]:
    """How often the limits of the TPR missed, and how wide they are."""
    lines = [
        "| scores | members + others | missed | mean width | by quarters: missed | mean width |",
        "|---|---|---|---|---|---|",
    ]
    for name, n, m, runs, *found in rows:
        if (name, (n, m)) in SHOWN:
            (missed, width), (before, wide) = found[2:]
            shares = [f"{100 * count / runs:.2f} %" for count in (missed, before)]
            cells = (name, f"{n} + {m}", shares[0], f"{width:.3f}", shares[1], f"{wide:.3f}")
            lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure each cell, keep the rows, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--page", action="store_true", help="only write the table again")
    rows = json.loads(FILE.read_text())["rows"] if FILE.exists() else []
    if not arguments.parse_args().page:
        rows = []
        for name, (n, m) in product(LAWS, SIZES):
            runs = MORE_RUNS if (name, (n, m)) in SHOWN else RUNS
            rows.append(measure(name, n, m, runs))
            print(*rows[-1], flush=True)
        lines = ",\n".join(json.dumps(row) for row in rows)
        FILE.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "rows": [\n{lines}\n]}}\n')
    write_table(PAGE, "intervals", table(rows))


if __name__ == "__main__":
    main()
