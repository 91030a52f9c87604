"""The controls of a saved page: native sliders, each with an exact box, and what moves them."""

from dataclasses import dataclass

from dpviz.analysis import CONTROLS, Control, Result
from dpviz.analysis.claim_entries import ENTRIES, key_of
from dpviz.analysis.slider import Slider
from dpviz.pictures.svg_text import escaped


@dataclass(frozen=True, kw_only=True)
class SavedControl:
    """A number that the page can change.

    Parameters
    ----------
    field : str
        A number of the spec, or "claim." and a parameter of the claim.
    slider : Slider
        Its steps.
    """

    field: str
    slider: Slider

    def html(self) -> str:
        """Slider and box; the script sets their values."""
        control = self.slider.control
        label, explained = escaped(control.label), escaped(control.help)
        return (
            f'<div class="control"><label><span><b>{label}</b> <small>{explained}</small></span>'
            f'<input type="range" min="0" max="{self.slider.last}" step="1"></label>'
            f'<input type="text" autocomplete="off" aria-label="{label}, exact value"></div>'
        )


def saved_controls(result: Result) -> list[SavedControl]:
    """Those of the spec's numbers, then those of the claim's own parameters."""
    key = key_of(result.spec.claim)
    parameters = ENTRIES[key].parameters if key else {}
    own = {f"claim.{name}": how for name, how in parameters.items() if isinstance(how, Control)}
    return [
        SavedControl(field=field, slider=Slider(how)) for field, how in {**CONTROLS, **own}.items()
    ]
