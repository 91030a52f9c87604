"""The answers to the checklist, as one frozen value."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from unicodedata import category

from dpviz import checks
from dpviz.analysis.facts.questions import QUESTIONS

NOT_STATED = "not stated"
LONGEST = 500  # characters of a note
FIELDS = ("answer", "note")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """What is stated about one question.

    Parameters
    ----------
    answer : str
        One of the question's choices; empty if the note says all.
    note : str
        Free text of at most 500 characters.

    Examples
    --------
    >>> from dpviz import Facts
    >>> Facts({"population": "same"})["population"].answer
    'same'
    """

    answer: str = ""
    note: str = ""


class Facts(Mapping[str, Fact]):
    """The stated answers by question; questions without an answer are not in it.

    Parameters
    ----------
    given : mapping of str to str, mapping or Fact
        By the names in `dpviz.analysis.facts.questions.QUESTIONS`: one of the question's answers,
        or a mapping with "answer", "note" or both. None and "not stated" are no answer.

    Raises
    ------
    ValueError
        If a question or an answer is not known, or a note is not text of at most 500 characters.

    Examples
    --------
    >>> from dpviz import Facts
    >>> facts = Facts({"population": "same", "tuning": {"note": "12 runs, see the appendix"}})
    >>> list(facts), facts["tuning"].note
    (['population', 'tuning'], '12 runs, see the appendix')
    >>> facts.changed(population=None)
    Facts({'tuning': {'note': '12 runs, see the appendix'}})
    """

    def __init__(self, given: object = MappingProxyType({})) -> None:
        if not isinstance(given, Mapping):
            raise checks.fail("facts", "a table of questions and answers", _kind(given))
        for name in given:
            if name not in QUESTIONS:
                raise checks.fail("facts", f"a table of {', '.join(QUESTIONS)}", name)
        stated = ((name, _fact(name, given[name])) for name in QUESTIONS if name in given)
        self._stated = {name: fact for name, fact in stated if fact != Fact()}

    def __getitem__(self, name: str) -> Fact:
        return self._stated[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._stated)

    def __len__(self) -> int:
        return len(self._stated)

    def __hash__(self) -> int:
        return hash(tuple(self._stated.items()))

    def __repr__(self) -> str:
        return f"Facts({self.plain()})"

    @property
    def missing(self) -> tuple[str, ...]:
        """The questions that nobody answered."""
        return tuple(name for name in QUESTIONS if name not in self)

    def changed(self, **changes: object) -> "Facts":
        """The same facts but for some questions; None removes an answer."""
        return Facts(self._stated | changes)

    def plain(self) -> dict[str, str | dict[str, str]]:
        """The stated answers as values that JSON, YAML and TOML know."""
        return {name: _plain(fact) for name, fact in self.items()}


def _fact(name: str, given: object) -> Fact:
    place = f"facts.{name}"
    if isinstance(given, Fact):
        given = {"answer": given.answer, "note": given.note}
    if given is None or given == NOT_STATED:
        return Fact()
    if not isinstance(given, Mapping):
        given = {"answer": given}
    for field in given:
        checks.choice(f"field of {place}", field, FIELDS)
    answer, note = (given.get(field) or "" for field in FIELDS)
    choices = QUESTIONS[name].choices
    if answer != "" and (not isinstance(answer, str) or answer not in choices):
        # Of a container only its kind: a file may hold one that is too large to print.
        shown = answer if isinstance(answer, str | bool | int | float) else _kind(answer)
        raise checks.fail(place, _one_of(choices), shown)
    return Fact(answer=str(answer), note=_text(f"{place}.note", note))


def _text(name: str, given: object) -> str:
    if not isinstance(given, str):
        raise checks.fail(name, "text", _kind(given))
    text = " ".join(given.split())
    if len(text) > LONGEST:
        raise checks.fail(name, f"text of at most {LONGEST} characters", f"{len(text)} characters")
    if any(category(sign) in ("Cc", "Cs") for sign in text):  # no file of UTF-8 has surrogates
        raise checks.fail(name, "text without control characters", text)
    return text


def _one_of(choices: Mapping[str, object]) -> str:
    listed = ", ".join(map(repr, choices))
    return f"one of {listed} (own words belong in its note)"


def _plain(fact: Fact) -> str | dict[str, str]:
    if not fact.note:
        return fact.answer
    return ({"answer": fact.answer} if fact.answer else {}) | {"note": fact.note}


def _kind(given: object) -> str:
    return f"a {type(given).__name__}"
