"""The claim: its name, its curves, its adjacency in comparisons, and vertical lines at FPRs."""

import re
from dataclasses import dataclass
from functools import cached_property
from math import isinf

import numpy as np
from scipy.special import expit

from dpviz import theory
from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES, ONE_OF_100, menu_key
from dpviz.analysis.claims.text_fields import shortest_period
from dpviz.analysis.result import Result
from dpviz.analysis.spec import Spec
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.words import WORDS, capitalised
from dpviz.audit.bounds.result import required_adjacency
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import ClaimLayer, Layer, Line, theme
from dpviz.drawing.axes import BENDS, WIDEST_ODDS, log10_odds_of, rate_of
from dpviz.drawing.layers import DIAGONAL, CursorLayer, NamedLines, add_guessing_line, point_at_fnr
from dpviz.number_format import short, tidy_rate, upper
from dpviz.theory.mechanisms.claims import TotalVariation
from dpviz.theory.statements import gdp_statement
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction
from dpviz.value_object import ValueObject

# ----- adjacency: which data sets are neighbours, for the claim and for what it is compared with
#
# A claim for add/remove adjacency is converted to replace-one only where the comparison is one of a
# record with its replacement. Numbers such as (epsilon, delta) do not say their adjacency.

# Guarantees that are mere numbers, no mechanism: they can be stated for either adjacency.
NUMBERS_ONLY = (
    *(theory.ApproximateDP, theory.PureDP, TotalVariation),
    *(theory.GaussianDP, theory.ZeroConcentratedDP, theory.RenyiDP, theory.Stated),
)


def compared_adjacency(claim: TradeoffFunction, spec: Spec, *, with_scores: bool) -> Adjacency:
    """Return the adjacency to which a claim is converted for tests and pictures."""
    # An add/remove claim gets `spec.neighbours`. If that is None, it gets replace-one for scores of
    # one trained model or a fixed split, and, without scores, beside a replace-one overlay;
    # otherwise add/remove.
    if claim.adjacency == "replace_one":
        return "replace_one"
    if spec.neighbours is not None:
        return spec.neighbours
    if with_scores:
        return required_adjacency(spec.sampling, None) or "add_remove"
    # Guarantees that are only compared with one another need one adjacency for all.
    is_one = all(overlay.adjacency == "add_remove" for overlay in spec.overlays)
    return "add_remove" if is_one else "replace_one"


def converted_to(claim: TradeoffFunction, neighbours: Adjacency) -> TradeoffFunction:
    """Return the claim converted to replace-one, or unchanged if `neighbours` is "add_remove"."""
    return claim.to_replace_one() if neighbours == "replace_one" else claim


def claim_if_meant_for_other_adjacency(spec: Spec, *, with_scores: bool) -> TradeoffFunction | None:
    """Return the claim with the other adjacency, converted for tests; None if nothing changes."""
    if type(spec.claim) not in NUMBERS_ONLY:  # a mechanism has one adjacency
        return None
    # Fair coins say nothing of a replaced record, unless one took the place of each left out.
    if spec.sampling == "fair_coins" and spec.neighbours != "replace_one":
        return None
    other: Adjacency = "add_remove" if spec.claim.adjacency == "replace_one" else "replace_one"
    # Both claims are converted to replace-one where the comparison needs it.
    read, otherwise = (
        converted_to(claim, compared_adjacency(claim, spec, with_scores=with_scores))
        for claim in (spec.claim, spec.claim.with_parameters(adjacency=other))
    )
    return None if otherwise.parameters == read.parameters else otherwise


# A logarithmic axis has no 0: rates below `MIN_RATE` are drawn at its beginning.
MIN_RATE = 1e-5  # where logarithmic axes of rates begin, as in most published pictures
CURVE_FPRS = 240  # FPRs of a guarantee's curve; its kinks are added
MOST_KINKS = 128  # vertices of the curve that are added to a grid of odds

