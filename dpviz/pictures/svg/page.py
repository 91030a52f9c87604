"""Pictures with title, legend and sentences, and pages of them."""

from collections.abc import Sequence

from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg.frame import WIDTH, SvgFrame
from dpviz.pictures.svg.text import FONTS, escaped, shortened, width, wrapped

# All in pixels.
SIZE, TITLE_SIZE = 12, 14  # of fonts
TITLE, LINE, ROW = 24, 16, 18  # heights of a title, a line of text, a row of the legend
SAMPLE, BETWEEN = 32, 14  # from a sample of the legend to its label, and on to the next sample
GAP = 20  # between pictures
MOST_COLUMNS = 2
INK = "#212121"


class SvgPicture:
    """One picture of a page; its sentences are also its description for screen readers."""

    def __init__(self, frame: SvgFrame, title: str, sentences: Sequence[str]) -> None:
        self._frame, self._title = frame, title
        self._sentences = [sentence for sentence in sentences if sentence]
        self._rows = _rows(frame.entries())
        self._top = TITLE + ROW * len(self._rows)
        self._lines = [line for text in self._sentences for line in wrapped(text, SIZE, WIDTH)]
        # In pixels; all pictures have the same width.
        self.height = self._top + frame.height + LINE * len(self._lines) + 6

    def svg(self, x: float, y: float) -> str:
        """The picture with its upper left corner at `x`, `y` of the page."""
        name, plot = self._frame.name, self._frame.plot
        title = escaped(self._title or name)
        labels = "; ".join(label for _, label in self._frame.entries())
        description = escaped(" ".join(self._sentences) or labels or self._title)
        heading = escaped(shortened(self._title, TITLE_SIZE, WIDTH))
        return (
            f'<svg x="{x:g}" y="{y:g}" width="{WIDTH}" height="{self.height:g}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{description}</desc>'
            f'<text y="15" font-size="{TITLE_SIZE}" font-weight="600">{heading}</text>'
            f'{self._legend()}<g id="{name}" transform="translate(0 {self._top})" '
            f"{plot.attributes()}>{self._frame.svg()}</g>{self._text()}</svg>"
        )

    def _legend(self) -> str:
        written = ""
        for i, row in enumerate(self._rows):
            x = 0.0
            for sample, label in row:
                written += (
                    f'<g transform="translate({x:g} {TITLE + ROW * i})">{sample}'
                    f'<text x="{SAMPLE}" y="11">{escaped(label)}</text></g>'
                )
                x += _long(label)
        return written

    def _text(self) -> str:
        below = self._top + self._frame.height + SIZE
        return "".join(
            f'<text y="{below + LINE * i:g}">{escaped(line)}</text>'
            for i, line in enumerate(self._lines)
        )


def drawn(
    scene: Scene, result: Result, name: str, sentences: Sequence[str] | None = None
) -> SvgPicture:
    """The picture of a scene, drawn by new layers; element ids begin with `name`."""
    frame = SvgFrame(scene, name)
    frame.draw(scene.layers(), result)
    if sentences is None:
        sentences = [result.sentences.get(sentence, "") for sentence in scene.sentences]
    return SvgPicture(frame, scene.title_of(result), sentences)


def page(pictures: Sequence[SvgPicture]) -> str:
    """One document of pictures in rows of two."""
    columns = min(MOST_COLUMNS, len(pictures))
    written, y = "", float(GAP)
    for first in range(0, len(pictures), columns):
        row = pictures[first : first + columns]
        written += "".join(p.svg(GAP + i * (WIDTH + GAP), y) for i, p in enumerate(row))
        y += max(p.height for p in row) + GAP
    wide = GAP + columns * (WIDTH + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{y:g}" '
        f'viewBox="0 0 {wide} {y:g}" font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">'
        f'<rect width="{wide}" height="{y:g}" fill="#ffffff"/>{written}</svg>'
    )


def _rows(entries: Sequence[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """The entries of a legend in rows no wider than a picture."""
    rows: list[list[tuple[str, str]]] = []
    room = 0.0
    for sample, label in entries:
        fitting = shortened(label, SIZE, WIDTH - SAMPLE)
        if _long(fitting) - BETWEEN > room:
            rows.append([])
            room = WIDTH
        rows[-1].append((sample, fitting))
        room -= _long(fitting)
    return rows


def _long(label: str) -> float:
    return SAMPLE + width(label, SIZE) + BETWEEN
