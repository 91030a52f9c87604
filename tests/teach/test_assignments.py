"""The assignments: their questions are right, and what students get does not say what is right.

`.ci/prove graders` runs nbgrader and Otter themselves.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest
from scipy import stats

from dpviz import audit, teach, theory
from dpviz.analysis.state.recording import answer_as_line
from dpviz.teach.question import Choice, Picture
from dpviz.theory.zoom_levels import ZoomLevels
from notebooks.assignments.keys import RUBRICS
from notebooks.assignments.make import LESSONS, TEST, make, nbgrader, otter, write_hand_in
from notebooks.assignments.pool import POOL
from notebooks.assignments.try_graders import students

GUIDE = Path(__file__).parents[2] / "notebooks" / "assignments" / "README.md"
SECRET = "seven swans in the snow"
QUESTIONS = [(number, name) for number in POOL for name in POOL[number]]
LOGINS = ("ada", "Ünal Ö.")
TESTED = re.compile(r"### BEGIN HIDDEN TESTS\n.*?\n### END HIDDEN TESTS", re.DOTALL)


def opened(folder: Path) -> Callable[[int, str], Any]:
    """The questions to a student, by the program in a folder."""
    return run_path(str(folder / "hand_in.py"))["HandIn"]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("assignments")
    make(folder, SECRET)
    return folder


@pytest.fixture(scope="module")
def graded(made: Path) -> Callable[[int, str], Any]:
    return opened(made / "nbgrader" / "instructor")


def released(made: Path, number: int) -> Path:
    return made / "nbgrader" / "source" / LESSONS[number].stem


def answered(work: Any, name: str, value: Any) -> Any:
    """What a student hands in who found this value: a number, or the line of a picture."""
    question = work[name]
    if "moves" not in work.tasks[name]:
        return value
    spec = question.kind.start.changed(**{work.tasks[name]["moves"]: value})
    return answer_as_line(spec, question.kind.scores, question=question.label)


# The right answers by other ways than the formulas of the pool.
FOUND_OTHERWISE: dict[str, Callable[[dict[str, Any]], float]] = {
    "misses": lambda v: theory.ApproximateDP(epsilon=v["epsilon"], delta=v["delta"]).beta(v["fpr"]),
    "flipped": lambda v: theory.epsilon_at(fpr=v["fpr"], fnr=v["fnr"], delta=v["delta"]),
    "reach": lambda v: theory.delta_at(fpr=v["fpr"], fnr=v["fnr"], epsilon=v["epsilon"]),
    "nights": lambda v: stats.binom.sf(0, v["nights"], v["printed"] / v["people"]),
    "schools": lambda v: (
        ZoomLevels(
            records=v["schools"] * v["pupils"],
            high=v["high"],
            regions=[1, v["schools"]],
            scale=v["scale"],
        ).epsilon
    ),
    "caller": lambda v: (
        stats.laplace.logpdf(0.0, 0, v["scale"]) - stats.laplace.logpdf(0.0, v["most"], v["scale"])
    ),
    "answers": lambda v: sum(  # of a place above all counts
        stats.laplace.logpdf(9.0, 1.0, v["scale"]) - stats.laplace.logpdf(9.0, 0.0, v["scale"])
        for _ in range(v["answers"])
    ),
    "missed": lambda v: stats.beta.ppf(1 - v["missed"], 1, v["runs"]),  # Clopper and Pearson
    "counted": lambda v: (
        audit.lower_bound_from_counts(
            false_positives=v["alarms"],
            n_nonmembers=400,
            false_negatives=400 - v["hits"],
            n_members=400,
            delta=0.0,
        ).low
    ),
}


@pytest.mark.parametrize(("number", "name"), QUESTIONS)
def test_what_is_right_has_all_points_and_other_answers_have_none(
    graded: Callable[[int, str], Any], number: int, name: str
) -> None:
    for login in LOGINS:
        work = graded(number, login)
        question, right = work[name], work.right(name)
        assert teach.check(answered(work, name, right), question).is_right
        if name in FOUND_OTHERWISE:
            assert right == pytest.approx(FOUND_OTHERWISE[name](work.values(name)), rel=1e-9)
        if isinstance(question.kind, Choice):
            wrong = [letter for letter in question.kind.options if letter != right]
            assert len(wrong) == 3
        elif name == "harmless":
            wrong = [0.01]
        else:
            assert teach.check(answered(work, name, right * 1.0005), question).is_right
            wrong = [right * 0.8, right * 1.2]
        hints = [teach.check(answered(work, name, each), question) for each in wrong]
        assert [each.points for each in hints] == [0] * len(wrong)
        assert question.because not in {each.message for each in hints}


def test_answers_of_two_other_questions(graded: Callable[[int, str], Any]) -> None:
    """Their numbers are known from a limit of the library, or from counting people."""
    rare, twice, widest = graded(4, "ada"), graded(4, "bob"), graded(5, "ada")
    values = rare.values("rare")
    claim = theory.ApproximateDP(epsilon=1.0, delta=values["delta"])
    largest = theory.risk.ppv(claim, fpr=rare.right("rare"), prior=values["prior"])
    assert largest == pytest.approx(values["share"])
    values, share = twice.values("twice"), twice.values("twice")["prior"]
    for _ in range(2):
        hits, alarms = 1e6 * share * values["tpr"], 1e6 * (1 - share) * values["fpr"]
        share = hits / (hits + alarms)
    assert twice.right("twice") == pytest.approx(share)
    clip = widest.right("widest")
    anything = [0.0] * 50, [1.0] * 50  # the cap does not depend on the losses
    cap = audit.epsilon_star(anything, delta=1e-5, clip=clip).suprema.cap
    assert cap == pytest.approx(widest.values("widest")["epsilon"])


@pytest.mark.parametrize(("level", "attacks"), [(0.98, 3), (0.99, 4), (0.99, 12)])
def test_several_bounds_are_enough_if_their_errors_add_up_to_the_level(
    level: float, attacks: int
) -> None:
    # The worst case: no two of the bounds are wrong in the same audit.
    enough = 100 - attacks * (100 - round(100 * level)) >= 95
    position = eval(POOL[6]["several"]["right"], {"level": level, "attacks": attacks})
    assert [*POOL[6]["several"]["options"]][position].startswith("Yes: all") == enough


@pytest.mark.parametrize(("number", "name"), QUESTIONS)
def test_a_loop_over_answers_finds_nothing_in_a_release(
    made: Path, graded: Callable[[int, str], Any], number: int, name: str
) -> None:
    """With `teach.check`, letters and numbers it got 26 of 39 points of the lessons' questions."""
    tries = [*"abcd", *(10.0**k for k in range(1, 5)), *(k / 20 for k in range(20))]
    for login in ("ada", "x7"):
        question = opened(released(made, number))(number, login)[name]
        assert {teach.check(answer, question).points for answer in tries} == {0}
        checked = graded(number, login)[name]
        marks = [teach.check(answer, checked).points for answer in tries]
        # So what is left is a guess: one of four letters, or a number among all.
        if isinstance(question.kind, Picture):
            assert not any(marks)
        assert sum(map(bool, marks)) <= 1


