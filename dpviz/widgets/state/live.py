"""Controls and pictures that the browser moves without Python, by `js/src/live/index.ts`."""

from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import anywidget
import ipywidgets
import traitlets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.spec import NUMBER_FIELDS
from dpviz.analysis.state import browser_state
from dpviz.analysis.state.browser_state import SENTENCES, Slider, closed_form_state, text_templates
from dpviz.drawing.layer import Change, Layer
from dpviz.drawing.marks import Handle, is_avoided_by_labels, label_order
from dpviz.drawing.theme import css_color, text_color
from dpviz.widgets.browser_input import WIDGET_LOCK, ThreadSafeWidget, change_request

if TYPE_CHECKING:
    from dpviz.widgets.plot_frame import PlotFrame, PlotMark

# The keys of `closed_form_state` that are not number fields of the spec.
STATE_FIELDS = ("claim", "fixed", "measured", "ruler", "answer", "tails")
SCRIPT_FILE = Path(__file__).parents[2] / "static" / "live.js"


class BrowserElement(NamedTuple):
    """A control, picture or sentence in the browser, with widgets that the browser updates."""

    owner: object
    trait_name: str  # "controls", "pictures" or "texts"
    description: dict[str, Any]
    drawn: tuple[ipywidgets.Widget, ...] = ()
    errors: tuple[ipywidgets.Widget, ...] = ()


