"""The fields of a report about the question: claim, guarantee, chosen numbers, outcome."""

import math
from functools import partial

from dpviz.analysis.topics.answer import original_adjacency, sampling_sentence
from dpviz.analysis.topics.attacks import ONE_RUN_INTERVALS
from dpviz.analysis.topics.bounds import OWNERS
from dpviz.analysis.topics.claim import short_name
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import default_method
from dpviz.claims.claim import ADJACENCY_NAMES
from dpviz.number_format import lower, percent, short, upper
from dpviz.reports.material import NO_CLAIM, NO_SCORES, ReportData
from dpviz.reports.model import Field, Group
from dpviz.theory import ApproximateDP, RenyiDP, TradeoffFunction, ZeroConcentratedDP
from dpviz.theory.statements import smallest_mu

VARIANTS: dict[type[TradeoffFunction], str] = {
    ZeroConcentratedDP: "Zero-concentrated DP",
    RenyiDP: "Renyi DP",
}
OUTCOMES = {True: "contradicted", False: "not contradicted", None: "not tested"}


def claim_group(material: ReportData) -> Group:
    """Return the fields about the claim: its numbers, what is audited, and what is certified."""
    whose, drawn = "theory only, no scores", ""
    if material.sample is not None:
        whose = OWNERS[material.result.spec.applies_to]
        drawn = sampling_sentence(material.result.spec)
    said = material.sentences.get("bound") if material.sample else None
    fields = (
        *_claim_fields(material),
        Field("kind", "what is audited", whose, about=drawn),
        Field("statement", "what is certified", said, reason=NO_SCORES),
    )
    return Group("claim", "Claim", fields)


def _claim_fields(material: ReportData) -> tuple[Field, ...]:
    part, given = material.result.claim, material.result.spec.claim
    # An own epsilon is exact; an implied one is rounded up.
    own = "epsilon" in part.claim.parameters
    epsilon = short(part.epsilon, digits=6) if own else short(upper(part.epsilon))
    converted = "converted to replace-one adjacency" if part.converted else ""
    delta = part.claim.claimed_delta if isinstance(part.claim, ApproximateDP) else part.delta
    neighbours = original_adjacency(material.result.spec)
    fields = (
        Field("guarantee", "claim", short_name(given)),
        Field("epsilon", "claimed ε", part.epsilon, epsilon, about=converted),
        Field("delta", "at δ", delta, short(delta)),
        Field(
            "adjacency",
            "neighbouring data sets",
            neighbours,
            ADJACENCY_NAMES[neighbours],
            about=material.sentences.get("reading", ""),
        ),
    )
    if material.is_claimed:
        return fields
    return tuple(Field(f.name, f.label, reason=NO_CLAIM) for f in fields)


def theory_group(material: ReportData) -> Group:
    """Return the fields about the guarantee: form, parameters, and smallest implied mu-GDP."""
    given = material.result.spec.claim
    parameters = [
        Field(name, name.replace("_", " "), value, short(value, digits=6))
        for name, value in given.parameters.items()
        if isinstance(value, int | float) and name not in ("epsilon", "delta")
    ]
    form = opendp_variant_name(given) if material.is_claimed else None
    fields = (
        Field("variant", "form of the guarantee", form, reason=NO_CLAIM),
        _mu_field(material),
        *(parameters if material.is_claimed else ()),
        *material.stated_fields("theory"),
    )
    return Group("theory", "Guarantee", fields)


def opendp_variant_name(claim: TradeoffFunction) -> str:
    """Return the name of a claim's form in OpenDP's deployments registry, such as "Pure DP"."""
    if isinstance(claim, ApproximateDP):
        return "Approximate DP" if claim.claimed_delta > 0 else "Pure DP"
    return VARIANTS.get(type(claim), "Custom")


