"""The glossary: one word for one thing, in docstrings, comments and the texts that users read.

Words in backticks are names and may be anything, so `output_laws` keeps its name. In a docstring or
comment with "Proof:" a distribution may be called a law, as in the papers.
"""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = [*sorted((ROOT / "dpviz").rglob("*.py")), *sorted((ROOT / "js" / "src").rglob("*.ts"))]


class Reserved(NamedTuple):
    """A phrase not to be written, what to write instead, and whether that is so in texts, too."""

    pattern: str
    instead: str
    texts: bool = True
    prose: bool = True  # docstrings and comments


GLOSSARY = (
    Reserved(r"dealt|deals?(?! with)|dealing(?! with)|dealer", "permute labels"),
    Reserved(r"(draws?|drew|drawn|drawing) again", "resample, bootstrap; redraw a picture"),
    Reserved(r"laws?(?! of large numbers)", "distribution"),
    Reserved(r"depths?", "rank cut-off"),
    Reserved(r"picks", "rank cut-offs", texts=False),
    Reserved(r"accus(es?|ed|ing|ations?)", "flag as a member", texts=False),
    Reserved(r"catch(es)?|caught|catching", "detect", texts=False),
    Reserved(r"units? (\S+ ){0,3}came in", "original scale"),
    Reserved(r"(a|the|its|whose|user's) hands?(?! side)", "user, pointer"),
    Reserved(r"what (\S+ ){0,2}(said|told)", "message, text"),
    Reserved(r"(is|are|was|were|be|been) told(?! (from|apart))", "message, text, notify"),
    Reserved(r"work(s|ed|ing)? ((it|them|this|that) )?out", "compute"),
    Reserved(r"refus(e|es|ed|ing|als?)", "raise, reject"),
    Reserved(r"ask(s|ed|ing)? for|(is|are|was|were|be|been|when|as) asked", "request"),
    Reserved(r"late(?! import)", "stale", texts=False),
    Reserved(r"works? alone", "offline"),
    Reserved(r"silence", "no update is published"),
    Reserved(r"admit(s|ted|ting)?", "allow"),
    Reserved(r"blind guess(es|ing)?", "random guessing"),
    Reserved(r"whoever|whomever", "anyone, otherwise"),
    Reserved(r"permit(s|ted|ting)?", "allow", prose=False),
    Reserved(r"model instances?", "trained model", prose=False),
    Reserved(r"not the same as shown", "that does not confirm it", prose=False),
    Reserved(r"nothing to hold", "nothing to compare", prose=False),
)
# Between two words: blanks, a new line of a comment, or the seam of two string literals.
GAP = r"(?:\n\s*(?:#|//|\*)|\s|[\"'`]\s*\+?\s*f?[\"'`])+"
WORDS = [
    re.compile(r"(?<![\w.-])(?:" + entry.pattern.replace(" ", GAP) + r")(?![\w-])", re.IGNORECASE)
    for entry in GLOSSARY
]
PROOF = re.compile(r"\bProofs?[:.]")
# What is code inside prose: names in backticks, examples, names and choices that numpydoc lists.
NAME = re.compile(r"`[^`\n]*`|^\s*(?:>>>|\.\.\. ).*$|^\s*[\w*, ]+ : (?:\{.*\})?", re.MULTILINE)
TYPESCRIPT = re.compile(
    r"(?P<prose>/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+|//[^\n]*)"
    r"|(?P<text>\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)",
    re.DOTALL | re.MULTILINE,
)


class Passage(NamedTuple):
    """A docstring, a comment, or a text (a string with a blank in it), as in the source."""

    line: int
    source: str
    is_text: bool


def passages(path: Path) -> Iterator[Passage]:
    code = path.read_text(encoding="utf-8")
    yield from of_typescript(code) if path.suffix == ".ts" else of_python(code)


