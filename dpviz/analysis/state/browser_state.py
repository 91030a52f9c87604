"""The numbers from which the browser draws sliders and closed-form curves without Python."""

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
from dpviz.analysis.topics import answer
from dpviz.analysis.topics.claim import claim_template, name_template
from dpviz.analysis.topics.risk import attack_risk_sentence
from dpviz.analysis.topics.tradeoff import attack_tpr_sentence, low_fpr_tpr_clause, missed_clause
from dpviz.analysis.words import WORDS, capitalised, range_condition_in_words
from dpviz.checks import interval_text
from dpviz.naming import NAMINGS
from dpviz.number_format import tidy_rate
from dpviz.theory.atoms import FinitelyManyLosses
from dpviz.theory.mechanisms.claims import TotalVariation, equivalent_statements
from dpviz.theory.mechanisms.gaussian import SHIFTS

# Guarantees whose curves the browser can draw, and their names in `js/src/theory/claim.ts`.
KINDS: dict[type[theory.TradeoffFunction], str] = {
    **dict.fromkeys((theory.PureDP, theory.ApproximateDP, TotalVariation), "approximate"),
    **dict.fromkeys((theory.GaussianDP, theory.GaussianMechanism), "gaussian"),
    **{theory.LaplaceMechanism: "laplace"},
    **dict.fromkeys((theory.Stated, theory.ZeroConcentratedDP, theory.RenyiDP), "stated"),
}
# The names of sentences that the browser also writes, without Python.
SENTENCES = (
    *("answer", "at_one_percent"),
    *("readout_at", "readout_claim"),
    *("readout_caught", "readout_right", "readout_advantage", "readout_one_percent"),
    *("region_title", "region_subtitle", "tradeoff_title", "risk_title", "risk_subtitle"),
    *("region_lead", "region", "implied"),
    *("tradeoff_lead", "tradeoff", "tail_lead"),
    *("risk_lead", "risk"),
    *("guessing", "allowed"),
    *("people", "population", "population_counts"),
    *("guess_lead", "guess", "costs_lead", "costs"),
    "ratio_lead",
)


def text_templates(result: Result) -> dict[str, str]:
    """Return all text templates by name, with the rates named as the result's spec says."""
    rename = NAMINGS[result.spec.naming].renamed
    return {name: rename(text) for name, text in WORDS.items()}


def has_closed_form(claim: theory.TradeoffFunction) -> bool:
    """Return whether the browser can draw the curve of a claim without Python."""
    # Several statements for add/remove, converted to replace-one, have a numerical curve.
    has_numbers = type(claim) in (theory.Stated, theory.RenyiDP) and claim.adjacency == "add_remove"
    return type(claim) in KINDS and not has_numbers


def is_redrawn_without_python(claim: theory.TradeoffFunction) -> bool:
    """Return whether the browser can draw the claim's curve for any parameters, without Python."""
    return KINDS.get(type(claim), "stated") != "stated"


def closed_form_state(result: Result) -> dict[str, Any]:
    """Return the numbers from which the browser draws without Python, as plain JSON."""
    # "claim" is None if the browser cannot draw its curve; "measured" and "answer" are None without
    # scores. "tails" are the ends of sentences, which say what the attack reached.
    spec, sample = result.spec, result.sample
    rename = NAMINGS[spec.naming].renamed  # the browser names a claim that is not tested
    # What the attack reached moves only when Python computes it again.
    measured = sample and {
        "fpr": sample.at_fpr.fpr,
        "fnr": sample.at_fpr.fnr,
        "ratio": json_number(sample.largest_likelihood_ratio),
    }
    return {
        **{name: json_number(result.setting(name)) for name in NUMBER_FIELDS},
        "claim": _claim_state(result) if has_closed_form(spec.claim) else None,
        "fixed": [name for name in NUMBER_FIELDS if not spec.can_change(name)],
        "measured": measured,
        "ruler": {"delta": result.claim.delta, "largest": answer.answer_of(result).largest_found},
        "answer": _verdict_state(result, sample) if sample else None,
        "tails": {
            "tradeoff_lead": rename(missed_clause(result)),
            "tail_lead": rename(low_fpr_tpr_clause(result)),
            "tradeoff": rename(attack_tpr_sentence(result)),
            "risk": rename(attack_risk_sentence(result)),
        },
    }


