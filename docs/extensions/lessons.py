"""The pages of the lessons, made from their notebooks: guesses, live pictures, questions, answers.

A page such as `lessons/4_base_rates.md` stands for the notebook of the same name, whose cells run
when the pages are built. What needs a kernel (a login, answers and their checks) is left out.
"""

import ast
import json
import re
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest.mock import patch

from sphinx.application import Sphinx

from dpviz import teach
from dpviz.teach.games.game import Game, GameWidget
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Choice, Picture, Question, escape_stars
from dpviz.teach.sentence import NumbersInSentence
from dpviz.widgets.base.picture import static_svg
from dpviz.widgets.base.view import View
from dpviz.widgets.explorer import Explorer
from extensions.dark import on_dark
from extensions.pictures import live_html

NOTEBOOKS = Path(__file__).parents[2] / "notebooks" / "lessons"
LOGIN = "reader"  # whose numbers the pages have
# Paragraphs about cells that a page does not have.
ABOUT_CELLS = ("Your answer here", "The box takes")
RECORD = re.compile(r"[^.\n]*\*\*Record\*\*[^.]*\.")
CONTENTS = re.compile(r"^\d+\. \[.*\]\(#.*\)$\n?", re.MULTILINE)
CONTROLS = "*To go on takes Python: the notebook has the controls.*"


class Guess(NamedTuple):
    """A prediction, and the view that shows the answer, or None."""

    prediction: Prediction
    then: Any = None


class Asked(NamedTuple):
    """A question that the notebook asks."""

    question: Question


def page_of(name: str, folder: Path) -> str:
    """Return a lesson as Markdown; its live pictures are saved in a folder."""
    cells = json.loads((NOTEBOOKS / f"{name}.ipynb").read_text("utf-8"))["cells"]
    names: dict[str, Any] = {}
    shown: list[str] = []
    recorded = patch.multiple(teach, predict=Guess, ask=Asked)
    with recorded, TemporaryDirectory() as place, chdir(place):  # a lesson writes a report
        for i, cell in enumerate(cells):
            source = "".join(cell["source"])
            if cell["cell_type"] == "markdown":
                shown.append(text_of(source))
            elif not cell["metadata"].get("dpviz"):
                place = {"folder": folder, "name": f"lesson-{name}-{i}", "docname": "lessons/"}
                live = partial(live_html, **place)
                shown += outputs_of(source.replace("your login", LOGIN), names, live)
    return "\n\n".join(each for each in shown if each)


def text_of(source: str) -> str:
    """Return a cell's Markdown without what is about cells, and with links to pages."""
    if source.startswith("## Your login"):
        return ""
    source = RECORD.sub("", CONTENTS.sub("", source))
    source = source.replace("](../00_start_here.ipynb#Lessons)", "](index.md)")
    source = re.sub(r"\[([^]]+)\]\(\.\./[^)]+\)", r"\1", source)
    paragraphs = source.split("\n\n")
    return "\n\n".join(p for p in paragraphs if not any(each in p for each in ABOUT_CELLS))


def outputs_of(source: str, names: dict[str, Any], live: Any) -> Iterator[str]:
    """Run a cell; yield its lines if they print something, and what its last line shows."""
    tree = ast.parse(source)
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with redirect_stdout(StringIO()) as printed:
        exec(compile(tree, "cell", "exec"), names)
        value = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
    if printed.getvalue() and "lesson = " not in source:
        yield f"```python\n{source}\n```\n\n```text\n{printed.getvalue()}```"
    match value:
        case Guess():
            yield guess_of(value, live)
        case Asked():
            yield question_of(value.question)
            if isinstance(value.question.kind, Picture):
                yield live(teach.explore(value.question), "the picture")
        case NumbersInSentence(view=None):
            yield "\n".join(f"- {text}" for text in texts_of(value))
        case NumbersInSentence():
            yield value.text
            yield live(value.view, "the picture")
        case View() | Explorer():
            yield live(value, "the picture")
        case GameWidget():
            yield beginning_of(value.game)


def beginning_of(game: Game) -> str:
    """Return the picture and the text of a game as it begins."""
    light, dark = static_svg(game.scene, game), on_dark(static_svg(game.scene, game))
    pictures = "".join(
        f'<div class="dpviz-picture only-{theme}" style="width: 480px">{svg}</div>'
        for theme, svg in {"light": light, "dark": dark}.items()
    )
    shown = f'<figure class="dpviz-shown">{pictures}</figure>'
    return f"{shown}\n\n{escape_stars(game.text)} {CONTROLS}"


def guess_of(guess: Guess, live: Any) -> str:
    """Return a prediction with its options; its answer is folded."""
    said = [escape_stars(guess.prediction.because)]
    if guess.then is not None:
        said.append(live(guess.then, "the answer"))
    options = "\n".join(f"- {escape_stars(each)}" for each in guess.prediction.options)
    text = escape_stars(guess.prediction.text)
    return f"**Guess.** {text}\n\n{options}\n\n{folded('What is it?', *said)}"


def question_of(question: Question) -> str:
    """Return a question; the answer, if it is a letter, is folded."""
    if not isinstance(question.kind, Choice):
        return f"**Question.** {escape_stars(question.text)} *The notebook checks your answer.*"
    options = question.kind.options
    right = next(each for each in options if teach.check(each, question).is_right)
    lines = "\n".join(f"- {escape_stars(each)}" for each in options.values())
    answer = escape_stars(f"{options[right]} {question.because}")
    return f"**Question.** {escape_stars(question.text)}\n\n{lines}\n\n{folded('Answer', answer)}"


def texts_of(sentence: NumbersInSentence) -> Iterator[str]:
    """Yield a sentence with each value of its first menu."""
    menu = next(iter(sentence.menus.values()))
    for _, value in menu.options:
        menu.value = value
        yield sentence.text


def folded(title: str, *said: str) -> str:
    """Return Markdown that opens below a title."""
    return "\n\n".join((f"<details><summary>{title}</summary>", *said, "</details>"))


def read(app: Sphinx, docname: str, source: list[str]) -> None:
    """Replace the source of a lesson's page."""
    folder, _, name = docname.rpartition("/")
    if folder == "lessons" and (NOTEBOOKS / f"{name}.ipynb").exists():
        source[0] = page_of(name, Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """Register what makes the pages."""
    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
