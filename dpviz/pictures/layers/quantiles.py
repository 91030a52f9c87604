"""Quantiles of the data against those of the fitted laws."""

import numpy as np

from dpviz.analysis import Result
from dpviz.pictures import theme
from dpviz.pictures.frame import NOTHING, Frame, Points
from dpviz.pictures.layer import Change

LEAST_REACH = 4.0
MOST_REACH = 12.0


class Quantiles:
    """Points of both classes, the line a right fit follows, and the maximum's place on it."""

    closed_form = False

    def build(self, frame: Frame, change: Change) -> None:
        """A line, and for each class points and a marker."""
        self._frame = frame
        self._diagonal = frame.line(color=theme.SELECTION, dash="dashed", label="a right fit")
        self._points: list[Points] = []
        self._maxima: list[Points] = []
        for color, marker, label in (
            (theme.NONMEMBER, "circle", "non-members"),
            (theme.MEMBER, "triangle-up", "members"),
        ):
            self._points.append(frame.points(color=color, marker=marker, size=16, label=label))
        for color, label in (
            (theme.NONMEMBER, "the maximum of Epsilon*, from the non-members' mean"),
            (theme.MEMBER, "from the members'"),
        ):
            self._maxima.append(frame.points(color=color, marker="diamond", label=label))

    def parts(self, result: Result) -> tuple[object, ...]:
        """The fit, and the place of the maximum."""
        sample = result.sample
        return (sample and sample.fit, sample and sample.epsilon_star)

    def draw(self, result: Result) -> None:
        """Set the ranges, then the points; what lies farther out stands at the edge."""
        if result.sample is None or not len(result.sample.fit.member_quantiles):
            self._diagonal.draw(NOTHING)
            for mark in (*self._points, *self._maxima):
                mark.draw(NOTHING)
            return
        part, at = result.sample.fit, result.sample.epsilon_star.star.extrapolation
        pairs = (part.nonmember_quantiles, part.member_quantiles)
        places = (at.z_nonmember, at.z_member) if at else ()
        farthest = max(float(np.abs(np.concatenate(pairs)).max()), *np.abs(places), LEAST_REACH)
        reach = float(np.ceil(min(farthest, MOST_REACH)))
        self._frame.x.set_range(-reach, reach)
        self._frame.y.set_range(-reach, reach)
        self._diagonal.draw(np.array([[-reach, -reach], [reach, reach]]))
        for points, pair in zip(self._points, pairs, strict=True):
            points.draw(np.clip(pair, -reach, reach))
        if not places:
            for mark in self._maxima:
                mark.draw(NOTHING)
            return
        for mark, z in zip(self._maxima, places, strict=True):
            edge = float(np.clip(z, -reach, reach))
            mark.draw(np.array([[edge, edge]]))
