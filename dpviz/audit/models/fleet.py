"""A fleet: many models with their scores, and estimates and bounds for every model.

Every number is about one trained model. The largest of many estimates is biased upwards. The
largest of many bounds is valid only if they share the error probability: ``bounds(together=True)``.
"""

import copy
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent import futures
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

import numpy as np

from dpviz import checks
from dpviz.audit.bounds import BOUNDS, DEFAULT, EpsilonBound, lower_bound
from dpviz.audit.epsilon_star import estimate
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.aggregate import Aggregate, aggregate
from dpviz.audit.models.frontier import Landscape, Repeat, Strategy, repeats
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray, Rng
from dpviz.value_object import ValueObject

AHEAD = 2  # models per process that are submitted at a time
WorkResult = TypeVar("WorkResult")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FleetModel(ValueObject):
    """The scores and the training settings of one model of a fleet.

    Parameters
    ----------
    name : str
    scores : AttackScores, BinnedScores or callable without arguments, which reads them at each use
    strategy : str, the name shared by repeats; empty for a single model
    repeat : int, optional
    utility : float, optional, larger is better, such as test accuracy
    epsilon, delta : float, optional, the guarantee of the training, in [0, inf] and [0, 1]
    stage : float, optional, epochs, or the stage of a pipeline
    hyperparameters : mapping of str, or pairs, optional, names and values; values are kept as text
        Models of one strategy, or of none, are repeats only if all hyper-parameters are the same.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> given = {"name": "a", "scores": lambda: read_sample("null"), "utility": 0.8}
    >>> given |= {"strategy": "DP-SGD", "hyperparameters": {"batch size": 64}}
    >>> model = audit.models.FleetModel(**given)
    >>> model.read().kind, model.training_name
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
            raise checks.fail("name", "a non-empty str", self.name)
        if not isinstance(self.strategy, str):
            raise checks.fail("strategy", "a str", self.strategy)
        if not isinstance(self.scores, Scores) and not callable(self.scores):
            raise checks.fail("scores", "AttackScores, or a callable that reads them", self.scores)
        if self.repeat is not None:
            object.__setattr__(self, "repeat", checks.whole("repeat", self.repeat, 0))
        # Optional numbers have ranges; utilities and stages are any finite number.
        ranges: tuple[tuple[str, float, float, checks.Closed], ...] = (
            ("utility", -np.inf, np.inf, "neither"),
            ("epsilon", 0, np.inf, "both"),
            ("delta", 0, 1, "both"),
            ("stage", -np.inf, np.inf, "neither"),
        )
        for name, low, high, closed in ranges:
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, checks.real(name, value, low, high, closed=closed))
        object.__setattr__(self, "hyperparameters", _hyperparameter_texts(self.hyperparameters))

    @property
    def hyperparameters_text(self) -> str:
        """The model's hyper-parameters in one line, such as "batch size 64, rate 0.1"."""
        return ", ".join(f"{name} {value}" for name, value in self.hyperparameters)

    @property
    def strategy_name(self) -> str:
        """The name of the model's strategy.

        If `strategy` is empty, the name consists of the hyper-parameters. If these are empty, too,
        it is the name of the model.
        """
        return self.strategy or self.hyperparameters_text or self.name

    @property
    def training_name(self) -> str:
        """Strategy and hyper-parameters as text, the same for all stages of a training."""
        if self.strategy and self.hyperparameters_text:
            return f"{self.strategy} ({self.hyperparameters_text})"
        return self.strategy or self.hyperparameters_text

    def read(self) -> Scores:
        """Return the scores as a new object, so that the stored scores cache no results."""
        if isinstance(self.scores, Scores):
            return copy.copy(self.scores)
        scores = self.scores()
        if not isinstance(scores, Scores):
            kind = type(scores).__name__
            raise ValueError(f"scores of model {self.name!r} must be AttackScores, got a {kind}")
        return scores


