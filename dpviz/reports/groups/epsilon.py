"""Every epsilon, with what it is: a bound, an estimate, what chance gives, a ceiling."""

from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.parts import AuditPart, SamplePart
from dpviz.analysis.sentences.bounds import WHOSE, at_least
from dpviz.audit.bounds import BOUNDS
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
        level = made.result.spec.confidence_level
        fields = (*_certified(sample.audit, level), *_estimated(made, sample), *_others(made))
    return Group(name="epsilon", title="Numbers about ε", fields=fields)


def _certified(audit: AuditPart, level: float) -> tuple[Field, ...]:
    refused, bound = dict(audit.refused), audit.bound
    at_most = "" if audit.ceiling is None else f"at most {short(upper(audit.ceiling))}"
    method = BOUNDS[bound.method].label if bound else ""
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
            name="lower_bound_seed_spread",
            label="its spread over random seeds",
            value=bound.seed_spread if bound else None,
            shown=f"s.d. {short(bound.seed_spread)}"
            if bound and bound.seed_spread is not None
            else "",
            kind="estimate",
            reason="not estimated",
        ),
        Field(
            name="ceiling",
            label="its ceiling",
            kind="bound",
            value=audit.ceiling,
            shown=at_most,
            confidence_level=level,
            about=f"{percent(level)} confidence, {BOUNDS['rank'].label}; a perfect attack's on "
            "this many records",
            reason=refused.get("ceiling", ""),
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
            value=[
                {"method": bound.method, "lower_bound": bound.low, "assumption": bound.assumption}
                for bound in part.bounds
            ],
            shown=f"{len(part.bounds)} methods",
            kind="bound",
            confidence_level=part.question.confidence_level,
            table=table,
        ),
    )
