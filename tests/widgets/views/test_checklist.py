"""The checklist: menus, the spec and the sentences say the same."""

import pytest

import dpviz
from dpviz import Facts
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.widgets import ChecklistView, Explorer, SpecError, Store

SCORES = ([0.1, 0.4, 0.2], [0.3, 0.9, 0.8])


def test_a_menu_states_an_answer_and_undo_removes_it() -> None:
    explorer = dpviz.explore(SCORES)
    view = explorer.panel.view("checklist")
    assert isinstance(view, ChecklistView)
    explorer.tab = "evidence"
    field = view.controls[0]
    field.menu.value = "different"
    field.note.value = "patients against volunteers"
    stated = Facts({"population": {"answer": "different", "note": "patients against volunteers"}})
    assert explorer.facts == stated
    assert "may detect the difference between the populations" in field.effect.value
    assert "not the same population" in explorer.answer_view.text.value
    assert "Not answered (8 of 9 questions)" in view.text.value
    explorer.undo()
    explorer.undo()
    assert (field.menu.value, field.note.value, field.effect.value) == ("", "", "")
    explorer.redo()
    assert field.menu.value == "different"


@pytest.mark.slow
def test_answers_travel_with_state_code_and_page() -> None:
    explorer = dpviz.explore(dpviz.read_sample("overfitted"), facts={"tuning": {"note": "<b>12"}})
    again = Explorer.from_state(explorer.state())
    assert again.facts == explorer.facts == Facts({"tuning": {"note": "<b>12"}})
    assert 'facts={"tuning": {"note": "<b>12"}}' in explorer.code()
    page = again.to_html()
    assert "<td>&lt;b&gt;12</td>" in page
    assert page.count("<td>not stated</td>") == len(QUESTIONS) - 1
    assert "<h2>Checklist</h2>" not in dpviz.explore().to_html()


def test_what_cannot_be_stated_changes_nothing() -> None:
    store = Store()
    view = ChecklistView(store=store)
    view.controls[0].note.value = "x" * 501
    assert "facts.population.note must be text of at most 500 characters" in view.error
    assert view.controls[0].note.value == ""
    with pytest.raises(SpecError, match=r"facts\.population must be one of"):
        store.update(facts={"population": "maybe"})
    assert store.spec.facts == Facts()


def test_what_a_machine_notices_is_an_indication() -> None:
    explorer = dpviz.explore(dpviz.read_sample("null"), tab="evidence")
    view = explorer.panel.view("checklist")
    assert isinstance(view, ChecklistView)
    assert "Automatic checks found no fault. This does not show" in view.noticed.value
    view.check(ids=(range(2000), range(1990, 3990)))
    assert "Automatic checks found possible faults" in view.noticed.value
    assert "10 of 2000 non-members are also members" in explorer.result.sentences["inputs"]
    explorer.delta = 1e-6  # other choices about the same records
    assert "10 of 2000" in view.noticed.value
    explorer.store.load(dpviz.read_sample("gamma"))
    assert "found no fault" in view.noticed.value
    with pytest.raises(ValueError, match="scores must be loaded"):
        ChecklistView().check()
