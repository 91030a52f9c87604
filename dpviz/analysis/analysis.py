"""`Analysis` computes the `Result` of a spec, and caches the parts for later specs."""

from contextlib import suppress
from typing import Any

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.analysis import result as parts
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.audit import AuditCache, Memo
from dpviz.analysis.spec import DEFAULT_FPR, Spec
from dpviz.analysis.topics import attacks
from dpviz.analysis.topics import claim as claims
from dpviz.analysis.topics.epsilon_star import EpsilonStarPart, epsilon_star_part
from dpviz.analysis.topics.fit import FitPart, fit_part
from dpviz.analysis.topics.guess import GuessPart
from dpviz.analysis.topics.people import people_part
from dpviz.analysis.topics.scores import HistogramPart, histogram
from dpviz.audit import AttackCurve, goodness_of_fit
from dpviz.audit.comparison import auc_difference, lowest_curves, tpr_difference
from dpviz.audit.epsilon_star import fits
from dpviz.audit.epsilon_star.estimate import Clip, Method
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.claim import MembersAboveCutOffs, rounded_fpr_of, strongest_evidence
from dpviz.audit.roc import CurveBand, OperatingPoint
from dpviz.audit.roc.threshold_search import BinnedBlocks, ScoreBlocks, score_blocks
from dpviz.audit.scores.attack_scores import as_scores, without_copies
from dpviz.audit.scores.base import Scores, negated_if_loss
from dpviz.checks import read_only
from dpviz.drawing.axes import WIDEST_ODDS, with_more_vertices
from dpviz.theory import ApproximateDP, TradeoffFunction, best_attack, risk
from dpviz.theory.dominance import Dominance
from dpviz.theory.region import implied_epsilons
from dpviz.theory.tradeoff import Adjacency

# Base-10 log odds of the FPRs at which risk curves are computed, besides up to 151 kinks.
RISK_DECADES = np.linspace(-WIDEST_ODDS, WIDEST_ODDS, 361)


