"""Many models compared by Epsilon* and utility, and the Pareto-optimal training strategies."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.epsilon_star import FORMS
from dpviz.analysis.words import counted
from dpviz.audit.models.aggregate import log_mean_exp
from dpviz.audit.models.fleet import Fleet, FleetEstimates
from dpviz.audit.models.frontier import Frontier, Landscape, Strategy
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import AnswerLayer, AxisSpec, Layer, Scene, theme, thinned
from dpviz.drawing.layer import part_at_path
from dpviz.drawing.marks import NOTHING, Area, Line, Points, Segments
from dpviz.number_format import short

MIN_DENSITY_VALUES = 3  # distinct values for which a density is estimated
DENSITY_VERTICES = 120  # of the smooth density beside an axis

# Fields in which strategies of one name may differ, with the text before the value.
DISTINGUISHING = (("", "stage"), ("claimed ε ", "claimed_epsilon"), ("claimed δ ", "claimed_delta"))

TrainingKind = int

PLAIN, PRIVATE = 0, 1  # trained without a claim, and with one


@dataclass(frozen=True, kw_only=True, eq=False)
class LandscapePart:
    """The training strategies of many models, and the ranges of their Epsilon* and utility."""

    estimates: FleetEstimates
    landscape: Landscape
    largest: float  # finite Epsilon* of a model, 0 if there is none
    utilities: tuple[float, float]  # smallest and largest, (0, 1) if none is known

    def label(self, strategy: Strategy) -> str:
        """Return a strategy's name, with the settings in which strategies of this name differ."""
        namesakes = [each for each in self.landscape.strategies if each.name == strategy.name]
        details = [
            f"{text}{short(value)}"
            for text, field in DISTINGUISHING
            if (value := getattr(strategy, field)) is not None
            and any(getattr(each, field) != value for each in namesakes)
        ]
        details += [
            f"{name} {value}"
            for name, value in strategy.hyperparameters
            if any((name, value) not in each.hyperparameters for each in namesakes)
        ]
        return f"{strategy.name} ({', '.join(details)})" if details else strategy.name

    def coordinates(self, strategy: Strategy, *, right: float, lower: float) -> tuple[float, float]:
        """Return x (Epsilon*, or `right` if not finite) and y (utility, or `lower` if unknown)."""
        epsilon = strategy.epsilon
        x = right if epsilon is None or np.isinf(epsilon) else epsilon
        return x, lower if strategy.utility is None else strategy.utility

    def epsilon_and_utility_densities(self, kind: TrainingKind) -> tuple[FloatArray, FloatArray]:
        """Return kernel densities of Epsilon* and of utility for the strategies of one `kind`."""
        chosen = [each for each in self.landscape.strategies if training_kind(each) == kind]
        epsilons = [s.epsilon for s in chosen if s.epsilon is not None and np.isfinite(s.epsilon)]
        utilities = [s.utility for s in chosen if s.utility is not None]
        return _kernel_density(epsilons), _kernel_density(utilities)

    @property
    def hyperparameters(self) -> tuple[str, ...]:
        """The names of all hyper-parameters, in order of appearance."""
        pairs = (pair for each in self.landscape.strategies for pair in each.hyperparameters)
        return tuple(dict.fromkeys(name for name, _ in pairs))

    def models_of(self, strategy: Strategy) -> tuple[str, ...]:
        """Return the names of the models that were trained by the strategy."""
        claim = (strategy.claimed_epsilon, strategy.claimed_delta)
        key = (strategy.name, strategy.stage, *claim, strategy.hyperparameters)
        return self._models_by_strategy[key]

    def strategy_of(self, model: str) -> Strategy | None:
        """Return the strategy by which the model was trained; None for an unknown model."""
        return next((s for s in self.landscape.strategies if model in self.models_of(s)), None)

    @cached_property
    def _models_by_strategy(self) -> dict[tuple[object, ...], tuple[str, ...]]:
        repeats: dict[tuple[object, ...], tuple[str, ...]] = {}
        for model in self.estimates.fleet.models:
            claim = (model.epsilon, model.delta)
            key = (model.strategy_name, model.stage, *claim, model.hyperparameters)
            repeats[key] = (*repeats.get(key, ()), model.name)
        return repeats


def landscape_part(estimates: FleetEstimates) -> LandscapePart:
    """Return the strategies of the estimated models, with the ranges of Epsilon* and utility."""
    values = estimates.values[np.isfinite(estimates.values)]
    utilities = [m.utility for m in estimates.fleet.models if m.utility is not None] or [0.0, 1.0]
    return LandscapePart(
        estimates=estimates,
        landscape=estimates.landscape(),
        largest=float(values.max(initial=0.0)),
        utilities=(min(utilities), max(utilities)),
    )


