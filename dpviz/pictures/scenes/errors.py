"""What a claim allows and what an attack reaches, in the plane of both error rates."""

from dpviz.analysis.parts.log_log import LOWEST, on_axes
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.attack_curve import AttackCurveLayer
from dpviz.pictures.layers.attack_hull import AttackHull
from dpviz.pictures.layers.attack_point import AttackPoint
from dpviz.pictures.layers.bands import (
    RuledOut,
    SurelyReached,
    as_roc,
    as_tail,
    as_tail_point,
    attack_band,
    null_band,
)
from dpviz.pictures.layers.claim_curve import ClaimCurve, ClaimRoc
from dpviz.pictures.layers.claim_region import ClaimRegion
from dpviz.pictures.layers.compared_attacks import (
    ComparedAttacks,
    ComparedBands,
    attack_tail,
    on_attack,
    on_attack_roc,
    on_steps,
)
from dpviz.pictures.layers.delta_band import DeltaBand
from dpviz.pictures.layers.log_log import AttackTail, ClaimTail, on_tail
from dpviz.pictures.layers.overlays import Overlays, on_curve, on_far_edge, on_roc
from dpviz.pictures.layers.pinned_point import PinnedPoint
from dpviz.pictures.layers.point_box import PointBox
from dpviz.pictures.layers.random_guessing import GuessingPoint
from dpviz.pictures.layers.region_point import FlippedPoint, RegionPoint
from dpviz.pictures.layers.selected_fpr import ExampleFpr, SelectedFpr
from dpviz.pictures.layers.supporting_line import ClaimSlope, SupportingLine
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import FNR, FPR

REGION = Scene(
    title="What does the claim allow?",
    title_with_scores="Does the attack leave what is promised?",
    title_without_claim="Which errors does the attack make?",
    shape="square",
    topic="region",
    x=FPR,
    y=FNR,
    layers=lambda: [
        ClaimRegion(),
        DeltaBand(),
        attack_band(),
        Overlays(lambda overlay: overlay.region, on_far_edge, closed=True),
        SurelyReached(),
        AttackHull(),
        AttackCurveLayer(),
        ComparedAttacks(lambda attack: attack.curve, on_attack),
        FlippedPoint(),
        PointBox(),
        PinnedPoint(),
        RegionPoint(),
    ],
)

GUESSING = Scene(
    title="What if the attacker only guesses?",
    shape="square",
    x=FPR,
    y=FNR,
    layers=lambda: [GuessingPoint(), SelectedFpr()],
)

ALLOWED = Scene(
    title="What does the claim allow?",
    shape="square",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimRegion(), DeltaBand(), ExampleFpr()],
)

TRADEOFF = Scene(
    title="How do the two errors trade off?",
    title_with_scores="How close does the attack come to the limit?",
    shape="square",
    topic="tradeoff",
    x=FPR,
    y=FNR,
    layers=lambda: [
        RuledOut(),
        null_band(),
        attack_band(),
        ComparedBands(),
        ClaimCurve(),
        Overlays(lambda overlay: overlay.curve, on_curve),
        AttackCurveLayer(),
        ComparedAttacks(lambda attack: attack.curve, on_attack),
        SelectedFpr(),
        AttackPoint(),
        ClaimSlope(),
        SupportingLine(),
    ],
)

ROC = Scene(
    title="How many are caught, and how many wrongly accused?",
    shape="square",
    topic="tradeoff",
    x=FPR,
    y=AxisSpec(label="members caught (TPR)", is_rate=True),
    layers=lambda: [
        RuledOut(as_roc, beyond=0.0),
        null_band(as_roc),
        attack_band(as_roc),
        ComparedBands(as_roc),
        ClaimRoc(),
        Overlays(lambda overlay: as_roc(overlay.curve), on_roc),
        AttackCurveLayer(as_roc),
        ComparedAttacks(lambda attack: as_roc(attack.curve), on_attack_roc),
        SelectedFpr(),
        AttackPoint(as_roc),
    ],
)

TAIL = Scene(
    title="How many are caught where few are wrongly accused?",
    shape="square",
    topic="tradeoff",
    lead_topic="tail",
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log scale)", low=LOWEST, scale="log", is_rate=True
    ),
    y=AxisSpec(label="members caught (TPR, log scale)", low=LOWEST, scale="log", is_rate=True),
    layers=lambda: [
        RuledOut(as_tail, beyond=LOWEST),
        null_band(as_tail),
        attack_band(as_tail),
        ComparedBands(as_tail),
        ClaimTail(),
        Overlays(lambda overlay: on_axes(overlay.tail), on_tail),
        AttackTail(),
        ComparedAttacks(attack_tail, on_steps, steps=True),
        SelectedFpr(),
        AttackPoint(as_tail_point),
    ],
)
