"""Messages of a browser that come in another thread than the one that draws."""

import threading

import anywidget
import bqplot
import ipywidgets
from ipywidgets.widgets.widget import _instances

from dpviz import explore, read_sample
from dpviz.widgets import EpsilonStarView
from dpviz.widgets.browser_input import WIDGET_LOCK, ThreadSafeWidget

LISTENING = (
    *(ipywidgets.Dropdown, ipywidgets.Text, ipywidgets.IntSlider, ipywidgets.FloatSlider),
    *(ipywidgets.Checkbox, ipywidgets.ToggleButton, ipywidgets.FileUpload, ipywidgets.Button),
    *(ipywidgets.SelectionSlider, ipywidgets.FloatText, ipywidgets.IntText),
    *(anywidget.AnyWidget, bqplot.Scatter),
)


def send(widget: ipywidgets.Widget, **state: object) -> None:
    """Hand a widget what a browser sends."""
    data = {"method": "update", "state": state, "buffer_paths": []}
    widget.comm.handle_msg({"content": {"data": data}, "buffers": []})


def test_a_choice_made_while_another_thread_draws_is_not_lost() -> None:
    view = EpsilonStarView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=0.1)
    menu = next(each for each in view.controls if each.name == "method")
    other = menu.widget.options.index("normal fit")
    browser = threading.Thread(target=send, args=(menu.widget,), kwargs={"index": other})
    with WIDGET_LOCK, menu.setting_by_program():  # as all that draws
        browser.start()
        browser.join(0.5)  # without the lock it is done by now
    browser.join()
    assert view.method == "normal"


def test_all_that_listens_to_a_browser_waits_its_turn() -> None:
    before = set(_instances)
    explorer = explore(read_sample("overfitted"), layout="all")
    for view in explorer.panel.views():
        for each in view.pictures:
            each.ensure_figure()
    made = [widget for key, widget in _instances.items() if key not in before]
    listening = [widget for widget in made if isinstance(widget, LISTENING)]
    assert len(listening) > 100
    assert {
        type(each).__name__ for each in listening if not isinstance(each, ThreadSafeWidget)
    } == set()
    explorer.close()
