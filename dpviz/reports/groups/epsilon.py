"""Every epsilon, with what it is: a bound, an estimate, what chance gives, a ceiling."""

from functools import partial

from dpviz.analysis.result import AuditPart, SamplePart
from dpviz.analysis.spec import Spec
from dpviz.analysis.topics.bounds import WHOSE, at_least
from dpviz.audit import EpsilonBound
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.number_format import percent, short, upper
from dpviz.reports.material import NO_SCORES, Material
from dpviz.reports.model import Field, Group

estimate = partial(Field, kind="estimate")


def epsilon(material: Material) -> Group:
    """The certified, estimated and simulated numbers about epsilon."""
    sample = material.sample
    if sample is None:
        fields: tuple[Field, ...] = (Field("lower_bound", "lower bound on ε", reason=NO_SCORES),)
    else:
        fields = (
            *_bound_fields(sample.audit, material.result.spec),
            *_estimate_fields(material, sample),
            *_other_bounds(material),
        )
    return Group("epsilon", "Numbers about ε", fields)


def _bound_fields(audit: AuditPart, spec: Spec) -> tuple[Field, ...]:
    """The lower bound, its method, and the largest bound that a perfect attack could give."""
    refused, bound, level = dict(audit.refused), audit.bound, spec.confidence_level
    label = BOUNDS[DEFAULT].label
    method = f"{percent(level)} confidence, {label}"
    certified = partial(Field, kind="bound", confidence_level=level)
    return (
        certified(
            "lower_bound",
            "lower bound on ε",
            bound.low if bound else None,
            f"at least {at_least(bound)}" if bound else "",
            about=f"{method}, of {WHOSE[bound.applies_to]}" if bound else "",
            reason=refused.get("bound", ""),
        ),
        Field("lower_bound_method", "its method", DEFAULT, label),
        *_seed(bound),
        certified(
            "ceiling",
            "its ceiling",
            audit.ceiling,
            _at_most(audit.ceiling),
            about=f"{method}; a perfect attack's on this many records",
            reason=refused.get("ceiling", ""),
        ),
    )


def _seed(bound: EpsilonBound | None) -> tuple[Field, ...]:
    """The random seed of a simulated bound, and how much the bound varies with it."""
    if bound is None or bound.seed is None:
        return ()
    spread, label = bound.seed_spread, "its spread over random seeds"
    shown = "" if spread is None else f"s.d. {short(spread)}"
    return (
        Field("lower_bound_seed", "its random seed", bound.seed),
        estimate("lower_bound_seed_spread", label, spread, shown, reason="not estimated"),
    )


def _estimate_fields(material: Material, sample: SamplePart) -> tuple[Field, ...]:
    """Epsilon* and the raw epsilon, each with the values that chance alone gives."""
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
        Field(
            "epsilon_star_by_chance",
            "Epsilon* by chance",
            chance,
            _at_most(chance),
            kind="chance",
            reason="not simulated for a fit",
        ),
    ]
    if null is not None:
        raw, p_value = null.observed["raw_epsilon"], null.p_value("raw_epsilon")
        chance = null.quantile("raw_epsilon")
        about = "against random labellings of these records"
        shown = short(upper(p_value))
        fields += [
            estimate("raw_epsilon", "raw ε", raw, short(raw), about="largest finite log ratio"),
            Field(
                "raw_epsilon_by_chance", "raw ε by chance", chance, _at_most(chance), kind="chance"
            ),
            Field("raw_epsilon_p_value", "p-value of raw ε", p_value, shown, about=about),
        ]
    # Fits are tested on losses that they have not seen.
    if not is_counted and sample.fit.goodness is not None:
        goodness = sample.fit.goodness
        fields += [
            estimate(
                f"fit_p_value_{name}",
                f"fit of the {label}",
                test.p_value,
                f"p = {short(upper(test.p_value))}",
                about="Kolmogorov-Smirnov test on held-out losses",
            )
            for name, label, test in (
                ("members", "members", goodness.member),
                ("nonmembers", "non-members", goodness.nonmember),
            )
            if test is not None
        ]
    return tuple(fields)


def _other_bounds(material: Material) -> tuple[Field, ...]:
    """The bounds of other methods, if they were computed."""
    table = material.result.tables.get("bounds")
    if table is None:
        return ()
    part = material.result.answers["bounds"]
    rows = [{"method": bound.method, "lower_bound": bound.low} for bound in part.bounds]
    return (
        Field(
            "other_methods",
            "lower bounds of all methods",
            rows,
            f"{len(rows)} methods",
            kind="bound",
            confidence_level=part.question.confidence_level,
            table=table,
        ),
    )


def _at_most(value: float | None) -> str:
    return "" if value is None else f"at most {short(upper(value))}"
