"""Widgets that cost the browser little: no models for layout and style, opened when referred to."""

from typing import Any

import ipywidgets
import traitlets
from typing_extensions import override


class Plain(ipywidgets.DOMWidget):
    """A widget whose layout and style are None unless they are given: the style sheet has them.

    Each layout and each style is a model of its own, with a view for every element. Without them
    an explorer opens a third fewer models.

    The browser hears of the widget when something that it knows refers to it, or a cell shows it.
    By then its view has been drawn, and one message says all; of each model and message a reader
    waits for about two milliseconds.
    """

    layout = traitlets.Any(None).tag(sync=True, **ipywidgets.widget_serialization)
    style = traitlets.Any(None).tag(sync=True, **ipywidgets.widget_serialization)
    is_hidden = traitlets.Bool(help="whether the style sheet keeps it off the page")
    _is_known = False

    @property
    def is_closed(self) -> bool:
        """Whether the widget was closed; without a comm it may be one that is not known yet."""
        return self._is_known and self.comm is None

    @traitlets.observe("is_hidden")
    def _hide(self, change: Any) -> None:
        (self.add_class if change["new"] else self.remove_class)("dpviz-hidden")

    @override
    def open(self) -> None:
        if self._is_known:
            super().open()

    @override
    def close(self) -> None:
        self._is_known = True  # no reference opens it again
        super().close()

    @property
    @override
    def model_id(self) -> str:
        if not self._is_known:
            self._is_known = True
            self.open()
        return super().model_id

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        _ = self.model_id  # what a cell shows is referred to
        return super()._repr_mimebundle_(**kwargs)
