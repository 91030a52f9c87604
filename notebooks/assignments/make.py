"""Writes each lesson as an assignment for nbgrader and for Otter: `make assignments`.

The source of both is the lesson's notebook. Its cells say what they are in their metadata, under
"dpviz": an `answer`, the `check` of one, or an `essay` with `points`, graded by hand. The answers
are in `keys.py`. What students get has no key, and a check says only whether an answer can be read.

    python -m notebooks.assignments.make FOLDER [NUMBER ...]
"""

import json
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from dpviz import teach
from notebooks.assignments.keys import KEYS, RUBRICS

Cell = dict[str, Any]
NOTEBOOKS = Path(__file__).parents[1] / "lessons"
LESSONS = {int(path.stem[0]): path for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
# A student's notebook may give other meanings to names, so the test makes its own.
TEST = """\
from dpviz import teach as _teach

_found = _teach.check({name}, _teach.lesson({number}, login=login)["{name}"]{shown})
assert _found.is_right, str(_found)"""
READ = "print(teach.received({name}, lesson[{name!r}]{shown}))"
NBGRADER_CONFIG = """\
c = get_config()
c.CourseDirectory.course_id = "privacy"
c.ClearSolutions.code_stub = {"python": "# Your answer goes between the quotes."}
c.ExecutePreprocessor.timeout = 300
c.ExecutePreprocessor.iopub_timeout = 60  # pictures of a busy machine take longer than 4 s
"""


def nbgrader(number: int) -> list[Cell]:
    """Return the cells of nbgrader's source: a key to clear, and a hidden test for each answer."""
    return _cells(number, _nbgrader_answer, _nbgrader_check, _nbgrader_essay)


def otter(number: int) -> list[Cell]:
    """Return the cells of Otter's source, in which raw cells say what follows."""
    name = LESSONS[number].stem
    config = f"# ASSIGNMENT CONFIG\nname: {name}\ngenerate: true\nexport_cell: false\n"
    config += "run_tests: false\ninit_cell: true\n"
    return [_raw(config), *_cells(number, _otter_answer, _otter_check, _otter_essay)]


def _cells(
    number: int,
    answer: Callable[[int, str, str], Iterable[Cell]],
    check: Callable[[int, str, str], Iterable[Cell]],
    essay: Callable[[int, str, int], Iterable[Cell]],
) -> list[Cell]:
    """Return the lesson's cells, with those that are graded replaced."""
    made: list[Cell] = []
    for cell in json.loads(LESSONS[number].read_text(encoding="utf-8"))["cells"]:
        source, role = "".join(cell["source"]), cell["metadata"].get("dpviz", {})
        # Students get one notebook: the names of others stay, the links to them go.
        source = re.sub(r"\[([^]]+)\]\(\.\./[^)]+\)", r"\1", source)
        if "answer" in role:
            made += answer(number, role["answer"], source)
        elif "check" in role:
            shown = ", explorer" if ", explorer" in source else ""
            made += check(number, role["check"], shown)
        elif "essay" in role:
            made += essay(number, role["essay"], role["points"])
        else:
            made.append(_code(source) if cell["cell_type"] == "code" else _markdown(source))
    return made


def _solved(number: int, name: str, source: str, mark: str) -> str:
    return f"{source}\n{mark} BEGIN SOLUTION\n{KEYS[number][name]}\n{mark} END SOLUTION"


def _points(number: int, name: str) -> int:
    return teach.lesson(number, login="key")[name].points


def _nbgrader_answer(number: int, name: str, source: str) -> Iterable[Cell]:
    yield _code(_solved(number, name, source, "###"), _graded(f"answer_{name}", solution=True))


def _nbgrader_check(number: int, name: str, shown: str) -> Iterable[Cell]:
    test = TEST.format(name=name, number=number, shown=shown)
    yield _code(
        f"{READ.format(name=name, shown=shown)}\n"
        f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS",
        _graded(f"check_{name}", points=_points(number, name), locked=True),
    )


def _nbgrader_essay(number: int, name: str, points: int) -> Iterable[Cell]:
    yield _markdown(_rubric(number, name), _graded(f"essay_{name}", points=points, solution=True))


def _otter_answer(number: int, name: str, source: str) -> Iterable[Cell]:
    yield _raw(f"# BEGIN QUESTION\nname: {name}\npoints: {_points(number, name)}")
    yield _raw("# BEGIN SOLUTION")
    yield _code(_solved(number, name, source, "#"))
    yield _raw("# END SOLUTION")


def _otter_check(number: int, name: str, shown: str) -> Iterable[Cell]:
    """Only a hidden test: Otter would share the points between it and a public one."""
    test = TEST.format(name=name, number=number, shown=shown)
    yield _raw("# BEGIN TESTS")
    yield _code(f'""" # BEGIN TEST CONFIG\nhidden: true\n""" # END TEST CONFIG\n{test}')
    yield _raw("# END TESTS")
    yield _raw("# END QUESTION")
    yield _code(READ.format(name=name, shown=shown))


def _otter_essay(number: int, name: str, points: int) -> Iterable[Cell]:
    yield _raw(f"# BEGIN QUESTION\nname: {name}\npoints: {points}\nmanual: true")
    yield _raw("# BEGIN SOLUTION")
    yield _markdown(_rubric(number, name))
    yield _raw("# END SOLUTION")
    yield _raw("# END QUESTION")


def _rubric(number: int, name: str) -> str:
    return "\n".join(f"- 1 point: {part}" for part in RUBRICS[number][name])


def _graded(
    name: str, *, points: int | None = None, solution: bool = False, locked: bool = False
) -> dict[str, Any]:
    """Return nbgrader's metadata of a cell; one with points is graded."""
    said = {"grade": points is not None, "solution": solution, "locked": locked, "task": False}
    said |= {"grade_id": name, "schema_version": 3}
    return {"nbgrader": said | ({} if points is None else {"points": points})}


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


def make(folder: Path, numbers: Iterable[int] = tuple(LESSONS)) -> None:
    """Write the sources of both graders for these lessons into a folder."""
    course = folder / "nbgrader"
    for number in numbers:
        name = LESSONS[number].stem
        write(course / "source" / name / f"{name}.ipynb", nbgrader(number))
        write(folder / "otter" / f"{name}.ipynb", otter(number))
    (course / "nbgrader_config.py").write_text(NBGRADER_CONFIG, encoding="utf-8")


if __name__ == "__main__":
    make(Path(sys.argv[1]), [int(each) for each in sys.argv[2:]] or tuple(LESSONS))
