"""A question from another package, registered by one line, is asked wherever the checklist is."""

from pathlib import Path

import pytest

import dpviz
from dpviz.analysis.facts.answers import empty_facts_toml
from dpviz.analysis.facts.questions import QUESTIONS, AnswerOption, Question
from dpviz.widgets import ChecklistView

SCORES = ([0.1, 0.2, 0.3, 0.4], [0.3, 0.6, 0.7, 0.8, 0.9])
EFFECT = "The model was trained on more than these members."
COVERED = Question(
    text="Are the members all of the training data?",
    subject="coverage",
    choices={
        "all": AnswerOption(label="yes"),
        "part": AnswerOption(label="no", limit="a part of the training data", effect=EFFECT),
    },
)


def test_it_is_asked_and_answered_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(QUESTIONS, "coverage", COVERED)
    assert '# coverage = "part"  # no' in empty_facts_toml()
    path = tmp_path / "facts.toml"
    path.write_text('coverage = "part"')
    facts = dpviz.read_facts(path)
    said = dpviz.analyze(SCORES, facts=facts).sentences
    assert "a part of the training data" in said["answer_detail"]
    assert EFFECT in said["answer_limits"]
    view = ChecklistView(scores=SCORES)
    assert view.controls[-1].menu.description == COVERED.text
    view.controls[-1].menu.value = "part"
    assert view.facts == facts
    dpviz.report(view, tmp_path / "report.html")
    assert COVERED.text in (tmp_path / "report.html").read_text("utf-8")
