"""Documents made from a result: reports."""

from dpviz.reports.about import ABOUT
from dpviz.reports.read import read_report
from dpviz.reports.write import report

__all__ = ["ABOUT", "read_report", "report"]
