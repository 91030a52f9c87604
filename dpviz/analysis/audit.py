"""`AuditCache` computes an audit's bounds, tests and intervals; `prepare` runs the slow ones."""

from typing import Any

from dpviz.analysis.attacks import FIRST_ATTACK, Attacks
from dpviz.analysis.memo import cached_result_or_none, memoised
from dpviz.analysis.result import AttackMetricsPart, AuditPart, ClaimPart
from dpviz.analysis.spec import Spec
from dpviz.audit import AttackCurve, best_of, lower_bound
from dpviz.audit.bounds import EpsilonBound
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.bounds.result import Sampling
from dpviz.audit.comparison import BestOf
from dpviz.audit.epsilon_star.estimate import Clip
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.claim import ClaimTest, claim_test
from dpviz.audit.evidence.null import NullBand, NullDistribution, null_distribution
from dpviz.audit.roc.area_and_advantage import Advantage, AucInterval, advantage, auc_interval
from dpviz.audit.roc.bands import CurveBand, curve_band
from dpviz.audit.roc.tpr_at_fpr import tpr_table
from dpviz.audit.scores.base import Scores
from dpviz.theory import ApproximateDP, TradeoffFunction

BAND_THRESHOLDS = 160  # most thresholds of a band, whose outline has at most 512 vertices


