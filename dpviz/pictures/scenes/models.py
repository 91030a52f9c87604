"""Many models: over strategies, and over the stages of one training."""

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.averaged import AveragedRates
from dpviz.pictures.layers.landscape import (
    ChosenStrategy,
    Densities,
    FrontierLine,
    LandscapeAxes,
    StrategyPoints,
)
from dpviz.pictures.layers.timeline import EpsilonOverStages, UtilityOverStages
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import EPSILON, FPR_LOG_ODDS

LANDSCAPE = Scene(
    title="Which models are private and useful?",
    topic="landscape",
    needs="landscape",
    x=AxisSpec(label="Epsilon* (estimate, mean of repeats)", high=4),
    y=AxisSpec(label="utility"),
    layers=lambda: [
        LandscapeAxes(),
        Densities(),
        FrontierLine(),
        ChosenStrategy(),  # under the points, which take the next press
        StrategyPoints(),
    ],
)

BOTH_SIDES = Scene(
    title="Do averaged rates show less than each model?",
    topic="both_sides",
    needs="both_sides",
    x=FPR_LOG_ODDS,
    y=AxisSpec(label="implied ε (largest log ratio)", high=4),
    right=26,  # half of a last tick of 99.99 %
    layers=lambda: [AveragedRates()],
)

TIMELINE = Scene(
    title="How does Epsilon* change during training?",
    topic="timeline",
    needs="timeline",
    x=AxisSpec(label="stage"),
    y=EPSILON,
    layers=lambda: [EpsilonOverStages()],
)

UTILITY = Scene(
    title="How does utility change during training?",
    topic="utility",
    needs="timeline",
    x=AxisSpec(label="stage"),
    y=AxisSpec(label="utility"),
    layers=lambda: [UtilityOverStages()],
)
