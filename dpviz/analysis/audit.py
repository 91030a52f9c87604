"""`AuditCache` computes an audit's bounds, tests and intervals; `Memo` is a cache of results."""

from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, ParamSpec, TypeVar

from dpviz.analysis.attacks import FIRST_ATTACK, Attacks
from dpviz.analysis.result import AttackMetricsPart, AuditPart, ClaimPart
from dpviz.analysis.spec import Spec
from dpviz.audit import AttackCurve, at_most, best_of, lower_bound
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.comparison import BestOf
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.claim import ClaimTest, claim_test
from dpviz.audit.evidence.null import NullBand, null_distribution
from dpviz.audit.roc.area_and_advantage import advantage, auc_interval
from dpviz.audit.roc.bands import CurveBand, curve_band
from dpviz.audit.roc.tpr_at_fpr import tpr_table
from dpviz.audit.scores.base import Scores
from dpviz.theory import ApproximateDP, TradeoffFunction

P = ParamSpec("P")
T = TypeVar("T")
Arguments = dict[str, Any]  # by name
MOST_KEPT = 16  # results kept for each function
BAND_THRESHOLDS = 160  # most thresholds of a band, whose outline has at most 512 vertices


class Memo:
    """A cache that keeps the results of each function for the 16 argument lists used last."""

    # A method is told apart by its function alone: a memo is for the methods of one object, to
    # which it has no reference.

    def __init__(self) -> None:
        self._stores: dict[Callable[..., Any], OrderedDict[Any, Any]] = {}
        self._lock = Lock()  # slow results are computed in threads of their own

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return function(*args, **kwargs) from the cache; compute and cache a missing result."""
        key = (args, tuple(sorted(kwargs.items())))
        with self._lock:
            store = self._results_by_arguments(function)
            if key in store:
                store.move_to_end(key)
                return store[key]
        # The lock is not held here, so that a slow result does not block other threads.
        result = function(*args, **kwargs)
        with self._lock:
            result = store.setdefault(key, result)  # that of another thread, if it was faster
            if len(store) > MOST_KEPT:
                store.popitem(last=False)
        return result

    def cached(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return the cached result of a function for these arguments; None if nothing is cached."""
        with self._lock:
            return self._results_by_arguments(function).get((args, tuple(sorted(kwargs.items()))))

    def _results_by_arguments(self, function: Callable[..., T]) -> OrderedDict[Any, T]:
        return self._stores.setdefault(getattr(function, "__func__", function), OrderedDict())


