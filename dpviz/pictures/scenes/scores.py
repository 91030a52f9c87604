"""The scores, and the Epsilon* that is estimated from them."""

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.claimed_epsilon import ClaimedEpsilon
from dpviz.pictures.layers.clip_window import ClipWindow
from dpviz.pictures.layers.fitted_laws import FittedLaws
from dpviz.pictures.layers.histogram import Histogram
from dpviz.pictures.layers.maximum_place import MaximumPlace
from dpviz.pictures.layers.null_level import NullLevel
from dpviz.pictures.layers.quantiles import Quantiles
from dpviz.pictures.layers.ratio_curves import RatioCurvesLayer
from dpviz.pictures.layers.selected_fpr import SelectedFpr
from dpviz.pictures.layers.threshold import Threshold
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import FPR_LOG_ODDS

SCORES = Scene(
    title="What does the attacker see?",
    topic="scores",
    needs="scores",
    x=AxisSpec(label="loss (low = member-like)"),
    y=AxisSpec(label="share of each class", is_rate=True),
    layers=lambda: [Histogram(), Threshold()],
)

EPSILON_STAR = Scene(
    title="Epsilon*: an estimate for this trained model",
    topic="epsilon_star",
    needs="scores",
    x=FPR_LOG_ODDS,
    y=AxisSpec(label="implied ε (log ratio)", low=-2, high=4),
    right=26,  # half of a last tick of 99.99 %
    layers=lambda: [ClipWindow(), RatioCurvesLayer(), ClaimedEpsilon(), NullLevel(), SelectedFpr()],
)

FIT = Scene(
    title="Do the fitted distributions match the losses?",
    topic="fit",
    needs="scores",
    x=AxisSpec(label="transformed loss"),
    y=AxisSpec(label="density"),
    layers=lambda: [FittedLaws(), MaximumPlace()],
)

QUANTILES = Scene(
    title="Does the fit hold far out?",
    shape="square",
    topic="quantiles",
    needs="scores",
    x=AxisSpec(label="quantile of the fit (standard deviations)", low=-4, high=4),
    y=AxisSpec(label="quantile of the data", low=-4, high=4),
    layers=lambda: [Quantiles()],
)
