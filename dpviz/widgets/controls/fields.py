"""Controls of fields of the spec: sliders with boxes for exact numbers, menus, text boxes."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.spec import Control
from dpviz.analysis.state.browser_state import Slider
from dpviz.drawing.layer import Change
from dpviz.number_format import exact
from dpviz.widgets.base.html import Dropdown, Html, IntSlider, Row, Text, css_layout
from dpviz.widgets.state.live import LiveUpdater

ToText = Callable[[float], str]


def dropdown(label: str, options: Iterable[object] = (), **css: str | None) -> Dropdown:
    """Return a labelled menu of texts or pairs (text, value); `css` are CSS properties."""
    return Dropdown(options=list(options), description=label, layout=css_layout(**css))


def text_box(label: str, hint: str, placeholder: str, **css: str | None) -> Text:
    """Return a text box whose value changes when the user presses Enter or leaves the box."""
    texts = {"description": label, "tooltip": hint, "placeholder": placeholder}
    return Text(continuous_update=False, layout=css_layout(**css), **texts)


class InputControl:
    """The base of input controls, which react to values set by the user, not by the program."""

    _is_set_by_program = False

    @contextmanager
    def setting_by_program(self) -> Iterator[None]:
        """Return a context in which values set in widgets do not count as choices of the user."""
        self._is_set_by_program = True
        try:
            yield
        finally:
            self._is_set_by_program = False

    def on_choice(self, widget: ipywidgets.Widget, act: Callable[[Any], None]) -> None:
        """Call `act` with each value that the user chooses; in a text box, also at each Enter."""

        def act_on_value(change: Any) -> None:
            if not self._is_set_by_program:
                act(change["new"])

        def act_on_enter(_box: object, message: dict[str, Any], _buffers: object) -> None:
            if message.get("event") == "submit":
                act(widget.value)

        widget.observe(act_on_value, names="value")
        if isinstance(widget, ipywidgets.Text):
            widget.on_msg(act_on_enter)


class NumberControl(InputControl):
    """A slider and a box for the number `name` of the spec, above an error line."""

    def __init__(self, name: str, control: Control, change: Change) -> None:
        self.name, self._change = name, change
        self._live: LiveUpdater | None = None
        self._steps = Slider(control)
        # The slider has whole steps, because the browser would round floats in another way.
        counted = {"_view_count": 0}  # so that the browser can name each element
        texts = {"description": control.label, "tooltip": control.help}
        last = self._steps.last_step
        self.slider = IntSlider(min=0, max=last, value=0, readout=False, **counted, **texts)
        hint = f"exact value: {control.help}"
        self.box = Text(continuous_update=False, tooltip=hint, **counted)
        self.error = Html(_dom_classes=["dpviz-error-line", "dpviz-error-below"])
        self.widget = Row([self.slider, self.box, self.error], _dom_classes=["dpviz-number"])
        self.on_choice(self.slider, lambda step: self._request_change(self._steps.values[step]))
        self.on_choice(self.box, lambda text: self._request_change(number_or_text(text)))

    def _request_change(self, value: float | str) -> None:
        # Where the browser moves the control, it sends the user's choices by `LiveUpdater.hand`.
        if not self._is_moved_by_browser:
            self._change(**{self.name: value})

    @property
    def _is_moved_by_browser(self) -> bool:
        return self._live is not None and self._live.ready

    def let_browser_move(self, live: LiveUpdater | None, *, owner: object, field: str = "") -> None:
        """Register the control with `live`, if any; a `field` lets the browser set the control."""
        self._live = live if field else None
        if live is not None:
            widgets = {"slider": self.slider, "box": self.box, "error": self.error}
            live.add_control(owner, field, self._steps, self._change, **widgets)

    def update_from(self, result: Result) -> None:
        """Show the value that a result has for the field of this control."""
        self.slider.description = result.naming.renamed(self._steps.control.label)
        self.show_value(result.setting(self.name), editable=result.spec.can_change(self.name))

    def show_value(self, value: float, *, editable: bool = True) -> None:
        """Show a value in the box and the nearest step on the slider; `editable` enables both."""
        if not self._is_moved_by_browser:
            with self.setting_by_program():
                self.slider.value = self._steps.step_of(value)
                self.box.value = exact(value)
                self.slider.disabled = self.box.disabled = not editable


class Menu(InputControl):
    """A drop-down menu for the field `name` of a spec or another object."""

    # Any value other than those of `options` gets a new entry with the text `write(value)`.

    def __init__(
        self, name: str, label: str, options: dict[str, Any], change: Change, write: ToText = exact
    ) -> None:
        self.name, self._options, self._write = name, dict(options), write
        self.widget = dropdown(label, self._options)
        self.on_choice(self.widget, lambda text: change(**{name: self._options[text]}))

    def update_from(self, controlled_object: object) -> None:
        """Set the menu to the value that its field has in an object, such as a spec."""
        value = getattr(controlled_object, self.name)
        with self.setting_by_program():
            if value not in self._options.values():
                self._options[self._write(value)] = value
                self.widget.options = list(self._options)
            self.widget.value = next(t for t, v in self._options.items() if v == value)


class NumberBox(InputControl):
    """A text box for the number in the field `name`; `none_text` in grey stands for None."""

    def __init__(
        self, name: str, label: str, hint: str, change: Change, *, none_text: str = "none"
    ) -> None:
        self.name = name
        self.widget = text_box(label, hint, none_text)
        self.on_choice(
            self.widget,
            lambda text: change(**{name: number_or_text(text.strip()) if text.strip() else None}),
        )

    def update_from(self, controlled_object: object) -> None:
        """Show the value of the box's field in an object such as a spec."""
        self.show_value(getattr(controlled_object, self.name))

    def show_value(self, value: float | None) -> None:
        """Show a number; None empties the box."""
        with self.setting_by_program():
            self.widget.value = "" if value is None else exact(value)


class TextBox(InputControl):
    """A text box of full width; `change` is called with the text that the user has typed."""

    def __init__(self, label: str, explanation: str, change: Callable[[str], None]) -> None:
        self.box = text_box(label, explanation, explanation, width="100%")
        self.widget = ipywidgets.HBox([self.box], layout=ipywidgets.Layout(width="100%"))
        self.on_choice(self.box, change)

    def show_text(self, text: str) -> None:
        """Show a text in the box."""
        with self.setting_by_program():
            self.box.value = text