LOWEST_DELTA = 1e-12  # where the logarithmic axis of profiles ends
PROFILE_DELTAS = np.geomspace(1.0, LOWEST_DELTA, 121)  # deltas of a profile, ten a decade


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GuaranteePart(ValueObject):
    """A guarantee as stated (`original`) and after conversion (`claim`), with curves."""

    original: TradeoffFunction
    claim: TradeoffFunction
    curve: FloatArray  # columns FPR and FNR
    region: FloatArray  # an outline, with the same columns

    @cached_property
    def profile(self) -> FloatArray:
        """The privacy profile as a curve: columns epsilon (ascending) and delta (on a log grid)."""
        # From the delta at epsilon 0 to the delta that no epsilon removes.
        ends = np.clip([self.claim.delta(0.0), self.claim.tpr(0.0)], LOWEST_DELTA, 1.0)
        inside = PROFILE_DELTAS[(ends[1] < PROFILE_DELTAS) & (ends[0] > PROFILE_DELTAS)]
        levels = np.union1d(ends, inside)[::-1]
        epsilon = self.claim.epsilon(levels)
        known = np.isfinite(epsilon)
        return read_only(np.column_stack([epsilon[known], levels[known]]))

    @cached_property
    def log_axes_curve(self) -> FloatArray:
        """The ROC curve for log axes: columns FPR (a log grid and kinks) and largest TPR."""
        kinks = self.claim.draw(512 - CURVE_FPRS)[:, 0]
        fpr = np.union1d(np.geomspace(MIN_RATE, 1.0, CURVE_FPRS), kinks[kinks > MIN_RATE])
        return read_only(np.column_stack([fpr, self.claim.tpr(fpr)]))

    @cached_property
    def log_odds_curve(self) -> FloatArray:
        """The trade-off curve on log-odds axes: columns log10 odds of FPR and log10 odds of FNR."""
        # The FNR at each FPR of a grid, and the FPR at each FNR of it, as a curve may be steep.
        back, grid = self.claim.inverse(), expit(BENDS * np.log(10))
        kinks = self.claim.draw(MOST_KINKS)[1:-1, 0]
        points = np.vstack(
            [
                np.column_stack([BENDS, _fnr_log_odds(self.claim, grid)]),
                np.column_stack([_fnr_log_odds(back, grid), BENDS]),
                np.column_stack([log10_odds_of(kinks), _fnr_log_odds(self.claim, kinks)]),
            ]
        )
        points = points[np.abs(points[:, 0]) <= WIDEST_ODDS]
        points[:, 1] = np.clip(points[:, 1], -WIDEST_ODDS, WIDEST_ODDS)
        return read_only(points[np.lexsort((-points[:, 1], points[:, 0]))])


def guarantee_part(claim: TradeoffFunction, neighbours: Adjacency) -> GuaranteePart:
    """Return a guarantee with its curves, converted to the adjacency `neighbours`."""
    converted = converted_to(claim, neighbours)
    curve, region = read_only(converted.draw()), read_only(converted.region())
    return GuaranteePart(original=claim, claim=converted, curve=curve, region=region)