class Analysis:
    """An object that computes and caches results for one attack's scores, or for claims alone.

    Parameters
    ----------
    scores : AttackScores or BinnedScores, optional
        Without scores, a result has only the parts that follow from the claim. Copies of records,
        as `dpviz.audit.scores.attack_scores` defines them, are left out of every number.

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
        if self.given is not None and self.given.sampling is not None:
            # The spec alone says how membership was drawn: users may change it.
            self.given = self.scores = self.given.replaced(sampling=None)
        if self.given is not None:
            # Where it is unknown which records are copies, the bound and the test say so.
            with suppress(ValueError):
                self.scores = without_copies(self.given)
        self._keep = Memo()

    def result(self, spec: Spec) -> parts.Result:
        """Return the result of a spec.

        Parts of the result with unchanged inputs come from a cache.
        """
        claim, keep = self.compared_claim(spec), self._keep
        neighbours = self._compared_adjacency(spec)
        fpr = self.selected_fpr(claim, spec)
        if self.scores is None and spec.compare:
            raise checks.fail("compare", "left out if there are no scores", [*spec.compare])
        sample = None if self.scores is None else self._sample_part(self.scores, claim, fpr, spec)
        at = None if sample is None else sample.at_fpr
        overlays = keep(self._overlay_parts, spec.overlays, neighbours)
        costs = {"cost_false_alarm": spec.cost_false_alarm, "cost_miss": spec.cost_miss}
        reached, pinned = (at.fpr, at.fnr) if at else (fpr, None), spec.pinned_point
        # Parts that a change does not affect are taken from the memo.
        return parts.Result(
            spec=spec,
            fpr=fpr,
            claim=claim,
            drawn=keep(claims.guarantee_part, spec.claim, neighbours),
            overlays=overlays,
            comparison=keep(_dominance, claim.claim, overlays[0].claim) if overlays else None,
            point=keep(_region_point, claim.claim, claim.delta, fpr, spec.fnr, at),
            pinned=pinned and keep(_region_point, claim.claim, claim.delta, *pinned, None),
            risk=keep(_claim_risk, claim.claim, spec.prior),
            risk_point=keep(_claim_risk_at, claim.claim, spec.prior, fpr),
            people=keep(people_part, claim.claim, *reached, prior=spec.prior),
            guess=keep(_guess_part, claim, spec.kappa),
            costs=keep(best_attack, claim.claim, prior=spec.prior, **costs),
            sample=sample,
        )

    def _sample_part(
        self, scores: Scores, claim: parts.ClaimPart, fpr: float, spec: Spec
    ) -> parts.SamplePart:
        """Return the part of a result that is computed from the scores."""
        keep, audit, level = self._keep, self._keep(self._audit_cache), spec.confidence_level
        at, others, paired = self._operating_point(fpr), spec.compare, spec.same_records
        attack = keep(attacks.attack_part, self._keep(self._curve))
        return parts.SamplePart(
            scores=scores,
            attack=attack,
            at_fpr=at,
            threshold=keep(self._rounded_threshold, at),
            at_one_percent=self._operating_point(0.01),
            at_low_fpr=self._operating_point(parts.LOW_FPR),
            bounds=keep(_claim_risk_at, claim.claim, spec.prior, at.fpr),
            risk=keep(_attack_risk, attack, self._operating_point(0.0), spec.prior),
            histogram=keep(self._histogram),
            epsilon_star=self.epsilon_star(
                claim.delta, spec.method, spec.clip, spec.transform, spec.components
            ),
            fit=keep(self._fit_part, spec.method, spec.transform, spec.components),
            band=audit.band(level),
            box=keep(CurveBand.box, audit.band(level), at),
            attacks=keep(self._compared_attacks, fpr, level, others, paired) if others else None,
            rates=keep(audit.metrics, fpr, level),
            audit=audit.audit_so_far(claim, spec),
        )

    def selected_fpr(self, claim: parts.ClaimPart, spec: Spec) -> float:
        """Return the selected FPR of a spec.

        This is `spec.fpr` if it is a number. Otherwise it is the FPR of the strongest evidence
        against the claim, or 1 % without scores.
        """
        if spec.fpr is not None:
            return spec.fpr
        if self.scores is None:
            return DEFAULT_FPR
        tested = claim.claim
        # This FPR does not depend on the claimed epsilon, so all epsilons share one result.
        if isinstance(tested, ApproximateDP):
            tested = ApproximateDP(epsilon=0.0, delta=tested.claimed_delta)
        return self._keep(self._fpr_of_strongest_evidence, tested, spec.confidence_level)

    def compared_claim(self, spec: Spec) -> parts.ClaimPart:
        """Return the spec's claim in the adjacency that `claims.compared_adjacency` selects."""
        other = claims.claim_if_meant_for_other_adjacency(spec, with_scores=self.scores is not None)
        drawn = self._keep(claims.guarantee_part, spec.claim, self._compared_adjacency(spec))
        return self._keep(_claim_part, drawn, spec.delta, other)

    def prepare(self, spec: Spec) -> None:
        """Compute and cache the result and privacy profiles of a spec.

        Any thread may call this method.
        """
        result = self.result(spec)
        for part in (result.drawn, *result.overlays):
            _ = part.profile

    def prepare_audit(self, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute and cache the bounds and tests of an audit.

        `progress`, such as tqdm, wraps the loop over bounds and tests.
        """
        claim = self.compared_claim(spec)
        self._keep(self._audit_cache).compute_and_cache(claim, spec, progress=progress)

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the attack's operating point at a threshold on the scale of the given scores."""
        curve = self._keep(self._curve)
        return curve.at_threshold(negated_if_loss(threshold, curve.kind))

    def epsilon_star(
        self,
        delta: float,
        method: Method,
        clip: Clip,
        transform: fits.Transform = "paper",
        components: fits.Components = "bic",
    ) -> EpsilonStarPart:
        """Return Epsilon*, and the log ratios of error rates, of which Epsilon* is the maximum."""
        fitted = None if method == "empirical" else self._fitted_laws(method, transform, components)
        sample = self._keep(self._curve), self._keep(self._score_blocks)
        return self._keep(epsilon_star_part, *sample, delta=delta, clip=clip, fits=fitted)

    def _compared_adjacency(self, spec: Spec) -> Adjacency:
        return claims.compared_adjacency(spec.claim, spec, with_scores=self.scores is not None)

    def _overlay_parts(
        self, overlays: tuple[TradeoffFunction, ...], neighbours: Adjacency
    ) -> tuple[claims.GuaranteePart, ...]:
        return tuple(self._keep(claims.guarantee_part, overlay, neighbours) for overlay in overlays)

    # ----- results that need the scores of one attack, and raise ValueError without scores

    def _required_scores(self) -> Scores:
        if self.scores is None:
            raise ValueError("scores must be loaded first, got None")
        return self.scores

    def _curve(self) -> AttackCurve:
        return AttackCurve.from_scores(self._required_scores())

    def _operating_point(self, fpr: float) -> OperatingPoint:
        return self._keep(AttackCurve.at_fpr, self._keep(self._curve), fpr)

    def _audit_cache(self) -> AuditCache:
        return AuditCache(self._required_scores(), self._keep(self._curve))

    def _score_blocks(self) -> ScoreBlocks:
        return score_blocks(self._required_scores(), many_searches=True)

    def _histogram(self) -> HistogramPart:
        return histogram(self._required_scores())

    def _members_above_cut_offs(self) -> MembersAboveCutOffs:
        return MembersAboveCutOffs.of(self._required_scores())

    def _transformed_scores(self, transform: fits.Transform) -> fits.TransformedLosses:
        return fits.TransformedLosses.of(self._required_scores(), transform)

    def _rounded_threshold(self, at: OperatingPoint) -> float:
        """Return a rounded threshold that flags the same records as the threshold of `at`."""
        exact = at.original_threshold
        # The threshold of binned scores is an edge of a bin, which must not be rounded.
        if np.isinf(exact) or isinstance(self._keep(self._score_blocks), BinnedBlocks):
            return exact
        counts = (at.false_positives, at.true_positives)
        for candidate in (float(f"{exact:.{digits}g}") for digits in range(3, 18)):
            reached = self.at_threshold(candidate)
            if (reached.false_positives, reached.true_positives) == counts:
                return candidate
        return exact

    def _fpr_of_strongest_evidence(self, claim: TradeoffFunction, confidence_level: float) -> float:
        """Return the FPR of the strongest evidence against a claim; 1 % if there is no evidence."""
        scores = self._required_scores()
        try:
            # All (epsilon, delta) claims share the counts of members at the rank cut-offs.
            if isinstance(claim, ApproximateDP):
                above = self._keep(self._members_above_cut_offs)
                evidence = above.best_evidence(claim, confidence_level)
            else:
                evidence = strongest_evidence(scores, claim, confidence_level=confidence_level)
        except ValueError:  # for example with too many records
            return DEFAULT_FPR
        fpr = None if evidence is None else rounded_fpr_of(self._keep(self._curve), claim, evidence)
        return DEFAULT_FPR if fpr is None else fpr

    def _fitted_laws(
        self, method: fits.FitMethod, transform: fits.Transform, components: fits.Components
    ) -> fits.FittedLaws:
        """Return the distributions fitted to the transformed scores of members and non-members."""
        sample = self._keep(self._transformed_scores, transform)
        return self._keep(fits.fit_laws, sample, method=method, components=components)

    def _fit_part(
        self, method: Method, transform: fits.Transform, components: fits.Components
    ) -> FitPart:
        """Return fitted distributions and a test of the fit; method "empirical" has no test."""
        if method == "empirical":
            return fit_part(self._fitted_laws("normal", transform, "bic"), None)
        scores, goodness = self._required_scores(), None
        if not scores.n_infinite:  # else nothing is fitted
            how: dict[str, Any] = {"transform": transform, "components": components}
            goodness = goodness_of_fit(scores, method=method, **how)
        return fit_part(self._fitted_laws(method, transform, components), goodness)

    def _compared_attacks(
        self, fpr: float, confidence_level: float, others: Attacks, same_records: bool | None
    ) -> attacks.AttackComparison:
        """Return the comparison of this attack with each of `others` at `fpr`."""
        first, compared = self._required_scores(), []
        analyses = [self._keep(Analysis, scores) for scores in others.values()]
        for name, analysis in zip(others, analyses, strict=True):
            other = analysis._required_scores()
            paired = (
                attacks.are_same_records(first, other) if same_records is None else same_records
            )
            settings = fpr, confidence_level, paired
            compared.append(self._keep(self._compared_attack, name, analysis, *settings))
        curves = (self._keep(self._curve), *(each._keep(each._curve) for each in analyses))
        stretches = self._keep(lowest_curves, curves)
        return attacks.AttackComparison(compared=tuple(compared), stretches=stretches)

    def _compared_attack(
        self, name: str, other: "Analysis", fpr: float, confidence_level: float, paired: bool
    ) -> attacks.ComparedAttack:
        both = self._required_scores(), other._required_scores()
        curves = self._keep(self._curve), other._keep(other._curve)
        audit = other._keep(other._audit_cache)
        how: dict[str, Any] = {"confidence_level": confidence_level, "paired": paired}
        return attacks.ComparedAttack(
            name=name,
            scores=both[1],
            attack=other._keep(attacks.attack_part, curves[1]),
            band=audit.band(confidence_level),
            at_fpr=other._operating_point(fpr),
            auc=audit.metrics(fpr, confidence_level).auc.value,
            auc_difference=self._keep(auc_difference, *both, **how),
            tpr_difference=tpr_difference(*both, fpr, curves=curves, **how),
        )


# ----- results that need only a claim, or an operating point of an attack


def _claim_part(
    drawn: claims.GuaranteePart, delta: float, other_reading: TradeoffFunction | None
) -> parts.ClaimPart:
    """Return a claim with its curves and the epsilons that it implies."""
    claim, before = drawn.claim, drawn.original.epsilon(delta)
    delta = claim.parameters.get("delta", delta)
    implied, back = claim.epsilon(delta), claim.inverse()
    return parts.ClaimPart(
        claim=claim,
        other_reading=other_reading,
        converted=drawn.original.adjacency != claim.adjacency,
        epsilon=claim.parameters.get("epsilon", implied),
        delta=delta,
        implied=implied,
        implied_back=implied if back is claim else back.epsilon(delta),
        implied_before=before,
        curve=drawn.curve,
        region=drawn.region,
    )


def _region_point(
    claim: TradeoffFunction, delta: float, fpr: float, fnr: float | None, at: OperatingPoint | None
) -> parts.RegionPointPart:
    """Return the user's point if `fnr` is given, else the attack's point `at`, else the claim's."""
    tpr, tnr = None, None
    source: parts.PointSource = "chosen"
    if fnr is None and at is not None:
        source, fpr, fnr, tpr, tnr = "attack", at.fpr, at.fnr, at.tpr, at.tnr
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


def _dominance(claim: TradeoffFunction, overlay: TradeoffFunction) -> Dominance | None:
    """Return which guarantee is more private, and at which FPRs; None if adjacencies differ."""
    return claim.dominates(overlay) if claim.adjacency == overlay.adjacency else None


def _claim_risk(claim: TradeoffFunction, prior: float) -> parts.RiskPart:
    """Return the largest advantage and PPV that the claim allows, as functions of the FPR."""
    # A grid without the kinks of the claim's curve would cut off the corners of the bounds.
    kinks = claim.draw(512 - RISK_DECADES.size)[1:-1, 0]
    fpr = np.union1d(expit(RISK_DECADES * np.log(10)), kinks)
    return parts.RiskPart(
        advantage=read_only(np.column_stack([fpr, risk.advantage(claim, fpr=fpr)])),
        ppv=read_only(np.column_stack([fpr, risk.ppv(claim, fpr=fpr, prior=prior)])),
    )


def _claim_risk_at(claim: TradeoffFunction, prior: float, fpr: float) -> parts.ClaimRiskAtFpr:
    """Return the largest advantage and PPV that the claim allows at one FPR."""
    advantage, ppv = risk.advantage(claim, fpr=fpr), risk.ppv(claim, fpr=fpr, prior=prior)
    return parts.ClaimRiskAtFpr(fpr=fpr, advantage=float(advantage), ppv=ppv)


def _attack_risk(
    attack: attacks.AttackPart, at_zero: OperatingPoint, prior: float
) -> parts.RiskPart:
    """Return the attack's advantage and PPV as functions of its measured FPR."""
    # FPR 0 is not on a log-odds axis, so the PPV at FPR 0 is returned by itself.
    x, fnr = with_more_vertices(attack.curve[attack.curve[:, 0] > 0]).T
    y = 1 - fnr
    return parts.RiskPart(
        advantage=read_only(np.column_stack([x, y - x])),
        ppv=read_only(np.column_stack([x, prior * y / (prior * y + (1 - prior) * x)])),
        ppv_at_zero=at_zero.ppv(prior=prior),
    )


def _guess_part(claim: parts.ClaimPart, kappa: float) -> GuessPart:
    """Return the chances of guessing a secret; `kappa` is the chance without an output."""
    # The bound of a pure DP claim uses delta 0, whatever delta the spec has.
    is_pure = {"epsilon", "delta"} & claim.claim.parameters.keys() == {"epsilon"}
    delta = 0.0 if is_pure else claim.delta
    epsilon = max(claim.epsilon, claim.implied_back)  # of both orders of a pair
    return GuessPart(claim=claim.claim, epsilon=epsilon, delta=delta, kappa=kappa)
