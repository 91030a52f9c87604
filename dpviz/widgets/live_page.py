"""A widget that shows the page of `save_html` and has a kernel; its script is `js/src/page/`."""

from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

import anywidget
import traitlets

from dpviz import checks
from dpviz.analysis import Result, Spec
from dpviz.analysis.claims.menu import fields_with_parameters
from dpviz.analysis.spec import NUMBER_FIELDS, SETTINGS
from dpviz.analysis.state.browser_state import json_number, numeric_parameters
from dpviz.analysis.topics.registry import SCENES, text_names
from dpviz.analysis.words import typed_value_error_text
from dpviz.data import read_scores
from dpviz.pictures.page import SavedPicture, css_hiding_static, static_bundle, widget_html_and_data
from dpviz.widgets.base import notebook_output as notebook
from dpviz.widgets.base.html import script_text
from dpviz.widgets.base.spec_traits import HasSpecTraits, SpecFieldTrait
from dpviz.widgets.browser_input import WIDGET_LOCK, ThreadSafeWidget, change_request
from dpviz.widgets.state.store import Store

DEFAULT_PICTURES = ("region", "tradeoff", "tail", "risk")


class LivePage(ThreadSafeWidget, anywidget.AnyWidget, HasSpecTraits):
    """One widget with the answer, sliders and pictures, for pages where bqplot cannot be used.

    For front ends that show single widgets only, such as marimo; in Jupyter,
    :func:`dpviz.explore` shows more. It has the traits of the explorer, and the browser draws the
    same closed forms at once. Everything else is redrawn when the user lets go of a control.
    The audit is computed before the page is shown, which takes seconds for many records.
    ValueError if a name is unknown, a number leaves its range, or the scores cannot be read.

    Parameters
    ----------
    scores : as :func:`dpviz.read_scores` takes them; by default the page shows the claim alone
    pictures : sequence of str, in `dpviz.analysis.topics.registry.SCENES`; empty ones are left out
    **spec : fields of :class:`dpviz.analysis.Spec`, and `epsilon`

    Examples
    --------
    >>> from dpviz.widgets import LivePage
    >>> page = LivePage(epsilon=1.0)
    >>> page.delta = 1e-3
    >>> page.result.sentences["profile"]
    'This guarantee gives ε = 1 at δ = 0.001.'
    """

    _esm = script_text("page")
    __repr__ = HasSpecTraits.__repr__
    page = traitlets.Dict(help="what is shown, number of the last change request").tag(sync=True)
    hand = traitlets.Dict(help="changes that the user requests").tag(sync=True, echo_update=False)
    for name in NUMBER_FIELDS:
        number = SpecFieldTrait(help=SETTINGS[name].help)
        vars()[name] = number.tag(sync=True, to_json=lambda value, _: json_number(value))
    del name, number

    def __init__(
        self, scores: Any = None, *, pictures: Sequence[str] = DEFAULT_PICTURES, **spec: Any
    ) -> None:
        self._scenes = {checks.choice("pictures", name, SCENES): SCENES[name] for name in pictures}
        self.store = Store(None if scores is None else read_scores(scores), Spec.of(**spec))
        self._answers, self._error = 0, ""
        self._compute_audit()
        key = uuid4().hex
        self._css = css_hiding_static(key)
        page, hand = self._page_trait_value(), {"serial": 0, "changes": {}}
        # Widgets with one id of anywidget have one style sheet, of which the last one would count.
        super().__init__(hand=hand, page=page, model_id=key, _anywidget_id=f"dpviz-page-{key}")
        self.store.subscribe(follow=self._update_page)
        self.is_made = True

    def _ipython_display_(self) -> None:
        """Show the widget, then its static picture, which follows changes."""
        bundle, metadata = cast(tuple[dict[str, Any], Any], self._repr_mimebundle_())
        text = "\n".join(self._headline_sentences())
        if notebook.show_widget(self, {**bundle, "text/plain": text}, metadata=metadata):
            notebook.StaticOutput(self, self.store, self._static_mime_bundle)

    def _static_mime_bundle(self) -> dict[str, str]:
        """Return the static picture as a MIME bundle, for a page without widgets."""
        shown = [name for name, scene in self._scenes.items() if not scene.is_empty(self.result)]
        svg = self.result.svg(*shown) if shown else ""
        alt = "\n".join(self._scenes[name].title_of(self.result) for name in shown)
        return static_bundle(self.model_id, headline=self._headline_sentences(), svg=svg, alt=alt)

    def _headline_sentences(self) -> list[str]:
        sentences = self.result.sentences
        return [text for name in ("answer", "answer_detail") if (text := sentences[name])]

    @property
    def result(self) -> Result:
        """The result that the page shows."""
        return self.store.result

    def show_error(self, message: str, field: str = "") -> None:
        """Show on the page why a change was rejected.

        All fields share one error line.
        """
        if message != self._error:
            self._error = message
            self.page = self._page_trait_value()

    def _compute_audit(self) -> None:
        self._audited = self.store.spec
        if self.store.scores is not None:
            self.store.prepare_audit(self.store.spec)
            self.store.refresh()

    def _update_page(self) -> None:
        self.set_traits_from_spec()
        if self.store.scores is not None and self._audited != self.store.spec:
            self._compute_audit()  # refreshes the store, which calls this method again
        else:
            self.page = self._page_trait_value()

    def _page_trait_value(self) -> dict[str, Any]:
        """Return the value of `page`: HTML, script data, number of the last change request."""
        sentences = self.result.sentences
        pictures = [
            SavedPicture(scene, self.result, name, [sentences[n] for n in text_names(scene)[:1]])
            for name, scene in self._scenes.items()
            if not scene.is_empty(self.result)
        ]
        html, script = widget_html_and_data(self.result, pictures, error=self._error)
        return {"html": html, "script": script, "answers": self._answers}

    @traitlets.observe("hand")
    def _make_requested_changes(self, change: Any) -> None:
        """Make the changes that the user requests in the browser; an error is shown on the page."""
        request = change_request(change["new"])
        with WIDGET_LOCK, self.hold_sync():
            if request.serial <= self._answers:
                return
            self._answers, self._error = request.serial, ""
            numbers = {name: each for of in request.changes.values() for name, each in of.items()}
            try:
                self._change_numbers(numbers)
            except ValueError as error:
                self._error = typed_value_error_text(error)
            if self._error or self.page["answers"] < self._answers:
                self.page = self._page_trait_value()

    def _change_numbers(self, numbers: dict[str, float | None]) -> None:
        """Set fields of the spec, and parameters of the claim such as "claim.mu", to `numbers`."""
        of_claim = {f"claim.{name}": name for name in numeric_parameters(self.store.spec.claim)}
        for name in numbers:
            checks.choice("field", name, (*NUMBER_FIELDS, *of_claim))
        changes: dict[str, Any] = {name: numbers[name] for name in NUMBER_FIELDS if name in numbers}
        parameters = {name: numbers[key] for key, name in of_claim.items() if key in numbers}
        if parameters:
            changes |= fields_with_parameters(self.store.spec, **parameters)
        self.store.update(**changes)
