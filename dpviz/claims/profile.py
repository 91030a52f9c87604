"""A privacy profile that another tool computes becomes statements that carry its curve."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import Stated
from dpviz.theory.mechanisms.claims import intersection, most_missed

GRID = np.concatenate([np.linspace(0, 12, 1201), np.geomspace(12, 700, 801)[1:]])
"""Epsilons at which a profile is evaluated: a tool may compute many of them at once."""

FIRST = 65  # epsilons that are looked at before the profile is refined
NEARER = 2e-5  # height of the curve below which a further statement is not worth its place
ROUNDS = 4  # of statements between those that are there
SMALLEST = 1e-12  # delta at which the profile ends
ROUNDING = (1e-9, 1e-5)  # absolute and relative: what tools' own rounding may do to a profile
Profile = Callable[[FloatArray], FloatArray]


def stated(profile: Profile, *, name: str, rounds: int = ROUNDS) -> Stated:
    """Statements at epsilons chosen so that little of the profile's curve is missed.

    The profile is evaluated on `GRID`; `rounds` are fewer where that takes long.

    Raises ValueError if it is no profile: deltas that leave [0, 1], rise, or are not convex in
    ``e^epsilon``.
    """

    def deltas(places: NDArray[np.intp]) -> FloatArray:
        return checks.reals(f"delta of {name}", profile(GRID[places]), 0, 1)

    end = GRID[_end(deltas)]
    chosen = np.unique(np.searchsorted(GRID, np.linspace(0.0, end, FIRST)))
    delta, active = deltas(chosen), np.arange(len(chosen) - 1)
    for _ in range(rounds):
        between = (chosen[active] + chosen[active + 1]) // 2
        active, between = active[between > chosen[active]], between[between > chosen[active]]
        if not active.size:
            break
        found = deltas(between)
        cut = _corner_cut(GRID[chosen], delta, active, GRID[between], found) > NEARER
        is_new = np.concatenate([np.zeros(len(chosen), dtype=bool), cut])
        chosen, delta = np.append(chosen, between), np.append(delta, found)
        order = np.argsort(chosen)
        chosen, delta, is_new = chosen[order], delta[order], is_new[order]
        places = np.flatnonzero(is_new)
        active = np.union1d(places, places - 1)
    epsilon = GRID[chosen]
    _refuse_what_is_no_profile(epsilon, delta, name)
    rows = np.column_stack([epsilon, delta])
    return Stated(rows, error=min(1.0, most_missed(intersection(epsilon, delta))))


def _end(deltas: Callable[[NDArray[np.intp]], FloatArray]) -> int:
    """Place in the grid beyond which there is nothing to state."""
    last = np.inf
    for epsilon in 1.5 ** np.arange(17):
        place = int(np.searchsorted(GRID, epsilon))
        delta = float(deltas(np.array([place]))[0])
        if delta <= SMALLEST or (delta == last and epsilon > 8):
            return place
        last = delta
    return len(GRID) - 1


def _corner_cut(
    epsilon: FloatArray,
    delta: FloatArray,
    left: NDArray[np.intp],
    between: FloatArray,
    found: FloatArray,
) -> FloatArray:
    """How far a statement lies below the point where its two neighbours meet."""
    step = np.exp(-epsilon[left + 1]) / -np.expm1(epsilon[left] - epsilon[left + 1])
    x = np.clip((delta[left] - delta[left + 1]) * step, 0.0, 1.0)
    corner = np.minimum(1.0, delta[left] + np.exp(epsilon[left]) * x)
    return np.asarray(corner - (found + np.exp(between) * x))


def _refuse_what_is_no_profile(epsilon: FloatArray, delta: FloatArray, name: str) -> None:
    absolute, relative = ROUNDING
    rises = np.flatnonzero(np.diff(delta) > absolute + relative * delta[:-1])
    if rises.size:
        at = epsilon[rises[0] : rises[0] + 2].tolist()
        raise checks.fail(f"delta of {name}", "nonincreasing in epsilon", f"a rise between {at}")
    step, width = epsilon[2:] - epsilon[1:-1], epsilon[2:] - epsilon[:-2]
    share = np.expm1(-step) / np.expm1(-width)
    chord = share * delta[:-2] + (1 - share) * delta[2:]
    above = np.flatnonzero(delta[1:-1] > chord + absolute + relative * delta[1:-1])
    if above.size:
        at = float(epsilon[above[0] + 1])
        raise checks.fail(f"delta of {name}", "convex in e^epsilon", f"a bump at epsilon = {at}")
