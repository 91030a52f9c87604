"""The formats of a report: HTML, Markdown, LaTeX, PDF and JSON, by the ending of a file's name."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import fields
from json import dumps
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from dpviz import checks
from dpviz.drawing.svg import FORBIDDEN, escaped
from dpviz.number_format import unbroken
from dpviz.reports.compare import AuditComparison
from dpviz.reports.model import Field, Report

FOLDER = Path(__file__).with_name("templates")


def safe(text: str) -> Any:
    """Text that is written as it is, because it is already in the format."""
    from markupsafe import Markup  # with the templates

    return Markup(text)


def rendered(template: str, escape: Callable[[str], str], **values: Any) -> str:
    """A template with its values; every value that is not marked as safe goes through `escape`."""
    # Imported here: an explorer can save reports, but opens without this.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape(str(value)))

    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(template).render(values)


# A report as one HTML page that loads nothing, for the screen and for paper.


def html(report: Report) -> str:
    """The page."""
    ruler, second = (figure for figure in report.figures if not figure.group)
    return rendered("report.html.jinja", _escaped, report=report, ruler=ruler, second=second)


def compared_html(comparison: AuditComparison) -> str:
    """The page of a comparison."""
    return rendered("compare.html.jinja", _escaped, comparison=comparison)


def _escaped(text: str) -> str:
    """Text as HTML, in which a number stays with its unit."""
    return unbroken(escaped(text))


# A report as Markdown, which is also a model card: Hugging Face reads its front matter.
#
# Figures are data in the text, so that a report is one file. Where a site shows no data (GitHub,
# for
# one), a reader has their alternative text, which says the same in words.

SPECIAL_IN_MARKDOWN = re.compile(r"([\\`*_{}\[\]|~$!])")
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
        escaped_markdown,
        report=report,
        pictures=pictures,
        front=safe("\n".join(yaml_lines(front_matter(report)))),
        fenced=fenced,
    )


def compared_markdown(comparison: AuditComparison) -> str:
    """The text of a comparison."""
    return rendered("compare.md.jinja", escaped_markdown, comparison=comparison)


def escaped_markdown(text: str) -> str:
    """Text that no Markdown reader takes for markup, on one line."""
    line = " ".join(FORBIDDEN.sub("\ufffd", text).split())
    for sign, entity in MARKUP.items():
        line = line.replace(sign, entity)
    line = SPECIAL_IN_MARKDOWN.sub(r"\\\1", line)
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


# The numbers of a report as a LaTeX table.

GROUPS = ("claim", "consistency", "epsilon", "results")  # without what is only text
LEFT_OUT = ("statement", "explanation", "roc_vertices", "tpr_at_fpr", "other_methods")

SPECIAL_IN_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "ε": r"\ensuremath{\varepsilon}",
    "δ": r"\ensuremath{\delta}",
    "μ": r"\ensuremath{\mu}",
    "σ": r"\ensuremath{\sigma}",
    "ρ": r"\ensuremath{\rho}",
    "α": r"\ensuremath{\alpha}",
    "∞": r"\ensuremath{\infty}",
    "≥": r"\ensuremath{\geq}",
    "≤": r"\ensuremath{\leq}",
    "≈": r"\ensuremath{\approx}",
    "×": r"\ensuremath{\times}",
    "“": "``",
    "”": "''",
    "…": r"\dots{}",
    "·": r"\ensuremath{\cdot}",
}


def latex(report: Report) -> str:
    """A table that needs no package."""
    fields = [
        field
        for group in report.groups
        if group.name in GROUPS
        for field in group.known
        if field.value is not None and field.name not in LEFT_OUT
    ]
    return rendered("table.tex.jinja", escaped_latex, report=report, fields=fields)


def escaped_latex(text: str) -> str:
    """Text that LaTeX prints as it is; letters that its usual fonts lack by their number."""
    line = " ".join(text.split())
    written = "".join(SPECIAL_IN_LATEX.get(sign) or _letter(sign) for sign in line)
    written = re.sub("-(?=-)", "-{}", written)  # two would become a dash
    return re.sub(r"(?<=\d) \\%", r"~\\%", written)  # a number stays with its unit


def _letter(sign: str) -> str:
    is_latin = sign.isprintable() and re.match("[ -~À-ÿ]", sign)
    return sign if is_latin else f"[U+{ord(sign):04X}]"


# A report as PDF: the HTML page, set by WeasyPrint, which is an optional library.


def pdf(report: Report) -> bytes:
    """Pages of A4 with tags for screen readers.

    ImportError without the extra `pdf`, OSError without the Pango library.
    """
    try:
        from weasyprint import HTML  # optional
    except ImportError as error:
        raise ImportError("PDF files need WeasyPrint: pip install 'dpviz[pdf]'") from error
    except OSError as error:
        raise OSError(f"PDF files need the Pango library on this machine: {error}") from error
    page = HTML(string=html(report), url_fetcher=_refuse)
    return bytes(page.write_pdf(pdf_variant="pdf/ua-1"))


def _refuse(url: str) -> NoReturn:
    """A report loads nothing."""
    raise ValueError(f"a report must load nothing, got {url!r}")


# A report as JSON: schema ``dpviz/audit/2``, published in ``dpviz/reports/audit-2.schema.json``.
#
# Every field is an object with its exact `value`, and with unit, interval, confidence and kind
# where
# it has them. `value` is null where nobody stated one, or for the `reason` given. JSON has no
# infinity: such numbers are the strings "inf", "-inf" and "nan".

SCHEMA = "dpviz/audit/2"
OPTIONAL = ("shown", "kind", "unit", "low", "high", "confidence_level", "about", "reason")
DEFAULTS = {field.name: field.default for field in fields(Field)}


def as_json(report: Report) -> str:
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
        "checklist": _json_rows(report),
        **{group.name: {f.name: _json_field(f) for f in group.fields} for group in report.groups},
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
    return dumps(plain_json(content), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def plain_json(value: Any) -> Any:
    """The value with infinite numbers and nan as text."""
    if isinstance(value, dict):
        return {key: plain_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_json(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value


def _json_field(field: Field) -> dict[str, Any]:
    """A field without what says nothing; a reason only where there is no value."""
    given = {name: getattr(field, name) for name in OPTIONAL}
    said = {name: value for name, value in given.items() if value != DEFAULTS[name]}
    said.pop("reason" if field.value is not None else "shown", None)
    return {"label": field.label, "value": field.value, **said}


def _json_rows(report: Report) -> list[dict[str, str]]:
    """The checklist: an object for each question."""
    table = report.checklist
    if table is None:
        return []
    return [dict(zip(table.head, row, strict=True)) for row in table.rows]


# The registry of formats. A new one is a function that renders a report, and a line here.

FORMATS: dict[str, Callable[[Report], bytes]] = {
    ".html": lambda report: html(report).encode(),
    ".md": lambda report: markdown(report).encode(),
    ".pdf": pdf,
    ".tex": lambda report: latex(report).encode(),
    ".json": lambda report: as_json(report).encode("utf-8", errors="backslashreplace"),
}

COMPARISONS: dict[str, Callable[[AuditComparison], bytes]] = {
    ".html": lambda comparison: compared_html(comparison).encode(),
    ".md": lambda comparison: compared_markdown(comparison).encode(),
}
Written = TypeVar("Written")


def format_of(suffix: str, formats: dict[str, Written]) -> Written:
    """The format for an ending such as ".html"; ValueError if there is none."""
    if suffix.lower() not in formats:
        raise checks.fail("path", f"a name that ends in {', '.join(formats)}", suffix)
    return formats[suffix.lower()]
