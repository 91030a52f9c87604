"""Questions on the page: what is typed, pressed or moved is recorded, checked and corrected."""

from pathlib import Path
from typing import Any

import pytest

from dpviz import teach
from dpviz.teach.ask import question_html
from dpviz.widgets import RegionView

LESSON = teach.lesson(1, login="ada")


def inside(widget: Any, kind: str) -> list[Any]:
    """The widgets of a kind inside another one, such as "Button"."""
    found = [widget] if type(widget).__name__ == kind else []
    return found + [
        each for child in getattr(widget, "children", ()) for each in inside(child, kind)
    ]


def typed(asked: Any, text: str) -> None:
    [box] = inside(asked, "Text")
    box.value = text  # as the browser sends it at Enter


def test_a_number_is_typed_and_corrected() -> None:
    asked = teach.ask(LESSON["trials"])
    assert (asked.answer, asked.message.value) == ("", "")
    [record] = inside(asked, "Button")
    record.click()
    assert "There is no answer yet." in asked.message.value
    typed(asked, "<b>10</b>")
    assert "The answer is a number." in asked.message.value
    assert "<b>" not in asked.message.value
    typed(asked, "10")
    assert "Not yet (0 of 2 points)" in asked.message.value
    typed(asked, "100")
    assert asked.answer == "100"
    assert f"Right (2 of 2 points). {LESSON['trials'].because}" in asked.message.value
    assert 'role="status"' in asked.message.value


def test_an_option_is_pressed_and_another_one_after_it() -> None:
    question = LESSON["inside"]
    asked = teach.ask(question)
    buttons = {each.description: each for each in inside(asked, "Button")}
    assert [*buttons] == [*question.kind.options.values()]
    for text, letter in {text: x for x, text in question.kind.options.items()}.items():
        buttons[text].click()
        assert asked.answer == letter
        assert ("Right" in asked.message.value) == teach.check(letter, question).is_right
        marked = [
            t for t, each in buttons.items() if "dpviz-chosen" in each.get_state()["_dom_classes"]
        ]
        assert marked == [text]


def test_a_picture_is_recorded_as_the_explorer_of_the_question_does() -> None:
    question = LESSON["edge"]
    asked, explorer = teach.ask(question), teach.explore(question)
    [record] = inside(asked.children[-1].children[1], "Button")
    record.click()
    assert "This line records the initial picture." in asked.message.value
    for each in (asked.view, explorer):
        each.fpr, each.fnr = 0.2, 0.3
    record.click()
    assert asked.answer == explorer.answer()


@pytest.mark.parametrize(
    ("number", "name", "sliders", "menus"),
    [
        (1, "edge", [], []),
        (2, "touch", ["δ"], []),
        (3, "noise", ["ε"], []),
        (4, "half", ["prior p"], []),
        pytest.param(5, "larger", [], ["form", "clip"], marks=pytest.mark.slow),
        pytest.param(6, "threshold", [], [], marks=pytest.mark.slow),
    ],
)
def test_only_what_the_question_needs_can_be_moved(
    number: int, name: str, sliders: list[str], menus: list[str]
) -> None:
    asked = teach.ask(teach.lesson(number, login="ada")[name])
    beside = asked.children[-1].children[1]
    assert [each.description for each in inside(beside, "IntSlider")] == sliders
    assert [each.description for each in inside(beside, "Dropdown")] == menus
    assert [each.description for each in inside(beside, "Button")] == ["Record"]
    assert inside(asked, type(asked.view).__name__) == [asked.view]


def test_a_report_is_read_from_a_file_or_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = teach.ask(teach.lesson(6, login="ada")["report"])
    typed(asked, "audit.json")
    assert "The file cannot be read" in asked.message.value
    assert asked.answer == ""
    Path("audit.json").write_bytes(b"\xff\xfe")
    [record] = inside(asked, "Button")
    record.click()
    assert "The file cannot be read" in asked.message.value
    Path("audit.json").write_text('{"schema": "dpviz/audit/1"}', encoding="utf-8")
    record.click()
    assert "The report is about other losses." in asked.message.value
    assert asked.answer == '{"schema": "dpviz/audit/1"}'
    typed(asked, '{"schema": "other"}')
    assert "This JSON is not a report." in asked.message.value


def test_terms_of_a_question_are_explained_and_its_text_is_no_html() -> None:
    said = question_html("Is <b>FPR</b> & FNR?").value
    assert "&lt;b&gt;" in said
    assert said.count('class="dpviz-term"') == 2
    assert "non-members that the attack wrongly calls members" in said


def test_a_number_in_a_sentence_moves_the_others_and_the_picture() -> None:
    view = RegionView(epsilon=1.0, delta=0.0)
    said = teach.sentence(
        "At ε = {epsilon} and twice it, {twice:.1f}.",
        view,
        epsilon=[2, 0.5],
        twice=lambda epsilon: 2 * epsilon,
    )
    assert (said.text, view.epsilon) == ("At ε = 2 and twice it, 4.0.", 2)
    said.menus["epsilon"].value = 0.5
    assert (said.text, view.epsilon) == ("At ε = 0.5 and twice it, 1.0.", 0.5)
    assert "<output>1.0</output>" in [each.value for each in inside(said, "Html")]
    assert said.children[-1] is view


def test_a_sentence_has_a_field_for_each_number() -> None:
    with pytest.raises(ValueError, match="template must be a text with exactly the fields"):
        teach.sentence("{n} and {m}", n=[1, 2])