def training_kind(strategy: Strategy) -> TrainingKind:
    """Return `PRIVATE` if the strategy trains models to a claimed epsilon, else `PLAIN`."""
    return PLAIN if strategy.claimed_epsilon is None else PRIVATE


def _kernel_density(values: Sequence[float]) -> FloatArray:
    """Return points (value, density with maximum 1); no points for too few distinct values."""
    from scipy.stats import gaussian_kde  # slow to import

    if len(set(values)) < MIN_DENSITY_VALUES:
        return NOTHING
    low, length = min(values), max(values) - min(values)
    # Scaled to the unit interval first: tiny variances would be rounded to 0.
    law = gaussian_kde((np.array(values) - low) / length)
    # Three deviations of the kernel beyond either end the density is almost 0.
    spread = 3 * float(np.sqrt(law.covariance[0, 0]))
    places = np.linspace(-spread, 1 + spread, DENSITY_VERTICES)
    heights = law(places)
    return read_only(np.column_stack([low + length * places, heights / heights.max()]))


def lead(part: LandscapePart) -> str:
    """Say the numbers of models, of training strategies, and of Pareto-optimal strategies."""
    models = counted(len(part.estimates.fleet.models), "model")
    strategies = counted(len(part.landscape.strategies), "strategy", "strategies")
    if part.landscape.frontier is None:
        return f"{models} of {strategies}. Each Epsilon* is an estimate."
    best = len(part.landscape.frontier.indices)
    return f"{models} of {strategies}. No strategy dominates {best} of the strategies (estimates)."


MOST_NAMES = 6  # names that a sentence lists; of others it gives the number


def summary(part: LandscapePart) -> str:
    """Name Pareto-optimal strategies, strategies drawn at an edge, and unreadable models."""
    fleet, landscape = part.estimates.fleet, part.landscape
    star = part.estimates.estimates[0]
    text = (
        f"{counted(len(fleet.models), 'model')} of "
        f"{counted(len(landscape.strategies), 'strategy', 'strategies')} at δ = "
        f"{short(star.suprema.delta)}. Epsilon* is an estimate from {FORMS[star.method]} for each "
        "trained model, not a bound."
    )
    if landscape.frontier is not None:
        best = [part.label(landscape.placed[i]) for i in landscape.frontier.indices]
        text += (
            " By these estimates, no strategy dominates the following ones (better in Epsilon* or "
            f"utility and at least as good in the other): {_shortened_list_text(best)}."
        )
    return text + _drawn_at_edge_sentences(part) + unread_models_text(fleet)


def _drawn_at_edge_sentences(part: LandscapePart) -> str:
    """Say which strategies are drawn at an edge, and why."""
    strategies = part.landscape.strategies
    infinite = [part.label(s) for s in strategies if s.epsilon is not None and np.isinf(s.epsilon)]
    undefined = [part.label(s) for s in strategies if s.epsilon is None]
    unknown = [part.label(s) for s in strategies if s.utility is None]
    groups = (
        (infinite, "Drawn at the right edge because Epsilon* is infinite"),
        (undefined, "Drawn at the right edge because Epsilon* of a model is undefined"),
        (unknown, "Drawn at the lower edge because the utility of a model is unknown"),
    )
    return "".join(f" {text}: {_shortened_list_text(names)}." for names, text in groups if names)


def unread_models_text(fleet: Fleet) -> str:
    """Return a space and a sentence on models that could not be read; "" without such models."""
    shown = _shortened_list_text([f"{where}: {why}" for where, why in fleet.errors])
    return f" Models that could not be read ({len(fleet.errors)}): {shown}." if fleet.errors else ""


def loaded_model_text(name: str) -> str:
    """Say that the model `name` is loaded or, if `name` is "", how to load a model."""
    return f"Loaded: {name}." if name else "Press a point to load a model's losses."


CAPTION = (
    "Means over models, with ranges. Claims may use another adjacency and δ than Epsilon*. The log "
    "of the mean e^ε* is an estimate, not a bound on the ε of the training. Under the conditions "
    "of Theorem 2 in the Epsilon* paper, it estimates an upper limit of ε-bar, the ε of "
    "average error rates. Rates that are clipped or counted do not meet these conditions."
)


