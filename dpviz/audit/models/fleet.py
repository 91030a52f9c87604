"""A fleet: many models with their scores, and the estimates and bounds of all of them.

Every number is about one trained model. The largest of many estimates is biased upwards, and the
largest of many bounds is not a valid bound, unless the level was divided among them
(``bounds(together=True)``).
"""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.audit.bounds import BOUNDS, DEFAULT, EpsilonBound, lower_bound
from dpviz.audit.epsilon_star.estimate import epsilon_star
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.epsilon_star.result import METHODS, Clip, EpsilonStar, Method, resolved_clip
from dpviz.audit.models.aggregate import Aggregate, aggregate
from dpviz.audit.models.fleet_model import FleetModel, ask_all
from dpviz.audit.models.frontier import Landscape, Repeat, Strategy, repeats
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Models with distinct names.

    Parameters
    ----------
    models : tuple of FleetModel, at least one
    errors : tuple of (str, str), files or models that could not be read, and the reason

    Raises
    ------
    ValueError
        If there are no models, a name occurs twice, or a model without a strategy has the name of
        one.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> names = ("null", "overfitted")
    >>> models = [audit.FleetModel(name=name, scores=read_sample(name)) for name in names]
    >>> audit.Fleet(models=models).estimates(delta=1e-5).values.round(2).tolist()
    [0.81, 4.63]
    """

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
                raise ValueError(
                    f"model {model.name!r} must have a strategy, since one has the model's name"
                )
            seen.add(model.name)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in their order."""
        return tuple(model.name for model in self.models)

    def estimates(
        self,
        *,
        delta: float,
        method: Method = "empirical",
        clip: Clip = "paper",
        processes: int = 1,
        progress: Progress = iter,
    ) -> "FleetEstimates":
        """Epsilon* of every model; nan, with a reason, where a model has none.

        Parameters
        ----------
        delta, method, clip : as of `dpviz.audit.epsilon_star`
        processes : int
            At least 1. More are faster only if a model takes 0.1 s or longer, such as for bounds,
            or has to be read from a file: each must start and receive its scores. They import the
            main program, which needs its ``if __name__ == "__main__"``.
        progress : callable
            Wraps ``range(number of models)``; `tqdm.tqdm` shows a bar, one that raises cancels.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        delta = checks.real("delta", delta, 0, 1)
        checks.choice("method", method, METHODS)
        resolved_clip(clip, method=method, delta=delta)
        work = partial(_estimate, delta=delta, method=method, clip=clip)
        found = ask_all(work, self.models, processes=processes, progress=progress)
        return FleetEstimates(fleet=self, estimates=found)

    def bounds(
        self,
        *,
        delta: float,
        confidence_level: float = 0.95,
        method: str = DEFAULT,
        together: bool = False,
        seed: int = 0,
        processes: int = 1,
        progress: Progress = iter,
    ) -> "FleetBounds":
        """Lower confidence limits of the epsilon of every model's two distributions of scores.

        **Each is valid by itself**: among 100 models that leak nothing, five bounds at 0.95 are
        expected to be false, and the largest of them is not a valid bound.

        Parameters
        ----------
        delta, confidence_level, method, seed
            As of `dpviz.audit.lower_bound`; methods that need a threshold are rejected.
        together : bool
            Divide ``1 - confidence_level`` among the models (Bonferroni): then all bounds hold at
            once with probability `confidence_level`, and so does the largest. Simulated p-values,
            which the default has for very many records, take longer the more models there are: with
            50 models that leak, of 300 000 records each, 5 s per model; "local_levels" takes 0.2 s
            with any number.
        processes, progress : as of `estimates`

        Raises
        ------
        ValueError
            If an argument is out of range, or there are too many models for the method.
        """
        delta = checks.real("delta", delta, 0, 1)
        level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
        checks.choice("method", method, BOUNDS)
        checks.whole("seed", seed, 0)
        each = 1 - (1 - level) / len(self.models) if together else level
        if not BOUNDS[method].resolves(each):
            raise ValueError(
                f"method must be one for any level, such as 'local_levels', for confidence_level "
                f"{each:g} of each of {len(self.models)} models, got {method!r}"
            )
        work = partial(_bound, delta=delta, confidence_level=each, method=method, seed=seed)
        found = ask_all(work, self.models, processes=processes, progress=progress)
        return FleetBounds(fleet=self, bounds=found, confidence_level=level, together=together)


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetEstimates:
    """Epsilon* of every model of a fleet, in its order: estimates, no bounds.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> fleet = audit.Fleet(models=[audit.FleetModel(name="a", scores=read_sample("null"))])
    >>> round(fleet.estimates(delta=1e-5).aggregate().log_mean_exp, 2)
    0.81
    """

    fleet: Fleet
    estimates: tuple[EpsilonStar, ...]

    @cached_property
    def values(self) -> FloatArray:
        """Epsilon* of each model, shape (k,); nan where there is none."""
        return checks.read_only(np.array([star.value for star in self.estimates]))

    @property
    def without_value(self) -> tuple[tuple[str, str], ...]:
        """Name and reason of every model whose Epsilon* is nan."""
        return tuple(
            (model.name, star.reason)
            for model, star in zip(self.fleet.models, self.estimates, strict=True)
            if np.isnan(star.value)
        )

    def aggregate(
        self, *, strategy: str | None = None, confidence_level: float = 0.95
    ) -> Aggregate:
        """The aggregate (Theorem 2) over the models of one strategy, or over all models."""
        models = self.fleet.models
        if strategy is not None:
            checks.choice("strategy", strategy, dict.fromkeys(m.strategy for m in models))
        chosen = [
            star
            for model, star in zip(models, self.estimates, strict=True)
            if strategy in (None, model.strategy)
        ]
        return aggregate(chosen, confidence_level=confidence_level)

    def landscape(self) -> Landscape:
        """Strategies by privacy and utility, see `FleetModel.strategy_name`."""
        return Landscape(strategies=repeats(self._runs("strategy_name")))

    def timeline(self) -> tuple[Strategy, ...]:
        """Models with a stage, repeats as one: by training as they appear, then by stage."""
        found = [each for each in repeats(self._runs("training")) if each.stage is not None]
        places = {name: i for i, name in enumerate(dict.fromkeys(each.name for each in found))}
        return tuple(sorted(found, key=lambda each: (places[each.name], each.stage)))

    def _runs(self, called: Literal["strategy_name", "training"]) -> list[Repeat]:
        return [
            Repeat(
                name=getattr(model, called),
                epsilon=star.value,
                utility=model.utility,
                stage=model.stage,
                claimed_epsilon=model.epsilon,
                claimed_delta=model.delta,
                hyperparameters=model.hyperparameters,
            )
            for model, star in zip(self.fleet.models, self.estimates, strict=True)
        ]


@dataclass(frozen=True, kw_only=True, repr=False)
class FleetBounds:
    """A lower bound per model, in the fleet's order.

    `confidence_level` is that of each bound, or of all of them at once if `together`.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> fleet = audit.Fleet(models=[audit.FleetModel(name="a", scores=read_sample("overfitted"))])
    >>> name, bound = fleet.bounds(delta=1e-5, method="local_levels", together=True).worst
    >>> name, round(bound.low, 2)
    ('a', 2.42)
    """

    fleet: Fleet
    bounds: tuple[EpsilonBound, ...]
    confidence_level: float
    together: bool

    @property
    def worst(self) -> tuple[str, EpsilonBound] | None:
        """The largest bound and its model's name; None where none exceeds 0.

        ValueError unless the bounds hold together: otherwise the largest is not a valid bound.
        """
        if not self.together:
            raise ValueError("bounds must hold together=True for the largest to be one, got False")
        place = int(np.argmax([bound.low for bound in self.bounds]))
        best = self.bounds[place]
        return (self.fleet.names[place], best) if best.low > 0 else None


def _estimate(model: FleetModel, *, delta: float, method: Method, clip: Clip) -> EpsilonStar:
    return epsilon_star(model.read(), delta=delta, method=method, clip=clip)


def _bound(
    model: FleetModel, *, delta: float, confidence_level: float, method: str, seed: int
) -> EpsilonBound:
    return lower_bound(
        model.read(), delta=delta, confidence_level=confidence_level, method=method, seed=seed
    )
