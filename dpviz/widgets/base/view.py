"""A view: a frame, a list of layers, its sentences and its error line."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from html import escape
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result, Spec
from dpviz.analysis.closed_form import SENTENCES
from dpviz.analysis.words import WORDS
from dpviz.data import read_scores
from dpviz.pictures.scene import Scene
from dpviz.widgets.figures import style
from dpviz.widgets.picture import Picture
from dpviz.widgets.saving import Saving
from dpviz.widgets.spec_traits import SpecTraits
from dpviz.widgets.store import Store


class View(Saving, ipywidgets.VBox, SpecTraits):
    """What all views share: it displays itself and has the spec as traits.

    Parameters
    ----------
    store : Store, optional
        The state to show; views with the same store are linked. Left out: a store of its own.
    scores : optional
        Scores for a store of its own: whatever :func:`dpviz.read_scores` takes.
    **spec
        Fields of :class:`dpviz.analysis.Spec` and `epsilon` for a store of its own.

    Attributes
    ----------
    pictures : list of Picture
        The figures, each with its frame and its layers.
    """

    pictures: list[Picture]
    is_wide: ClassVar[bool] = False
    """Whether it takes the whole width of an explorer."""
    late: ClassVar[str] = "late"
    """When it waits for the kernel after a change: always, or with scores only ("late.scores")."""

    def __init__(self, *, store: Store | None = None, scores: Any = None, **spec: Any) -> None:
        if store is not None and (scores is not None or spec):
            raise ValueError(
                f"store must be given alone, got also {sorted(spec) or ['scores']!r}: "
                "a shared store has its own scores and spec"
            )
        if store is None:
            loaded = None if scores is None else read_scores(scores)
            store = Store(loaded, Spec.of(**spec))
        self.store = store
        self._error_text = ""
        self._shown_state: tuple[object, object] = (None, None)
        self.error_line = ipywidgets.HTML(layout=ipywidgets.Layout(display="none"))
        # The browser's half takes this away at once; the style shows it after some seconds.
        self.late_line = ipywidgets.HTML(block("dpviz-slow", WORDS["slow"]))
        self.late_line.add_class("dpviz-late")
        super().__init__(layout=ipywidgets.Layout(min_width="0", overflow="hidden"))
        if self.is_wide:  # ipywidgets loses a grid_column when it clears grid_area
            self.layout.grid_area = "auto / 1 / auto / -1"
        self.add_class("dpviz")
        self.add_class(f"dpviz-{type(self).__name__}")
        with store.live.hold_sync() if store.live is not None else nullcontext():
            self.children = [style(), *self.contents()]
            if store.live is not None:
                store.live.add_text(self, self.late, self.late_line)
        self.observe(self._let_go, names="comm")
        self.store.subscribe(self._draw, self.follow_spec)

    @property
    def result(self) -> Result:
        """What the view shows."""
        return self.store.result

    @property
    def error(self) -> str:
        """The text of the error line; empty when the last change made here was legal."""
        return self._error_text

    def contents(self) -> list[ipywidgets.Widget]:
        """What the view is made of, built once; `error_line` among it."""
        raise NotImplementedError

    def draw(self, result: Result) -> None:
        """Bring what the view shows up to date."""
        raise NotImplementedError

    def is_wanted(self, result: Result) -> bool:
        """Whether an explorer of this result shows it."""
        return True

    def heading(self, title: str) -> ipywidgets.HBox:
        """The title, and room for the words that something waits for the kernel."""
        layout = ipywidgets.Layout(flex_flow="row wrap", justify_content="space-between")
        return ipywidgets.HBox(
            [ipywidgets.HTML(block("dpviz-title", title)), self.late_line], layout=layout
        )

    def show_error(self, message: str) -> None:
        """Say what was refused in one line; the picture stays."""
        self._error_text = message
        self.error_line.value = block("dpviz-error", message, role="alert") if message else ""
        self.error_line.layout.display = None if message else "none"

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Around whatever the browser may ask for: a refusal becomes the error line."""
        self.show_error("")
        try:
            yield
        except (ValueError, OSError, ImportError) as error:
            self.show_error(str(error))
        except Exception as error:
            self.show_error(f"{type(error).__name__}: {error}")
            raise

    def change(self, **changes: Any) -> None:
        """Ask the store for a change on behalf of the user's hand."""
        with self.guarded():
            self.store.update(**changes)

    def _let_go(self, _change: object) -> None:
        if self.comm is None:  # closed: nobody looks on
            self.store.unsubscribe(self._draw, self.follow_spec)
            if self.store.live is not None:
                self.store.live.forget(self)

    def _draw(self, result: Result) -> None:
        shown = (result.spec, self.store.scores)
        if any(new is not old for new, old in zip(shown, self._shown_state, strict=True)):
            self.show_error("")  # what was worked out meanwhile is no answer to it
        self._shown_state = shown
        self.draw(result)


class FigureView(View):
    """A view with one figure: subclasses say its scene, and what controls it has of its own."""

    def scene(self) -> Scene:
        """Axes, layers and sentences of the figure; asked for once."""
        raise NotImplementedError

    def extras(self) -> list[ipywidgets.Widget]:
        """Controls that belong to this view only."""
        return []

    def contents(self) -> list[ipywidgets.Widget]:
        """Title, error line, figure, sentences, controls of its own."""
        scene = self.scene()
        self.pictures = [Picture(scene, self)]
        self._texts = {name: ipywidgets.HTML() for name in scene.sentences}
        if self.store.live is not None:
            for name in set(SENTENCES).intersection(scene.sentences):
                self.store.live.add_text(self, name, self._texts[name])
        return [
            self.heading(scene.title),
            self.error_line,
            self.pictures[0].widget,
            *self._texts.values(),
            *self.extras(),
        ]

    def draw(self, result: Result) -> None:
        """Draw the layers whose parts changed, and write the sentences."""
        for picture in self.pictures:
            picture.draw(result)
        live = self.store.live
        is_live = live is not None and live.draws(result)
        for name, text in self._texts.items():
            if is_live and name in SENTENCES and text.value:
                continue
            said = result.sentences[name]
            text.value = block(f"dpviz-sentence dpviz-{name}", said, role="status") if said else ""


def block(css_class: str, text: str, *, role: str = "") -> str:
    """Text as a block of HTML; the text is data and is escaped."""
    roles = f' role="{role}" aria-live="polite"' if role else ""
    return f'<div class="{css_class}"{roles}>{escape(text)}</div>'


def html_table(caption: str, head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Texts as a table of HTML; they are data and are escaped."""
    heads = "".join(
        f'<th scope="col">{escape(text)}</th>' if text else "<td></td>" for text in head
    )
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(text)}</td>' for text in row)}</tr>" for row in rows
    )
    return (
        '<div class="dpviz-table" role="group" aria-label="table" tabindex="0">'  # keys scroll it
        f"<table><caption>{escape(caption)}</caption>"
        f"<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def columns(widgets: Iterable[ipywidgets.Widget], *, narrowest: int) -> ipywidgets.GridBox:
    """As many equal columns as the page has room for, none narrower than `narrowest` pixels."""
    template = f"repeat(auto-fit, minmax(min({narrowest}px, 100%), 1fr))"
    layout = ipywidgets.Layout(
        width="100%", grid_template_columns=template, grid_gap="8px 18px", min_width="0"
    )
    return ipywidgets.GridBox(list(widgets), layout=layout)
