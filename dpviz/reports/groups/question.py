"""The question: the claim, the guarantee behind it, the numbers chosen, and the outcome."""

import math

from dpviz.analysis.topics.claim import short_name
from dpviz.audit.bounds import BOUNDS
from dpviz.number_format import lower, percent, short, upper
from dpviz.reports.material import NO_CLAIM, NO_SCORES, Material
from dpviz.reports.model import Field, Group
from dpviz.theory import (
    ApproximateDP,
    RenyiDP,
    TradeoffFunction,
    ZeroConcentratedDP,
    smallest_mu,
)

ADJACENCIES = {"replace_one": "one record replaced", "add_remove": "one record added or removed"}
ABOUT_WHOM = {"instance": "this trained model", "mechanism": "the training mechanism"}
VARIANTS: dict[type[TradeoffFunction], str] = {
    ZeroConcentratedDP: "Zero-concentrated DP",
    RenyiDP: "Renyi DP",
}
OUTCOMES = {True: "contradicted", False: "not contradicted", None: "not tested"}


def claim(made: Material) -> Group:
    """The claim, what it is about, and what the lower bound says."""
    whose = "theory only, no scores"
    if made.sample is not None:
        whose = ABOUT_WHOM[made.result.spec.applies_to]
    said = made.sentences.get("bound") if made.sample else None
    fields = (
        *_of_claim(made),
        Field(name="kind", label="what is audited", value=whose),
        Field(name="statement", label="what is certified", value=said, reason=NO_SCORES),
    )
    return Group(name="claim", title="Claim", fields=fields)


def _of_claim(made: Material) -> tuple[Field, ...]:
    part, given = made.result.claim, made.result.spec.claim
    claimed = made.is_claimed
    own = "epsilon" in part.claim.parameters
    epsilon = short(part.epsilon, digits=6) if own else short(upper(part.epsilon))
    converted = "converted to replace-one adjacency" if part.converted else ""
    delta = part.claim.claimed_delta if isinstance(part.claim, ApproximateDP) else part.delta
    fields = (
        Field(name="guarantee", label="claim", value=short_name(given)),
        Field(
            name="epsilon", label="claimed ε", value=part.epsilon, shown=epsilon, about=converted
        ),
        Field(name="delta", label="at δ", value=delta, shown=short(delta)),
        Field(
            name="adjacency",
            label="neighbouring data sets",
            value=given.adjacency,
            shown=ADJACENCIES.get(given.adjacency, given.adjacency),
        ),
    )
    if claimed:
        return fields
    return tuple(Field(name=f.name, label=f.label, reason=NO_CLAIM) for f in fields)


def theory(made: Material) -> Group:
    """The mechanism behind the claim, as far as it is known."""
    given = made.result.spec.claim
    parameters = [
        Field(name=name, label=name.replace("_", " "), value=value, shown=short(value, digits=6))
        for name, value in given.parameters.items()
        if isinstance(value, int | float) and name not in ("epsilon", "delta")
    ]
    fields = (
        Field(
            name="variant",
            label="form of the guarantee",
            value=variant(given) if made.is_claimed else None,
            reason=NO_CLAIM,
        ),
        _mu(made),
        *(parameters if made.is_claimed else ()),
        *made.stated("theory"),
    )
    return Group(name="theory", title="Guarantee", fields=fields)


def variant(claim: TradeoffFunction) -> str:
    """The form of a guarantee in the words of the deployments registry."""
    if isinstance(claim, ApproximateDP):
        return "Approximate DP" if claim.claimed_delta > 0 else "Pure DP"
    return VARIANTS.get(type(claim), "Custom")


