"""Colours, dashes and the few style rules the figures need.

Colours are from Okabe and Ito's palette, which keeps apart for colour-blind readers; every line
also has its own dash. Text and axes follow the notebook's theme.
"""

from typing import Literal

import ipywidgets

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
)
"""Colour, dash and width of each: no two have the same dash and width."""
RATIOS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7")
RATIO_DASHES: tuple[Dash, ...] = ("solid", "dashed", "dotted", "dash_dotted")

CSS = """
.dpviz .dpviz-title { font-weight: 600; line-height: 1.4; }
.dpviz .dpviz-legend { display: flex; flex-wrap: wrap; gap: 0 1em; line-height: 1.5;
  font-size: var(--jp-widgets-font-size, 13px); }
.dpviz .dpviz-legend svg { vertical-align: middle; margin-right: .4em; }
.dpviz .dpviz-sentence { line-height: 1.45; }
.dpviz .dpviz-warnings, .dpviz .dpviz-cautions {
  border-left: 4px solid #E69F00; padding-left: .6em; }
.dpviz .dpviz-table { overflow-x: auto; font-size: 12px; }
.dpviz .dpviz-table table { border-collapse: collapse; width: 100%; margin: 0; }
.dpviz .dpviz-table caption { text-align: left; padding: 4px 0; }
.dpviz .dpviz-table th, .dpviz .dpviz-table td { text-align: left; vertical-align: top;
  padding: 2px 6px 2px 0; line-height: 1.35; white-space: normal;
  border-bottom: 1px solid var(--jp-border-color2, #ccc); }
.dpviz .dpviz-error { line-height: 1.45; border-left: 4px solid #D55E00; padding-left: .6em;
  font-weight: 600; }
.dpviz .widget-html-content { min-width: 0; white-space: normal; line-height: 1.45; }
.dpviz .widget-html, .dpviz .jupyter-widgets { max-width: 100%; }
/* A hover over a line would send its whole data to the kernel (bqplot: Mark.custom_msg_sender). */
.dpviz .bqplot .curve, .dpviz .bqplot .curve * { pointer-events: none; }
/* bqplot makes its labels orange in the dark theme. */
.dpviz .bqplot > svg .axis text.axislabel, .dpviz .bqplot > svg .axis tspan.axislabel,
.dpviz .bqplot > svg .axis .tick text, .dpviz .bqplot > svg text.mainheading {
  fill: var(--jp-content-font-color1, #212121); }
.dpviz .bqplot > svg .axis text.axislabel { font: 12px sans-serif; }
.dpviz-BoundsView .bqplot > svg .axis .tick text,
.dpviz-SlicesView .bqplot > svg .axis .tick text,
.dpviz-AuditView .bqplot > svg .axis .tick text { font: 11px sans-serif; }
.dpviz .bqplot > svg .axis path { stroke: var(--jp-content-font-color2, #555); }
.dpviz .bqplot .object_grp { cursor: grab; }
/* Texts beside markers stand on lines and areas: a halo keeps them readable. */
.dpviz .bqplot .object_grp text { paint-order: stroke; stroke: var(--jp-layout-color0, #fff);
  stroke-width: 3px; font-weight: 600; }
"""


def style() -> ipywidgets.HTML:
    """The style rules as an invisible widget; every view carries them, so it works alone."""
    return ipywidgets.HTML(
        f"<style>{CSS}</style>", layout=ipywidgets.Layout(display="none", margin="0")
    )


SVG_DASHES = {"solid": "", "dashed": "7 4", "dotted": "2 3", "dash_dotted": "8 3 2 3"}
MARKER_PATHS = {
    "circle": "M 13 7 m -5 0 a 5 5 0 1 0 10 0 a 5 5 0 1 0 -10 0",
    "diamond": "M 13 1 L 18 7 L 13 13 L 8 7 Z",
    "triangle-up": "M 13 2 L 19 12 L 7 12 Z",
}


def swatch(color: str, *, dash: Dash | None = "solid", fill: float = 0) -> str:
    """A sample of a line or an area for the legend; decoration, hidden from screen readers."""
    parts = []
    if fill:
        parts.append(f'<rect width="26" height="14" fill="{color}" fill-opacity="{fill}"/>')
    if dash is not None:
        parts.append(
            f'<path d="M 0 7 H 26" stroke="{color}" stroke-width="2.5" '
            f'stroke-dasharray="{SVG_DASHES[dash]}"/>'
        )
    return _icon("".join(parts))


def marker(color: str, shape: str) -> str:
    """A sample of a marker for the legend."""
    return _icon(f'<path d="{MARKER_PATHS[shape]}" fill="{color}"/>')


def _icon(content: str) -> str:
    return f'<svg width="26" height="14" aria-hidden="true">{content}</svg>'
