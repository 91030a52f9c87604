"""An answer of the checklist changes the sentences where it matters, and nothing else."""

from typing import Any

import pytest

from dpviz import Analysis, Result, Spec, read_sample
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.analysis.topics.bounds import BoundsQuestion, lower_bounds
from dpviz.analysis.topics.registry import TABLES

ANALYSIS = Analysis(read_sample("overfitted"))


def shown(**facts: Any) -> Result:
    return ANALYSIS.result(Spec(facts=facts))


def changed(**facts: Any) -> dict[str, str]:
    before = shown().sentences
    return {n: text for n, text in shown(**facts).sentences.items() if text != before[n]}


def test_what_nobody_stated_is_to_be_seen() -> None:
    said, table = shown().sentences, TABLES["checklist"](shown())
    assert said["checklist"].startswith(
        "Not answered (9 of 9 questions): same population, duplicates "
    )
    assert "the attack was not fitted to these scores. Not answered: " in said["answer_limits"]
    assert said["answer_limits"].endswith("Not answered: 9 of 9 questions of the checklist.")
    assert said["checklist_effects"] == ""
    assert [row[1:] for row in table.rows] == [("not stated", "")] * len(QUESTIONS)


def test_another_population_limits_the_answer() -> None:
    found = changed(population="different")
    own = {"checklist", "checklist_stated", "checklist_effects"}
    assert found.keys() == {"answer_detail", "answer_limits"} | own
    assert found["answer_detail"].endswith("checklist limit this result: not the same population.")
    assert "may detect the difference between the populations" in found["answer_limits"]


def test_the_same_population_limits_nothing() -> None:
    found = changed(population="same")
    assert found.keys() == {"answer_limits", "checklist", "checklist_stated"}
    assert found["checklist_stated"] == "Stated: same population: yes, split at random."
    assert found["answer_limits"].endswith("Not answered: 8 of 9 questions of the checklist.")


def test_a_threshold_of_these_records_matters_to_bounds_at_a_threshold_only() -> None:
    found = changed(threshold="same_records")
    own = {"checklist", "checklist_stated", "checklist_effects"}
    assert found.keys() == {"answer_limits"} | own
    assert "threshold" not in found["answer_limits"]
    for threshold, matters in ((None, False), (-14.0, True)):
        question = BoundsQuestion(threshold=threshold)
        part = lower_bounds(read_sample("null").thinned(50), question)
        said = shown(threshold="same_records").with_answer("bounds", part).sentences
        assert ("bounds at a fixed threshold do not hold" in said["bounds_cautions"]) == matters


def test_the_best_of_several_attacks_has_to_pay_for_all() -> None:
    assert "error probability is divided by" in changed(attack="best_of_several")["answer_limits"]


MECHANISM = {"applies_to": "mechanism", "sampling": "fixed_split"}


@pytest.mark.parametrize(
    ("stated", "chosen", "differs"),
    [
        ({"whose_epsilon": "mechanism"}, {"applies_to": "instance"}, True),
        ({"whose_epsilon": "mechanism"}, MECHANISM, False),
        ({"adjacency": "add_remove"}, {}, True),
        ({"adjacency": "replace_one"}, {}, False),
    ],
)
def test_facts_are_compared_with_the_audit_s_own_choices(
    stated: dict[str, str], chosen: dict[str, str], differs: bool
) -> None:
    said = ANALYSIS.result(Spec(facts=stated, **chosen)).sentences
    assert ("checklist limit this result" in said["answer_detail"]) == differs
    assert bool(said["checklist_effects"]) == differs


def test_own_words_are_shown_and_change_nothing() -> None:
    row = TABLES["checklist"](shown(tuning={"note": "12 runs <b>"})).rows[6]
    assert row == (QUESTIONS["tuning"].text, "12 runs <b>", "")
    both = {"answer": "counted", "note": "12 runs"}
    assert TABLES["checklist"](shown(tuning=both)).rows[6][1] == "yes, all runs (12 runs)"
