"""Read a report that dpviz wrote as JSON: schema ``dpviz/audit/2``, and ``dpviz/audit/1``."""

from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.audit.bounds.registry import FORMER_DEFAULT
from dpviz.claims.plain_json import parsed, shortened
from dpviz.reports.schema import FILES, check, schema_of

LARGEST = 50_000_000  # bytes of a file
# Where numbers of the first version stand in the second: group, name, and which of its fields.
NUMBERS = {
    "claimed_epsilon": ("claim", "epsilon"),
    "claimed_delta": ("claim", "delta"),
    "delta": ("params", "delta"),
    "confidence_level": ("params", "confidence_level"),
    "prior": ("params", "prior"),
    "lower_bound": ("epsilon", "lower_bound"),
    "ceiling": ("epsilon", "ceiling"),
    "epsilon_star_estimate": ("epsilon", "epsilon_star"),
    "raw_epsilon_estimate": ("epsilon", "raw_epsilon"),
    "auc_estimate": ("results", "auc"),
    "advantage_estimate": ("results", "advantage"),
    "tpr_estimate": ("results", "tpr"),
    "ppv_estimate": ("results", "ppv"),
    "requested_fpr": ("threshold", "requested_fpr"),
}
WITH_INTERVAL = ("auc", "advantage", "tpr")
"""Results that also have `_low` and `_high` in the first version."""


def read_report(source: str | Path) -> dict[str, Any]:
    """Return a report as the second version of the schema has it.

    Parameters
    ----------
    source : str or Path
        A JSON file that :func:`dpviz.report` or ``dpviz audit --json`` wrote, also by former
        versions of dpviz. Of the first version only scores, claim and numbers are kept.

    Returns
    -------
    dict

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is no such document; the message names the field.

    Examples
    --------
    >>> import dpviz, tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "claim.json")
    ...     dpviz.report(dpviz.analyze(epsilon=2.0), path)
    ...     dpviz.reports.read_report(path)["claim"]["epsilon"]["value"]
    2.0
    """
    path = Path(source)
    if path.stat().st_size > LARGEST:
        raise checks.fail(path.name, f"at most {LARGEST} bytes", path.stat().st_size)
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise checks.fail(path.name, "UTF-8 text", str(error)) from error
    return checked_report(path.name, text)


def checked_report(name: str, text: str) -> dict[str, Any]:
    """The document of a text, checked; `name` is what messages call it."""
    found = parsed(name, text)
    schema = found.get("schema") if isinstance(found, dict) else None
    if not isinstance(schema, str) or schema not in FILES:
        given = shortened(found if not isinstance(found, dict) else schema)
        raise checks.fail(f"{name}.schema", f"one of {', '.join(FILES)}", given)
    check(name, found, schema_of(schema), schema_of(schema))
    document = found if schema == "dpviz/audit/2" else _second_version(found)
    about_epsilon = document.get("epsilon", {})
    if about_epsilon.get("lower_bound", {}).get("value") is not None:
        named = {"label": "its method", "value": FORMER_DEFAULT}
        about_epsilon.setdefault("lower_bound_method", named)
    return document


def _second_version(first: dict[str, Any]) -> dict[str, Any]:
    """The groups of the second version that the first one has."""
    numbers, scores = first["numbers"], first["scores"]
    level = numbers["confidence_level"]
    document: dict[str, Any] = {key: first[key] for key in ("schema", "dpviz_version", "created")}
    document["answer"] = first.get("answer")
    for old, (group, name) in NUMBERS.items():
        if old not in numbers:
            continue
        field = {"label": name.replace("_", " "), "value": numbers[old]}
        if name in WITH_INTERVAL and f"{name}_low" in numbers:
            field |= {"low": numbers[f"{name}_low"], "high": numbers[f"{name}_high"]}
            field["confidence_level"] = level
        document.setdefault(group, {})[name] = field
    document["scores"] = {
        name: {"label": name.replace("_", " "), "value": scores[name]}
        for name in ("source", "sha256", "kind", "n_members", "n_nonmembers")
    }
    return document
