"""Writes each lesson as an assignment for nbgrader and for Otter: `make assignments COURSE=...`.

The notebook of an assignment is the lesson, as practice, and below it the graded questions of
`pool.py`. Students get texts and options. What is right is in the folder `instructor`, which the
hidden tests read.

    python -m notebooks.assignments.make FOLDER COURSE [NUMBER ...]
"""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any

from notebooks.assignments.keys import RUBRICS
from notebooks.assignments.pool import KEPT_BACK, POOL

Cell = dict[str, Any]
HERE = Path(__file__).parent
LESSONS = {int(path.stem[0]): path for path in sorted((HERE.parent / "lessons").glob("*.ipynb"))}
HAND_IN = """\
## To hand in

Up to here you practised. These questions and the sentences above count. They have other numbers,
which are yours alone. A cell says whether your answer can be read, not whether it is right."""
BEGIN = """\
from hand_in import HandIn

from dpviz import teach

work = HandIn({number}, login)"""
RECORD = "Press **Record answer** above the picture, and paste the line between the quotes below."
READ = "print(teach.received({name}, work[{name!r}]{shown}))"
# A student's notebook may give other meanings to names, or leave them out.
TEST = """\
import os as _os
from runpy import run_path as _run_path

from dpviz import teach as _teach

_names = _run_path(_os.path.join({folder}, "hand_in.py"))
_work = _names["HandIn"]({number}, globals().get("login", "your login"))
_found = _teach.check(globals().get({name!r}), _work[{name!r}]{shown})
assert _found.is_right, str(_found)"""
NBGRADER_CONFIG = """\
import os
from pathlib import Path

c = get_config()
c.CourseDirectory.course_id = "privacy"
c.ExecutePreprocessor.timeout = 300
c.ExecutePreprocessor.iopub_timeout = 60  # pictures of a busy machine take longer than 4 s
c.OverwriteCells.add_missing_cells = True  # what a submission lacks is graded, and named
os.environ["DPVIZ_INSTRUCTOR"] = str(Path(__file__).parent / "instructor")
"""


def nbgrader(number: int) -> list[Cell]:
    """Return the cells of nbgrader's source: an answer and a hidden test for each question."""
    return _cells(number, _nbgrader_question, _nbgrader_essay)


def otter(number: int) -> list[Cell]:
    """Return the cells of Otter's source, in which raw cells say what follows.

    No cell runs public tests, and results do not sum them up: there are none, so all would pass.
    """
    config = f"# ASSIGNMENT CONFIG\nname: {LESSONS[number].stem}\n"
    config += "generate:\n  show_hidden: true\n  force_public_test_summary: false\n"
    config += "run_tests: false\ninit_cell: false\nexport_cell: false\ncheck_all_cell: false\n"
    config += f"files: [hand_in.py, hand_in_{number}.json]\nautograder_files: [instructor]\n"
    return [_raw(config), *_cells(number, _otter_question, _otter_essay)]


def _cells(
    number: int,
    question: Callable[[int, str, str], Iterable[Cell]],
    essay: Callable[[int, str], Iterable[Cell]],
) -> list[Cell]:
    """Return the lesson's cells as they are, but for its essays, and the graded questions."""
    made: list[Cell] = []
    for cell in json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"]:
        # Students get one notebook: the names of others stay, the links to them go.
        source = re.sub(r"\[([^]]+)\]\(\.\./[^)]+\)", r"\1", "".join(cell["source"]))
        if name := cell["metadata"].get("dpviz", {}).get("essay"):
            made += essay(number, name)
        else:
            made.append(_code(source) if cell["cell_type"] == "code" else _markdown(source))
    made += [_markdown(HAND_IN), _code(BEGIN.format(number=number))]
    for name, task in POOL[number].items():
        made.append(_code(f'work["{name}"]'))
        shown = ""
        if "start" in task:
            shown = ", picture"
            made.append(_code(f'picture = teach.explore(work["{name}"])\npicture'))
            made.append(_markdown(RECORD))
        made += question(number, name, shown)
    return made


def _test(number: int, name: str, shown: str, folder: str) -> str:
    shown = f", globals().get({shown[2:]!r})" if shown else ""
    return TEST.format(number=number, name=name, shown=shown, folder=folder)


def _nbgrader_question(number: int, name: str, shown: str) -> Iterable[Cell]:
    test = _test(number, name, shown, '_os.environ["DPVIZ_INSTRUCTOR"]')
    yield _code(f'{name} = ""')
    yield _code(
        f"{READ.format(name=name, shown=shown)}\n"
        f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS",
        _graded(f"check_{name}", POOL[number][name]["points"], solution=False),
    )