def of_python(code: str) -> Iterator[Passage]:
    lines = code.splitlines(keepends=True)
    nodes = [*ast.walk(ast.parse(code))]
    statements = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inner = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        is_string = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (is_string or isinstance(node, ast.JoinedStr)) and id(node) not in inner:
            source = between(lines, node)
            if isinstance(node, ast.JoinedStr):
                source = re.sub(r"\{[^{}]*\}", blank, source)
            is_text = id(node) not in statements
            if not is_text or " " in source:
                yield Passage(node.lineno, source, is_text)
    comments = [
        token.start
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type == tokenize.COMMENT
    ]
    first, block = 0, ""
    for line, column in comments:
        whole = not lines[line - 1][:column].strip()
        if not (whole and block and line == first + block.count("\n")):
            if block:
                yield Passage(first, block, is_text=False)
            first, block = line, ""
        block += lines[line - 1][column:]
    if block:
        yield Passage(first, block, is_text=False)


def between(lines: list[str], node: ast.expr) -> str:
    """The source of a node; `ast.get_source_segment` splits the whole file for each."""
    chunk = [line.encode() for line in lines[node.lineno - 1 : node.end_lineno]]
    chunk[-1] = chunk[-1][: node.end_col_offset]
    chunk[0] = chunk[0][node.col_offset :]
    return b"".join(chunk).decode()


def of_typescript(code: str) -> Iterator[Passage]:
    for found in TYPESCRIPT.finditer(code):
        line = 1 + code.count("\n", 0, found.start())
        source = found.group()
        is_text = found.lastgroup == "text"
        if is_text:
            source = re.sub(r"\$\{[^{}]*\}", blank, source)
        if not is_text or " " in source:
            yield Passage(line, source, is_text)


def blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", "_", found.group())


def faults(passage: Passage) -> Iterator[tuple[int, str]]:
    """Line and message of each phrase that has another word."""
    source = passage.source if passage.is_text else NAME.sub(blank, passage.source)
    is_proof = not passage.is_text and PROOF.search(source)
    for entry, pattern in zip(GLOSSARY, WORDS, strict=True):
        kept = entry.texts if passage.is_text else entry.prose
        if not kept or (is_proof and entry.instead == "distribution"):
            continue
        for found in pattern.finditer(source):
            phrase = re.sub(GAP, " ", found.group())
            line = passage.line + source.count("\n", 0, found.start())
            yield line, f"{phrase!r}: write {entry.instead!r}"


def room(path: Path) -> str:
    """The first two folders under the package: ``audit/roc``, ``theory``, ``js/live``."""
    folders = path.relative_to(ROOT).parent.parts
    inside = folders[1:3] if folders[0] == "dpviz" else ("js", *folders[2:3])
    return "/".join(inside) or "dpviz"


@pytest.mark.parametrize("name", sorted({room(path) for path in SOURCES}))
def test_room_speaks_by_the_glossary(name: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}: {message}"
        for path in SOURCES
        if room(path) == name
        for passage in passages(path)
        for line, message in sorted(faults(passage))
    ]
    assert not found, f"{len(found)} phrases\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('"""Labels dealt\n    out again."""', [(1, "dealt")]),
        ("x = 1  # the level is worked\n", []),
        ("# is worked\n# out later\n", [(1, "worked out")]),
        ('f"{dealt} blind " "guesses"', [(1, "blind guesses")]),
        ('"""One\n\n    of `laws`; law_of; whoever."""', [(3, "whoever")]),
        ('"""The law.\n\n    Proof: as in the paper."""', []),
        ('x = "laws"', []),
        ('x = "two laws"', [(1, "laws")]),
        ('x = "5 members are caught"', []),
        ('x = "a claim permits"', [(1, "permits")]),
        ('"""What a claim permits."""', []),
    ],
)
def test_python_phrases_are_found(code: str, expected: list[tuple[int, str]]) -> None:
    found = [fault for passage in of_python(code) for fault in faults(passage)]
    assert [(line, message.split("'")[1]) for line, message in found] == expected


def test_typescript_phrases_are_found() -> None:
    code = 'const a = "refused here"; // a\n/** What a\n * hand did. */\nconst b = `${dealt} x`;\n'
    found = [fault for passage in of_typescript(code) for fault in faults(passage)]
    assert [(line, message.split("'")[1]) for line, message in found] == [
        (1, "refused"),
        (2, "a hand"),
    ]
