"""The registry of groups, in the order of a report. A new one is a function and a line here."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from dpviz.reports.groups import epsilon, origin, question, rates
from dpviz.reports.material import Material
from dpviz.reports.model import Field, Group

GROUPS: dict[str, Callable[[Material], Group]] = {
    "claim": question.claim,
    "consistency": question.consistency,
    "epsilon": epsilon.epsilon,
    "results": lambda material: _renamed(rates.results(material), material),
    "compared": rates.compared,
    "slices": rates.groups_of_records,
    "scores": origin.scores,
    "sampling": lambda material: _stated_group("sampling", "How records were drawn", material),
    "attack": lambda material: _stated_group("attack", "Attack", material),
    "protocol": origin.protocol,
    "threshold": lambda material: _renamed(question.threshold(material), material),
    "params": question.params,
    "theory": question.theory,
    "subject": lambda material: _stated_group("subject", "Model", material),
    "auditor": lambda material: _stated_group("auditor", "Auditor", material),
    "document": origin.document,
}


def groups_of(material: Material) -> tuple[Group, ...]:
    """Return all groups of fields of a report, in the order of `GROUPS`."""
    return tuple(make(material) for make in GROUPS.values())


def _stated_group(name: str, title: str, material: Material) -> Group:
    return Group(name, title, material.stated(name))


def _renamed(group: Group, material: Material) -> Group:
    """Return a group in the terms of a naming; the group must have no words of users."""
    naming = material.result.naming

    def renamed(field: Field) -> Field:
        names = ("label", "shown", "about")
        texts: dict[str, Any] = {name: naming.renamed(getattr(field, name)) for name in names}
        return replace(field, **texts, table=field.table and field.table.renamed(naming))

    return replace(group, fields=tuple(map(renamed, group.fields)))
