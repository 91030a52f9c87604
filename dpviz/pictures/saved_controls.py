"""The controls of a saved page: native sliders, each with an exact box, and what moves them."""

import math
from dataclasses import dataclass
from typing import Any

from dpviz import checks
from dpviz.analysis import CONTROLS, Control, Result
from dpviz.analysis.claim_entries import ENTRIES, key_of
from dpviz.analysis.closed_form import plain
from dpviz.pictures.svg_text import escaped


@dataclass(frozen=True, kw_only=True)
class SavedControl:
    """A number that the page can change.

    Parameters
    ----------
    field : str
        A number of the spec, or "claim." and a parameter of the claim.
    control : Control
        How it is shown.
    """

    field: str
    control: Control

    def html(self) -> str:
        """Slider and box; the script sets their values."""
        label, explained = escaped(self.control.label), escaped(self.control.help)
        return (
            f'<div class="control"><label><span><b>{label}</b> <small>{explained}</small></span>'
            f'<input type="range" min="0" max="{self._last - self._first}" step="1"></label>'
            f'<input type="text" autocomplete="off" aria-label="{label}, exact value"></div>'
        )

    def said(self) -> dict[str, Any]:
        """Its scale and what is legal, as `js/src/scale.ts` reads them."""
        control = self.control
        return {
            "field": self.field,
            "scale": control.scale,
            "step": control.step,
            "first": self._first,
            "last": self._last - self._first,
            "stopAtZero": control.stop_at_zero,
            "name": self.field.removeprefix("claim."),
            "least": control.least,
            "most": plain(control.most),
            "closed": [control.closed in ("both", end) for end in ("left", "right")],
            "condition": checks.interval(control.least, control.most, control.closed),
        }

    @property
    def _first(self) -> int:
        """Steps from 0 on the scale to the slider's left end; one more where that means 0."""
        return self._steps(self.control.low) - self.control.stop_at_zero

    @property
    def _last(self) -> int:
        return self._steps(self.control.high)

    def _steps(self, value: float) -> int:
        match self.control.scale:
            case "linear":
                position = value
            case "log10":
                position = math.log10(value)
            case "log-odds":
                position = math.log10(value / (1 - value))
        return round(position / self.control.step)


def saved_controls(result: Result) -> list[SavedControl]:
    """Those of the spec's numbers, then those of the claim's own parameters."""
    key = key_of(result.spec.claim)
    parameters = ENTRIES[key].parameters if key else {}
    own = {f"claim.{name}": how for name, how in parameters.items() if isinstance(how, Control)}
    return [SavedControl(field=field, control=how) for field, how in {**CONTROLS, **own}.items()]
