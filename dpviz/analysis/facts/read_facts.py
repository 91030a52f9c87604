"""Facts in a file of TOML or YAML, and an empty one to fill in."""

import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpviz import checks
from dpviz.analysis.facts.facts import Facts
from dpviz.analysis.facts.registry import QUESTIONS

LARGEST = 100_000  # bytes of a file
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
    path = Path(path)
    parse = PARSERS[checks.choice("ending of the facts' file", path.suffix.lower(), PARSERS)]
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise checks.fail("facts", f"a file of at most {LARGEST} bytes", path.name)
    try:
        given = parse(data.decode("utf-8-sig"))
    except RecursionError:
        raise checks.fail("facts", "nested less deeply", path.name) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"facts must be text in UTF-8: {error}") from error
    return Facts({} if given is None else given)  # an empty file states nothing


def template() -> str:
    """A TOML file with every question, its answers, and nothing stated."""
    parts = [HEAD]
    for name, question in QUESTIONS.items():
        answers = [f'# {name} = "{key}"  # {each.label}' for key, each in question.choices.items()]
        parts.append("\n".join([f"# {question.text}", *answers]))
    own_words = '# population = {answer = "same", note = "random split of all patients"}'
    parts.append(f"# An answer with own words:\n{own_words}")
    return "\n\n".join(parts) + "\n"


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise ValueError(f"facts must be TOML: {error}") from error


def _yaml(text: str) -> Any:
    try:
        import yaml  # optional: an extra
    except ImportError as error:
        raise ImportError(
            "facts in YAML need PyYAML: pip install 'dpviz[yaml]', or write them as TOML"
        ) from error
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        if isinstance(node, yaml.MappingNode):  # PyYAML keeps the last of equal keys
            keys = Counter(key.value for key, _ in node.value if isinstance(key.value, str))
            twice = [key for key, times in keys.items() if times > 1]
            if twice:
                raise checks.fail("facts", "a table that has each question once", twice[0])
        return None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise ValueError(f"facts must be YAML: {error}") from error


PARSERS: dict[str, Callable[[str], Any]] = {".toml": _toml, ".yaml": _yaml, ".yml": _yaml}
