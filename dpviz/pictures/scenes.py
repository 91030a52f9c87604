"""The pictures of a result and their registry: which layers make which. Wiring only."""

from dpviz.analysis.parts.guarantee import LOWEST_DELTA
from dpviz.analysis.parts.guess import LOWEST as LOWEST_CHANCE
from dpviz.analysis.parts.log_log import LOWEST, on_axes
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.attack_curve import AttackCurveLayer
from dpviz.pictures.layers.attack_hull import AttackHull
from dpviz.pictures.layers.attack_point import AttackPoint
from dpviz.pictures.layers.attack_risk import AttackRisk
from dpviz.pictures.layers.averaged import AveragedRates
from dpviz.pictures.layers.bands import (
    RuledOut,
    SurelyReached,
    as_roc,
    as_tail,
    as_tail_point,
    attack_band,
    null_band,
)
from dpviz.pictures.layers.bounds import (
    CeilingAcrossBars,
    ClaimAcrossBars,
    bound_bars,
    bounds_parts,
)
from dpviz.pictures.layers.canaries import Canaries
from dpviz.pictures.layers.claim_curve import ClaimCurve, ClaimRoc
from dpviz.pictures.layers.claim_region import ClaimRegion
from dpviz.pictures.layers.claimed_epsilon import ClaimedEpsilon
from dpviz.pictures.layers.clip_window import ClipWindow
from dpviz.pictures.layers.compared_attacks import (
    ComparedAttacks,
    ComparedBands,
    attack_tail,
    on_attack,
    on_attack_roc,
    on_steps,
)
from dpviz.pictures.layers.costs import LeastCost
from dpviz.pictures.layers.decision_point import DecisionPoint
from dpviz.pictures.layers.delta_band import DeltaBand
from dpviz.pictures.layers.density_ratio import DensityRatio
from dpviz.pictures.layers.deployments import PublishedGuarantees
from dpviz.pictures.layers.evidence import evidence_bars, evidence_parts
from dpviz.pictures.layers.experiment import SettlingCloud, SettlingRates
from dpviz.pictures.layers.fitted_laws import FittedLaws
from dpviz.pictures.layers.for_risk import WhatIsEnough
from dpviz.pictures.layers.guess import (
    CandidateOutput,
    ChanceWithoutOutput,
    GuessBounds,
    PosteriorBars,
    posterior,
)
from dpviz.pictures.layers.histogram import Histogram
from dpviz.pictures.layers.landscape import (
    ChosenStrategy,
    Densities,
    FrontierLine,
    LandscapeAxes,
    StrategyPoints,
)
from dpviz.pictures.layers.log_log import AttackTail, ClaimTail, on_tail
from dpviz.pictures.layers.maximum_place import MaximumPlace
from dpviz.pictures.layers.noise import NoiseOverDimension
from dpviz.pictures.layers.null_level import NullLevel
from dpviz.pictures.layers.output_laws import ErrorAreas, OutputCurves, OutputThreshold
from dpviz.pictures.layers.overlays import Overlays, on_curve, on_far_edge, on_roc
from dpviz.pictures.layers.people import (
    CELLS_X,
    CELLS_Y,
    DOTS_X,
    DOTS_Y,
    PeopleDots,
    PopulationCells,
    RedrawnDots,
)
from dpviz.pictures.layers.pinned_point import PinnedPoint
from dpviz.pictures.layers.point_box import PointBox
from dpviz.pictures.layers.power import PowerOverSize
from dpviz.pictures.layers.privacy_loss import LossTails
from dpviz.pictures.layers.processing import ProcessedCurve
from dpviz.pictures.layers.profiles import ClaimProfile, ReadEpsilon, on_profile, profile_line
from dpviz.pictures.layers.quantiles import Quantiles
from dpviz.pictures.layers.random_guessing import GuessingPoint
from dpviz.pictures.layers.ratio_curves import RatioCurvesLayer
from dpviz.pictures.layers.region_point import FlippedPoint, RegionPoint
from dpviz.pictures.layers.risk_bounds import RiskBounds
from dpviz.pictures.layers.ruler import HEIGHT, ClaimedTick, Ruler
from dpviz.pictures.layers.selected_fpr import ExampleFpr, SelectedFpr
from dpviz.pictures.layers.slices import group_bars, groups_parts
from dpviz.pictures.layers.supporting_line import ClaimSlope, SupportingLine
from dpviz.pictures.layers.threshold import Threshold
from dpviz.pictures.layers.timeline import EpsilonOverStages, UtilityOverStages
from dpviz.pictures.layers.ways_of_stating import WaysOfStating
from dpviz.pictures.layers.zoom_levels import EpsilonOfLevels
from dpviz.pictures.scene import Scene

