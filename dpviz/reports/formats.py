"""The formats of a report: HTML, Markdown, LaTeX, PDF and JSON, by the ending of a file's name."""

import json
import math
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from dpviz import checks
from dpviz.claims.guarantee_state import REPORT_SCHEMA
from dpviz.drawing.svg import FORBIDDEN, escaped
from dpviz.number_format import unbroken
from dpviz.reports.model import NUMBERS, AuditComparison, Field, Report
from dpviz.value_object import plain_data

FOLDER = Path(__file__).with_name("templates")


def _as_markup(text: str) -> Any:
    """Mark a text that is in the output format already, so that `_render` does not escape it."""
    from markupsafe import Markup  # with the templates

    return Markup(text)


def _render(template: str, escape: Callable[[str], str], **values: Any) -> str:
    """Fill in a template; `escape` is applied to values not marked by `_as_markup`."""
    # Imported here: an explorer can save reports, but opens without this.
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    def finalize(value: object) -> Markup:
        return value if isinstance(value, Markup) else Markup(escape(str(value)))

    # Undefined names are errors: a report must not lack a number silently.
    names = ("autoescape", "trim_blocks", "lstrip_blocks", "keep_trailing_newline")
    options: dict[str, Any] = {"undefined": StrictUndefined, **dict.fromkeys(names, True)}
    environment = Environment(loader=FileSystemLoader(FOLDER), finalize=finalize, **options)
    return environment.get_template(template).render(values)


def html(report: Report) -> str:
    """Return a report as one HTML page that loads no other file, for screen and paper."""
    ruler, second = (figure for figure in report.figures if not figure.group)
    return _render("report.html.jinja", _escaped_html, report=report, ruler=ruler, second=second)


def _escaped_html(text: str) -> str:
    return unbroken(escaped(text))


SPECIAL_IN_MARKDOWN = re.compile(r"([\\`*_{}\[\]|~$!])")
# What begins a heading, a list or a rule at the start of a line.
BLOCK_START = re.compile(r"^(#{1,6}|[+-]|[=-]{2,}|\d+[.)])(?=\s|$)")
ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def markdown(report: Report) -> str:
    """Return a report as Markdown, whose front matter makes it a Hugging Face model card."""
    data = {figure.name: b64encode(figure.svg.encode()).decode() for figure in report.figures}
    pictures = {n: _as_markup(f"data:image/svg+xml;base64,{code}") for n, code in data.items()}
    front = _as_markup("\n".join(_yaml_lines(_front_matter(report))))
    more = {"pictures": pictures, "front": front, "fenced": _markdown_code_block}
    return _render("report.md.jinja", escaped_markdown, report=report, **more)


def escaped_markdown(text: str) -> str:
    """Return a text on one line, in which all characters of Markdown markup are escaped."""
    line = " ".join(FORBIDDEN.sub("\ufffd", text).split())
    for sign, entity in ENTITIES.items():
        line = line.replace(sign, entity)
    line = SPECIAL_IN_MARKDOWN.sub(r"\\\1", line)
    return BLOCK_START.sub(lambda start: f"{start[0][:-1]}\\{start[0][-1]}", line)


def _markdown_code_block(text: str) -> Any:
    # A fence ends at as many backticks as it began with.
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return _as_markup(f"{fence}\n{FORBIDDEN.sub(chr(0xFFFD), text).rstrip()}\n{fence}")


def _front_matter(report: Report) -> dict[str, Any]:
    """Return the metadata of a Hugging Face model card: metrics, and facts about the deployment."""
    fields = {(group.name, each.name): each for group in report.groups for each in group.fields}
    metrics = []
    for field in (fields[place] for place in NUMBERS if place in fields):
        if isinstance(field.value, float) and math.isfinite(field.value):
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


def _yaml_lines(value: Any, indent: str = "") -> list[str]:
    """Return plain data as lines of YAML: dicts and lists as blocks, scalars as JSON."""
    if not value or not isinstance(value, dict | list):
        return [f"{indent}{_yaml_scalar(value)}"]
    keys = [f"{key}:" for key in value] if isinstance(value, dict) else ["-"] * len(value)
    lines = []
    for key, each in zip(keys, value.values() if isinstance(value, dict) else value, strict=True):
        inner = _yaml_lines(each, f"{indent}  ")
        # Beside a dash stands the first line of an entry, beside a key a scalar alone.
        if key == "-" or not each or not isinstance(each, dict | list):
            lines += [f"{indent}{key} {inner[0].lstrip()}", *inner[1:]]
        else:
            lines += [f"{indent}{key}", *inner]
    return lines


def _yaml_scalar(value: Any) -> str:
    if isinstance(value, str):
        # Control characters are no YAML, even escaped.
        value = "".join(sign if sign.isprintable() else "\ufffd" for sign in value)
    text = json.dumps(value, ensure_ascii=False)
    # YAML 1.1 takes 1e-05 for text, but 1.0e-05 for a number.
    if isinstance(value, float) and "." not in text:
        text = text.replace("e", ".0e")
    return text


