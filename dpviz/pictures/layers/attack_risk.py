"""The advantage and the PPV that the attack reached."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.marks import Line, Points


class AttackRisk(Layer):
    """Advantage and PPV at each FPR of the attack; a marker for FPR 0, which a log axis lacks."""

    def add_marks(self) -> None:
        self._ppv = self.add(
            "ppv", Line(color=theme.ATTACK, dash="dashed", label="PPV of this attack (estimate)")
        )
        self._advantage = self.add(
            "advantage",
            Line(
                color=theme.LIMIT,
                dash="dotted",
                label="advantage of this attack (estimate)",
                extra=True,
            ),
        )
        self._at_zero = self.add("at zero", Points(color=theme.ATTACK))

    def parts(self, result: Result) -> tuple[object, ...]:
        return (result.sample and result.sample.risk, result.risk)  # `risk` sets the x axis

    def draw(self, result: Result) -> None:
        if result.sample is None:
            self.hide()
            return
        risk = result.sample.risk
        self._ppv.draw(risk.ppv)
        self._advantage.draw(risk.advantage)
        if np.isnan(risk.ppv_at_zero):
            self._at_zero.hide()
        else:
            place = np.array([[result.risk.lowest_fpr, risk.ppv_at_zero]])
            self._at_zero.draw(place, texts=[self.frame.naming.renamed("this attack at FPR 0")])
