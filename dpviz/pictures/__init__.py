"""Pictures of results: a display on Matplotlib's Axes, numbers, one page of HTML, live lines."""

from dpviz.pictures.display import TradeoffDisplay
from dpviz.pictures.lines import embed

__all__ = ["TradeoffDisplay", "embed"]