class AuditCache:
    """An object that computes and caches bounds, tests and intervals from one attack's scores."""

    def __init__(self, scores: Scores, curve: AttackCurve) -> None:
        self._scores, self._curve, self._keep = scores, curve, Memo()
        self._refusals: dict[tuple[Any, ...], str] = {}

    def band(self, confidence_level: float) -> CurveBand:
        """Return confidence limits of FPR and FNR that hold simultaneously at all thresholds."""
        level, most = confidence_level, BAND_THRESHOLDS
        return self._keep(curve_band, self._curve, confidence_level=level, most=most)

    def metrics(self, fpr: float, confidence_level: float) -> AttackMetricsPart:
        """Return AUC, advantage, and the TPR at `fpr` as different tools define this TPR."""
        return AttackMetricsPart(
            tpr_at_fpr=tpr_table(self._curve, fpr, confidence_level=confidence_level),
            auc=self._keep(auc_interval, self._scores, confidence_level=confidence_level),
            advantage=self._keep(advantage, self._curve, confidence_level=confidence_level),
        )

    def audit_so_far(self, claim: ClaimPart, spec: Spec) -> AuditPart:
        """Return the audit results computed so far; the field `pending` names missing results."""
        calls = self._calls_by_field(claim, spec)
        known = {
            name: self._keep.cached(call.func, *call.args, **call.keywords)
            for name, call in calls.items()
        }
        # Results that follow at once from known results are computed here.
        if known["bound"] is not None and _is_tested_by_bound(claim.claim, claim.delta):
            known["test"] = self._cached(calls["test"])
        other, test = calls.get("other_contradicted"), known["test"]
        if other and test is not None and _settles_other_reading(test, claim.converted):
            known["other_contradicted"] = self._cached(other)
        # Results that cannot be computed have a reason, and are not pending.
        arguments = {name: tuple(call.keywords.values()) for name, call in calls.items()}
        reasons = {name: self._refusals.get((name, *arguments[name])) for name in calls}
        refused = tuple((name, reason) for name, reason in reasons.items() if reason)
        waiting = {n: arguments[n] for n in calls if known[n] is None and not reasons[n]}
        # The test of a claim that is compared with the bound follows from the bound.
        if "bound" in waiting and _is_tested_by_bound(claim.claim, claim.delta):
            waiting.pop("test", None)
        # The test under the other adjacency is pending only if nothing else is missing.
        if len(waiting) > 1:
            waiting.pop("other_contradicted", None)
        # Equal fields give the same part, so that no layer redraws it.
        return self._keep(AuditPart, **known, pending=tuple(waiting.items()), refused=refused)

    def compute_and_cache(self, claim: ClaimPart, spec: Spec, *, progress: Progress = iter) -> None:
        """Compute and cache each bound and test, or its error text; `progress` wraps the loop."""
        calls = list(self._calls_by_field(claim, spec).items())
        for i in progress(range(len(calls))):
            name, call = calls[i]
            try:
                self._cached(call)
            except ValueError as error:  # for example a confidence level out of a method's range
                self._refusals[name, *call.keywords.values()] = str(error)

    def _cached(self, call: "partial[Any]") -> Any:
        return self._keep(call.func, *call.args, **call.keywords)

    def _calls_by_field(self, claim: ClaimPart, spec: Spec) -> "dict[str, partial[Any]]":
        """Return a dict from each field of an `AuditPart` to the function call that computes it."""
        scores, other = self._scores, claim.other_reading
        sizes: Arguments = {"n_members": scores.n_members, "n_nonmembers": scores.n_nonmembers}
        how: Arguments = {"confidence_level": spec.confidence_level, "sampling": spec.sampling}
        at_delta: Arguments = {"delta": claim.delta, **how}
        by_chance: Arguments = {"delta": claim.delta, "clip": spec.clip}
        # The results that decide about the claim are computed first.
        calls: dict[str, partial[Any]] = {
            "bound": partial(lower_bound, scores, **at_delta),
            "test": partial(self._claim_test, claim=claim.claim, **at_delta),
            "ceiling": partial(ceiling, **sizes, **at_delta),
        }
        if not spec.is_one_run:  # else scores depend on each other
            level: Arguments = {"confidence_level": spec.confidence_level}
            calls["at_most"] = partial(at_most, scores, delta=claim.delta, **level)
        if isinstance(claim.claim, ApproximateDP):
            at_own_delta: Arguments = {"delta": claim.claim.claimed_delta, **how}
            calls["claim_ceiling"] = partial(ceiling, **sizes, **at_own_delta)
        if other:
            both: Arguments = {"claim": claim.claim, "other": other}
            converted: Arguments = {"is_converted": claim.converted, **at_delta}
            calls["other_contradicted"] = partial(self._refutes_other_reading, **both, **converted)
        if spec.compare:
            calls["best_of"] = partial(self._best_of, others=spec.compare, **at_delta)
        calls["null"] = partial(null_distribution, scores, **by_chance)
        calls["null_band"] = partial(self._null_band, **by_chance)
        return calls

    def _best_of(self, others: Attacks, **how: Any) -> BestOf:
        return best_of({FIRST_ATTACK: self._scores, **others}, **how)

    def _claim_test(self, claim: TradeoffFunction, delta: float, **how: Any) -> ClaimTest:
        bound = None
        if _is_tested_by_bound(claim, delta):
            bound = self._keep(lower_bound, self._scores, delta=delta, **how)
        own: Arguments = {"neighbours": claim.adjacency, "bound": bound, "curve": self._curve}
        return claim_test(self._scores, claim, **how, **own)

    def _refutes_other_reading(
        self,
        claim: TradeoffFunction,
        other: TradeoffFunction,
        is_converted: bool,
        delta: float,
        **how: Any,
    ) -> bool:
        """Return whether the scores contradict `other`, the claim under the other adjacency."""
        test = self._keep(self._claim_test, claim=claim, delta=delta, **how)
        # `other` is tested only if the test of the claim does not decide about it.
        if not _settles_other_reading(test, is_converted):
            delta = other.parameters.get("delta", delta)
            test = self._keep(self._claim_test, claim=other, delta=delta, **how)
        return test.outcome == "contradicted"

    def _null_band(self, **by_chance: Any) -> NullBand:
        return self._keep(null_distribution, self._scores, **by_chance).band()


def _settles_other_reading(test: ClaimTest, is_claim_converted: bool) -> bool:
    """Return whether this test's outcome also holds for the claim under the other adjacency."""
    # A claim that was converted from add/remove to replace-one is weaker than the other reading, so
    # scores that contradict the claim contradict both. Any other claim is stronger.
    return (test.outcome == "contradicted") == is_claim_converted


def _is_tested_by_bound(claim: TradeoffFunction, delta: float) -> bool:
    """Return whether a claim is tested by comparing its epsilon with the lower bound at `delta`."""
    return isinstance(claim, ApproximateDP) and claim.claimed_delta == delta
