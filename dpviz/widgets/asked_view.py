"""Views whose answer takes a while: asked for by a button, gone when the question changes."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.audit.resampling import Progress
from dpviz.widgets.job import Job
from dpviz.widgets.picture import Picture
from dpviz.widgets.view import FigureView, block, columns


class AskedView(FigureView):
    """A figure, what to ask and a button on one side, the answer in words on the other.

    An answer holds for the scores and the question it was asked for: when they change, answer and
    work go. Subclasses say what the question is, how it is answered and what is said of that.
    """

    is_wide: ClassVar[bool] = True
    asking: ClassVar[str]
    """What the button says."""
    at_work: ClassVar[str]
    """What is said while it is worked out."""
    needs: ClassVar[str]
    """What is said where `can_ask` is not."""

    def question(self, result: Result) -> Any:
        """What would be asked now; equal questions have equal answers."""
        raise NotImplementedError

    def can_ask(self) -> bool:
        """Whether the loaded scores are such that it can be asked."""
        return self.store.scores is not None

    def subject(self) -> Any:
        """What it is asked about: the loaded scores."""
        return self.store.scores

    def work(self, subject: Any, question: Any, progress: Progress) -> Any:
        """The answer; any thread may ask."""
        raise NotImplementedError

    def said(self, result: Result) -> str:
        """The answer in words, as HTML."""
        raise NotImplementedError

    def tabled(self) -> str:
        """The answer as a table, as HTML."""
        raise NotImplementedError

    def choices(self) -> list[ipywidgets.Widget]:
        """Controls of its own."""
        return []

    def contents(self) -> list[ipywidgets.Widget]:
        """The picture and what to ask on one side, the answer in words on the other."""
        self.answer: Any = None
        self._asked: tuple[Any, Any] = (None, None)
        title, error, picture, *extras = super().contents()
        boxes = [
            ipywidgets.VBox(widgets, layout=ipywidgets.Layout(min_width="0", overflow="hidden"))
            for widgets in ([picture, *extras[:-2]], extras[-2:])
        ]
        return [title, error, columns(boxes, narrowest=380)]

    def extras(self) -> list[ipywidgets.Widget]:
        """What to ask, the button, the answer in words and as a table."""
        self.button = ipywidgets.Button(
            description=self.asking,
            layout=ipywidgets.Layout(width="auto", align_self="flex-start"),
        )
        self.button.on_click(lambda _: self.compute())
        self.text, self.table = ipywidgets.HTML(), ipywidgets.HTML()
        self.job = Job(self._say)
        self.observe(lambda _: self.job.cancel(), names="comm")  # closed: nobody waits
        row = ipywidgets.Layout(flex_flow="row wrap")
        return [
            ipywidgets.HBox(self.choices(), layout=row),
            self.button,
            self.job.widget,
            self.text,
            self.table,
        ]

    def draw(self, result: Result) -> None:
        """Forget an answer to what is no longer asked."""
        asked = (self.subject(), self.question(result))
        if asked[0] is not self._asked[0] or asked[1] != self._asked[1]:
            if self.job.is_running:
                self.job.cancel()
            self.answer, self._asked = None, asked
            self.table.value = ""
        super().draw(result)
        self.button.disabled = not self.can_ask() or self.answer is not None
        if self.answer is not None:
            self.text.value = self.said(result)
        elif not self.job.is_running:
            self._say(
                f"Nothing computed for these scores and choices: press “{self.asking}”."
                if self.can_ask()
                else self.needs
            )

    def to_save(self) -> list[Picture]:
        """None where nothing was computed."""
        return super().to_save() if self.answer is not None else []

    def compute(self) -> None:
        """Ask, beside the live picture where there is an event loop."""
        subject, question = self._asked
        if self.can_ask():
            self.job.run(
                self.at_work,
                lambda progress: self.work(subject, question, progress),
                self._show,
            )

    def _show(self, answer: Any) -> None:
        self.answer = answer
        self.table.value = self.tabled()
        self.draw(self.result)

    def _say(self, text: str) -> None:
        self.text.value = sentence(text)


def sentence(text: str) -> str:
    """A sentence of an answer, announced by screen readers."""
    return block("dpviz-sentence dpviz-bounds", text, role="status")