class AuditCache:
    """An object that computes and caches bounds, tests and intervals from one attack's scores."""

    def __init__(self, scores: Scores, curve: AttackCurve) -> None:
        self._scores, self._curve = scores, curve
        self._refusals: dict[tuple[Any, ...], str] = {}

    @memoised
    def band(self, confidence_level: float) -> CurveBand:
        """Return confidence limits of FPR and FNR that hold simultaneously at all thresholds."""
        return curve_band(self._curve, confidence_level=confidence_level, most=BAND_THRESHOLDS)

    @memoised
    def metrics(self, fpr: float, confidence_level: float) -> AttackMetricsPart:
        """Return AUC, advantage, and the TPR at `fpr` in each way that publications compute it."""
        return AttackMetricsPart(
            tpr_at_fpr=tpr_table(self._curve, fpr, confidence_level=confidence_level),
            auc=self._auc(confidence_level),
            advantage=self._advantage(confidence_level),
        )

    def audit_so_far(self, claim: ClaimPart, spec: Spec) -> AuditPart:
        """Return the audit results computed so far; the field `pending` names the missing ones."""
        calls = self._method_calls_by_field(claim, spec)
        known = {name: cached_result_or_none(*call) for name, call in calls.items()}
        # Results that follow at once from known results are computed here.
        if known["bound"] is not None and _is_tested_by_bound(claim.claim, claim.delta):
            method, *arguments = calls["test"]
            known["test"] = method(*arguments)
        if known["test"] is not None and "other_contradicted" in calls:
            method, *arguments = calls["other_contradicted"]
            if _settles_other_reading(known["test"], claim.converted):
                known["other_contradicted"] = method(*arguments)
        # Results that cannot be computed have a reason, and are not pending.
        reasons = {name: self._refusals.get((name, *call[1:])) for name, call in calls.items()}
        refused = tuple((name, reason) for name, reason in reasons.items() if reason)
        waiting = {
            name: call[1:]
            for name, call in calls.items()
            if known[name] is None and not reasons[name]
        }
        # The test of a claim that is compared with the bound follows from the bound.
        if "bound" in waiting and _is_tested_by_bound(claim.claim, claim.delta):
            waiting.pop("test", None)
        # The test under the other adjacency is pending only if nothing else is missing.
        if len(waiting) > 1:
            waiting.pop("other_contradicted", None)
        rest = ("pending", tuple(waiting.items())), ("refused", refused)
        # Equal fields give the same memoised part, so that no layer redraws it.
        return self._audit_part_of_fields(*known.items(), *rest)

    @memoised
    def _audit_part_of_fields(self, *field_values: tuple[str, Any]) -> AuditPart:
        return AuditPart(**dict(field_values))

    def compute_and_cache(self, claim: ClaimPart, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute and cache each result or its error; `progress`, such as tqdm, wraps the loop."""
        calls = list(self._method_calls_by_field(claim, spec).items())
        for i in progress(range(len(calls))):
            name, (method, *arguments) = calls[i]
            try:
                method(*arguments)
            except ValueError as error:  # for example a confidence level out of a method's range
                self._refusals[name, *arguments] = str(error)

    def _method_calls_by_field(self, claim: ClaimPart, spec: Spec) -> dict[str, tuple[Any, ...]]:
        """Return for each field of an `AuditPart` the method to call and its arguments."""
        level, drawn, other = spec.confidence_level, spec.sampling, claim.other_reading
        reading = claim.claim, other, claim.converted, claim.delta, level, drawn
        best = claim.delta, level, drawn, spec.compare
        pair = claim.claim if isinstance(claim.claim, ApproximateDP) else None
        perfect = self._perfect_attack_bound
        # The results that decide about the claim are computed first.
        return {
            "bound": (self._bound, claim.delta, level, drawn),
            "test": (self._claim_test, claim.claim, claim.delta, level, drawn),
            "ceiling": (perfect, claim.delta, level, drawn),
            **({"claim_ceiling": (perfect, pair.claimed_delta, level, drawn)} if pair else {}),
            **({"other_contradicted": (self._refutes_other_reading, *reading)} if other else {}),
            **({"best_of": (self._best_bound_of_attacks, *best)} if spec.compare else {}),
            "null": (self._null_distribution, claim.delta, spec.clip),
            "null_band": (self._null_band, claim.delta, spec.clip),
        }

    @memoised
    def _auc(self, confidence_level: float) -> AucInterval:
        return auc_interval(self._scores, confidence_level=confidence_level)

    @memoised
    def _advantage(self, confidence_level: float) -> Advantage:
        return advantage(self._curve, confidence_level=confidence_level)

    @memoised
    def _bound(
        self, delta: float, confidence_level: float, sampling: Sampling | None
    ) -> EpsilonBound:
        return lower_bound(
            self._scores, delta=delta, confidence_level=confidence_level, sampling=sampling
        )

    @memoised
    def _best_bound_of_attacks(
        self, delta: float, confidence_level: float, sampling: Sampling | None, others: Attacks
    ) -> BestOf:
        return best_of(
            {FIRST_ATTACK: self._scores, **others},
            delta=delta,
            confidence_level=confidence_level,
            sampling=sampling,
        )

    @memoised
    def _claim_test(
        self,
        claim: TradeoffFunction,
        delta: float,
        confidence_level: float,
        sampling: Sampling | None,
    ) -> ClaimTest:
        uses_bound = _is_tested_by_bound(claim, delta)
        return claim_test(
            self._scores,
            claim,
            confidence_level=confidence_level,
            sampling=sampling,
            neighbours=claim.adjacency,
            bound=self._bound(delta, confidence_level, sampling) if uses_bound else None,
            curve=self._curve,
        )

    @memoised
    def _refutes_other_reading(
        self,
        claim: TradeoffFunction,
        other_reading: TradeoffFunction,
        is_claim_converted: bool,
        delta: float,
        confidence_level: float,
        sampling: Sampling | None,
    ) -> bool:
        """Whether the scores contradict `other_reading`, the claim for the other adjacency."""
        test = self._claim_test(claim, delta, confidence_level, sampling)
        # `other_reading` is tested only if the test of the claim does not decide about it.
        if not _settles_other_reading(test, is_claim_converted):
            other_delta = other_reading.parameters.get("delta", delta)
            test = self._claim_test(other_reading, other_delta, confidence_level, sampling)
        return test.outcome == "contradicted"

    @memoised
    def _perfect_attack_bound(
        self, delta: float, confidence_level: float, sampling: Sampling | None
    ) -> float:
        return ceiling(
            n_members=self._scores.n_members,
            n_nonmembers=self._scores.n_nonmembers,
            delta=delta,
            confidence_level=confidence_level,
            sampling=sampling,
        )

    @memoised
    def _null_distribution(self, delta: float, clip: Clip) -> NullDistribution:
        return null_distribution(self._scores, delta=delta, clip=clip)

    @memoised
    def _null_band(self, delta: float, clip: Clip) -> NullBand:
        return self._null_distribution(delta, clip).band()


def _settles_other_reading(test: ClaimTest, is_claim_converted: bool) -> bool:
    """Whether the test of a claim also settles whether scores contradict its other reading.

    The other reading is the guarantee with the same parameters for the other adjacency. A claim
    that was converted from add/remove to replace-one is weaker than it, so scores that contradict
    the claim contradict both. Any other claim is stronger: if it stands, both stand.
    """
    return (test.outcome == "contradicted") == is_claim_converted


def _is_tested_by_bound(claim: TradeoffFunction, delta: float) -> bool:
    """Whether the claim is tested by comparing its epsilon with the lower bound at `delta`."""
    return isinstance(claim, ApproximateDP) and claim.claimed_delta == delta
