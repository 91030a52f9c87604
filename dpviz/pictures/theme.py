"""Colours, dashes and their samples in a legend.

Colours are from Okabe and Ito's palette, which colour-blind readers can tell apart; every line
also has its own dash. Text and axes follow the notebook's theme.
"""

from typing import Literal

Dash = Literal["solid", "dashed", "dotted", "dash_dotted"]

CLAIM = "#0072B2"
ATTACK = "#D55E00"
LIMIT = "#9C4400"
MEMBER = "#CC79A7"
NONMEMBER = "#009E73"
SELECTION = "#808080"
SHADE = "#808080"
LEVEL = "#56B4E9"
BAND = "#E69F00"
OVERLAYS: tuple[tuple[str, Dash, float], ...] = (
    ("#009E73", "dashed", 1.5),
    ("#CC79A7", "dotted", 2),
    ("#B07C00", "dash_dotted", 1.5),
    ("#56B4E9", "solid", 1),
    ("#7B5EA7", "dashed", 3),
    ("#8C564B", "dotted", 3.5),
)  # colour, dash and width: no two have the same dash and width
RATIOS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7")
RATIO_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dash_dotted")

SVG_DASHES = {"solid": "", "dashed": "7 4", "dotted": "2 3", "dash_dotted": "8 3 2 3"}
MARKER_PATHS = {
    "circle": "M 13 7 m -5 0 a 5 5 0 1 0 10 0 a 5 5 0 1 0 -10 0",
    "diamond": "M 13 1 L 18 7 L 13 13 L 8 7 Z",
    "triangle-up": "M 13 2 L 19 12 L 7 12 Z",
}


def swatch(color: str, *, dash: Dash | None = "solid", fill: float = 0) -> str:
    """A sample of a line or an area for the legend, hidden from screen readers."""
    parts = []
    if fill:
        parts.append(f'<rect width="26" height="14" fill="{color}" fill-opacity="{fill}"/>')
    if dash is not None:
        dashed = f' stroke-dasharray="{SVG_DASHES[dash]}"' if SVG_DASHES[dash] else ""
        parts.append(f'<path d="M 0 7 H 26" stroke="{color}" stroke-width="2.5"{dashed}/>')
    return _icon("".join(parts))


def marker(color: str, shape: str) -> str:
    """A sample of a marker for the legend."""
    return _icon(f'<path d="{MARKER_PATHS[shape]}" fill="{color}"/>')


def _icon(content: str) -> str:
    return f'<svg width="26" height="14" aria-hidden="true">{content}</svg>'
