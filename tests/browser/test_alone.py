"""A view alone in a cell: its picture has room whatever the width of the output."""

import ipywidgets
import pytest

from dpviz.widgets import TradeoffView
from tests.browser.bridge import Bridge

PLACES = """() => ['.bqplot', '.dpviz-words'].map(name => {
  const { x, y, width } = document.querySelector(name).getBoundingClientRect();
  return [x, y, width]; })"""


@pytest.mark.slow
@pytest.mark.parametrize("width", [320, 400, 560, 900])
def test_the_picture_of_a_view_alone_has_room(bridge: Bridge, width: int) -> None:
    view = TradeoffView(epsilon=1.0)
    bridge.show(ipywidgets.VBox([view], layout=ipywidgets.Layout(width=f"{width}px")))
    (x, y, wide), (x_words, y_words, wide_words) = bridge.page.evaluate(PLACES)
    assert wide >= 270
    assert wide_words >= 200
    assert (x_words > x + wide) is (width >= 560)
    assert (y_words > y + wide / 2) is (width < 560)
