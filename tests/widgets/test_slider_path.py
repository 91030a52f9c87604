"""From a slider to the mark that it moves: few files are between."""

import traceback
from pathlib import Path
from typing import Any

import dpviz
from dpviz.widgets import Explorer, RegionView

HOME = Path(dpviz.__file__).parent
MOST_FILES = 7


def files_between(explorer: Explorer, mark: Any, move: Any) -> list[str]:
    """Files of dpviz that are executing when `mark` changes, the first ones first."""
    found: list[list[str]] = []

    def changed(_change: object) -> None:
        names = [Path(frame.filename) for frame in traceback.extract_stack()]
        own = [str(name.relative_to(HOME)) for name in names if name.is_relative_to(HOME)]
        found.append(list(dict.fromkeys(own)))

    mark.observe(changed, names=["x", "y"])
    move()
    assert found, "the mark did not move"
    return found[0]


def test_a_slider_moves_a_mark_through_at_most_seven_files(explorer: Explorer) -> None:
    view = next(view for view in explorer.views if isinstance(view, RegionView))
    slider = explorer.controls["epsilon"].slider
    curve = view.pictures[0].frame.figure.marks[0]
    files = files_between(explorer, curve, lambda: slider.set_state({"value": slider.value + 9}))
    assert files[0] == "widgets/controls/fields.py"
    assert files[-1] == "widgets/plot_frame.py"
    assert len(files) <= MOST_FILES, files
