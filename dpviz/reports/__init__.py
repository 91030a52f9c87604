"""Documents about a result: reports, comparisons of two, and receipts of what was planned."""

from dpviz.analysis.facts.about import ABOUT
from dpviz.reports.compare import AuditComparison, compare_reports
from dpviz.reports.read import read_report
from dpviz.reports.receipt import Receipt, read_receipt
from dpviz.reports.write import report

__all__ = ["ABOUT", "AuditComparison", "Receipt", "compare_reports", "read_receipt"]
__all__ += ["read_report", "report"]
