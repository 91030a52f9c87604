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
def test_a_lesson_s_sentences_are_graded_by_hand(number: int) -> None:
    by_hand = sum(len(parts) for parts in RUBRICS[number].values())
    graded = [in_metadata(cell) for cell in nbgrader(number)]
    assert sum(each["points"] for each in graded if each.get("grade")) == by_hand
    names = [each["grade_id"] for each in graded if each]
    assert len(names) == len(set(names))
    raw = "\n".join(cell["source"] for cell in otter(number) if cell["cell_type"] == "raw")
    assert sum(map(int, re.findall(r"^points: (\d+)$", raw, re.MULTILINE))) == by_hand
    assert re.findall(r"^name: (\w+)$", raw, re.MULTILINE)[1:] == [*RUBRICS[number]]


@pytest.mark.slow
@pytest.mark.parametrize("number", LESSONS)
def test_a_release_has_no_key(number: int) -> None:
    for grader, cells in (("nbgrader", nbgrader(number)), ("otter", otter(number))):
        whole = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "code")
        released = re.sub(KEPT_BACK[grader], "", whole, flags=re.DOTALL)
        assert [name for name, code in KEYS[number].items() if code in released] == []


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
