"""Compare two audits: what changed, and whether that is more than chance."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dpviz import checks
from dpviz.analysis.facts.about import ABOUT
from dpviz.analysis.facts.facts import NOT_STATED
from dpviz.analysis.topic import Table
from dpviz.number_format import percent, short
from dpviz.reports.read import read_report


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A measured value with the limits of its confidence interval.

    Examples
    --------
    >>> from dpviz.reports.compare import Estimate
    >>> Estimate(value=0.6, low=0.5, high=0.7).low
    0.5
    """

    value: float
    low: float
    high: float


def interval_of_independent(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Limits of a - b for independent samples, from the limits of both.

    Parameters
    ----------
    a, b : Estimate
        At one confidence level, which is about that of the result.

    Returns
    -------
    tuple of two floats

    References
    ----------
    Square-and-add, or MOVER: R. G. Newcombe, "Interval estimation for the difference between
    independent proportions", Statistics in Medicine 17 (1998), method 10; G. Y. Zou and A. Donner,
    Statistics in Medicine 27 (2008).

    Examples
    --------
    >>> from dpviz.reports.compare import Estimate, interval_of_independent
    >>> a, b = (Estimate(value=p, low=p - 0.3, high=p + 0.4) for p in (0.5, 0.4))
    >>> low, high = interval_of_independent(a, b)
    >>> round(low, 3), round(high, 3)
    (-0.4, 0.6)
    """
    middle = a.value - b.value
    below = math.hypot(a.value - a.low, b.high - b.value)
    above = math.hypot(a.high - a.value, b.value - b.low)
    return middle - below, middle + above


def interval_of_any(a: Estimate, b: Estimate) -> tuple[float, float]:
    """Limits of a - b, however the samples depend on each other (Bonferroni).

    Each interval misses with probability at most alpha, so both hold with at least 1 - 2 alpha.

    Parameters
    ----------
    a, b : Estimate

    Returns
    -------
    tuple of two floats

    Examples
    --------
    >>> from dpviz.reports.compare import Estimate, interval_of_any
    >>> interval_of_any(Estimate(value=3, low=2, high=4), Estimate(value=1, low=0, high=2))
    (0, 4)
    """
    return a.low - b.high, a.high - b.low


# Compare two audits: what changed, and whether that is more than chance.

Records = Literal["same", "other"]
RECORDS = ("same", "other")
HEAD = ("number", "first", "second", "difference")
SETTINGS_HEAD = ("setting", "first", "second")
EACH_ALONE = "Each line is a comparison by itself: among many, some look larger than chance."

# By group and field. Only an estimate with an interval can be compared with chance.
SETTINGS = (
    *(("claim", name) for name in ("guarantee", "epsilon", "delta", "adjacency", "kind")),
    *(("params", name) for name in ("delta", "confidence_level", "prior")),
    ("epsilon", "lower_bound_method"),
    *(("scores", name) for name in ("source", "sha256", "kind", "n_members", "n_nonmembers")),
    ("document", "dpviz"),
    *((group, name) for group, names in ABOUT.items() for name in names),
)

NUMBERS = (
    *(("epsilon", name) for name in ("lower_bound", "ceiling", "epsilon_star")),
    *(("results", name) for name in ("auc", "advantage", "tpr", "ppv")),
)
NOT_MEASURED = {
    "lower_bound": "a bound: whether ε changed is not known",
    "ceiling": "from the numbers of records",
}

WHICH: dict[str, str] = {
    "scores": "Both audits are of the same scores: what differs comes from settings or versions.",
    "same": "The records are stated to be the same: intervals hold however the audits depend.",
    "other": "The records are stated to be others, drawn independently of the first.",
    NOT_STATED: (
        "Whether the records are the same is not stated: intervals hold however the audits depend."
    ),
}


@dataclass(frozen=True, kw_only=True)
class AuditComparison:
    """What changed between two audits.

    Parameters
    ----------
    title, headline : str
    said : tuple of str
        What is known of the records, and how to read the table.
    settings : Table
        Settings and statements of people that differ.
    numbers : Table
        Numbers of both, and whether they differ by more than chance.
    n_beyond_chance : int
        Numbers that differ by more than chance.

    Examples
    --------
    >>> import dpviz, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, f"{name}.json") for name in ("overfitted", "regularised")]
    ...     for path in paths:
    ...         dpviz.report(dpviz.analyze(dpviz.read_sample(path.stem)), path)
    ...     found = dpviz.compare_reports(*paths, records="same")
    >>> found.n_beyond_chance, found.numbers.rows[3][:3]
    (1, ('Epsilon*', '4.63', '1.86'))
    """

    title: str
    headline: str
    said: tuple[str, ...]
    settings: Table
    numbers: Table
    n_beyond_chance: int


def compare_reports(
    first: str | Path, second: str | Path, *, records: Records | None = None
) -> AuditComparison:
    """Compare two audits that were saved as JSON.

    An estimate with an interval differs by more than chance if the interval of the difference does
    not contain 0. For independent records that interval is square-and-add, at about the confidence
    of both audits; otherwise it is Bonferroni's, which needs no assumption.

    Parameters
    ----------
    first, second : str or Path
        Files of :func:`dpviz.report` or ``dpviz audit --json``.
    records : {"same", "other"}, optional
        Whether both audits scored the same records, or others drawn independently.

    Returns
    -------
    AuditComparison

    Raises
    ------
    OSError
        If a file cannot be read.
    ValueError
        If a file is no such document or one without scores, or `records` is "other" although the
        scores are the same.

    Examples
    --------
    See :class:`dpviz.reports.AuditComparison`.

    >>> import dpviz
    >>> dpviz.compare_reports.__module__
    'dpviz.reports.compare'
    """
    if records is not None:
        checks.choice("records", records, RECORDS)
    a, b = _audit(first), _audit(second)
    which = _which(a, b, records)
    rows = list(_rows(a, b, which))
    beyond = sum(is_beyond for _, is_beyond in rows)
    names = " and ".join(_shown(each, "scores", "source") for each in (a, b))
    return AuditComparison(
        title=f"Privacy audits of {names} compared",
        headline=_headline(which, beyond),
        said=(WHICH[which], EACH_ALONE),
        settings=Table(
            "Settings that differ.",
            SETTINGS_HEAD,
            [
                (_label(a, b, *place), *(_shown(each, *place) for each in (a, b)))
                for place in SETTINGS
                if _value(a, *place) != _value(b, *place)
            ]
            + _checklist(a, b),
        ),
        numbers=Table(
            "Numbers of both; intervals are of the second less the first.",
            HEAD,
            [row for row, _ in rows],
        ),
        n_beyond_chance=beyond,
    )


def _audit(path: str | Path) -> dict[str, Any]:
    document = read_report(path)
    if _value(document, "scores", "n_members") is None:
        raise checks.fail(Path(path).name, "an audit of scores", "a report without scores")
    return document


def _checklist(a: Mapping[str, Any], b: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The questions that were answered in different ways."""
    one, other = (
        {row["question"]: row["answer"] for row in each.get("checklist", ())} for each in (a, b)
    )
    return [
        (question, one[question], other[question])
        for question in one
        if question in other and one[question] != other[question]
    ]


