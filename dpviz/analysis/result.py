"""The result of an analysis: frozen parts, and the sentences and tables about these parts.

A part that a change of the spec does not affect is the same object in the next result, so that a
layer of a picture is redrawn only if the identity of its part changes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from dpviz.analysis.spec import Spec
from dpviz.audit.bounds import EpsilonBound
from dpviz.audit.comparison import BestOf
from dpviz.audit.evidence.claim import ClaimTest
from dpviz.audit.evidence.null import NullBand, NullDistribution
from dpviz.audit.roc import OperatingPoint
from dpviz.audit.roc.area_and_advantage import Advantage, AucInterval
from dpviz.audit.roc.bands import CurveBand
from dpviz.audit.roc.curve import RateBox
from dpviz.audit.roc.tpr_at_fpr import TprAtFpr
from dpviz.audit.scores.base import Scores
from dpviz.audit.upper_limits import AtMost
from dpviz.checks import FloatArray
from dpviz.drawing.axes import LEAST_ODDS, WIDEST_ODDS
from dpviz.drawing.matplotlib_frame import plot_scene
from dpviz.naming import Naming, naming_of
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.dominance import Dominance
from dpviz.theory.risk import BestAttack
from dpviz.value_object import MOST_OF_FIELD, ValueObject, shortened

if TYPE_CHECKING:  # topics are written about results
    from dpviz.analysis.topic import Table
    from dpviz.analysis.topics.answer import Answer
    from dpviz.analysis.topics.attacks import AttackComparison, AttackPart
    from dpviz.analysis.topics.claim import GuaranteePart
    from dpviz.analysis.topics.epsilon_star import EpsilonStarPart
    from dpviz.analysis.topics.fit import FitPart
    from dpviz.analysis.topics.guess import GuessPart
    from dpviz.analysis.topics.people import PeoplePart
    from dpviz.analysis.topics.scores import HistogramPart

LOW_FPR = 0.001  # the FPR in sentences below the picture of low FPRs
PointSource = Literal["attack", "claim", "chosen"]
Outcome = Literal["contradicted", "not contradicted", "cannot decide", "no claim"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClaimPart(ValueObject):
    """The claim in the adjacency of the audit; `curve` and `region` have columns FPR and FNR."""

    claim: TradeoffFunction
    # What its parameters would give for the other adjacency; None if that does not differ.
    other_reading: TradeoffFunction | None
    converted: bool  # from add/remove to replace-one adjacency
    epsilon: float  # the claim's parameter, or else `implied`
    delta: float  # the claim's parameter, or else that of the spec
    implied: float  # the smallest epsilon that holds at `delta`
    implied_back: float  # the same for the reversed pair (Q, P)
    implied_before: float  # the same for the claim before conversion
    curve: FloatArray
    region: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RegionPointPart(ValueObject):
    """A point of the region picture (movable or pinned), with the least epsilon that allows it."""

    fpr: float
    fnr: float
    source: PointSource
    implied_epsilons: FloatArray
    epsilon: float
    admitted: bool


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskPart(ValueObject):
    """An attack's advantage and PPV, or their limits under the claim, as functions of the FPR."""

    advantage: FloatArray
    ppv: FloatArray
    ppv_at_zero: float = math.nan  # of an attack at FPR 0: 1, or nan if no record is flagged there


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClaimRiskAtFpr(ValueObject):
    """The largest advantage and PPV that the claim allows at one FPR."""

    fpr: float
    advantage: float
    ppv: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackMetricsPart(ValueObject):
    """AUC, advantage, and the TPR at the selected FPR as different tools define this TPR."""

    tpr_at_fpr: tuple[TprAtFpr, ...]
    auc: AucInterval
    advantage: Advantage


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AuditPart(ValueObject):
    """The slow results of an audit; a field is None until it is computed."""

    bound: EpsilonBound | None = None
    test: ClaimTest | None = None
    ceiling: float | None = None  # the bound for a perfect attack
    at_most: AtMost | None = None  # what this attack cannot reach
    claim_ceiling: float | None = None  # the same at the delta of an (epsilon, delta) claim
    other_contradicted: bool | None = None  # whether the scores contradict `other_reading`
    best_of: BestOf | None = None  # the bounds of several attacks
    null: NullDistribution | None = None  # of AUC, Epsilon*, ... if membership is random
    null_band: NullBand | None = None
    pending: tuple[tuple[str, tuple[object, ...]], ...] = ()  # missing fields, with arguments
    refused: tuple[tuple[str, str], ...] = ()  # fields that cannot be computed, with the reason


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SamplePart(ValueObject):
    """All results that are computed from the scores."""

    scores: Scores
    attack: "AttackPart"
    at_fpr: OperatingPoint  # of the selected FPR, as the next two are of 1 % and of `LOW_FPR`
    threshold: float  # at `at_fpr`, rounded
    at_one_percent: OperatingPoint
    at_low_fpr: OperatingPoint
    bounds: ClaimRiskAtFpr  # at the FPR of `at_fpr`
    risk: RiskPart
    histogram: "HistogramPart"
    epsilon_star: "EpsilonStarPart"
    fit: "FitPart"
    band: CurveBand
    box: RateBox  # confidence limits of the true FPR and FNR at `at_fpr`
    attacks: "AttackComparison | None"
    rates: AttackMetricsPart
    audit: AuditPart

    @property
    def largest_likelihood_ratio(self) -> float:
        """The larger of the attack's two ratios TPR / FPR, at the selected FPR and at FPR 1 %."""
        points = [at for at in (self.at_fpr, self.at_one_percent) if at.true_positives]
        return max((at.tpr / at.fpr if at.fpr else math.inf for at in points), default=0.0)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Result(ValueObject):
    """The result of an analysis, with its parts, sentences, tables and pictures.

    `outcome`, `p_value`, `lower_bound`, `claim` and `sentences["answer"]` are what most users want.

    `fpr` is the selected FPR, a number even if the spec has None. `drawn` (the claim) and
    `overlays` have curves to draw. `comparison` says if claim or first overlay is more private.
    `point` is the movable point in the region picture, and `pinned` is the pinned one. `risk` is
    what the claim allows in advantage and PPV, `risk_point` is the same at the selected FPR only,
    and `people` has the numbers of people flagged there. `guess` is about guessing a secret;
    `costs` is the attack of least expected cost. `answers` has results computed on request, such as
    "bounds", by name. `sample` has the results from the scores; it is None without scores.

    Examples
    --------
    >>> from dpviz.analysis import Analysis, Spec
    >>> Analysis().result(Spec.of(epsilon=1.0, delta=0.0)).sentences["profile"]
    'This guarantee gives ε = 1 at δ = 0.'
    >>> import dpviz
    >>> result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    >>> result.outcome, round(result.lower_bound.low, 2), result.lower_bound.confidence_level
    ('contradicted', 2.77, 0.95)
    """

    spec: Spec
    fpr: float
    claim: ClaimPart
    drawn: "GuaranteePart"
    overlays: "tuple[GuaranteePart, ...]"
    comparison: Dominance | None
    point: RegionPointPart
    pinned: RegionPointPart | None
    risk: RiskPart
    risk_point: ClaimRiskAtFpr
    people: "PeoplePart"
    guess: "GuessPart"
    costs: BestAttack
    sample: SamplePart | None
    answers: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def naming(self) -> Naming:
        """The names of error rates and classes in texts about this result.

        If nobody claims the guarantee, texts name the guarantee instead of "the claim".
        """
        from dpviz.analysis.topics.answer import short_claim_text  # which is about results

        is_drawn_only = self.is_claimed and not self.is_tested
        return naming_of(self.spec.naming, short_claim_text(self) if is_drawn_only else "")

    @property
    def odds_decades(self) -> int:
        """The largest power of ten of the odds on log-odds axes.

        The axes go from odds of 10**-n to odds of 10**n, where n is this number: to one false
        positive among the non-members, and to the selected FPR.
        """
        n_nonmembers = 0 if self.sample is None else self.sample.at_fpr.n_nonmembers
        most = max(n_nonmembers + 1, 1 / max(self.fpr, 10.0**-WIDEST_ODDS))
        return max(LEAST_ODDS, min(WIDEST_ODDS, math.ceil(math.log10(most))))

    def setting(self, name: str) -> Any:
        """Return the value of a spec field.

        For "fpr" the value is the selected FPR, which is never None.
        """
        return self.fpr if name == "fpr" else getattr(self.spec, name)

    def with_answer(self, name: str, answer: object) -> "Result":
        """Return a copy of the result with one of its `answers` changed.

        The value `answer` is stored as `name`. None removes the stored answer.
        """
        answers = {key: value for key, value in self.answers.items() if key != name}
        if answer is not None:
            answers[name] = answer
        return replace(self, answers=answers)

    @cached_property
    def is_claimed(self) -> bool:
        """Whether the guarantee rules out some attacks.

        A guarantee with an infinite epsilon, for example, rules out none.
        """
        return not allows_every_attack(self.claim.claim)

    @property
    def is_tested(self) -> bool:
        """Whether the guarantee is treated as a claim.

        A guarantee that allows every attack is no claim. With scores, a guarantee that is only
        plotted (`Spec.tested` is False) is no claim either.
        """
        return self.is_claimed and (self.spec.tested or self.sample is None)

    @cached_property
    def answer(self) -> "Answer":
        """The outcome of the audit, with the values of epsilon.

        These are the claimed epsilon, lower bounds and estimates.
        """
        from dpviz.analysis.topics.answer import answer_of  # which is about results

        return answer_of(self)

    @property
    def outcome(self) -> Outcome | None:
        """The outcome of the audit.

        The outcome "not contradicted" does not confirm the claim. With "cannot decide", even a
        perfect attack on this many records would not contradict the claim. The outcome is None
        without scores, and before the test is computed.
        """
        state = self.answer.state
        return None if state == "promise" or state == "computing" else state

    @property
    def p_value(self) -> float | None:
        """The p-value of the test of the claim.

        The result is None without a test, or if the test has no p-value.
        """
        test = self.sample and self.sample.audit.test
        return test.p_value if test else None

    @property
    def lower_bound(self) -> EpsilonBound | None:
        """The lower bound on epsilon, with its delta and confidence level.

        The bound is None without scores, before it is computed, or if no bound at this delta can be
        computed.
        """
        return None if self.sample is None else self.sample.audit.bound

    def shown_fields(self) -> dict[str, Any]:
        """Return the values that `to_dict` and `to_frame` write, by name.

        Missing values are None.

        Sentences are `answer`, `detail` and `reading` (the adjacency under which the claim is
        read). The claim has `claim`, `claimed_epsilon` (that it gives at `delta`), `adjacency`,
        `applies_to` and `sampling`; its test `outcome`, `p_value` and `confidence_level`.
        `lower_bound` is a bound of epsilon, and `ceiling` the largest bound that this many records
        can give. `epsilon_star`, `auc`, `advantage` and `tpr_at_fpr` are estimates.
        """
        sample, answer, claim = self.sample, self.answer, self.claim
        rates, scores = (sample.rates, sample.scores) if sample else (None, None)
        sentences = {"answer": "answer", "detail": "answer_detail", "reading": "reading"}
        return {
            **{key: self.sentences[name] for key, name in sentences.items()},
            "outcome": self.outcome,
            "claim": claim.claim if self.is_claimed else None,
            "claimed_epsilon": answer.claimed,
            "delta": answer.delta,
            "adjacency": claim.claim.adjacency,
            "applies_to": self.spec.applies_to,
            "sampling": self.spec.sampling,
            "confidence_level": self.spec.confidence_level,
            "p_value": self.p_value,
            "lower_bound": self.lower_bound,
            "ceiling": answer.ceiling,
            "epsilon_star": sample and sample.epsilon_star.star,
            "auc": rates and rates.auc,
            "advantage": rates and rates.advantage,
            "tpr_at_fpr": rates and rates.tpr_at_fpr[0],
            **(scores.shown_fields() if scores else {}),
        }

    def __repr__(self) -> str:
        bound, said = self.lower_bound, self.sentences
        numbers = [f"outcome={self.outcome!r}"] if self.outcome else []
        if bound is not None:
            numbers.append(f"lower_bound.low={bound.low:.6g}")
        if self.p_value is not None:
            numbers.append(f"p_value={self.p_value:.3g}")
        scores = "no scores" if self.sample is None else repr(self.sample.scores)
        lines = [f"Result: {said['answer']}", said["answer_detail"], ", ".join(numbers), scores]
        return "\n  ".join(shortened(line, MOST_OF_FIELD) for line in lines if line)

    def __getstate__(self) -> dict[str, Any]:
        """Return the fields to pickle, without cached texts, which a copy computes again."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def svg(self, *names: str) -> str:
        """Return pictures as one SVG document for a white page, without script or style sheet.

        `names` are keys of `dpviz.analysis.topics.registry.SCENES`, such as "tradeoff"; without
        names, all pictures that have something to show. ValueError for any other name, and for one
        that is given twice. Each picture has its title above and its sentences below.
        """
        from dpviz.analysis.svg import pictures_as_svg  # pictures are drawn of results

        return pictures_as_svg(self, names)

    def plot(self, name: str, ax: Any = None) -> Any:
        """Draw one picture on Matplotlib Axes, and return the Axes.

        Without `ax` the Axes are those of a new figure. The picture is that of :meth:`svg`. Labels
        are placed for the size that the Axes have now. Raises ImportError without Matplotlib, and
        ValueError for another name than :meth:`svg` takes.
        """
        from dpviz.analysis.svg import scene_to_draw  # pictures are drawn of results

        return plot_scene(scene_to_draw(self, name), self, ax)

    def _repr_html_(self) -> str:
        from dpviz.analysis.html import result_html  # written about results

        return result_html(self)

    @property
    def is_outside_by_estimate(self) -> bool:
        """Whether measured rates are outside the claim's region, but no test refutes the claim."""
        if self.sample is None or not self.is_tested or self.answer.state == "contradicted":
            return False
        at = self.sample.at_fpr
        return not self.claim.claim.admits(fpr=at.fpr, fnr=at.fnr)

    @cached_property
    def sentences(self) -> Mapping[str, str]:
        """All registered sentences that apply to this result, by name.

        Some sentences are empty texts.
        """
        from dpviz.analysis.topic import TextsAboutResult  # topics are about results
        from dpviz.analysis.topics.registry import SENTENCES

        return TextsAboutResult(SENTENCES, self)

    @cached_property
    def tables(self) -> "Mapping[str, Table]":
        """All registered tables that apply to this result, by name."""
        from dpviz.analysis.topic import TextsAboutResult  # topics are about results
        from dpviz.analysis.topics.registry import TABLES

        return TextsAboutResult(TABLES, self)


def allows_every_attack(claim: TradeoffFunction) -> bool:
    """Return whether a guarantee allows every attack, as with an infinite epsilon."""
    # With an infinite epsilon, delta excludes only attacks with FPR 0 and a TPR above delta.
    is_infinite = isinstance(claim, ApproximateDP) and math.isinf(claim.claimed_epsilon)
    return is_infinite or claim.beta(0.0) <= 0.0
