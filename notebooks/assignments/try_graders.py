"""Runs both graders on submissions whose points are known: `.ci/prove graders`.

Students hand in each lesson: one with the key, one who changed nothing, one who moved the pictures
but recorded nothing, some with wrong or damaged answers, one without cells, and one
with those of another lesson.

    python -m notebooks.assignments.try_graders FOLDER [NUMBER ...]

It runs in an environment that has dpviz, nbgrader and otter-grader, and takes some minutes for each
lesson.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from runpy import run_path
from typing import Any, NamedTuple

from notebooks.assignments.make import LESSONS, make
from notebooks.assignments.pool import POOL

COURSE = "a course that is tried"
MOVED = 'if "picture" in globals():\n    picture.fpr = 0.31  # as if it was dragged'
# nbgrader runs programs of its environment by name, and Jupyter finds kernels beside them.
BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


class Student(NamedTuple):
    """What a student adds to the answers, its points, and a pattern of the hint to be read."""

    answers: dict[str, str]
    points: int
    hint: str = ""
    cells: list[dict[str, Any]] | None = None  # what is handed in instead of the notebook's cells


def key_of(instructor: Path, number: int, login: str) -> dict[str, str]:
    """Return Python that sets each right answer of a student."""
    work = run_path(str(instructor / "hand_in.py"))["HandIn"](number, login)
    return {
        name: f"picture.{task['moves']} = {work.right(name)!r}\n{name} = picture.answer()"
        if "moves" in task
        else f"{name} = {work.right(name)!r}"
        for name, task in POOL[number].items()
    }


def students(instructor: Path, number: int) -> dict[str, Student]:
    """Return who hands in a lesson."""
    tasks = POOL[number]
    another = json.loads(LESSONS[number % len(LESSONS) + 1].read_text(encoding="utf-8"))
    pictures = [name for name, task in tasks.items() if "moves" in task]
    counted = next(name for name, task in tasks.items() if not {"moves", "options"} & task.keys())
    whole = sum(task["points"] for task in tasks.values())
    code = "'__import__(\"os\").abort()'"  # would end the grader
    lacking = "was missing from the submission"  # says nbgrader, which adds the cell
    key = {login: key_of(instructor, number, login) for login in ("key", "edited", "wrong")}
    wrong = f"{key['wrong'][counted]}\n{counted} *= 1.1"
    found = {
        "untouched": Student({}, 0, "There is no answer yet"),
        "empty": Student({}, 0, f"{lacking}|Write your own login", cells=[]),
        "another": Student({}, 0, f"{lacking}|There is no answer yet", cells=another["cells"]),
        "code": Student({name: f"{name} = {code}" for name in tasks}, 0, "The answer is a number."),
        "key": Student(key["key"], whole),
        "wrong": Student(key["wrong"] | {counted: wrong}, whole - tasks[counted]["points"]),
    }
    for picture in pictures:  # one or none
        edited = f"{key['edited'][picture]}\n{picture} = {picture}[:-3]"
        found |= {
            "untouched": Student({}, 0, "No answer is recorded yet. Drag a point"),
            "dragged": Student(dict.fromkeys(tasks, MOVED), 0, "You moved the picture but"),
            "edited": Student(key["edited"] | {picture: edited}, whole - tasks[picture]["points"]),
        }
    return found


def submission(released: Path, student: Student, login: str) -> dict[str, Any]:
    """Return the notebook of a student: what was released, with answers."""
    notebook: dict[str, Any] = json.loads(released.read_text(encoding="utf-8"))
    if student.cells is not None:
        notebook["cells"] = student.cells
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).replace('"your login"', json.dumps(login))
        name = source.partition(" = ")[0]
        if source == f'{name} = ""' and name in student.answers:
            source = f"{source}\n{student.answers[name]}"
        cell["source"] = source
    return notebook


def write(path: Path, notebook: dict[str, Any]) -> Path:
    """Write a notebook."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def run(folder: Path, *command: str) -> None:
    """Run a grader's command; RuntimeError with what it wrote if it fails."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}\n{done.stderr}")


class Graded(NamedTuple):
    """What a grader found in a submission: the points, and all that it says about it."""

    points: float
    said: str


def with_nbgrader(course: Path, number: int) -> dict[str, Graded]:
    """Return what nbgrader finds in each submission."""
    from nbgrader.api import Gradebook  # in the graders' environment alone

    name = LESSONS[number].stem
    run(course, "nbgrader", "generate_assignment", name, "--create", "--force")
    released = course / "release" / name / f"{name}.ipynb"
    expected = students(course / "instructor", number)
    for login, student in expected.items():
        notebook = submission(released, student, login)
        write(course / "submitted" / login / name / f"{name}.ipynb", notebook)
    run(course, "nbgrader", "autograde", name, "--create", "--force")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        found = {login: gradebook.find_submission(name, login) for login in expected}
        points = {
            login: sum(grade.auto_score or 0.0 for grade in each.notebooks[0].grades)
            for login, each in found.items()
        }
    run_again = {
        login: (course / "autograded" / login / name / f"{name}.ipynb").read_text(encoding="utf-8")
        for login in points
    }
    return {login: Graded(points[login], run_again[login]) for login in points}


def with_otter(folder: Path, number: int) -> dict[str, Graded]:
    """Return what Otter finds in each submission."""
    name = LESSONS[number].stem
    made = folder / f"{name}-made"
    run(folder, "otter", "assign", f"{name}.ipynb", made.name, "--no-run-tests")
    [autograder] = (made / "autograder").glob("*.zip")
    found = {}
    for login, student in students(folder / "instructor", number).items():
        notebook = submission(made / "student" / f"{name}.ipynb", student, login)
        handed_in = write(folder / "handed-in" / login / f"{name}.ipynb", notebook)
        run(handed_in.parent, "otter", "run", "-a", str(autograder), handed_in.name)
        said = (handed_in.parent / "results.json").read_text(encoding="utf-8")
        points = sum(float(test.get("score") or 0.0) for test in json.loads(said)["tests"])
        found[login] = Graded(points, said)
    return found


def main(folder: Path, numbers: Iterable[int]) -> None:
    """Print the points of every student; RuntimeError where they or the hints are not as expected.

    A grader runs the whole notebook of each submission, so the seconds are those of a lesson.
    """
    make(folder, COURSE, numbers)
    for number in numbers:
        expected = students(folder / "otter" / "instructor", number)
        for grade, place in ((with_nbgrader, "nbgrader"), (with_otter, "otter")):
            began = time.perf_counter()
            found = grade(folder / place, number)
            seconds = (time.perf_counter() - began) / len(found)
            points = {login: each.points for login, each in found.items()}
            print(f"lesson {number}, {place}, {seconds:.0f} s each: {points}", flush=True)
            wrong = {
                login: f"{student.points} points, and the hint {student.hint!r}"
                for login, student in expected.items()
                if points[login] != student.points
                or not re.search(student.hint, found[login].said)
                or (not student.points and "All test cases passed!" in found[login].said)
            }
            if wrong:
                raise RuntimeError(f"expected {wrong}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), [int(each) for each in sys.argv[2:]] or list(LESSONS))
