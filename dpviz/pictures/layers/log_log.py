"""The log-log picture: TPR against FPR, where leaks live; what is 0 stands at the edge and says so.

A logarithmic axis has no 0 and bqplot draws no finite axis with one, so every rate is at least
`LOWEST` here.
"""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.log_log import LOWEST, on_axes
from dpviz.analysis.overlays import GuaranteePart
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame, Mark
from dpviz.pictures.layer import Change


class ClaimTail:
    """The largest TPR the claim permits at each FPR, over the line of a blind guess."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines."""
        self._guess = frame.line(
            color=theme.SELECTION, dash="dotted", width=1.5, label="blind guess"
        )
        self._guess.draw(np.array([[LOWEST, LOWEST], [1.0, 1.0]]))
        self._curve = frame.line(color=theme.CLAIM, width=2.5, label="claim: no attack above")

    def marks(self) -> dict[str, Mark]:
        """The curve; the line of a blind guess stays."""
        return {"curve": self._curve}

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim."""
        return (result.drawn,)

    def draw(self, result: Result) -> None:
        """Move the vertices."""
        self._curve.draw(on_axes(result.drawn.tail))


class AttackTail:
    """The attack's steps: at each FPR the TPR of the threshold that accuses no more."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One line of steps, and the rates that are 0 at the edge."""
        self._steps = frame.line(
            color=theme.ATTACK,
            dash="dashed",
            steps=True,
            label="this attack, measured (estimate)",
        )
        self._none_accused = frame.points(color=theme.ATTACK, marker="diamond", raise_text=6)
        self._none_caught = frame.points(color=theme.ATTACK, marker="diamond", raise_text=6)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The attack's curve."""
        return (result.sample and result.sample.attack,)

    def draw(self, result: Result) -> None:
        """Show the steps, or nothing without scores."""
        if result.sample is None:
            for mark in (self._steps, self._none_accused, self._none_caught):
                mark.draw(NOTHING)
            return
        tail, at = result.sample.attack.tail, result.sample.at_fpr
        steps = on_axes(tail)
        # What lies left of the axes leaves its last step at the edge.
        first = max(int(np.searchsorted(tail[:, 0], LOWEST, side="right")) - 1, 0)
        self._steps.draw(steps[first:])
        fpr_note, tpr_note = f"FPR 0 (< 1/{at.n_nonmembers})", f"TPR 0 (< 1/{at.n_members})"
        caught = tail[0, 1] > 0
        self._none_accused.draw(steps[:1] if caught else NOTHING, texts=[fpr_note])
        accused = tail[tail[:, 1] == 0][-1:]
        self._none_caught.draw(NOTHING if caught else on_axes(accused), texts=[tpr_note])


def on_tail(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """Where an overlay's name stands: on its line, from FPR 1e-4 to the right."""
    fpr = 10.0 ** (-4 + 0.6 * i)
    x, y = on_axes(overlay.tail).T
    return fpr, float(np.interp(fpr, x, y))
