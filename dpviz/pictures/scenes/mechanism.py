"""A mechanism from the inside: outputs, noise, privacy loss, the membership game."""

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.claim_curve import ClaimCurve
from dpviz.pictures.layers.decision_point import DecisionPoint
from dpviz.pictures.layers.density_ratio import DensityRatio
from dpviz.pictures.layers.experiment import SettlingCloud, SettlingRates
from dpviz.pictures.layers.noise import NoiseOverDimension
from dpviz.pictures.layers.output_laws import ErrorAreas, OutputCurves, OutputThreshold
from dpviz.pictures.layers.privacy_loss import LossTails
from dpviz.pictures.layers.selected_fpr import ExampleFpr
from dpviz.pictures.layers.zoom_levels import EpsilonOfLevels
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import FNR, FPR

OUTPUTS = Scene(
    title="What does the mechanism release?",
    topic="outputs",
    needs="mechanism",
    of_claim=True,
    x=AxisSpec(label="output"),
    y=AxisSpec(label="density"),
    layers=lambda: [ErrorAreas(), OutputCurves(), OutputThreshold()],
)

RATIO = Scene(
    title="How much does each output tell?",
    topic="ratio",
    needs="ratio",
    x=AxisSpec(label="output"),
    y=AxisSpec(label="log of the ratio of densities, log Q/P"),
    layers=lambda: [DensityRatio()],
)

ZOOM_LEVELS = Scene(
    title="Does a finer map of averages leak more?",
    topic="zoom_levels",
    needs="zoom_levels",
    x=AxisSpec(label="regions of the map (log scale)", low=1, high=1000, scale="log"),
    y=AxisSpec(label="ε (log scale)", low=0.001, high=10, scale="log"),
    left=74,
    layers=lambda: [EpsilonOfLevels()],
)

NOISE = Scene(
    title="Which noise is smaller in many dimensions?",
    topic="noise",
    needs="noise",
    x=AxisSpec(label="dimension d of the query (log scale)", low=1, high=10_000, scale="log"),
    y=AxisSpec(
        label="standard deviation of the noise (log scale)", low=0.1, high=1000, scale="log"
    ),
    left=74,
    layers=lambda: [NoiseOverDimension()],
)

DECISION = Scene(
    title="Where is this test on the trade-off curve?",
    shape="square",
    topic="decision",
    needs="mechanism",
    of_claim=True,
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimCurve(), ExampleFpr(), DecisionPoint()],
)

PRIVACY_LOSS = Scene(
    title="How large can the privacy loss be?",
    topic="privacy_loss",
    needs="mechanism",
    of_claim=True,
    x=AxisSpec(label="privacy loss L = log Q/P"),
    y=AxisSpec(label="probability (log scale)", low=1e-6, scale="log"),
    layers=lambda: [LossTails()],
)

EXPERIMENT = Scene(
    title="Do many rounds settle on the curve?",
    shape="square",
    topic="experiment",
    needs="experiment",
    x=FPR,
    y=FNR,
    left=92,  # magnified, ticks have up to six digits
    label_offset="5.2em",
    layers=lambda: [SettlingCloud()],
)

EXPERIMENT_RATES = Scene(
    title="How fast do the shares settle?",
    needs="experiment",
    topic="experiment_rates",
    x=AxisSpec(label="rounds (log scale)", low=1, high=100, scale="log"),
    y=AxisSpec(label="share (log scale)", low=0.001, high=1, scale="log", is_rate=True),
    layers=lambda: [SettlingRates()],
)
