"""Pictures of results: scenes and their layers, and SVG that needs no browser and no widget."""

from dpviz.pictures.svg.draw import draw, picture

__all__ = ["draw", "picture"]
