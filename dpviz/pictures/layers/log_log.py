"""The log-log picture of TPR against FPR; rates of 0 stand at the edge and are named there.

A logarithmic axis has no 0 and bqplot draws no finite axis with one, so every rate is at least
`LOWEST` here.
"""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.parts.guarantee import GuaranteePart
from dpviz.analysis.parts.log_log import LOWEST, on_axes
from dpviz.analysis.parts.parts import SamplePart
from dpviz.pictures import theme
from dpviz.pictures.layer import ClaimLayer, SampleLayer
from dpviz.pictures.layers.random_guessing import add_random_guessing
from dpviz.pictures.marks import NOTHING, Line, Points


class ClaimTail(ClaimLayer):
    """The largest TPR that the claim allows at each FPR, and the line of random guessing."""

    closed_form = True

    def add_marks(self) -> None:
        add_random_guessing(self.frame, np.array([[LOWEST, LOWEST], [1.0, 1.0]]))
        mark = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
        self._curve = self.add("curve", mark)

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.drawn,)

    def draw(self, result: Result) -> None:
        self._curve.draw(on_axes(result.drawn.tail))


class AttackTail(SampleLayer):
    """The TPR of the attack as steps over the FPR; a marker for the rates that are 0."""

    def add_marks(self) -> None:
        label = "this attack (95 % band)"
        self._steps = self.add(
            "steps", Line(color=theme.ATTACK, dash="dashed", steps=True, label=label)
        )
        zero = Points(color=theme.ATTACK, marker="diamond")
        self._zero_fpr, self._zero_tpr = self.add_each("zero", zero, zero)

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.attack,)

    def draw_sample(self, sample: SamplePart) -> None:
        tail, at = sample.attack.tail, sample.at_fpr
        steps = on_axes(tail)
        # Steps left of the axes leave their last vertex at the edge.
        first = max(int(np.searchsorted(tail[:, 0], LOWEST, side="right")) - 1, 0)
        self._steps.draw(steps[first:])
        notes = f"FPR 0 (< 1/{at.n_nonmembers})", f"TPR 0 (< 1/{at.n_members})"
        fpr_note, tpr_note = map(self.frame.naming.renamed, notes)
        detects = tail[0, 1] > 0
        self._zero_fpr.draw(steps[:1] if detects else NOTHING, texts=[fpr_note])
        zero_tpr = tail[tail[:, 1] == 0][-1:]
        self._zero_tpr.draw(NOTHING if detects else on_axes(zero_tpr), texts=[tpr_note])


def on_tail(overlay: GuaranteePart, i: int) -> tuple[float, float]:
    """Place of the i-th overlay's name: on its line, from FPR 1e-4 to the right."""
    fpr = 10.0 ** (-4 + 0.6 * i)
    x, y = on_axes(overlay.tail).T
    return fpr, float(np.interp(fpr, x, y))
