"""The slider of a number: whole steps on the scale of its field."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit, logit

from dpviz.analysis.closed_form import plain
from dpviz.analysis.spec import Control
from dpviz.analysis.tidy import tidy_rate
from dpviz.checks import interval


@dataclass(frozen=True)
class Slider:
    """Steps from 0 to `last`; the browser counts the same way (`js/src/scale.ts`).

    Parameters
    ----------
    control : Control
        Scale, range and what is legal beyond it.
    """

    control: Control

    @cached_property
    def first(self) -> int:
        """Steps from 0 on the scale to the left end; one more to the left where that means 0."""
        start = round(self._position(self.control.low) / self.control.step)
        return start - self.control.stop_at_zero

    @cached_property
    def last(self) -> int:
        """The step at the right end."""
        return round(self._position(self.control.high) / self.control.step) - self.first

    def step_of(self, value: float) -> int:
        """The step nearest to a value; one beyond the range stands at its end."""
        steps = self._position(value) / self.control.step - self.first
        return round(float(np.clip(steps, 0, self.last)))

    def value_at(self, step: int) -> float:
        """The value at a step, to three digits: a slider is not more exact than that."""
        if step == 0 and self.control.stop_at_zero:
            return 0.0
        position = (step + self.first) * self.control.step
        match self.control.scale:
            case "log10":
                return tidy_rate(10.0**position)
            case "log-odds":
                return tidy_rate(float(expit(position * np.log(10))))
            case "linear":
                return round(position, 10)

    def told(self, field: str) -> dict[str, Any]:
        """What the browser has to know, as plain JSON.

        `field` is the name of a number of the spec, or "claim." and that of a parameter.
        """
        control = self.control
        low, high = control.least, control.most
        from_low, to_high = (control.closed in ("both", end) for end in ("left", "right"))
        return {
            "field": field,
            "name": field.removeprefix("claim."),
            "scale": control.scale,
            "step": control.step,
            "first": self.first,
            "last": self.last,
            "stopAtZero": control.stop_at_zero,
            "least": low if from_low else float(np.nextafter(low, high)),
            "most": plain(high if to_high else float(np.nextafter(high, low))),
            "condition": interval(low, high, control.closed),
        }

    def _position(self, value: float) -> float:
        """Where a value stands on the scale; 0 on a logarithmic one is below every number."""
        with np.errstate(divide="ignore"):
            match self.control.scale:
                case "log10":
                    return float(np.log10(value))
                case "log-odds":
                    return float(logit(value) / np.log(10))
                case "linear":
                    return value
