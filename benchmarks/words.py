"""Texts that a user can see, and first lines of public docstrings, drawn at random for a reader.

    python -m benchmarks.words        # a new seed, which is printed
    python -m benchmarks.words SEED

Somebody who has written none of them marks each: clear at once, read twice, or unclear. Before a
release, 56 of the 60 of either kind are clear at once and none is unclear, in two draws in a row.
"""

import ast
import random
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import dpviz
from benchmarks.dump import CLAIMS, OTHERWISE, SCORES
from docs.objects import objects
from dpviz.analysis.result import Result
from dpviz.analysis.topics.registry import SCENES, SENTENCES, lead_name
from dpviz.widgets.base.picture import static_svg

PACKAGE = Path(dpviz.__file__).parent
RESULTS, MESSAGES, LABELS, DOCSTRINGS = 30, 15, 15, 60  # how many of each kind are drawn
CASES = 12  # results whose sentences are drawn
# A text in the code that is a sentence or a label of several words, not a name, markup or path.
LABEL = re.compile(r"[A-Zε“\"](?! \d)[^<>{};=_|\\]*(?: [^<>{};=_|\\ ]+){3,}(?<![:,])")
WORDS = re.compile(r"[a-z]{2,} [a-z]+ .*[a-z]{2,}")  # what a message says beside its values
LETTERS = re.compile(r"[a-z]{3}")  # a cell of a table that has numbers alone is no text
DIGITS = re.compile(r"\d[\d.]*(?:e-?\d+)?")
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z])")
SVG_TEXT = re.compile(r"<(?:text|tspan)[^>]*>([^<]*[a-z]{3}[^<]*)<")


class Line(NamedTuple):
    """A text, and what its reader sees around it."""

    context: str
    text: str


def result_sentences(rng: random.Random) -> Iterator[Line]:
    """Sentences of some results, each once: those that differ in numbers alone are the same."""
    cases = {f"{s} scores, claim {c}": (s, {"claim": CLAIMS[c]}) for s in SCORES for c in CLAIMS}
    cases |= {f"{sample} scores, {name}": (sample, o) for name, (sample, o) in OTHERWISE.items()}
    seen: set[str] = set()
    for name in rng.sample(sorted(cases), CASES):
        sample, chosen = cases[name]
        result = dpviz.analyze(SCORES[sample](), **chosen)
        for key, text in result.sentences.items():
            place = f"{name}; {SENTENCES[key].picture}: {key}{what_is_beside(key, result)}"
            said = SENTENCE_END.split(text)
            for i, sentence in enumerate(said):
                template = DIGITS.sub("#", sentence)
                is_text = template.count(" ") >= 3 and LETTERS.search(template)
                if is_text and template not in seen:
                    seen.add(template)
                    before = f"; after: {' '.join(said[:i])}" if i else ""
                    yield Line(place + before, sentence)


@cache
def drawing(picture: str, result: Result) -> str:
    """The first picture of a topic as SVG."""
    return static_svg(next(each for each in SCENES.values() if each.topic == picture), result)


def what_is_beside(key: str, result: Result) -> str:
    """The title, labels and first sentence of the picture to which a sentence belongs."""
    picture = SENTENCES[key].picture
    scene = next((each for each in SCENES.values() if each.topic == picture), None)
    if scene is None or scene.is_empty(result):
        return ""
    labels = dict.fromkeys(SVG_TEXT.findall(drawing(scene.topic, result)))
    lead = lead_name(scene)
    said = result.sentences.get(lead, "") if key != lead else ""
    return f'; picture "{scene.title_of(result)}" with {"; ".join(labels)}. {said}'.rstrip()


def code_texts() -> tuple[list[Line], list[Line], list[Line]]:
    """Errors that are raised, labels and helps, and first lines of docstrings, with contexts."""
    messages, labels, docstrings = [], [], []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = str(path.relative_to(PACKAGE))
        tree = ast.parse(path.read_text("utf-8"))
        module = first_line(tree)
        apart: set[int] = set()  # nodes that are no labels: docstrings and parts of messages
        first: dict[str, str] = {}  # the first label of each function, such as a question
        for within, node in nodes(tree):
            if isinstance(node, ast.Expr):
                apart.add(id(node.value))
            elif isinstance(node, ast.Raise | ast.JoinedStr):
                apart.update(id(part) for part in ast.walk(node) if part is not node)
            is_definition = isinstance(node, ast.FunctionDef | ast.ClassDef)
            if is_definition and first_line(node) and is_public(path, node, within):
                where = f"{place} ({module}): {signature(node, within)}"
                docstrings.append(Line(where, first_line(node)))
            elif isinstance(node, ast.Raise) and WORDS.search(message_of(node.exc or node)):
                messages.append(Line(f"{place}: {within}", message_of(node.exc or node)))
            elif id(node) not in apart and LABEL.fullmatch(text := text_of(node)):
                beside = f'; beside "{first[within]}"' if within in first else ""
                labels.append(Line(f"{place}: {within}{beside}", text))
                if within:
                    first.setdefault(within, text)
    return messages, labels, docstrings


