"""Pictures of results in files: SVG, PNG, the numbers behind them, one page of HTML."""

from dpviz.analysis.svg import draw, picture
from dpviz.pictures.display import TradeoffDisplay

__all__ = ["TradeoffDisplay", "draw", "picture"]
