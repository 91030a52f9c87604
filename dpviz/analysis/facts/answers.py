"""`Facts`, the answers to the validity checklist, and their TOML or YAML file."""

import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any
from unicodedata import category

from dpviz import checks
from dpviz.analysis.facts.questions import QUESTIONS

NOT_STATED = "not stated"
LONGEST_NOTE = 500  # characters
LARGEST_FILE = 100_000  # bytes
FACT_FIELDS = ("answer", "note")


@dataclass(frozen=True, kw_only=True)
class Fact:
    """The answer to a checklist question: the key of a choice ("" if none is made), and a note."""

    answer: str = ""
    note: str = ""


class Facts(Mapping[str, Fact]):
    """The answers to the validity checklist, by question; unanswered questions have no entry.

    Parameters
    ----------
    given : mapping of str to str, mapping or Fact
        For names in `dpviz.analysis.facts.questions.QUESTIONS`: one of the question's answers,
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
            raise checks.fail("facts", "a table of questions and answers", _type_name(given))
        for name in given:
            if name not in QUESTIONS:
                raise checks.fail("facts", f"a table of {', '.join(QUESTIONS)}", name)
        # In the order of the questions, whatever the order of the mapping.
        stated = ((name, _checked_fact(name, given[name])) for name in QUESTIONS if name in given)
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
        """The names of the questions without an answer."""
        return tuple(name for name in QUESTIONS if name not in self)

    def changed(self, **changes: object) -> "Facts":
        """Return new `Facts` with some answers replaced; None removes an answer."""
        return Facts(self._stated | changes)

    def plain(self) -> dict[str, str | dict[str, str]]:
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
        raise checks.fail(place, f"one of {listed} (own words belong in its note)", shown)
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


def read_toml_or_yaml(name: str, path: str | Path) -> Any:
    """Return the content of a TOML or YAML file, which error messages call `name`.

    Raises ValueError if the file is of another kind, has more than 100,000 bytes or repeats a key;
    ImportError if it is YAML and PyYAML is not installed.
    """
    path = Path(path)
    parse = PARSERS[checks.choice(f"ending of the {name} file", path.suffix.lower(), PARSERS)]
    # Reading one byte more than allowed shows that a file is too large.
    with path.open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise checks.fail(name, f"a file of at most {LARGEST_FILE} bytes", path.name)
    try:
        given = parse(name, data.decode("utf-8-sig"))
    except RecursionError:
        raise checks.fail(name, "nested less deeply", path.name) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} must be text in UTF-8: {error}") from error
    return {} if given is None else given


def _parsed_toml(name: str, text: str) -> Any:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} must be TOML: {checks.reason(error)}") from error


def _parsed_yaml(name: str, text: str) -> Any:
    try:
        import yaml  # optional: an extra
    except ImportError as error:
        raise ImportError(
            f"{name} in YAML needs PyYAML: pip install 'dpviz[yaml]', or write it as TOML"
        ) from error
    try:
        # The safe loader runs no code. The node, unlike the dict, still has repeated keys.
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        given = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:  # ValueError for a date in month 13
        raise ValueError(f"{name} must be YAML: {checks.reason(error)}") from error
    _check_unique_keys(name, node)
    return given


def _check_unique_keys(name: str, node: Any) -> None:
    """Raise ValueError if the YAML mapping repeats a key; PyYAML would keep the last value."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    keys = Counter(key.value for key, _ in pairs if isinstance(key.value, str))
    twice = [key for key, times in keys.items() if times > 1]
    if twice:
        raise checks.fail(name, "a table that has each key once", twice[0])


PARSERS = {".toml": _parsed_toml, ".yaml": _parsed_yaml, ".yml": _parsed_yaml}

FIRST_LINE = "# dpviz audit SCORES --facts facts.toml: what is left out is reported as not stated."


def read_facts(path: str | Path) -> Facts:
    """The answers to the validity checklist in a file.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in .toml, .yaml or .yml (YAML needs the extra `yaml`): a table of
        questions and answers, as :class:`Facts` takes them. ``dpviz facts`` prints an empty one.

    Returns
    -------
    Facts

    Raises
    ------
    ValueError
        If the file is no such table, a question or an answer is not known, or one stands twice.
    ImportError
        If the file is YAML and PyYAML is not installed.

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


def empty_facts_file() -> str:
    """Return a TOML file with all questions, where every possible answer is commented out."""
    parts = [FIRST_LINE]
    for name, question in QUESTIONS.items():
        answers = [f'# {name} = "{key}"  # {each.label}' for key, each in question.choices.items()]
        parts.append("\n".join([f"# {question.text}", *answers]))
    own_words = '# population = {answer = "same", note = "random split of all patients"}'
    parts.append(f"# An answer with own words:\n{own_words}")
    return "\n\n".join(parts) + "\n"
