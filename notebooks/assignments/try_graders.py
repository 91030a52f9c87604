"""Runs both graders on submissions whose points are known: `.ci/prove graders`.

Students hand in each lesson: one with the key, one who changed nothing, one who moved the pictures
but recorded nothing, and as many as it takes to give each of the right and wrong answers of
`answers.py`.

    python -m notebooks.assignments.try_graders FOLDER [NUMBER ...]

It runs in an environment that has dpviz, nbgrader and otter-grader, and takes some minutes for each
lesson.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from dpviz import teach
from notebooks.assignments.answers import RIGHT, WRONG, submissions
from notebooks.assignments.keys import KEYS
from notebooks.assignments.make import LESSONS, make

MOVED = 'if "explorer" in globals():\n    explorer.fpr = 0.31  # as if it was dragged'
# nbgrader runs programs of its environment by name, and Jupyter finds kernels beside them.
BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


class Student(NamedTuple):
    """What a student adds to the answers, the points that this is worth, and a hint to be read."""

    answers: dict[str, str]
    points: int
    hint: str = ""


def students(number: int) -> dict[str, Student]:
    """Return who hands in a lesson."""
    lesson, key = teach.lesson(number, login="any"), KEYS[number]
    found = {
        "key": Student(key, lesson.points),
        "untouched": Student({}, 0, "Nothing is recorded yet. Move the picture"),
        "dragged": Student(dict.fromkeys(key, MOVED), 0, "You moved the picture but recorded"),
    }
    for i, answers in enumerate(submissions(number, RIGHT[number]), start=1):
        found[f"right-{i}"] = Student(key | answers, lesson.points)
    for i, answers in enumerate(submissions(number, WRONG[number]), start=1):
        lost = sum(lesson[name].points for name in answers)
        found[f"wrong-{i}"] = Student(key | answers, lesson.points - lost)
    return found


def submission(released: Path, answers: dict[str, str], login: str) -> dict[str, Any]:
    """Return the notebook of a student: what was released, with answers."""
    notebook: dict[str, Any] = json.loads(released.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        source = "".join(cell["source"]).replace('"your login"', json.dumps(login))
        name = source.partition(" = ")[0]
        if cell["cell_type"] == "code" and f'{name} = ""' in source and name in answers:
            source = f"{source}\n{answers[name]}"
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
    for login, student in students(number).items():
        notebook = submission(released, student.answers, login)
        write(course / "submitted" / login / name / f"{name}.ipynb", notebook)
    run(course, "nbgrader", "autograde", name, "--create", "--force")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        found = {login: gradebook.find_submission(name, login) for login in students(number)}
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
    for login, student in students(number).items():
        notebook = submission(made / "student" / f"{name}.ipynb", student.answers, login)
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
    make(folder, numbers)
    for number in numbers:
        expected = students(number)
        for grade, place in ((with_nbgrader, "nbgrader"), (with_otter, "otter")):
            began = time.perf_counter()
            found = grade(folder / place, number)
            seconds = (time.perf_counter() - began) / len(found)
            points = {login: each.points for login, each in found.items()}
            print(f"lesson {number}, {place}, {seconds:.0f} s each: {points}", flush=True)
            wrong = {
                login: f"{student.points} points, and the hint {student.hint!r}"
                for login, student in expected.items()
                if points[login] != student.points or student.hint not in found[login].said
            }
            if wrong:
                raise RuntimeError(f"expected {wrong}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), [int(each) for each in sys.argv[2:]] or list(LESSONS))
