"""The advantage and PPV that the attack reached."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change


class AttackRisk:
    """What the attack reached at each FPR it realises."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines, and a marker for FPR 0, which a log axis cannot hold."""
        self._ppv = frame.line(
            color=theme.ATTACK, dash="dashed", label="PPV of this attack (estimate)"
        )
        self._advantage = frame.line(
            color=theme.MEMBER,
            dash="dotted",
            label="advantage of this attack (estimate)",
        )
        self._at_zero = frame.points(color=theme.ATTACK)

    def parts(self, result: Result) -> tuple[object, ...]:
        """The attack at this prior, and where the axis begins."""
        return (result.sample and result.sample.risk, result.risk)

    def draw(self, result: Result) -> None:
        """Show both, and what the attack reaches with FPR 0 at the axis' left end."""
        risk = result.sample.risk if result.sample else None
        self._ppv.draw(NOTHING if risk is None else risk.ppv)
        self._advantage.draw(NOTHING if risk is None else risk.advantage)
        if risk is None or np.isnan(risk.ppv_at_zero):
            self._at_zero.draw(NOTHING)
        else:
            place = np.array([[result.risk.lowest_fpr, risk.ppv_at_zero]])
            self._at_zero.draw(place, texts=["FPR 0"])
