"""The same guarantee stated in other ways, and what would be enough."""

from dpviz.analysis.parts.guarantee import LOWEST_DELTA
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.deployments import PublishedGuarantees
from dpviz.pictures.layers.for_risk import WhatIsEnough
from dpviz.pictures.layers.overlays import Overlays
from dpviz.pictures.layers.profiles import ClaimProfile, ReadEpsilon, on_profile, profile_line
from dpviz.pictures.layers.ways_of_stating import WaysOfStating
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import FNR, FPR, NAMES

PROFILE = Scene(
    title="Which δ goes with which ε?",
    topic="profile",
    x=AxisSpec(label="ε", high=2),
    y=AxisSpec(label="δ (log scale)", low=LOWEST_DELTA, high=1, scale="log"),
    left=74,
    layers=lambda: [
        ClaimProfile(),
        Overlays(profile_line, on_profile),
        ReadEpsilon(),
    ],
)

WAYS_OF_STATING = Scene(
    title="What does each way of stating the claim allow?",
    topic="ways_of_stating",
    needs="ways_of_stating",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.16, is_rate=True),
    y=NAMES,
    left=235,
    layers=lambda: [WaysOfStating()],
)

DEPLOYMENTS = Scene(
    title="What do published deployments allow?",
    topic="deployments",
    needs="deployments",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.12, is_rate=True),
    y=NAMES,
    left=210,
    layers=lambda: [PublishedGuarantees()],
)

FOR_RISK = Scene(
    title="What would it take?",
    shape="square",
    topic="for_risk",
    needs="for_risk",
    x=FPR,
    y=FNR,
    layers=lambda: [WhatIsEnough()],
)
