"""The answer in one look."""

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.ruler import HEIGHT, ClaimedTick, Ruler
from dpviz.pictures.scene import Scene

RULER = Scene(
    title="What is claimed, and what is certified?",
    shape="strip",
    topic="answer",
    x=AxisSpec(label="ε"),
    y=AxisSpec(label="", high=HEIGHT, visible=False),
    layers=lambda: [Ruler(), ClaimedTick()],
)
