"""The typed report: every format is rendered from it, none computes a number of its own."""

from dataclasses import dataclass
from typing import Any, Literal

from dpviz.analysis.facts.facts import NOT_STATED
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.answer import AnswerState

Kind = Literal["fact", "bound", "estimate", "chance"]
# A bound holds with a confidence, which its field states.
KINDS: dict[Kind, str] = {
    "fact": "",
    "bound": "",
    "estimate": "estimate, no bound",
    "chance": "in 95 of 100 cases where nothing leaks",
}


@dataclass(frozen=True, kw_only=True)
class Field:
    """One entry of a report.

    Parameters
    ----------
    name : str
        Its key in JSON.
    label : str
        Its name for people.
    value : optional
        Exact and plain, for JSON; None where nobody stated it, or where there is none.
    shown : str
        The value as people read it; left out: the value itself.
    kind : {"fact", "bound", "estimate", "chance"}
    unit : str
        Of `value`; empty for numbers without one.
    low, high : float, optional
        Limits of a confidence interval of `confidence_level`, which is also that of a bound.
    about : str
        What the value is: its definition or method.
    reason : str
        Why there is no value; left out: nobody stated one.
    table : Table, optional
        The value for people, where it has rows.
    is_code : bool
        Whether the value is text for machines.
    """

    name: str
    label: str
    value: Any = None
    shown: str = ""
    kind: Kind = "fact"
    unit: str = ""
    low: float | None = None
    high: float | None = None
    confidence_level: float | None = None
    about: str = ""
    reason: str = ""
    table: Table | None = None
    is_code: bool = False

    @property
    def text(self) -> str:
        """The value for people, or why there is none."""
        if self.value is None:
            return self.reason or NOT_STATED
        if isinstance(self.value, bool):
            return self.shown or ("yes" if self.value else "no")
        return self.shown or str(self.value)

    @property
    def note(self) -> str:
        """What the value is, for people."""
        return "; ".join(filter(None, (KINDS[self.kind], self.about)))


@dataclass(frozen=True, kw_only=True)
class Group:
    """Fields that belong together, under one title."""

    name: str
    title: str
    fields: tuple[Field, ...]

    @property
    def known(self) -> tuple[Field, ...]:
        """Fields with a value, or with a reason why there is none."""
        return tuple(field for field in self.fields if field.value is not None or field.reason)

    @property
    def not_stated(self) -> tuple[Field, ...]:
        """Fields that nobody stated."""
        return tuple(field for field in self.fields if field.value is None and not field.reason)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A picture as an SVG element, one sentence about it, all of it in words, and its group.

    Those on page one belong to no group.
    """

    name: str
    title: str
    lead: str
    svg: str
    described: str
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What a report says, ready to be rendered.

    Parameters
    ----------
    created : str
        UTC, ISO 8601.
    version : str
        Of dpviz.
    state : str
        That of :class:`~dpviz.analysis.topics.answer.Answer`.
    contradicted : bool or None
        Whether the scores contradict the claim; None where nothing was claimed or tested.
    title, meta : str
        Of the document: its title, and the line that says what it is made from.
    headline : str
        The answer.
    lead, plain_words, not_claimed, warnings : tuple of str
        Sentences: below the headline, in plain words, what is not claimed, cautions.
    checklist : Table or None
        Questions that only people can answer, the answers, and what follows; None without scores.
    groups : tuple of Group
    figures : tuple of Figure
    sentences : dict
        Those of the explorer, by name.
    spec : dict or None
        The choices as `dpviz.Explorer.state` has them; without a claim its "claim" is None.
    deployment : dict
        What is known of the fields of the deployments registry, under its names.
    """

    created: str
    version: str
    state: AnswerState
    contradicted: bool | None
    title: str
    meta: str
    headline: str
    lead: tuple[str, ...]
    plain_words: tuple[str, ...]
    not_claimed: tuple[str, ...]
    warnings: tuple[str, ...]
    checklist: Table | None
    groups: tuple[Group, ...]
    figures: tuple[Figure, ...]
    sentences: dict[str, str]
    spec: dict[str, Any] | None
    deployment: dict[str, Any]

    def field(self, group: str, name: str) -> Field:
        """Return a field; KeyError if there is none of this name."""
        for each in self.groups:
            for field in each.fields:
                if (each.name, field.name) == (group, name):
                    return field
        raise KeyError(f"{group}.{name}")
