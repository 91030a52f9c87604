"""A report as JSON: schema ``dpviz/audit/2``, published in ``dpviz/reports/audit-2.schema.json``.

Every field is an object with its exact `value`, and with unit, interval, confidence and kind where
it has them. `value` is null where nobody stated one, or for the `reason` given. JSON has no
infinity: such numbers are the strings "inf", "-inf" and "nan".
"""

import math
from dataclasses import fields
from json import dumps
from typing import Any

from dpviz.reports.model import Field, Report

SCHEMA = "dpviz/audit/2"
OPTIONAL = ("shown", "kind", "unit", "low", "high", "confidence_level", "about", "reason")
DEFAULTS = {field.name: field.default for field in fields(Field)}


def json(report: Report) -> str:
    """The JSON text, with a line end; only `created` differs between two runs."""
    content = {
        "schema": SCHEMA,
        "dpviz_version": report.version,
        "created": report.created,
        "title": report.title,
        "answer": report.state,
        "contradicted": report.contradicted,
        "headline": report.headline,
        "lead": report.lead,
        "plain_words": report.plain_words,
        "not_claimed": report.not_claimed,
        "warnings": report.warnings,
        "checklist": _rows(report),
        **{group.name: {f.name: _field(f) for f in group.fields} for group in report.groups},
        "spec": report.spec,
        "deployment": report.deployment,
        "sentences": report.sentences,
        "figures": [
            {
                "name": figure.name,
                "title": figure.title,
                "described": figure.described,
                "svg": figure.svg,
            }
            for figure in report.figures
        ],
    }
    return dumps(plain(content), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def plain(value: Any) -> Any:
    """The value with infinite numbers and nan as text."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value


def _field(field: Field) -> dict[str, Any]:
    """A field without what says nothing; a reason only where there is no value."""
    given = {name: getattr(field, name) for name in OPTIONAL}
    said = {name: value for name, value in given.items() if value != DEFAULTS[name]}
    said.pop("reason" if field.value is not None else "shown", None)
    return {"label": field.label, "value": field.value, **said}


def _rows(report: Report) -> list[dict[str, str]]:
    """The checklist: an object for each question."""
    table = report.checklist
    if table is None:
        return []
    return [dict(zip(table.head, row, strict=True)) for row in table.rows]
