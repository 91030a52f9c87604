"""The registry of groups, in the order of a report. A new one is a function and a line here."""

from collections.abc import Callable

from dpviz.reports.groups import data, epsilon, identity, protocol, question, rates
from dpviz.reports.material import Material
from dpviz.reports.model import Group

GROUPS: dict[str, Callable[[Material], Group]] = {
    "claim": question.claim,
    "consistency": question.consistency,
    "epsilon": epsilon.epsilon,
    "results": rates.results,
    "slices": rates.slices,
    "scores": data.scores,
    "sampling": data.sampling,
    "attack": data.attack,
    "protocol": protocol.protocol,
    "threshold": question.threshold,
    "params": question.params,
    "theory": question.theory,
    "subject": identity.subject,
    "auditor": identity.auditor,
    "document": identity.document,
}


def groups_of(made: Material) -> tuple[Group, ...]:
    """Every group."""
    return tuple(make(made) for make in GROUPS.values())
