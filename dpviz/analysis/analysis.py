"""`Analysis` computes the `Result` of a spec; slow parts are computed once for each data set."""

from contextlib import suppress

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.analysis import result as parts
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.audit import AuditCache
from dpviz.analysis.memo import memoised
from dpviz.analysis.spec import DEFAULT_FPR, Spec
from dpviz.analysis.topics.attacks import (
    AttackComparison,
    AttackPart,
    ComparedAttack,
    are_same_records,
    attack_part,
)
from dpviz.analysis.topics.claim import (
    GuaranteePart,
    claim_if_meant_for_other_adjacency,
    compared_adjacency,
    converted_to,
)
from dpviz.analysis.topics.epsilon_star import EpsilonStarPart, epsilon_star_part
from dpviz.analysis.topics.fit import FitPart, fit_part
from dpviz.analysis.topics.guess import GuessPart
from dpviz.analysis.topics.people import PeoplePart, people_part
from dpviz.analysis.topics.scores import HistogramPart, histogram
from dpviz.audit import AttackCurve, goodness_of_fit
from dpviz.audit.comparison import (
    Difference,
    Stretch,
    auc_difference,
    lowest_curves,
    tpr_difference,
)
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
from dpviz.audit.evidence.claim import MembersAboveCutOffs, rounded_fpr_of, strongest_evidence
from dpviz.audit.roc import OperatingPoint
from dpviz.audit.roc.curve import RateBox
from dpviz.audit.roc.threshold_search import BinnedBlocks, ScoreBlocks, score_blocks
from dpviz.audit.scores.attack_scores import as_scores
from dpviz.audit.scores.base import Scores, negated_if_loss
from dpviz.audit.scores.copies import without_copies
from dpviz.checks import read_only
from dpviz.drawing.axes import WIDEST_ODDS, bent
from dpviz.theory import ApproximateDP, TradeoffFunction, best_attack, risk
from dpviz.theory.dominance import Dominance
from dpviz.theory.region import implied_epsilons
from dpviz.theory.risk import BestAttack
from dpviz.theory.tradeoff import Adjacency

# Base-10 log odds of the FPRs at which risk curves are computed, besides up to 151 kinks.
RISK_DECADES = np.linspace(-WIDEST_ODDS, WIDEST_ODDS, 361)


