"""Draw the pictures of the README and of the first page.

python docs/pictures/make.py
"""

import sys
from pathlib import Path

import dpviz
from dpviz.analysis.svg import GAP, LINE, SIZE, SvgPicture
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.bounds import DEFAULT, worst_cell
from dpviz.audit.bounds.coverage import TABLE_LEVEL, coverage_of_method
from dpviz.drawing.svg import FONTS, WIDTH, wrapped
from dpviz.drawing.theme import INK, PAPER

HERE = Path(__file__).parent
BOARD = (("region", "epsilon_star"), ("both_ends", "risk"))  # its two columns
sys.path.insert(0, str(HERE.parent))

from extensions.dark import on_dark  # noqa: E402  (found through the line above)


def answers() -> dict[str, str]:
    """The answer of a packaged sample with the board; for phones, the ruler and the region."""
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    said = result.sentences
    ruler = SvgPicture.of(RULER, result, "ruler", [said["answer"], said["answer_detail"]])
    region = SvgPicture.of(SCENES["region"], result, "region", [said["region_lead"]])
    below = GAP + ruler.height + GAP
    return {
        "answer": board(result),
        "answer-narrow": _page(
            WIDTH, below + region.height + GAP, f"{ruler.svg(0, GAP)}{region.svg(0, below)}"
        ),
    }


def board(result: dpviz.Result) -> str:
    """The first screen of the explorer: the answer beside its ruler, then four linked pictures."""
    said = result.sentences
    left, right = ([SvgPicture.of(SCENES[n], result, n, []) for n in column] for column in BOARD)
    lines = wrapped(said["answer_detail"], SIZE, WIDTH)
    written = [f'<text x="{GAP}" y="38" font-size="20" font-weight="700">{said["answer"]}</text>']
    written += [
        f'<text x="{GAP}" y="{62 + LINE * i}">{line}</text>' for i, line in enumerate(lines)
    ]
    bottoms = []
    for x, y, column in (
        (GAP, 62 + LINE * len(lines) + GAP, left),
        (GAP + WIDTH + GAP, GAP, [SvgPicture.of(RULER, result, "ruler", []), *right]),
    ):
        below = float(y)
        for picture in column:
            written.append(picture.svg(x, below))
            below += picture.height + GAP
        bottoms.append(below)
    return _page(GAP + 2 * (WIDTH + GAP), max(bottoms), "".join(written))


def _page(width: float, height: float, drawn: str) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" '
        f'height="{height:g}" font-family="{FONTS}" font-size="{SIZE}" fill="{INK}">'
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
