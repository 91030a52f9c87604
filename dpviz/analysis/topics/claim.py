"""The claim: its name in words, its curves, the adjacency it is compared under."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from typing_extensions import override

from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES, ONE_OF_100, key_of
from dpviz.analysis.claims.text_fields import period
from dpviz.analysis.result import Result, allows_everything
from dpviz.analysis.spec import Spec
from dpviz.analysis.topic import Registered, Topic
from dpviz.analysis.words import WORDS
from dpviz.audit import AttackCurve
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import theme
from dpviz.drawing.layer import ClaimLayer
from dpviz.drawing.layers import WHOLE, NamedLines, add_random_guessing, at_height
from dpviz.drawing.marks import Area, Line
from dpviz.number_format import percent, short, upper
from dpviz.theory import (
    ApproximateDP,
    Dominance,
    GaussianDP,
    PureDP,
    SubsampledGaussian,
    TotalVariation,
    TradeoffFunction,
    gdp_statement,
)
from dpviz.theory.tradeoff import Adjacency

# Guarantees that are numbers and no mechanism: they mean the same under either adjacency
BARE = (ApproximateDP, PureDP, TotalVariation, GaussianDP)


def neighbours_of(spec: Spec, *, with_scores: bool) -> Adjacency:
    """Return what the compared data sets differ in.

    That is `Spec.neighbours`; where it is None, losses of one model compare a record with its
    replacement, and everything else is about what the claim is about. A replace-one claim implies
    nothing about adding or removing a record: it is compared as it stands.
    """
    if spec.claim.adjacency == "replace_one":
        return "replace_one"
    if spec.neighbours is not None:
        return spec.neighbours
    if with_scores:
        return "replace_one" if spec.applies_to == "instance" else "add_remove"
    # Guarantees that are only compared with one another need one adjacency for all.
    is_one = all(overlay.adjacency == "add_remove" for overlay in spec.overlays)
    return "add_remove" if is_one else "replace_one"


def as_compared(claim: TradeoffFunction, neighbours: Adjacency) -> TradeoffFunction:
    """Return a guarantee for these neighbours where it implies one, else as it is."""
    return claim.to_replace_one() if neighbours == "replace_one" else claim


def other_reading(spec: Spec, *, with_scores: bool) -> TradeoffFunction | None:
    """Return the claim as it would be compared under the other adjacency.

    None for a mechanism, which says itself what it is for, and where both readings are the same.
    """
    if type(spec.claim) not in BARE:
        return None
    other: Adjacency = "add_remove" if spec.claim.adjacency == "replace_one" else "replace_one"
    given, read = (
        as_compared(each.claim, neighbours_of(each, with_scores=with_scores))
        for each in (spec, replace(spec, claim=spec.claim.with_parameters(adjacency=other)))
    )
    return None if read.parameters == given.parameters else read


# Curves of TPR against FPR on logarithmic axes, which begin at `LOWEST` instead of 0.

LOWEST = 1e-5  # where both axes begin, as in most published pictures of this kind


GRID = 240  # FPRs of a guarantee's curve; its kinks are added


CORNERS = 120  # of an attack's curve along each axis, at most


OF_LINE = 256  # vertices of a line: two of them outline a band


LINE_CORNERS = 166  # of them at corners: enough for limits at 160 thresholds


def claim_tail(claim: TradeoffFunction) -> FloatArray:
    """The TPR a guarantee permits at FPRs evenly spread in log, kinks among them, shape (k, 2)."""
    kinks = claim.draw(512 - GRID)[:, 0]
    fpr = np.union1d(np.geomspace(LOWEST, 1.0, GRID), kinks[kinks > LOWEST])
    return read_only(np.column_stack([fpr, claim.tpr(fpr)]))


def attack_tail(curve: AttackCurve) -> FloatArray:
    """Corners of the attack's steps, shape (k, 2): an FPR, and the largest TPR at no larger one.

    Between two corners the TPR is that of the first. In either count, they are no more than a few
    per cent apart. The first corner has FPR 0.
    """
    wanted = [
        np.searchsorted(counts, np.unique(np.geomspace(1, n, CORNERS).astype(np.int64)))
        for counts, n in (
            (curve.false_positives, curve.n_nonmembers),
            (curve.true_positives, curve.n_members),
        )
    ]
    some = curve.false_positives[np.unique(np.concatenate([[0], *wanted]))]
    last = np.unique(np.searchsorted(curve.false_positives, some, side="right") - 1)
    return read_only(np.column_stack([curve.fpr[last], curve.tpr[last]]))


def tail_of_line(vertices: FloatArray) -> FloatArray:
    """A curve through vertices (columns FPR and FNR, FPR nondecreasing) as TPR, shape (k, 2).

    At its corners, of which only some are kept where there are many, and over a log grid: a
    straight line is none on logarithmic axes.
    """
    corners = np.unique(vertices[:, 0])
    corners = corners[corners > LOWEST]
    corners = corners[:: -(-corners.size // LINE_CORNERS)]
    fpr = np.union1d(np.geomspace(LOWEST, 1.0, OF_LINE - corners.size), corners)
    # Where the curve is vertical its lower end counts, as everywhere to its right: of steps that
    # limit the FNR from below, what is drawn between two vertices is then no higher.
    last = np.append(np.diff(vertices[:, 0]) > 0, True)
    fnr = np.interp(fpr, vertices[last, 0], vertices[last, 1])
    return read_only(np.column_stack([fpr, 1 - fnr]))


def on_axes(points: FloatArray) -> FloatArray:
    """The same points with rates below the axes' beginning at the edge."""
    return np.asarray(np.maximum(points, LOWEST))


