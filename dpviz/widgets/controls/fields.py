"""Controls made from the spec's field metadata: a slider with an exact box beside it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets

from dpviz.analysis import Control, Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.state.browser_state import Slider
from dpviz.drawing.layer import Change
from dpviz.number_format import exact
from dpviz.widgets.base.html import Dropdown, Html, IntSlider, Row, Text, layout
from dpviz.widgets.state.live import BrowserState


def dropdown(label: str, options: Iterable[object] = (), **rules: str | None) -> Dropdown:
    """Return a labelled drop-down; options are texts, or (text, value)."""
    return Dropdown(options=list(options), description=label, layout=layout(**rules))


def text_box(label: str, hint: str, placeholder: str, **rules: str | None) -> Text:
    """Return a labelled box whose value changes when the user has finished."""
    return Text(
        continuous_update=False,
        description=label,
        tooltip=hint,
        placeholder=placeholder,
        layout=layout(**rules),
    )


class Field:
    """Widgets whose value either the user chooses or `following` sets."""

    _following = False

    @contextmanager
    def following(self) -> Iterator[None]:
        """Context in which values are set without a request."""
        self._following = True
        try:
            yield
        finally:
            self._following = False

    def on_choice(self, widget: ipywidgets.Widget, act: Callable[[Any], None]) -> None:
        """Call `act` with each value that the user chooses, or enters again after an error."""

        def chosen(change: Any) -> None:
            if not self._following:
                act(change["new"])

        def entered(_box: object, message: dict[str, Any], _buffers: object) -> None:
            if message.get("event") == "submit":
                act(widget.value)

        widget.observe(chosen, names="value")
        if isinstance(widget, ipywidgets.Text):
            widget.on_msg(entered)


class NumberControl(Field):
    """A slider for the field `name`, in the scale of `control`, and a box for exact values.

    `change`, such as :meth:`View.change`, requests a change of the spec. Why a value was rejected
    stands in `error`, under the control, and shifts nothing. With `has_slider` False only the box
    is shown.
    """

    def __init__(
        self, name: str, control: Control, change: Change, *, has_slider: bool = True
    ) -> None:
        self.name, self._change = name, change
        self._live: BrowserState | None = None
        self._steps = Slider(control)
        # Whole steps: a slider of floats comes back from the browser with other roundings.
        self.slider = IntSlider(
            min=0,
            max=self._steps.last,
            value=0,
            _view_count=0,  # counted, so that the browser can name each element
            readout=False,
            description=control.label,
            tooltip=control.help,
        )
        self.box = Text(
            continuous_update=False,
            _view_count=0,
            description="" if has_slider else control.label,
            tooltip=f"exact value: {control.help}",
        )
        self.error = Html(_dom_classes=["dpviz-error-line", "dpviz-error-below"])
        shown = [self.slider, self.box] if has_slider else [self.box]
        self._named = shown[0]  # has the label
        self.widget = Row([*shown, self.error], _dom_classes=["dpviz-number"])
        self.on_choice(self.slider, lambda step: self._request(self._steps.values[step]))
        self.on_choice(self.box, lambda text: self._request(number_or_text(text)))

    def _request(self, value: float | str) -> None:
        # Once the browser moves it, requests come by `BrowserState.hand`. What its slider sends
        # besides, such as the nearest step when it leaves the page, nobody chose.
        if not self._is_live:
            self._change(**{self.name: value})

    @property
    def _is_live(self) -> bool:
        return self._live is not None and self._live.ready

    def hand_over(self, live: BrowserState | None, *, owner: object, field: str = "") -> None:
        """Let the browser name it, and move it as soon as it is ready: see :class:`BrowserState`.

        Without a field of the spec it is named only.
        """
        self._live = live if field else None
        if live is not None:
            widgets = {"slider": self.slider, "box": self.box, "error": self.error}
            live.add_control(owner, field, self._steps, ask=self._change, **widgets)

    def follow(self, result: Result) -> None:
        """Show the number in use for the field."""
        self._named.description = result.naming.renamed(self._steps.control.label)
        self.show(result.number(self.name), editable=result.spec.can_change(self.name))

    def show(self, value: float, *, editable: bool = True) -> None:
        """Show a value; the slider stands at its end where the value is beyond it."""
        if not self._is_live:
            with self.following():
                self.slider.value = self._steps.step_of(value)
                self.box.value = exact(value)
                self.slider.disabled = self.box.disabled = not editable


class Menu(Field):
    """A drop-down for the field `name` of a spec or another object.

    `options` maps texts to values; further values, which are numbers, are added as `write` says
    them when they are to be shown.
    """

    def __init__(
        self,
        name: str,
        label: str,
        options: dict[str, Any],
        change: Change,
        *,
        write: Callable[[float], str] = exact,
    ) -> None:
        self.name, self._options, self._write = name, dict(options), write
        self.widget = dropdown(label, self._options)
        self.on_choice(self.widget, lambda text: change(**{name: self._options[text]}))

    def follow(self, chosen: object) -> None:
        """Show the value that an object has in this field."""
        value = getattr(chosen, self.name)
        with self.following():
            # A value without an entry, such as one from Python, becomes a further entry.
            if value not in self._options.values():
                self._options[self._write(value)] = value
                self.widget.options = list(self._options)
            self.widget.value = next(t for t, v in self._options.items() if v == value)


class OptionalBox(Field):
    """A box for the field `name`, a number or None; None is an empty box, which shows `empty`."""

    def __init__(
        self, name: str, label: str, hint: str, change: Change, *, empty: str = "none"
    ) -> None:
        self.name = name
        self.widget = text_box(label, hint, empty)
        self.on_choice(
            self.widget,
            lambda text: change(**{name: number_or_text(text.strip()) if text.strip() else None}),
        )

    def follow(self, chosen: object) -> None:
        """Show the value that an object has in this field."""
        self.show(getattr(chosen, self.name))

    def show(self, value: float | None) -> None:
        """Show a number, or an empty box."""
        with self.following():
            self.widget.value = "" if value is None else exact(value)


class TextBox(Field):
    """A box of full width for any text, which `change` gets."""

    def __init__(self, label: str, explanation: str, change: Callable[[str], None]) -> None:
        self.box = text_box(label, explanation, explanation, width="100%")
        self.widget = ipywidgets.HBox([self.box], layout=ipywidgets.Layout(width="100%"))
        self.on_choice(self.box, change)

    def show(self, text: str) -> None:
        """Show a text."""
        with self.following():
            self.box.value = text