class LiveUpdater(ThreadSafeWidget, anywidget.AnyWidget):
    """The controls, closed-form layers and sentences that the browser updates without Python."""

    # Until the browser is `ready`, and for claims without a closed form, Python updates all of
    # them. An owner, such as a view, adds and removes them.

    # As text: anywidget keeps every widget of a file for as long as it watches the file.
    _esm = SCRIPT_FILE.read_text(encoding="utf-8") if SCRIPT_FILE.is_file() else ""
    answers = traitlets.Int(help="serial number of the last processed request").tag(sync=True)
    for name in (*NUMBER_FIELDS, *STATE_FIELDS):
        vars()[name] = traitlets.Any(help="as in closed_form_state").tag(sync=True)
    del name
    hand = traitlets.Dict(help="changes that the user requests").tag(sync=True, echo_update=False)
    ready = traitlets.Bool(help="whether the browser draws").tag(sync=True, echo_update=False)
    calm = traitlets.Bool(help="whether the reader's system prefers reduced motion").tag(
        sync=True, echo_update=False
    )
    words = traitlets.Dict(help="sentences with slots").tag(sync=True)
    controls: "traitlets.List[Any]" = traitlets.List(help="sliders with their boxes").tag(sync=True)
    pictures: "traitlets.List[Any]" = traitlets.List(help="figures and layers").tag(sync=True)
    texts: "traitlets.List[Any]" = traitlets.List(help="sentences by their names").tag(sync=True)

    def __init__(self, result: Result) -> None:
        self._was_drawing = self._is_asking = False
        self._shown = _spec_and_attack(result)
        self._keys = map(str, count())
        self._askers: dict[str, tuple[Change, tuple[str, ...]]] = {}  # with its fields
        self._owned: list[BrowserElement] = []
        hand = {"serial": 0, "changes": {}}
        super().__init__(**closed_form_state(result), words=text_templates(result), hand=hand)

    def draws_closed_forms(self, result: Result) -> bool:
        """Return whether the browser, not Python, draws the closed-form layers of a result."""
        return self.ready and browser_state.has_closed_form(result.spec.claim)

    def send_result(self, result: Result) -> None:
        """Send a result to the browser once Python has drawn the layers that only Python draws."""
        with self.hold_sync():
            for name, value in closed_form_state(result).items():
                setattr(self, name, value)
            self.words = text_templates(result)
        browser_draws = self.draws_closed_forms(result)
        if self._was_drawing and not browser_draws:
            for entry in self._owned:
                # The browser drew these widgets, so that equal values are sent, too.
                for widget in entry.drawn:
                    widget.send_state()
        self._was_drawing = browser_draws
        before, self._shown = self._shown, _spec_and_attack(result)
        is_news = any(new is not old for new, old in zip(self._shown, before, strict=True))
        # The errors that the browser shows are about an earlier state.
        if self.ready and is_news and not self._is_asking:
            for error in {error for entry in self._owned for error in entry.errors}:
                error.send_state(("value",))

    def add_control(
        self, owner: object, field: str, steps: Slider, change: Change, **widgets: ipywidgets.Widget
    ) -> None:
        """Let the browser move a control (slider, box, error line) over the values of `steps`."""
        # For the `field` "" Python alone moves it. `change` gets the value that the user chooses.
        key = self._new_request_key(change, (field,) if field else ())
        # The name that is heard begins with the name that is seen, by which voice control finds it.
        name = f"{steps.control.label}: {steps.control.explanation}"
        label = {"key": key, "label": name}
        shown = {name: _widget_ref(widget) for name, widget in widgets.items()}
        description = {**label, **shown, **steps.as_json(field)}
        errors = (widgets["error"],)
        self._add_element(BrowserElement(owner, "controls", description, errors=errors))

    def add_picture(
        self, owner: object, label: str, frame: "PlotFrame", layers: list[Layer], change: Change
    ) -> None:
        """Let the browser draw a figure's closed-form layers; screen readers read `label`."""
        # The closed-form layers with their marks, by which the script finds the widgets.
        shown: list[dict[str, Any]] = []
        drawn = [widget for _, *both in frame.axes.values() for widget in both]
        for layer in layers:
            if layer.closed_form:
                each = cast("dict[str, PlotMark]", layer.marks_by_name())
                marks = {r: m.mark for r, m in each.items() if not m.is_kept_hidden}
                drawn += marks.values()
                name = type(layer).__name__
                shown.append({"name": name, "marks": {r: _widget_ref(m) for r, m in marks.items()}})
        axes: dict[str, Any] = {}
        for name, (axis, scale, shown_axis) in frame.axes.items():
            axes[name] = {"kind": axis.spec.scale, "rate": axis.spec.is_rate}
            axes[name] |= {"scale": _widget_ref(scale), "axis": _widget_ref(shown_axis)}
        # A figure that is described again, as after "More marks", replaces itself.
        reference = _widget_ref(frame.figure)
        before = next((e for e in self._owned if e.description.get("figure") == reference), None)
        key = before.description["key"] if before else self._new_request_key(change, NUMBER_FIELDS)
        figure = {"key": key, "figure": reference, "label": label}
        # The browser places the labels in turn, as it knows the size of the figure.
        labels = [
            {
                "mark": _widget_ref(mark.mark),
                "text": frame.script_label_of(mark.of),
                "kind": mark.of.path_kind,
                "gap": mark.of.label_gap,
                "color": css_color(text_color(mark.of.color)),
                "drag": (mark.of.only or "both") if isinstance(mark.of, Handle) else "",
            }
            for mark in sorted(frame.created_marks, key=lambda drawn: label_order(drawn.of))
            if is_avoided_by_labels(mark.of)
        ]
        description = {**figure, **axes, "layers": shown, "labels": labels}
        self._add_element(BrowserElement(owner, "pictures", description, tuple(drawn)), before)

    def add_text_widget(self, owner: object, name: str, widget: ipywidgets.Widget) -> None:
        """Let the browser write the sentence or note called `name` in `widget`."""
        drawn = (widget,) if name in SENTENCES else ()
        description = {"name": name, "model": _widget_ref(widget)}
        self._add_element(BrowserElement(owner, "texts", description, drawn))

    def remove_elements_of(self, owner: object) -> None:
        """Remove all controls, pictures and texts that an owner has added."""
        with WIDGET_LOCK:
            for entry in (each for each in self._owned if each.owner is owner):
                self._askers.pop(entry.description.get("key", ""), None)
            self._owned = [entry for entry in self._owned if entry.owner is not owner]
            for trait_name in ("controls", "pictures", "texts"):
                self._send_elements(trait_name)

    def _add_element(self, new: BrowserElement, replaced: BrowserElement | None = None) -> None:
        with WIDGET_LOCK:
            if replaced is None:
                self._owned.append(new)
            else:
                self._owned = [new if each is replaced else each for each in self._owned]
            self._send_elements(new.trait_name)

    def _send_elements(self, trait_name: str) -> None:
        entries = (entry for entry in self._owned if entry.trait_name == trait_name)
        setattr(self, trait_name, [entry.description for entry in entries])

    def _new_request_key(self, change: Change, fields: tuple[str, ...]) -> str:
        """Return the key under which the browser may request a change of these fields."""
        key = next(self._keys)
        self._askers[key] = change, fields
        return key

    @traitlets.observe("hand")
    def _make_requested_changes(self, change: Any) -> None:
        """Make the changes that a message of the browser requests, unless they were made before."""
        request = change_request(change["new"])
        with WIDGET_LOCK, self.hold_sync():
            if request.serial <= self.answers:
                return
            # Names become those of attributes, so each element has a fixed list of them.
            for key, changes in request.changes.items():
                for name in changes if key in self._askers else ():
                    checks.choice("field", name, self._askers[key][1])
            self.answers = request.serial
            self._is_asking = True
            try:
                for key, changes in request.changes.items():
                    if key in self._askers:  # its owner may be gone
                        fields = {name.removeprefix("claim."): v for name, v in changes.items()}
                        self._askers[key][0](**fields)
            finally:
                self._is_asking = False


def _spec_and_attack(result: Result) -> tuple[object, object]:
    """Return a result's spec and attack, of which every change replaces at least one."""
    return result.spec, result.sample and result.sample.attack


def _widget_ref(widget: ipywidgets.Widget) -> str:
    return f"IPY_MODEL_{widget.model_id}"