# The curves of a guarantee, the claim or an overlay.

LOWEST_DELTA = 1e-12  # where the profile's logarithmic axis ends


LEVELS = np.geomspace(1.0, LOWEST_DELTA, 121)  # ten a decade


@dataclass(frozen=True, kw_only=True, eq=False)
class GuaranteePart:
    """A guarantee as `given` and as it is compared (`claim`), as curves.

    `curve` and `region` have columns FPR and FNR. Nothing here depends on delta.
    """

    given: TradeoffFunction
    claim: TradeoffFunction
    curve: FloatArray
    region: FloatArray

    @cached_property
    def profile(self) -> FloatArray:
        """Columns epsilon (ascending) and delta, evenly spread in log delta, shape (k, 2).

        From epsilon 0 down to the delta that is left at every epsilon, or to 1e-12.
        """
        ends = np.clip([self.claim.delta(0.0), self.claim.tpr(0.0)], LOWEST_DELTA, 1.0)
        inside = LEVELS[(ends[1] < LEVELS) & (ends[0] > LEVELS)]
        levels = np.union1d(ends, inside)[::-1]
        epsilon = self.claim.epsilon(levels)
        known = np.isfinite(epsilon)
        return read_only(np.column_stack([epsilon[known], levels[known]]))

    @cached_property
    def tail(self) -> FloatArray:
        """Columns FPR and TPR, evenly spread in log FPR, shape (k, 2)."""
        return claim_tail(self.claim)


def guarantee_part(given: TradeoffFunction, neighbours: Adjacency) -> GuaranteePart:
    """Return the curves of a guarantee for data sets that are such neighbours."""
    claim = as_compared(given, neighbours)
    return GuaranteePart(
        given=given, claim=claim, curve=read_only(claim.draw()), region=read_only(claim.region())
    )


# Sentences about guarantees alone: short names, what they imply, which is the more private.

CONSTANT = (
    "Perfect privacy: the output is the same for both data sets, so every attack is random "
    "guessing."
)


NO_GUARANTEE = "This is no guarantee: every attack is allowed."


