"""Pictures of a result as SVG documents, and as PNG."""

from collections.abc import Sequence
from functools import cache
from typing import Self

from dpviz import checks
from dpviz.analysis.result import Result
from dpviz.analysis.topics.registry import SCENES, text_names
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import FONTS, WIDTH, SvgFrame, escaped, shortened, wrapped
from dpviz.drawing.theme import INK, PAPER, SELECTION

# All in pixels.
SIZE, TITLE_SIZE = 12, 14  # of fonts
TITLE, LINE = 24, 16  # heights of a title, a line of text
GAP = 20  # between pictures
MOST_COLUMNS = 2  # pictures side by side
Words = Sequence[str] | None


class SvgPicture:
    """A picture with title and sentences, which also describe the picture to screen readers."""

    def __init__(
        self, frame: SvgFrame, title: str, sentences: Sequence[str], subtitle: str = ""
    ) -> None:
        self._frame, self._title, self._subtitle = frame, title, subtitle
        self._top = TITLE + LINE * bool(subtitle)
        self.has_own_row = frame.shape == "strip"
        self._sentences = [sentence for sentence in sentences if sentence]
        self._lines = [line for text in self._sentences for line in wrapped(text, SIZE, WIDTH)]
        # In pixels; all pictures have the same width.
        self.height = self._top + frame.height + LINE * len(self._lines) + 6

    @classmethod
    def of(
        cls, scene: Scene, result: Result, name: str, said: Words = None, *, extra: bool = False
    ) -> Self:
        """Return a scene's picture with id prefix `name`; `said` replaces the sentences below."""
        frame = SvgFrame(scene, name, show_extra=extra)
        frame.draw_layers(scene.layers(), result)
        if said is None:
            said = [result.sentences.get(sentence, "") for sentence in text_names(scene)]
        return cls(frame, scene.title_of(result), said, scene.subtitle_of(result))

    def svg(self, x: float, y: float) -> str:
        """Return the picture as an SVG element, with its upper left corner at (`x`, `y`)."""
        name, plot = self._frame.name, self._frame.plot
        title = escaped(self._title or name)
        # Screen readers get the sentences, then the labels of the marks.
        labels = "; ".join(each.label.text for each in self._frame.labels())
        shown = f"Shown: {labels}." if labels else ""
        description = escaped(" ".join([*self._sentences, shown]).strip() or self._title)
        heading = escaped(shortened(self._title, TITLE_SIZE, WIDTH))
        below = f'<text y="32" fill="{SELECTION}">{escaped(self._subtitle)}</text>'
        first = self._top + self._frame.height + SIZE  # y of the first sentence
        lines = ((first + LINE * i, escaped(line)) for i, line in enumerate(self._lines))
        sentences = "".join(f'<text y="{y:g}">{line}</text>' for y, line in lines)
        return (
            f'<svg x="{x:g}" y="{y:g}" width="{WIDTH}" height="{self.height:g}" role="img" '
            f'aria-labelledby="{name}-title {name}-desc">'
            f'<title id="{name}-title">{title}</title><desc id="{name}-desc">{description}</desc>'
            f'<text y="15" font-size="{TITLE_SIZE}" font-weight="600">{heading}</text>'
            f'{below if self._subtitle else ""}<g id="{name}" transform="translate(0 {self._top})" '
            f"{plot.scale_attributes()}>{self._frame.svg()}</g>{sentences}</svg>"
        )


def page(pictures: Sequence[SvgPicture]) -> str:
    """Return one SVG document with two pictures in each row; a wide strip fills a row alone."""
    rows = _rows(pictures)
    columns = max(map(len, rows))
    written, y = "", float(GAP)
    for row in rows:
        written += "".join(p.svg(GAP + i * (WIDTH + GAP), y) for i, p in enumerate(row))
        y += max(p.height for p in row) + GAP
    wide = GAP + columns * (WIDTH + GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{y:g}" '
        f'viewBox="0 0 {wide} {y:g}" font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">'
        f'<rect width="{wide}" height="{y:g}" fill="{PAPER}"/>{written}</svg>'
    )


def _rows(pictures: Sequence[SvgPicture]) -> list[list[SvgPicture]]:
    rows: list[list[SvgPicture]] = [[]]
    for picture in pictures:
        last = rows[-1]
        is_alone = picture.has_own_row or any(each.has_own_row for each in last)
        if last and (is_alone or len(last) == MOST_COLUMNS):
            rows.append([])
        rows[-1].append(picture)
    return rows


# ----- PNG, by an optional library with its own renderer


def as_png(svg: str, *, scale: float) -> bytes:
    """Return SVG as PNG, scaled; ImportError without resvg_py, OSError if no font is installed."""
    try:
        from resvg_py import svg_to_bytes  # optional
    except ImportError as error:
        raise ImportError("PNG files need resvg_py: pip install 'dpviz[png]'") from error
    if not has_font():
        raise OSError(f"PNG files need a font, and none of these is installed: {FONTS}")
    return bytes(svg_to_bytes(svg_string=svg, zoom=scale))


@cache
def has_font() -> bool:
    """Return whether the PNG renderer has a font; without a font, no text is drawn."""
    from resvg_py import svg_to_bytes  # optional

    start = f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" font-family="{FONTS}">'
    written = [f'{start}<text y="15">{text}</text></svg>' for text in ("M", "")]
    letter, nothing = (bytes(svg_to_bytes(svg_string=svg)) for svg in written)
    return letter != nothing


# ----- results as documents


def pictures_as_svg(result: Result, names: Sequence[str]) -> str:
    """Return pictures of a result, by default all, as one SVG document with their sentences."""
    # The id of an element names picture, layer and number of the mark: ``region-claim_region-0``.
    if len(set(names)) < len(names):
        raise checks.fail("names", "different names of pictures", names)
    names = names or [name for name, scene in SCENES.items() if not scene.is_empty(result)]
    scenes = {name: scene_to_draw(result, name) for name in names}
    return page([SvgPicture.of(scene, result, name) for name, scene in scenes.items()])


def scene_to_draw(result: Result, name: str) -> Scene:
    """Return the scene called `name`; ValueError for an unknown name or an empty picture."""
    if not isinstance(name, str) or name not in SCENES:
        meant = f" ({near})" if (near := checks.did_you_mean(str(name), SCENES)) else ""
        raise checks.fail("name", f"one of {', '.join(map(repr, SCENES))}{meant}", name)
    scene = SCENES[name]
    if scene.is_empty(result):
        needs = f"answer {scene.needs!r}, which .with_answer adds"
        if scene.of_claim and not result.is_claimed:
            needs = "claim"
        elif scene.needs == "scores":
            needs = "scores"
        way_out = f"the result has no {needs}"
        raise checks.fail("name", "a picture that this result can show", name, way_out)
    return scene
