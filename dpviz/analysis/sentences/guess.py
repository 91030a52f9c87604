"""Sentences about guesses and costs: what the output adds to what is known without it."""

from typing import TYPE_CHECKING

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.analysis.parts.guess import GuessPart
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences.templates import WORDS
from dpviz.theory import ApproximateDP
from dpviz.theory.outputs.bars import Bars

if TYPE_CHECKING:  # a part that is computed only when its view is shown
    from dpviz.analysis.parts.posterior import PosteriorPart


def guess_lead(result: ResultParts) -> str:
    """The bound beside the chance without the output."""
    part = result.guess
    return WORDS["guess_lead"].format(kappa=percent(part.kappa), bound=percent(upper(part.bound)))


def guess(result: ResultParts) -> str:
    """The best guess on a mechanism, the bound from epsilon, and what is known from elsewhere."""
    part = result.guess
    loose = WORDS["guess.loose"].format(
        epsilon=short(upper(part.epsilon)),
        delta=short(part.delta),
        loose=percent(upper(part.loose)),
    )
    return best(part) + loose + WORDS["guess.side"]


def best(part: GuessPart) -> str:
    """What the guess of the largest posterior reaches."""
    if part.best is None:
        return WORDS["guess.unknown"]
    kind = "named" if isinstance(part.claim, ApproximateDP) else "noise"
    total = short(part.candidates.total)
    return WORDS[f"guess.{kind}"].format(k=total, best=percent(part.best))


def candidate_output(part: "PosteriorPart") -> str:
    """What the numbers of all candidates are."""
    is_named = isinstance(part.laws.laws, Bars)
    return WORDS[f"candidate_output.{'named' if is_named else 'others'}"]


def posterior_lead(part: "PosteriorPart") -> str:
    """The probability of candidate 1 and the best guess."""
    return WORDS["posterior"].format(
        first=percent(float(part.posterior[0])),
        guess=part.guess + 1,
        largest=percent(float(part.posterior[part.guess])),
    )


def costs_lead(result: ResultParts) -> str:
    """The error rates of the attack of least cost."""
    at = result.costs
    kind = {(0.0, 1.0): "none", (1.0, 0.0): "all"}.get((at.fpr, at.fnr), "at")
    return WORDS[f"costs_lead.{kind}"].format(fpr=percent(at.fpr), fnr=percent(at.fnr))


def costs(result: ResultParts) -> str:
    """Its expected cost with the output and without."""
    at, spec = result.costs, result.spec
    return WORDS["costs"].format(
        prior=percent(spec.prior),
        alarm=short(spec.cost_false_alarm),
        miss=short(spec.cost_miss),
        gamma=short(at.gamma),
        cost=short(lower(at.cost)),
        blind=short(at.blind_cost),
        share=percent(upper(max(0.0, at.gain / at.blind_cost))),
    )
