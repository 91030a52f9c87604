"""Pictures of results: a display on Matplotlib's Axes, numbers, one page of HTML."""

from dpviz.pictures.display import TradeoffDisplay

__all__ = ["TradeoffDisplay"]
