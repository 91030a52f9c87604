"""Axes as SVG."""

import numpy as np

from dpviz.pictures.svg.plot import Plot
from dpviz.pictures.svg.text import escaped, shortened, width
from dpviz.pictures.theme import AXIS

SMALL = 11  # font size at ticks, in pixels
TICK = 5  # length of a tick


def x_axis(plot: Plot) -> str:
    """The x axis; the name of a tick is left out where it would touch the one before."""
    marks, names, end = "", "", -np.inf
    for value, name in sorted(plot.x.ticks.items()):
        at = float(plot.left + plot.width * plot.x.share(np.array(value)))
        marks += f"M{at:.4g} {plot.bottom:g}v{TICK}"
        half = width(name, SMALL) / 2
        if at - half > end:
            names += (
                f'<text x="{at:.4g}" y="{plot.bottom + TICK + 12:g}" text-anchor="middle">'
                f"{escaped(name)}</text>"
            )
            end = at + half + 4
    line = f"M{plot.left:g} {plot.bottom:g}H{plot.right:g}{marks}"
    middle = plot.left + plot.width / 2
    return _axis(line, names) + _label(plot.x.label, middle, plot.bottom + 37)


def y_axis(plot: Plot) -> str:
    """The y axis."""
    marks, names = "", ""
    beside = plot.left - TICK - 3
    for value, name in sorted(plot.y.ticks.items()):
        at = float(plot.bottom - plot.height * plot.y.share(np.array(value)))
        marks += f"M{plot.left:g} {at:.4g}h-{TICK}"
        names += (
            f'<text x="{beside:g}" y="{at + 4:.4g}" text-anchor="end">'
            f"{escaped(shortened(name, SMALL, beside))}</text>"
        )
    line = f"M{plot.left:g} {plot.top:g}V{plot.bottom:g}{marks}"
    return _axis(line, names) + _label(plot.y.label, 14, plot.top + plot.height / 2, turned=True)


def _axis(line: str, names: str) -> str:
    return (
        f'<path d="{line}" fill="none" stroke="{AXIS}"/>'
        f'<g font-size="{SMALL}" aria-hidden="true">{names}</g>'
    )


def _label(text: str, x: float, y: float, *, turned: bool = False) -> str:
    if not text:
        return ""
    turn = f' transform="rotate(-90 {x:g} {y:g})"' if turned else ""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="middle"{turn}>{escaped(text)}</text>'
