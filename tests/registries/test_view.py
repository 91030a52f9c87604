"""A view from another package: one file, which is a topic, and one line in the registry.

The file has what is computed, a sentence, a layer, a scene, and the topic that declares them.
"""

import importlib
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import theory
from dpviz.analysis.topics import registry
from dpviz.analysis.topics.answer import RULER
from dpviz.cli import main
from dpviz.widgets import Explorer

SCORES = ([0.1, 0.2, 0.3, 0.4], [0.3, 0.6, 0.7, 0.8, 0.9])
TITLE = "Best accuracy over the prior"
TOPIC = f'''
"""The accuracy of the best attack, over the prior."""

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.drawing import AxisSpec, Layer, Line, Scene, theme
from dpviz.theory import risk

PRIORS = np.linspace(0.01, 0.99, 99)


def best_accuracies(result: Result) -> np.ndarray:
    """Return columns prior and largest share of right answers."""
    claim = result.claim.claim
    return np.array([[prior, risk.best_accuracy(claim, prior=prior)] for prior in PRIORS])


def lead(result: Result) -> str:
    """Return the largest share at an even prior."""
    return f"At an even prior at most {{best_accuracies(result)[49, 1]:.1%}} of answers are right."


class BestAccuracy(Layer):
    """The largest share of right answers at each prior."""

    line = Line(color=theme.CLAIM, label="at most (claim)")

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        return (result.claim,)

    def draw(self, result: Result) -> None:
        self.line.draw(best_accuracies(result))


ACCURACY = Scene(
    title="{TITLE}",
    topic="accuracy",
    x=AxisSpec(label="prior"),
    y=AxisSpec(label="accuracy"),
    layers=lambda: [BestAccuracy()],
)

TOPIC = Topic(
    sentences={{"accuracy": TextWriter(lead, "accuracy", lead=True)}},
    scenes={{"accuracy": ACCURACY}},
)
'''
LEAD = "At an even prior at most {:.1%} of answers are right."


@pytest.fixture(autouse=True)
def topic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The file, outside dpviz, and what its line in the registry adds."""
    (tmp_path / "best_accuracy.py").write_text(TOPIC)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("best_accuracy")
    for name in ("sentences", "scenes"):
        for key, value in getattr(module.TOPIC, name).items():
            monkeypatch.setitem(getattr(registry, name.upper()), key, value)
    return module


def heights(view: Any) -> Any:
    (mark,) = view.pictures[0].frame.figure.marks
    return mark.y


def best(epsilon: float) -> list[float]:
    """max(prior, 1 - prior, e^eps / (1 + e^eps)): randomized response at an even prior."""
    claim = theory.PureDP(epsilon=epsilon)
    return [theory.risk.best_accuracy(claim, prior=p) for p in np.linspace(0.01, 0.99, 99)]


def test_the_registry_is_made_of_topics() -> None:
    assert {name for topic in registry.TOPICS for name in topic.scenes} < {*registry.SCENES}
    assert list(registry.SCENES)[-1] == "accuracy"


def test_the_explorer_shows_it_and_its_state_and_history_reach_it() -> None:
    explorer = dpviz.explore(epsilon=1.0, delta=0.0, layout="all")
    view = explorer.shown_views[-1]
    assert type(view).__name__ == "AccuracyView"
    assert "dpviz-AccuracyView" in view._dom_classes
    assert heights(view).max() == pytest.approx(0.99)
    assert heights(view)[49] == pytest.approx(np.e / (1 + np.e))
    assert LEAD.format(np.e / (1 + np.e)) in view.texts["accuracy"].value
    explorer.epsilon = 2.0
    np.testing.assert_allclose(heights(view), best(2.0))
    explorer.undo()
    np.testing.assert_allclose(heights(view), best(1.0))
    explorer.epsilon = 3.0
    again = Explorer.from_state(explorer.state())
    np.testing.assert_allclose(heights(again.shown_views[-1]), best(3.0))


def test_files_show_it(tmp_path: Path) -> None:
    result = dpviz.analyze(SCORES, epsilon=1.0)
    assert f">{TITLE}</text>" in result.svg()
    assert 'id="accuracy-best_accuracy-0"' in result.svg("accuracy")
    explorer = dpviz.explore(SCORES, layout="all")
    explorer.save_svg(tmp_path / "all.svg")
    assert 'id="accuracy-best_accuracy-0"' in (tmp_path / "all.svg").read_text("utf-8")
    explorer.save_html(tmp_path / "all.html")
    assert f"<h2>{TITLE}</h2>" in (tmp_path / "all.html").read_text("utf-8")
    explorer.shown_views[-1].save_html(tmp_path / "one.html")
    titles = re.findall("<h2>(.*?)</h2>", (tmp_path / "one.html").read_text("utf-8"))
    assert titles == [RULER.title, TITLE, "Checklist"]


def test_the_command_lists_it_with_its_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "losses.csv"
    rows = [f"{loss},{n}" for n, losses in zip((1, 0), SCORES, strict=True) for loss in losses]
    path.write_text("\n".join(["loss,member", *rows]))
    main(["audit", str(path), "--full", "--claim", "2.0,0"])
    text = " ".join(capsys.readouterr().out.split())
    assert f"{TITLE} {LEAD.format(np.e**2 / (1 + np.e**2))}" in text.replace("\u00a0", " ")