DETERMINISTIC = (
    " A deterministic mechanism is of this kind, unless its output is the same for every two "
    "neighbouring data sets: then it has perfect privacy."
)


RELEASED = (
    "This mechanism publishes one of 100 records in full, picked at random. It satisfies (ε, δ) = "
    "(0, 1/100): a δ should be well below 1/n."
)


SYMBOLS = {  # of parameters in names; any other number is named by its own name
    "epsilon": "ε",
    "delta": "δ",
    "mu": "μ",
    "rho": "ρ",
    "noise_multiplier": "σ",
    "noise": "σ",
    "scale": "b",
    "width": "width",
    "sensitivity": "sensitivity",
    "categories": "answers",
    "sampling_rate": "rate",
    "steps": "steps",
    "size": "records",
}


SAMPLES = {"poisson": ", Poisson samples", "fixed_size": ", samples of a fixed size"}


MOST_CROSSINGS = 3  # that a sentence lists; of others it gives the number


def name(claim: TradeoffFunction, *, with_adjacency: bool = True) -> str:
    """A short name with the numbers that make it: "Laplace ε = 1"."""
    key, parameters = key_of(claim), claim.parameters
    numbers = {name: short(parameters[name]) for name in _numbers(claim)}
    called = ENTRIES[key].short if key else type(claim).__name__
    text = f"{called} {_slots(claim).format(**numbers)}".strip()
    if isinstance(claim, SubsampledGaussian) and claim.adjacency == "replace_one":
        text += SAMPLES[claim.sampling or "poisson"]
    if "base" in parameters:
        text += f" of {name(parameters['base'])}"
    elif "components" in parameters:
        text += f" of {len(parameters['components'])}"
    elif "mechanisms" in parameters:
        parts = parameters["mechanisms"]
        repeated = period(parts)
        what = name(parts[0]) if repeated == 1 else f"{repeated} mechanisms"
        text = f"{len(parts) // repeated} × {what}"
    nested = "base" in parameters or "mechanisms" in parameters  # their parts say it
    is_plain = claim.adjacency == "replace_one" or nested or not with_adjacency
    return text if is_plain else f"{text} (add/remove)"


def in_words(claim: TradeoffFunction) -> str:
    """Return the name of a guarantee without its adjacency."""
    return name(claim, with_adjacency=False)


def name_template(claim: TradeoffFunction) -> str:
    """Return the short name of a registered guarantee, with slots for its numbers."""
    return f"{ENTRIES[key_of(claim)].short} {_slots(claim)}".strip()


def _slots(claim: TradeoffFunction) -> str:
    return ", ".join(
        f"{SYMBOLS.get(name, name.replace('_', ' '))} = {{{name}}}" for name in _numbers(claim)
    )


def _numbers(claim: TradeoffFunction) -> list[str]:
    """Names of the parameters that are numbers, the known ones first; vectors have no place."""
    order = list(SYMBOLS)
    return sorted(
        (name for name, value in claim.parameters.items() if isinstance(value, int | float)),
        key=lambda name: order.index(name) if name in SYMBOLS else len(order),
    )


def implies(result: Result) -> str:
    """The (epsilon, delta) of the claim, before and after a conversion; "" for what it says."""
    claim, given = result.claim, result.spec.claim
    if allows_everything(claim.claim):
        return NO_GUARANTEE + DETERMINISTIC
    if claim.claim.delta(0.0) == 0:
        return CONSTANT
    if given == EXAMPLES[ONE_OF_100]:
        return RELEASED
    if claim.converted:
        return (
            f"{name(given)}: claimed for records added or removed, where it implies "
            f"{_pair(claim.implied_before, result.spec.delta)}. Converted to replace-one, which "
            f"every picture shows, it implies {_pair(claim.implied, claim.delta)}."
        )
    if isinstance(given, ApproximateDP):
        return ""
    implied = f"{name(given)} implies {_pair(claim.implied, claim.delta)}."
    said = (implied, other_order(result), as_gaussian(claim.claim))
    return " ".join(filter(None, said))


