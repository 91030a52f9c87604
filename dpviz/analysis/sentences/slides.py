"""Sentences of slides: what guessing gives, and what a claim allows whatever an attack reached."""

from dpviz.analysis.number_format import lower, percent
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences.templates import WORDS


def guessing(result: ResultParts) -> str:
    """What an attacker reaches without a look at the records."""
    return WORDS["guessing"].format(fpr=percent(result.fpr))


def allowed(result: ResultParts) -> str:
    """The least FNR that the claim allows at the selected FPR."""
    least = percent(lower(result.claim.claim.beta(result.fpr)))
    return WORDS["tradeoff_lead"].format(fpr=percent(result.fpr), least=least) + "."
