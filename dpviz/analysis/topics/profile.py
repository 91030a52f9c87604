"""The privacy profile of a guarantee: the smallest delta at each epsilon."""

import math

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.topics.claim import LOWEST_DELTA, GuaranteePart, Overlays, swapped_roles_text
from dpviz.checks import FloatArray
from dpviz.drawing import NOTHING, AxisSpec, ClaimLayer, Layer, Line, Points, Scene, theme
from dpviz.number_format import short, upper


def lead(result: Result) -> str:
    """Say which epsilon the claim implies at the chosen delta."""
    claim = result.claim
    at = f"at δ = {short(claim.delta)}"
    if math.isinf(claim.implied):
        return f"This guarantee gives no finite ε {at}."
    converted = " (converted to replace-one)" if claim.converted else ""
    return f"This guarantee{converted} gives ε = {short(upper(claim.implied))} {at}."


FAR_EPSILON = 1e4  # an epsilon beyond the axis, for profiles whose delta does not fall to 0


class ClaimProfile(Layer):
    """The claim's privacy profile (delta against epsilon); the axis has room for all overlays."""

    of = ("drawn", "overlays")
    line = Line(color=theme.CLAIM, width=2.5, label="least δ at each ε")

    def draw(self, result: Result) -> None:
        ends = [part.profile[-1, 0] for part in (result.drawn, *result.overlays)]
        self.x.set_range(0.0, max(1.0, min(1.25 * float(max(ends)), 1e308)))
        self.line.draw(profile_line(result.drawn) if result.is_claimed else NOTHING)


class EpsilonAtDelta(ClaimLayer):
    """Dotted lines from delta to the profile and down to epsilon; hidden if epsilon is infinite."""

    of = ("claim", "overlays")  # the overlays set the axes
    lines = Line(color=theme.SELECTION, dash="dotted", width=1.5)
    point = Points(color=theme.LEVEL, marker="diamond")

    def draw(self, result: Result) -> None:
        x, y, claim = self.x, self.y, result.claim
        if np.isinf(claim.implied):
            self.hide()
            return
        at = np.array([x.clamp(claim.implied), y.clamp(claim.delta)])
        self.lines.draw(np.array([[x.low, at[1]], at, [at[0], y.low]]))
        self.point.draw(at[None], texts=[f"ε = {short(upper(claim.implied))}"])


def profile_line(part: GuaranteePart) -> FloatArray:
    """Return a privacy profile, continued horizontally if it ends above delta = 1e-12."""
    last = part.profile[-1]
    if last[1] <= LOWEST_DELTA * 1.001:
        return part.profile
    return np.concatenate([part.profile, [[max(FAR_EPSILON, last[0]), last[1]]]])


def profile_label_point(part: GuaranteePart, index: int) -> tuple[float, float]:
    """Return the point (epsilon, delta) on the profile at which an overlay's name is drawn."""
    epsilon, delta = part.profile.T
    # Delta falls along the profile, and interpolation needs an ascending -log delta.
    height = float(np.clip(10.0 ** (-1 - 1.5 * index), delta[-1], delta[0]))
    return float(np.interp(-np.log(height), -np.log(delta), epsilon)), height


PROFILE = Scene(
    title="Which δ goes with which ε?",
    topic="profile",
    x=AxisSpec(label="ε", high=2),
    y=AxisSpec(label="δ (log scale)", low=LOWEST_DELTA, high=1, scale="log"),
    left=74,
    layers=lambda: [ClaimProfile(), Overlays(profile_line, profile_label_point), EpsilonAtDelta()],
)

TOPIC = Topic(
    sentences={
        "profile": TextWriter(lead, "profile", lead=True, about_claim=True),
        "other_order": TextWriter(swapped_roles_text, "profile", about_claim=True),
    },
    scenes={"profile": PROFILE},
)
