"""The elements of pictures: scenes, axes, layers that show a result, and marks."""

from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.frame import rectangle, thinned
from dpviz.drawing.layer import AnswerLayer, ClaimLayer, Layer, SampleLayer
from dpviz.drawing.layers import EPSILON_AXIS, LOG_ODDS_AXIS, ROW_AXIS, CursorLayer, outline_of
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.drawing.scene import PLANE, Scene

__all__ = ["EPSILON_AXIS", "LOG_ODDS_AXIS", "NOTHING", "PLANE", "ROW_AXIS", "AnswerLayer", "Area"]
__all__ += ["AxisSpec", "ClaimLayer", "CursorLayer", "Layer", "Line", "Points", "SampleLayer"]
__all__ += ["Scene", "outline_of", "rectangle", "theme", "thinned"]
