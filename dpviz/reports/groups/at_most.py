"""Fields of a report: upper limits of this attack, and the test of a target."""

from collections.abc import Callable
from functools import partial
from math import isfinite

from dpviz.analysis.topics.at_most import epsilon_clause, if_prior, missing_limit_sentence
from dpviz.audit.upper_limits import AtMost, UpperLimit
from dpviz.number_format import percent, short, upper
from dpviz.reports.material import NO_SCORES, ReportData
from dpviz.reports.model import Field, Group


def at_most_group(material: ReportData) -> Group:
    """Return the fields about the limits from above of this attack's rates and of its epsilon."""
    title, sample = "What this attack does not exceed", material.sample
    if sample is None:
        return Group("at_most", title, (Field("accuracy", "accuracy", reason=NO_SCORES),))
    found = sample.audit.at_most
    if found is None:
        why = missing_limit_sentence(sample, material.result)
        return Group("at_most", title, (Field("accuracy", "accuracy", reason=why),))
    fields = (*_limit_fields(found), Field("silent_about", "each limit", found.silent_about))
    return Group("at_most", title, (*fields, *_target_fields(material)))


def _limit_fields(found: AtMost) -> tuple[Field, ...]:
    """Return a field for each limit, with its confidence and how it was computed."""
    level = found.confidence_level

    def field(
        name: str, label: str, limit: UpperLimit, write: Callable[[float], str], of: str = ""
    ) -> Field:
        about = "; ".join(filter(None, [of, f"{percent(level)} confidence", limit.method]))
        about += f"; the sample has {write(limit.measured)}, an estimate"
        shown = f"at most {write(upper(limit.high))}" if isfinite(limit.high) else "no finite limit"
        limited = partial(Field, kind="bound", high=limit.high, confidence_level=level)
        return limited(name, label, limit.high, shown, about=about)

    at_best, tpr = "at the best threshold", f"TPR at FPR {percent(found.fpr)}"
    epsilon = f"ε at δ = {short(found.delta)}"
    accuracy = f"{at_best}, {if_prior(found.prior)}"
    return (
        field("accuracy", "accuracy", found.accuracy, percent, accuracy),
        field("advantage", "advantage", found.advantage, short, at_best),
        field("tpr", tpr, found.tpr, percent),
        field("auc", "AUC", found.auc, short),
        field("epsilon", epsilon, found.epsilon, short, epsilon_clause(found)),
    )


def _target_fields(material: ReportData) -> tuple[Field, ...]:
    """Return the fields about the target of ``--at-most``; () if there is none."""
    test = material.result.answers.get("limit_test")
    if test is None:
        return ()
    said, target = material.sentences["limit_test"], percent(test.target)
    return (
        Field("target", f"required: {test.quantity} at most", test.target, target),
        Field("outcome", "outcome", test.outcome, about=said),
        Field(
            "usual",
            "limit of an attack that knows nothing, in half of all such samples",
            test.usual,
            "" if test.usual is None else percent(test.usual),
            reason="not needed",
        ),
    )
