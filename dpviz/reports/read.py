"""Read a report that dpviz wrote as JSON, and check it against the published schema."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.claims.guarantee_state import REPORT_SCHEMA
from dpviz.documents import cut_for_error, parse_json, read_text

SCHEMA_FILE = Path(__file__).parent / "audit.schema.json"
DEEPEST = 50  # levels of a document
# Python's types by the names that JSON schema has for them.
TYPES: dict[str, tuple[type, ...]] = {"object": (dict,), "array": (list,), "string": (str,)}
TYPES |= {"number": (int, float), "integer": (int,), "boolean": (bool,), "null": (type(None),)}


@cache
def published_schema() -> dict[str, Any]:
    """Return the JSON schema of reports, draft 2020-12."""
    schema: dict[str, Any] = json.loads(SCHEMA_FILE.read_text("utf-8"))
    return schema


def check_schema(name: str, value: Any, schema: Any, root: Any, depth: int = 0) -> None:
    """Raise ValueError unless `value` fits `schema`, which is a part of the whole schema `root`."""
    # A document may be nested to exhaust the stack.
    if depth > DEEPEST:
        raise checks.fail(name, f"nested in at most {DEEPEST} levels", depth)
    if "$ref" in schema:
        check_schema(name, value, root["$defs"][schema["$ref"].rsplit("/", 1)[-1]], root, depth + 1)
    _check_value(name, value, schema, root, depth)
    if isinstance(value, dict):
        _check_object(name, value, schema, root, depth)
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            raise checks.fail(name, f"a list of at least {schema['minItems']} entries", len(value))
        for i, each in enumerate(value):
            check_schema(f"{name}[{i}]", each, schema.get("items", {}), root, depth + 1)


def _check_value(name: str, value: Any, schema: Any, root: Any, depth: int) -> None:
    if "const" in schema and value != schema["const"]:
        raise checks.fail(name, repr(schema["const"]), cut_for_error(value))
    if "enum" in schema and value not in schema["enum"]:
        listed = ", ".join(map(repr, schema["enum"]))
        raise checks.fail(name, f"one of {listed}", cut_for_error(value))
    wanted = schema.get("type", [])
    wanted = [wanted] if isinstance(wanted, str) else wanted
    if wanted and not any(_has_type(value, kind) for kind in wanted):
        raise checks.fail(name, " or ".join(wanted), cut_for_error(value))
    if "anyOf" in schema and not any(_fits_schema(value, s, root, depth) for s in schema["anyOf"]):
        raise checks.fail(name, " or ".join(map(_type_text, schema["anyOf"])), cut_for_error(value))
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        raise checks.fail(name, f"text that matches {schema['pattern']}", cut_for_error(value))
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
    # The value False allows no further fields; a schema describes each of them.
    others = schema.get("additionalProperties", {})
    for key, each in value.items():
        if key not in known and others is False:
            place = f"{name}.{cut_for_error(key)}"
            raise checks.fail(place, "left out: the schema has no such field", cut_for_error(each))
        check_schema(f"{name}.{key}", each, known.get(key, others), root, depth + 1)


def _has_type(value: Any, json_type: str) -> bool:
    # Truth values are whole numbers in Python, but not in JSON.
    if isinstance(value, bool):
        return json_type == "boolean"
    if json_type == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, TYPES[json_type])


def _fits_schema(value: Any, schema: Any, root: Any, depth: int) -> bool:
    try:
        check_schema("", value, schema, root, depth + 1)
    except ValueError:
        return False
    return True


def _type_text(schema: Any) -> str:
    if "enum" in schema:
        return ", ".join(map(repr, schema["enum"]))
    kinds = " or ".join([schema["type"]] if isinstance(schema["type"], str) else schema["type"])
    if "minimum" in schema and "maximum" in schema:
        return f"{kinds} in [{schema['minimum']}, {schema['maximum']}]"
    return kinds


def read_report(source: str | Path | Mapping[str, Any]) -> dict[str, Any]:
    """Return a report that was written as JSON.

    Parameters
    ----------
    source : str, Path or mapping
        A JSON file of :func:`dpviz.report` or ``dpviz audit --json``; or its text, or the mapping
        that the text stands for.

    Raises
    ------
    OSError, if the file cannot be read
    ValueError, if it is no such document, or one of another version; the message names the field

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
    if isinstance(source, Mapping):
        return checked_report("report", dict(source))
    if is_mapping_or_json_text(source):
        return checked_report("report", str(source))
    name = Path(source).name
    return checked_report(name, read_text(name, source))


def is_mapping_or_json_text(source: str | Path | Mapping[str, Any]) -> bool:
    """Return whether a report is given as a mapping or as JSON text, not as the path of a file."""
    return isinstance(source, Mapping) or str(source).lstrip().startswith("{")


def checked_report(name: str, given: str | dict[str, Any]) -> dict[str, Any]:
    """Return the report in JSON text or in a dict; ValueError about `name` if it is invalid."""
    document = parse_json(name, given)
    if not isinstance(document, dict):
        raise checks.fail(name, f"a report of schema {REPORT_SCHEMA}", cut_for_error(document))
    checks.check_version(f"{name}.schema", document.get("schema"), REPORT_SCHEMA)
    check_schema(name, document, published_schema(), published_schema())
    return document
