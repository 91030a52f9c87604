"""The slider of a number: the values at its steps, which the browser gets as a table."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logit

from dpviz.analysis.spec import Control, Scale
from dpviz.analysis.state.browser_state import plain
from dpviz.analysis.words import capitalised, in_words
from dpviz.checks import interval
from dpviz.number_format import tidy_rate

LOG_10 = np.log(10)
Map = Callable[[float], float]
SCALES: dict[Scale, tuple[Map, Map]] = {  # to the position on a scale and back to the value
    "linear": (float, lambda position: round(position, 10)),
    "log10": (np.log10, lambda position: tidy_rate(10.0**position)),
    "log-odds": (lambda rate: logit(rate) / LOG_10, lambda x: tidy_rate(float(expit(x * LOG_10)))),
}


@dataclass(frozen=True)
class Slider:
    """Steps 0 to `last`, each with a value; the browser indexes the same table (`scale.ts`)."""

    control: Control

    @cached_property
    def values(self) -> tuple[float, ...]:
        """The value at each step, to three digits; ascending."""
        control = self.control
        position, value = SCALES[control.scale]
        first, last = (round(position(end) / control.step) for end in (control.low, control.high))
        values = (value(step * control.step) for step in range(first, last + 1))
        return (*[0.0] * control.stop_at_zero, *values)

    @property
    def last(self) -> int:
        """The step at the right end."""
        return len(self.values) - 1

    def step_of(self, value: float) -> int:
        """Return the step with the nearest value, the first or last one beyond the range."""
        middles = (np.array(self.values[:-1]) + self.values[1:]) / 2
        return int(np.count_nonzero(middles < value))

    def told(self, field: str) -> dict[str, Any]:
        """Return what the browser has to know, as plain JSON.

        `field` is the name of a number of the spec, or "claim." and that of a parameter.
        """
        control = self.control
        low, high = control.least, control.most
        from_low, to_high = (control.closed in ("both", end) for end in ("left", "right"))
        return {
            "field": field,
            "name": capitalised(control.label),
            "values": list(self.values),
            "least": low if from_low else float(np.nextafter(low, high)),
            "most": plain(high if to_high else float(np.nextafter(high, low))),
            "condition": in_words(interval(low, high, control.closed)),
        }