def test_a_loop_gets_at_most_a_tenth_of_the_points() -> None:
    """All it can do is to guess one letter of four."""
    tasks = [task for each in POOL.values() for task in each.values()]
    guessed = sum(task["points"] / len(task["options"]) for task in tasks if "options" in task)
    assert guessed <= 0.1 * sum(task["points"] for task in tasks)


@pytest.mark.parametrize("number", LESSONS)
def test_a_release_does_not_say_what_is_right(
    made: Path, graded: Callable[[int, str], Any], number: int
) -> None:
    folder = released(made, number)
    assert {path.suffix for path in folder.iterdir()} == {".ipynb", ".py", ".json"}
    files = [path.read_text(encoding="utf-8") for path in folder.iterdir()]
    text = TESTED.sub("", "\n".join(files))
    assert SECRET not in text
    for login in LOGINS:
        for name, task in POOL[number].items():
            right = graded(number, login).right(name)
            # A short number such as 0.5 stands everywhere, but not as what is right.
            if not isinstance(right, str) and len(f"{right:.4g}") >= 6:
                assert f"{right:.4g}" not in text
            kept = json.loads((folder / f"hand_in_{number}.json").read_text())["tasks"][name]
            assert kept.keys() <= {
                *("text", "points", "numbers", "options", "views", "start", "losses")
            }
            if "options" in task:
                assert kept["options"] == sorted(task["options"])
    with pytest.raises(KeyError, match="right"):
        opened(folder)(number, "ada").right(name)


