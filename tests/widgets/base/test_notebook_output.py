"""What a cell shows besides the widget: a static picture that stays in the notebook's file."""

from base64 import b64decode
from collections.abc import Callable
from html import unescape
from re import findall
from typing import Any

import ipywidgets
import numpy as np
import pytest

import dpviz
from dpviz import audit, theory, widgets
from dpviz.audit.epsilon_star import ratio_noise
from dpviz.widgets.base import notebook_output
from tests.pictures.reading import assert_sound
from tests.test_value_object import LINES, lines_on_a_terminal

WIDGET = "application/vnd.jupyter.widget-view+json"


def wealth() -> ipywidgets.Widget:
    stream, rng = audit.Stream(theory.PureDP(epsilon=1)), np.random.default_rng(1)
    stream.update(member=rng.normal(2, 1, 20), nonmember=rng.normal(0, 1, 20))
    return widgets.WealthView(stream)


def family() -> ipywidgets.Widget:
    rng = np.random.default_rng(1)
    scores = dpviz.AttackScores(member=rng.normal(1, 1, 60), nonmember=rng.normal(0, 1, 60))
    return widgets.FamilyView(scores, audit.smallest("gaussian", scores, parameters=[0.5, 2.0]))


MADE: dict[str, Callable[[], ipywidgets.Widget]] = {
    "certificate": lambda: widgets.CertificateView(
        audit.certify(auc="0.6", n_members=500, n_nonmembers=500)
    ),
    "family": family,
    "simulation": lambda: widgets.SimulationView.of_noise(ratio_noise(n=50, separation=2.0)),
    "wealth": wealth,
    "live page": lambda: widgets.LivePage(epsilon=1.0),
    "region": lambda: widgets.RegionView(epsilon=1.0),
    "explorer": lambda: dpviz.explore(epsilon=1.0),
}


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, str]]:
    """What a notebook would be sent, in order."""
    sent: list[dict[str, str]] = []

    class Handle:
        def update(self, bundle: dict[str, str], **_: Any) -> None:
            sent.append(bundle)

    def show(bundle: dict[str, str], **_: Any) -> Handle:
        sent.append(bundle)
        return Handle()

    monkeypatch.setattr(notebook_output, "show", show)
    monkeypatch.setattr(notebook_output, "is_in_notebook", lambda: True)
    monkeypatch.setattr(notebook_output, "is_run_unattended", lambda: False)
    return sent


@pytest.mark.parametrize("name", MADE)
def test_a_picture_follows_every_widget(name: str, shown: list[dict[str, str]]) -> None:
    view: Any = MADE[name]()
    view._ipython_display_()
    widget, still = shown
    assert WIDGET in widget
    assert "Its picture follows." in widget["text/plain"]
    (image,) = findall('src="data:image/svg.xml;base64,([^"]+)"', still["text/html"])
    assert_sound(b64decode(image).decode())
    assert b64decode(image).decode() == still["image/svg+xml"]
    (css_class,) = findall(r'class="dpviz-still (dpviz-still-\w+)"', still["text/html"])
    rules = (
        [view.get_state()["_css"]]
        if name == "live page"
        else [each.value for each in view.children if isinstance(each, ipywidgets.HTML)]
    )
    assert f".{css_class} {{ display: none; }}" in "".join(rules)  # where the widget is alive


def test_each_page_hides_its_own_picture() -> None:
    """A browser keeps one style sheet for each id of anywidget."""
    states = [widgets.LivePage(epsilon=1.0).get_state() for _ in range(2)]
    assert len({state["_anywidget_id"] for state in states}) == 2
    assert len({state["_css"] for state in states}) == 2


def test_the_picture_of_a_page_follows_its_claim(shown: list[dict[str, str]]) -> None:
    page = widgets.LivePage(epsilon=1.0)
    page._ipython_display_()
    page.epsilon = 2.0
    assert len(shown) == 3
    assert "ε = 2" in unescape(shown[-1]["text/html"])


@pytest.mark.parametrize("name", MADE)
def test_a_widget_prints_in_one_line(name: str) -> None:
    view = MADE[name]()
    assert repr(view).startswith(type(view).__name__)
    assert lines_on_a_terminal(repr(view)) <= LINES
