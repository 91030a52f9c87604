"""Labels beside marks as SVG, on a white halo, with a line to a mark that is farther away."""

from collections.abc import Sequence
from dataclasses import dataclass

from dpviz.checks import FloatArray
from dpviz.pictures.labels import LINE, SIZE, PathLabel, Place, place
from dpviz.pictures.svg.plot import Plot
from dpviz.pictures.svg.text import escaped, shortened
from dpviz.pictures.theme import PAPER


@dataclass(frozen=True, kw_only=True)
class MarkLabel:
    """A label whose path is in pixels of the picture; its element is called `name`."""

    name: str
    color: str
    label: PathLabel


def placed(
    labels: Sequence[MarkLabel], others: Sequence[FloatArray], plot: Plot
) -> list[tuple[MarkLabel, Place]]:
    """The labels for which there is room, and where; `others` are marks without a label."""
    corner = [plot.left, plot.top]
    wanted = [
        PathLabel(
            text=shortened(each.label.text, SIZE, plot.width - 8),
            path=each.label.path - corner,
            kind=each.label.kind,
            gap=each.label.gap,
        )
        for each in labels
    ]
    around = [path - corner for path in others]
    places = place(wanted, around, plot.width, plot.height, SIZE)
    return [(each, at) for each, at in zip(labels, places, strict=True) if at is not None]


def labels_svg(labels: Sequence[tuple[MarkLabel, Place]], plot: Plot) -> str:
    """Labels at their places."""
    written = "".join(_label(each, at, plot) for each, at in labels)
    return f'<g font-size="{SIZE}">{written}</g>'


def _label(label: MarkLabel, at: Place, plot: Plot) -> str:
    x, top = plot.left + at.box[2 if at.at_end else 0], plot.top + at.box[1]
    anchor = ' text-anchor="end"' if at.at_end else ""
    leader = ""
    if at.leader is not None:
        x1, y1, x2, y2 = at.leader
        start = f"M{plot.left + x1:.5g} {plot.top + y1:.5g}"
        end = f"L{plot.left + x2:.5g} {plot.top + y2:.5g}"
        leader = f'<path d="{start}{end}" stroke="{label.color}"/>'
    texts = ""
    for i, line in enumerate(at.lines):
        start = f'<text x="{x:.5g}" y="{top + SIZE * (LINE * i + 1):.5g}"{anchor}'
        halo = f'stroke="{PAPER}" stroke-width="3" stroke-linejoin="round" aria-hidden="true"'
        # Written twice: not every program draws a stroke behind its own letters.
        texts += f"{start} {halo}>{escaped(line)}</text>{start}>{escaped(line)}</text>"
    return f'<g id="{label.name}" fill="{label.color}">{leader}{texts}</g>'