FPR = AxisSpec(label="non-members wrongly accused (FPR)", is_rate=True)
FNR = AxisSpec(label="members missed (FNR)", is_rate=True)

RULER = Scene(
    title="What is claimed, and what is certified?",
    shape="strip",
    topic="answer",
    x=AxisSpec(label="ε"),
    y=AxisSpec(label="", high=HEIGHT, visible=False),
    layers=lambda: [Ruler(), ClaimedTick()],
)

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

PEOPLE = Scene(
    title="What does that mean for people?",
    topic="people",
    shape="square",
    x=DOTS_X,
    y=DOTS_Y,
    layers=lambda: [PeopleDots()],
)

REDRAWS = Scene(
    title="What would another audit show?",
    topic="redraws",
    needs="redraws",
    shape="square",
    x=DOTS_X,
    y=DOTS_Y,
    layers=lambda: [RedrawnDots()],
)

POPULATION = Scene(
    title="Who are the people called “member”?",
    topic="population",
    shape="square",
    x=CELLS_X,
    y=CELLS_Y,
    layers=lambda: [PopulationCells()],
)

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
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log-odds scale)",
        low=-3,
        high=3,
        scale="log-odds",
        is_rate=True,
    ),
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

WAYS_OF_STATING = Scene(
    title="What does each way of stating the claim allow?",
    topic="ways_of_stating",
    needs="ways_of_stating",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.16, is_rate=True),
    y=AxisSpec(label=""),
    left=235,
    layers=lambda: [WaysOfStating()],
)

DEPLOYMENTS = Scene(
    title="What do published deployments allow?",
    topic="deployments",
    needs="deployments",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.12, is_rate=True),
    y=AxisSpec(label=""),
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

RISK = Scene(
    title="How often is the attack right?",
    topic="risk",
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log scale)",
        low=1e-6,
        high=1,
        scale="log",
        is_rate=True,
    ),
    y=AxisSpec(label="PPV and advantage", low=0, high=1.08, is_rate=True),
    layers=lambda: [RiskBounds(), AttackRisk(), SelectedFpr()],
)

GUESS = Scene(
    title="How much does the output help a guess?",
    shape="square",
    topic="guess",
    x=AxisSpec(
        label="right without the output (κ, log scale)",
        low=LOWEST_CHANCE,
        scale="log",
        is_rate=True,
    ),
    y=AxisSpec(label="right with the output", high=1.05, is_rate=True),
    numbers=("kappa",),
    layers=lambda: [GuessBounds(), ChanceWithoutOutput()],
)

CANDIDATE_OUTPUT = Scene(
    title="What does the output show of candidate 1?",
    topic="candidate_output",
    needs="posterior",
    x=AxisSpec(label="output"),
    y=AxisSpec(label="density"),
    layers=lambda: [
        OutputCurves(
            lambda result: posterior(result).laws,
            nonmember="another is the secret",
            member="candidate 1 is",
        ),
        CandidateOutput(),
    ],
)

