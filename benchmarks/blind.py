"""How often the limits of a blind baseline, and of an attack above it, miss the truth.

Run with dpviz installed::

    python -m benchmarks.blind          # measures what blind.json lacks: all of it in an hour
    python -m benchmarks.blind --page   # only writes the table again

Features and answers of the attack have few values, so that the true AUC and TPR of a classifier
that was fitted to one half are exact sums over all combinations. 95 % limits; beside them those
that take both halves for independent. Where features tell nothing, also how often the p-value is
at most 0.05. The rows are kept in blind.json; the table in docs/appendix/blind.md is written from
it. The standard error of a share of .05 is .0097 in 500 runs.
"""

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import APPENDIX, write_table
from dpviz.audit import AttackScores
from dpviz.audit.blind import BlindBaseline, above_blind, blind_baseline
from dpviz.checks import FloatArray

FPR, RUNS, RESAMPLES = 0.1, 500, 199
FILE = Path(__file__).with_suffix(".json")
PAGE = APPENDIX / "blind.md"
SIZES = ((20, 20), (100, 100), (1000, 1000), (30, 600), (600, 30))
STATEMENTS = (
    *("AUC", "AUC, as if independent", "TPR"),
    *("AUC difference", "TPR difference", "p <= .05"),
)
COLUMNS = ("law", "members", "nonmembers", "runs", *STATEMENTS)
ANSWERS = 4  # values of the attack


def tilted(values: int, by: float) -> FloatArray:
    """Probabilities of so many values, those of high ones larger by a power."""
    weights = np.exp(by * np.linspace(-1, 1, values))
    return np.asarray(weights / weights.sum())


@dataclass(frozen=True)
class Law:
    """Independent features with `values` values each, and an independent answer of the attack.

    `shift` is that of the features of members, `leak` that of the answer; `mixed` is the weight of
    the first feature in the score of the attack.
    """

    features: int
    values: int
    shift: float
    leak: float = 0.8
    mixed: float = 0.0

    @cached_property
    def points(self) -> FloatArray:
        """All combinations of features and answer, one a row."""
        axes = [range(self.values)] * self.features + [range(ANSWERS)]
        return np.array([*product(*axes)], float)

    @cached_property
    def weights(self) -> tuple[FloatArray, FloatArray]:
        """Their probabilities among members and non-members."""

        def of(shift: float, leak: float) -> FloatArray:
            parts = [tilted(self.values, shift)] * self.features + [tilted(ANSWERS, leak)]
            return reduce(np.multiply.outer, parts).ravel()

        return of(self.shift, self.leak), of(0.0, 0.0)

    def attack(self, points: FloatArray) -> FloatArray:
        """The scores of the attack."""
        return points[:, -1] + self.mixed * points[:, 0]

    def draw(self, rng: np.random.Generator, n: int, m: int) -> list[FloatArray]:
        """Members and non-members."""
        at = [rng.choice(len(w), k, p=w) for w, k in zip(self.weights, (n, m), strict=True)]
        return [self.points[rows] for rows in at]

    def rates(self, scores: FloatArray) -> tuple[float, float, float]:
        """The true AUC of these scores of all points, and the least and largest TPR at `FPR`."""
        _, at = np.unique(-np.round(scores, 9), return_inverse=True)
        member, nonmember = (np.bincount(at, w) for w in self.weights)
        tpr, fpr = (np.concatenate([[0], np.cumsum(w)]) for w in (member, nonmember))
        before = tpr[np.searchsorted(fpr, FPR, side="right") - 1]
        area = float(np.sum(np.diff(fpr) * (tpr[1:] + tpr[:-1]) / 2))
        return area, float(before), float(np.interp(FPR, fpr, tpr))


LAWS = {
    "null, 1 feature": Law(1, 10, 0.0),
    "null, 3 features": Law(3, 4, 0.0),
    "null, 8 features": Law(8, 2, 0.0),
    "weak shift": Law(3, 4, 0.15),
    "shift": Law(3, 4, 0.6),
    "strong shift": Law(3, 4, 2.0),
    "weak shift, attack knows it": Law(3, 4, 0.3, leak=0.3, mixed=1.0),
    "attack knows nothing else": Law(1, 10, 0.5, leak=0.0, mixed=5.0),
}


def missed(law: Law, blind: BlindBaseline, answers: list[FloatArray]) -> Iterator[bool]:
    """Which statements are false."""
    points = law.points
    found = np.array([law.rates(h.classifier.scores(points[:, :-1])) for h in blind.halves])
    area, *tpr = found.mean(axis=0)
    auc, middle = blind.auc, (blind.auc.low + blind.auc.high) / 2
    yield not auc.low <= area <= auc.high
    yield abs(area - middle) > (auc.high - auc.low) / 2 / np.sqrt(2)
    yield not blind.tpr.low - 1e-9 <= tpr[0] <= tpr[1] <= blind.tpr.high + 1e-9
    scores = AttackScores(member=law.attack(answers[0]), nonmember=law.attack(answers[1]))
    above, own = above_blind(scores, blind), law.rates(law.attack(points))
    yield not above.auc.low <= own[0] - area <= above.auc.high
    yield above.tpr.low > own[1] - tpr[1] + 1e-9 or above.tpr.high < own[2] - tpr[0] - 1e-9
    yield blind.p_value <= 0.05


def measure(name: str, n: int, m: int, runs: int = RUNS, resamples: int = RESAMPLES) -> list[Any]:
    """A row of the file."""
    law, rng, counts = LAWS[name], np.random.default_rng([n, m]), np.zeros(len(STATEMENTS), int)
    for run in range(runs):
        answers = law.draw(rng, n, m)
        tables = [each[:, :-1] for each in answers]
        blind = blind_baseline(*tables, fpr=FPR, n_resamples=resamples, rng=run)
        counts += [*missed(law, blind, answers)]
    *misses, small = counts.tolist()
    return [name, n, m, runs, *misses, None if law.shift else small]  # else p is to be small


def table(rows: list[list[Any]]) -> list[str]:
    """The largest share of runs, over all sizes, in which a statement was false."""
    lines = [f"| features | {' | '.join(STATEMENTS)} |", "|---" * (1 + len(STATEMENTS)) + "|"]
    for name in dict.fromkeys(row[0] for row in rows):
        found = [row for row in rows if row[0] == name]
        cells = [name]
        for i in range(4, 4 + len(STATEMENTS)):
            shares = [100 * row[i] / row[3] for row in found if row[i] is not None]
            cells.append(f"{max(shares):.1f} %" if shares else "")
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def main() -> None:
    """Measure each cell that the file lacks, keep its row, and write the page."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--page", action="store_true", help="only write the table again")
    rows = json.loads(FILE.read_text())["rows"] if FILE.exists() else []
    cells = [] if arguments.parse_args().page else [*product(LAWS, SIZES)]
    for name, sizes in cells:
        if [name, *sizes] in [row[:3] for row in rows]:
            continue
        rows.append(measure(name, *sizes))
        print(*rows[-1], flush=True)
        lines = ",\n".join(json.dumps(row) for row in rows)
        FILE.write_text(f'{{"columns": {json.dumps(COLUMNS)}, "rows": [\n{lines}\n]}}\n')
    write_table(PAGE, "blind", table(rows))


if __name__ == "__main__":
    main()
