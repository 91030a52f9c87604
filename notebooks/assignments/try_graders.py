"""Runs both graders on submissions whose points are known: `make try-graders`.

Four students hand in each lesson: one with the key, one who changed nothing, one who moved the
pictures but recorded nothing, and one with the key but for one wrong answer.

    python -m notebooks.assignments.try_graders FOLDER [NUMBER ...]

It runs in an environment that has dpviz, nbgrader and otter-grader, and takes some minutes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpviz import teach
from notebooks.assignments.keys import KEYS
from notebooks.assignments.make import LESSONS, make

MOVED = 'if "explorer" in globals():\n    explorer.fpr = 0.31  # as if it was dragged'
# nbgrader runs programs of its environment by name, and Jupyter finds kernels beside them.
BIN = str(Path(sys.executable).parent)
ENVIRONMENT = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}


def students(number: int) -> dict[str, tuple[dict[str, str], int]]:
    """Return what each student adds to the answers, and the points that this is worth."""
    lesson, key = teach.lesson(number, login="any"), KEYS[number]
    first = next(iter(lesson.questions))
    return {
        "key": (key, lesson.points),
        "untouched": ({}, 0),
        "dragged": (dict.fromkeys(key, MOVED), 0),
        "one-wrong": (key | {first: f'{first} = "17"'}, lesson.points - lesson[first].points),
    }


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


def with_nbgrader(course: Path, number: int) -> dict[str, float]:
    """Return the points that nbgrader gives each student."""
    from nbgrader.api import Gradebook  # in the graders' environment alone

    name = LESSONS[number].stem
    run(course, "nbgrader", "generate_assignment", name, "--create", "--force")
    released = course / "release" / name / f"{name}.ipynb"
    for login, (answers, _) in students(number).items():
        notebook = submission(released, answers, login)
        write(course / "submitted" / login / name / f"{name}.ipynb", notebook)
    run(course, "nbgrader", "autograde", name, "--create", "--force")
    with Gradebook(f"sqlite:///{course / 'gradebook.db'}") as gradebook:
        found = {login: gradebook.find_submission(name, login) for login in students(number)}
        return {
            login: sum(grade.auto_score or 0.0 for grade in each.notebooks[0].grades)
            for login, each in found.items()
        }


def with_otter(folder: Path, number: int) -> dict[str, float]:
    """Return the points that Otter gives each student."""
    name = LESSONS[number].stem
    made = folder / f"{name}-made"
    run(folder, "otter", "assign", f"{name}.ipynb", made.name, "--no-run-tests")
    [autograder] = (made / "autograder").glob("*.zip")
    points = {}
    for login, (answers, _) in students(number).items():
        notebook = submission(made / "student" / f"{name}.ipynb", answers, login)
        handed_in = write(folder / "handed-in" / login / f"{name}.ipynb", notebook)
        run(handed_in.parent, "otter", "run", "-a", str(autograder), handed_in.name)
        results = json.loads((handed_in.parent / "results.json").read_text(encoding="utf-8"))
        points[login] = sum(float(test.get("score") or 0.0) for test in results["tests"])
    return points


def main(folder: Path, numbers: Iterable[int]) -> None:
    """Print the points of every student, and raise RuntimeError where they are not as expected."""
    make(folder, numbers)
    for number in numbers:
        expected = {login: float(points) for login, (_, points) in students(number).items()}
        for grade, place in ((with_nbgrader, "nbgrader"), (with_otter, "otter")):
            found = grade(folder / place, number)
            print(f"lesson {number}, {place}: {found}")
            if found != expected:
                raise RuntimeError(f"the points must be {expected}, got {found}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), [int(each) for each in sys.argv[2:]] or list(LESSONS))