def table(part: LandscapePart) -> Table:
    """Return the table of strategies, with a column for each hyper-parameter."""
    head = (
        *("strategy", "models", *part.hyperparameters, "utility", "Epsilon* (estimate)"),
        *("claimed ε", "log mean e^ε*"),
    )
    return Table(CAPTION, head, [_strategy_texts(each, part) for each in part.landscape.strategies])


def _strategy_texts(strategy: Strategy, part: LandscapePart) -> tuple[str, ...]:
    names, all_names = set(part.models_of(strategy)), part.estimates.fleet.names
    values = [v for name, v in zip(all_names, part.estimates.values, strict=True) if name in names]
    together = "" if np.isnan(values).any() else short(log_mean_exp(values))
    return (
        part.label(strategy),
        str(strategy.n),
        *(dict(strategy.hyperparameters).get(name, "") for name in part.hyperparameters),
        _mean_and_range_text(strategy.utility, strategy.utility_range),
        _mean_and_range_text(strategy.epsilon, strategy.epsilon_range),
        claimed_dp_text(strategy),
        together,
    )


def claimed_dp_text(strategy: Strategy) -> str:
    """Return a strategy's claimed epsilon and, if known, delta as text; "none" without a claim."""
    if strategy.claimed_epsilon is None:
        return "none"
    delta = strategy.claimed_delta
    return short(strategy.claimed_epsilon) + ("" if delta is None else f" (δ = {short(delta)})")


def _shortened_list_text(names: list[str]) -> str:
    more = len(names) - MOST_NAMES
    return "; ".join(names[:MOST_NAMES]) + (f"; and {more} more" if more > 0 else "")


def _mean_and_range_text(mean: float | None, extremes: tuple[float, float] | None) -> str:
    if mean is None:
        return "not known for every repeat"
    if extremes is None or extremes[0] == extremes[1]:
        return short(mean)
    return f"{short(mean)} ({short(extremes[0])} to {short(extremes[1])})"


LOOKS = (
    (PLAIN, theme.ATTACK, "circle", "trained without a claim"),
    (PRIVATE, theme.CLAIM, "diamond", "trained to a claim (ε, δ)"),
)

DENSITY_SHARE_OF_AXIS = 0.12  # share of the axis that a density takes
AXIS_FACTOR = 1.15  # length of the axis over the largest value


class LandscapeAxes(AnswerLayer[LandscapePart]):
    """A layer without marks that sets the ranges of both axes, before other layers draw."""

    answer = "landscape"

    def draw_answer(self, part: LandscapePart) -> None:
        low, high = part.utilities
        room = (AXIS_FACTOR - 1) * positive_length(low, high)
        self.x.set_range(0.0, max(1.0, AXIS_FACTOR * part.largest))
        # There is room for the density of Epsilon* below the points.
        self.y.set_range(low - 2 * room, high + room)


class EpsilonAndUtilityDensities(AnswerLayer[LandscapePart]):
    """Kernel densities of Epsilon* and utility, for strategies with and without a claim."""

    answer = "landscape"

    def add_marks(self) -> None:
        self._areas = {}
        for kind, color, _, label in LOOKS:
            area = Area(color=color, opacity=0.15, outline=False)
            self._areas[kind] = self.add_each(label, area, area)

    def draw_answer(self, part: LandscapePart) -> None:
        x, y = self.x, self.y
        for kind, (below, right) in self._areas.items():
            of_epsilon, of_utility = (
                density[(density[:, 0] >= axis.low) & (density[:, 0] <= axis.high)]
                for density, axis in zip(
                    part.epsilon_and_utility_densities(kind), (x, y), strict=True
                )
            )
            # Densities are shares of an axis, measured from the lower and from the right edge.
            heights = y.low + DENSITY_SHARE_OF_AXIS * (y.high - y.low) * of_epsilon[:, 1]
            below.draw(_area_to_edge(np.column_stack([of_epsilon[:, 0], heights]), y.low, axis=1))
            depths = x.high - DENSITY_SHARE_OF_AXIS * (x.high - x.low) * of_utility[:, 1]
            right.draw(_area_to_edge(np.column_stack([depths, of_utility[:, 0]]), x.high, axis=0))