def _which(a: Mapping[str, Any], b: Mapping[str, Any], records: Records | None) -> str:
    """What is known of the records of both."""
    for name in ("fingerprint", "sha256"):
        digests = [_value(each, "scores", name) for each in (a, b)]
        if digests[0] is not None and digests[0] == digests[1]:
            if records == "other":
                raise checks.fail("records", f"'same': both have the {name} {digests[0]}", records)
            return "scores"
        if None not in digests:
            break
    return records or NOT_STATED


def _headline(which: str, beyond: int) -> str:
    if which == "scores":
        return "Two audits of the same scores."
    if beyond == 0:
        return "No number differs by more than chance. That does not show that nothing changed."
    return f"{beyond} number{'s differ' if beyond > 1 else ' differs'} by more than chance."


def _rows(
    a: Mapping[str, Any], b: Mapping[str, Any], which: str
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Each number of both audits, and whether it differs by more than chance."""
    yield ("answer", _answer(a), _answer(b), ""), False
    same_fpr = _value(a, "threshold", "requested_fpr") == _value(b, "threshold", "requested_fpr")
    same_delta = _value(a, "params", "delta") == _value(b, "params", "delta")
    for group, name in NUMBERS:
        one, other = (_field(each, group, name) for each in (a, b))
        if not (one and other):
            continue
        if name in ("tpr", "ppv") and not same_fpr:
            said, is_beyond = "at different FPRs", False
        elif group == "epsilon" and not same_delta:
            said, is_beyond = "at different δ", False
        elif name in NOT_MEASURED and one["value"] != other["value"]:
            said, is_beyond = NOT_MEASURED[name], False
        else:
            said, is_beyond = _difference(one, other, which)
        label, second = _label(a, b, group, name), _shown(b, group, name)
        if b["schema"] == a["schema"] and other["label"] != one["label"]:
            label, second = one["label"], f"{second} ({other['label']})"  # such as its own FPR
        yield (label, _shown(a, group, name), second, said), is_beyond
    yield from _at_low_fprs(a, b, which)


def _at_low_fprs(
    a: Mapping[str, Any], b: Mapping[str, Any], which: str
) -> Iterator[tuple[tuple[str, ...], bool]]:
    """The TPR at the FPRs that papers quote."""
    tables = [each.get("results", {}).get("tpr_at_fpr", {}) for each in (a, b)]
    levels = [table.get("confidence_level") for table in tables]
    readings = [{row["requested_fpr"]: row for row in table.get("value", ())} for table in tables]
    for fpr in filter(readings[1].__contains__, readings[0]):
        one, other = (
            {**readings[i][fpr], "value": readings[i][fpr]["tpr"], "confidence_level": levels[i]}
            for i in (0, 1)
        )
        said, is_beyond = _difference(one, other, which)
        shown = (percent(float(each["tpr"])) for each in (one, other))
        yield (f"TPR at FPR {percent(fpr)}", *shown, said), is_beyond


def _difference(a: Mapping[str, Any], b: Mapping[str, Any], which: str) -> tuple[str, bool]:
    """What to say about two fields, and whether they differ by more than chance."""
    if a["value"] == b["value"]:
        return "none", False
    if which == "scores":
        return "by the settings", False
    first, second, level = _estimate(a), _estimate(b), a.get("confidence_level")
    if first is None or second is None or level is None or level != b.get("confidence_level"):
        return "no interval: not known", False
    return _beyond_chance(first, second, level, which)


def _beyond_chance(a: Estimate, b: Estimate, level: float, which: str) -> tuple[str, bool]:
    if which == "other":
        low, high = interval_of_independent(b, a)
        confidence = f"about {percent(level)}"
    else:
        low, high = interval_of_any(b, a)
        confidence = f"at least {percent(2 * level - 1)}"
    limits = f"{short(low)} to {short(high)} ({confidence} confidence)"
    if low <= 0 <= high:
        return f"may be chance: {limits}", False
    return f"more than chance: {limits}", True


def _estimate(field: Mapping[str, Any]) -> Estimate | None:
    numbers = [field.get(name) for name in ("value", "low", "high")]
    if not all(isinstance(number, int | float) for number in numbers):
        return None
    value, low, high = map(float, numbers)  # type: ignore[arg-type]
    return Estimate(value=value, low=low, high=high)


def _answer(document: Mapping[str, Any]) -> str:
    """What became of the claim, or why nothing did."""
    reason = _field(document, "claim", "epsilon").get("reason")
    return str(reason or document.get("answer"))


def _field(document: Mapping[str, Any], group: str, name: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document.get(group, {}).get(name, {})
    return found


def _value(document: Mapping[str, Any], group: str, name: str) -> Any:
    return _field(document, group, name).get("value")


def _label(a: Mapping[str, Any], b: Mapping[str, Any], group: str, name: str) -> str:
    """The second version has labels for people, the first only names."""
    newest = max((a, b), key=lambda each: str(each["schema"]))
    return str(_field(newest, group, name).get("label") or name)


def _shown(document: Mapping[str, Any], group: str, name: str) -> str:
    field = _field(document, group, name)
    value = field.get("value")
    if value is None:
        return str(field.get("reason", NOT_STATED))
    if isinstance(value, float):
        return str(field.get("shown") or short(value))
    return str(field.get("shown") or value)
