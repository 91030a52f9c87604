"""The figures of a report: which scenes, how wide, and the same in words."""

from dpviz.analysis.sentences.answer import ruler
from dpviz.pictures.scenes.registry import SCENES
from dpviz.pictures.svg.frame import WIDTH, SvgFrame
from dpviz.pictures.svg.page import SIZE
from dpviz.pictures.svg.text import FONTS, escaped
from dpviz.pictures.theme import INK
from dpviz.reports.material import Material
from dpviz.reports.model import Figure

RULER_WIDTH, SECOND_WIDTH = 700, 350  # pixels, of the figures on page one
FURTHER = {  # scenes by group
    "epsilon": ("evidence", "bounds"),
    "results": ("tail",),
    "slices": ("slices",),
    "scores": ("scores",),
}
WITHOUT_SCORES = {"theory": ("profile", "risk")}


def figures(made: Material) -> tuple[Figure, ...]:
    """The figures that have something to show."""
    # Where nothing is claimed, the plane would show a promise that nobody made.
    second = "scores" if made.sample and not made.is_claimed else "region"
    wanted = [("ruler", "", RULER_WIDTH), (second, "", SECOND_WIDTH)]
    for group, names in (FURTHER if made.sample else WITHOUT_SCORES).items():
        wanted += [(name, group, WIDTH) for name in names if name != second]
    return tuple(
        _figure(name, made, group, width)
        for name, group, width in wanted
        if not SCENES[name].is_empty(made.result)
    )


def _figure(name: str, made: Material, group: str, width: int) -> Figure:
    scene, said = SCENES[name], made.sentences
    title = scene.title_of(made.result)
    frame = SvgFrame(scene, f"figure-{name}", width=width)
    frame.draw(scene.layers(), made.result)
    shown = "; ".join(each.label.text for each in frame.labels())
    lead = ruler(made.result) if name == "ruler" else said.get(scene.lead, "")
    described = " ".join(filter(None, [lead, f"Shown: {shown}." if shown else ""]))
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" '
        f'viewBox="0 0 {width} {frame.height:g}" role="img" aria-labelledby="figure-{name}-title" '
        f'aria-describedby="figure-{name}-desc" font-family="{FONTS}" font-size="{SIZE}" '
        f'fill="{INK}">'
        f'<title id="figure-{name}-title">{escaped(title)}</title>'
        f'<desc id="figure-{name}-desc">{escaped(described)}</desc>{frame.svg()}</svg>'
    )
    return Figure(name=name, title=title, lead=lead, svg=svg, described=described, group=group)