def as_gaussian(claim: TradeoffFunction) -> str:
    """The mu that may be quoted for a guarantee; empty for a Gaussian one, and for one order."""
    if isinstance(claim, GaussianDP) or not claim.is_symmetric:
        return ""
    found = gdp_statement(claim)
    rate, mu, regret = short(found.from_fpr), short(upper(found.mu)), short(upper(found.regret))
    if found.mu == float("inf"):
        return f"No μ describes it: both error rates may be below {rate}."
    return f"Where FPR and FNR are at least {rate}, it is Gaussian DP, μ = {mu} (regret {regret})."


def comparison(result: Result) -> str:
    """Whether the claim or the first overlay is the more private, or where they cross."""
    found = result.comparison
    if not result.overlays:
        return ""
    claim, other = name(result.spec.claim), name(result.overlays[0].given)
    if found is None:
        return (
            f"{_first(claim)} and {other} are not compared: one is for add/remove adjacency, the "
            "other for replace-one."
        )
    if claim == other and found.relation != "equal":
        claim, other = f"the claim ({claim})", f"the first overlay ({other})"
    how = "" if found.is_exact else ", compared numerically"
    match found.relation:
        case "equal":
            return f"{_first(claim)} and {other} allow the same attacks{how}."
        case "dominates":
            return _ordered(claim, other, found.better_at, how)
        case "dominated":
            return _ordered(other, claim, found.worse_at, how)
        case "incomparable":
            return f"Neither is more private everywhere{how}: {_regions(claim, other, found)}."
        case "undecided":
            return (
                f"{_first(claim)} and {other} differ by no more than the stated error of a curve "
                "that was computed from below: which is more private at every FPR stays open."
            )


def _ordered(stronger: str, weaker: str, place: float | None, how: str) -> str:
    most = "" if place is None else f", most of all {_at(place)}"
    return (
        f"{_first(stronger)} is at least as private as {weaker} at every FPR, and more private at "
        f"some{most}{how}."
    )


def _regions(claim: str, other: str, found: Dominance) -> str:
    """At which FPRs each of two is the more private."""
    crossings, better = found.crossings, found.better_at or 0.0
    if len(crossings) == 1:
        below, above = (claim, other) if better < crossings[0] else (other, claim)
        return f"{below} below FPR {percent(crossings[0])}, {above} above"
    if len(crossings) == 2:
        low, high = crossings
        inner, outer = (claim, other) if low < better < high else (other, claim)
        return f"{inner} between FPR {percent(low)} and {percent(high)}, {outer} outside"
    return (
        f"{claim} {_at(found.better_at)}, {other} {_at(found.worse_at)}; the curves cross at FPR "
        f"{_places(crossings)}"
    )


def _places(crossings: tuple[float, ...]) -> str:
    shown = [percent(place) for place in crossings[:MOST_CROSSINGS]]
    if len(crossings) > MOST_CROSSINGS:
        shown.append(f"{len(crossings) - MOST_CROSSINGS} more")
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def _at(place: float | None) -> str:
    return "at the smallest FPRs" if not place else f"at FPR {percent(place)}"


def _first(text: str) -> str:
    """With a capital, unless it is a symbol or a name that has none."""
    return text[0].upper() + text[1:]


def _pair(epsilon: float, delta: float) -> str:
    if epsilon == float("inf"):
        return f"no finite ε at δ = {short(delta)}"
    return f"(ε, δ) = ({short(upper(epsilon))}, {short(delta)})"


def _epsilon(epsilon: float) -> str:
    return "no finite ε" if epsilon == float("inf") else f"ε = {short(upper(epsilon))}"


