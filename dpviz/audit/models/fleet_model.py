"""One model of a fleet, and how all of them are asked the same."""

import copy
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress

AHEAD = 2
"""Models per process that are sent before they are needed."""
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class FleetModel:
    """One model.

    Parameters
    ----------
    name : str
    scores : AttackScores, BinnedScores or callable
        A callable without arguments reads them whenever they are asked for, and they are dropped
        afterwards: memory then holds one model at a time.
    strategy : str
        What repeats have in common; empty for a model that is on its own.
    repeat : int, optional
    utility : float, optional
        Larger is better, such as test accuracy.
    epsilon, delta : float, optional
        What the model was trained to: [0, inf] and [0, 1].
    stage : float, optional
        Epochs, or the stage of a pipeline.

    Raises
    ------
    ValueError
        If one of them leaves its range.
    """

    name: str
    scores: Scores | Callable[[], Scores]
    strategy: str = ""
    repeat: int | None = None
    utility: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    stage: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise checks.fail("name", "a str that is not empty", self.name)
        if not isinstance(self.strategy, str):
            raise checks.fail("strategy", "a str", self.strategy)
        if not isinstance(self.scores, Scores) and not callable(self.scores):
            raise checks.fail("scores", "AttackScores, or a callable that reads them", self.scores)
        if self.repeat is not None:
            object.__setattr__(self, "repeat", checks.whole("repeat", self.repeat, 0))
        ranges: tuple[tuple[str, float, float, checks.Closed], ...] = (
            ("utility", -np.inf, np.inf, "neither"),
            ("epsilon", 0, np.inf, "both"),
            ("delta", 0, 1, "both"),
            ("stage", -np.inf, np.inf, "neither"),
        )
        for name, low, high, closed in ranges:
            given = getattr(self, name)
            if given is not None:
                object.__setattr__(self, name, checks.real(name, given, low, high, closed=closed))

    def read(self) -> Scores:
        """The scores, to be thrown away: what is sorted for these is not kept with the model."""
        if isinstance(self.scores, Scores):
            return copy.copy(self.scores)
        found = self.scores()
        if not isinstance(found, Scores):
            raise ValueError(
                f"scores of model {self.name!r} must be AttackScores, got a {type(found).__name__}"
            )
        return found


def ask_all(
    work: Callable[[FleetModel], Answer],
    models: Sequence[FleetModel],
    *,
    processes: int,
    progress: Progress,
) -> tuple[Answer, ...]:
    """One answer per model, in order; a few models are under way where there are processes.

    Parameters
    ----------
    work : callable
        Of one model; where there are processes, something that can be pickled.
    models : sequence of FleetModel
    processes, progress
        As of `dpviz.audit.fleet.Fleet.estimates`.
    """
    processes = checks.whole("processes", processes, 1)
    rounds = range(len(models))
    if processes == 1:
        return tuple(work(models[i]) for i in progress(rounds))
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing import get_context

    # A fork of a process with threads, such as a notebook's, may hang.
    pool = ProcessPoolExecutor(min(processes, len(models)), mp_context=get_context("spawn"))
    waiting: deque[Future[Answer]] = deque()
    answers, left = [], iter(models)
    try:
        for _ in progress(rounds):
            while len(waiting) < AHEAD * processes and (model := next(left, None)) is not None:
                waiting.append(pool.submit(work, model))
            answers.append(waiting.popleft().result())
    finally:
        pool.shutdown(cancel_futures=True)
    return tuple(answers)
