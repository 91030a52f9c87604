"""`Analysis`: computes the `Result` of a spec; slow parts are computed once per data set."""

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.analysis import result as parts
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.audit import AuditParts
from dpviz.analysis.memo import memoised
from dpviz.analysis.spec import DEFAULT_FPR, Spec
from dpviz.analysis.topics.attacks import (
    AttackPart,
    AttacksPart,
    ComparedAttack,
    are_same_records,
    attack_part,
)
from dpviz.analysis.topics.claim import GuaranteePart, adjacency_for, guarantee_part, other_reading
from dpviz.analysis.topics.epsilon_star import EpsilonStarPart, epsilon_star_part
from dpviz.analysis.topics.fit import FitPart, fit_part
from dpviz.analysis.topics.guess import GuessPart
from dpviz.analysis.topics.people import PeoplePart, people_part
from dpviz.analysis.topics.scores import HistogramPart, histogram
from dpviz.audit import AttackCurve, Difference, OperatingPoint, Stretch, goodness_of_fit
from dpviz.audit.comparison import auc_difference, lowest_curves, tpr_difference
from dpviz.audit.epsilon_star.estimate import Clip, Method
from dpviz.audit.epsilon_star.fits import (
    Components,
    FitMethod,
    FittedLaws,
    Transform,
    TransformedScores,
    fit_laws,
)
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.claim import MembersAtCuts, requested_fpr, strongest_evidence
from dpviz.audit.roc.curve import RateBox
from dpviz.audit.roc.threshold_search import CountedBlocks, ThresholdBlocks, threshold_blocks
from dpviz.audit.scores.base import Scores, in_unit
from dpviz.checks import read_only
from dpviz.drawing.axes import WIDEST_ODDS, bent
from dpviz.theory import ApproximateDP, BestAttack, Dominance, TradeoffFunction, best_attack, risk
from dpviz.theory.region import implied_epsilons
from dpviz.theory.tradeoff import Adjacency

# Decades of the odds of the FPRs of the risk curves; kinks of the claim add up to 151 more.
RISK_DECADES = np.linspace(-WIDEST_ODDS, WIDEST_ODDS, 361)


