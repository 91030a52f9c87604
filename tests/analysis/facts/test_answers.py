"""Facts: what is stated comes back as it stands; everything else is refused by its name."""

import copy
import random
import re
from pathlib import Path
from typing import Any

import pytest

from dpviz import Facts, Spec, read_facts
from dpviz.analysis.facts.answers import LONGEST_NOTE, empty_facts_toml
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.audit.bounds.result import APPLIES_TO
from dpviz.theory.tradeoff import ADJACENCIES

TOML = """
population = "different"
attack = {answer = "best_of_several", note = "4 attacks <b>ε & δ</b>"}

[tuning]
note = "12 runs"
"""
YAML = """
population: different
attack: {answer: best_of_several, note: "4 attacks <b>ε & δ</b>"}
tuning:
  note: 12 runs
duplicates:            # left empty
adjacency: not stated
"""
STATED = Facts(
    {
        "population": "different",
        "attack": {"answer": "best_of_several", "note": "4 attacks <b>ε & δ</b>"},
        "tuning": {"note": "12 runs"},
    }
)


def file(folder: Path, text: str | bytes, name: str = "facts.toml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_nothing_is_stated_unless_somebody_does() -> None:
    assert not Facts()
    assert Facts().missing == tuple(QUESTIONS)
    assert Facts({"population": None, "attack": "not stated", "tuning": {"note": " "}}) == Facts()
    assert Facts({"population": "same"}).changed(population=None) == Facts()


def test_equal_facts_are_one_value_in_whatever_order() -> None:
    names = list(QUESTIONS)
    given = {name: next(iter(QUESTIONS[name].choices)) for name in names}
    other = {name: given[name] for name in reversed(names)}
    assert Facts(given) == Facts(other)
    assert hash(Facts(given)) == hash(Facts(other))
    assert Facts(given).missing == ()
    assert copy.deepcopy(Facts(given)) == Facts(given)
    assert Spec(facts=given) == Spec(facts=Facts(other))


def test_toml_and_yaml_say_the_same(tmp_path: Path) -> None:
    assert read_facts(file(tmp_path, TOML)) == STATED
    assert read_facts(file(tmp_path, YAML, "facts.yml")) == STATED
    assert Facts(STATED.as_dict()) == STATED
    assert read_facts(file(tmp_path, "", "facts.yaml")) == Facts()


def test_the_template_states_nothing_and_every_line_of_it_is_an_answer(tmp_path: Path) -> None:
    text = empty_facts_toml()
    assert read_facts(file(tmp_path, text)) == Facts()
    answers = [
        line[2:]
        for line in empty_facts_toml().splitlines()
        if line.startswith("# ") and " = " in line
    ]
    for line in answers:
        read_facts(file(tmp_path, line))
    assert len(answers) == 1 + sum(len(each.choices) for each in QUESTIONS.values())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "facts must be a table of questions and answers, got 'a list'"),
        (
            {"popultion": "same"},
            "facts must be a table with the keys population, .*, got 'popultion'",
        ),
        ({"population": "yes"}, "facts.population must be one of 'same', .*, got 'yes'"),
        (
            {"population": True},
            "facts.population must be one of .*, got True; write other words in its note",
        ),
        ({"population": ["same"]}, "facts.population must be one of .*, got 'a list'"),
        ({"tuning": {"nota": "x"}}, "field of facts.tuning must be one of 'answer', 'note', got"),
        ({"tuning": {"note": 12}}, "facts.tuning.note must be text, got 'a int'"),
        (
            {"tuning": {"note": "x" * (LONGEST_NOTE + 1)}},
            "facts.tuning.note must be text of at most 500",
        ),
        ({"tuning": {"note": "a\ud800"}}, "facts.tuning.note must be text without control"),
        ({"tuning": {"note": "a\x1b[31m"}}, "facts.tuning.note must be text without control"),
    ],
)
def test_other_values_are_refused_with_the_name(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Facts(given)
    with pytest.raises(ValueError, match=message):
        Spec(facts=given)


BOMB = "\n".join(["a0: &a0 [x]"] + [f"a{i}: &a{i} [{f'*a{i - 1}, ' * 9}]" for i in range(1, 30)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "name", "message"),
    [
        (TOML, "facts.json", "ending of the facts file must be one of '.toml', '.yaml', '.yml'"),
        ("population = ", "facts.toml", "facts must be TOML: "),
        ("population: [", "facts.yaml", "facts must be YAML: "),
        ("!!python/object/apply:os.getcwd []", "facts.yaml", "facts must be YAML: "),
        ("- population", "facts.yaml", "facts must be a table"),
        ("population: yes", "facts.yaml", "facts.population must be one of .*, got True"),
        ("attack: fixed\nattack: tuned", "facts.yaml", "without repeated keys, got 'attack'"),
        (BOMB, "facts.yaml", r"facts must be YAML without aliases, got '\*a0'"),
        (f"population: &a [{'[' * 9000}", "facts.yaml", "facts must be (YAML|nested less deeply)"),
        ("x = " + "[" * 9000, "facts.toml", "facts must be (TOML|nested less deeply)"),
        (b"\xff\xfe\x00", "facts.toml", "facts must be text in UTF-8"),
        (b"#" * 100_001, "facts.toml", "facts must be TOML of at most 100000 characters"),
    ],
)
def test_files_that_are_none_are_refused(
    text: str | bytes, name: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        read_facts(file(tmp_path, text, name))


def test_500_damaged_files_are_read_or_refused_and_none_crashes(tmp_path: Path) -> None:
    rng = random.Random(26)
    errors = []
    for i in range(500):
        text, name = ((TOML, "facts.toml"), (YAML, "facts.yaml"))[i % 2]
        at = rng.randrange(len(text))
        signs = "".join(rng.choices("\"'={}[]:,\n\t#&*!|>-0aε\x00\x85", k=rng.randrange(1, 4)))
        damaged = (text[:at], text[:at] + signs + text[at + rng.randrange(3) :])[i % 3 > 0]
        try:
            read_facts(file(tmp_path, damaged, name))
        except ValueError as error:
            errors.append(str(error))
    assert 250 < len(errors) < 500
    assert [error for error in errors if not re.match(r"(field of )?facts[. ]", error)] == []


def test_the_audit_s_own_choices_are_among_the_answers() -> None:
    assert {*APPLIES_TO} <= {*QUESTIONS["whose_epsilon"].choices}
    assert {*ADJACENCIES} <= {*QUESTIONS["adjacency"].choices}


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_limits_and_says_what_it_changes_or_does_neither(name: str) -> None:
    question = QUESTIONS[name]
    assert question.text.endswith("?")
    for answer in question.choices:
        choice = question.chosen_option(answer, Spec())
        assert bool(choice.limit) == bool(choice.effect)
        assert not choice.effect or choice.effect.endswith(".")
