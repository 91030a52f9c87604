"""Sentences of slides: what guessing gives, and what a claim allows whatever an attack reached."""

from dpviz.analysis.number_format import lower, percent
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences.templates import WORDS


def guessing(result: ResultParts) -> str:
    """What an attacker reaches without a look at the records."""
    return WORDS["guessing"].format(fpr=percent(result.fpr))


def allowed(result: ResultParts) -> str:
    """The least FNR that the claim allows, at the FPR of examples."""
    fpr = result.example_fpr
    least = percent(lower(result.claim.claim.beta(fpr)))
    return WORDS["tradeoff_lead"].format(fpr=percent(fpr), least=least) + "."
