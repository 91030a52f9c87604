"""Buttons that ask what chance does to Epsilon*, and the answers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.epsilon_star_sentences import bootstrap_spread, permutation_p_value
from dpviz.audit import bootstrap, permutation_test
from dpviz.audit.binned_scores import Scores
from dpviz.widgets.job import Job
from dpviz.widgets.view import block


class Chance:
    """A permutation test and a bootstrap of the estimate that is shown, in the background.

    An answer holds for the estimate it was asked for: when that changes, answer and work go.

    Parameters
    ----------
    scores : callable
        Gives the loaded scores.
    """

    def __init__(self, scores: Callable[[], Scores | None]) -> None:
        self._scores = scores
        self.job = Job(self.say)
        self._result: Result | None = None
        self.text = ipywidgets.HTML()
        self.buttons = [
            self._button("permutation p-value", permutation_test, permutation_p_value),
            self._button("bootstrap spread", bootstrap, bootstrap_spread),
        ]
        self.widget = ipywidgets.HBox(
            self.buttons, layout=ipywidgets.Layout(flex_flow="row wrap", align_items="center")
        )

    def follow(self, result: Result) -> None:
        """Forget answers to what is no longer shown."""
        if _asked(self._result) is not _asked(result):
            if self.job.is_running:
                self.job.cancel()
            self.say("")
        self._result = result
        for button in self.buttons:
            button.disabled = result.sample is None

    def say(self, text: str) -> None:
        """Show one answer."""
        self.text.value = block("dpviz-sentence", text, role="status") if text else ""

    def _button(
        self, label: str, question: Callable[..., Any], answer: Callable[..., str]
    ) -> ipywidgets.Button:
        button = ipywidgets.Button(description=label, layout=ipywidgets.Layout(width="auto"))
        button.on_click(lambda _: self._ask(label, question, answer))
        return button

    def _ask(self, label: str, question: Callable[..., Any], answer: Callable[..., str]) -> None:
        scores, result = self._scores(), self._result
        if scores is None or result is None or result.sample is None:
            return
        star, spec = result.sample.epsilon_star.star, result.spec
        work = partial(
            question,
            scores,
            delta=star.suprema.delta,
            clip=star.suprema.clip,
            method=spec.method,
            transform=spec.transform,
            components=spec.components,
        )
        self.job.run(
            f"{label}: at work ...",
            lambda progress: work(progress=progress),
            lambda found: self.say(answer(found, star)),
        )


def _asked(result: Result | None) -> object:
    return result.sample.epsilon_star if result is not None and result.sample is not None else None
