"""The controls of a saved page: native sliders, each with a text box for exact values."""

from collections.abc import Collection

from dpviz.analysis import CONTROLS, Control, Naming, Result
from dpviz.analysis.claims.menu import ENTRIES, key_of
from dpviz.analysis.state.browser_state import follows_parameters
from dpviz.analysis.state.slider_steps import Slider
from dpviz.pictures.svg.text import escaped


def sliders(result: Result, further: Collection[str] = ()) -> dict[str, Slider]:
    """Sliders of the spec's numbers by name, then of the claim's parameters, as "claim.epsilon".

    Of the numbers that move one picture only, those that are `further`; of the claim's, those that
    a browser follows.
    """
    claim = result.spec.claim
    key = key_of(claim) if follows_parameters(claim) else ""
    parameters = ENTRIES[key].parameters if key else {}
    own = {f"claim.{name}": how for name, how in parameters.items() if isinstance(how, Control)}
    common = {name: how for name, how in CONTROLS.items() if how.common or name in further}
    return {field: Slider(control) for field, control in {**common, **own}.items()}


def control_html(slider: Slider, naming: Naming) -> str:
    """A slider and its box, whose values the script sets."""
    name, said = slider.control.label, slider.control.help
    # Some explanations begin with the name, which stands before them here.
    label, explained = escaped(naming.renamed(name)), escaped(said.removeprefix(name).lstrip(": "))
    return (
        f'<div class="control"><label><span><b>{label}</b> <small>{explained}</small></span>'
        f'<input type="range" min="0" max="{slider.last}" step="1"></label>'
        f'<input type="text" autocomplete="off" aria-label="{label}, exact value"></div>'
    )
