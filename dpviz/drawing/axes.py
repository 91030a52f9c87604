"""Axes: their ranges and ticks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import expit

from dpviz import checks
from dpviz.checks import FloatArray

MOST_LETTERS = 60  # of the names of bars; where there are more, only some bars have a name
LEAST_LETTERS = 5  # for which each name has room
MOST_ODDS = 4  # the last decade of odds with a tick: "99.9999 %" at the end would be cut
MOST_DECADES = 7  # ticks of a logarithmic axis; of rates, whose texts are longer, as below
MOST_DECADES_OF_RATES = 4
LEAST_ODDS, WIDEST_ODDS = 4, 6  # decades on either side of odds 1 that a log-odds axis may have
HALF_PIXEL = 0.02  # in decades, on an axis of 8 decades and 200 pixels
BENDS = np.round(np.arange(-10 * WIDEST_ODDS, 10 * WIDEST_ODDS + 1) / 10, 1)  # of straight lines


def log10_odds_of(rates: FloatArray) -> FloatArray:
    """Return log10 of the odds, rate / (1 - rate), of each rate: -inf at rate 0, inf at rate 1."""
    with np.errstate(divide="ignore"):
        return np.log10(rates) - np.log10(1 - rates)


def rate_of(log10_odds: float) -> float:
    """Return the rate whose odds, rate / (1 - rate), are 10**log10_odds."""
    return float(1 / (1 + 10.0**-log10_odds))


def with_more_vertices(rate_curve: FloatArray) -> FloatArray:
    """Add vertices to a curve every 0.1 in log10 odds; log-odds axes bend straight segments."""
    # On log-odds axes a segment is curved: hence the vertices. x has to ascend, y to descend.
    x, y = rate_curve.T
    rates, number = expit(BENDS * np.log(10)), np.arange(float(len(x)))
    across = rates[(rates > x[0]) & (rates < x[-1])]
    down = rates[(rates < y[0]) & (rates > y[-1])]
    # Places along the line, as numbers of its vertices with shares of the way between two.
    places = [number, np.interp(across, x, number), np.interp(-down, -y, number)]
    points = np.column_stack(
        [
            np.concatenate([x, across, np.interp(-down, -y, x)]),
            np.concatenate([y, np.interp(across, x, y), down]),
        ]
    )
    return np.asarray(points[np.argsort(np.concatenate(places), kind="stable")])


def as_log10_odds(rate_curve: FloatArray) -> FloatArray:
    """Convert a curve of rates, x ascending and y descending, to log10 odds."""
    # Log odds of x beyond ±`WIDEST_ODDS` are dropped, those of y clipped; close points are merged.
    x, y = np.round(log10_odds_of(with_more_vertices(rate_curve)), 9).T
    inside = np.abs(x) <= WIDEST_ODDS
    line = np.column_stack([x[inside], np.clip(y[inside], -WIDEST_ODDS, WIDEST_ODDS)])
    return without_close_vertices(line, (HALF_PIXEL, HALF_PIXEL))


def without_close_vertices(line: FloatArray, cell_size: tuple[float, float]) -> FloatArray:
    """Drop each inner vertex of a line that is in the grid cell of the vertex before it."""
    if len(line) < 2:
        return line
    moves = np.any(np.diff(np.round(line / cell_size), axis=0) != 0, axis=1)
    return np.asarray(line[np.concatenate([[True], moves[:-1], [True]])])


@dataclass(frozen=True, kw_only=True)
class AxisSpec:
    """The label, initial range and scale of an axis, which is drawn only if `visible`."""

    label: str
    low: float = 0.0
    high: float = 1.0
    scale: Literal["linear", "log", "log-odds"] = "linear"
    is_rate: bool = False  # if so, ticks are in percent
    visible: bool = True


class Axis:
    """The label, range and ticks of one axis; each change of the axis calls `notify(axis)`."""

    def __init__(self, spec: AxisSpec, notify: "Callable[[Axis], None]" = lambda _: None) -> None:
        self.spec, self._notify = spec, notify
        self.label = spec.label
        self.low, self.high = spec.low, spec.high
        self.ticks: dict[float, str] = {}  # texts by place
        self.has_names = False  # if so, places between the ticks have no meaning
        self.set_range(spec.low, spec.high)

    def set_range(self, low: float, high: float) -> None:
        """Set the range of the axis, which must be finite, and put ticks at round numbers."""
        checks.vector(f"the range of {self.label!r}", [low, high - low], finite=True)
        if self.spec.scale == "log":
            decades = np.arange(np.ceil(np.log10(low)), np.floor(np.log10(high)) + 1)
            most = MOST_DECADES_OF_RATES if self.spec.is_rate else MOST_DECADES
            step = max(1, int(np.ceil(decades.size / most)))
            kept = decades[::-1][::step]
            ticks = {float(10.0**d): _power_of_10(int(d), percent=self.spec.is_rate) for d in kept}
        elif self.spec.scale == "log-odds":
            step = max(1, int(np.ceil((high - low) / 7)))
            # Ticks stand at odds of 1, and at multiples of the step on both sides of it.
            ends = int(max(-low, high)) // step * step
            places = [d for d in range(-ends, ends + 1, step) if low <= d <= min(high, MOST_ODDS)]
            ticks = {float(d): _rate_text_at_odds(d) for d in places}
        elif self.spec.is_rate:
            rates = _ticks_at_round_numbers(low, high, steps=(1, 2.5, 5, 10), most=4)
            ticks = {rate: f"{100 * rate:.12g} %" for rate in rates}
        else:
            ticks = {tick: f"{tick:g}" for tick in _ticks_at_round_numbers(low, high)}
        self.set_ticked_range(low, high, ticks)

    def set_row_names(self, names: Sequence[str]) -> list[float]:
        """Write `names` beside rows from the top down; return the positions of the rows."""
        places = [float(place) for place in reversed(range(len(names)))]
        ticks = dict(zip(places, names, strict=True))
        self.set_ticked_range(-0.6, float(len(names)), ticks, has_names=True)
        return places

    def set_bar_names(self, names: Sequence[str], *, left_end: int) -> None:
        """Write `names` below bars of width 1, starting at `left_end`; skip names without room."""
        # The longest name, with two letters between names, decides how many have room.
        each = max([LEAST_LETTERS, *(len(name) + 2 for name in names)])
        step = max(1, -(-len(names) * each // MOST_LETTERS))
        ticks = {left_end + i + 0.5: names[i] for i in range(0, len(names), step)}
        self.set_ticked_range(float(left_end), float(left_end + len(names)), ticks, has_names=True)

    def set_label(self, label: str) -> None:
        """Change the label beside the axis."""
        self.label = label
        self._notify(self)

    def clamp(self, value: float) -> float:
        """Return the value between the ends of the axis that is nearest to `value`."""
        return float(min(max(value, self.low), self.high))

    def are_close(self, a: float, b: float) -> bool:
        """Return whether two values are at most a billionth of the axis's length apart."""
        if self.spec.scale == "log":
            return bool(abs(np.log(a / b)) <= 1e-9 * np.log(self.high / self.low))
        return abs(a - b) <= 1e-9 * (self.high - self.low)

    def relative_positions(self, values: FloatArray) -> FloatArray:
        """Return positions of values along the axis, from 0 at the low end to 1 at the high end."""
        if self.spec.scale == "log":
            low, high = np.log(self.low), np.log(self.high)
            return np.asarray((np.log(values) - low) / (high - low))
        return (values - self.low) / (self.high - self.low)

    def set_ticked_range(
        self, low: float, high: float, ticks: dict[float, str], *, has_names: bool = False
    ) -> None:
        """Set the range of the axis, and its ticks: a dict from values to texts."""
        self.low, self.high, self.ticks, self.has_names = low, high, ticks, has_names
        self._notify(self)