def _fnr_log_odds(claim: TradeoffFunction, fpr: FloatArray) -> FloatArray:
    """Return the log10 odds of the smallest FNR at each FPR."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(claim.beta(fpr)) - np.log10(claim.tpr(fpr)))


def at_least_min_rate(rates: FloatArray) -> FloatArray:
    """Return the rates, raised to at least `MIN_RATE`, the lower end of the log axes."""
    return np.asarray(np.maximum(rates, MIN_RATE))


SYMBOLS = {  # of parameters in names of guarantees; other parameters have no symbol
    **{"epsilon": "ε", "delta": "δ", "mu": "μ", "rho": "ρ"},
    **{"noise_multiplier": "σ", "noise": "σ", "scale": "b", "width": "width"},
    **{"sensitivity": "sensitivity", "categories": "answers", "sampling_rate": "rate"},
    **{"steps": "steps", "size": "records"},
}

SAMPLES = {
    "poisson": ", Poisson samples",
    "fixed_size": ", samples of a fixed size",
    "random_allocation": ", random allocation",
    "shuffled": ", shuffled batches",
    "full_batch": ", all records in every step",
}


def short_name(claim: TradeoffFunction, *, with_adjacency: bool = True) -> str:
    """Return the name of a guarantee with its numbers: "Laplace ε = 1"."""
    parameters = claim.parameters
    numbers = {name: short(parameters[name]) for name in _numeric_parameters(claim)}
    text = name_template(claim).format(**numbers)
    if isinstance(claim, theory.SubsampledGaussian):
        if claim.adjacency == "replace_one" or claim.sampling != "poisson":
            text += SAMPLES[claim.sampling]
        text += ", divided by the batch's size" if claim.averaging == "sampled" else ""
    if "base" in parameters:
        text += f" of {short_name(parameters['base'])}"
    elif "components" in parameters:
        text += f" of {len(parameters['components'])}"
    elif "mechanisms" in parameters:
        parts = parameters["mechanisms"]
        repeated = shortest_period(parts)
        base = short_name(parts[0]) if repeated == 1 else f"{repeated} mechanisms"
        text = f"{len(parts) // repeated} × {base}"
    nested = {"base", "mechanisms"} & parameters.keys()  # the names of their parts say it
    is_plain = claim.adjacency == "replace_one" or nested or not with_adjacency
    return text if is_plain else f"{text} (add/remove)"


def name_template(claim: TradeoffFunction) -> str:
    """Return the short name of a guarantee, with slots for numbers: "GDP μ = {mu}"."""
    key = menu_key(claim)
    slots = (f"{SYMBOLS.get(n, n.replace('_', ' '))} = {{{n}}}" for n in _numeric_parameters(claim))
    # Braces in the name of a user's class are no slots.
    name = ENTRIES[key].short if key else re.sub(r"([{}])", r"\1\1", type(claim).__name__)
    return f"{name} {', '.join(slots)}".strip()


def _numeric_parameters(claim: TradeoffFunction) -> list[str]:
    names = [name for name, value in claim.parameters.items() if isinstance(value, int | float)]
    return [*(n for n in SYMBOLS if n in names), *(n for n in names if n not in SYMBOLS)]


def implied_dp_text(result: Result) -> str:
    """Say which (epsilon, delta) the claim implies, before and after conversion to replace-one."""
    claim, given = result.claim, result.spec.claim
    if not result.is_claimed:
        return (
            "This is no guarantee: every attack is allowed. A deterministic mechanism gives no "
            "guarantee unless its output is the same for all neighbouring data sets."
        )
    if claim.claim.delta(0.0) == 0:
        return (
            "Perfect privacy: the output is the same for both data sets, so every attack is random "
            "guessing."
        )
    if given == EXAMPLES[ONE_OF_100]:
        return (
            "This mechanism publishes one of 100 records in full, picked at random. It satisfies "
            "(ε, δ) = (0, 1/100). So δ should be well below 1/n for n records."
        )
    if isinstance(given, theory.ApproximateDP) and not claim.converted:
        return ""
    name, pair = capitalised(short_name(given)), _epsilon_text(claim.implied, claim.delta)
    if claim.converted:
        return (
            f"{name} implies {_epsilon_text(claim.implied_before, result.spec.delta)}. Every "
            f"picture shows the claim converted to replace-one, which implies {pair}."
        )
    others = swapped_roles_text(result), gaussian_dp_sentence(claim.claim)
    return " ".join(filter(None, (f"{name} implies {pair}.", *others)))


def _epsilon_text(epsilon: float, delta: float) -> str:
    if isinf(epsilon):
        return f"no finite ε at δ = {short(delta)}"
    return f"(ε, δ) = ({short(upper(epsilon))}, {short(delta)})"


def swapped_roles_text(result: Result) -> str:
    """Say which epsilon holds if members and non-members swap roles; "" for a symmetric claim."""
    claim = result.claim
    if claim.claim.is_symmetric:
        return ""
    back = claim.implied_back
    epsilon = "no finite ε" if isinf(back) else f"ε = {short(upper(back))}"
    return f"This holds for the drawn order of the two data sets; the other order gives {epsilon}."


def gaussian_dp_sentence(claim: TradeoffFunction) -> str:
    """Say which mu-GDP a claim implies except at tiny rates; "" for GDP and asymmetric claims."""
    if isinstance(claim, theory.GaussianDP) or not claim.is_symmetric:
        return ""
    best = gdp_statement(claim)
    rate, mu, regret = short(best.from_fpr), short(upper(best.mu)), short(upper(best.regret))
    if isinf(best.mu):
        return f"This guarantee implies no Gaussian DP: both error rates may be below {rate}."
    return (
        f"Where FPR and FNR are at least {rate}, Gaussian DP with μ = {mu} holds under the claim. "
        f"The regret of this μ is {regret}. A small regret means a tight μ. The curve of the "
        "claim, shifted by the regret towards both axes, lies below the Gaussian DP curve."
    )


def claim_template(result: Result) -> str:
    """Return the claim as a phrase of a sentence, with slots in place of its numbers."""
    claim = result.claim.claim
    if not isinstance(claim, theory.ApproximateDP):
        return WORDS["guarantee"] if result.claim.converted else name_template(claim)
    slots = ", ".join(f"{SYMBOLS[key]} = {{{key}}}" for key in claim.parameters)
    return WORDS["claim"].format(parameters=slots)


def claim_in_words(result: Result) -> str:
    """Return the claim as a phrase of a sentence: "the claim ε = 1, δ = 1e-5"."""
    claim = result.claim.claim
    if isinstance(claim, theory.ApproximateDP):
        numbers = {key: short(value) for key, value in claim.parameters.items()}
        return claim_template(result).format(**numbers)
    return WORDS["guarantee"] if result.claim.converted else short_name(claim, with_adjacency=False)


def claim_with_epsilon_in_words(result: Result) -> str:
    """Return the claim in words, and its implied (epsilon, delta) if the words have no epsilon."""
    said, claim = claim_in_words(result), result.claim
    return said if "ε" in said else f"{said} implies {_epsilon_text(claim.implied, claim.delta)}"


def conversion_sentence(result: Result) -> str:
    """Say that the claim was converted from add/remove adjacency; "" without a conversion."""
    given = short_name(result.spec.claim, with_adjacency=False)
    return WORDS["conversion"].format(given=given) if result.claim.converted else ""


class ClaimCurve(ClaimLayer):
    """The lowest FNR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True
    of: tuple[str, ...] = ("claim",)
    curve = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
    guessing = DIAGONAL  # both ends of the line, in the coordinates of the picture

    def curve_on_axes(self, result: Result) -> FloatArray:
        """Return the claim's curve in the coordinates of the picture."""
        return result.claim.curve

    def add_marks(self) -> None:
        add_guessing_line(self.frame, self.guessing)
        super().add_marks()

    def draw(self, result: Result) -> None:
        self.curve.draw(self.frame.cropped(self.curve_on_axes(result)))