class Analysis:
    """An object that computes and caches all results for one attack's scores, or for claims alone.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, optional
        Without scores, a result has only the parts that follow from the claim. Copies of records,
        as `dpviz.audit.scores.copies` defines them, are left out of every number.

    Examples
    --------
    >>> from dpviz import Analysis, Spec
    >>> analysis = Analysis()
    >>> result = analysis.result(Spec.of(fpr=0.01))
    >>> result.claim is analysis.result(Spec.of(fpr=0.1)).claim
    True
    """

    def __init__(self, scores: Scores | None = None) -> None:
        self.given = self.scores = None if scores is None else as_scores("scores", scores)
        if self.given is not None:
            # Where it is unknown which records are copies, the bound and the test say so.
            with suppress(ValueError):
                self.scores = without_copies(self.given)

    def result(self, spec: Spec) -> parts.Result:
        """Return the result for a spec; parts whose inputs are unchanged are the same objects."""
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
                threshold=self.rounded_threshold(fpr),
                at_one_percent=self.operating_point(0.01),
                at_low_fpr=self.operating_point(parts.LOW_FPR),
                bounds=self.risk_point(claim.claim, spec.prior, self.operating_point(fpr).fpr),
                risk=self.attack_risk(spec.prior),
                histogram=self.histogram(),
                epsilon_star=self.epsilon_star(
                    claim.delta, spec.method, spec.clip, spec.transform, spec.components
                ),
                fit=self.fit(spec.method, spec.transform, spec.components),
                band=self.audit_cache().band(spec.confidence_level),
                box=self.error_rate_limits(fpr, spec.confidence_level),
                attacks=self.attacks(fpr, spec.confidence_level, spec.compare, spec.same_records),
                rates=self.audit_cache().metrics(fpr, spec.confidence_level),
                audit=self.audit_cache().audit_so_far(claim, spec),
            )
        neighbours = self.compared_adjacency(spec)
        overlays = self.overlay_curves(spec.overlays, neighbours)
        return parts.Result(
            spec=spec,
            fpr=fpr,
            claim=claim,
            drawn=self.guarantee_curves(spec.claim, neighbours),
            overlays=overlays,
            comparison=self.comparison(claim.claim, overlays[0].claim) if overlays else None,
            point=self.point(claim.claim, claim.delta, fpr, spec.fnr),
            pinned=spec.pinned_point and self.point(claim.claim, claim.delta, *spec.pinned_point),
            risk=self.risk(claim.claim, spec.prior),
            risk_point=self.risk_point(claim.claim, spec.prior, fpr),
            people=self.people(claim.claim, spec.prior, fpr),
            guess=self.guess(claim, spec.kappa),
            costs=self.best_attack(claim.claim, spec.prior, spec.cost_false_alarm, spec.cost_miss),
            sample=sample,
        )

    def selected_fpr(self, claim: parts.ClaimPart, spec: Spec) -> float:
        """Return the spec's FPR; if None, `fpr_of_strongest_evidence` (without scores: 1 %)."""
        if spec.fpr is not None:
            return spec.fpr
        if self.scores is None:
            return DEFAULT_FPR
        tested = claim.claim
        # This FPR does not depend on the claimed epsilon, so all epsilons share one result.
        if isinstance(tested, ApproximateDP):
            tested = ApproximateDP(epsilon=0.0, delta=tested.claimed_delta)
        return self.fpr_of_strongest_evidence(tested, spec.confidence_level)

    def compared_adjacency(self, spec: Spec) -> Adjacency:
        """Return the adjacency ("replace_one", ...) to which claim and overlays are converted."""
        return compared_adjacency(spec.claim, spec, with_scores=self.scores is not None)

    def compared_claim(self, spec: Spec) -> parts.ClaimPart:
        """Return the spec's claim, converted to the adjacency that `compared_adjacency` returns."""
        other = claim_if_meant_for_other_adjacency(spec, with_scores=self.scores is not None)
        return self.claim(spec.claim, spec.delta, self.compared_adjacency(spec), other)

    @memoised
    def point(
        self, claim: TradeoffFunction, delta: float, fpr: float, fnr: float | None
    ) -> parts.RegionPointPart:
        """Return a point (FPR, FNR), and the smallest epsilon that allows this point at `delta`.

        If `fnr` is None, the point is the attack's operating point at `fpr`, or, if there are no
        scores, the point of the claim's trade-off curve at `fpr`.
        """
        tpr, tnr = None, None
        source: parts.PointSource = "chosen"
        if fnr is None and self.scores is not None:
            source, reached = "attack", self.operating_point(fpr)
            fpr, fnr, tpr, tnr = reached.fpr, reached.fnr, reached.tpr, reached.tnr
        elif fnr is None:
            source, fnr, tpr = "claim", claim.beta(fpr), claim.tpr(fpr)
        implied = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
        return parts.RegionPointPart(
            fpr=fpr,
            fnr=fnr,
            source=source,
            implied_epsilons=read_only(implied),
            epsilon=max(0.0, float(implied.max())),
            admitted=claim.admits(fpr=fpr, fnr=fnr),
        )

    @memoised
    def people(self, claim: TradeoffFunction, prior: float, fpr: float) -> PeoplePart:
        """Return how many people the attack (without scores: the best under `claim`) flags."""
        if self.scores is None:
            return people_part(claim, fpr=fpr, prior=prior)
        at = self.operating_point(fpr)
        return people_part(claim, fpr=at.fpr, prior=prior, fnr=at.fnr)

    def prepare(self, spec: Spec) -> None:
        """Compute and cache the result and the privacy profiles of a spec; safe in any thread."""
        result = self.result(spec)
        for part in (result.drawn, *result.overlays):
            _ = part.profile

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute and cache bounds and tests of an audit; `progress`, such as tqdm, wraps loops."""
        claim = self.compared_claim(spec)
        self.audit_cache().compute_and_cache(claim, spec, progress=progress)

    # ----- results that need only a claim

    @memoised
    def claim(
        self,
        claim: TradeoffFunction,
        delta: float,
        neighbours: Adjacency,
        other_reading: TradeoffFunction | None,
    ) -> parts.ClaimPart:
        """Return the claim with its curves, converted to the adjacency `neighbours`.

        `other_reading` is stored in the part as it is: the guarantee that the claim's parameters
        would give if they were stated for the other adjacency, or None if it does not differ.
        """
        drawn = self.guarantee_curves(claim, neighbours)
        # A claim that has no parameter delta is evaluated at the delta of the spec.
        converted, before = drawn.claim, claim.epsilon(delta)
        delta = converted.parameters.get("delta", delta)
        implied, back = converted.epsilon(delta), converted.inverse()
        return parts.ClaimPart(
            claim=converted,
            other_reading=other_reading,
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
        """Return a guarantee with its curves, converted to the adjacency `neighbours`."""
        converted = converted_to(claim, neighbours)
        curve, region = read_only(converted.draw()), read_only(converted.region())
        return GuaranteePart(original=claim, claim=converted, curve=curve, region=region)

    @memoised
    def overlay_curves(
        self, overlays: tuple[TradeoffFunction, ...], neighbours: Adjacency
    ) -> tuple[GuaranteePart, ...]:
        """Return the guarantees drawn beside the claim, converted to `neighbours`, with curves."""
        return tuple(self.guarantee_curves(overlay, neighbours) for overlay in overlays)

    @memoised
    def comparison(self, claim: TradeoffFunction, overlay: TradeoffFunction) -> Dominance | None:
        """Return which guarantee is more private at which FPRs; None if the adjacencies differ."""
        return claim.dominates(overlay) if claim.adjacency == overlay.adjacency else None

    @memoised
    def risk(self, claim: TradeoffFunction, prior: float) -> parts.ClaimRiskPart:
        """Return the largest advantage and PPV that the claim allows, as curves over the FPR."""
        # A grid without the kinks of the claim's curve would cut off the corners of the bounds.
        kinks = claim.draw(512 - RISK_DECADES.size)[1:-1, 0]
        fpr = np.union1d(expit(RISK_DECADES * np.log(10)), kinks)
        return parts.ClaimRiskPart(
            advantage=read_only(np.column_stack([fpr, risk.advantage(claim, fpr=fpr)])),
            ppv=read_only(np.column_stack([fpr, risk.ppv(claim, fpr=fpr, prior=prior)])),
        )

    @memoised
    def risk_point(self, claim: TradeoffFunction, prior: float, fpr: float) -> parts.ClaimRiskAtFpr:
        """Return the largest advantage and PPV that the claim allows at one FPR."""
        return parts.ClaimRiskAtFpr(
            fpr=fpr,
            advantage=float(risk.advantage(claim, fpr=fpr)),
            ppv=risk.ppv(claim, fpr=fpr, prior=prior),
        )

    @memoised
    def guess(self, claim: parts.ClaimPart, kappa: float) -> GuessPart:
        """Return how far the output raises the chance to guess a secret at most, from `kappa`."""
        # The bound of a pure DP claim uses delta 0, whatever delta the spec has.
        is_pure = {"epsilon", "delta"} & claim.claim.parameters.keys() == {"epsilon"}
        delta = 0.0 if is_pure else claim.delta
        epsilon = max(claim.epsilon, claim.implied_back)  # of both orders of a pair
        return GuessPart(claim=claim.claim, epsilon=epsilon, delta=delta, kappa=kappa)

    @memoised
    def best_attack(
        self, claim: TradeoffFunction, prior: float, cost_false_alarm: float, cost_miss: float
    ) -> BestAttack:
        """Return the attack of least expected cost that the claim allows."""
        return best_attack(
            claim, prior=prior, cost_false_alarm=cost_false_alarm, cost_miss=cost_miss
        )

    # ----- results that need the scores of one attack, and raise ValueError without scores

    @memoised
    def curve(self) -> AttackCurve:
        """Return the attack's numbers of false and true positives at every distinct threshold."""
        return AttackCurve.from_scores(self._required_scores())

    @memoised
    def operating_point(self, fpr: float) -> OperatingPoint:
        """Return the attack's operating point with the largest FPR up to `fpr`."""
        return self.curve().at_fpr(fpr)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the attack's operating point at a threshold on the scale of the given scores."""
        return self.curve().at_threshold(negated_if_loss(threshold, self.curve().kind))

    @memoised
    def rounded_threshold(self, fpr: float) -> float:
        """Return a rounded threshold that flags the same records as the threshold at `fpr`."""
        at = self.operating_point(fpr)
        exact = at.threshold_in_unit
        # The threshold of binned scores is an edge of a bin, which must not be rounded.
        if np.isinf(exact) or isinstance(self.blocks(), BinnedBlocks):
            return exact
        counts = (at.false_positives, at.true_positives)
        for candidate in (float(f"{exact:.{digits}g}") for digits in range(3, 18)):
            reached = self.at_threshold(candidate)
            if (reached.false_positives, reached.true_positives) == counts:
                return candidate
        return exact

    @memoised
    def members_above_cut_offs(self) -> MembersAboveCutOffs:
        """Return how many of the first k records by score are members, for several numbers k."""
        return MembersAboveCutOffs.of(self._required_scores())

    @memoised
    def fpr_of_strongest_evidence(self, claim: TradeoffFunction, confidence_level: float) -> float:
        """Return the FPR at which scores speak most against a claim; 1 % if they nowhere do."""
        try:
            # All (epsilon, delta) claims share the counts of members at the rank cut-offs.
            if isinstance(claim, ApproximateDP):
                evidence = self.members_above_cut_offs().best_evidence(claim, confidence_level)
            else:
                evidence = strongest_evidence(
                    self._required_scores(), claim, confidence_level=confidence_level
                )
        except ValueError:  # for example with too many records
            return DEFAULT_FPR
        fpr = None if evidence is None else rounded_fpr_of(self.curve(), claim, evidence)
        return DEFAULT_FPR if fpr is None else fpr

    @memoised
    def attack(self) -> AttackPart:
        """Return the attack's trade-off curve and its convex hull as vertices to draw."""
        return attack_part(self.curve())

    @memoised
    def attack_risk(self, prior: float) -> parts.AttackRiskPart:
        """Return the attack's advantage and PPV as curves over its measured FPR."""
        # FPR 0 is not on a log-odds axis, so the PPV at FPR 0 is returned by itself.
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
    def error_rate_limits(self, fpr: float, confidence_level: float) -> RateBox:
        """Return confidence limits of the true FPR and FNR at the attack's threshold for `fpr`."""
        return self.audit_cache().band(confidence_level).box(self.operating_point(fpr))

    @memoised
    def histogram(self) -> HistogramPart:
        """Return the histogram of the scores of members and of non-members."""
        return histogram(self._required_scores())

    @memoised
    def epsilon_star(
        self,
        delta: float,
        method: Method,
        clip: Clip,
        transform: Transform = "paper",
        components: Components = "bic",
    ) -> EpsilonStarPart:
        """Return Epsilon* and the curves of log ratios of error rates whose maximum is Epsilon*."""
        fits = None if method == "empirical" else self.fitted_laws(method, transform, components)
        return epsilon_star_part(self.curve(), self.blocks(), delta=delta, clip=clip, fits=fits)

    @memoised
    def audit_cache(self) -> AuditCache:
        """Return the object that computes and caches the bounds and tests of the scores."""
        return AuditCache(self._required_scores(), self.curve())

    @memoised
    def blocks(self) -> ScoreBlocks:
        """Return the scores in blocks of adjacent values, so that Epsilon* is searched fast."""
        return score_blocks(self._required_scores(), many_searches=True)

    @memoised
    def fitted_laws(
        self, method: FitMethod, transform: Transform = "paper", components: Components = "bic"
    ) -> FittedLaws:
        """Return the distributions fitted to the transformed scores of members and non-members."""
        sample = TransformedScores.of(self._required_scores(), transform)
        return fit_laws(sample, method=method, components=components)

    @memoised
    def fit(self, method: Method, transform: Transform, components: Components) -> FitPart:
        """Return fitted distributions and a test of fit; method "empirical": normals, no test."""
        if method == "empirical":
            return fit_part(self.fitted_laws("normal", transform), None)
        if self._required_scores().n_infinite:  # nothing is fitted
            return fit_part(self.fitted_laws(method, transform, components), None)
        goodness = goodness_of_fit(
            self._required_scores(), method=method, transform=transform, components=components
        )
        return fit_part(self.fitted_laws(method, transform, components), goodness)

    def _required_scores(self) -> Scores:
        if self.scores is None:
            raise ValueError("scores must be loaded for this, got None")
        return self.scores

    # ----- several attacks on one model

    @memoised
    def attacks(
        self, fpr: float, confidence_level: float, others: Attacks, same_records: bool | None
    ) -> AttackComparison | None:
        """Return the comparison of this attack with each of `others` at `fpr`; None without others.

        `same_records` says whether all attacks scored the same records in the same order. If it is
        None, only attacks whose scores were read from one file are taken to have done so.
        """
        if not others:
            return None
        compared = []
        for name, scores in others.items():
            first, other = self._required_scores(), self.analysis_of(scores)._required_scores()
            paired = are_same_records(first, other) if same_records is None else same_records
            compared.append(self._comparison_with(name, other, fpr, confidence_level, paired))
        return AttackComparison(
            compared=tuple(compared), stretches=self._best_attack_by_fpr(others)
        )

    @memoised
    def analysis_of(self, scores: Scores) -> "Analysis":
        """Return the cached analysis of another attack's scores."""
        return Analysis(scores)

    @memoised
    def _comparison_with(
        self, name: str, scores: Scores, fpr: float, confidence_level: float, paired: bool
    ) -> ComparedAttack:
        first, other = self._required_scores(), self.analysis_of(scores)
        evidence, curves = other.audit_cache(), (self.curve(), other.curve())
        difference = tpr_difference(
            first, scores, fpr, curves=curves, confidence_level=confidence_level, paired=paired
        )
        return ComparedAttack(
            name=name,
            scores=scores,
            attack=other.attack(),
            band=evidence.band(confidence_level),
            at_fpr=other.operating_point(fpr),
            auc=evidence.metrics(fpr, confidence_level).auc.value,
            auc_difference=self._auc_difference(scores, confidence_level, paired),
            tpr_difference=difference,
        )

    @memoised
    def _auc_difference(self, scores: Scores, confidence_level: float, paired: bool) -> Difference:
        first, level = self._required_scores(), confidence_level
        return auc_difference(first, scores, confidence_level=level, paired=paired)

    @memoised
    def _best_attack_by_fpr(self, others: Attacks) -> tuple[Stretch, ...]:
        curves = (self.analysis_of(scores).curve() for scores in others.values())
        return lowest_curves([self.curve(), *curves])