def rounded_axis_end(value: float) -> float:
    """Return the least number >= `value` that is 1, 2 or 5 times a power of 10."""
    power = float(f"1e{int(np.floor(np.log10(value)))}")
    return next(f * power for f in (1, 2, 5, 10) if f * power >= value)


def _ticks_at_round_numbers(
    low: float, high: float, *, steps: Sequence[float] = (1, 2, 5, 10), most: int = 6
) -> list[float]:
    """Return at most `most` + 1 ticks: multiples of a step, one of `steps` times a power of 10."""
    power = 10.0 ** np.floor(np.log10((high - low) / (most - 1)))
    # The least round step for which there are no more than `most` intervals.
    step = next(f * power for f in steps if (high - low) / (f * power) <= most + 1e-9)
    multiples = np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    return [float(f"{tick:.12g}") + 0.0 for tick in multiples * step]  # + 0.0: no "-0"


def _power_of_10(exponent: int, *, percent: bool = False) -> str:
    if percent:
        return f"{_power_of_10(exponent + 2)} %"
    return f"1e{exponent}" if not -4 < exponent < 5 else f"{10.0**exponent:g}"


def _rate_text_at_odds(log10_odds: int) -> str:
    """Return the rounded rate with these log10 odds as the text of a tick: "1 %" for -2."""
    if log10_odds == 0:
        return "50 %"
    if log10_odds < 0:
        return _power_of_10(log10_odds, percent=True)
    return f"{100 - 10.0 ** (2 - log10_odds):.12g} %"
