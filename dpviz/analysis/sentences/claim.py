"""Sentences about guarantees alone: short names, what they imply, which is the more private."""

from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES, ONE_OF_100, key_of
from dpviz.analysis.claims.text_fields import period
from dpviz.analysis.number_format import percent, short, upper
from dpviz.analysis.parts.answer import allows_everything
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.sentences.templates import WORDS
from dpviz.theory import (
    ApproximateDP,
    Dominance,
    GaussianDP,
    SubsampledGaussian,
    TradeoffFunction,
    gdp_statement,
)

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


def implies(result: ResultParts) -> str:
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


def other_order(result: ResultParts) -> str:
    """The epsilon of the other order of an asymmetric pair; empty for a symmetric one."""
    claim = result.claim
    if claim.claim.is_symmetric:
        return ""
    return (
        "That is this order of the pair, as drawn; the other order gives "
        f"{_epsilon(claim.implied_back)}."
    )


def comparison(result: ResultParts) -> str:
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


def no_guarantee(_result: ResultParts) -> str:
    """What stands in place of what a claim allows, where nothing is claimed."""
    return WORDS["no_claim"]
