"""What the browser needs to draw curves with a closed form without Python, and its sliders."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logit

from dpviz import theory
from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.spec import NUMBER_FIELDS, Control, Scale
from dpviz.analysis.topics.answer import (
    answer_of,
    clearest_fpr,
    measured_at_one_percent,
    scores_word,
    short_claim_template,
)
from dpviz.analysis.topics.claim import claim_template, name_template
from dpviz.analysis.topics.risk import attack_risk
from dpviz.analysis.topics.tradeoff import attack_at_fpr, attack_catches, attack_misses
from dpviz.analysis.words import WORDS, capitalised, interval_in_words
from dpviz.checks import interval
from dpviz.number_format import tidy_rate
from dpviz.theory.atoms import FiniteLoss
from dpviz.theory.mechanisms.claims import strictest_statements

# Guarantees whose curves the browser can draw, and their names in `js/src/theory/claim.ts`.
KINDS: dict[type[theory.TradeoffFunction], str] = {
    theory.PureDP: "approximate",
    theory.ApproximateDP: "approximate",
    theory.TotalVariation: "approximate",
    theory.GaussianDP: "gaussian",
    theory.GaussianMechanism: "gaussian",
    theory.LaplaceMechanism: "laplace",
    theory.Stated: "stated",
    theory.ZeroConcentratedDP: "stated",
    theory.RenyiDP: "stated",
}
# Sentences that the browser writes too.
SENTENCES = (
    *("answer", "at_one_percent"),
    *("readout_at", "readout_caught", "readout_right", "readout_advantage", "readout_one_percent"),
    *("region_title", "region_subtitle", "tradeoff_title", "risk_title", "risk_subtitle"),
    *("region_lead", "region", "implied"),
    *("tradeoff_lead", "tradeoff", "tail_lead"),
    *("risk_lead", "risk"),
    *("guessing", "allowed"),
    *("people", "population", "population_counts"),
    *("guess_lead", "guess", "costs_lead", "costs"),
    "ratio_lead",
)


def templates(result: Result) -> dict[str, str]:
    """Return the templates of sentences by name, with the rates named as the result names them."""
    return {name: result.naming.renamed(text) for name, text in WORDS.items()}


def has_closed_form(claim: theory.TradeoffFunction) -> bool:
    """Whether the browser can draw the curve of a claim without Python."""
    # Several statements for add/remove have a numerical curve under replace-one.
    has_numbers = type(claim) in (theory.Stated, theory.RenyiDP) and claim.adjacency == "add_remove"
    return type(claim) in KINDS and not has_numbers


def follows_parameters(claim: theory.TradeoffFunction) -> bool:
    """Whether the browser can draw the claim's curve again after a parameter changes."""
    return KINDS.get(type(claim), "stated") != "stated"


def closed_form_state(result: Result) -> dict[str, Any]:
    """Return the numbers from which the browser draws without Python, as plain JSON.

    Besides the numbers of the spec: `example_fpr`, the FPR of examples; `claim`, None if the
    browser cannot draw it; `fixed`, the names of numbers that no control changes; `measured`, the
    attack's rates at the selected FPR, and `answer`, the audit's numbers, both None without scores;
    `ruler`, the largest epsilon on the ruler and its delta; `tails`, ends of sentences about the
    attack.
    """
    spec, sample, rename = result.spec, result.sample, result.naming.renamed
    measured = sample and {
        "fpr": sample.at_fpr.fpr,
        "fnr": sample.at_fpr.fnr,
        "ratio": json_number(sample.likelihood_ratio),
    }
    return {
        **{name: json_number(result.number(name)) for name in NUMBER_FIELDS},
        "example_fpr": result.example_fpr,
        "claim": _claim_state(result) if has_closed_form(spec.claim) else None,
        "fixed": [name for name in NUMBER_FIELDS if not spec.can_change(name)],
        "measured": measured,
        "ruler": {"delta": result.claim.delta, "largest": answer_of(result).largest},
        "answer": _answer_state(result, sample) if sample else None,
        "tails": {
            "tradeoff_lead": rename(attack_misses(result)),
            "tail_lead": rename(attack_catches(result)),
            "tradeoff": rename(attack_at_fpr(result)),
            "risk": rename(attack_risk(result)),
        },
    }


