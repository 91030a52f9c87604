"""Controls made from the spec's field metadata: a slider with an exact box beside it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import ipywidgets

from dpviz.analysis import Control, Spec
from dpviz.analysis.claim_parameters import number_or_text
from dpviz.analysis.slider import Slider
from dpviz.analysis.wording import exact
from dpviz.pictures.layer import Change

if TYPE_CHECKING:
    from dpviz.widgets.live import Live


class NumberControl:
    """A slider in the scale of its field, and a box that takes any legal value.

    Parameters
    ----------
    name : str
        A field of the spec.
    control : Control
        How it is shown.
    change : callable
        Asks the store for a change; refusals are its business.
    """

    def __init__(self, name: str, control: Control, change: Change) -> None:
        self.name, self._change = name, change
        self._following = False
        self._live: Live | None = None
        self._steps = Slider(control)
        # Whole steps: a slider of floats comes back from the browser with other roundings.
        self.slider = ipywidgets.IntSlider(
            min=0,
            max=self._steps.last,
            value=0,
            _view_count=0,  # counted, so that the browser can name each element
            readout=False,
            description=control.label,
            tooltip=control.help,
            style={"description_width": "4.5em"},
            layout=ipywidgets.Layout(flex="1 1 auto", width="auto", min_width="140px"),
        )
        self.box = ipywidgets.Text(
            continuous_update=False,
            _view_count=0,
            tooltip=f"exact value: {control.help}",
            layout=ipywidgets.Layout(width="6.5em", flex="0 0 auto"),
        )
        self.widget = ipywidgets.HBox(
            [self.slider, self.box], layout=ipywidgets.Layout(width="100%")
        )
        self.slider.observe(self._slid, names="value")
        self.box.observe(self._typed, names="value")

    def hand_over(
        self, live: "Live | None", *, owner: object, field: str, error: ipywidgets.HTML
    ) -> None:
        """Let the browser move it from now on, as soon as it is ready: see :class:`Live`."""
        self._live = live
        if live is not None:
            live.add_control(
                owner,
                field,
                self._steps,
                slider=self.slider,
                box=self.box,
                error=error,
                ask=self._change,
            )

    def follow(self, spec: Spec) -> None:
        """Show what the spec says."""
        self.show(float(getattr(spec, self.name)), editable=spec.can_change(self.name))

    def show(self, value: float, *, editable: bool = True) -> None:
        """Show a value; one beyond the slider's range stands at its end."""
        if self._live is not None and self._live.ready:
            return
        self._following = True
        try:
            self.slider.value = self._steps.step_of(value)
            self.box.value = exact(value)
            self.slider.disabled = self.box.disabled = not editable
        finally:
            self._following = False

    def _slid(self, change: Any) -> None:
        if not self._following:
            self._change(**{self.name: self._steps.value_at(change["new"])})

    def _typed(self, change: Any) -> None:
        if not self._following:
            self._change(**{self.name: number_or_text(change["new"])})


class Menu:
    """A drop-down for a field with few values.

    Parameters
    ----------
    name, label : str
        A field of the spec (or of another frozen value), and what to call it.
    options : dict
        Text to value; a value that is not among them is added when the spec says it.
    change : callable
        Asks the store for a change.
    """

    def __init__(self, name: str, label: str, options: dict[str, Any], change: Change) -> None:
        self.name, self._options, self._change = name, dict(options), change
        self._following = False
        self.widget = ipywidgets.Dropdown(
            options=list(self._options),
            description=label,
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="auto", max_width="calc(100% - 4px)"),
        )
        self.widget.observe(self._picked, names="value")

    def follow(self, chosen: object) -> None:
        """Show what a spec, or whatever else has the field, says."""
        value = getattr(chosen, self.name)
        self._following = True
        try:
            if value not in self._options.values():
                self._options[exact(value)] = value  # every other choice is a number
                self.widget.options = list(self._options)
            self.widget.value = next(t for t, v in self._options.items() if v == value)
        finally:
            self._following = False

    def _picked(self, change: Any) -> None:
        if not self._following:
            self._change(**{self.name: self._options[change["new"]]})


class OptionalBox:
    """A box for a number that may be left out: empty is None.

    Parameters
    ----------
    name, label, hint : str
        A field, what to call it, and what to know before typing.
    change : callable
        Asks for a change; refusals are its business.
    """

    def __init__(self, name: str, label: str, hint: str, change: Change) -> None:
        self.name, self._change = name, change
        self._following = False
        self.widget = ipywidgets.Text(
            continuous_update=False,
            description=label,
            placeholder="none",
            tooltip=hint,
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="auto", max_width="calc(100% - 4px)"),
        )
        self.widget.observe(self._typed, names="value")

    def follow(self, chosen: object) -> None:
        """Show what the field says."""
        value = getattr(chosen, self.name)
        self._following = True
        try:
            self.widget.value = "" if value is None else exact(value)
        finally:
            self._following = False

    def _typed(self, change: Any) -> None:
        if not self._following:
            text = change["new"].strip()
            self._change(**{self.name: number_or_text(text) if text else None})


class TextBox:
    """A box with a label for anything that is typed.

    Parameters
    ----------
    label, explanation : str
    change : callable
        Gets the text; refusals are its business.
    """

    def __init__(self, label: str, explanation: str, change: Callable[[str], None]) -> None:
        self._change = change
        self._following = False
        self.box = ipywidgets.Text(
            continuous_update=False,
            description=label,
            tooltip=explanation,
            placeholder=explanation,
            style={"description_width": "initial"},
            layout=ipywidgets.Layout(width="100%"),
        )
        self.widget = ipywidgets.HBox([self.box], layout=ipywidgets.Layout(width="100%"))
        self.box.observe(self._typed, names="value")

    def show(self, text: str) -> None:
        """Show a text."""
        self._following = True
        try:
            self.box.value = text
        finally:
            self._following = False

    def _typed(self, change: Any) -> None:
        if not self._following:
            self._change(change["new"])
