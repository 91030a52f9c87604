"""Texts beside markers, inside the picture and without overlaps, on a white halo."""

from collections.abc import Sequence

from dpviz.pictures.svg.marks import Note
from dpviz.pictures.svg.plot import Plot
from dpviz.pictures.svg.text import escaped, shortened, width

SIZE = 12
BESIDE = 10  # pixels from the middle of a marker to its text
LINE = 13
STEPS = sorted(range(-6, 7), key=abs)  # lines by which a text may be moved, the nearest first
Box = tuple[float, float, float, float]  # left, top, right, bottom


def notes_svg(notes: Sequence[Note], plot: Plot) -> str:
    """All texts, each moved up or down until it covers none before it."""
    taken: list[Box] = []
    written = ""
    for note in notes:
        text = shortened(note.text, SIZE, plot.width - 4)
        x, y, box = _free_place(note, width(text, SIZE), plot, taken)
        taken.append(box)
        placed = f'<text x="{x:.4g}" y="{y:.4g}"'
        halo = 'stroke="#ffffff" stroke-width="3" stroke-linejoin="round" aria-hidden="true"'
        # Written twice: not every program draws a stroke behind its own letters.
        twice = f"{placed} {halo}>{escaped(text)}</text>{placed}>{escaped(text)}</text>"
        written += f'<g id="{note.name}">{twice}</g>'
    return f'<g font-size="{SIZE}" font-weight="600">{written}</g>' if written else ""


def _free_place(
    note: Note, long: float, plot: Plot, taken: Sequence[Box]
) -> tuple[float, float, Box]:
    """The left end of the text, its base line, and the box that it covers."""
    wanted = note.x - BESIDE - long if note.to_the_left else note.x + BESIDE
    x = min(max(wanted, plot.left + 2), plot.right - long - 2)
    places = [note.y - note.up + LINE * step for step in STEPS]
    inside = [min(max(y, plot.top + LINE), plot.bottom - 3) for y in places]
    boxes = [(x, y - LINE + 2, x + long, y + 2) for y in inside]
    free = (i for i, box in enumerate(boxes) if not any(_overlap(box, other) for other in taken))
    i = next(free, 0)
    return x, inside[i], boxes[i]


def _overlap(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
