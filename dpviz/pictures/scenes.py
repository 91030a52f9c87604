"""The pictures of a result: which layers make which. Wiring only."""

from dpviz.analysis.log_log import LOWEST, on_axes
from dpviz.analysis.overlays import LOWEST_DELTA
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.attack_curve import AttackCurveLayer
from dpviz.pictures.layers.attack_point import AttackPoint
from dpviz.pictures.layers.attack_risk import AttackRisk
from dpviz.pictures.layers.bands import RuledOut, SurelyReached, as_tail, attack_band, null_band
from dpviz.pictures.layers.bounds import ClaimAcrossBars
from dpviz.pictures.layers.claim_curve import ClaimCurve
from dpviz.pictures.layers.claim_region import ClaimRegion
from dpviz.pictures.layers.claimed_epsilon import ClaimedEpsilon
from dpviz.pictures.layers.clip_window import ClipWindow
from dpviz.pictures.layers.delta_band import DeltaBand
from dpviz.pictures.layers.evidence import evidence_bars, evidence_parts
from dpviz.pictures.layers.fitted_laws import FittedLaws
from dpviz.pictures.layers.histogram import Histogram
from dpviz.pictures.layers.log_log import AttackTail, ClaimTail, on_tail
from dpviz.pictures.layers.maximum_place import MaximumPlace
from dpviz.pictures.layers.null_level import NullLevel
from dpviz.pictures.layers.overlays import Overlays, on_curve, on_far_edge
from dpviz.pictures.layers.profiles import ClaimProfile, ReadEpsilon, on_profile, profile_line
from dpviz.pictures.layers.quantiles import Quantiles
from dpviz.pictures.layers.ratio_curves import RatioCurvesLayer
from dpviz.pictures.layers.region_point import RegionPoint
from dpviz.pictures.layers.risk_bounds import RiskBounds
from dpviz.pictures.layers.selected_fpr import SelectedFpr
from dpviz.pictures.layers.supporting_line import ClaimSlope, SupportingLine
from dpviz.pictures.layers.threshold import Threshold
from dpviz.pictures.scene import Scene

FPR = AxisSpec(label="FPR: non-members accused")
FNR = AxisSpec(label="FNR: members missed")

REGION = Scene(
    title="Privacy region",
    sentences=("region", "implied"),
    x=FPR,
    y=FNR,
    layers=lambda: [
        ClaimRegion(),
        DeltaBand(),
        attack_band(),
        Overlays(lambda overlay: overlay.region, on_far_edge, closed=True),
        SurelyReached(),
        AttackCurveLayer(),
        RegionPoint(),
    ],
)

TRADEOFF = Scene(
    title="Trade-off of FPR and FNR",
    sentences=("tradeoff", "comparison", "band"),
    x=FPR,
    y=FNR,
    layers=lambda: [
        RuledOut(),
        null_band(),
        attack_band(),
        ClaimCurve(),
        Overlays(lambda overlay: overlay.curve, on_curve),
        AttackCurveLayer(),
        SelectedFpr(),
        AttackPoint(),
        ClaimSlope(),
        SupportingLine(),
    ],
)

TAIL = Scene(
    title="Trade-off where few are accused: TPR over FPR, log-log",
    sentences=TRADEOFF.sentences,
    x=AxisSpec(label="FPR: non-members accused (log scale)", low=LOWEST, scale="log"),
    y=AxisSpec(label="TPR: members caught (log scale)", low=LOWEST, scale="log"),
    layers=lambda: [
        RuledOut(as_tail, beyond=LOWEST),
        null_band(as_tail),
        attack_band(as_tail),
        ClaimTail(),
        Overlays(lambda overlay: on_axes(overlay.tail), on_tail),
        AttackTail(),
        SelectedFpr(),
        AttackPoint(on_tail=True),
    ],
)

PROFILE = Scene(
    title="Privacy profile: δ at each ε",
    sentences=("profile",),
    x=AxisSpec(label="ε", high=2),
    y=AxisSpec(label="δ (log scale)", low=LOWEST_DELTA, high=1, scale="log"),
    left=74,
    layers=lambda: [
        ClaimProfile(),
        Overlays(profile_line, on_profile, raise_names=-14),
        ReadEpsilon(),
    ],
)

SCORES = Scene(
    title="Scores of members and non-members",
    sentences=("scores",),
    x=AxisSpec(label="loss (low = member-like)"),
    y=AxisSpec(label="share of the class"),
    left=72,  # small shares have up to five letters at their ticks
    label_offset="4em",
    layers=lambda: [Histogram(), Threshold()],
)

EPSILON_STAR = Scene(
    title="Epsilon*: an estimate, this model instance",
    sentences=("epsilon_star", "warnings"),
    x=AxisSpec(label="FPR t of the threshold (log-odds scale)", low=-3, high=3, scale="log-odds"),
    y=AxisSpec(label="log ratio = implied ε", low=-2, high=4),
    layers=lambda: [
        ClipWindow(),
        RatioCurvesLayer(),
        ClaimedEpsilon(),
        NullLevel(),
        SelectedFpr(),
    ],
)

FIT = Scene(
    title="The fit behind Epsilon*",
    sentences=("fit",),
    x=AxisSpec(label="transformed loss"),
    y=AxisSpec(label="density"),
    layers=lambda: [FittedLaws(), MaximumPlace()],
)

QUANTILES = Scene(
    title="Quantiles: data against fit",
    sentences=("quantiles",),
    x=AxisSpec(label="quantile of the fit (standard deviations)", low=-4, high=4),
    y=AxisSpec(label="quantile of the data", low=-4, high=4),
    layers=lambda: [Quantiles()],
)

RISK = Scene(
    title="Advantage and precision (PPV) at prior p",
    sentences=("risk",),
    x=AxisSpec(label="FPR (log scale)", low=1e-6, high=1, scale="log"),
    y=AxisSpec(label="share", low=0, high=1.08),
    layers=lambda: [RiskBounds(), AttackRisk(), SelectedFpr()],
)

EVIDENCE = Scene(
    title="Claim against evidence",
    sentences=("bound", "against", "cautions", "chance", "ceiling", "consistent"),
    x=AxisSpec(label="ε", high=4),
    y=AxisSpec(label=""),
    left=200,
    layers=lambda: [evidence_bars(), ClaimAcrossBars(evidence_parts)],
)

SCENES: dict[str, Scene] = {
    "region": REGION,
    "tradeoff": TRADEOFF,
    "tail": TAIL,
    "profile": PROFILE,
    "scores": SCORES,
    "epsilon_star": EPSILON_STAR,
    "fit": FIT,
    "quantiles": QUANTILES,
    "risk": RISK,
    "evidence": EVIDENCE,
}
"""Every picture that a result alone makes, in the order of the explorer."""

WITH_SCORES = ("scores", "epsilon_star", "fit", "quantiles", "evidence")
"""Those that show nothing without scores."""
