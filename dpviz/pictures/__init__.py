"""Pictures of results in files: SVG, PNG, the numbers behind them, one page of HTML."""

from dpviz.analysis.svg import draw, picture

__all__ = ["draw", "picture"]
