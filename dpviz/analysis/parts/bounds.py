"""Lower bounds on epsilon of all methods, asked side by side."""

from dataclasses import dataclass
from typing import Literal

from dpviz import checks
from dpviz.audit import EpsilonBound, lower_bound
from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.bound import APPLIES_TO, INDEPENDENT, AppliesTo
from dpviz.audit.bounds.counts import FROM_COUNTS
from dpviz.audit.ceiling import ceiling
from dpviz.audit.resampling import Progress

Directions = Literal["attack", "both"]
DEFAULT = "rank"
"""The method that is asked first, and that the sentence is about."""
OF_THE_MECHANISM = frozenset({"one_run"})
"""Methods whose epsilon is the mechanism's, whatever the records are said to be."""


@dataclass(frozen=True, kw_only=True)
class BoundsQuestion:
    """What all methods are asked about the same scores; as in `dpviz.audit.lower_bound`.

    Parameters
    ----------
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1).
    applies_to : {"instance", "mechanism"}
    directions : {"attack", "both"}
    threshold : float or None
        In the unit of the scores, fixed before looking at them; without one the methods that need
        it are left out.

    Raises
    ------
    ValueError
        If a field leaves its range.
    """

    delta: float = 1e-5
    confidence_level: float = 0.95
    applies_to: AppliesTo = "instance"
    directions: Directions = "attack"
    threshold: float | None = None

    def __post_init__(self) -> None:
        level = checks.real("confidence_level", self.confidence_level, 0, 1, closed="neither")
        checks.choice("applies_to", self.applies_to, APPLIES_TO)
        checks.choice("directions", self.directions, ("attack", "both"))
        legal = {"delta": checks.real("delta", self.delta, 0, 1), "confidence_level": level}
        if self.threshold is not None:
            legal["threshold"] = checks.real("threshold", self.threshold)
        for name, value in legal.items():
            object.__setattr__(self, name, value)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods it is put to: the default first, those with a condition of their own last."""
        asked = [m for m in BOUNDS if m not in FROM_COUNTS or self.threshold is not None]
        return tuple(sorted(asked, key=lambda m: (m != DEFAULT, bool(condition(m)))))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundsPart:
    """A question and what each method answers: a bound, or why it refuses such scores.

    No method has answered until they are asked. `ceiling` is what the default method would certify
    of a perfect attack on as many records.
    """

    question: BoundsQuestion
    bounds: tuple[EpsilonBound, ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()
    ceiling: float | None = None

    @property
    def default(self) -> EpsilonBound | None:
        """The answer of the default method."""
        return next((bound for bound in self.bounds if bound.method == DEFAULT), None)


def condition(method: str) -> str:
    """What a method needs beyond independent records of both classes; empty where nothing."""
    asked = BOUNDS[method]
    return asked.assumption or (asked.sampling if asked.sampling != INDEPENDENT else "")


def lower_bounds(
    scores: Scores, question: BoundsQuestion, *, progress: Progress = iter
) -> BoundsPart:
    """Put the question to one method after the other; one that refuses stops no other.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    question : BoundsQuestion
    progress : callable
        Wraps the range of methods as it goes through.
    """
    found, refused = [], []
    for i in progress(range(len(question.methods))):
        method = question.methods[i]
        try:
            bound = lower_bound(
                scores,
                delta=question.delta,
                confidence_level=question.confidence_level,
                method=method,
                applies_to="mechanism" if method in OF_THE_MECHANISM else question.applies_to,
                directions=question.directions,
                threshold=question.threshold,
            )
        except ValueError as error:
            refused.append((method, str(error)))
        else:
            found.append(bound)
    return BoundsPart(
        question=question,
        bounds=tuple(found),
        refusals=tuple(refused),
        ceiling=_ceiling(scores, question),
    )


def _ceiling(scores: Scores, question: BoundsQuestion) -> float | None:
    """Of the default method, which pays for a second direction; None where it refuses the level."""
    level = question.confidence_level
    try:
        return ceiling(
            n_members=scores.n_members,
            n_nonmembers=scores.n_nonmembers,
            delta=question.delta,
            confidence_level=level if question.directions == "attack" else (1 + level) / 2,
        )
    except ValueError:
        return None
