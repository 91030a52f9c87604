"""Sentences about many models: the frontier, models without a place, Theorem 2."""

from typing import TYPE_CHECKING

import numpy as np

from dpviz.analysis.number_format import short
from dpviz.analysis.sentences.epsilon_star import FORMS
from dpviz.audit.models.aggregate import log_mean_exp
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.frontier import Strategy

if TYPE_CHECKING:  # the part is computed only when its view is shown
    from dpviz.analysis.parts.landscape import LandscapePart

MOST_NAMES = 6  # that a sentence lists; of others it gives the number
CAPTION = (
    "Means over repeats (smallest to largest). Claims may use another adjacency and δ than "
    "Epsilon*. The last column is an estimate too, and no bound on the ε of the training method. "
    "(Under the conditions of the paper's Theorem 2 it estimates an upper bound of the averaged "
    "half-line bound; clipped or counted rates do not meet them.)"
)
HEAD = ("strategy", "models", "utility", "Epsilon* (estimate)", "claimed ε", "log mean e^ε*")


def summary(part: "LandscapePart") -> str:
    """How many models, which strategies no other beats, and what stands at the edge."""
    fleet, landscape = part.estimates.fleet, part.landscape
    star = part.estimates.estimates[0]
    text = (
        f"{counted(len(fleet.models), 'model', 'models')} of "
        f"{counted(len(landscape.strategies), 'strategy', 'strategies')} at δ = "
        f"{short(star.suprema.delta)}. Epsilon* is an estimate from {FORMS[star.method]} for each "
        "trained model, not a bound."
    )
    if landscape.frontier is not None:
        best = [part.label(landscape.placed[i]) for i in landscape.frontier.indices]
        text += (
            " By these estimates, no other strategy is better in Epsilon* or utility and at least "
            f"as good in the other than: {_listed(best)}."
        )
    return text + _edges(part) + not_read(fleet)


def head(part: "LandscapePart") -> tuple[str, ...]:
    """The names of the columns: `HEAD`, with the hyper-parameters after the strategy's models."""
    return (*HEAD[:2], *part.hyperparameters, *HEAD[2:])


def table(part: "LandscapePart") -> list[tuple[str, ...]]:
    """One row for each strategy, under `head`."""
    return [_row(each, part) for each in part.landscape.strategies]


def loaded(name: str) -> str:
    """Which model's losses the other views show."""
    return f"Loaded: {name}." if name else "Press a point to load a model's losses."


def _edges(part: "LandscapePart") -> str:
    strategies = part.landscape.strategies
    infinite = [part.label(s) for s in strategies if s.epsilon is not None and np.isinf(s.epsilon)]
    undefined = [part.label(s) for s in strategies if s.epsilon is None]
    unknown = [part.label(s) for s in strategies if s.utility is None]
    said = (
        (infinite, "Drawn at the right edge, as Epsilon* is infinite"),
        (undefined, "Drawn at the right edge, as a repeat has no Epsilon*"),
        (unknown, "Drawn at the lower edge, as a repeat has no utility"),
    )
    return "".join(f" {text}: {_listed(names)}." for names, text in said if names)


def not_read(fleet: Fleet) -> str:
    """A sentence on the models that could not be read, after a space; none where all were."""
    errors = fleet.errors
    if not errors:
        return ""
    shown = "; ".join(f"{where}: {why}" for where, why in errors[:MOST_NAMES])
    more = f"; and {len(errors) - MOST_NAMES} more" if len(errors) > MOST_NAMES else ""
    return f" Not read, {len(errors)}: {shown}{more}."


def claim(strategy: Strategy) -> str:
    """What it was trained to, with the delta where it is known."""
    if strategy.claimed_epsilon is None:
        return "none"
    delta = strategy.claimed_delta
    return short(strategy.claimed_epsilon) + ("" if delta is None else f" (δ = {short(delta)})")


def counted(n: int, one: str, many: str) -> str:
    """A number of things: "1 model", "3 models"."""
    return f"{n} {one if n == 1 else many}"


def _listed(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return "; ".join(names[:MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")


def _row(strategy: Strategy, part: "LandscapePart") -> tuple[str, ...]:
    names = set(part.models_of(strategy))
    values = [
        value
        for name, value in zip(part.estimates.fleet.names, part.estimates.values, strict=True)
        if name in names
    ]
    together = "" if np.isnan(values).any() else short(log_mean_exp(values))
    return (
        part.label(strategy),
        str(strategy.n),
        *(dict(strategy.hyperparameters).get(name, "") for name in part.hyperparameters),
        _with_range(strategy.utility, strategy.utility_range),
        _with_range(strategy.epsilon, strategy.epsilon_range),
        claim(strategy),
        together,
    )


def _with_range(mean: float | None, ends: tuple[float, float] | None) -> str:
    if mean is None:
        return "not known for every repeat"
    if ends is None or ends[0] == ends[1]:
        return short(mean)
    return f"{short(mean)} ({short(ends[0])} to {short(ends[1])})"
