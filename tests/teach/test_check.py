"""Answers of any kind: points and a message, never an exception, and nothing is executed."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dpviz
from dpviz import teach
from dpviz.reports.write import report_as
from dpviz.teach.lessons.registry import LESSONS

QUESTIONS = [
    question
    for number in LESSONS
    for question in teach.lesson(number, login="ada").questions.values()
]
EDGE = teach.lesson(1, login="ada")["edge"]


class Hostile:
    """An answer that objects to being looked at."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("compared")

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        raise RuntimeError("printed")

    __repr__ = __float__ = __index__ = __str__  # type: ignore[assignment]


class Tricky(str):
    """An answer that is a text and fails when it is read."""

    def strip(self, *_: object) -> str:
        raise RuntimeError("stripped")


class Disguised:
    """An answer that leaves the program when its class is looked at."""

    @property
    def __class__(self) -> type:
        raise SystemExit


BAD = [
    Tricky("x"), Disguised(),
    None, "", "  ", "''", ..., float("nan"), float("inf"), -1, 10**400, 1e308, True, b"a", [], {},
    Hostile(), "dpviz-answer-1?", "dpviz-answer-9?x=1&sum=0", "[" * 100_000, "{" * 100_000,
    "1" * 5000, "nan", "1e999", "{}", '{"schema": "dpviz/audit/1", "claim": [], "scores": 3}',
    '{"schema": "dpviz/audit/1", "scores": {"fingerprint": {"value": [1]}}}', "${x}", "%n", "\0",
]  # fmt: skip


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_bad_answers_have_no_points_and_a_message(question: teach.question.Question) -> None:
    for answer in BAD:
        feedback = teach.check(answer, question)
        assert (feedback.points, feedback.is_right) == (0, False)
        assert 10 < len(feedback.message) < 200
        assert teach.received(answer, question)


@pytest.mark.parametrize(("group", "name"), [("claim", "epsilon"), ("epsilon", "lower_bound")])
def test_a_report_with_a_number_beyond_all_floats_is_wrong(group: str, name: str) -> None:
    data = teach.data_for("ada")
    audit = dpviz.analyze(data.scores, epsilon=data.epsilon, delta=data.delta)
    report = json.loads(report_as(".json", audit))
    report[group][name]["value"] = 10**400
    feedback = teach.check(json.dumps(report), teach.lesson(6, login="ada")["report"])
    assert feedback.points == 0
    assert "other losses" not in feedback.message


@pytest.fixture(scope="module")
def line() -> str:
    return teach.explore(EDGE).answer()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_code_in_an_answer_is_text(
    question: teach.question.Question, line: str, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    code = f"__import__('pathlib').Path({str(made)!r}).touch()"
    answers = [
        code,
        f"{line}{code}",
        f"exec({code!r})",
        f"{{{code}}}",
        json.dumps({"schema": code}),
    ]
    assert [teach.check(answer, question).points for answer in answers] == [0] * len(answers)
    assert not made.exists()


@settings(max_examples=20, deadline=None, derandomize=True, database=None)
@given(st.one_of(st.text(), st.floats(), st.integers(), st.binary(), st.lists(st.text())))
def test_any_answer_gets_feedback(answer: object) -> None:
    for question in (EDGE, *teach.lesson(6, login="ada").questions.values()):
        assert teach.check(answer, question).out_of == question.points


def test_what_was_recorded_and_not_pasted_is_said() -> None:
    explorer = teach.explore(EDGE)
    explorer.fpr, explorer.fnr = 0.2, 0.2
    assert "but recorded no answer" in teach.check("", EDGE, explorer).message
    explorer.record.menu.run_action("record")
    assert explorer.last_recorded == explorer.answer()
    assert "Now paste the recorded line" in teach.check("", EDGE, explorer).message


def test_lines_of_others_are_said() -> None:
    explorer = teach.explore(EDGE)
    as_it_began = teach.check(explorer.answer(), EDGE)
    assert as_it_began.message.startswith("This line records the initial picture.")
    explorer.fpr = 0.3
    other = teach.lesson(6, login="ada")["threshold"]
    assert "was recorded for question 1.edge" in teach.check(explorer.answer(), other).message
    explorer.question = ""
    assert "recorded without a question" in teach.check(explorer.answer(), EDGE).message


def test_a_star_is_a_star_in_markdown() -> None:
    """A question is bold between two stars: another one would end that."""
    for question in QUESTIONS:
        first, *options = question._repr_markdown_().splitlines()
        assert first == f"**{first[2:-2]}**"
        assert not re.search(r"(?<!\\)\*", first[2:-2] + "".join(options))
    larger = teach.lesson(5, login="ada")["kind"]
    said = teach.check("", larger)._repr_markdown_()
    assert said.count("**") == 2


def test_hints_do_not_give_the_answer_away() -> None:
    numbers = [
        question for question in QUESTIONS if isinstance(question.kind, teach.question.Number)
    ]
    for question in numbers:
        hints = " ".join(each.hint for each in question.properties)
        right = [text for text in hints.split() if teach.check(text.strip(".,"), question).is_right]
        listed = {"10", "100", "1000", "10000"}  # the question itself names these
        assert not {text.strip(".,") for text in right} - listed


def test_a_prediction_is_made_before_the_picture_is_shown() -> None:
    import ipywidgets

    picture = ipywidgets.HTML("picture")
    prediction = teach.lesson(1, login="ada").predictions["perfect"]
    shown = teach.predict(prediction, then=picture)
    assert picture not in shown.children
    buttons = shown.children[2].children
    assert [each.description for each in buttons] == [*prediction.options]
    buttons[0].click()
    assert shown.children[-1] is picture
    assert f">{prediction.because}<" in shown.children[3].value
    assert all(each.disabled for each in buttons)


def test_the_record_button_is_there_only_with_a_question() -> None:
    import dpviz

    explorer = dpviz.explore()
    assert explorer.record is None
    explorer.question = "my own"
    assert explorer.record is not None
    assert "question=%22my%20own%22" in explorer.answer()
