"""Guesses about a secret: chances without and with the output, one output, its posterior."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.number_format import percent, tidy_rate, upper
from dpviz.analysis.parts.posterior import PosteriorPart
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer, Layer
from dpviz.pictures.layers.bars import outline_of
from dpviz.pictures.layers.cursor import CursorLayer
from dpviz.pictures.marks import NOTHING, Area, Line, Points

LARGEST = 0.999  # chance without the output that a drag can choose


class GuessBounds(ClaimLayer):
    """The largest chance of a right guess with the output, over that without it."""

    closed_form = True

    def add_marks(self) -> None:
        guide = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="no output")
        kappas = np.geomspace(self.x.low, 1.0, 121)
        self.frame.add(guide).draw(np.column_stack([kappas, kappas]))
        self._loose = self.add(
            "loose", Line(color=theme.LEVEL, dash="dash_dotted", width=1.5, label="e^ε κ + δ")
        )
        self._bound = self.add(
            "bound", Line(color=theme.CLAIM, width=2.5, label="limit of the claim: 1 - f(κ)")
        )
        self._best = self.add("best", Points(color=theme.ATTACK, size=16, label="best guess (MAP)"))
        self._limit = self.add("limit", Points(color=theme.CLAIM, marker="diamond", size=90))
        self._reached = self.add("reached", Points(color=theme.ATTACK, size=80))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.guess, result.claim)

    def draw(self, result: Result) -> None:
        part = result.guess
        self._loose.draw(part.loose_bounds)
        self._bound.draw(part.bounds)
        at = np.array([[max(part.kappa, self.x.low), part.bound]])
        self._limit.draw(at, texts=[percent(upper(part.bound))])
        if part.best is None or part.best_guesses is None:
            self._best.hide()
            self._reached.hide()
            return
        self._best.draw(part.best_guesses)
        at = np.array([[max(part.kappa, self.x.low), part.best]])
        self._reached.draw(at, texts=[percent(part.best)])


class ChanceWithoutOutput(CursorLayer):
    """The chance without the output, dragged along its axis."""

    closed_form = True

    def add_marks(self) -> None:
        self.add_cursor(on_move=lambda x: self.change(kappa=tidy_rate(min(x, LARGEST))), label="κ")

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.guess,)

    def draw(self, result: Result) -> None:
        self.place_cursor(result.guess.kappa)


class CandidateOutput(CursorLayer):
    """The output's number for candidate 1, dragged along its axis."""

    def add_marks(self) -> None:
        self.add_cursor(
            on_move=lambda x: self.change(output=float(f"{x:.4g}")),
            label="output y",
            color=theme.ATTACK,
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        return (posterior(result),)

    def draw(self, result: Result) -> None:
        self.place_cursor(posterior(result).output)


class PosteriorBars(Layer):
    """The posterior of candidate 1 and of the likeliest others, the best guess filled."""

    def add_marks(self) -> None:
        # Without a label, which would push numbers away from their bars: the axis names it.
        prior = Line(color=theme.SELECTION, dash="dotted", width=1.5)
        self._prior = self.add("prior", prior)
        self._others = self.add("others", Area(color=theme.NONMEMBER, opacity=0.3))
        self._guess = self.add("guess", Area(color=theme.ATTACK, opacity=0.7))
        self._numbers = self.add("numbers", Points(color=theme.MEMBER, marker="diamond", size=10))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (posterior(result),)

    def draw(self, result: Result) -> None:
        part = posterior(result)
        n_others, others = part.others
        values = [float(part.posterior[i]) for i in part.shown]
        names = [f"candidate {i + 1}" for i in part.shown]
        if n_others:
            values.append(others)
            names.append(f"{n_others} others")
        places = self.y.set_names(names)
        self._prior.draw(self.frame.vertical(part.prior))
        bars = list(zip(values, places, strict=True))
        guess = part.shown.index(part.guess)
        self._guess.draw(outline_of([bars[guess]]))
        rest = [bar for i, bar in enumerate(bars) if i != guess]
        self._others.draw(outline_of(rest) if rest else NOTHING)
        self._numbers.draw(np.array(bars), texts=[percent(value) for value in values])


def posterior(result: Result) -> PosteriorPart:
    part: PosteriorPart = result.answers["posterior"]
    return part