class Analysis:
    """Everything computed from one data set (or from none), memoised on this instance.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, optional
        Left out: only the claim's side of the result.

    Examples
    --------
    >>> from dpviz import Analysis, Spec
    >>> analysis = Analysis()
    >>> result = analysis.result(Spec.of(fpr=0.01))
    >>> result.claim is analysis.result(Spec.of(fpr=0.1)).claim
    True
    """

    def __init__(self, scores: Scores | None = None) -> None:
        self.scores = scores

    def result(self, spec: Spec) -> parts.Result:
        """Return the result for a spec; a part whose arguments are unchanged is the same object."""
        # The selected FPR depends on the claim as it is compared, so that comes first.
        claim = self.compared_claim(spec)
        fpr = self.selected_fpr(claim, spec)
        sample = None
        if self.scores is None and spec.compare:
            raise checks.fail("compare", "left out where there are no scores", [*spec.compare])
        if self.scores is not None:
            sample = parts.SamplePart(
                scores=self.scores,
                attack=self.attack(),
                at_fpr=self.operating_point(fpr),
                threshold=self.short_threshold(fpr),
                at_one_percent=self.operating_point(0.01),
                at_low_fpr=self.operating_point(parts.LOW_FPR),
                bounds=self.risk_point(claim.claim, spec.prior, self.operating_point(fpr).fpr),
                risk=self.attack_risk(spec.prior),
                histogram=self.histogram(),
                epsilon_star=self.epsilon_star(
                    claim.delta, spec.method, spec.clip, spec.transform, spec.components
                ),
                fit=self.fit(spec.method, spec.transform, spec.components),
                band=self.evidence().band(spec.confidence_level),
                box=self.rate_limits(fpr, spec.confidence_level),
                attacks=self.attacks(fpr, spec.confidence_level, spec.compare, spec.same_records),
                rates=self.evidence().rates(fpr, spec.confidence_level),
                audit=self.evidence().audit_so_far(claim, spec),
            )
        neighbours = self.neighbours(spec)
        overlays = self.overlays(spec.overlays, neighbours)
        return parts.Result(
            spec=spec,
            fpr=fpr,
            claim=claim,
            drawn=self.guarantee_curves(spec.claim, neighbours),
            overlays=overlays,
            comparison=self.comparison(claim.claim, overlays[0].claim) if overlays else None,
            point=self.point(claim.claim, claim.delta, fpr, spec.fnr),
            pinned=self.point(claim.claim, claim.delta, *spec.pinned_point)
            if spec.pinned_point
            else None,
            risk=self.risk(claim.claim, spec.prior),
            risk_point=self.risk_point(claim.claim, spec.prior, fpr),
            people=self.people(claim.claim, spec.prior, fpr),
            guess=self.guess(claim, spec.kappa),
            costs=self.costs(claim.claim, spec.prior, spec.cost_false_alarm, spec.cost_miss),
            sample=sample,
        )

    def selected_fpr(self, claim: parts.ClaimPart, spec: Spec) -> float:
        """Return the spec's FPR; if None, that of the strongest evidence, or 1 % without scores."""
        if spec.fpr is not None:
            return spec.fpr
        if self.scores is None:
            return DEFAULT_FPR
        against = claim.claim
        # Epsilon does not move the strongest place, so all epsilons share one result.
        if isinstance(against, ApproximateDP):
            against = ApproximateDP(epsilon=0.0, delta=against.claimed_delta)
        return self.strongest_fpr(against, spec.confidence_level)

    def neighbours(self, spec: Spec) -> Adjacency:
        """Return the adjacency under which the claim is compared: add/remove or replace-one."""
        return adjacency_for(spec, with_scores=self.scores is not None)

    def compared_claim(self, spec: Spec) -> parts.ClaimPart:
        """Return the spec's claim, converted to the adjacency under which it is compared."""
        other = other_reading(spec, with_scores=self.scores is not None)
        return self.claim(spec.claim, spec.delta, self.neighbours(spec), other)

    @memoised
    def point(
        self, claim: TradeoffFunction, delta: float, fpr: float, fnr: float | None
    ) -> parts.PointPart:
        """Return the point (FPR, FNR) of the region picture, and the epsilon it implies.

        With `fnr` it is (`fpr`, `fnr`); without, the attack's operating point at `fpr` if there are
        scores, else the point of the claim's curve at `fpr`.
        """
        tpr, tnr = None, None
        source: parts.PointSource = "chosen"
        if fnr is None and self.scores is not None:
            source, reached = "attack", self.operating_point(fpr)
            fpr, fnr, tpr, tnr = reached.fpr, reached.fnr, reached.tpr, reached.tnr
        elif fnr is None:
            source, fnr, tpr = "claim", claim.beta(fpr), claim.tpr(fpr)
        implied = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
        return parts.PointPart(
            fpr=fpr,
            fnr=fnr,
            source=source,
            implied_epsilons=read_only(implied),
            epsilon=max(0.0, float(implied.max())),
            admitted=claim.admits(fpr=fpr, fnr=fnr),
        )

    @memoised
    def people(self, claim: TradeoffFunction, prior: float, fpr: float) -> PeoplePart:
        """Count whom the attack flags; without scores, whom the best attack allowed flags."""
        if self.scores is None:
            return people_part(claim, fpr=fpr, prior=prior)
        at = self.operating_point(fpr)
        return people_part(claim, fpr=at.fpr, prior=prior, fnr=at.fnr)

    def prepare(self, spec: Spec) -> None:
        """Compute and keep the result and the privacy profiles of a spec; safe in any thread."""
        result = self.result(spec)
        for part in (result.drawn, *result.overlays):
            _ = part.profile

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute and keep the slow parts of the audit; safe in any thread."""
        claim = self.compared_claim(spec)
        self.evidence().prepare(claim, spec, progress=progress)

    # ----- what follows from a claim alone

    @memoised
    def claim(
        self,
        claim: TradeoffFunction,
        delta: float,
        neighbours: Adjacency,
        other: TradeoffFunction | None,
    ) -> parts.ClaimPart:
        """Return the claim, converted to the adjacency `neighbours`, with its curves.

        `other` is what is compared if the claim's numbers are read as those of the other adjacency.
        """
        drawn = self.guarantee_curves(claim, neighbours)
        # A claim keeps its own epsilon and delta; without them the delta of the spec counts.
        converted, before = drawn.claim, claim.epsilon(delta)
        delta = converted.parameters.get("delta", delta)
        implied, back = converted.epsilon(delta), converted.inverse()
        return parts.ClaimPart(
            claim=converted,
            other_reading=other,
            converted=claim.adjacency != converted.adjacency,
            epsilon=converted.parameters.get("epsilon", implied),
            delta=delta,
            implied=implied,
            implied_back=implied if back is converted else back.epsilon(delta),
            implied_before=before,
            curve=drawn.curve,
            region=drawn.region,
        )

    @memoised
    def guarantee_curves(self, claim: TradeoffFunction, neighbours: Adjacency) -> GuaranteePart:
        """Return a claim or overlay, converted to the adjacency `neighbours`, with its curves."""
        return guarantee_part(claim, neighbours)

    @memoised
    def overlays(
        self, overlays: tuple[TradeoffFunction, ...], neighbours: Adjacency
    ) -> tuple[GuaranteePart, ...]:
        """Return all overlays, converted to the adjacency `neighbours`, with their curves."""
        return tuple(self.guarantee_curves(overlay, neighbours) for overlay in overlays)

    @memoised
    def comparison(self, claim: TradeoffFunction, overlay: TradeoffFunction) -> Dominance | None:
        """Return which guarantee is more private at which FPRs; None for different adjacencies."""
        return claim.dominates(overlay) if claim.adjacency == overlay.adjacency else None

    @memoised
    def risk(self, claim: TradeoffFunction, prior: float) -> parts.RiskPart:
        """Return the largest advantage and PPV that the claim allows, as curves over the FPR."""
        # Without the claim's kinks, a grid would cut off the corners of the bounds.
        kinks = claim.draw(512 - RISK_DECADES.size)[1:-1, 0]
        fpr = np.union1d(expit(RISK_DECADES * np.log(10)), kinks)
        return parts.RiskPart(
            advantage=read_only(np.column_stack([fpr, risk.advantage(claim, fpr=fpr)])),
            ppv=read_only(np.column_stack([fpr, risk.ppv(claim, fpr=fpr, prior=prior)])),
        )

    @memoised
    def risk_point(self, claim: TradeoffFunction, prior: float, fpr: float) -> parts.RiskPointPart:
        """Return the largest advantage and PPV that the claim allows at one FPR."""
        return parts.RiskPointPart(
            fpr=fpr,
            advantage=float(risk.advantage(claim, fpr=fpr)),
            ppv=risk.ppv(claim, fpr=fpr, prior=prior),
        )

    @memoised
    def guess(self, claim: parts.ClaimPart, kappa: float) -> GuessPart:
        """Return how much the output helps a guess that is right with probability `kappa`."""
        # A pure claim has the looser bound with delta 0, whatever delta the spec has.
        is_pure = {"epsilon", "delta"} & claim.claim.parameters.keys() == {"epsilon"}
        delta = 0.0 if is_pure else claim.delta
        return GuessPart(claim=claim.claim, epsilon=claim.epsilon, delta=delta, kappa=kappa)

    @memoised
    def costs(
        self, claim: TradeoffFunction, prior: float, cost_false_alarm: float, cost_miss: float
    ) -> BestAttack:
        """Return the attack of least expected cost that the claim allows."""
        return best_attack(
            claim, prior=prior, cost_false_alarm=cost_false_alarm, cost_miss=cost_miss
        )

    # ----- what the scores of one attack show; without scores these raise ValueError

    @memoised
    def curve(self) -> AttackCurve:
        """Return the false and true positives at every distinct threshold."""
        return AttackCurve.from_scores(self._loaded())

    @memoised
    def operating_point(self, fpr: float) -> OperatingPoint:
        """Return the attack's operating point with the largest FPR up to `fpr`."""
        return self.curve().at_fpr(fpr)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the attack's operating point at a threshold on the original scale."""
        return self.curve().at_threshold(in_unit(threshold, self.curve().kind))

    @memoised
    def short_threshold(self, fpr: float) -> float:
        """Return the threshold with the fewest digits that has the counts of the attack at `fpr`.

        It is on the scale of the scores as given; for binned scores it is an exact bin edge.
        """
        at = self.operating_point(fpr)
        exact = at.threshold_in_unit
        if np.isinf(exact) or isinstance(self.blocks(), CountedBlocks):
            return exact
        # With more and more digits, until the counts are the same.
        candidates = (float(f"{exact:.{digits}g}") for digits in range(3, 18))
        counts = (at.false_positives, at.true_positives)
        for candidate in candidates:
            reached = self.at_threshold(candidate)
            if (reached.false_positives, reached.true_positives) == counts:
                return candidate
        return exact

    @memoised
    def members_at_cuts(self) -> MembersAtCuts:
        """Return the numbers of members among the first-ranked records, at every rank cut-off."""
        return MembersAtCuts.of(self._loaded())

    @memoised
    def strongest_fpr(self, claim: TradeoffFunction, confidence_level: float) -> float:
        """Return the FPR at which the scores are the strongest evidence against a claim."""
        try:
            # All (epsilon, delta) claims share the counts of members at the rank cut-offs.
            if isinstance(claim, ApproximateDP):
                place = self.members_at_cuts().strongest(claim, confidence_level)
            else:
                place = strongest_evidence(self._loaded(), claim, confidence_level=confidence_level)
        except ValueError:  # such as more records than ranks can be counted of
            return DEFAULT_FPR
        fpr = None if place is None else requested_fpr(self.curve(), claim, place)
        return DEFAULT_FPR if fpr is None else fpr

    @memoised
    def attack(self) -> AttackPart:
        """Return the attack's curve and its convex hull, for drawing."""
        return attack_part(self.curve())

    @memoised
    def attack_risk(self, prior: float) -> parts.AttackRiskPart:
        """Return the attack's advantage and PPV over its realised FPR."""
        # A log-odds axis has no place for FPR 0; the PPV there is a number of its own.
        curve = self.attack().curve
        x, fnr = bent(curve[curve[:, 0] > 0]).T
        y = 1 - fnr
        at_zero = self.operating_point(0.0)
        return parts.AttackRiskPart(
            advantage=read_only(np.column_stack([x, y - x])),
            ppv=read_only(np.column_stack([x, prior * y / (prior * y + (1 - prior) * x)])),
            ppv_at_zero=at_zero.ppv(prior=prior),
        )

    @memoised
    def rate_limits(self, fpr: float, level: float) -> RateBox:
        """Return confidence limits of the true FPR and FNR at the threshold of an FPR."""
        return self.evidence().band(level).box(self.operating_point(fpr))

    @memoised
    def histogram(self) -> HistogramPart:
        """Return the histogram of the scores of members and of non-members."""
        return histogram(self._loaded())

    @memoised
    def epsilon_star(
        self,
        delta: float,
        method: Method,
        clip: Clip,
        transform: Transform = "paper",
        components: Components = "bic",
    ) -> EpsilonStarPart:
        """Return Epsilon* with the curves of log ratios of rates whose maximum it is."""
        fits = None if method == "empirical" else self.fits(method, transform, components)
        return epsilon_star_part(self.curve(), self.blocks(), delta=delta, clip=clip, fits=fits)

    @memoised
    def evidence(self) -> AuditParts:
        """Return the object that computes and keeps the bounds and tests of the scores."""
        return AuditParts(self._loaded(), self.curve())

    @memoised
    def blocks(self) -> ThresholdBlocks:
        """Return the scores, divided into blocks so that Epsilon* is searched fast."""
        return threshold_blocks(self._loaded(), lasting=True)

    @memoised
    def fits(
        self, method: FitMethod, transform: Transform = "paper", components: Components = "bic"
    ) -> FittedLaws:
        """Return the distributions fitted to the transformed scores of members and non-members."""
        sample = TransformedScores.of(self._loaded(), transform)
        return fit_laws(sample, method=method, components=components)

    @memoised
    def fit(self, method: Method, transform: Transform, components: Components) -> FitPart:
        """Return the fit of `method` with a test of it; for "empirical" an untested Normal fit."""
        if method == "empirical":
            return fit_part(self.fits("normal", transform), None)
        goodness = goodness_of_fit(
            self._loaded(), method=method, transform=transform, components=components
        )
        return fit_part(self.fits(method, transform, components), goodness)

    def _loaded(self) -> Scores:
        if self.scores is None:
            raise ValueError("scores must be loaded for this, got None")
        return self.scores

    # ----- several attacks on one model

    @memoised
    def attacks(
        self, fpr: float, level: float, others: Attacks, same_records: bool | None
    ) -> AttacksPart | None:
        """Return the comparison of this attack with `others` at an FPR; None without others."""
        if not others:
            return None
        compared = []
        for name, scores in others.items():
            paired = same_records
            if paired is None:
                paired = are_same_records(self._loaded(), scores)
            compared.append(self._compare_attack(name, scores, fpr, level, paired))
        return AttacksPart(compared=tuple(compared), stretches=self._lowest_curve_ranges(others))

    @memoised
    def analysis_of(self, scores: Scores) -> "Analysis":
        """Return the analysis of the scores of another attack."""
        return Analysis(scores)

    @memoised
    def _compare_attack(
        self, name: str, scores: Scores, fpr: float, level: float, paired: bool
    ) -> ComparedAttack:
        first, other = self._loaded(), self.analysis_of(scores)
        at, curves = other.evidence(), (self.curve(), other.curve())
        lead = tpr_difference(
            first, scores, fpr, curves=curves, confidence_level=level, paired=paired
        )
        return ComparedAttack(
            name=name,
            scores=scores,
            attack=other.attack(),
            band=at.band(level),
            at_fpr=other.operating_point(fpr),
            auc=at.rates(fpr, level).auc.value,
            auc_difference=self._auc_difference(scores, level, paired),
            tpr_difference=lead,
        )

    @memoised
    def _auc_difference(self, scores: Scores, level: float, paired: bool) -> Difference:
        return auc_difference(self._loaded(), scores, confidence_level=level, paired=paired)

    @memoised
    def _lowest_curve_ranges(self, others: Attacks) -> tuple[Stretch, ...]:
        curves = (self.analysis_of(scores).curve() for scores in others.values())
        return lowest_curves([self.curve(), *curves])
