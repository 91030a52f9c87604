"""Draw the pictures of the README and of the first page.

python docs/pictures/make.py
"""

import sys
from pathlib import Path

import dpviz
from dpviz.analysis.svg import GAP, SvgPicture
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.bounds import DEFAULT, worst_cell
from dpviz.audit.bounds.coverage import TABLE_LEVEL, coverage_of_method
from dpviz.drawing.svg import FONTS, WIDTH
from dpviz.drawing.theme import INK, PAPER

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from extensions.dark import on_dark  # noqa: E402  (found through the line above)


def answers() -> dict[str, str]:
    """The answer of a packaged sample: ruler, losses and region; for phones, without the losses."""
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    said = result.sentences
    ruler = SvgPicture.of(RULER, result, "ruler", [said["answer"], said["answer_detail"]])
    region = SvgPicture.of(SCENES["region"], result, "region", [said["region_lead"]])
    scores = SvgPicture.of(SCENES["scores"], result, "scores", [said["scores_lead"]])
    below = GAP + ruler.height + GAP
    width = GAP + 2 * (WIDTH + GAP)
    height = GAP + max(region.height, ruler.height + GAP + scores.height) + GAP
    wide = f"{ruler.svg(GAP, GAP)}{scores.svg(GAP, below)}{region.svg(GAP + WIDTH + GAP, GAP)}"
    narrow = f"{ruler.svg(0, GAP)}{region.svg(0, below)}"
    return {
        "answer": _page(width, height, wide),
        "answer-narrow": _page(WIDTH, below + region.height + GAP, narrow),
    }


def _page(width: float, height: float, drawn: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" '
        f'height="{height:g}" font-family="{FONTS}" font-size="12" fill="{INK}">'
        f'<rect width="{width}" height="{height:g}" fill="{PAPER}"/>{drawn}</svg>'
    )


def coverage() -> str:
    """A badge: how often the default bound was false in the worst measured cell."""
    label = "default bound, measured"
    worst, cells = worst_cell(DEFAULT), len(coverage_of_method(DEFAULT))
    allowed = f"{100 * (1 - TABLE_LEVEL):.0f} % allowed"
    value = f"false in {100 * worst.false_rate:.1f} % (worst of {cells} cells, {allowed})"
    left, right = 162, 270  # pixels
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" '
        f'font-family="{FONTS}" font-size="11" fill="#ffffff" text-anchor="middle">'
        f"<title>{label}: {value}</title>"
        f'<rect width="{left}" height="20" fill="#444d56"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="#01579b"/>'
        f'<text x="{left / 2:g}" y="14">{label}</text>'
        f'<text x="{left + right / 2:g}" y="14">{value}</text></svg>'
    )


def pictures() -> dict[str, str]:
    """The text of each file in this folder."""
    light = {f"{name}.svg": drawn for name, drawn in answers().items()}
    dark = {name.replace(".", "-dark."): on_dark(drawn) for name, drawn in light.items()}
    return {**light, **dark, "coverage.svg": coverage()}


def main() -> None:
    """Write the files."""
    for name, text in pictures().items():
        (HERE / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