class Overlays(NamedLines[GuaranteePart]):
    """The curves of other guarantees beside the claim: thin lines with their names."""

    of = ("overlays",)
    styles = theme.OVERLAYS

    def named_parts(self, result: Result) -> list[tuple[str, GuaranteePart]]:
        return [(short_name(each.original).replace(" = ", "="), each) for each in result.overlays]


def overlay_label_point(overlay: GuaranteePart, index: int) -> tuple[float, float]:
    """Return the point (FPR, FNR) on the curve at which the name of an overlay is drawn."""
    return point_at_fnr(overlay.curve, 0.8 - 0.12 * index)


class SelectedFpr(CursorLayer):
    """The vertical line at the selected FPR, which a user can drag; unlabelled on log-odds axes."""

    closed_form = True
    of = ("risk_point", "odds_decades")

    def add_marks(self) -> None:
        self._is_odds = self.x.spec.scale == "log-odds"
        self.add_cursor(
            "" if self._is_odds else "this FPR",
            lambda x: self.change(fpr=tidy_rate(rate_of(x) if self._is_odds else x)),
        )

    def draw(self, result: Result) -> None:
        fpr = result.fpr
        self.place_cursor(float(log10_odds_of(np.array(fpr))) if self._is_odds else fpr)


class LogOddsAxisRange(Layer):
    """A layer without marks that sets one range for the log-odds axes of all pictures."""

    of = ("odds_decades",)

    def draw(self, result: Result) -> None:
        for axis in (self.x, self.y):
            if axis.spec.scale == "log-odds":
                axis.set_range(-result.odds_decades, result.odds_decades)


IMPLICATION = TextWriter(implied_dp_text, "claim", about_claim=True, without_claim=True)
TOPIC = Topic(sentences={"implies": IMPLICATION})
