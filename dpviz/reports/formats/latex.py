"""The numbers of a report as a LaTeX table."""

import re

from dpviz.reports.formats.templates import rendered
from dpviz.reports.model import Report

GROUPS = ("claim", "consistency", "epsilon", "results")  # without what is only text
LEFT_OUT = ("statement", "explanation", "roc_vertices", "tpr_at_fpr", "other_methods")
SPECIAL = {
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
    return rendered("table.tex.jinja", escaped, report=report, fields=fields)


def escaped(text: str) -> str:
    """Text that LaTeX prints as it is; letters that its usual fonts lack by their number."""
    line = " ".join(text.split())
    written = "".join(SPECIAL.get(sign) or _letter(sign) for sign in line)
    written = re.sub("-(?=-)", "-{}", written)  # two would become a dash
    return re.sub(r"(?<=\d) \\%", r"~\\%", written)  # a number stays with its unit


def _letter(sign: str) -> str:
    is_latin = sign.isprintable() and re.match("[ -~À-ÿ]", sign)
    return sign if is_latin else f"[U+{ord(sign):04X}]"
