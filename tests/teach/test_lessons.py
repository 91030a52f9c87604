"""Each lesson: its key has all points, untouched and merely dragged it has none, and says why."""

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpviz import teach, theory
from dpviz.teach.check import Feedback
from dpviz.teach.lessons.is_this_code_private import PROGRAMS
from dpviz.testing.gallery import BUGS
from notebooks.assignments.answers import RIGHT, WRONG, instead
from notebooks.assignments.keys import KEYS, RUBRICS
from tests.teach.notebook import LESSONS, Run, cells, last_value, run

NUMBERS = sorted(LESSONS)


@pytest.fixture(scope="module", params=NUMBERS, ids=lambda number: f"lesson{number}")
def keyed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Number of a lesson, and its run with the key."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("lesson"))  # a lesson may write files
        yield request.param, run(request.param, KEYS[request.param])


def given(number: int, run_with_key: Run, name: str, code: str) -> Feedback:
    """The feedback on another answer than the key's."""
    names = dict(run_with_key.names)
    last_value(instead(number, name, code), names)
    return teach.check(names[name], names["lesson"][name])


def first_picture(number: int) -> teach.question.Question:
    questions = teach.lesson(number, login="ada").questions.values()
    return next(each for each in questions if isinstance(each.kind, teach.question.Picture))


def test_the_key_has_all_points(keyed: tuple[int, Run]) -> None:
    number, found = keyed
    assert {name: str(each) for name, each in found.feedback.items() if not each.is_right} == {}
    lesson = teach.lesson(number, login="ada")
    assert [*found.feedback] == [*lesson.questions]
    assert KEYS[number].keys() == found.feedback.keys()
    assert found.points == lesson.points


@pytest.mark.parametrize("number", NUMBERS)
def test_a_lesson_asks_each_question_once_and_checks_nothing_in_its_code(number: int) -> None:
    code = [cell["source"] for cell in cells(number) if cell["cell_type"] == "code"]
    asked = re.findall(r'teach\.ask\(lesson\["(\w+)"\]\)', "\n".join(code))
    assert sorted(asked) == sorted(teach.lesson(number, login="ada").questions)
    assert [each for each in code if '= ""' in each or "teach.check(" in each] == []
    assert len(code) <= 0.4 * len(cells(number))
    assert max(len(each.split("\n")) for each in code) <= 6
    assert sum(each.startswith(("import ", "from ")) for each in "\n".join(code).split("\n")) == 1


PICTURE = r"explore\(|widgets\.|teach\.game\(|then="
# The first guess of a lesson, and the usual one, which the answer contradicts.
SURPRISES = {
    1: ("perfect", "8 or more"),
    2: ("zero", "still the diagonal"),
    3: ("zoom", "the same for all"),
    4: ("flagged", "about 90 %"),
    5: ("nothing", "0"),
    6: ("ceiling", "infinite"),
    7: ("keep", "three of them"),
}


def words_until(number: int, pattern: str) -> int:
    """Words that are read up to the cell with the pattern: texts and what is to be guessed."""
    read = []
    for cell in cells(number):
        if cell["cell_type"] == "markdown":
            read.append(re.sub(r"^\d+\. \[.*\n?", "", cell["source"], flags=re.MULTILINE))
        for name in re.findall(r'predictions\["(\w+)"\]', cell["source"]):
            guess = teach.lesson(number, login="ada").predictions[name]
            read += [guess.text, *guess.options]
        if re.search(pattern, cell["source"]):
            break
    return len(" ".join(read).split())


@pytest.mark.parametrize("number", [0, *NUMBERS])
def test_the_first_picture_comes_within_a_minute_of_reading(number: int) -> None:
    assert words_until(number, PICTURE) <= 200


