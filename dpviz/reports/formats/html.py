"""A report as one HTML page that loads nothing, for the screen and for paper."""

from dpviz.analysis.number_format import unbroken
from dpviz.pictures.svg.text import escaped
from dpviz.reports.compare import AuditComparison
from dpviz.reports.formats.templates import rendered
from dpviz.reports.model import Report


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
