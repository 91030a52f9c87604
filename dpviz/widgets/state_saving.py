"""What an explorer shows as a state to keep: a dictionary, Python code, a line to hand in."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self

import traitlets

from dpviz.analysis import Attacks
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.analysis.state.recording import recorded
from dpviz.claims.guarantee_state import parsed
from dpviz.data import read_scores
from dpviz.widgets.base.view import View
from dpviz.widgets.panel import PageLayout, Panel
from dpviz.widgets.state.store import Store
from dpviz.widgets.tabs import Tab, tabs_for


class StateSavingMixin(View):
    """A view with a panel of views, in tabs or in another layout."""

    panel: Panel
    tab = traitlets.Unicode(help="name of the tab that is shown")
    question = traitlets.Unicode(help="name of the question that what is shown answers")
    _layout: PageLayout

    @classmethod
    def from_state(
        cls,
        state: dict[str, Any] | str,
        scores: Any = None,
        compare: Mapping[str, Any] = MappingProxyType({}),
    ) -> Self:
        """Return an explorer that shows a saved state, a dictionary of :meth:`state` or its JSON.

        A state of your own scores needs the same `scores`, as :func:`dpviz.read_scores` takes them,
        and those of compared attacks in `compare`, by name; packaged samples are read again.
        ValueError if the state is damaged or of another version, or if the scores differ.
        """
        given = None if scores is None else read_scores(scores)
        read = parsed("state", state)
        page = {}
        if isinstance(read, dict):
            page = {name: read[name] for name in ("layout", "tab") if name in read}
            read = {name: value for name, value in read.items() if name not in page}
        spec, loaded = from_state(read, given, Attacks(compare))
        try:
            return cls(store=Store(loaded, spec), **page)
        except ValueError as error:
            raise ValueError(f"state.{error}") from error

    def state(self) -> dict[str, Any]:
        """Return the state as a small dictionary for JSON, which :meth:`from_state` takes.

        Of your own scores, those of compared attacks too, it has only the number and the SHA-256,
        of a packaged sample the key.
        Results that single views compute on request are not part of it. ValueError if the claim or
        an overlay is of a class that is not in `dpviz.theory.MECHANISMS`.
        """
        shown = {"layout": self.panel.layout, "tab": self.tab or None}
        return state_of(self.store.spec, self.store.scores) | shown

    def code(self, *, scores: str | None = None) -> str:
        """Return Python code that shows the same; it names choices, layout and tab if not default.

        `scores` is the Python expression of your scores, such as
        ``dpviz.read_scores("losses.csv")``; without it, they are three dots to fill in. ValueError
        as :meth:`state`, and if an expression is given but no scores are loaded.
        """
        page: dict[str, Any] = {}
        if not self._has_tabs:
            layout = self.panel.layout
            page["layout"] = layout if isinstance(layout, str) else tuple(layout)
        elif self.tab != next(iter(self._tabs)):
            page["tab"] = self.tab
        return python_code(self.store.spec, self.store.scores, source=scores, **page)

    def answer(self) -> str:
        """Return one line of text that says what is shown, to paste as an answer to `question`.

        It has a checksum, so half a line or an edited number is noticed. Of scores it has only
        the number and the SHA-256, of a packaged sample the key. ValueError as :meth:`state`.
        """
        return recorded(self.store.spec, self.store.scores, question=self.question)

    @property
    def _has_tabs(self) -> bool:
        return self._layout == "tabs"

    @property
    def _tabs(self) -> dict[str, Tab]:
        return tabs_for(has_scores=self.store.scores is not None)
