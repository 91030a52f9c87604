"""Buttons for a permutation test and a bootstrap of Epsilon*, and their answers."""

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.sentences.epsilon_star import bootstrap_spread, permutation_p_value
from dpviz.audit import bootstrap, permutation_test
from dpviz.audit.scores.base import Scores
from dpviz.widgets.base.html import Html, button, row, sentence
from dpviz.widgets.base.job import Job


class ResamplingButtons:
    """A permutation test and a bootstrap of the displayed estimate, in the background.

    An answer belongs to one estimate: when that changes, answer and work are dropped. `scores`
    returns the loaded scores.
    """

    def __init__(self, scores: Callable[[], Scores | None]) -> None:
        self._scores = scores
        self.job = Job(self.say)
        self._result: Result | None = None
        self.text = Html()
        self.buttons = [
            self._button("permutation p-value", permutation_test, permutation_p_value),
            self._button("bootstrap spread", bootstrap, bootstrap_spread),
        ]
        self.widget = row(self.buttons)

    def follow(self, result: Result) -> None:
        """Drop answers about another estimate."""
        if _asked(self._result) is not _asked(result):
            if self.job.is_running:
                self.job.cancel()
            self.say("")
        self._result = result
        for each in self.buttons:
            each.disabled = result.sample is None

    def say(self, text: str) -> None:
        """Show one answer."""
        self.text.value = sentence(text)

    def _button(
        self, label: str, resample: Callable[..., Any], write: Callable[..., str]
    ) -> ipywidgets.Button:
        return button(label, lambda: self._compute(label, resample, write))

    def _compute(self, label: str, resample: Callable[..., Any], write: Callable[..., str]) -> None:
        scores, result = self._scores(), self._result
        if scores is None or result is None or result.sample is None:
            return
        star, spec = result.sample.epsilon_star.star, result.spec
        work = partial(
            resample,
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
            lambda found: self.say(write(found, star)),
        )


def _asked(result: Result | None) -> object:
    return result.sample.epsilon_star if result is not None and result.sample is not None else None