def _mu(made: Material) -> Field:
    label = "smallest μ of Gaussian DP"
    if not made.is_claimed:
        return Field(name="mu", label=label, reason=NO_CLAIM)
    try:
        mu = smallest_mu(made.result.claim.claim)
    except ValueError as error:
        return Field(name="mu", label=label, reason=str(error))
    if math.isinf(mu):
        return Field(name="mu", label=label, reason="none: the claim implies no Gaussian DP")
    return Field(
        name="mu", label=label, value=mu, shown=short(upper(mu)), about="that the claim implies"
    )


def params(made: Material) -> Group:
    """The numbers that were chosen."""
    spec, delta = made.result.spec, made.result.claim.delta
    level = spec.confidence_level
    fields = (
        Field(
            name="delta", label="δ of the bounds and of Epsilon*", value=delta, shown=short(delta)
        ),
        Field(
            name="confidence_level",
            label="confidence",
            value=level,
            shown=percent(level),
            about="bounds one-sided, intervals two-sided; each by itself",
        ),
        Field(
            name="prior",
            label="prior p",
            value=spec.prior,
            shown=percent(spec.prior),
            about="share of members among the candidates",
        ),
        *made.stated("params"),
    )
    return Group(name="params", title="Chosen numbers", fields=fields)


def threshold(made: Material) -> Group:
    """How the threshold was chosen, and what it does."""
    sample, spec = made.sample, made.result.spec
    if sample is None:
        return Group(
            name="threshold",
            title="Threshold",
            fields=(Field(name="strategy", label="how it was chosen", reason=NO_SCORES),),
        )
    at = sample.at_fpr
    strategy = "strongest evidence against the claim" if spec.fpr is None else "given as a rate"
    corrected = (
        f"the {BOUNDS[spec.lower_bound_method].label} looks at every threshold and pays for it"
    )
    fields = (
        Field(name="strategy", label="selected threshold", value=strategy, about=corrected),
        Field(
            name="threshold",
            label="threshold",
            value=at.threshold_in_unit,
            shown=short(sample.threshold, digits=6),
            unit=at.kind,
        ),
        Field(
            name="requested_fpr",
            label="requested FPR",
            value=made.result.fpr,
            shown=percent(made.result.fpr),
        ),
        Field(
            name="realised_fpr",
            label="realised FPR",
            value=at.fpr,
            shown=f"{percent(at.fpr)} ({at.false_positives} of {at.n_nonmembers} non-members)",
            kind="estimate",
        ),
        Field(name="true_positives", label="members flagged", value=at.true_positives),
        Field(name="false_positives", label="non-members flagged", value=at.false_positives),
    )
    return Group(name="threshold", title="Threshold", fields=fields)


def consistency(made: Material) -> Group:
    """Whether the lower bound exceeds the claim."""
    sample = made.sample
    test = sample.audit.test if sample and made.is_claimed else None
    why = NO_SCORES if sample is None else NO_CLAIM
    if sample is not None and made.is_claimed:
        why = dict(sample.audit.refused).get("test", "not tested")
    outcome = made.contradicted
    level = made.result.spec.confidence_level
    margin = test.margin if test else None
    p_value = test.p_value if test else None
    fields = (
        Field(
            name="contradicted",
            label="claim",
            value=outcome,
            shown=OUTCOMES[outcome],
            confidence_level=level if test else None,
            reason=why,
        ),
        Field(
            name="margin",
            label="bound less claimed ε",
            value=margin,
            shown="" if margin is None else _margin(margin),
            reason=why if test is None else "not of this form of claim",
        ),
        Field(
            name="p_value",
            label="p-value of the claim's curve",
            value=p_value,
            shown="" if p_value is None else short(upper(p_value)),
            reason=why if test is None else "not needed: the lower bound decides",
        ),
        Field(
            name="explanation",
            label="in words",
            value=made.sentences.get("against") if sample else None,
            reason=why,
        ),
    )
    return Group(name="consistency", title="Claim against evidence", fields=fields)


def _margin(margin: float) -> str:
    """How far the bound is above the claim, or below it."""
    return f"at least {short(lower(margin))}" if margin > 0 else short(margin)