def _verdict_state(result: Result, sample: SamplePart) -> dict[str, Any]:
    """Return the audit's verdict, and the numbers that give the verdict on any claimed epsilon."""
    audit = sample.audit
    bound = audit.test.bound if audit.test is not None else None
    is_open = "claim_ceiling" in dict(audit.pending)
    return {
        "state": result.answer.state,
        "kind": answer.scores_phrase(sample),
        "bound": json_number(bound.low) if bound is not None and not is_open else None,
        "delta": bound.delta if bound is not None else None,
        "ceiling": json_number(audit.claim_ceiling),
        "at_one_percent": result.naming.renamed(answer.tpr_at_one_percent_clause(sample)),
        "tpr": sample.at_one_percent.tpr,
        "clearest": answer.fpr_of_clearest_contradiction(result),
    }


def numeric_parameters(claim: theory.TradeoffFunction) -> dict[str, float]:
    """Return the parameters of a claim that are numbers, by name."""
    return {name: v for name, v in claim.parameters.items() if isinstance(v, int | float)}


def json_number(value: float | None) -> float | str | None:
    """Return a number in a form that JSON can write: infinity becomes the text "inf"."""
    return "inf" if value is not None and math.isinf(value) else value


def _claim_state(result: Result) -> dict[str, Any]:
    """Return the numbers and names from which the browser draws the claim's curve."""
    # The browser converts the claim to replace-one; only statements are already converted.
    given, compared, converted = result.spec.claim, result.claim.claim, result.claim.converted
    kind = KINDS[type(given)]
    numbers = numeric_parameters(given)
    stated = {}
    if kind == "stated" and isinstance(compared, FinitelyManyLosses):
        stated["statements"] = equivalent_statements(compared).tolist()
    return {
        "kind": kind,
        "shift": SHIFTS[given.adjacency],
        "converted": converted,
        "parameters": {name: json_number(value) for name, value in numbers.items()},
        **stated,
        "called": claim_template(result),
        "short": answer.short_claim_template(given),
        "conversion": WORDS["conversion"].format(given=name_template(given)) if converted else "",
    }


LOG_10 = np.log(10)
# By scale: the functions from a value to its position on the axis, and from position to value.
SCALES: dict[Scale, tuple[Callable[[float], float], Callable[[float], float]]] = {
    "linear": (float, lambda position: round(position, 10)),
    "log10": (np.log10, lambda position: tidy_rate(10.0**position)),
    "log-odds": (lambda rate: logit(rate) / LOG_10, lambda x: tidy_rate(float(expit(x * LOG_10)))),
}


@dataclass(frozen=True)
class Slider:
    """A slider in the browser (`scale.ts`): numbered steps, each with a value."""

    control: Control

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The values of the steps in ascending order, rounded to three digits."""
        control = self.control
        position, value = SCALES[control.scale]
        first, last = (round(position(end) / control.step) for end in (control.low, control.high))
        # Positions are multiples of `step`, so that sliders have the same round values.
        values = (value(step * control.step) for step in range(first, last + 1))
        return (*[0.0] * control.stop_at_zero, *values)

    @property
    def last_step(self) -> int:
        """The number of the last step; the first is 0."""
        return len(self.values) - 1

    def step_of(self, value: float) -> int:
        """Return the number of the step whose value is nearest to `value`."""
        return int(np.count_nonzero((np.array(self.values[:-1]) + self.values[1:]) / 2 < value))

    def as_json(self, field: str) -> dict[str, Any]:
        """Return the slider of `field` ("fpr", "claim.mu") as JSON: values, range and texts."""
        control = self.control
        # An open end of the range is replaced by the nearest float inside the range.
        low, high = control.least, control.most
        from_low, to_high = (control.closed in ("both", end) for end in ("left", "right"))
        return {
            "field": field,
            "name": capitalised(control.label),
            "values": list(self.values),
            "least": low if from_low else float(np.nextafter(low, high)),
            "most": json_number(high if to_high else float(np.nextafter(high, low))),
            "condition": range_condition_in_words(interval_text(low, high, control.closed)),
        }
