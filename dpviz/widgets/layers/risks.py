"""Advantage and PPV over the FPR: the claim's bounds and the attack's own values."""

import numpy as np

from dpviz.analysis import Result
from dpviz.widgets.figures import Frame, theme
from dpviz.widgets.figures.marks import NOTHING
from dpviz.widgets.layers.layer import Change


class RiskBounds:
    """The most advantage and PPV the claim permits, over the prior as a base line."""

    closed_form = True

    def build(self, frame: Frame, change: Change) -> None:
        """Two bounds and the level of the prior."""
        self._frame = frame
        self._prior = frame.line(color=theme.SELECTION, dash="dotted", width=1.5, label="prior p")
        self._ppv = frame.line(color=theme.CLAIM, width=2.5, label="PPV: at most (claim)")
        self._advantage = frame.line(
            color=theme.NONMEMBER, width=2.5, label="advantage: at most (claim)"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """Claim and prior."""
        return (result.risk,)

    def draw(self, result: Result) -> None:
        """Set the range so that the cliff of delta shows, then the lines."""
        risk, prior = result.risk, result.spec.prior
        self._frame.x.set_range(risk.lowest_fpr, 1.0)
        self._prior.draw(np.array([[risk.lowest_fpr, prior], [1.0, prior]]))
        self._ppv.draw(risk.ppv)
        self._advantage.draw(risk.advantage)


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
