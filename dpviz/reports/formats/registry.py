"""The registry of formats. A new one is a function that renders a report, and a line here."""

from collections.abc import Callable

from dpviz import checks
from dpviz.reports.formats.html import html
from dpviz.reports.formats.json import json
from dpviz.reports.formats.latex import latex
from dpviz.reports.formats.markdown import markdown
from dpviz.reports.formats.pdf import pdf
from dpviz.reports.model import Report

FORMATS: dict[str, Callable[[Report], bytes]] = {
    ".html": lambda report: html(report).encode(),
    ".md": lambda report: markdown(report).encode(),
    ".pdf": pdf,
    ".tex": lambda report: latex(report).encode(),
    ".json": lambda report: json(report).encode("utf-8", errors="backslashreplace"),
}


def format_of(suffix: str) -> Callable[[Report], bytes]:
    """The format for an ending such as ".html"; ValueError if there is none."""
    if suffix.lower() not in FORMATS:
        raise checks.fail("path", f"a name that ends in {', '.join(FORMATS)}", suffix)
    return FORMATS[suffix.lower()]
