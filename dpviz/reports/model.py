"""The content of reports and comparisons as typed fields and figures, for all formats."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

from dpviz.analysis.facts.answers import NOT_STATED
from dpviz.analysis.topic import Table
from dpviz.analysis.topics.answer import AnswerState
from dpviz.value_object import ValueObject

Kind = Literal["fact", "bound", "estimate", "chance"]
# Notes on the kinds of values; a bound states its confidence in `about`.
KINDS: dict[Kind, str] = {
    "fact": "",
    "bound": "",
    "estimate": "estimate, not a bound",
    "chance": "in 95 of 100 cases where nothing leaks",
}

# The measured numbers of a report, by group and field.
NUMBERS = (
    *(("epsilon", name) for name in ("lower_bound", "ceiling", "epsilon_star")),
    *(("results", name) for name in ("auc", "advantage", "tpr", "ppv")),
)


@dataclass(frozen=True)
class Field:
    """One entry of a report; `name` is its key in JSON, and `label` its name in other formats."""

    name: str
    label: str
    value: Any = None  # plain data for JSON
    shown: str = ""  # what people read in place of the value
    _: KW_ONLY
    kind: Kind = "fact"
    unit: str = ""
    low: float | None = None  # confidence limits
    high: float | None = None
    confidence_level: float | None = None
    about: str = ""  # definition or method of the value
    reason: str = ""  # why there is no value; "" if nobody stated one
    table: Table | None = None  # what people read in place of `shown`
    is_code: bool = False  # text for machines

    @property
    def text(self) -> str:
        """The value as text, or the reason why there is no value."""
        if self.value is None:
            return self.reason or NOT_STATED
        if isinstance(self.value, bool):
            return self.shown or ("yes" if self.value else "no")
        return self.shown or str(self.value)

    @property
    def note(self) -> str:
        """A remark on the value: its kind, such as an estimate, and its definition or method."""
        return "; ".join(filter(None, (KINDS[self.kind], self.about)))


@dataclass(frozen=True)
class Group:
    """The fields of a report on one topic, under a title."""

    name: str
    title: str
    fields: tuple[Field, ...]

    @property
    def known(self) -> tuple[Field, ...]:
        """The fields with a value, and those with a reason for its absence."""
        return tuple(field for field in self.fields if field.value is not None or field.reason)

    @property
    def not_stated(self) -> tuple[Field, ...]:
        """The fields without a value or a reason: nobody stated a value."""
        return tuple(field for field in self.fields if field.value is None and not field.reason)


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A figure of a report, shown below the fields of `group`, or on page one if `group` is ""."""

    name: str
    title: str
    lead: str
    svg: str
    described: str
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Report:
    """The content of a report, which every format renders."""

    created: str  # a time in UTC (ISO 8601)
    version: str
    state: AnswerState
    contradicted: bool | None  # None if nothing was claimed or tested
    title: str
    meta: str  # the line below the title
    headline: str
    lead: tuple[str, ...]
    plain_words: tuple[str, ...]
    not_claimed: tuple[str, ...]
    warnings: tuple[str, ...]
    checklist: Table | None  # None without scores
    groups: tuple[Group, ...]
    figures: tuple[Figure, ...]
    sentences: dict[str, str]
    spec: dict[str, Any] | None  # as in `Explorer.state`; None if the claim's class is unknown
    deployment: dict[str, Any]  # fields of the OpenDP deployments registry

    def field(self, group: str, name: str) -> Field:
        """Return the field `name` of the group `group`; KeyError if there is no such field."""
        for each in self.groups:
            for field in each.fields:
                if (each.name, field.name) == (group, name):
                    return field
        raise KeyError(f"{group}.{name}")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AuditComparison(ValueObject):
    """The differences between two audits, as sentences and tables.

    Parameters
    ----------
    title, headline : str
    said : tuple of str, what is known of the records, and how to read the table
    settings : Table, settings and statements of people that differ
    numbers : Table, numbers of both, and whether they differ by more than chance
    n_beyond_chance : int, how many numbers differ by more than chance
    changed : tuple of str, the answer, numbers and settings that changed; none that may be chance
    provenance : tuple of str, what else differs: files, hashes, versions, statements of people

    Examples
    --------
    >>> import dpviz
    >>> names = ("overfitted", "regularised")
    >>> results = [dpviz.analyze(dpviz.read_sample(name), epsilon=1.0) for name in names]
    >>> comparison = dpviz.compare_reports(*results, records="same")
    >>> comparison.n_beyond_chance, comparison.numbers.rows[3][:3]
    (1, ('Epsilon*', '4.63', '1.86'))
    """

    title: str
    headline: str
    said: tuple[str, ...]
    settings: Table
    numbers: Table
    n_beyond_chance: int
    changed: tuple[str, ...]
    provenance: tuple[str, ...]
