"""Results as pictures on Matplotlib's Axes, as numbers, and as one page of HTML."""

from dpviz.pictures.display import TradeoffDisplay

__all__ = ["TradeoffDisplay"]
