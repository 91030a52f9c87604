"""The registry of groups of fields, in the order in which a report shows the groups."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpviz.reports.groups import at_most, epsilon, origin, question, rates, tested
from dpviz.reports.material import ReportData
from dpviz.reports.model import Field, Group

GROUPS: dict[str, Callable[[ReportData], Group]] = {
    "claim": question.claim_group,
    "consistency": question.consistency_group,
    "epsilon": epsilon.epsilon_group,
    "results": lambda material: _with_rates_renamed(rates.results_group(material), material),
    "at_most": lambda material: _with_rates_renamed(at_most.at_most_group(material), material),
    "compared": rates.attacks_group,
    "slices": rates.slices_group,
    "tested": tested.tested_group,
    "scores": origin.scores_group,
    "sampling": lambda material: _stated_group("sampling", "How records were drawn", material),
    "attack": lambda material: _stated_group("attack", "Attack", material),
    "protocol": origin.protocol_group,
    "gate": origin.gate_group,
    "threshold": lambda material: _with_rates_renamed(question.threshold_group(material), material),
    "params": question.params_group,
    "theory": question.theory_group,
    "subject": lambda material: _stated_group("subject", "Model", material),
    "auditor": lambda material: _stated_group("auditor", "Auditor", material),
    "document": origin.reproduction_group,
}


def groups_of(material: ReportData) -> tuple[Group, ...]:
    """Return all groups of a report that have fields, in the order of `GROUPS`."""
    groups = (make(material) for make in GROUPS.values())
    return tuple(group for group in groups if group.fields)


def _stated_group(name: str, title: str, material: ReportData) -> Group:
    return Group(name, title, material.stated_fields(name))


def _with_rates_renamed(group: Group, material: ReportData) -> Group:
    """Return a group with error rates renamed as in the spec; no text may be written by a user."""
    naming = material.result.naming

    def renamed(field: Field) -> Field:
        names = ("label", "shown", "about")
        texts: dict[str, Any] = {name: naming.renamed(getattr(field, name)) for name in names}
        return replace(field, **texts, table=field.table and field.table.renamed(naming))

    return replace(group, fields=tuple(map(renamed, group.fields)))