def is_public(path: Path, node: ast.FunctionDef | ast.ClassDef, within: str) -> bool:
    """Whether the reference shows this function or class."""
    module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    names = [*within.split("."), node.name] if within else [node.name]
    is_private = any(name.startswith("_") for name in names)
    return f"{module}.{names[0]}" in public_names() and not is_private


@cache
def public_names() -> set[str]:
    """The full names of functions and classes that have a page in the reference."""
    return {f"{each.__module__}.{each.__qualname__}" for each in objects().values()}


def nodes(tree: ast.AST, within: str = "") -> Iterator[tuple[str, ast.AST]]:
    """All nodes, outer ones first, with the names of the classes and functions around them."""
    for node in ast.iter_child_nodes(tree):
        yield within, node
        name = getattr(node, "name", "") if isinstance(node, ast.FunctionDef | ast.ClassDef) else ""
        yield from nodes(node, ".".join(filter(None, [within, name])))


def first_line(node: ast.Module | ast.FunctionDef | ast.ClassDef) -> str:
    """The first line of a docstring, which is a whole sentence."""
    return (ast.get_docstring(node) or "").partition("\n")[0]


def signature(node: ast.FunctionDef | ast.ClassDef, within: str) -> str:
    """The name with its arguments and result, or with the fields of a class."""
    name = ".".join(filter(None, [within, node.name]))
    if isinstance(node, ast.ClassDef):
        fields = [ast.unparse(each) for each in node.body if isinstance(each, ast.AnnAssign)]
        return f"class {name}({', '.join(fields)})"
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    marks = "".join(f"@{ast.unparse(mark)} " for mark in node.decorator_list)
    return f"{marks}{name}({ast.unparse(node.args)}){result}"


def text_of(node: ast.AST) -> str:
    """A text in the code, with the name of each value in braces; "" for other nodes."""
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(part) or value_name(part) for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def value_name(node: ast.AST) -> str:
    """The name of a value in braces, as in a format string; "{...}" for an expression."""
    value = node.value if isinstance(node, ast.FormattedValue) else node
    if isinstance(value, ast.Call) and ast.unparse(value.func) == "len":
        return f"{{number of {ast.unparse(value.args[0])}}}"
    is_named = isinstance(value, ast.Name | ast.Attribute)
    return f"{{{ast.unparse(value)}}}" if is_named else "{...}"


def message_of(raised: ast.AST) -> str:
    """The message of an error as a user reads it, with the name of each value in braces."""
    parts = raised.args if isinstance(raised, ast.Call) else []
    said = [text_of(part) or value_name(part) for part in parts]
    function = ast.unparse(raised.func) if isinstance(raised, ast.Call) else ""
    if function in ("checks.fail", "fail"):
        return f"{said[0]} must be {said[1]}, got {said[2]}"
    if function == "mismatch":
        return f"{said[0]}: expected {said[1]}, found {said[2]}"
    return said[0] if said else ast.unparse(raised)


def main(seed: int) -> None:
    """Print the drawn texts, numbered, each below its context."""
    rng = random.Random(seed)
    messages, labels, docstrings = code_texts()
    seen = [(list(result_sentences(rng)), RESULTS), (messages, MESSAGES), (labels, LABELS)]
    drawn = {
        "Sentences that a user sees": [x for all_, n in seen for x in rng.sample(all_, n)],
        "First lines of docstrings": rng.sample(docstrings, DOCSTRINGS),
    }
    for title, lines in drawn.items():
        print(f"\n## {title}, seed {seed}")
        for number, line in enumerate(lines, 1):
            print(f"\n{number}. [{line.context}]\n   {line.text}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else random.randrange(10**6))
