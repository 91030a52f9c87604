"""Every epsilon, with what it is: a bound, an estimate, what chance gives, a ceiling."""

from dpviz.analysis.result import AuditPart, SamplePart
from dpviz.analysis.spec import Spec
from dpviz.analysis.topics.bounds import WHOSE, at_least
from dpviz.audit import EpsilonBound
from dpviz.audit.bounds import BOUNDS
from dpviz.number_format import percent, short, upper
from dpviz.reports.material import NO_SCORES, Material
from dpviz.reports.model import Field, Group


def epsilon(made: Material) -> Group:
    """All of them."""
    sample = made.sample
    if sample is None:
        fields: tuple[Field, ...] = (
            Field(name="lower_bound", label="lower bound on ε", reason=NO_SCORES),
        )
    else:
        fields = (
            *_certified(sample.audit, made.result.spec),
            *_estimated(made, sample),
            *_others(made),
        )
    return Group(name="epsilon", title="Numbers about ε", fields=fields)


def _certified(audit: AuditPart, spec: Spec) -> tuple[Field, ...]:
    refused, bound, level = dict(audit.refused), audit.bound, spec.confidence_level
    at_most = "" if audit.ceiling is None else f"at most {short(upper(audit.ceiling))}"
    method = BOUNDS[spec.lower_bound_method].label
    return (
        Field(
            name="lower_bound",
            label="lower bound on ε",
            kind="bound",
            value=bound.low if bound else None,
            shown=f"at least {at_least(bound)}" if bound else "",
            confidence_level=level,
            about=f"{percent(level)} confidence, {method}, of {WHOSE[bound.applies_to]}"
            if bound
            else "",
            reason=refused.get("bound", ""),
        ),
        Field(
            name="lower_bound_method",
            label="its method",
            value=spec.lower_bound_method,
            shown=method,
        ),
        *_seed(bound),
        Field(
            name="ceiling",
            label="its ceiling",
            kind="bound",
            value=audit.ceiling,
            shown=at_most,
            confidence_level=level,
            about=f"{percent(level)} confidence, {method}; a perfect attack's on this many records",
            reason=refused.get("ceiling", ""),
        ),
    )


def _seed(bound: EpsilonBound | None) -> tuple[Field, ...]:
    """The seed of a bound that has one, and what it matters."""
    if bound is None or bound.seed is None:
        return ()
    return (
        Field(name="lower_bound_seed", label="its random seed", value=bound.seed),
        Field(
            name="lower_bound_seed_spread",
            label="its spread over random seeds",
            value=bound.seed_spread,
            shown="" if bound.seed_spread is None else f"s.d. {short(bound.seed_spread)}",
            kind="estimate",
            reason="not estimated",
        ),
    )


def _estimated(made: Material, sample: SamplePart) -> tuple[Field, ...]:
    star, null, fit = sample.epsilon_star.star, sample.audit.null, sample.fit
    clip = star.suprema.clip
    how = "no clip" if clip is None else f"clip {short(clip)}, cap {short(star.suprema.cap)}"
    is_counted = made.result.spec.method == "empirical"
    form = "from counts" if is_counted else f"{star.method} fit"
    chance = null.quantile("epsilon_star") if null and is_counted else None
    found = [
        Field(
            name="epsilon_star",
            label="Epsilon*",
            value=star.value,
            shown=short(star.value),
            kind="estimate",
            about=f"{form}; {how}",
        ),
        Field(
            name="epsilon_star_unclipped",
            label="Epsilon* without clip",
            value=star.unclipped.value,
            shown=short(star.unclipped.value),
            kind="estimate",
        ),
        Field(
            name="epsilon_star_by_chance",
            label="Epsilon* by chance",
            value=chance,
            kind="chance",
            shown="" if chance is None else f"at most {short(upper(chance))}",
            reason="not simulated for a fit",
        ),
    ]
    if null is not None:
        found += _raw(
            null.observed["raw_epsilon"], null.quantile("raw_epsilon"), null.p_value("raw_epsilon")
        )
    if not is_counted and fit.goodness is not None:
        tested = {"members": fit.goodness.member, "nonmembers": fit.goodness.nonmember}
        found += [
            Field(
                name=f"fit_p_value_{name}",
                label=f"fit of the {name.replace('nonm', 'non-m')}",
                value=each.p_value,
                shown=f"p = {short(upper(each.p_value))}",
                kind="estimate",
                about="Kolmogorov-Smirnov test on held-out losses",
            )
            for name, each in tested.items()
            if each is not None
        ]
    return tuple(found)


def _raw(observed: float, chance: float, p_value: float) -> list[Field]:
    return [
        Field(
            name="raw_epsilon",
            label="raw ε",
            value=observed,
            shown=short(observed),
            kind="estimate",
            about="largest finite log ratio",
        ),
        Field(
            name="raw_epsilon_by_chance",
            label="raw ε by chance",
            value=chance,
            shown=f"at most {short(upper(chance))}",
            kind="chance",
        ),
        Field(
            name="raw_epsilon_p_value",
            label="p-value of raw ε",
            value=p_value,
            shown=short(upper(p_value)),
            about="against random labellings of these records",
        ),
    ]


def _others(made: Material) -> tuple[Field, ...]:
    """Bounds of other methods, where they were computed."""
    table = made.result.tables.get("bounds")
    if table is None:
        return ()
    part = made.result.answers["bounds"]
    return (
        Field(
            name="other_methods",
            label="lower bounds of all methods",
            value=[{"method": bound.method, "lower_bound": bound.low} for bound in part.bounds],
            shown=f"{len(part.bounds)} methods",
            kind="bound",
            confidence_level=part.question.confidence_level,
            table=table,
        ),
    )
