"""Facts in a file of TOML or YAML, and an empty one to fill in."""

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.analysis.facts.facts import Facts
from dpviz.analysis.facts.questions import QUESTIONS

LARGEST = 100_000  # bytes of a file


def read_table(name: str, path: str | Path) -> Any:
    """What a file of TOML or YAML says; an empty one is an empty table.

    `name` is what messages call it. Raises ValueError if the file is neither, is larger than
    100,000 bytes, or a key stands twice; ImportError if it is YAML and PyYAML is not installed.
    """
    path = Path(path)
    parse = PARSERS[checks.choice(f"ending of the {name} file", path.suffix.lower(), PARSERS)]
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise checks.fail(name, f"a file of at most {LARGEST} bytes", path.name)
    try:
        given = parse(name, data.decode("utf-8-sig"))
    except RecursionError:
        raise checks.fail(name, "nested less deeply", path.name) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} must be text in UTF-8: {error}") from error
    return {} if given is None else given


def _toml(name: str, text: str) -> Any:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"{name} must be TOML: {checks.reason(error)}") from error


def _yaml(name: str, text: str) -> Any:
    try:
        import yaml  # optional: an extra
    except ImportError as error:
        raise ImportError(
            f"{name} in YAML needs PyYAML: pip install 'dpviz[yaml]', or write it as TOML"
        ) from error
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        given = None if node is None else loader.construct_document(node)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: such as a date in month 13
        raise ValueError(f"{name} must be YAML: {checks.reason(error)}") from error
    _refuse_equal_keys(name, node)
    return given


def _refuse_equal_keys(name: str, node: Any) -> None:
    """PyYAML keeps the last of equal keys of the table, silently."""
    pairs = node.value if node is not None and node.id == "mapping" else ()
    keys = Counter(key.value for key, _ in pairs if isinstance(key.value, str))
    twice = [key for key, times in keys.items() if times > 1]
    if twice:
        raise checks.fail(name, "a table that has each key once", twice[0])


PARSERS: dict[str, Callable[[str, str], Any]] = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml}

# Facts in a file of TOML or YAML, and an empty one to fill in.

HEAD = "# dpviz audit SCORES --facts facts.toml: what is left out is reported as not stated."


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
    return Facts(read_table("facts", path))


def template() -> str:
    """A TOML file with every question, its answers, and nothing stated."""
    parts = [HEAD]
    for name, question in QUESTIONS.items():
        answers = [f'# {name} = "{key}"  # {each.label}' for key, each in question.choices.items()]
        parts.append("\n".join([f"# {question.text}", *answers]))
    own_words = '# population = {answer = "same", note = "random split of all patients"}'
    parts.append(f"# An answer with own words:\n{own_words}")
    return "\n\n".join(parts) + "\n"
