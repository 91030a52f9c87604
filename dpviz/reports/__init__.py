"""Documents about a result: reports, and receipts of what was planned."""

from dpviz.reports.about import ABOUT
from dpviz.reports.read import read_report
from dpviz.reports.receipt import Receipt, read_receipt
from dpviz.reports.write import report

__all__ = ["ABOUT", "Receipt", "read_receipt", "read_report", "report"]
