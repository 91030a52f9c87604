"""Every public function and class is documented, with an example that runs.

`pytest tests/test_examples.py -k room` tests one room, `-k lower_bound` one object.
"""

import ast
import doctest
import inspect
import re
import textwrap
from dataclasses import fields, is_dataclass
from types import ModuleType
from typing import Any

import dpviz
import dpviz.analysis
import dpviz.data
import dpviz.pictures
import dpviz.reports
import dpviz.teach
import dpviz.testing
import dpviz.testing.gallery
import dpviz.widgets
from docs import objects as reference
from dpviz import audit, theory
from tests.slow import parametrize

MODULES = (
    dpviz,
    theory,
    theory.profile,
    theory.risk,
    theory.calibration,
    audit,
    audit.bounds,
    audit.roc.bands,
    audit.roc.intervals,
    dpviz.data,
    dpviz.analysis,
    dpviz.pictures,
    dpviz.teach,
    dpviz.reports,
    dpviz.testing,
    dpviz.testing.gallery,
    dpviz.widgets,
)
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n", re.MULTILINE)


def public_names(module: ModuleType) -> list[str]:
    own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
    return list(getattr(module, "__all__", [name for name in own if not name.startswith("_")]))


def public_objects() -> dict[str, Any]:
    """Functions and classes of dpviz that users import, by where they are defined."""
    values = [getattr(module, name) for module in MODULES for name in public_names(module)]
    values += reference.objects().values()
    objects = [value for value in values if inspect.isfunction(inspect.unwrap(value))]
    objects += [value for value in values if inspect.isclass(value)]
    return {
        f"{value.__module__.removeprefix('dpviz').lstrip('.')}:{value.__name__}": value
        for value in objects
        if value.__module__.split(".")[0] == "dpviz"
    }


OBJECTS = public_objects()


def sections(docstring: str) -> dict[str, str]:
    """The numpydoc sections of a docstring by their titles."""
    parts = SECTION.split(inspect.cleandoc(docstring))
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def names(section: str) -> set[str]:
    """The parameters a section documents: ``x, y : float``, ``*args``, ``name``."""
    heads = [line.split(" : ")[0] for line in section.splitlines() if line and line[0] != " "]
    return {name.strip("*\\ ") for head in heads for name in head.split(",")}


def missing_sections(function: Any) -> list[str]:
    """What the docstring of a function does not say about its signature and its errors."""
    found = sections(function.__doc__ or "")
    signature = inspect.signature(function)
    documented = names(found.get("Parameters", ""))
    missing = [f"parameter {name}" for name in signature.parameters if name not in documented]
    says_result = "Returns" in found or (function.__doc__ or "").startswith("Return ")
    if signature.return_annotation not in (None, "None") and not says_result:
        missing.append("a summary that begins with Return")
    if raises(function) and "Raises" not in found:
        missing.append("section Raises")
    errors = [line for line in found.get("Raises", "").splitlines() if line[:1].isalpha()]
    return missing + [f"{line}, if ..." for line in errors if ", " not in line]


def raises(function: Any) -> bool:
    """Whether the function's own body raises: more than that an argument leaves its range."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    return any(isinstance(node, ast.Raise) for node in ast.walk(tree))


def missing_fields(cls: type) -> list[str]:
    """Fields of a dataclass that neither its docstring nor that of a base names."""
    if not is_dataclass(cls):
        return []
    text = "\n".join(inspect.cleandoc(base.__doc__ or "") for base in cls.__mro__[:-1])
    public = [field.name for field in fields(cls) if not field.name.startswith("_")]
    return [f"field {name}" for name in public if not re.search(rf"\b{name}\b", text)]


def failed_examples(thing: Any, name: str) -> str:
    """What the examples of a function, or of a class and its methods, print instead."""
    report: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    runner = doctest.DocTestRunner(verbose=False, optionflags=flags)
    for test in doctest.DocTestFinder().find(thing, name, globs={}):
        runner.run(test, out=report.append)
    return "".join(report)


@parametrize("name", OBJECTS, slow_but=OBJECTS.keys() - {"widgets.views.models:TimelineView"})
def test_public_object_is_documented_with_an_example(name: str) -> None:
    thing = OBJECTS[name]
    problems = missing_fields(thing) if inspect.isclass(thing) else missing_sections(thing)
    if not doctest.DocTestParser().get_examples(thing.__doc__ or ""):
        problems.append("example (>>>)")
    assert not problems, f"{name} lacks {', '.join(problems)}"
    failures = failed_examples(thing, name)
    assert not failures, failures


def test_wrong_documentation_is_found() -> None:
    def wrong(first: int, *, second: int) -> int:
        """Sum of two numbers.

        Parameters
        ----------
        first : int

        Raises
        ------
        ValueError
            If `second` is negative.

        Examples
        --------
        >>> 1 + 1
        3
        """
        if second < 0:
            raise ValueError
        return first + second

    def silent(first: int) -> None:
        """Take a number."""
        raise ValueError(first)

    missing = ["parameter second", "a summary that begins with Return", "ValueError, if ..."]
    assert missing_sections(wrong) == missing
    assert missing_sections(silent) == ["parameter first", "section Raises"]
    assert "Expected:\n    3\nGot:\n    2" in failed_examples(wrong, "wrong")
