"""Lessons run in this process: quicker than a kernel, and their cells are the same."""

import ast
import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from dpviz.teach.check import Feedback

FOLDER = Path(__file__).parents[2] / "notebooks" / "lessons"
LESSONS = {int(path.stem[0]): path for path in sorted(FOLDER.glob("*.ipynb"))}


def cells(number: int) -> list[dict[str, Any]]:
    """The cells of a lesson, with their source in one piece."""
    notebook = json.loads(LESSONS[number].read_text(encoding="utf-8"))
    return [cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]]


class Run(NamedTuple):
    """What a lesson's cells left: their names, and the feedback of each check by its name."""

    names: dict[str, Any]
    feedback: dict[str, Feedback]

    @property
    def points(self) -> int:
        return sum(each.points for each in self.feedback.values())


def run(number: int, answers: Mapping[str, str], *, login: str = "ada", moved: str = "") -> Run:
    """Run a lesson with Python for its answers.

    `moved` is Python that runs before each answer below the explorer: what is dragged.
    """
    names: dict[str, Any] = {}
    feedback = {}
    for cell in cells(number):
        if cell["cell_type"] != "code":
            continue
        role = cell["metadata"].get("dpviz", {})
        source = cell["source"].replace('"your login"', repr(login))
        if "answer" in role:
            drag = moved if "explorer" in names else ""
            source = f"{source}\n{drag}\n{answers.get(role['answer'], '')}"
        value = last_value(source, names)
        if "check" in role:
            feedback[role["check"]] = value
    return Run(names, feedback)


def last_value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()):
        exec(compile(tree, "cell", "exec"), names)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
