"""The registry of groups, in the order of a report. A new one is a function and a line here."""

from collections.abc import Callable
from dataclasses import replace

from dpviz.reports.groups import epsilon, question, rates
from dpviz.reports.groups import rates as compared
from dpviz.reports.groups import who as data
from dpviz.reports.groups import who as identity
from dpviz.reports.groups import who as protocol
from dpviz.reports.material import Material
from dpviz.reports.model import Group

GROUPS: dict[str, Callable[[Material], Group]] = {
    "claim": question.claim,
    "consistency": question.consistency,
    "epsilon": epsilon.epsilon,
    "results": lambda made: _named(rates.results(made), made),
    "compared": compared.compared,
    "slices": rates.slices,
    "scores": data.scores,
    "sampling": data.sampling,
    "attack": data.attack,
    "protocol": protocol.protocol,
    "threshold": lambda made: _named(question.threshold(made), made),
    "params": question.params,
    "theory": question.theory,
    "subject": identity.subject,
    "auditor": identity.auditor,
    "document": identity.document,
}


def groups_of(made: Material) -> tuple[Group, ...]:
    """Every group."""
    return tuple(make(made) for make in GROUPS.values())


def _named(group: Group, made: Material) -> Group:
    """A group without words of users, in the terms of the naming."""
    naming = made.result.naming
    rename = naming.renamed
    return replace(
        group,
        fields=tuple(
            replace(
                field,
                label=rename(field.label),
                shown=rename(field.shown),
                about=rename(field.about),
                table=field.table and field.table.renamed(naming),
            )
            for field in group.fields
        ),
    )
