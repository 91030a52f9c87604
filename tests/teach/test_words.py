"""The text of the lessons: short sentences, true numbers, quotations word for word, live links."""

import json
import math
import re
from functools import cache
from pathlib import Path
from statistics import median

import pytest

from dpviz import teach
from tests.teach.notebook import FOLDER, LESSONS, cells

LONGEST = 30  # words of a sentence
# Numbers of the text: what is given (inputs, counts, sections of a source), and what is computed.
GIVEN = {
    1: "1 2.5 0.0001 13 14 16 0.8 0.7 0.2 0.3 10 0.9 0.1 100 95 7",
    2: "2 7 1 0.05 0.00001",
    3: "3 7 0 1 10 100 200 0.3 1.2",
    4: "4 7 1 0.5 0.01 0 5 90 2 0.3 10 000",
    5: "5 7 1 4.6 0.001 0.999 95 100",
    6: "6 7 1 0.00001 8 95 100",
    7: "7 1 0 2 3 4 5 8 1000 10 000",
}
COMPUTED = {
    1: {f"{(0.9 - 1e-4) / 0.1:.0f}", f"{math.exp(2.5):.2f}", "0"},  # an ε below 0 demands nothing
    2: {"0"},
    3: set(),
    4: {f"{math.log(0.9 / 0.05):.2f}"},  # TPR 0.9 at FPR 0.05 needs this ε
    5: set(),
    6: set(),
    7: set(),
}
# Of the sources, copied by hand with their LaTeX; lines and items are joined by spaces.
ROOT = Path(__file__).parents[2]
PASSAGES = json.loads((ROOT / "tests" / "sources" / "passages.json").read_text(encoding="utf-8"))
SYMBOLS = {"ϵ": "ε", r"\epsilon": "ε", r"\delta": "δ", r"\leq": "≤", r"\mid": "|"}
SYMBOLS |= {"^{-1}": "^-1"}
QUOTATION = re.compile("“([^”]*)”")


def prose(number: int) -> str:
    """The Markdown of a lesson without code and targets of links."""
    text = "\n\n".join(cell["source"] for cell in cells(number) if cell["cell_type"] == "markdown")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return re.sub(r"\]\([^)]*\)", "]", text)


def sentences(text: str) -> list[str]:
    """Sentences and items of lists; "ε = 2.5" ends no sentence."""
    blocks = re.split(r"\n\s*\n|\n(?=- |\d+\. |\|)", text)
    return [each for block in blocks for each in re.split(r"(?<=[.?!:])[\s*\"]+", block)]


@cache
def in_options(number: int) -> list[str]:
    lesson = teach.lesson(number, login="ada")
    questions, predictions = lesson.questions.values(), lesson.predictions.values()
    said = [each.text for each in (*questions, *predictions)]
    said += [each.because for each in (*questions, *predictions)]
    said += [each.hint for question in questions for each in question.properties]
    return said


@pytest.mark.parametrize("number", LESSONS)
def test_sentences_are_short(number: int) -> None:
    found = [sentences(each) for each in (prose(number), *in_options(number))]
    long = [each for some in found for each in some if len(each.split()) > LONGEST]
    assert long == []


def test_sentences_of_most_lessons_are_very_short() -> None:
    longest = [max(len(each.split()) for each in sentences(prose(n))) for n in LESSONS]
    assert median(longest) <= 22


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_can_be_read_in_half_an_hour(number: int) -> None:
    words = prose(number).split()
    assert 350 <= len(words) <= 1100  # 2 to 6 minutes at 200 words a minute; the rest is doing
    parts = [each for each in sentences(prose(number)) if len(each.split()) > 2]
    assert sum(len(each.split()) for each in parts) / len(parts) < 14
    for cell in cells(number):
        if cell["cell_type"] == "markdown":
            assert len(cell["source"].split()) <= 130, cell["source"][:50]


@pytest.mark.parametrize("number", LESSONS)
def test_numbers_are_given_or_computed(number: int) -> None:
    text = re.sub(r"^\d+\. ", "", prose(number), flags=re.MULTILINE)  # numbers of sections
    numbers = set(re.findall(r"\d+(?:\.\d+)?", text))
    assert numbers - set(GIVEN[number].split()) == COMPUTED[number]


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_can_be_found_one_s_way_in(number: int) -> None:
    markdown = [cell["source"] for cell in cells(number) if cell["cell_type"] == "markdown"]
    heads = re.findall(r"^(#+) (.*)$", "\n".join(markdown), flags=re.MULTILINE)
    assert [level for level, _ in heads] == ["#", *["##"] * (len(heads) - 1)]
    assert heads[0][1] == teach.lesson(number, login="ada").title
    links = re.findall(r"\]\(([^)]*)\)", "\n".join(markdown))
    inside = [link[1:].replace("-", " ") for link in links if link.startswith("#")]
    assert inside == [title for _, title in heads[1:]]
    for link in links:
        assert link.startswith(("#", "http")) or (FOLDER / link.split("#")[0]).exists()


def test_the_first_notebook_leads_to_all_lessons() -> None:
    start = Path(FOLDER.parent, "00_start_here.ipynb").read_text(encoding="utf-8")
    assert [path.name for path in LESSONS.values() if f"lessons/{path.name}" not in start] == []
    assert sorted(LESSONS) == sorted(teach.LESSONS)


@pytest.mark.parametrize("number", LESSONS)
def test_lessons_are_committed_without_outputs(number: int) -> None:
    for cell in cells(number):
        assert not cell.get("outputs")
        assert cell.get("execution_count") is None
        assert not cell["metadata"].keys() - {"dpviz"}


def plain(text: str) -> str:
    """A text as it is read: without LaTeX, quotation marks and case."""
    text = re.sub(r"\\text\{([^}]*)\}", r"\1", text)
    for latex, symbol in SYMBOLS.items():
        text = text.replace(latex, symbol)
    text = re.sub(r"[$\\_“”‘’]", "", text).replace("non- member", "non-member")
    return " ".join(text.split()).casefold()


def quotations(text: str) -> list[str]:
    return QUOTATION.findall(" ".join(text.split()))


def unfound(text: str) -> list[str]:
    kept = [plain(each) for source, passages in PASSAGES.items() for each in (source, *passages)]
    return [said for said in quotations(text) if not any(plain(said) in each for each in kept)]


@pytest.mark.parametrize("number", LESSONS)
def test_a_lesson_quotes_word_for_word(number: int) -> None:
    text = " ".join((prose(number), *in_options(number)))
    assert quotations(text)
    assert unfound(text) == []


@pytest.mark.parametrize(
    ("path", "least"), [("docs/explanation/errata.md", 12), ("notebooks/02_epsilon_star.ipynb", 2)]
)
def test_errata_and_notebook_quote_word_for_word(path: str, least: int) -> None:
    text = (ROOT / path).read_text(encoding="utf-8").replace("“ ”", "")
    assert len(quotations(text)) >= least
    assert unfound(text) == []


@pytest.mark.parametrize(
    ("said", "is_there"),
    [
        ("Epsilon* is “a lower bound on the privacy loss of one given model instance”", True),
        ("It is “a lower bound on the privacy loss of the mechanism”", False),
        ("As δ grows, “a new ‘perfect privacy’ zone emerges”", True),
        ("“Gaussian(0, ε^-1)”", True),
    ],
)
def test_a_quotation_that_is_changed_is_noticed(said: str, is_there: bool) -> None:
    assert (unfound(said) == []) == is_there
