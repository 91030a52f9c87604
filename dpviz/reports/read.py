"""Read a report that dpviz wrote as JSON: schema ``dpviz/audit/2``, and ``dpviz/audit/1``."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.audit.bounds.registry import FORMER_DEFAULT
from dpviz.claims.guarantee_state import parsed, shortened

FOLDER = Path(__file__).parent
FILES = {"dpviz/audit/1": "audit-1.schema.json", "dpviz/audit/2": "audit-2.schema.json"}

TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
    "null": (type(None),),
}

DEEPEST = 50  # levels of a document


@cache
def schema_of(name: str) -> dict[str, Any]:
    """A published schema, by the name that its documents state."""
    found: dict[str, Any] = json.loads((FOLDER / FILES[name]).read_text("utf-8"))
    return found


def check(name: str, value: Any, schema: Any, root: Any, depth: int = 0) -> None:
    """Raise ValueError, with the name of the field, where a value does not fit a schema."""
    if depth > DEEPEST:
        raise checks.fail(name, f"nested at most {DEEPEST} deep", "more")
    if "$ref" in schema:
        target = root["$defs"][schema["$ref"].rsplit("/", 1)[-1]]
        check(name, value, target, root, depth + 1)
    _check_value(name, value, schema, root, depth)
    if isinstance(value, dict):
        _check_object(name, value, schema, root, depth)
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise checks.fail(name, f"of at least {schema['minItems']} entries", len(value))
        for i, each in enumerate(value):
            check(f"{name}[{i}]", each, schema.get("items", {}), root, depth + 1)


def _check_value(name: str, value: Any, schema: Any, root: Any, depth: int) -> None:
    if "const" in schema and value != schema["const"]:
        raise checks.fail(name, repr(schema["const"]), shortened(value))
    if "enum" in schema and value not in schema["enum"]:
        listed = ", ".join(map(repr, schema["enum"]))
        raise checks.fail(name, f"one of {listed}", shortened(value))
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(_is(value, kind) for kind in wanted):
        raise checks.fail(name, " or ".join(wanted), shortened(value))
    if "anyOf" in schema and not any(_fits(value, s, root, depth) for s in schema["anyOf"]):
        raise checks.fail(name, " or ".join(map(_described, schema["anyOf"])), shortened(value))
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        raise checks.fail(name, f"text like {schema['pattern']}", shortened(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        _check_range(name, value, schema)


def _check_range(name: str, value: float, schema: Any) -> None:
    if value < schema.get("minimum", value) or value > schema.get("maximum", value):
        limits = f"[{schema.get('minimum', '-inf')}, {schema.get('maximum', 'inf')}]"
        raise checks.fail(name, f"in {limits}", value)
    low, high = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if (low is not None and value <= low) or (high is not None and value >= high):
        raise checks.fail(name, f"in ({low}, {high})", value)


def _check_object(name: str, value: dict[str, Any], schema: Any, root: Any, depth: int) -> None:
    for key in schema.get("required", ()):
        if key not in value:
            raise ValueError(f"{name}.{key} is missing")
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    for key, each in value.items():
        if key not in known and others is False:
            raise checks.fail(
                f"{name}.{shortened(key)}", "left out: no such field", shortened(each)
            )
        check(f"{name}.{key}", each, known.get(key, others), root, depth + 1)


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES[kind])


def _fits(value: Any, schema: Any, root: Any, depth: int) -> bool:
    try:
        check("", value, schema, root, depth + 1)
    except ValueError:
        return False
    return True


def _described(schema: Any) -> str:
    if "enum" in schema:
        return ", ".join(map(repr, schema["enum"]))
    kinds = " or ".join([schema["type"]] if isinstance(schema["type"], str) else schema["type"])
    if "minimum" in schema and "maximum" in schema:
        return f"{kinds} in [{schema['minimum']}, {schema['maximum']}]"
    return kinds


# Read a report that dpviz wrote as JSON: schema ``dpviz/audit/2``, and ``dpviz/audit/1``.

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