def _answer_state(result: Result, sample: SamplePart) -> dict[str, Any]:
    """Return the answer's state, and numbers that decide it when the claimed epsilon moves."""
    audit, compared = sample.audit, result.claim.claim
    bound = audit.test.bound if audit.test is not None else None
    # A claim at another delta than that of the bound is not compared with the ceiling.
    has_ceiling = isinstance(compared, theory.ApproximateDP) and (
        compared.claimed_delta == result.claim.delta and audit.ceiling is not None
    )
    is_open = "ceiling" in dict(audit.pending)
    return {
        "state": result.answer.state,
        "kind": scores_word(sample),
        "bound": json_number(bound.low) if bound is not None and not is_open else None,
        "delta": bound.delta if bound is not None else None,
        "ceiling": json_number(audit.ceiling) if has_ceiling else None,
        "at_one_percent": result.naming.renamed(measured_at_one_percent(sample)),
        "tpr": sample.at_one_percent.tpr,
        "clearest": clearest_fpr(result),
    }


def json_number(value: float | None) -> float | str | None:
    """Return a number as JSON can write it: infinity is the text "inf"."""
    return "inf" if value is not None and math.isinf(value) else value


def _claim_state(result: Result) -> dict[str, Any]:
    """Return the kind, the parameters and the names of a claim, from which it is drawn."""
    # The browser converts the claim itself; only statements come converted.
    given, compared, converted = result.spec.claim, result.claim.claim, result.claim.converted
    kind = KINDS[type(given)]
    numbers = {n: value for n, value in given.parameters.items() if isinstance(value, int | float)}
    stated = {}
    if kind == "stated" and isinstance(compared, FiniteLoss):
        stated["statements"] = strictest_statements(compared).tolist()
    return {
        "kind": kind,
        "converted": converted,
        "parameters": {name: json_number(value) for name, value in numbers.items()},
        **stated,
        "called": claim_template(result),
        "short": short_claim_template(given),
        "conversion": WORDS["conversion"].format(given=name_template(given)) if converted else "",
    }


LOG_10 = np.log(10)
# By scale: the map from a value to its position, and back.
SCALES: dict[Scale, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "linear": (float, lambda position: round(position, 10)),
    "log10": (np.log10, lambda position: tidy_rate(10.0**position)),
    "log-odds": (lambda rate: logit(rate) / LOG_10, lambda x: tidy_rate(float(expit(x * LOG_10)))),
}


@dataclass(frozen=True)
class Slider:
    """A slider's steps, each with a value; the browser reads them in `scale.ts`."""

    control: Control

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The values of the steps, ascending and rounded to three digits."""
        control = self.control
        position, value = SCALES[control.scale]
        first, last = (round(position(end) / control.step) for end in (control.low, control.high))
        # Steps are multiples of `step` on the scale, so that sliders share round values.
        values = (value(step * control.step) for step in range(first, last + 1))
        return (*[0.0] * control.stop_at_zero, *values)

    @property
    def last(self) -> int:
        """The number of the last step; the first is 0."""
        return len(self.values) - 1

    def step_of(self, value: float) -> int:
        """Return the number of the step whose value is nearest to `value`."""
        # The nearest step changes at the middle between two values.
        middles = (np.array(self.values[:-1]) + self.values[1:]) / 2
        return int(np.count_nonzero(middles < value))

    def for_browser(self, field: str) -> dict[str, Any]:
        """Return the slider's values, its range and its texts as plain JSON.

        `field` is the name of a number of the spec, or "claim." with the name of a parameter.
        """
        control = self.control
        # Open ends of the range become the next number inside it.
        low, high = control.least, control.most
        from_low, to_high = (control.closed in ("both", end) for end in ("left", "right"))
        return {
            "field": field,
            "name": capitalised(control.label),
            "values": list(self.values),
            "least": low if from_low else float(np.nextafter(low, high)),
            "most": json_number(high if to_high else float(np.nextafter(high, low))),
            "condition": interval_in_words(interval(low, high, control.closed)),
        }
