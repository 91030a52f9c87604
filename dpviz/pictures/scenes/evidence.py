"""What records certify, by one method or by several, and how many it takes."""

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.bounds import (
    CeilingAcrossBars,
    ClaimAcrossBars,
    bound_bars,
    bounds_parts,
)
from dpviz.pictures.layers.canaries import Canaries
from dpviz.pictures.layers.claim_region import ClaimRegion
from dpviz.pictures.layers.designs import PowerOfDesigns
from dpviz.pictures.layers.evidence import evidence_bars, evidence_parts
from dpviz.pictures.layers.power import PowerOverSize
from dpviz.pictures.layers.slices import group_bars, groups_parts
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import EPSILON, FNR, FPR, NAMES

EVIDENCE = Scene(
    title="What do these records show?",
    topic="evidence",
    needs="scores",
    x=EPSILON,
    y=NAMES,
    left=160,
    layers=lambda: [evidence_bars(), ClaimAcrossBars(evidence_parts)],
)

BOUNDS = Scene(
    title="What do other methods show?",
    topic="bounds",
    needs="bounds",
    x=EPSILON,
    y=NAMES,
    left=200,
    layers=lambda: [bound_bars(), CeilingAcrossBars(), ClaimAcrossBars(bounds_parts)],
)

SLICES = Scene(
    title="Which group is exposed most?",
    topic="slices",
    needs="slices",
    x=EPSILON,
    y=NAMES,
    left=200,
    layers=lambda: [group_bars(), ClaimAcrossBars(groups_parts)],
)

PLAN = Scene(
    title="How many records would be enough?",
    topic="plan",
    needs="plan",
    x=AxisSpec(label="records of both classes (log scale)", low=10, high=1000, scale="log"),
    y=AxisSpec(label="probability to certify the ε", low=0, high=1.05, is_rate=True),
    layers=lambda: [PowerOverSize()],
)

DESIGNS = Scene(
    title="How many records does each audit need?",
    topic="designs",
    needs="designs",
    x=AxisSpec(label="records, half of them members (log scale)", low=10, high=1000, scale="log"),
    y=AxisSpec(label="probability to certify the ε", low=0, high=1.05, is_rate=True),
    layers=lambda: [PowerOfDesigns()],
)

RETRAINING = Scene(
    title="What do retrained models show?",
    shape="square",
    topic="retraining",
    needs="retraining",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimRegion(as_claimed=True), Canaries()],
)