# The groups of the LaTeX table, and their fields that are no numbers.
LATEX_GROUPS = ("claim", "consistency", "epsilon", "results")
FIELDS_WITHOUT_NUMBER = ("statement", "explanation", "roc_vertices", "tpr_at_fpr", "other_methods")
SPECIAL_IN_LATEX = {
    **{sign: f"\\{sign}" for sign in "{}$&#%_"},
    **{"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\char34{}"},
    **{"`": r"\textasciigrave{}", "“": "``", "”": "''", "…": r"\dots{}"},
}
MATH_IN_LATEX = {
    **{"ε": "varepsilon", "δ": "delta", "μ": "mu", "σ": "sigma", "ρ": "rho", "α": "alpha"},
    **{"∞": "infty", "≥": "geq", "≤": "leq", "≈": "approx", "×": "times", "·": "cdot"},
}
SPECIAL_IN_LATEX |= {sign: rf"\ensuremath{{\{name}}}" for sign, name in MATH_IN_LATEX.items()}


def latex(report: Report) -> str:
    """Return the numbers of a report as a LaTeX table that needs no package."""
    fields = [
        field
        for group in report.groups
        if group.name in LATEX_GROUPS
        for field in group.known
        if field.value is not None and field.name not in FIELDS_WITHOUT_NUMBER
    ]
    return _render("table.tex.jinja", escaped_latex, report=report, fields=fields)


def escaped_latex(text: str) -> str:
    """Return text that LaTeX prints literally; letters that LaTeX fonts lack become "[U+...]"."""
    line = " ".join(text.split())
    written = "".join(SPECIAL_IN_LATEX.get(sign) or _letter_or_code_point(sign) for sign in line)
    written = re.sub("-(?=-)", "-{}", written)
    return re.sub(r"(?<=\d) \\%", r"~\\%", written)  # a number stays with its unit


def _letter_or_code_point(letter: str) -> str:
    is_latin = letter.isprintable() and re.match("[ -~À-ÿ]", letter)
    return letter if is_latin else f"[U+{ord(letter):04X}]"


def pdf(report: Report) -> bytes:
    """Return the HTML page as tagged PDF; ImportError without WeasyPrint, OSError without Pango."""
    try:
        from weasyprint import HTML  # optional
    except ImportError as error:
        raise ImportError("PDF files need WeasyPrint: pip install 'dpviz[pdf]'") from error
    except OSError as error:
        raise OSError(f"PDF files need the Pango library on this machine: {error}") from error
    # The page loads nothing, so any request for an address is an error.
    return bytes(HTML(string=html(report), url_fetcher=_reject).write_pdf(pdf_variant="pdf/ua-1"))


def _reject(url: str) -> NoReturn:
    """Raise ValueError for every address, because a report must not load files."""
    raise ValueError(f"a report must not load files, got {url!r}")


# Attributes of a field that JSON leaves out where they are the default.
OPTIONAL_KEYS = ("shown", "kind", "unit", "low", "high", "confidence_level", "about", "reason")
TEXTS = ("headline", "lead", "plain_words", "not_claimed", "warnings")
DEFAULTS = {field.name: field.default for field in fields(Field)}


def json_text(report: Report) -> str:
    """Return a report as JSON (schema: `audit.schema.json`); only `created` depends on time."""
    # A field is an object with an exact `value`; if null, `reason` says why, or nobody stated it.
    # Infinite numbers, which JSON lacks, are the texts "inf", "-inf" and "nan".
    checklist, shown = report.checklist, ("name", "title", "described", "svg")
    content = {
        "schema": REPORT_SCHEMA,
        "dpviz_version": report.version,
        "created": report.created,
        "title": report.title,
        "answer": report.state,
        "contradicted": report.contradicted,
        **{name: getattr(report, name) for name in TEXTS},
        "checklist": [dict(zip(checklist.head, row, strict=True)) for row in checklist.rows]
        if checklist
        else [],
        **{group.name: {f.name: _json_field(f) for f in group.fields} for group in report.groups},
        **{name: getattr(report, name) for name in ("spec", "deployment", "sentences")},
        "figures": [{name: getattr(figure, name) for name in shown} for figure in report.figures],
    }
    return json.dumps(plain_data(content), ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _json_field(field: Field) -> dict[str, Any]:
    """Return a field as a dict for JSON, with its text or the reason why it has no value."""
    attributes = {name: getattr(field, name) for name in OPTIONAL_KEYS}
    more = {name: value for name, value in attributes.items() if value != DEFAULTS[name]}
    more.pop("reason" if field.value is not None else "shown", None)
    return {"label": field.label, "value": field.value, **more}


# The registry of formats. A new one is a function that renders a report, and a line here.
FORMATS: dict[str, Callable[[Report], bytes]] = {
    ".html": lambda report: html(report).encode(),
    ".md": lambda report: markdown(report).encode(),
    ".pdf": pdf,
    ".tex": lambda report: latex(report).encode(),
    ".json": lambda report: json_text(report).encode("utf-8", errors="backslashreplace"),
}
COMPARISONS: dict[str, Callable[[AuditComparison], bytes]] = {
    ".html": lambda each: _render("compare.html.jinja", _escaped_html, comparison=each).encode(),
    ".md": lambda each: _render("compare.md.jinja", escaped_markdown, comparison=each).encode(),
}
Format = TypeVar("Format")


def format_of(suffix: str, formats: dict[str, Format]) -> Format:
    """Return the entry of `formats` for an ending such as ".html"; ValueError if there is none."""
    if suffix.lower() not in formats:
        raise checks.fail("path", f"a name that ends in {', '.join(formats)}", suffix)
    return formats[suffix.lower()]
