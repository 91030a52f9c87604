"""Compare two audits: settings and numbers that differ, and differences that exceed chance."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.facts.about import ABOUT
from dpviz.analysis.facts.answers import NOT_STATED
from dpviz.analysis.topic import Table
from dpviz.number_format import percent, short
from dpviz.reports.model import NUMBERS, AuditComparison
from dpviz.reports.read import is_mapping_or_json_text, read_report
from dpviz.reports.write import report_as

RecordsRelation = Literal["same", "other"]
ParsedJson = Mapping[str, Any]
Audit = Result | str | Path | ParsedJson
Row = tuple[tuple[str, ...], bool]  # cells, and whether the difference is more than chance
RECORDS = ("same", "other")
HEAD = ("number", "first", "second", "difference")
SETTINGS_HEAD = ("setting", "first", "second")
BY_SETTINGS = "due to the settings"
EACH_ALONE = "Each line is a separate test. Among many tests, a few show a difference by chance."
# Settings of a report by group and field.
SETTINGS = (
    *(("claim", name) for name in ("guarantee", "epsilon", "delta", "adjacency", "kind")),
    *(("params", name) for name in ("delta", "confidence_level", "prior")),
    *(("epsilon", "lower_bound_method"), ("scores", "kind")),
)
# What was audited, by what and by whom: not the question.
PROVENANCE = (
    *(("scores", name) for name in ("source", "sha256", "n_members", "n_nonmembers")),
    ("document", "dpviz"),
    *((group, name) for group, names in ABOUT.items() for name in names),
)
# Numbers that are no estimates: why a difference between two of them shows nothing.
NO_ESTIMATES = {
    "lower_bound": "a bound: it does not show whether ε changed",
    "ceiling": "follows from the numbers of records",
}
# What is known about the records of both audits, in a sentence.
RELATIONS = {
    "scores": "Differences come from settings or versions.",
    "same": "Both audits are stated to have the same records: the intervals allow for this.",
    "other": "The two sets of records are stated to be drawn independently of each other.",
    NOT_STATED: "It is not stated whether both audits have the same records: the intervals hold in "
    "either case.",
}


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A measured value with the limits of its confidence interval."""

    value: float
    low: float
    high: float


