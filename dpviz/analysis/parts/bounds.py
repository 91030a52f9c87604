"""Lower bounds on epsilon of all methods, side by side."""

from dataclasses import dataclass
from typing import Literal

from dpviz import checks
from dpviz.audit import EpsilonBound, lower_bound
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.ceiling import ceiling
from dpviz.audit.bounds.result import APPLIES_TO, INDEPENDENT, AppliesTo
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores

Directions = Literal["attack", "both"]


@dataclass(frozen=True, kw_only=True)
class BoundsQuestion:
    """The arguments of `dpviz.audit.lower_bound` that all methods share.

    `method` is the first row of the table, and the subject of the sentence. `threshold` is on the
    scale of the scores, fixed before looking at them; without one the methods that need it are left
    out.

    Raises ValueError if a field leaves its range.
    """

    delta: float = 1e-5
    confidence_level: float = 0.95
    applies_to: AppliesTo = "instance"
    directions: Directions = "attack"
    threshold: float | None = None
    method: str = DEFAULT

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
        """The methods: the chosen one first, those with a condition of their own last."""
        asked = [m for m in BOUNDS if self.threshold is not None or not BOUNDS[m].needs_threshold]
        return tuple(sorted(asked, key=lambda m: (m != self.method, bool(condition(m)))))


@dataclass(frozen=True, kw_only=True, eq=False)
class BoundsPart:
    """A question with each method's bound, or its reason to reject such scores.

    `ceiling` is the bound of the chosen method for a perfect attack on as many records.
    """

    question: BoundsQuestion
    bounds: tuple[EpsilonBound, ...] = ()
    refusals: tuple[tuple[str, str], ...] = ()
    ceiling: float | None = None

    @property
    def chosen(self) -> EpsilonBound | None:
        """The bound of the chosen method."""
        return next((bound for bound in self.bounds if bound.method == self.question.method), None)


def condition(method: str) -> str:
    """The condition of a method beyond independent records of both classes; "" where none."""
    asked = BOUNDS[method]
    return asked.assumption or (asked.sampling if asked.sampling != INDEPENDENT else "")


def lower_bounds(
    scores: Scores, question: BoundsQuestion, *, progress: Progress = iter
) -> BoundsPart:
    """Compute the bound of each method; one that rejects the scores stops no other.

    `progress` wraps the range of methods while they are computed.
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
                applies_to=BOUNDS[method].applies_to or question.applies_to,
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
    # Two directions share the error rate. A level that the method cannot resolve has no ceiling.
    level = question.confidence_level
    try:
        return ceiling(
            n_members=scores.n_members,
            n_nonmembers=scores.n_nonmembers,
            delta=question.delta,
            confidence_level=level if question.directions == "attack" else (1 + level) / 2,
            method=question.method,
        )
    except ValueError:
        return None
