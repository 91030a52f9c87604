"""A view from another package: a layer, a scene and one line show it wherever pictures are."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import theory
from dpviz.analysis.topic import Registered
from dpviz.analysis.topics.answer import RULER
from dpviz.analysis.topics.registry import SCENES, SENTENCES
from dpviz.cli import main
from dpviz.pictures import draw, picture
from dpviz.widgets import Explorer

SCORES = ([0.1, 0.2, 0.3, 0.4], [0.3, 0.6, 0.7, 0.8, 0.9])
TITLE = "Best accuracy over the prior"
LAYER = """
import numpy as np
from dpviz.drawing import theme
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import Line
from dpviz.theory import risk

PRIORS = np.linspace(0.01, 0.99, 99)

class BestAccuracy(Layer):
    def add_marks(self):
        self._line = self.add("line", Line(color=theme.CLAIM, label="at most (claim)"))

    def parts(self, result):
        return (result.claim,)

    def draw(self, result):
        heights = [risk.best_accuracy(result.claim.claim, prior=p) for p in PRIORS]
        self._line.draw(np.column_stack([PRIORS, heights]))
"""
SCENE = f"""
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.scene import Scene
from extra_view.best_accuracy import BestAccuracy

ACCURACY = Scene(
    title="{TITLE}",
    topic="accuracy",
    x=AxisSpec(label="prior"),
    y=AxisSpec(label="accuracy"),
    layers=lambda: [BestAccuracy()],
)

def said(result):
    return f"The claim is {{result.claim.epsilon:g}}."
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A package with a layer and a scene, outside dpviz; the scene is registered by one line."""
    folder = tmp_path / "extra_view"
    folder.mkdir()
    (folder / "best_accuracy.py").write_text(LAYER)
    (folder / "__init__.py").write_text(SCENE)
    monkeypatch.syspath_prepend(tmp_path)
    import extra_view  # type: ignore[import-not-found]

    monkeypatch.setitem(SCENES, "accuracy", extra_view.ACCURACY)
    return extra_view


def heights(view: Any) -> Any:
    (mark,) = view.pictures[0].frame.figure.marks
    return mark.y


def best(epsilon: float) -> list[float]:
    """max(prior, 1 - prior, e^eps / (1 + e^eps)): randomized response at an even prior."""
    claim = theory.PureDP(epsilon=epsilon)
    return [theory.risk.best_accuracy(claim, prior=p) for p in np.linspace(0.01, 0.99, 99)]


@pytest.mark.usefixtures("package")
def test_the_explorer_shows_it_and_its_state_and_history_reach_it() -> None:
    explorer = dpviz.explore(epsilon=1.0, delta=0.0, layout="all")
    view = explorer.shown_views[-1]
    assert type(view).__name__ == "AccuracyView"
    assert "dpviz-AccuracyView" in view._dom_classes
    assert heights(view).max() == pytest.approx(0.99)
    assert heights(view)[49] == pytest.approx(np.e / (1 + np.e))
    explorer.epsilon = 2.0
    np.testing.assert_allclose(heights(view), best(2.0))
    explorer.undo()
    np.testing.assert_allclose(heights(view), best(1.0))
    explorer.epsilon = 3.0
    again = Explorer.from_state(explorer.state())
    np.testing.assert_allclose(heights(again.shown_views[-1]), best(3.0))


@pytest.mark.usefixtures("package")
def test_files_show_it(tmp_path: Path) -> None:
    result = dpviz.analyze(SCORES, epsilon=1.0)
    assert f">{TITLE}</text>" in draw(result)
    assert 'id="accuracy-best_accuracy-0"' in picture(result, "accuracy")
    explorer = dpviz.explore(SCORES, layout="all")
    explorer.save_svg(tmp_path / "all.svg")
    assert 'id="accuracy-best_accuracy-0"' in (tmp_path / "all.svg").read_text("utf-8")
    explorer.save_html(tmp_path / "all.html")
    assert f"<h2>{TITLE}</h2>" in (tmp_path / "all.html").read_text("utf-8")
    explorer.shown_views[-1].save_html(tmp_path / "one.html")
    titles = re.findall("<h2>(.*?)</h2>", (tmp_path / "one.html").read_text("utf-8"))
    assert titles == [RULER.title, TITLE, "Checklist"]


def test_the_command_lists_it_with_its_sentence(
    package: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setitem(SENTENCES, "accuracy", Registered(package.said, picture="accuracy"))
    path = tmp_path / "losses.csv"
    rows = [f"{loss},{n}" for n, losses in zip((1, 0), SCORES, strict=True) for loss in losses]
    path.write_text("\n".join(["loss,member", *rows]))
    main(["audit", str(path), "--full", "--claim", "2,0"])
    assert f"{TITLE}\n  The claim is 2.\n" in capsys.readouterr().out
    explorer = dpviz.explore(SCORES, epsilon=2.0, layout="all")
    assert "The claim is 2." in explorer.shown_views[-1].texts["accuracy"].value
