"""What a spec and the scores amount to: frozen parts, one per thing that is drawn.

A part that a change does not touch is the very same object in the next result, so a layer knows by
identity whether it has anything to draw.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from dpviz.analysis.overlays import GuaranteePart
from dpviz.analysis.spec import Spec
from dpviz.audit import EpsilonBound, EpsilonStar, GoodnessOfFit, OperatingPoint, RatioCurves
from dpviz.audit.advantage import Advantage
from dpviz.audit.auc import AucInterval
from dpviz.audit.claim_test import ClaimTest
from dpviz.audit.curve_band import CurveBand
from dpviz.audit.fits import FitMethod
from dpviz.audit.goodness_of_fit import RangeEnd
from dpviz.audit.null import NullBand, NullDistribution
from dpviz.audit.scores import ScoreKind
from dpviz.audit.tpr_at_fpr import TprAtFpr
from dpviz.audit.transform import Transform
from dpviz.checks import FloatArray
from dpviz.theory import Dominance, TradeoffFunction

PointSource = Literal["attack", "claim", "chosen"]


@dataclass(frozen=True, kw_only=True, eq=False)
class ClaimPart:
    """The claim under replace-one adjacency, as curves; arrays have columns FPR and FNR.

    `epsilon` and `delta` are what measured rates are compared with: the claim's own where it has
    them, else the spec's delta and what the claim implies there.

    `implied` is the smallest epsilon the curve satisfies at `delta`, `implied_back` that of the
    other order of the pair, `implied_before` that of the claim before conversion, at its own delta.
    """

    claim: TradeoffFunction
    converted: bool
    epsilon: float
    delta: float
    implied: float
    implied_back: float
    implied_before: float
    curve: FloatArray
    region: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class PointPart:
    """The point in the region: rates, what they imply, and whether the claim admits them."""

    fpr: float
    fnr: float
    source: PointSource
    implied_epsilons: FloatArray
    epsilon: float
    admitted: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskPart:
    """Bounds on advantage and PPV over the FPR; columns FPR and bound.

    `lowest_fpr` is where the picture's axis begins, low enough to show the cliff that delta makes.
    """

    advantage: FloatArray
    ppv: FloatArray
    lowest_fpr: float


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskPointPart:
    """Both bounds at one FPR."""

    fpr: float
    advantage: float
    ppv: float


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackPart:
    """What the attack reached: its drawn curve, columns FPR and FNR.

    `tail` holds corners of its steps, columns FPR and TPR, dense where either is small.
    """

    curve: FloatArray
    tail: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class AttackRiskPart:
    """The attack's own advantage and PPV over its realised FPR > 0 (columns FPR and value).

    `ppv_at_zero` is the PPV with FPR 0: 1, or nan when nobody can be accused so.
    """

    advantage: FloatArray
    ppv: FloatArray
    ppv_at_zero: float


@dataclass(frozen=True, kw_only=True, eq=False)
class HistogramPart:
    """Shares of both classes per bin, in the unit the numbers came in.

    The outermost bins also hold what lies beyond them: `n_beyond` records.
    """

    edges: FloatArray
    member: FloatArray
    nonmember: FloatArray
    n_beyond: int
    kind: ScoreKind


@dataclass(frozen=True, kw_only=True)
class RoundingPart:
    """The thresholds that binned scores were counted at, and how much larger Epsilon* can be.

    `gap` is what all thresholds can add at most, inf where the counts do not say.
    """

    n_thresholds: int
    gap: float


@dataclass(frozen=True, kw_only=True, eq=False)
class EpsilonStarPart:
    """The estimate, its ratio curves, and what its picture spans.

    `decades` of FPR odds on either side of 1, and log ratios from the lower to the upper end of
    `log_ratio_range`, which has room for every finite maximum. `rounding` where binned scores were
    counted.
    """

    star: EpsilonStar
    curves: RatioCurves
    decades: float
    log_ratio_range: tuple[float, float]
    rounding: RoundingPart | None


@dataclass(frozen=True, kw_only=True, eq=False)
class FitPart:
    """Laws fitted to the transformed losses (low = member-like), beside the losses.

    Parameters
    ----------
    method, transform
        What was fitted, to what. With the empirical method: what the Normal form would fit.
    edges : ndarray, shape (k + 1,)
        Bins over the whole range of the transformed losses.
    member, nonmember : ndarray, shape (k,)
        Densities of the data per bin.
    member_density, nonmember_density : ndarray, shape (j, 2)
        Place and fitted density; no rows without a fit.
    member_quantiles, nonmember_quantiles : ndarray, shape (j, 2)
        Quantiles of the law and of the data, in the data's standard units.
    goodness : GoodnessOfFit or None
        Tests on held-out losses; None where the method uses no fit.
    range_end : RangeEnd
        The loss that adds most to the range.
    kind : {"loss", "score"}
        The unit the numbers came in.
    notes : tuple of str
    """

    method: FitMethod
    transform: Transform
    edges: FloatArray
    member: FloatArray
    nonmember: FloatArray
    member_density: FloatArray
    nonmember_density: FloatArray
    member_quantiles: FloatArray
    nonmember_quantiles: FloatArray
    goodness: GoodnessOfFit | None
    range_end: RangeEnd
    kind: ScoreKind
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class RatesPart:
    """The TPR at the selected FPR by every convention; area and advantage of the whole curve."""

    tpr_at_fpr: tuple[TprAtFpr, ...]
    auc: AucInterval
    advantage: Advantage


@dataclass(frozen=True, kw_only=True, eq=False)
class AuditPart:
    """What takes a moment to work out, as far as it was; None where it was not.

    `bound`, `test` and `ceiling` are confidence statements, `null` is what chance alone gives.
    `pending` names what is left to work out, with its arguments; `refused` what cannot be, and why.
    """

    bound: EpsilonBound | None = None
    test: ClaimTest | None = None
    ceiling: float | None = None
    null: NullDistribution | None = None
    null_band: NullBand | None = None
    pending: tuple[object, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class SamplePart:
    """Everything that needs scores.

    `at_fpr` is the attack with the selected FPR requested, `bounds` what the claim permits at the
    FPR it realises, so that like is compared with like. `threshold` is a short number that gives
    the same counts as `at_fpr.threshold_in_unit`.
    """

    attack: AttackPart
    at_fpr: OperatingPoint
    threshold: float
    bounds: RiskPointPart
    risk: AttackRiskPart
    histogram: HistogramPart
    epsilon_star: EpsilonStarPart
    fit: FitPart
    band: CurveBand
    rates: RatesPart
    audit: AuditPart


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What the explorer shows: the claim always, the sample once scores are loaded.

    `drawn` is the claim without regard to delta, as the overlays are; `comparison` is that of the
    claim with the first overlay, if there is one.
    """

    spec: Spec
    claim: ClaimPart
    drawn: GuaranteePart
    overlays: tuple[GuaranteePart, ...]
    comparison: Dominance | None
    point: PointPart
    risk: RiskPart
    risk_point: RiskPointPart
    sample: SamplePart | None

    @cached_property
    def sentences(self) -> dict[str, str]:
        """One sentence per picture, by the name of the picture."""
        from dpviz.analysis.sentences import SENTENCES

        return {name: write(self) for name, write in SENTENCES.items()}
