"""Attacks as curves: the first one, and the others that are compared with it."""

from dataclasses import dataclass

import numpy as np

from dpviz.analysis.parts.log_log import attack_tail
from dpviz.audit import AttackCurve, CurveBand, Difference, OperatingPoint, Stretch, TprDifference
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray, read_only

MARKED_FPRS = (1e-3, 1e-2, 1e-1)  # vertices of the drawn curve, whatever else is left out
MOST_CORNERS = 512  # of a drawn hull


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackPart:
    """What an attack reached: its drawn curve, columns FPR and FNR.

    `tail` holds corners of its steps, columns FPR and TPR, dense where either is small. `hull` has
    those of the convex curve below it, columns FPR and FNR: what random choices between two
    thresholds reach, too.
    """

    curve: FloatArray
    tail: FloatArray
    hull: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparedAttack:
    """Another attack: its curve and band, and how far the first attack is ahead of it.

    The differences are first minus other; `paired` where both scored the same records.
    """

    name: str
    scores: Scores
    attack: AttackPart
    band: CurveBand
    at_fpr: OperatingPoint
    auc: float
    auc_difference: Difference
    tpr_difference: TprDifference


@dataclass(frozen=True, kw_only=True, eq=False)
class AttacksPart:
    """The compared attacks, and which curve is the lowest where: index 0 is the first attack."""

    compared: tuple[ComparedAttack, ...]
    stretches: tuple[Stretch, ...]


def attack_part(curve: AttackCurve) -> AttackPart:
    """Return what is drawn of an attack, exact at the marked FPRs."""
    corners = _thinned(curve.hull)
    return AttackPart(
        curve=read_only(curve.draw(at=MARKED_FPRS)),
        tail=attack_tail(curve),
        hull=read_only(np.column_stack([curve.fpr[corners], curve.fnr[corners]])),
    )


def are_same_records(one: Scores, other: Scores) -> bool:
    """Whether two scores are known to be of the same records in the same order.

    They are where both are columns of one table with the same column of membership, and no row was
    dropped.
    """
    read = [each.provenance for each in (one, other) if not each.is_binned]
    known = [each for each in read if each is not None and each.n_dropped == 0]
    tables = {(each.sha256, each.understood.partition("membership from ")[2]) for each in known}
    return len(known) == 2 and len(tables) == 1 and all(all(table) for table in tables)


def _thinned(corners: Counts) -> Counts:
    """At most `MOST_CORNERS` of the corners, both ends among them."""
    kept = np.linspace(0, corners.size - 1, min(corners.size, MOST_CORNERS)).round()
    return np.asarray(corners[kept.astype(int)])