POSTERIOR = Scene(
    title="Which candidate is it?",
    topic="posterior",
    needs="posterior",
    x=AxisSpec(label="probability after the output (dotted: before)", high=1.15, is_rate=True),
    y=AxisSpec(label=""),
    left=110,
    layers=lambda: [PosteriorBars()],
)

COSTS = Scene(
    title="Which attack costs least?",
    shape="square",
    topic="costs",
    x=FPR,
    y=FNR,
    numbers=("cost_false_alarm", "cost_miss"),
    layers=lambda: [ClaimCurve(), LeastCost()],
)

PROCESSING = Scene(
    title="What if something is done to the output?",
    shape="square",
    topic="processing",
    needs="processing",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimCurve(), ProcessedCurve(), ExampleFpr()],
)

EVIDENCE = Scene(
    title="What do these records show?",
    topic="evidence",
    needs="scores",
    x=AxisSpec(label="ε", high=4),
    y=AxisSpec(label=""),
    left=160,
    layers=lambda: [evidence_bars(), ClaimAcrossBars(evidence_parts)],
)

BOUNDS = Scene(
    title="What do other methods show?",
    topic="bounds",
    needs="bounds",
    x=AxisSpec(label="ε", high=4),
    y=AxisSpec(label=""),
    left=200,
    layers=lambda: [bound_bars(), CeilingAcrossBars(), ClaimAcrossBars(bounds_parts)],
)

SLICES = Scene(
    title="Which group is exposed most?",
    topic="slices",
    needs="slices",
    x=AxisSpec(label="ε", high=4),
    y=AxisSpec(label=""),
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

RETRAINING = Scene(
    title="What do retrained models show?",
    shape="square",
    topic="retraining",
    needs="retraining",
    x=FPR,
    y=FNR,
    layers=lambda: [ClaimRegion(as_claimed=True), Canaries()],
)

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
    x=AxisSpec(
        label="non-members wrongly accused (FPR, log-odds scale)",
        low=-3,
        high=3,
        scale="log-odds",
        is_rate=True,
    ),
    y=AxisSpec(label="implied ε (largest log ratio)", high=4),
    right=26,  # half of a last tick of 99.99 %
    layers=lambda: [AveragedRates()],
)

TIMELINE = Scene(
    title="How does Epsilon* change during training?",
    topic="timeline",
    needs="timeline",
    x=AxisSpec(label="stage"),
    y=AxisSpec(label="ε", high=4),
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

# The registry of pictures, in the order of the explorer: the explorer, SVG, saved pages and the
# command line take theirs from it. One more line is one more picture in all of them.
SCENES: dict[str, Scene] = {
    "ruler": RULER,
    "region": REGION,
    "tradeoff": TRADEOFF,
    "roc": ROC,
    "tail": TAIL,
    "profile": PROFILE,
    "ways_of_stating": WAYS_OF_STATING,
    "deployments": DEPLOYMENTS,
    "for_risk": FOR_RISK,
    "people": PEOPLE,
    "population": POPULATION,
    "redraws": REDRAWS,
    "scores": SCORES,
    "epsilon_star": EPSILON_STAR,
    "fit": FIT,
    "quantiles": QUANTILES,
    "risk": RISK,
    "guess": GUESS,
    "candidate_output": CANDIDATE_OUTPUT,
    "posterior": POSTERIOR,
    "costs": COSTS,
    "processing": PROCESSING,
    "evidence": EVIDENCE,
    "bounds": BOUNDS,
    "plan": PLAN,
    "slices": SLICES,
    "retraining": RETRAINING,
    "outputs": OUTPUTS,
    "ratio": RATIO,
    "zoom_levels": ZOOM_LEVELS,
    "noise": NOISE,
    "decision": DECISION,
    "privacy_loss": PRIVACY_LOSS,
    "experiment": EXPERIMENT,
    "experiment_rates": EXPERIMENT_RATES,
    "landscape": LANDSCAPE,
    "both_sides": BOTH_SIDES,
    "timeline": TIMELINE,
    "utility": UTILITY,
}
