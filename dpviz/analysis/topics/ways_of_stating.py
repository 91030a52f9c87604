"""One guarantee in every way of stating it, and what each allows at the FPR of examples."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.analysis.topics.claim import name
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import NAMES, outline_of
from dpviz.drawing.marks import Area, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import percent, short, upper
from dpviz.theory import (
    GaussianDP,
    PureDP,
    Statement,
    TradeoffFunction,
    ZeroConcentratedDP,
    ways_of_stating,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class WaysPart:
    """The guarantee `given`, and what states it; the first statement is the guarantee itself."""

    given: TradeoffFunction
    statements: tuple[Statement, ...]
    fpr: float

    @cached_property
    def allowed(self) -> tuple[float | None, ...]:
        """The largest TPR that each allows at `fpr`; None where it states nothing."""
        return tuple(each.tpr(self.fpr) for each in self.statements)

    @property
    def itself(self) -> float:
        """The largest TPR that the guarantee itself allows."""
        return self.allowed[0] or 0.0


class Ways:
    """Computes the part; the same arguments give the same object."""

    @memoised
    def part(self, given: TradeoffFunction, delta: float, fpr: float) -> WaysPart:
        """What states a guarantee, with epsilons at delta, and what it allows at an FPR."""
        return WaysPart(given=given, statements=self._statements(given, delta), fpr=fpr)

    @memoised
    def _statements(self, given: TradeoffFunction, delta: float) -> tuple[Statement, ...]:
        return ways_of_stating(given, delta=delta)


# Sentences about one guarantee in every way of stating it.

ABOUT = (
    "Each statement follows from the claim: it allows every attack that the claim allows, and "
    "most allow more. Numbers are the smallest that hold, rounded up. μ is stated where FPR and "
    "FNR are at least 1e-6. “Through Rényi” is the ε that follows from Rényi "
    "divergences alone, which is what an accountant of Rényi DP knows."
)

CAPTION = "The same claim in every way of stating it."
HEAD = ("stated as", "TPR at most", "more than the claim")
SAME = 5e-4  # of a TPR: a difference that three digits do not show

NOTHING = {
    "gaussian_dp": "no μ",
    "renyi": "no Rényi divergence is known to be finite",
    "zero_concentrated": "no ρ",
    "approximate": "no finite ε at this δ",
    "approximate_of_renyi": "no ε through Rényi",
    "pure": "no finite ε at δ = 0",
}


def label(statement: Statement) -> str:
    """A statement with its number, rounded up."""
    claim = statement.claim
    if statement.way == "itself":
        return "the claim itself"
    if claim is None:
        return NOTHING[statement.way]
    if statement.way == "renyi":
        return "Rényi DP at many orders"
    if isinstance(claim, GaussianDP):
        return f"μ = {short(upper(claim.mu))}"
    if isinstance(claim, ZeroConcentratedDP):
        return f"ρ = {short(upper(claim.rho))} (zCDP)"
    epsilon = short(upper(claim.parameters["epsilon"]))
    if isinstance(claim, PureDP):
        return f"ε = {epsilon} (pure)"
    pair = f"ε = {epsilon}, δ = {short(claim.parameters['delta'])}"
    return f"{pair} through Rényi" if statement.way == "approximate_of_renyi" else pair


def lead(part: WaysPart) -> str:
    """What the guarantee allows, and what the statement that allows most does."""
    known = [
        (allowed, label(each))
        for each, allowed in zip(part.statements, part.allowed, strict=True)
        if allowed is not None
    ]
    most, stated = max(known, key=lambda each: each[0])
    at = f"At FPR {percent(part.fpr)} at most {percent(upper(part.itself))} of members are caught"
    if most - part.itself < SAME:
        return f"{at}, in whichever way the claim is stated."
    return f"{at}; known only as {stated}, up to {percent(upper(most))}."


def about(part: WaysPart) -> str:
    """What the statements are of, and how they are meant."""
    return f"Stated here: {name(part.given)}. {ABOUT}"


def table(part: WaysPart) -> list[tuple[str, ...]]:
    """One row for each way, under `HEAD`."""
    return [
        (label(each), *_allowed(allowed, part.itself))
        for each, allowed in zip(part.statements, part.allowed, strict=True)
    ]


def _allowed(tpr: float | None, itself: float) -> tuple[str, str]:
    if tpr is None:
        return ("-", "-")
    return (percent(upper(tpr)), percent(upper(max(tpr - itself, 0.0))))


# What each way of stating a guarantee allows at one FPR, as horizontal bars.

ROOM = 1.5  # length of the axis over that of the longest bar
WHOLE = 1.16  # its length where a bar reaches 100 %


class WaysOfStating(Layer):
    """The guarantee's own bar filled, those of statements hollow; a line continues the first."""

    def add_marks(self) -> None:
        self._itself = self.add("itself", Area(color=theme.CLAIM, opacity=0.5))
        self._stated = self.add("stated", Area(color=theme.LEVEL, opacity=0.15))
        self._truth = self.add("truth", Line(color=theme.CLAIM, dash="dotted", width=1.5))
        self._numbers = self.add("numbers", Points(color=theme.MEMBER, marker="diamond", size=10))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (shown_part(result), result.naming)

    def draw(self, result: Result) -> None:
        part = shown_part(result)
        shown = [
            (allowed, label(each))
            for each, allowed in zip(part.statements, part.allowed, strict=True)
            if allowed is not None
        ]
        places = self.y.set_names([name for _, name in shown])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(result.naming.renamed(at_fpr))
        bars = [(allowed, place) for (allowed, _), place in zip(shown, places, strict=True)]
        self.x.set_range(0.0, min(WHOLE, ROOM * max(allowed for allowed, _ in bars)) or WHOLE)
        self._itself.draw(outline_of(bars[:1]))
        self._stated.draw(outline_of(bars[1:]))
        self._truth.draw(self.frame.vertical(part.itself))
        texts = [percent(upper(allowed)) for allowed, _ in bars]
        self._numbers.draw(np.array(bars), texts=texts)


def shown_part(result: Result) -> WaysPart:
    part: WaysPart = result.answers["ways_of_stating"]
    return part


WAYS_OF_STATING = Scene(
    title="What does each way of stating the claim allow?",
    topic="ways_of_stating",
    needs="ways_of_stating",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.16, is_rate=True),
    y=NAMES,
    left=235,
    layers=lambda: [WaysOfStating()],
)


TOPIC = Topic(
    sentences={
        "ways_of_stating_lead": of_answer("ways_of_stating", lambda p, _: lead(p), lead=True),
        "ways_of_stating": of_answer("ways_of_stating", lambda p, _: about(p)),
    },
    tables={
        "ways_of_stating": of_answer(
            "ways_of_stating",
            lambda p, _: Table(CAPTION, HEAD, table(p)),
        ),
    },
    scenes={
        "ways_of_stating": WAYS_OF_STATING,
    },
)
