"""The house rules that a machine can check."""

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = (
    "ipywidgets", "anywidget", "bqplot", "pandas", "matplotlib", "psutil", "tqdm",
    "multiprocessing",
    "scipy.stats", "scipy.optimize", "scipy.integrate", "scipy.signal", "scipy.spatial",
    "dp_accounting", "sklearn", "pyarrow", "dask", "jinja2",
)  # fmt: skip


# A trade-off function makes others (its inverse, groups, symmetric ones), which are made of it.
ALGEBRA = "dpviz.theory.tradeoff"
# A result has texts and pictures, which are written about results or drawn of them.
RESULT = "dpviz.analysis.result"
RESULT_SHOWS = ("dpviz.analysis.topic", "dpviz.analysis.svg", "dpviz.analysis.html")


# What is imported where little of dpviz may be used: its face, a spec (which reads files only where
# attacks are compared), and pytest's plugin.
WAITING = ("dpviz", "dpviz.analysis.attacks", "dpviz.testing.plugin")


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


PACKAGE = {module_name(path): path for path in sorted((ROOT / "dpviz").rglob("*.py"))}


class Import(NamedTuple):
    """One imported name: the module that is run for it, and where."""

    target: str
    line: int
    is_late: bool
    is_for_types: bool


def imports(tree: ast.AST, *, late: bool = False, types: bool = False) -> Iterator[Import]:
    """All imports of a module; late ones stand in a function or are for the type checker alone."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.expr):
            continue  # no statement stands in an expression
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if name in PACKAGE else str(node.module) for name in whole]
        else:
            in_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            yield from imports(node, late=late or in_function, types=types or guarded)
            continue
        for name in dict.fromkeys(names):
            yield Import(name, node.lineno, late, types)


@cache
def trees() -> dict[str, ast.Module]:
    """What the parser makes of each module."""
    return {name: ast.parse(path.read_text()) for name, path in PACKAGE.items()}


@cache
def all_imports() -> dict[str, list[Import]]:
    """By module."""
    return {name: list(imports(tree)) for name, tree in trees().items()}


def ancestors(name: str) -> set[str]:
    """The packages whose `__init__` is run before a module, itself included."""
    parts = name.split(".")
    return {".".join(parts[:end]) for end in range(1, len(parts) + 1)}


def runs(graph: dict[str, list[Import]]) -> dict[str, set[str]]:
    """Which modules each one needs to be imported, faces of packages included."""
    return {
        name: set().union(
            *(
                ancestors(found.target) - (ancestors(name) - {found.target})
                for found in found_here
                if found.target in graph and not (found.is_late or found.is_for_types)
            )
        )
        for name, found_here in graph.items()
    }


def test_imports_run_one_way() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def in_a_fresh_interpreter(code: str) -> str:
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.removesuffix("\n")


def test_all_public_names_are_light() -> None:
    code = f"import sys; from dpviz import *; print([m for m in {HEAVY} if m in sys.modules])"
    assert in_a_fresh_interpreter(code) == "[]"


def test_rooms_are_imported_when_used() -> None:
    used = {
        "import dpviz": set(),
        "from dpviz import theory": {"theory"},
        "dpviz.AttackScores": {"claims", "audit"},
        "dpviz.Spec": {"drawing", "analysis"},
        "dpviz.read_scores": {"data"},  # below the two before: the test above
    }
    show = "print(*(m for m in sys.modules if m.startswith('dpviz.')))"
    lines = in_a_fresh_interpreter("import sys\n" + "".join(f"{use}\n{show}\n" for use in used))
    alone, before = (
        {"checks", "documents", "naming", "number_format", "replace_file", "value_object"},
        set(),
    )
    for line, rooms in zip(lines.split("\n"), used.values(), strict=True):
        found = {name.split(".")[1] for name in line.split()} - alone
        assert found - before == rooms
        before = found


def test_names_are_listed_before_they_are_used() -> None:
    import dpviz

    assert {*dpviz.__all__} <= {*dir(dpviz)}
    assert not hasattr(dpviz, "nothing")


def test_no_circle_of_imports() -> None:
    """So every module can be the first one that is imported.

    A face (`__init__.py`) that is running already when a module of its package is imported may
    have no name yet: the next test. All others that an import runs count.
    """
    graphlib.TopologicalSorter(runs(all_imports())).prepare()


def test_a_circle_through_a_face_is_found() -> None:
    def run(target: str) -> Import:
        return Import(target, 1, is_late=False, is_for_types=False)

    graph = {
        "p": [],
        "p.a": [run("p.a.x")],
        "p.a.x": [run("p.b.y")],
        "p.a.z": [],
        "p.b": [],
        "p.b.y": [run("p.a.z")],
    }
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(runs(graph)).prepare()
    graph["p.a"] = []
    graphlib.TopologicalSorter(runs(graph)).prepare()


def test_no_module_needs_the_face_of_its_own_package() -> None:
    """With faces that are empty (`dpviz/__init__.py`, ...) every module would import."""
    found = [
        f"{name}:{found.line} imports {found.target}"
        for name, here in all_imports().items()
        for found in here
        if not found.is_late and found.target in ancestors(name)
    ]
    assert not found


@cache
def always_installed() -> set[str]:
    """The packages that a module outside dpviz may come from at any time."""
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    always = {re.match(r"[\w-]+", text)[0].lower() for text in required}  # type: ignore[index]
    return {
        package
        for package, names in packages_distributions().items()
        if {name.lower() for name in names} & always
    }


def is_optional(module: str) -> bool:
    """Whether a module from outside is an extra of pyproject, or slow and not always needed."""
    top = module.split(".")[0]
    slow = any(module == heavy or module.startswith(f"{heavy}.") for heavy in HEAVY)
    if slow or top in sys.stdlib_module_names:
        return slow
    return top not in always_installed()


def needs_the_bundle(module: str) -> bool:
    """Whether a module defines an anywidget, which raises where the bundle was not built."""
    return any(found.target == "anywidget" for found in all_imports()[module])


def draws_figures(module: str) -> bool:
    """Whether a module imports bqplot, which takes longer than all other widgets."""
    return any(found.target == "bqplot" for found in all_imports()[module])


def is_allowed_late(name: str, found: Import) -> bool:
    """Types, optional and slow packages, the closed algebra, what reads the bundle, figures."""
    if found.is_for_types or found.target not in PACKAGE:
        return found.is_for_types or is_optional(found.target)
    in_algebra = name == ALGEBRA and found.target.startswith("dpviz.theory.")
    needs_dask = found.target == "dpviz.data.distributed"
    is_slow = needs_dask or needs_the_bundle(found.target) or draws_figures(found.target)
    of_result = name == RESULT and found.target.startswith(RESULT_SHOWS)
    return in_algebra or of_result or is_slow or name in WAITING


def has_reason(name: str, found: Import) -> bool:
    """Whether a comment stands on the line of an import, or above it and its neighbours."""
    lines = PACKAGE[name].read_text().splitlines()
    if re.search(r"#(?! noqa)", lines[found.line - 1]):
        return True
    above = found.line - 2
    while re.match(r"\s*(from |import |try:)", lines[above]):
        if "# " in lines[above]:
            return True
        above -= 1
    return lines[above].lstrip().startswith("#")


def test_late_imports_are_few_and_say_why() -> None:
    late = [
        (name, found)
        for name, here in all_imports().items()
        for found in here
        if (found.is_late or found.is_for_types)
    ]
    wrong = [
        f"{PACKAGE[name].relative_to(ROOT)}:{found.line}: {found.target} {what}"
        for name, found in late
        for what, right in (
            ("belongs to the top of the file", is_allowed_late(name, found)),
            ("has no comment that says why", found.is_for_types or has_reason(name, found)),
        )
        if not right
    ]
    assert not wrong, "\n".join(wrong)


def type_names(tree: ast.Module) -> Iterator[str]:
    """Classes and type aliases (`Side = Literal[...]`) at the top of a module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript | ast.BinOp):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            yield from (name for name in names if re.fullmatch(r"[A-Z][a-z]\w*", name))


