"""What this attack does not reach: limits from above, which say nothing about other attacks."""

import math

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.words import NOT_COMPUTED
from dpviz.audit.upper_limits import AtMost, LimitTest
from dpviz.audit.upper_limits.at_most import SILENT_ABOUT
from dpviz.number_format import percent, short, upper

ONE_RUN = "the scores of one training run depend on each other"


def accuracy_sentence(sample: SamplePart, result: Result) -> str:
    """Say which accuracy this attack does not exceed, and what does not follow from that."""
    found = sample.audit.at_most
    if found is None:
        return missing_limit_sentence(sample, result)
    return (
        f"Shown: this attack's accuracy is at most {percent(upper(found.accuracy.high))} "
        f"({percent(found.confidence_level)} confidence; {share_of_members_clause(found.prior)}). "
        f"This {SILENT_ABOUT}."
    )


def missing_limit_sentence(sample: SamplePart, result: Result) -> str:
    """Say why there is no limit from above."""
    why = ONE_RUN if result.spec.is_one_run else dict(sample.audit.refused).get("at_most")
    return f"No limit from above: {why}." if why else NOT_COMPUTED


def other_limits_sentence(sample: SamplePart) -> str:
    """List the other limits from above; "" where there are none."""
    found = sample.audit.at_most
    if found is None:
        return ""
    return (
        f"Its advantage is at most {short(upper(found.advantage.high))}, its TPR at FPR "
        f"{percent(found.fpr)} at most {percent(upper(found.tpr.high))}, its AUC at most "
        f"{short(upper(found.auc.high))}; {epsilon_clause(found)}. Each limit holds with "
        f"{percent(found.confidence_level)} confidence, all together with less. The search over "
        "thresholds needs no correction."
    )


def epsilon_clause(found: AtMost) -> str:
    """Say which epsilon this attack does not exceed at the delta, or that there is no limit."""
    at = f"at δ = {short(found.delta)}"
    if math.isfinite(found.epsilon.high):
        return f"its ε {at} is at most {short(upper(found.epsilon.high))}"
    return f"its ε has no finite limit {at}, only for δ above {short(upper(found.finite_from))}"


def share_of_members_clause(prior: float) -> str:
    """Say for which share of members among all records an accuracy is stated."""
    return "half of the records are members" if prior == 0.5 else f"prior p = {percent(prior)}"


def limit_test_sentence(test: LimitTest) -> str:
    """Say whether one attack is shown to reach at most the target, or why that is not decided."""
    limit, level = percent(upper(test.limit.high)), percent(test.limit.confidence_level)
    target, name = percent(test.target), _name(test)
    at_most = f"this attack's {name} is at most {limit}"
    if test.outcome == "shown":
        text = f"Shown: {at_most} ({level} confidence; {target} would be enough)."
    elif test.outcome == "not shown":
        text = (
            f"Not shown: {at_most} ({level} confidence), which does not exclude more than {target}."
        )
    else:
        least = percent(test.usual or 1.0)
        text = (
            f"Not shown: so few records cannot show less than {least} in half of all samples, even "
            f"if the attack knows nothing ({target} would be enough; {at_most}, {level} "
            "confidence)."
        )
    return f"{text} This {SILENT_ABOUT}."


def _has_no_target(result: Result) -> bool:
    """Return whether no test says already what this attack does not exceed."""
    return "limit_test" not in result.answers


def _name(test: LimitTest) -> str:
    if test.quantity == "tpr":
        return f"TPR at FPR {percent(test.fpr)}"
    if test.quantity == "accuracy" and test.prior != 0.5:
        return f"accuracy ({share_of_members_clause(test.prior)})"
    return test.quantity


TOPIC = Topic(
    sentences={
        "at_most": TextWriter(accuracy_sentence, "evidence", "sample", when=_has_no_target),
        "at_most_others": TextWriter(other_limits_sentence, "evidence", "sample"),
        "limit_test": TextWriter(limit_test_sentence, "evidence", "answers.limit_test"),
    },
)
