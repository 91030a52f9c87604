"""What an attacker gains: right calls, better guesses, lower costs."""

from dpviz.analysis.parts.guess import LOWEST as LOWEST_CHANCE
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.attack_risk import AttackRisk
from dpviz.pictures.layers.claim_curve import ClaimCurve
from dpviz.pictures.layers.costs import LeastCost
from dpviz.pictures.layers.guess import (
    CandidateOutput,
    ChanceWithoutOutput,
    GuessBounds,
    PosteriorBars,
    posterior,
)
from dpviz.pictures.layers.output_laws import OutputCurves
from dpviz.pictures.layers.processing import ProcessedCurve
from dpviz.pictures.layers.risk_bounds import RiskBounds
from dpviz.pictures.layers.selected_fpr import ExampleFpr, SelectedFpr
from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes.axes import FNR, FPR, NAMES

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
    y=NAMES,
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
