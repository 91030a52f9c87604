"""Documents made from a result: reports."""

from dpviz.reports.about import ABOUT
from dpviz.reports.write import report

__all__ = ["ABOUT", "report"]
