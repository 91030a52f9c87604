"""A report's fields about epsilon: bounds, estimates, and null quantiles of the estimates."""

from functools import partial

from dpviz.analysis.result import AuditPart, SamplePart
from dpviz.analysis.spec import Spec
from dpviz.analysis.topics.bounds import OWNERS, bound_text
from dpviz.analysis.topics.evidence import RAW_EPSILON
from dpviz.audit.bounds import EpsilonBound
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import default_method
from dpviz.number_format import percent, short, upper
from dpviz.reports.material import NO_SCORES, ReportData
from dpviz.reports.model import Field, Group

estimate = partial(Field, kind="estimate")
LOWER_BOUND = "lower bound on ε"
FIT_TEST = "Kolmogorov-Smirnov test on held-out losses"


def epsilon_group(material: ReportData) -> Group:
    """Return the fields about epsilon: bounds, estimates, and null quantiles of the estimates."""
    sample = material.sample
    if sample is None:
        fields: tuple[Field, ...] = (Field("lower_bound", LOWER_BOUND, reason=NO_SCORES),)
    else:
        fields = (
            *_bound_fields(sample.audit, material.result.spec),
            *_estimate_fields(material, sample),
            *_other_bounds_fields(material),
        )
    return Group("epsilon", "Numbers about ε", fields)


def _bound_fields(audit: AuditPart, spec: Spec) -> tuple[Field, ...]:
    """Return fields for the lower bound, its method, and the ceiling: a perfect attack's bound."""
    refused, bound, level = dict(audit.refused), audit.bound, spec.confidence_level
    chosen = default_method(spec.sampling)
    label = BOUNDS[chosen].label
    method = f"{percent(level)} confidence, {label}"
    certified = partial(Field, kind="bound", confidence_level=level)
    low, shown, about, why = None, "", "", refused.get("bound", "")
    if bound is not None:
        low, shown = bound.low, f"at least {bound_text(bound)}"
        about = f"{method}, of {OWNERS[bound.applies_to]}"
    most, perfect = audit.ceiling, f"{method}; bound of a perfect attack on this many records"
    cause = refused.get("ceiling", "")
    return (
        certified("lower_bound", LOWER_BOUND, low, shown, about=about, reason=why),
        Field("lower_bound_method", "method of the bound", chosen, label),
        *_seed_fields(bound),
        certified("ceiling", "ceiling", most, _at_most_text(most), about=perfect, reason=cause),
    )


def _seed_fields(bound: EpsilonBound | None) -> tuple[Field, ...]:
    """Return fields for the seed of a bound and the bound's s.d. over seeds; () without a seed."""
    if bound is None or bound.seed is None:
        return ()
    spread, label = bound.seed_spread, "spread of the bound over seeds"
    shown = "" if spread is None else f"s.d. {short(spread)}"
    return (
        Field("lower_bound_seed", "random seed of the bound", bound.seed),
        estimate("lower_bound_seed_spread", label, spread, shown, reason="not estimated"),
    )


def _estimate_fields(material: ReportData, sample: SamplePart) -> tuple[Field, ...]:
    """Return fields for Epsilon* and raw epsilon, each with its 95 % quantile under the null."""
    star, null = sample.epsilon_star.star, sample.audit.null
    clip, unclipped = star.suprema.clip, star.unclipped.value
    how = "no clip" if clip is None else f"clip {short(clip)}, cap {short(star.suprema.cap)}"
    is_counted = material.result.spec.method == "empirical"
    form = "from counts" if is_counted else f"{star.method} fit"
    # Chance is simulated for counts only; a fit would have to be repeated each time.
    chance = null.quantile("epsilon_star") if null and is_counted else None
    fields = [
        estimate("epsilon_star", "Epsilon*", star.value, short(star.value), about=f"{form}; {how}"),
        estimate("epsilon_star_unclipped", "Epsilon* without clip", unclipped, short(unclipped)),
        _null_quantile_field("epsilon_star", "Epsilon*", chance, "not simulated for a fit"),
    ]
    if null is not None:
        raw, p_value = null.observed["raw_epsilon"], null.p_value("raw_epsilon")
        chance, shown = null.quantile("raw_epsilon"), short(upper(p_value))
        about = "against random labellings of these records"
        fields += [
            estimate("raw_epsilon", "raw ε", raw, short(raw), about=RAW_EPSILON),
            _null_quantile_field("raw_epsilon", "raw ε", chance),
            Field("raw_epsilon_p_value", "p-value of raw ε", p_value, shown, about=about),
        ]
    # Fits are tested on losses that they have not seen.
    if not is_counted and sample.fit.goodness is not None:
        goodness = sample.fit.goodness
        for name, test in (("members", goodness.member), ("non-members", goodness.nonmember)):
            if test is not None:
                p, shown = test.p_value, f"p = {short(upper(test.p_value))}"
                key = f"fit_p_value_{name.replace('-', '')}"
                fields.append(estimate(key, f"fit of the {name}", p, shown, about=FIT_TEST))
    return tuple(fields)


def _other_bounds_fields(material: ReportData) -> tuple[Field, ...]:
    """Return one field with the lower bounds of all methods, or () if they are not computed."""
    table = material.result.tables.get("bounds")
    if table is None:
        return ()
    part = material.result.answers["bounds"]
    rows = [{"method": bound.method, "lower_bound": bound.low} for bound in part.bounds]
    bounds = partial(Field, kind="bound", confidence_level=part.question.confidence_level)
    label, shown = "lower bounds of all methods", f"{len(rows)} methods"
    return (bounds("other_methods", label, rows, shown, table=table),)


def _null_quantile_field(name: str, label: str, quantile: float | None, reason: str = "") -> Field:
    chance = partial(Field, kind="chance", reason=reason)
    return chance(f"{name}_by_chance", f"{label} by chance", quantile, _at_most_text(quantile))


def _at_most_text(value: float | None) -> str:
    return "" if value is None else f"at most {short(upper(value))}"
