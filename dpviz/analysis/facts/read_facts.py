"""Facts in a file of TOML or YAML, and an empty one to fill in."""

from pathlib import Path

from dpviz.analysis.facts.facts import Facts
from dpviz.analysis.facts.read_table import read_table
from dpviz.analysis.facts.registry import QUESTIONS

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
