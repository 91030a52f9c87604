"""The registry of formats. A new one is a function that renders a report, and a line here."""

from collections.abc import Callable
from typing import TypeVar

from dpviz import checks
from dpviz.reports.compare import AuditComparison
from dpviz.reports.formats.html import compared_html, html
from dpviz.reports.formats.json import json
from dpviz.reports.formats.latex import latex
from dpviz.reports.formats.markdown import compared_markdown, markdown
from dpviz.reports.formats.pdf import pdf
from dpviz.reports.model import Report

FORMATS: dict[str, Callable[[Report], bytes]] = {
    ".html": lambda report: html(report).encode(),
    ".md": lambda report: markdown(report).encode(),
    ".pdf": pdf,
    ".tex": lambda report: latex(report).encode(),
    ".json": lambda report: json(report).encode("utf-8", errors="backslashreplace"),
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
