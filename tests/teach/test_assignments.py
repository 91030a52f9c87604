"""The assignments: every question is in both, and what students get has no key.

`.ci/prove graders` runs nbgrader and Otter themselves.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from dpviz import teach
from notebooks.assignments.keys import KEYS, RUBRICS
from notebooks.assignments.make import LESSONS, nbgrader, otter

GUIDE = Path(__file__).parents[2] / "notebooks" / "assignments" / "README.md"
# What nbgrader and Otter leave out of a release.
KEPT_BACK = {
    "nbgrader": r"### BEGIN (SOLUTION|HIDDEN TESTS)\n.*?\n### END \1",
    "otter": r"# BEGIN SOLUTION\n.*?\n# END SOLUTION",
}


def in_metadata(cell: dict[str, Any]) -> dict[str, Any]:
    return cell["metadata"].get("nbgrader", {})


@pytest.mark.parametrize("number", LESSONS)
def test_points_are_those_of_the_lesson(number: int) -> None:
    lesson = teach.lesson(number, login="ada")
    by_hand = sum(len(parts) for parts in RUBRICS[number].values())
    graded = [in_metadata(cell) for cell in nbgrader(number)]
    assert sum(each["points"] for each in graded if each.get("grade")) == lesson.points + by_hand
    names = [each["grade_id"] for each in graded if each]
    assert len(names) == len(set(names))
    raw = "\n".join(cell["source"] for cell in otter(number) if cell["cell_type"] == "raw")
    assert sum(map(int, re.findall(r"^points: (\d+)$", raw, re.MULTILINE))) == (
        lesson.points + by_hand
    )
    assert re.findall(r"^name: (\w+)$", raw, re.MULTILINE)[1:] == [
        *lesson.questions,
        *RUBRICS[number],
    ]


@pytest.mark.slow
@pytest.mark.parametrize("number", LESSONS)
def test_a_release_has_no_key(number: int) -> None:
    for grader, cells in (("nbgrader", nbgrader(number)), ("otter", otter(number))):
        whole = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
        released = re.sub(KEPT_BACK[grader], "", whole, flags=re.DOTALL)
        for name, code in KEYS[number].items():
            assert code in whole
            assert code not in released
            assert f'{name} = ""' in released
        tests = [line for line in released.splitlines() if line.startswith("assert")]
        assert tests == [] if grader == "nbgrader" else len(tests) == len(KEYS[number])


@pytest.mark.parametrize("number", LESSONS)
def test_the_guide_has_points_and_tolerances(number: int) -> None:
    guide, lesson = GUIDE.read_text(encoding="utf-8"), teach.lesson(number, login="ada")
    assert f"| {number} {lesson.title} | {lesson.points} + 3 |" in guide
    for question in lesson.questions.values():
        assert f"| {question.key} | {question.tolerance} |" in guide


@pytest.mark.parametrize("number", LESSONS)
def test_a_release_has_no_links_to_files_that_students_do_not_have(number: int) -> None:
    for cells in (nbgrader(number), otter(number)):
        text = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
        assert "](../" not in text
        assert "All lessons" in text
