"""The view of privacy profiles: which (epsilon, delta) a guarantee satisfies."""

from dpviz.pictures.scene import Scene
from dpviz.pictures.scenes import PROFILE
from dpviz.widgets.view import FigureView


class ProfileView(FigureView):
    """The delta that goes with each epsilon, for the claim and its overlays."""

    def scene(self) -> Scene:
        """Its axes and layers."""
        return PROFILE
