"""Documents about a result: reports, comparisons of two, and receipts of what was planned."""

from dpviz.analysis.facts.about import ABOUT
from dpviz.reports.compare import compare_reports
from dpviz.reports.read import read_report
from dpviz.reports.receipt import read_receipt
from dpviz.reports.write import report

__all__ = ["ABOUT", "compare_reports", "read_receipt", "read_report", "report"]