def claim_template(result: Result) -> str:
    """Return the name of a claim that has a closed form, with slots for its numbers."""
    claim = result.claim.claim
    if not isinstance(claim, ApproximateDP):
        return WORDS["guarantee"] if result.claim.converted else name_template(claim)
    greek = {"epsilon": "ε", "delta": "δ"}
    slots = ", ".join(f"{greek[key]} = {{{key}}}" for key in claim.parameters)
    return WORDS["claim"].format(parameters=slots)


def the_claim(result: Result) -> str:
    claim = result.claim.claim
    if isinstance(claim, ApproximateDP):
        numbers = {key: short(value) for key, value in claim.parameters.items()}
        return claim_template(result).format(**numbers)
    return WORDS["guarantee"] if result.claim.converted else in_words(claim)


def conversion(result: Result) -> str:
    given = in_words(result.spec.claim)
    return WORDS["conversion"].format(given=given) if result.claim.converted else ""


# The trade-off curve of the claim.


class ClaimCurve(ClaimLayer):
    """The lowest FNR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True

    def on_axes(self, curve: FloatArray) -> FloatArray:
        """Return a curve, with columns FPR and FNR, as the picture has it."""
        return curve

    def add_marks(self) -> None:
        add_random_guessing(self.frame, self.on_axes(WHOLE))
        mark = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
        self._curve = self.add("curve", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        self._curve.draw(self.on_axes(result.claim.curve))


class ClaimRoc(ClaimCurve):
    """The largest TPR that the claim allows at each FPR."""

    @override
    def on_axes(self, curve: FloatArray) -> FloatArray:
        return as_roc(curve)


# The region of the claim.


class ClaimRegion(ClaimLayer):
    """Every (FPR, FNR) that the claim allows, filled; converted to replace-one adjacency unless
    `as_claimed`.
    """

    def __init__(self, *, as_claimed: bool = False) -> None:
        self._as_claimed = as_claimed
        self.closed_form = not as_claimed

    def add_marks(self) -> None:
        mark = Area(color=theme.CLAIM, opacity=0.25, label="allowed by the claim")
        self._area = self.add("area", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        is_other = self._as_claimed and result.claim.converted
        self._area.draw(result.spec.claim.region() if is_other else result.claim.region)


# Further claims as thin lines with their names beside them.


class Overlays(NamedLines[GuaranteePart]):
    """The overlays of a view."""

    styles = theme.OVERLAYS

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.overlays,)

    def named(self, result: Result) -> list[tuple[str, GuaranteePart]]:
        return [(name(each.given).replace(" = ", "="), each) for each in result.overlays]


def on_curve(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the trade-off curve, from FNR 0.8 downwards."""
    return at_height(overlay.curve, 0.8 - 0.12 * i)


def on_roc(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """The same place where the TPR is drawn."""
    fpr, fnr = on_curve(overlay, i)
    return fpr, 1 - fnr


def on_far_edge(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """On the other edge of the region, away from the attack and the point."""
    x, y = on_curve(overlay, i)
    return 1 - x, 1 - y


TOPIC = Topic(
    sentences={
        "implies": Registered(implies, "claim", about_claim=True, without_claim=implies),
    },
)


def as_it_is(curve: FloatArray) -> FloatArray:
    """FPR and FNR."""
    return curve


def as_roc(curve: FloatArray) -> FloatArray:
    """FPR and TPR."""
    return np.column_stack([curve[:, 0], 1 - curve[:, 1]])


def as_tail(curve: FloatArray) -> FloatArray:
    """FPR and TPR on logarithmic axes."""
    return on_axes(tail_of_line(curve))


def as_tail_point(place: FloatArray) -> FloatArray:
    """The same axes for single places."""
    return on_axes(as_roc(place))


def other_order(result: Result) -> str:
    """The epsilon of the other order of an asymmetric pair; empty for a symmetric one."""
    claim = result.claim
    if claim.claim.is_symmetric:
        return ""
    return (
        "That is this order of the pair, as drawn; the other order gives "
        f"{_epsilon(claim.implied_back)}."
    )
