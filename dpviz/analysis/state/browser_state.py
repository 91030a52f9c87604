"""What a browser needs to draw the closed forms of a result by itself."""

import math
from typing import Any

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topics.answer import answer_of
from dpviz.analysis.topics.claim import claim_template, name_template
from dpviz.analysis.topics.risk import attack_risk
from dpviz.analysis.topics.tradeoff import attack_at_fpr, attack_catches, attack_misses
from dpviz.analysis.words import WORDS
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    PureDP,
    RenyiDP,
    Stated,
    TotalVariation,
    TradeoffFunction,
    ZeroConcentratedDP,
)
from dpviz.theory.atoms import FiniteLoss
from dpviz.theory.mechanisms.claims import strictest

# Guarantees whose curves the browser can draw, and their names in `js/src/theory/claim.ts`.
KINDS: dict[type[TradeoffFunction], str] = {
    PureDP: "approximate",
    ApproximateDP: "approximate",
    TotalVariation: "approximate",
    GaussianDP: "gaussian",
    GaussianMechanism: "gaussian",
    LaplaceMechanism: "laplace",
    Stated: "stated",
    ZeroConcentratedDP: "stated",
    RenyiDP: "stated",
}
# Spec fields that a control or a dragged marker sets directly.
NUMBERS = ("epsilon", "delta", "prior", "fpr", "fnr", "kappa", "cost_false_alarm", "cost_miss")
# Sentences that the browser writes too.
SENTENCES = (
    *("region_lead", "region", "implied"),
    *("tradeoff_lead", "tradeoff", "tail_lead"),
    *("risk_lead", "risk"),
    *("guessing", "allowed"),
    *("people", "population", "population_counts"),
    *("guess_lead", "guess", "costs_lead", "costs"),
    "ratio_lead",
)


def words_of(result: Result) -> dict[str, str]:
    """The templates of sentences, in the terms of the result's naming."""
    return {name: result.naming.renamed(text) for name, text in WORDS.items()}


def has_closed_form(claim: TradeoffFunction) -> bool:
    """Whether the browser can draw a claim without the kernel."""
    # Several statements for add/remove have a numerical curve under replace-one.
    has_numbers = type(claim) in (Stated, RenyiDP) and claim.adjacency == "add_remove"
    return type(claim) in KINDS and not has_numbers


def follows_parameters(claim: TradeoffFunction) -> bool:
    """Whether the browser knows the curve for other parameters of the claim, too."""
    return KINDS.get(type(claim), "stated") != "stated"


def closed_form_state(result: Result) -> dict[str, Any]:
    """The numbers behind all closed forms, as plain JSON; infinity is the text "inf".

    It has the numbers of the spec by name; `example_fpr`, that of examples; `claim`, or None where
    the browser cannot draw it; `fixed`, the numbers that no control can change; `measured`, the
    rates of the attack at the selected FPR and its likelihood ratio, if there are scores; `ruler`,
    the largest number that was measured and its delta; `tails`, the ends of sentences besides
    closed forms.
    """
    spec, sample, rename = result.spec, result.sample, result.naming.renamed
    return {
        **{name: plain(result.number(name)) for name in NUMBERS},
        "example_fpr": result.example_fpr,
        "claim": _claim(result) if has_closed_form(spec.claim) else None,
        "fixed": [name for name in NUMBERS if not spec.can_change(name)],
        "measured": _measured(sample) if sample else None,
        "ruler": {"delta": result.claim.delta, "largest": answer_of(result).largest},
        "tails": {
            "tradeoff_lead": rename(attack_misses(result)),
            "tail_lead": rename(attack_catches(result)),
            "tradeoff": rename(attack_at_fpr(result)),
            "risk": rename(attack_risk(result)),
        },
    }


def _measured(sample: SamplePart) -> dict[str, Any]:
    rates = {"fpr": sample.at_fpr.fpr, "fnr": sample.at_fpr.fnr}
    return {**rates, "ratio": plain(sample.likelihood_ratio)}


def plain(value: float | None) -> float | str | None:
    """A number as JSON can say it."""
    return "inf" if value is not None and math.isinf(value) else value


def _claim(result: Result) -> dict[str, Any]:
    """Kind and numbers of a claim, and what it is called: words with slots for the numbers."""
    given, compared, converted = result.spec.claim, result.claim.claim, result.claim.converted
    kind = KINDS[type(given)]
    numbers = {n: value for n, value in given.parameters.items() if isinstance(value, int | float)}
    stated = {}
    if kind == "stated" and isinstance(compared, FiniteLoss):
        stated["statements"] = strictest(compared).tolist()
    return {
        "kind": kind,
        "converted": converted,
        "parameters": {name: plain(value) for name, value in numbers.items()},
        **stated,
        "called": claim_template(result),
        "conversion": WORDS["conversion"].format(given=name_template(given)) if converted else "",
    }
