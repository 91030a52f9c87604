"""What this attack does not reach: limits from above, which say nothing about other attacks."""

import math

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.words import NOT_COMPUTED, capitalised
from dpviz.audit.upper_limits import AtMost, LimitTest
from dpviz.audit.upper_limits.at_most import SILENT_ABOUT
from dpviz.number_format import lower, percent, short, upper

ONE_RUN = "the scores of one training run depend on each other"


def accuracy_sentence(sample: SamplePart, result: Result) -> str:
    """Say which accuracy this attack does not exceed, and what does not follow from that."""
    if "limit_test" in result.answers:
        return ""  # the test of a target says it
    found = sample.audit.at_most
    if found is None:
        return missing_limit_sentence(sample, result)
    return (
        f"Shown: {if_prior(found.prior)}, this attack's accuracy is at most "
        f"{percent(upper(found.accuracy.high))} ({percent(found.confidence_level)} confidence). "
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
        f"This attack's advantage is at most {short(upper(found.advantage.high))}, its TPR at FPR "
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
    least = short(upper(found.finite_from))
    return f"the ε of its rates has an upper limit only for δ above {least}"


def if_prior(prior: float) -> str:
    """Return a clause: for which share of members among all records an accuracy is stated."""
    return f"if {'half' if prior == 0.5 else percent(prior)} of the records are members"


def limit_test_sentence(test: LimitTest) -> str:
    """Say whether one attack is shown to reach at most the target, or why that is not decided."""
    level = percent(test.limit.confidence_level)
    of = {"tpr": f"TPR at FPR {percent(test.fpr)}"}.get(test.quantity, test.quantity)
    prior = f"{if_prior(test.prior)}, " if test.quantity == "accuracy" else ""
    who = capitalised(f"{prior}this attack's {of}")
    limit = f"at most {percent(upper(test.limit.high))}"
    if test.outcome == "contradicted" and test.at_least is not None:
        limit = f"at least {percent(lower(test.at_least))}"
    outcome = {"cannot decide": "Not shown"}.get(test.outcome, capitalised(test.outcome))
    text = f"{outcome}: {of} at most {percent(test.target)}. {who} is {limit} ({level} confidence)."
    if test.outcome == "cannot decide" and test.usual is not None:
        text += (
            " These records are too few: even an attack that knows nothing has a limit above "
            f"{percent(lower(test.usual))} in half of all samples."
        )
    return f"{text} This {SILENT_ABOUT}."


TOPIC = Topic(
    sentences={
        "at_most_others": TextWriter(other_limits_sentence, "evidence", "sample"),
        "limit_test": TextWriter(limit_test_sentence, "checklist", "answers.limit_test"),
    },
)