def _mu_field(material: ReportData) -> Field:
    label = "smallest μ of Gaussian DP"
    if not material.is_claimed:
        return Field("mu", label, reason=NO_CLAIM)
    try:
        mu = smallest_mu(material.result.claim.claim)
    except ValueError as error:
        return Field("mu", label, reason=str(error))
    if math.isinf(mu):
        return Field("mu", label, reason="none: the claim implies no Gaussian DP")
    return Field("mu", label, mu, short(upper(mu)), about="that the claim implies")


def params_group(material: ReportData) -> Group:
    """Return the fields with the delta, the confidence level and the prior that were chosen."""
    spec, delta = material.result.spec, material.result.claim.delta
    level = spec.confidence_level
    sides = "bounds are one-sided, intervals two-sided; each holds by itself"
    if spec.is_one_run:
        sides += f".{ONE_RUN_INTERVALS.rstrip('.')}"
    share = "share of members among the candidates"
    fields = (
        Field("delta", "δ of the bounds and of Epsilon*", delta, short(delta)),
        Field("confidence_level", "confidence", level, percent(level), about=sides),
        Field("prior", "prior p", spec.prior, percent(spec.prior), about=share),
        *material.stated_fields("params"),
    )
    return Group("params", "Chosen numbers", fields)


def threshold_group(material: ReportData) -> Group:
    """Return the fields about the threshold: its choice, its FPR, and the flagged records."""
    sample, spec = material.sample, material.result.spec
    if sample is None:
        missing = Field("strategy", "how it was chosen", reason=NO_SCORES)
        return Group("threshold", "Threshold", (missing,))
    at, fpr, digits = sample.at_fpr, material.result.fpr, short(sample.threshold, digits=6)
    strategy = "strongest evidence" if spec.fpr is None else "given as a rate"
    method = BOUNDS[default_method(spec.sampling)].label
    correction = f"the {method} searches all thresholds and is corrected for the search"
    realised = f"{percent(at.fpr)} ({at.false_positives} of {at.n_nonmembers} non-members)"
    fields = (
        Field("strategy", "selected threshold", strategy, about=correction),
        Field("threshold", "threshold", at.original_threshold, digits, unit=at.kind),
        Field("requested_fpr", "requested FPR", fpr, percent(fpr)),
        Field("realised_fpr", "realised FPR", at.fpr, realised, kind="estimate"),
        Field("true_positives", "members flagged", at.true_positives),
        Field("false_positives", "non-members flagged", at.false_positives),
    )
    return Group("threshold", "Threshold", fields)


def consistency_group(material: ReportData) -> Group:
    """Return the fields about the test of the claim: outcome, margin and p-value."""
    sample, outcome = material.sample, material.is_contradicted
    test = sample.audit.test if sample and material.is_claimed else None
    why = NO_SCORES if sample is None else NO_CLAIM
    if sample is not None and material.is_claimed:
        why = dict(sample.audit.refused).get("test", "not tested")
    # A claim is tested by a bound, which has a margin, or by its whole curve.
    margin, p_value = (test.margin, test.p_value) if test else (None, None)
    # Only a bound above the claim is rounded to its safe side: others show no contradiction.
    shown_margin = "" if margin is None else short(margin)
    if margin is not None and margin > 0:
        shown_margin = f"at least {short(lower(margin))}"
    shown_p = "" if p_value is None else short(upper(p_value))
    level, no_margin, no_p = None, why, why
    if test is not None:
        level = material.result.spec.confidence_level
        no_margin, no_p = "not of this form of claim", "not needed: the lower bound decides"
    said = material.sentences.get("against") if sample else None
    is_open = material.result.answer.state == "cannot decide"
    shown = "not decided" if is_open else OUTCOMES[outcome]
    decided = partial(Field, confidence_level=level, reason=why)
    fields = (
        decided("contradicted", "claim", outcome, shown),
        Field("margin", "bound minus claimed ε", margin, shown_margin, reason=no_margin),
        Field("p_value", "p-value of the claim's curve", p_value, shown_p, reason=no_p),
        Field("explanation", "in words", said, reason=why),
    )
    return Group("consistency", "Claim against evidence", fields)
