"""Privacy profiles: the delta that goes with each epsilon."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.overlays import LOWEST_DELTA, GuaranteePart
from dpviz.analysis.wording import short, upper
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame
from dpviz.pictures.layer import Change

FAR = 1e4
"""Further right than any picture: there a profile has become level."""


class ClaimProfile:
    """The profile of the claim; it sets the range so that all profiles fit."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """One line."""
        self._frame = frame
        self._line = frame.line(color=theme.CLAIM, width=2.5, label="claim: δ at each ε")

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim, and the overlays for the range."""
        return (result.drawn, result.overlays)

    def draw(self, result: Result) -> None:
        """Set the range, then the line."""
        ends = [part.profile[-1, 0] for part in (result.drawn, *result.overlays)]
        self._frame.x.set_range(0.0, max(1.0, 1.25 * float(max(ends))))
        self._line.draw(profile_line(result.drawn))


class ReadEpsilon:
    """The chosen delta and the epsilon that goes with it."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """Two lines to the axes and a marker."""
        self._frame = frame
        self._lines = frame.line(color=theme.SELECTION, dash="dotted", width=1.5)
        self._point = frame.points(
            color=theme.LEVEL, marker="diamond", raise_text=8, label="ε at the chosen δ"
        )

    def parts(self, result: Result) -> tuple[object, ...]:
        """The claim at its delta, and what decides the axes."""
        return (result.claim, result.overlays)

    def draw(self, result: Result) -> None:
        """Stand on the curve; nothing where no epsilon is enough."""
        x, y, claim = self._frame.x, self._frame.y, result.claim
        if np.isinf(claim.implied):
            self._lines.draw(NOTHING)
            self._point.draw(NOTHING)
            return
        at = np.array([x.clamp(claim.implied), y.clamp(claim.delta)])
        self._lines.draw(np.array([[x.low, at[1]], at, [at[0], y.low]]))
        is_right = at[0] > (x.low + x.high) / 2
        self._point.draw(
            at[None], texts=[f"ε = {short(upper(claim.implied))}"], to_the_left=bool(is_right)
        )


def profile_line(part: GuaranteePart) -> FloatArray:
    """The profile, and on to the right at the level that is left."""
    last = part.profile[-1]
    level = last[1] > LOWEST_DELTA * 1.001
    return np.concatenate([part.profile, [[max(FAR, last[0]), last[1]]]]) if level else part.profile


def on_profile(part: GuaranteePart, i: int) -> tuple[float, float]:
    """On the profile, at a decade of its own from 0.1 downwards."""
    epsilon, delta = part.profile.T
    height = float(np.clip(10.0 ** (-1 - 1.5 * i), delta[-1], delta[0]))
    return float(np.interp(-np.log(height), -np.log(delta), epsilon)), height
