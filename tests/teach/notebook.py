"""Lessons run in this process: quicker than a kernel, and their cells are the same."""

import ast
import json
from collections.abc import Mapping
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import dpviz
from dpviz import teach
from dpviz.teach.check import Feedback
from dpviz.teach.question import Picture

FOLDER = Path(__file__).parents[2] / "notebooks" / "lessons"
LESSONS = {int(path.stem[0]): path for path in sorted(FOLDER.glob("*.ipynb"))}


def cells(number: int) -> list[dict[str, Any]]:
    """The cells of a lesson, or for 0 of the first notebook, with their source in one piece."""
    path = LESSONS.get(number, FOLDER.parent / "00_start_here.ipynb")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [cell | {"source": "".join(cell["source"])} for cell in notebook["cells"]]


class Run(NamedTuple):
    """What a lesson's cells and the answers left: their names, and the feedback on each answer."""

    names: dict[str, Any]
    feedback: dict[str, Feedback]

    @property
    def points(self) -> int:
        return sum(each.points for each in self.feedback.values())


def run(number: int, answers: Mapping[str, str], *, login: str = "ada") -> Run:
    """Run a lesson, then Python that sets each answer; a picture's is moved in `explorer`."""
    names: dict[str, Any] = {}
    for cell in cells(number):
        if cell["cell_type"] == "code":
            last_value(cell["source"].replace('"your login"', repr(login)), names)
    names |= {"dpviz": dpviz, "audit": dpviz.audit, "theory": dpviz.theory}
    names["file"] = Path("audit.json")  # the report of lesson 6
    feedback = {}
    for name, question in names["lesson"].questions.items():
        if isinstance(question.kind, Picture):
            names["explorer"] = teach.explore(question)
        last_value(answers.get(name, f'{name} = ""'), names)
        feedback[name] = teach.check(names[name], question, names.get("explorer"))
    return Run(names, feedback)


def last_value(source: str, names: dict[str, Any]) -> Any:
    """Run a cell; return the value of its last line, if that is an expression."""
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()):
        exec(compile(tree, "cell", "exec"), names)
        return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
