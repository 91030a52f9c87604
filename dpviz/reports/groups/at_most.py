"""A report's fields about what this attack does not reach: limits from above, and a target."""

from functools import partial

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
    fields = (*_limit_fields(found), Field("silent_about", "this", found.silent_about))
    return Group("at_most", title, (*fields, *_target_fields(material)))


def _limit_fields(found: AtMost) -> tuple[Field, ...]:
    """Return a field for each limit, with its confidence and how it was computed."""
    level = found.confidence_level

    def field(name: str, label: str, limit: UpperLimit, shown: str, of: str = "") -> Field:
        about = "; ".join(filter(None, [of, f"{percent(level)} confidence", limit.method]))
        about += f"; the sample has {short(limit.measured)}, an estimate"
        limited = partial(Field, kind="bound", high=limit.high, confidence_level=level)
        return limited(name, label, limit.high, shown, about=about)

    def in_percent(limit: UpperLimit) -> str:
        return f"at most {percent(upper(limit.high))}"

    def as_number(limit: UpperLimit) -> str:
        return f"at most {short(upper(limit.high))}"

    at_best, tpr = "at the best threshold", f"TPR at FPR {percent(found.fpr)}"
    epsilon = f"ε at δ = {short(found.delta)}"
    accuracy = f"{at_best}, {if_prior(found.prior)}"
    return (
        field("accuracy", "accuracy", found.accuracy, in_percent(found.accuracy), accuracy),
        field("advantage", "advantage", found.advantage, as_number(found.advantage), at_best),
        field("tpr", tpr, found.tpr, in_percent(found.tpr)),
        field("auc", "AUC", found.auc, as_number(found.auc)),
        field("epsilon", epsilon, found.epsilon, as_number(found.epsilon), epsilon_clause(found)),
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
            "limit that half of all samples of this size show if an attack knows nothing",
            test.usual,
            "" if test.usual is None else percent(test.usual),
            reason="not needed",
        ),
    )