class FrontierLine(Layer):
    """Steps through the Pareto-optimal strategies and, on request, their convex hull."""

    of = ("answers.landscape", "answers.landscape_hull")
    label = "strategies that none dominates"
    steps = Line(color=theme.SELECTION, dash="dashed", steps=True, label=label)
    hull = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="convex hull (mixtures)")

    def draw(self, result: Result) -> None:
        frontier: Frontier | None = part_at_path(result.answers, "landscape.landscape.frontier")
        if frontier is None:
            self.hide()
            return
        # The last step goes on to the edge.
        edge = self.x.high
        steps = np.minimum(frontier.points[frontier.indices], [edge, np.inf])
        self.steps.draw(thinned(np.vstack([steps, [edge, steps[-1, 1]]])))
        hull = frontier.points[frontier.hull]
        # No line to an infinite Epsilon*: every mixture with it is infinite, too.
        hull = hull[np.isfinite(hull[:, 0])]
        self.hull.draw(thinned(hull) if result.answers.get("landscape_hull") else NOTHING)


class StrategyPoints(AnswerLayer[LandscapePart]):
    """A marker for each strategy, with error bars over its models; a click selects the strategy."""

    answer = "landscape"

    def add_marks(self) -> None:
        self._strategies: dict[int, list[Strategy]] = {}
        self._bars, self._points = {}, {}
        for kind, color, marker, label in LOOKS:
            self._bars[kind] = self.add(f"bars {kind}", Segments(color=color))
            on_pick = partial(self._select_strategy, kind)
            points = Points(color=color, marker=marker, size=70, on_pick=on_pick, label=label)
            self._points[kind] = self.add(f"points {kind}", points)

    def draw_answer(self, part: LandscapePart) -> None:
        # Strategies without a finite Epsilon*, or without a utility, stand at the edge.
        edge, bottom = self.x.high, self.y.low
        for kind, points in self._points.items():
            chosen = [s for s in part.landscape.strategies if training_kind(s) == kind]
            self._strategies[kind] = chosen
            places = [part.coordinates(s, right=edge, lower=bottom) for s in chosen]
            points.draw(np.array(places) if places else NOTHING)
            pieces = [
                piece
                for strategy, place in zip(chosen, places, strict=True)
                for piece in _error_bars(strategy, place, right=edge)
            ]
            self._bars[kind].draw(np.array(pieces) if pieces else NOTHING)

    def _select_strategy(self, kind: TrainingKind, index: int) -> None:
        self.change(strategy=self._strategies[kind][index])


class LoadedStrategy(Layer):
    """A marker, with a name, at the strategy of the model whose losses are loaded."""

    of = ("answers.landscape", "answers.landscape_chosen")
    point = Points(color=theme.LEVEL, marker="diamond", size=260)

    def draw(self, result: Result) -> None:
        part: LandscapePart | None = result.answers.get("landscape")
        strategy: Strategy | None = result.answers.get("landscape_chosen")
        if part is None or strategy is None:
            self.hide()
            return
        place = part.coordinates(strategy, right=self.x.high, lower=self.y.low)
        self.point.draw(np.array([place]), texts=[part.label(strategy)[:32]])


def _error_bars(
    strategy: Strategy, center: tuple[float, float], *, right: float
) -> list[list[list[float]]]:
    """Return error bars (two points each) of a strategy drawn at `center`, cut at x = `right`."""
    pieces = []
    if strategy.epsilon_range is not None:
        # A repeat with an infinite Epsilon* stands at the edge of the picture.
        low, high = (min(end, right) for end in strategy.epsilon_range)
        pieces.append([[low, center[1]], [high, center[1]]])
    if strategy.utility_range is not None:
        pieces.append([[center[0], end] for end in strategy.utility_range])
    # Repeats with equal values have no error bar.
    return [piece for piece in pieces if piece[0] != piece[1]]


def positive_length(low: float, high: float) -> float:
    """Return the length of a range of utilities, or a small positive number if the length is 0."""
    return max(high - low, 1e-3 * max(abs(high), 1e-3))


def _area_to_edge(curve: FloatArray, edge: float, *, axis: int) -> FloatArray:
    """Return the outline of the area from a curve to x = `edge` (axis 0) or y = `edge` (axis 1)."""
    if not len(curve):
        return NOTHING
    ends = curve[[-1, 0]].copy()
    ends[:, axis] = edge
    return np.vstack([curve, ends])


LANDSCAPE = Scene(
    title="Which models are private and useful?",
    needs="landscape",
    x=AxisSpec(label="Epsilon* (estimate, mean of repeats)", high=4),
    y=AxisSpec(label="utility"),
    layers=lambda: [
        LandscapeAxes(),
        EpsilonAndUtilityDensities(),
        FrontierLine(),
        # Under the points, so that these take the next press.
        LoadedStrategy(),
        StrategyPoints(),
    ],
)

TOPIC = answer_topic(LANDSCAPE, lead, summary, table, user_text=True)
