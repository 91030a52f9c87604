"""A report as Markdown, which is also a model card: Hugging Face reads its front matter.

Figures are data in the text, so that a report is one file. Where a site shows no data (GitHub, for
one), a reader has their alternative text, which says the same in words.
"""

import json
import math
import re
from base64 import b64encode
from typing import Any

from dpviz.pictures.svg.text import FORBIDDEN
from dpviz.reports.compare import AuditComparison
from dpviz.reports.formats.templates import rendered, safe
from dpviz.reports.model import Report

SPECIAL = re.compile(r"([\\`*_{}\[\]|~$!])")
BLOCK_START = re.compile(r"^(#{1,6}|[+-]|[=-]{2,}|\d+[.)])(?=\s|$)")  # of a line
MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# What the front matter has as metrics, by group and field.
METRICS = (
    *(("epsilon", name) for name in ("lower_bound", "ceiling", "epsilon_star")),
    *(("results", name) for name in ("auc", "advantage", "tpr", "ppv")),
)


def markdown(report: Report) -> str:
    """The text; pictures are at its end, as data."""
    pictures = {
        figure.name: safe(f"data:image/svg+xml;base64,{b64encode(figure.svg.encode()).decode()}")
        for figure in report.figures
    }
    return rendered(
        "report.md.jinja",
        escaped,
        report=report,
        pictures=pictures,
        front=safe("\n".join(yaml_lines(front_matter(report)))),
        fenced=fenced,
    )


def compared_markdown(comparison: AuditComparison) -> str:
    """The text of a comparison."""
    return rendered("compare.md.jinja", escaped, comparison=comparison)


def escaped(text: str) -> str:
    """Text that no Markdown reader takes for markup, on one line."""
    line = " ".join(FORBIDDEN.sub("\ufffd", text).split())
    for sign, entity in MARKUP.items():
        line = line.replace(sign, entity)
    line = SPECIAL.sub(r"\\\1", line)
    return BLOCK_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", line)


def fenced(text: str) -> Any:
    """Code in a fence that is longer than any in the code itself."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return safe(f"{fence}\n{FORBIDDEN.sub(chr(0xFFFD), text).rstrip()}\n{fence}")


def front_matter(report: Report) -> dict[str, Any]:
    """The model index of a Hugging Face model card, and the claim by the registry's names."""
    fields = {(g.name, f.name): f for g in report.groups for f in g.fields}
    metrics = []
    for key in METRICS:
        field = fields.get(key)
        if field is None or not isinstance(field.value, float) or not math.isfinite(field.value):
            continue
        name = f"{field.label}: {field.note}" if field.note else field.label
        metrics.append({"type": field.name, "value": field.value, "name": name})
    entry = {
        "task": {"type": "membership-inference-audit", "name": "Privacy audit"},
        "dataset": {"type": "attack-scores", "name": report.field("scores", "source").text},
        "metrics": metrics,
    }
    card: dict[str, Any] = {}
    if metrics:
        name = report.field("subject", "model_name").text
        card["model-index"] = [{"name": name, "results": [entry]}]
    if report.deployment:
        card["differential_privacy"] = report.deployment
    return card


def yaml_lines(value: Any, indent: str = "") -> list[str]:
    """Mappings and sequences as YAML blocks, scalars as JSON, which YAML contains."""
    if isinstance(value, dict) and value:
        return [line for key, each in value.items() for line in _entry(f"{key}:", each, indent)]
    if isinstance(value, list) and value:
        return [line for each in value for line in _entry("-", each, indent)]
    return [f"{indent}{_scalar(value)}"]


def _entry(start: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, dict | list) and value:
        inner = yaml_lines(value, f"{indent}  ")
        if start == "-":  # the first line stands beside the dash
            return [f"{indent}- {inner[0].lstrip()}", *inner[1:]]
        return [f"{indent}{start}", *inner]
    return [f"{indent}{start} {_scalar(value)}"]


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        value = "".join(sign if sign.isprintable() else "\ufffd" for sign in value)
    text = json.dumps(value, ensure_ascii=False)
    if isinstance(value, float) and "." not in text:  # YAML 1.1 takes 1e-05 for text
        text = text.replace("e", ".0e")
    return text
