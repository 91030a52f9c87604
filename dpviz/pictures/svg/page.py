"""Pictures with title and sentences, and pages of them."""

from collections.abc import Sequence

from dpviz.analysis import Result
from dpviz.pictures.scene import Scene
from dpviz.pictures.svg.frame import WIDTH, SvgFrame
from dpviz.pictures.svg.text import FONTS, escaped, shortened, wrapped
from dpviz.pictures.theme import INK, PAPER

# All in pixels.
SIZE, TITLE_SIZE = 12, 14  # of fonts
TITLE, LINE = 24, 16  # heights of a title, a line of text
GAP = 20  # between pictures
MOST_COLUMNS = 2  # pictures side by side


class SvgPicture:
    """One picture of a page; its sentences are also its description for screen readers."""

    def __init__(self, frame: SvgFrame, title: str, sentences: Sequence[str]) -> None:
        self._frame, self._title = frame, title
        self._sentences = [sentence for sentence in sentences if sentence]
        self._lines = [line for text in self._sentences for line in wrapped(text, SIZE, WIDTH)]
        # In pixels; all pictures have the same width.
        self.height = TITLE + frame.height + LINE * len(self._lines) + 6

    def svg(self, x: float, y: float) -> str:
        """The picture with its upper left corner at `x`, `y` of the page."""
        name, plot = self._frame.name, self._frame.plot
        title = escaped(self._title or name)
        labels = "; ".join(each.label.text for each in self._frame.labels())
        shown = f"Shown: {labels}." if labels else ""
        description = escaped(" ".join([*self._sentences, shown]).strip() or self._title)
        heading = escaped(shortened(self._title, TITLE_SIZE, WIDTH))
        return (
            f'<svg x="{x:g}" y="{y:g}" width="{WIDTH}" height="{self.height:g}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{description}</desc>'
            f'<text y="15" font-size="{TITLE_SIZE}" font-weight="600">{heading}</text>'
            f'<g id="{name}" transform="translate(0 {TITLE})" '
            f"{plot.attributes()}>{self._frame.svg()}</g>{self._text()}</svg>"
        )

    def _text(self) -> str:
        below = TITLE + self._frame.height + SIZE
        return "".join(
            f'<text y="{below + LINE * i:g}">{escaped(line)}</text>'
            for i, line in enumerate(self._lines)
        )


def drawn(
    scene: Scene,
    result: Result,
    name: str,
    sentences: Sequence[str] | None = None,
    *,
    show_extra: bool = False,
) -> SvgPicture:
    """The picture of a scene, drawn by new layers; element ids begin with `name`."""
    frame = SvgFrame(scene, name, show_extra=show_extra)
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
        f'<rect width="{wide}" height="{y:g}" fill="{PAPER}"/>{written}</svg>'
    )