def _hyperparameter_texts(hyperparameters: object) -> tuple[tuple[str, str], ...]:
    """Return checked hyper-parameters as pairs (name, value) of text: 64.0 becomes "64"."""
    pairs = hyperparameters.items() if isinstance(hyperparameters, Mapping) else hyperparameters
    wrong = partial(checks.fail, "hyperparameters", value=hyperparameters)
    if isinstance(pairs, str) or not isinstance(pairs, Iterable):
        raise wrong("a dict or pairs (name, value)")
    texts: dict[str, str] = {}
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise wrong("a dict or pairs (name, value)")
        name, value = pair
        if not name or name in texts:
            raise wrong("pairs with distinct, non-empty names")
        # Files and code give one number in several forms.
        texts[name] = f"{value:.12g}" if isinstance(value, float) else str(value)
    return tuple(texts.items())


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Fleet(ValueObject):
    """Models with distinct names, and errors of models that could not be read.

    Parameters
    ----------
    models : tuple of FleetModel, at least one
    errors : tuple of (str, str), files or models that could not be read, and the reason

    Raises
    ------
    ValueError, if there is no model, or models share a name with each other or with a strategy

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> names = ("null", "overfitted")
    >>> models = [audit.models.FleetModel(name=name, scores=read_sample(name)) for name in names]
    >>> audit.Fleet(models=models).estimates(delta=1e-5).values.round(2).tolist()
    [0.81, 4.63]
    """

    one_row_each = ("models",)
    models: tuple[FleetModel, ...]
    errors: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "models", tuple(self.models))
        object.__setattr__(self, "errors", tuple(self.errors))
        if not self.models:
            raise ValueError("models must not be empty, got 0 models")
        strategies = {model.strategy for model in self.models}
        seen: set[str] = set()
        for model in self.models:
            if model.name in seen:
                raise ValueError(f"models must have distinct names, got {model.name!r} twice")
            if not model.strategy and model.name in strategies:
                reason = "since its name is the strategy of another model"
                raise ValueError(f"model {model.name!r} must have a strategy, {reason}")
            seen.add(model.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in their order."""
        return tuple(model.name for model in self.models)

    def estimates(
        self,
        *,
        delta: float,
        method: estimate.Method = "empirical",
        clip: estimate.Clip = "paper",
        processes: int = 1,
        progress: Progress = iter,
    ) -> "FleetEstimates":
        """Return Epsilon* of every model.

        The value is nan, with a reason, for a model without an Epsilon*. `delta`, `method` and
        `clip` are as of `epsilon_star`. More `processes` are faster only if a model takes 0.1 s or
        longer, or has to be read from a file; they import the main program, which needs its
        ``if __name__ == "__main__"``. `progress` wraps ``range(number of models)``: `tqdm.tqdm`
        shows a bar. ValueError if an argument is out of range.
        """
        delta = checks.real("delta", delta, 0, 1)
        estimate.resolved_clip(clip, method=method, delta=delta)
        star = partial(estimate.epsilon_star, delta=delta, method=method, clip=clip)
        estimates = apply_to_models(star, self.models, processes=processes, progress=progress)
        return FleetEstimates(fleet=self, estimates=estimates)

    def bounds(
        self,
        *,
        delta: float,
        confidence_level: float = 0.95,
        method: str = DEFAULT,
        together: bool = False,
        rng: Rng = 0,
        processes: int = 1,
        progress: Progress = iter,
    ) -> "FleetBounds":
        """Return a lower bound on epsilon for each model, from its member and non-member scores.

        **Each limit is valid by itself**: among 100 models that leak nothing, five limits at 0.95
        are expected to be false, and the largest limit is not a valid bound.

        `together` divides ``1 - confidence_level`` among the models (Bonferroni): then all limits
        hold jointly, and so does the largest. Very many records need simulated p-values, which take
        longer: with 50 models of 300 000 records that leak, 5 s per model. Other arguments are as
        in `lower_bound` and `estimates`; methods with a threshold are rejected. ValueError if an
        argument is out of range, or there are too many models for simulated p-values.
        """
        delta = checks.real("delta", delta, 0, 1)
        level = checks.confidence_level(confidence_level)
        checks.choice("method", method, BOUNDS)
        seed = checks.seed(rng)
        each = 1 - (1 - level) / len(self.models) if together else level
        bound = partial(lower_bound, delta=delta, confidence_level=each, method=method, rng=seed)
        bounds = apply_to_models(bound, self.models, processes=processes, progress=progress)
        return FleetBounds(fleet=self, bounds=bounds, confidence_level=level, together=together)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FleetEstimates(ValueObject):
    """Estimates of Epsilon* for all models of a fleet.

    The estimates are in the order of the fleet. They are not bounds.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> fleet = audit.Fleet(models=[audit.models.FleetModel(name="a", scores=read_sample("null"))])
    >>> round(fleet.estimates(delta=1e-5).aggregate().log_mean_exp, 2)
    0.81
    """

    one_row_each = ("models", "estimates")
    fleet: Fleet = field(repr=False)
    estimates: tuple[estimate.EpsilonStar, ...]

    @cached_property
    def values(self) -> FloatArray:
        """Epsilon* of each model.

        The array has shape (k,). A value is nan if the model has no Epsilon*.
        """
        return checks.read_only(np.array([star.value for star in self.estimates]))

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields that `repr` and `to_dict` show, with model names in place of scores."""
        return {"models": self.fleet.names, **super().shown_fields()}

    def aggregate(
        self, *, strategy: str | None = None, confidence_level: float = 0.95
    ) -> Aggregate:
        """Return an estimate of log E[e^Epsilon*] over the models of one strategy.

        If `strategy` is None, the mean is over all models.
        """
        models = self.fleet.models
        if strategy is not None:
            checks.choice("strategy", strategy, dict.fromkeys(m.strategy for m in models))
        pairs = zip(models, self.estimates, strict=True)
        chosen = [star for model, star in pairs if strategy in (None, model.strategy)]
        return aggregate(chosen, confidence_level=confidence_level)

    def landscape(self) -> Landscape:
        """Return mean Epsilon* and mean utility of each strategy, by `FleetModel.strategy_name`."""
        return Landscape(strategies=repeats(self._as_repeats("strategy_name")))

    def timeline(self) -> tuple[Strategy, ...]:
        """Return the estimates for each strategy and stage, averaged over repeated runs."""
        staged = [s for s in repeats(self._as_repeats("training_name")) if s.stage is not None]
        # Trainings in the order of their first model, each by ascending stage.
        places = {name: i for i, name in enumerate(dict.fromkeys(run.name for run in staged))}
        return tuple(sorted(staged, key=lambda run: (places[run.name], run.stage)))

    def _as_repeats(self, naming: Literal["strategy_name", "training_name"]) -> list[Repeat]:
        """Return one `Repeat` per model, with the model's property `naming` as its name."""
        runs = []
        for model, star in zip(self.fleet.models, self.estimates, strict=True):
            fields = {key: getattr(model, key) for key in ("utility", "stage", "hyperparameters")}
            fields |= {"claimed_epsilon": model.epsilon, "claimed_delta": model.delta}
            runs.append(Repeat(name=getattr(model, naming), epsilon=star.value, **fields))
        return runs


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FleetBounds(ValueObject):
    """A lower bound on epsilon for each model, in the fleet's order.

    `confidence_level` is that of each bound, or of all of them at once if `together`.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> model = audit.models.FleetModel(name="a", scores=read_sample("overfitted"))
    >>> name, bound = audit.Fleet(models=[model]).bounds(delta=1e-5, together=True).worst
    >>> name, round(bound.low, 2)
    ('a', 2.77)
    """

    one_row_each = ("models", "bounds")
    fleet: Fleet = field(repr=False)
    bounds: tuple[EpsilonBound, ...]
    confidence_level: float
    together: bool

    def shown_fields(self) -> dict[str, Any]:
        """Return the fields that `repr` and `to_dict` show, with model names in place of scores."""
        return {"models": self.fleet.names, **super().shown_fields()}

    @property
    def worst(self) -> tuple[str, EpsilonBound] | None:
        """The model with the largest bound.

        The result has the name of the model and the bound, or is None if no bound exceeds 0. Raises
        ValueError if the bounds do not hold jointly.
        """
        if not self.together:
            raise ValueError("bounds must be computed with together=True for `worst`, got False")
        place = int(np.argmax([bound.low for bound in self.bounds]))
        best = self.bounds[place]
        return (self.fleet.names[place], best) if best.low > 0 else None


def apply_to_models(
    work: Callable[[Scores], WorkResult],
    models: Sequence[FleetModel],
    *,
    processes: int,
    progress: Progress,
) -> tuple[WorkResult, ...]:
    """Return `work(scores)` for each model, in order; `work` is pickled if `processes` > 1."""
    processes = checks.whole("processes", processes, 1)
    rounds = range(len(models))
    if processes == 1:
        return tuple(_apply_to_scores(work, models[i]) for i in progress(rounds))
    import multiprocessing  # slow to import, and one process is the rule

    # A fork of a process with threads, such as a notebook's, may hang.
    context = multiprocessing.get_context("spawn")
    pool = futures.ProcessPoolExecutor(min(processes, len(models)), mp_context=context)
    waiting: deque[futures.Future[WorkResult]] = deque()
    # Few models wait in the queue, so that not all scores are in memory at once.
    answers, left = [], iter(models)
    try:
        for _ in progress(rounds):
            while len(waiting) < AHEAD * processes and (model := next(left, None)) is not None:
                waiting.append(pool.submit(_apply_to_scores, work, model))
            answers.append(waiting.popleft().result())
    finally:
        pool.shutdown(cancel_futures=True)
    return tuple(answers)


def _apply_to_scores(work: Callable[[Scores], WorkResult], model: FleetModel) -> WorkResult:
    return work(model.read())
