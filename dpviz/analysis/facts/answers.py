"""`Facts`, the answers to the validity checklist, and their TOML or YAML file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from unicodedata import category

from dpviz import checks
from dpviz.analysis.facts.questions import QUESTIONS
from dpviz.documents import read_toml_or_yaml
from dpviz.value_object import FrozenMapping

NOT_STATED = "not stated"
LONGEST_NOTE = 500  # characters
FACT_FIELDS = ("answer", "note")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """The answer to a checklist question: an option's key ("" if unanswered), and a free note."""

    answer: str = ""
    note: str = ""


class Facts(FrozenMapping[Fact]):
    """The answers to the validity checklist, by question.

    Unanswered questions have no entry.

    Parameters
    ----------
    given : mapping of str to str, mapping or Fact
        For names in `dpviz.analysis.facts.questions.QUESTIONS`: one of the question's answers,
        or a mapping with "answer", "note" or both. None and "not stated" are no answer.

    Raises
    ------
    ValueError, if a question or an answer is unknown, or a note is not text of <= 500 characters

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
            raise checks.fail("facts", "a table of questions and answers", _type_name(given))
        for name in given:
            if name not in QUESTIONS:
                raise checks.fail("facts", f"a table with the keys {', '.join(QUESTIONS)}", name)
        # In the order of the questions, whatever the order of the mapping.
        stated = ((name, _checked_fact(name, given[name])) for name in QUESTIONS if name in given)
        super().__init__({name: fact for name, fact in stated if fact != Fact()})

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of the questions without an answer."""
        return tuple(name for name in QUESTIONS if name not in self)

    def changed(self, **changes: object) -> "Facts":
        """Return new `Facts` with some answers replaced.

        The value None removes an answer.
        """
        return Facts(dict(self) | changes)

    def as_dict(self) -> dict[str, str | dict[str, str]]:
        """Return the answers as a dict that JSON, YAML and TOML can write."""
        # An answer without a note is written as one word.
        return {
            name: {field: text for field in FACT_FIELDS if (text := getattr(fact, field))}
            if fact.note
            else fact.answer
            for name, fact in self.items()
        }


def _checked_fact(name: str, given: object) -> Fact:
    place = f"facts.{name}"
    if isinstance(given, Fact):
        given = {"answer": given.answer, "note": given.note}
    if given is None or given == NOT_STATED:
        return Fact()
    if not isinstance(given, Mapping):
        given = {"answer": given}
    for field in given:
        checks.choice(f"field of {place}", field, FACT_FIELDS)
    answer, note = (given.get(field) or "" for field in FACT_FIELDS)
    choices = QUESTIONS[name].choices
    if answer != "" and (not isinstance(answer, str) or answer not in choices):
        # Containers may be too large to print, so the error names their type only.
        shown = answer if isinstance(answer, str | bool | int | float) else _type_name(answer)
        listed = ", ".join(map(repr, choices))
        raise checks.fail(place, f"one of {listed}", shown, "write other words in its note")
    return Fact(answer=str(answer), note=_checked_note(f"{place}.note", note))


def _checked_note(name: str, given: object) -> str:
    if not isinstance(given, str):
        raise checks.fail(name, "text", _type_name(given))
    text = " ".join(given.split())
    if len(text) > LONGEST_NOTE:
        raise checks.fail(
            name, f"text of at most {LONGEST_NOTE} characters", f"{len(text)} characters"
        )
    # Control characters may change what a terminal shows; no file of UTF-8 has surrogates.
    if any(category(sign) in ("Cc", "Cs") for sign in text):
        raise checks.fail(name, "text without control characters", text)
    return text


def _type_name(value: object) -> str:
    return f"a {type(value).__name__}"


FIRST_LINE = "# dpviz audit SCORES --facts facts.toml: what is left out is reported as not stated."


def read_facts(path: str | Path) -> Facts:
    """Return the answers to the validity checklist that a file contains.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in .toml, .yaml or .yml (YAML needs the extra `yaml`): a table of
        questions and answers, as :class:`Facts` takes them. ``dpviz facts`` prints an empty one.

    Raises
    ------
    ValueError, if the file is no such table, has an unknown name, or has a question twice
    ImportError, if the file is YAML and PyYAML is not installed

    Examples
    --------
    >>> import dpviz
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "facts.toml"
    ...     _ = path.write_text('population = "same"')
    ...     dpviz.read_facts(path)
    Facts({'population': 'same'})
    """
    return Facts(read_toml_or_yaml("facts", path))


def empty_facts_toml() -> str:
    """Return the text of a TOML file with all questions, and all possible answers as comments."""
    parts = [FIRST_LINE]
    for name, question in QUESTIONS.items():
        answers = [f'# {name} = "{key}"  # {each.label}' for key, each in question.choices.items()]
        parts.append("\n".join([f"# {question.text}", *answers]))
    own_words = '# population = {answer = "same", note = "random split of all patients"}'
    parts.append(f"# An answer with own words:\n{own_words}")
    return "\n\n".join(parts) + "\n"
