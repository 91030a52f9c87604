"""What a picture is made of: a scene of two axes, layers that show a result, and their marks."""

from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec, as_odds, bent, decades_of, rate_of, round_end
from dpviz.drawing.frame import rectangle, thinned
from dpviz.drawing.layer import AnswerLayer, ClaimLayer, Layer, SampleLayer
from dpviz.drawing.layers import (
    EPSILON_AXIS,
    FNR_AXIS,
    FPR_AXIS,
    LOG_ODDS_AXIS,
    ROW_AXIS,
    Bar,
    BarChartData,
    Bars,
    CursorLayer,
    Kind,
    NamedLines,
    OverGuessing,
    abbreviated,
    add_random_guessing,
    at_height,
    outline_of,
)
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.drawing.scene import PLANE, Scene

__all__ = ["EPSILON_AXIS", "FNR_AXIS", "FPR_AXIS", "LOG_ODDS_AXIS", "NOTHING", "PLANE", "ROW_AXIS"]
__all__ += ["AnswerLayer", "Area", "AxisSpec", "Bar", "BarChartData", "Bars", "ClaimLayer"]
__all__ += ["CursorLayer", "Kind", "Layer", "Line", "NamedLines", "OverGuessing", "Points"]
__all__ += ["SampleLayer", "Scene", "abbreviated", "add_random_guessing", "as_odds", "at_height"]
__all__ += ["bent", "decades_of", "outline_of", "rate_of", "rectangle", "round_end", "theme"]
__all__ += ["thinned"]