def test_a_type_name_means_one_thing_in_a_room() -> None:
    places = defaultdict(list)
    for name, tree in trees().items():
        for type_name in type_names(tree):
            places[".".join(name.split(".")[:2]), type_name].append(name)
    wrong = [f"{name}: {', '.join(found)}" for (_, name), found in places.items() if len(found) > 1]
    assert not wrong, "\n".join(wrong)


def test_dominance_knows_no_mechanism() -> None:
    targets = [found.target for found in all_imports()["dpviz.theory.dominance"]]
    assert not [target for target in targets if ".mechanisms" in target]


def private_uses(source: str) -> list[str]:
    """Private attributes of other objects; `_repr_mimebundle_` is a name of Jupyter's."""
    if not re.search(r"\._[a-z]", source):
        return []
    tree = ast.parse(source)
    return [
        f"{ast.unparse(node)} in line {node.lineno}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and re.fullmatch(r"_[a-z]\w*(?<!_)", node.attr)
        if ast.unparse(node.value) not in ("self", "cls", "super()")
    ]


# What is left: events that a browser would send, scripts, and who owns marks. No more than these.
PRIVATE = {
    "tests/browser/test_waiting.py": 4,
    "tests/registries/test_view.py": 1,
    "tests/widgets/state/test_live.py": 4,
    "tests/widgets/upload/test_upload.py": 1,
    "tests/widgets/views/test_landscape.py": 1,
}


def test_tests_use_what_users_use() -> None:
    found = {
        str(path.relative_to(ROOT)): private_uses(path.read_text())
        for path in sorted((ROOT / "tests").rglob("*.py"))
        if "node_modules" not in path.parts
    }
    too_many = {path: uses for path, uses in found.items() if len(uses) > PRIVATE.get(path, 0)}
    assert not too_many, "\n".join(f"{path}: {', '.join(uses)}" for path, uses in too_many.items())


@pytest.mark.parametrize("name", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_links_of_the_guides_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)#\s]+)", (ROOT / name).read_text())
    inside = [link for link in links if "://" not in link]
    assert inside
    assert [link for link in inside if not (ROOT / link).exists()] == []


def test_every_public_name_is_there() -> None:
    import dpviz
    import dpviz.teach
    import dpviz.widgets

    rooms = (dpviz.theory, dpviz.audit, dpviz.analysis, dpviz.data, dpviz.teach, dpviz.widgets)
    for module in (dpviz, *rooms):
        assert all(hasattr(module, name) for name in module.__all__)