def difference_limits_if_independent(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Return limits of a - b for independent samples, at about the confidence level of a and b."""
    # Square-and-add, or MOVER: R. G. Newcombe, "Interval estimation for the difference between
    # independent proportions", Statistics in Medicine 17 (1998), method 10; G. Y. Zou and A.
    # Donner, Statistics in Medicine 27 (2008).

    # Errors on each side add as squares, each with its own length.
    middle = a.value - b.value
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    return middle - below, middle + above


def difference_limits_if_dependent(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Return limits of a - b under any dependence; the error probabilities of a and b add up."""
    return a.low - b.high, a.high - b.low


def compare_reports(
    first: Audit, second: Audit, *, records: RecordsRelation | None = None
) -> AuditComparison:
    """Return the differences between two audits, given as results or as reports in JSON.

    An estimate with an interval differs by more than chance if the interval of the difference does
    not contain 0. For independent records that interval is square-and-add, at about the confidence
    of both audits; otherwise it is Bonferroni's, which needs no assumption.

    Parameters
    ----------
    first, second : Result, or what :func:`dpviz.reports.read_report` takes
    records : {"same", "other"}, optional, the same for both audits or drawn independently

    Raises
    ------
    OSError, if a file cannot be read
    ValueError, if a file is no audit of scores, or `records` is "other" for the same scores

    Examples
    --------
    >>> import dpviz
    >>> losses = [0.1, 0.4, 0.2], [0.3, 0.9, 0.8]
    >>> one, other = (dpviz.analyze(*losses, epsilon=claimed) for claimed in (1.0, 2.0))
    >>> dpviz.compare_reports(one, other).settings.rows[1][1:]
    ('1', '2')
    """
    if records is not None:
        checks.choice("records", records, RECORDS)
    a, b = _read_audit(first), _read_audit(second)
    relation = _records_relation(a, b, records)
    rows = [*_number_rows(a, b, relation), *_low_fpr_rows(a, b, relation)]
    n_beyond_chance = sum(is_beyond for _, is_beyond in rows)
    settings, provenance = _setting_rows(a, b, SETTINGS), _setting_rows(a, b, PROVENANCE)
    settings += _checklist_rows(a, b)
    # Of the same scores, no number differs by chance.
    (name, answer, other, _), _ = rows[0]
    changed = [name] if answer != other else []
    changed += [row[0] for row, is_beyond in rows if is_beyond or row[3] == BY_SETTINGS]
    names = " and ".join(_shown_value(document, "scores", "source") for document in (a, b))
    caption = "Numbers of both audits; intervals are for the second minus the first."
    return AuditComparison(
        title=f"Privacy audits of {names} compared",
        headline=_headline(relation, n_beyond_chance),
        said=(RELATIONS[relation], *([] if relation == "scores" else [EACH_ALONE])),
        settings=Table("Settings that differ.", SETTINGS_HEAD, [*settings, *provenance]),
        numbers=Table(caption, HEAD, [row for row, _ in rows]),
        n_beyond_chance=n_beyond_chance,
        changed=(*changed, *(row[0] for row in settings)),
        provenance=tuple(row[0] for row in provenance),
    )


def _read_audit(source: Audit) -> ParsedJson:
    if isinstance(source, Result):
        source = report_as(".json", source).decode()
    document = read_report(source)
    if _value(document, "scores", "n_members") is None:
        name = "report" if is_mapping_or_json_text(source) else Path(source).name  # type: ignore[arg-type]
        raise checks.fail(name, "an audit of scores", "a report without scores")
    return document


def _records_relation(a: ParsedJson, b: ParsedJson, records: RecordsRelation | None) -> str:
    """Return the relation between the records of two audits, a key of `RELATIONS`."""
    # A fingerprint is a hash of the scores themselves; the hash of a file is the next best.
    for name in ("fingerprint", "sha256"):
        digests = [_value(document, "scores", name) for document in (a, b)]
        if digests[0] is not None and digests[0] == digests[1]:
            if records == "other":
                raise checks.fail("records", f"'same' if scores.{name} is equal in both", records)
            return "scores"
        if None not in digests:
            break
    return records or NOT_STATED


def _headline(relation: str, n_beyond_chance: int) -> str:
    if relation == "scores":
        return "Both audits have the same scores."
    if n_beyond_chance == 0:
        return "No number differs by more than chance. That does not show that nothing changed."
    number = "number differs" if n_beyond_chance == 1 else "numbers differ"
    return f"{n_beyond_chance} {number} by more than chance."


def _setting_rows(
    a: ParsedJson, b: ParsedJson, places: Iterable[tuple[str, str]]
) -> list[tuple[str, ...]]:
    """Return a row (name, first value, second value) for each setting whose values differ."""
    return [
        ((_field(a, *at) or _field(b, *at))["label"], _shown_value(a, *at), _shown_value(b, *at))
        for at in places
        if _value(a, *at) != _value(b, *at)
    ]


def _checklist_rows(a: ParsedJson, b: ParsedJson) -> list[tuple[str, ...]]:
    """Return a row (question, first answer, second answer) for each answer that differs."""
    # Questions that only one of both audits has are no difference.
    answers, others = (
        {row["question"]: row["answer"] for row in document["checklist"]} for document in (a, b)
    )
    return [
        (question, answer, others[question])
        for question, answer in answers.items()
        if others.get(question, answer) != answer
    ]


def _number_rows(a: ParsedJson, b: ParsedJson, relation: str) -> Iterator[Row]:
    """Yield table rows (cells, is_beyond_chance): one for the outcome, and one for each number."""
    reasons = [_field(each, "claim", "epsilon").get("reason") for each in (a, b)]
    outcomes = [str(why or each["answer"]) for why, each in zip(reasons, (a, b), strict=True)]
    yield ("answer", *outcomes, ""), False
    same_fpr = _value(a, "threshold", "requested_fpr") == _value(b, "threshold", "requested_fpr")
    same_delta = _value(a, "params", "delta") == _value(b, "params", "delta")
    for group, name in NUMBERS:
        one, other = _field(a, group, name), _field(b, group, name)
        if not (one and other):
            continue
        # Numbers are compared only where they answer the same question.
        if name in ("tpr", "ppv") and not same_fpr:
            difference, is_beyond = "at different FPRs", False
        elif group == "epsilon" and not same_delta:
            difference, is_beyond = "at different δ", False
        elif name in NO_ESTIMATES and one["value"] != other["value"]:
            difference, is_beyond = NO_ESTIMATES[name], False
        else:
            difference, is_beyond = _text_and_is_beyond_chance(one, other, relation)
        called = f" ({other['label']})" if other["label"] != one["label"] else ""
        second = f"{_shown_value(b, group, name)}{called}"
        yield (one["label"], _shown_value(a, group, name), second, difference), is_beyond


def _low_fpr_rows(a: ParsedJson, b: ParsedJson, relation: str) -> Iterator[Row]:
    """Yield table rows (cells, is_beyond_chance): one for the TPR at each low FPR."""
    # Rows of the table as fields with a value and limits, by requested FPR.
    by_fpr: list[dict[float, ParsedJson]] = []
    for table in (_field(document, "results", "tpr_at_fpr") for document in (a, b)):
        level = {"confidence_level": table.get("confidence_level")}
        rows = table.get("value", ())
        by_fpr.append({row["requested_fpr"]: {**row, "value": row["tpr"], **level} for row in rows})
    for fpr in filter(by_fpr[1].__contains__, by_fpr[0]):
        one, other = by_fpr[0][fpr], by_fpr[1][fpr]
        difference, is_beyond = _text_and_is_beyond_chance(one, other, relation)
        rates = (percent(float(row["tpr"])) for row in (one, other))
        yield (f"TPR at FPR {percent(fpr)}", *rates, difference), is_beyond


def _text_and_is_beyond_chance(a: ParsedJson, b: ParsedJson, relation: str) -> tuple[str, bool]:
    """Return the difference between two fields in words, and whether its limits exclude 0."""
    if a["value"] == b["value"]:
        return "no difference", False
    if relation == "scores":
        return BY_SETTINGS, False
    first, second, level = _as_estimate(a), _as_estimate(b), a.get("confidence_level")
    if first is None or second is None or level is None or level != b.get("confidence_level"):
        return "no interval, so unknown", False
    if relation == "other":
        low, high = difference_limits_if_independent(second, first)
        confidence = f"about {percent(level)}"
    else:
        low, high = difference_limits_if_dependent(second, first)
        confidence = f"at least {percent(2 * level - 1)}"
    limits = f"{short(low)} to {short(high)} ({confidence} confidence)"
    if low <= 0 <= high:
        return f"may be chance: {limits}", False
    return f"more than chance: {limits}", True


def _as_estimate(field: ParsedJson) -> Estimate | None:
    numbers = [field.get(name) for name in ("value", "low", "high")]
    if not all(isinstance(number, int | float) for number in numbers):
        return None
    value, low, high = map(float, numbers)  # type: ignore[arg-type]
    return Estimate(value=value, low=low, high=high)


def _field(document: ParsedJson, group: str, name: str) -> ParsedJson:
    return dict(document.get(group, {}).get(name, {}))


def _value(document: ParsedJson, group: str, name: str) -> Any:
    return _field(document, group, name).get("value")


def _shown_value(document: ParsedJson, group: str, name: str) -> str:
    field = _field(document, group, name)
    value = field.get("value")
    if value is None:
        return str(field.get("reason", NOT_STATED))
    return str(field.get("shown") or (short(value) if isinstance(value, float) else value))
