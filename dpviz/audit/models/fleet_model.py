"""One model of a fleet, and the evaluation of a function on all models."""

import copy
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores

AHEAD = 2  # models per process that are submitted before they are needed
Answer = TypeVar("Answer")


@dataclass(frozen=True, kw_only=True)
class FleetModel:
    """One model of a fleet: its scores, and how it was trained.

    Parameters
    ----------
    name : str
    scores : AttackScores, BinnedScores or callable
        A callable without arguments reads the scores at each use, so that memory holds one model at
        a time.
    strategy : str, the name shared by repeats; empty for a single model
    repeat : int, optional
    utility : float, optional, larger is better, such as test accuracy
    epsilon, delta : float, optional, the guarantee of the training, in [0, inf] and [0, 1]
    stage : float, optional, epochs, or the stage of a pipeline
    hyperparameters : mapping of str, or pairs, optional
        Names and values; values are kept as text. Models of one strategy are repeats of each other
        only if they share all of them, and so are models without a strategy that have some.

    Raises
    ------
    ValueError
        If a parameter is out of range.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> given = {"name": "a", "scores": lambda: read_sample("null"), "utility": 0.8}
    >>> model = audit.FleetModel(**given, strategy="DP-SGD", hyperparameters={"batch size": 64})
    >>> model.read().kind, model.training
    ('loss', 'DP-SGD (batch size 64)')
    """

    name: str
    scores: Scores | Callable[[], Scores]
    strategy: str = ""
    repeat: int | None = None
    utility: float | None = None
    epsilon: float | None = None
    delta: float | None = None
    stage: float | None = None
    hyperparameters: tuple[tuple[str, str], ...] = ()

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
        object.__setattr__(self, "hyperparameters", _texts(self.hyperparameters))

    @property
    def configuration(self) -> str:
        """Its hyper-parameters in one line, such as "batch size 64, rate 0.1"."""
        return ", ".join(f"{name} {value}" for name, value in self.hyperparameters)

    @property
    def strategy_name(self) -> str:
        """Its strategy; without one its hyper-parameters, and without these its own name."""
        return self.strategy or self.configuration or self.name

    @property
    def training(self) -> str:
        """Strategy and hyper-parameters, which all stages of a training share; may be empty."""
        if self.strategy and self.configuration:
            return f"{self.strategy} ({self.configuration})"
        return self.strategy or self.configuration

    def read(self) -> Scores:
        """Read the scores anew on each call, so that sorted copies are freed with them."""
        if isinstance(self.scores, Scores):
            return copy.copy(self.scores)
        found = self.scores()
        if not isinstance(found, Scores):
            raise ValueError(
                f"scores of model {self.name!r} must be AttackScores, got a {type(found).__name__}"
            )
        return found


def _texts(given: object) -> tuple[tuple[str, str], ...]:
    """Names and values as text; whole numbers lose their ".0"."""
    pairs = given.items() if isinstance(given, Mapping) else given
    wanted = "names with their values"
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise checks.fail("hyperparameters", wanted, given)
    found: dict[str, str] = {}
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise checks.fail("hyperparameters", wanted, given)
        name, value = pair
        if not name or name in found:
            raise checks.fail("hyperparameters", "names that differ and are not empty", given)
        found[name] = f"{value:.12g}" if isinstance(value, float) else str(value)
    return tuple(found.items())


def ask_all(
    work: Callable[[FleetModel], Answer],
    models: Sequence[FleetModel],
    *,
    processes: int,
    progress: Progress,
) -> tuple[Answer, ...]:
    """The value of `work`, picklable if there are several processes, for each model, in order."""
    processes = checks.whole("processes", processes, 1)
    rounds = range(len(models))
    if processes == 1:
        return tuple(work(models[i]) for i in progress(rounds))
    import multiprocessing  # slow to import, and one process is the rule

    # A fork of a process with threads, such as a notebook's, may hang.
    context = multiprocessing.get_context("spawn")
    pool = futures.ProcessPoolExecutor(min(processes, len(models)), mp_context=context)
    waiting: deque[futures.Future[Answer]] = deque()
    answers, left = [], iter(models)
    try:
        for _ in progress(rounds):
            while len(waiting) < AHEAD * processes and (model := next(left, None)) is not None:
                waiting.append(pool.submit(work, model))
            answers.append(waiting.popleft().result())
    finally:
        pool.shutdown(cancel_futures=True)
    return tuple(answers)
