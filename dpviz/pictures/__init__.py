"""Results as pictures on Matplotlib's Axes, as numbers, as a page, and as code for any page."""

from dpviz.pictures.display import TradeoffDisplay
from dpviz.pictures.lines import embed

__all__ = ["TradeoffDisplay", "embed"]
