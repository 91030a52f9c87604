"""Compute a frozen `Result`, with sentences and tables, from scores and a `Spec`."""

from dpviz.analysis.analysis import Analysis
from dpviz.analysis.facts.answers import Facts, read_facts
from dpviz.analysis.result import Result
from dpviz.analysis.spec import Spec

__all__ = ["Analysis", "Facts", "Result", "Spec", "read_facts"]
