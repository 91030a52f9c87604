"""Functions that call the lower bounds of other libraries as `check_auditor` expects.

Each calls a published function with what it documents, and changes nothing of its result.
"""

from functools import cache
from typing import Any

import numpy as np

from benchmarks.auditors.packages import provide_torch, without_init
from dpviz.audit import AttackScores, lower_bound


def dpviz_default(scores: AttackScores, *, delta: float, confidence_level: float) -> Any:
    """dpviz, the default."""
    return lower_bound(scores, delta=delta, confidence_level=confidence_level)


def dpviz_one_run(scores: AttackScores, *, delta: float, confidence_level: float) -> Any:
    """dpviz, the default for fair coins."""
    stated = {"delta": delta, "confidence_level": confidence_level}
    return lower_bound(scores, method="one_run_curve", **stated)


class JaxPrivacy:
    """A bound of jax-privacy's auditor, with a way to choose the threshold."""

    def __init__(self, method: str, strategy: str | None, **options: Any) -> None:
        self.method, self.strategy, self.options = method, strategy, options

    def __call__(self, scores: AttackScores, *, delta: float, confidence_level: float) -> float:
        """The bound."""
        auditing = without_init("jax_privacy.auditing")
        auditor = auditing.CanaryScoreAuditor(scores.member, scores.nonmember)
        chosen = {}
        if self.strategy:
            chosen["threshold_strategy"] = getattr(auditing, self.strategy)(**self.options)
        return float(getattr(auditor, self.method)(1 - confidence_level, delta, **chosen))


class Opake:
    """A bound of opake-auditing, at the threshold with most right guesses or at one given."""

    def __init__(self, family: str, threshold: float | None = None) -> None:
        self.family, self.threshold = family, threshold

    def __call__(self, scores: AttackScores, *, delta: float, confidence_level: float) -> float:
        """The bound."""
        auditing = without_init("opake.api.auditing._coin_flip")
        one_run = without_init("opake.api.auditing.one_run._estimate").one_run
        n, total = scores.n_members, scores.n_members + scores.n_nonmembers
        indices = np.arange(total)
        coins = auditing.CoinFlip(
            num_canaries=total,
            canary_indices=indices,
            _in_mask=indices < n,
            in_indices=indices[:n],
            out_indices=indices[n:],
        )
        values = np.concatenate([scores.member, scores.nonmember])
        attested = auditing.canary_scores(values, canary_indices=indices)
        family = getattr(one_run(attested, coin_flip=coins), self.family)()
        stated = {"delta": delta, "significance": 1 - confidence_level}
        return float(family.epsilon_at(**stated, threshold=self.threshold))


class FromCounts:
    """A bound on scores, given scores 1 and 0 for flagged and other records."""

    def __init__(self, bound: Any) -> None:
        self.bound = bound

    def __call__(self, *, delta: float, confidence_level: float, **counts: int) -> float:
        """The bound."""
        hits = counts["n_members"] - counts["false_negatives"]
        flags = (np.arange(counts["n_members"]) < hits) * 1.0
        alarms = (np.arange(counts["n_nonmembers"]) < counts["false_positives"]) * 1.0
        scores = AttackScores(member=flags, nonmember=alarms)
        return float(self.bound(scores, delta=delta, confidence_level=confidence_level))


class PrivacyEstimates:
    """A bound of privacy-estimates from counts."""

    def __init__(self, method: str) -> None:
        self.method = method

    def __call__(self, *, delta: float, confidence_level: float, **counts: int) -> float:
        """The bound."""
        from privacy_estimates import AttackResults, compute_eps_lo

        results = AttackResults(
            FN=counts["false_negatives"],
            FP=counts["false_positives"],
            TN=counts["n_nonmembers"] - counts["false_positives"],
            TP=counts["n_members"] - counts["false_negatives"],
        )
        return float(compute_eps_lo(results, delta, 1 - confidence_level, self.method))


class TensorFlowPrivacy:
    """The largest bound over thresholds of TensorFlow Privacy; it knows no delta."""

    def __init__(self, method: str) -> None:
        self.method = method

    def __call__(self, scores: AttackScores, *, delta: float, confidence_level: float) -> float:
        """The bound."""
        from tensorflow_privacy.privacy.privacy_tests import epsilon_lower_bound as bounds

        found = bounds.EpsilonLowerBound(scores.member, scores.nonmember, 1 - confidence_level)
        method = bounds.BoundMethod[self.method]
        return float(found.compute_epsilon_lower_bound(method, k=1)[0])


class TensorFlowRatio:
    """The bound of TensorFlow Privacy on the ratio TPR / FPR at one threshold."""

    def __init__(self, method: str) -> None:
        self.method = method

    def __call__(self, *, delta: float, confidence_level: float, **counts: int) -> float:
        """The bound."""
        from tensorflow_privacy.privacy.privacy_tests import epsilon_lower_bound as bounds

        hits = counts["n_members"] - counts["false_negatives"]
        sizes = counts["n_members"], counts["n_nonmembers"]
        ratio = bounds.RatioBound(hits, counts["false_positives"], *sizes, 1 - confidence_level)
        return float(np.log(ratio.compute_bound(bounds.BoundMethod[self.method])))


def privacy_guard(scores: AttackScores, *, delta: float, confidence_level: float) -> float:
    """PrivacyGuard's epsilon with Clopper-Pearson limits, whose 95 % are fixed."""
    if confidence_level != 0.95:
        raise ValueError(f"confidence_level must be 0.95, got {confidence_level}")
    torch = provide_torch()
    from privacy_guard.analysis.mia.mia_results import MIAResults

    member, nonmember = (torch.tensor(x.copy()) for x in (scores.member, scores.nonmember))
    return float(MIAResults(member, nonmember).compute_acc_auc_ci_epsilon(delta)[2])


@cache  # seconds for each number of right guesses
def privacy_guard_one_run(
    *, right: int, guesses: int, records: int, delta: float, confidence_level: float
) -> float:
    """PrivacyGuard's audit in one run of a Gaussian mechanism."""
    from privacy_guard.analysis.mia.fdp_analysis_node import FDPAnalysisNode

    stated = {"threshold": 1 - confidence_level, "delta": delta}
    return float(FDPAnalysisNode(m=records, c=right, c_cap=guesses, **stated).run_analysis().eps)


def memaudit(
    *, right: int, guesses: int, records: int, delta: float, confidence_level: float
) -> float:
    """The bound of memaudit from the number of right guesses."""
    stats = without_init("memaudit.stats")
    stated = {"delta": delta, "alpha": 1 - confidence_level, "m": records}
    return float(stats.steinke_eps_lower_bound(right, guesses, **stated)["eps_lb"])
