"""Letters of pictures in another size: the room for them grows along."""

import pytest

import dpviz
from dpviz.widgets import RegionView


def test_margins_and_markers_grow_with_the_letters() -> None:
    view = RegionView(epsilon=1.0)
    figure = view.pictures[0].frame.figure
    points = [mark for mark in figure.marks if mark.has_trait("default_size")]
    margins, sizes = dict(figure.fig_margin), [mark.default_size for mark in points]
    assert points
    view.font_scale = 2
    assert figure.fig_margin == {side: 2 * size for side, size in margins.items()}
    assert [mark.default_size for mark in points] == [2 * size for size in sizes]
    view.font_scale = 1
    assert figure.fig_margin == margins


def test_all_views_of_an_explorer_follow_also_those_shown_later() -> None:
    explorer = dpviz.explore()
    explorer.font_scale = 1.5
    explorer.tab = "how"
    assert {view.font_scale for view in explorer.panel.built_views} == {1.5}


@pytest.mark.parametrize("scale", [0, -1, 9, float("nan")])
def test_other_sizes_are_refused(scale: float) -> None:
    view = RegionView()
    with pytest.raises(ValueError, match=r"font_scale must be in \[0\.5, 4\]"):
        view.font_scale = scale
    assert view.font_scale == 1