def test_letters_and_numbers_depend_on_login_and_course(
    made: Path, tmp_path: Path, graded: Callable[[int, str], Any]
) -> None:
    make(tmp_path, "another secret", [1])
    other = opened(tmp_path / "otter" / "instructor")
    logins = [f"student{i}" for i in range(12)]
    assert {graded(1, each).right("outside") for each in logins} == set("abcd")
    moved = [graded(1, each).right("outside") != other(1, each).right("outside") for each in logins]
    assert any(moved)
    assert graded(1, "ada").course != other(1, "ada").course
    assert graded(5, "ada").losses.n_members != graded(5, "bob").losses.n_members
    with pytest.raises(SystemExit, match="COURSE"):
        make(tmp_path, " ")


def test_the_guide_has_a_question_that_is_one_entry(tmp_path: Path) -> None:
    [entry] = re.findall(
        r'```python\n("crowd".*?)```', GUIDE.read_text(encoding="utf-8"), re.DOTALL
    )
    write_hand_in(tmp_path, 1, SECRET, eval(f"{{{entry}}}"))
    work = opened(tmp_path)(1, "ada")
    values = work.values("crowd")
    largest = theory.PureDP(epsilon=values["epsilon"]).tpr(values["fpr"])
    assert work.right("crowd") == pytest.approx(largest)
    assert teach.check(largest, work["crowd"]).is_right
    assert "Too small" in teach.check(values["fpr"], work["crowd"]).message


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({}, "Write your own login"),
        ({"login": "ada"}, "There is no answer yet"),
        ({"login": "ada", "misses": "__import__('os').abort()"}, "The answer is a number"),
        ({"login": "ada", "misses": 0.99, "teach": None, "HandIn": None}, "Too many"),
    ],
)
def test_a_hidden_test_says_what_is_missing(
    made: Path, names: dict[str, Any], message: str
) -> None:
    folder = repr(str(made / "otter" / "instructor"))
    with pytest.raises(AssertionError, match=message):
        exec(TEST.format(number=1, name="misses", shown="", folder=folder), names)


@pytest.mark.parametrize("number", [1, 7])  # with a picture to move, and without one
def test_the_graders_are_tried_with_right_wrong_and_missing_answers(
    made: Path, number: int
) -> None:
    tried = students(made / "otter" / "instructor", number)
    assert tried["key"].points == sum(task["points"] for task in POOL[number].values())
    assert 0 < tried["wrong"].points < tried["key"].points
    lost = [each for each in tried.values() if each.points == 0]
    assert len(lost) >= 4
    assert all(each.hint for each in lost)


@pytest.mark.parametrize("number", LESSONS)
def test_points_and_names(number: int) -> None:
    lesson, tasks = teach.lesson(number, login="ada"), POOL[number]
    points = sum(task["points"] for task in tasks.values())
    assert points == 6
    assert not tasks.keys() & lesson.questions.keys()
    by_hand = sum(len(parts) for parts in RUBRICS[number].values())
    marked = [cell["metadata"].get("nbgrader", {}) for cell in nbgrader(number)]
    assert sum(each.get("points", 0) for each in marked) == points + by_hand
    raw = "\n".join(cell["source"] for cell in otter(number) if cell["cell_type"] == "raw")
    assert sum(map(int, re.findall(r"^points: (\d+)", raw, re.MULTILINE))) == points + by_hand
    assert re.findall(r"^name: (\w+)$", raw, re.MULTILINE)[1:] == [*RUBRICS[number], *tasks]
    choices = sum(task["points"] for task in tasks.values() if "options" in task)
    assert choices <= points / 3
    guide = GUIDE.read_text(encoding="utf-8")
    assert f"| {number} {lesson.title} | {points} + {by_hand} |" in guide
    for name, task in tasks.items():
        assert f"| {number}.{name} | {task.get('tolerance', 'the letter')} |" in guide


@pytest.mark.parametrize("number", LESSONS)
def test_the_lesson_is_the_body_of_the_assignment(number: int) -> None:
    lesson = json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"]
    cells = nbgrader(number)
    for old, new in zip(lesson, cells, strict=False):
        same = "".join(old["source"]) == new["source"]
        assert same or "](../" in "".join(old["source"]) or "essay" in str(old["metadata"])
    text = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "](../" not in text
    assert "## To hand in" in cells[len(lesson)]["source"]


@pytest.mark.parametrize(("number", "name"), QUESTIONS)
def test_sentences_are_short(number: int, name: str) -> None:
    task = POOL[number][name]
    texts = [task["text"], task.get("because", "")]
    texts += [*task.get("rules", {}), *task.get("options", {}), *task.get("options", {}).values()]
    for text in texts:
        for sentence in re.split(r"(?<=[.?!]) ", text):
            assert len(re.findall(r"\w[\w.,:{}%]*", sentence)) <= 22, sentence