@pytest.mark.parametrize("number", NUMBERS)
def test_the_first_surprise_comes_within_three_minutes(number: int) -> None:
    name, usual = SURPRISES[number]
    guess = teach.lesson(number, login="ada").predictions[name]
    assert usual in guess.options
    # Half a minute goes to the guess.
    assert words_until(number, f'"{name}"') + len(guess.because.split()) <= 2.5 * 200


def test_wrong_answers_have_fewer_points_and_a_hint(keyed: tuple[int, Run]) -> None:
    number, found = keyed
    right = {each.message for each in found.feedback.values()}
    assert len(WRONG[number]) >= 5
    for name, code in WRONG[number]:
        feedback = given(number, found, name, code)
        assert feedback.points == 0, (name, code)
        assert feedback.message not in right


def test_different_right_answers_have_all_points(keyed: tuple[int, Run]) -> None:
    number, found = keyed
    assert len(RIGHT[number]) >= 5
    for name, code in RIGHT[number]:
        feedback = given(number, found, name, code)
        assert feedback.is_right, (name, code, str(feedback))


def test_other_students_have_other_numbers() -> None:
    assert (
        teach.check(
            teach.explore(teach.lesson(1, login="ada")["edge"]).answer(),
            teach.lesson(1, login="bob")["edge"],
        ).message
        == "This answer line is from another login. Enter the line of your own picture."
    )
    right = {run(1, KEYS[1], login=login).points for login in ("bob", "Ünal Ö.", "x" * 100)}
    assert right == {teach.lesson(1, login="ada").points}


@pytest.mark.parametrize("number", NUMBERS)
def test_what_is_graded_by_hand_has_a_rubric(number: int) -> None:
    roles = [cell["metadata"].get("dpviz", {}) for cell in cells(number)]
    essays = {role["essay"]: role["points"] for role in roles if "essay" in role}
    assert essays == {name: len(parts) for name, parts in RUBRICS[number].items()}


@pytest.mark.parametrize("keyed", [7], indirect=True)
def test_a_test_contradicts_all_programs_but_the_private_one(keyed: tuple[int, Run]) -> None:
    tests, lesson = keyed[1].names["tests"], keyed[1].names["lesson"]
    unharmed = [n for n, test in tests.items() if test.outcome != "contradicted"]
    right = {bug.right for bug in BUGS.values()}
    assert unharmed == [n for n, program in PROGRAMS.items() if program.run in right]
    chosen = lesson["which"].kind.options[keyed[1].names["which"]]
    assert chosen == f"Program {unharmed[0]}."


@pytest.mark.parametrize("number", PROGRAMS)
def test_a_program_as_text_runs_as_in_the_gallery_and_does_not_name_its_bug(number: int) -> None:
    program = PROGRAMS[number]
    text = str(program)
    assert not re.search(r"private|bug|noqa|clamped|reused|sensitivity|clip", text)
    names = dict(program.run.__globals__)
    exec(text, names)
    for data in program.pair:
        both = (names[f"program_{number}"], program.run)
        first, second = (each(data, np.random.default_rng(3)) for each in both)
        assert first == second


def test_answers_about_programs_by_other_ways() -> None:
    for login in ("ada", "bob", "x7"):
        lesson = teach.lesson(7, login=login)
        rare = int(re.search(r"one of (\d+) runs", lesson["runs"].text)[1])
        assert teach.check(stats.geom.ppf(0.95, 1 / rare), lesson["runs"]).is_right
        start = lesson["votes"].kind.start
        scale = float(re.search(r"scale ([\d.]+\d)", lesson["votes"].text)[1])
        members, nonmembers = (stats.laplace(at, scale) for at in (1, -1))  # the sums of votes
        assert (start.fpr, start.fnr) == pytest.approx((nonmembers.sf(1), members.cdf(1)))
        explorer = teach.explore(lesson["votes"])
        explorer.epsilon = theory.epsilon_at(fpr=start.fpr, fnr=start.fnr, delta=0.0)
        assert teach.check(explorer.answer(), lesson["votes"]).is_right
