"""Draw the picture of the README and of the first page, for light and for dark pages.

python docs/pictures/make_answer.py
"""

import sys
from pathlib import Path

import dpviz
from dpviz.pictures.scenes import RULER, SCENES
from dpviz.pictures.svg.frame import WIDTH
from dpviz.pictures.svg.page import GAP, INK, drawn
from dpviz.pictures.svg.text import FONTS

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))

from extensions.pictures import on_dark  # noqa: E402  (found through the line above)


def main() -> None:
    """Write both files."""
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5)
    said = result.sentences
    ruler = drawn(RULER, result, "ruler", [said["answer"], said["answer_detail"]])
    region = drawn(SCENES["region"], result, "region", [said["region_lead"]])
    scores = drawn(SCENES["scores"], result, "scores", [said["scores_lead"]])
    below = GAP + ruler.height + GAP
    width = GAP + 2 * (WIDTH + GAP)
    height = GAP + max(region.height, ruler.height + GAP + scores.height) + GAP
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height:g}" width="{width}" '
        f'height="{height:g}" font-family="{FONTS}" font-size="12" fill="{INK}">'
        f'<rect width="{width}" height="{height:g}" fill="#ffffff"/>'
        f"{ruler.svg(GAP, GAP)}{scores.svg(GAP, below)}{region.svg(GAP + WIDTH + GAP, GAP)}</svg>"
    )
    (HERE / "answer.svg").write_text(svg, encoding="utf-8")
    (HERE / "answer-dark.svg").write_text(on_dark(svg), encoding="utf-8")


if __name__ == "__main__":
    main()
