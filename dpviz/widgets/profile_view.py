"""The view of privacy profiles: which (epsilon, delta) a guarantee satisfies."""

from typing import ClassVar

from dpviz.analysis.overlays import LOWEST_DELTA
from dpviz.widgets.figures import AxisSpec, Frame
from dpviz.widgets.layers.layer import Layer
from dpviz.widgets.layers.overlays import Overlays
from dpviz.widgets.layers.profiles import ClaimProfile, ReadEpsilon, on_profile, profile_line
from dpviz.widgets.view import FigureView


class ProfileView(FigureView):
    """The delta that goes with each epsilon, for the claim and its overlays."""

    title: ClassVar[str] = "Privacy profile: δ at each ε"
    sentences: ClassVar[tuple[str, ...]] = ("profile",)

    def frame(self) -> Frame:
        """Epsilon from 0, delta logarithmic."""
        return Frame(
            x=AxisSpec(label="ε", high=2),
            y=AxisSpec(label="δ (log scale)", low=LOWEST_DELTA, high=1, scale="log"),
            left=74,
        )

    def layers(self) -> list[Layer]:
        """Profiles, then the place where epsilon is read."""
        overlays = Overlays(profile_line, on_profile, raise_names=-14)
        return [ClaimProfile(), overlays, ReadEpsilon()]