def _nbgrader_essay(number: int, name: str) -> Iterable[Cell]:
    rubric = RUBRICS[number][name]
    yield _markdown(_rubric(rubric), _graded(f"essay_{name}", len(rubric), solution=True))


def _otter_question(number: int, name: str, shown: str) -> Iterable[Cell]:
    """Only a hidden test: Otter would share the points between it and a public one."""
    points = POOL[number][name]["points"]
    yield _raw(f"# BEGIN QUESTION\nname: {name}\npoints: {points}\ncheck_cell: false")
    yield _code(f'{name} = ""')
    yield _raw("# BEGIN TESTS")
    test = _test(number, name, shown, '"instructor"')
    yield _code(f'""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\n{test}')
    yield _raw("# END TESTS")
    yield _raw("# END QUESTION")
    yield _code(READ.format(name=name, shown=shown))


def _otter_essay(number: int, name: str) -> Iterable[Cell]:
    rubric = RUBRICS[number][name]
    yield _raw(f"# BEGIN QUESTION\nname: {name}\npoints: {len(rubric)}\nmanual: true")
    yield _raw("# BEGIN SOLUTION")
    yield _markdown(_rubric(rubric))
    yield _raw("# END SOLUTION")
    yield _raw("# END QUESTION")


def _rubric(parts: Iterable[str]) -> str:
    return "\n".join(f"- 1 point: {part}" for part in parts)


def _graded(name: str, points: int, *, solution: bool) -> dict[str, Any]:
    """Return nbgrader's metadata of a graded cell; in a solution students write their answer."""
    said = {"grade": True, "solution": solution, "locked": not solution, "task": False}
    said |= {"grade_id": name, "schema_version": 3, "points": points}
    return {"nbgrader": said}


def _code(source: str, metadata: dict[str, Any] | None = None) -> Cell:
    return _cell("code", source, metadata) | {"execution_count": None, "outputs": []}


def _markdown(source: str, metadata: dict[str, Any] | None = None) -> Cell:
    return _cell("markdown", source, metadata)


def _raw(source: str) -> Cell:
    return _cell("raw", source)


def _cell(kind: str, source: str, metadata: dict[str, Any] | None = None) -> Cell:
    return {"cell_type": kind, "metadata": metadata or {}, "source": source}


def write(path: Path, cells: list[Cell]) -> None:
    """Write a notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    numbered = [cell | {"id": f"cell-{i:03d}"} for i, cell in enumerate(cells)]
    notebook = {"cells": numbered, "metadata": {"kernelspec": kernel}}
    notebook |= {"nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def released(task: dict[str, Any]) -> dict[str, Any]:
    """Return what students get of a question; the order of its options says nothing."""
    kept = {key: value for key, value in task.items() if key not in KEPT_BACK}
    return kept | ({"options": sorted(task["options"])} if "options" in task else {})


def write_hand_in(folder: Path, number: int, course: str, tasks: dict[str, Any]) -> None:
    """Write the program and the file with the graded questions of a lesson."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "hand_in.py", folder)
    # The numbers depend on the secret, which is not among what students get.
    written = {"course": sha256(course.encode()).hexdigest()[:16], "tasks": tasks}
    text = json.dumps(written, indent=1, ensure_ascii=False)
    (folder / f"hand_in_{number}.json").write_text(f"{text}\n", encoding="utf-8")


def make(folder: Path, course: str, numbers: Iterable[int] = tuple(LESSONS)) -> None:
    """Write the sources of both graders for these lessons of a course into a folder."""
    if not course.strip():
        raise SystemExit('a course has a secret text: make assignments COURSE="some secret text"')
    for number in numbers:
        name = LESSONS[number].stem
        source = folder / "nbgrader" / "source" / name
        write(source / f"{name}.ipynb", nbgrader(number))
        write(folder / "otter" / f"{name}.ipynb", otter(number))
        tasks = {key: released(task) for key, task in POOL[number].items()}
        for students in (source, folder / "otter"):
            write_hand_in(students, number, course, tasks)
        for grader in ("nbgrader", "otter"):
            write_hand_in(folder / grader / "instructor", number, course, POOL[number])
    config = folder / "nbgrader" / "nbgrader_config.py"
    config.write_text(NBGRADER_CONFIG, encoding="utf-8")


if __name__ == "__main__":
    to, course, *numbers = sys.argv[1:]
    make(Path(to), course, [int(each) for each in numbers] or tuple(LESSONS))
