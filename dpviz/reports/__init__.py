"""Documents about audits: reports, comparisons of two audits, receipts of planned audits."""

from dpviz.analysis.facts.about import ABOUT
from dpviz.reports.compare import compare_reports
from dpviz.reports.read import read_report
from dpviz.reports.write import report

__all__ = ["ABOUT", "compare_reports", "read_report", "report"]
