"""Compute one frozen `Result` from scores and a `Spec`, with sentences and tables about it."""

from dpviz.analysis.analysis import Analysis
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.facts.answers import Facts, read_facts
from dpviz.analysis.result import Result
from dpviz.analysis.spec import CONTROLS, Control, Spec
from dpviz.analysis.topics.registry import SENTENCES
from dpviz.naming import NAMINGS, Naming

__all__ = [
    "CONTROLS",
    "NAMINGS",
    "SENTENCES",
    "Analysis",
    "Attacks",
    "Control",
    "Facts",
    "Naming",
    "Result",
    "Spec",
    "read_facts",
]
