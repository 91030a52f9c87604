"""Whether tests notice faults: small changes of `dpviz.theory` and `dpviz.audit`, one at a time.

    python -m benchmarks.mutants map CALLS.json [--tests tests/audit/evidence]
    python -m benchmarks.mutants run CALLS.json RESULT.tsv [--minutes 20] [--mutants 300]
    python -m benchmarks.mutants run CALLS.json RESULT.tsv --only evidence/stream bounds/certify

`map` runs the quick tests of both rooms once and notes which test enters which function. `run`
draws mutants with a fixed seed and, for each, runs the tests that enter the function of the changed
line, the fastest first, in a process of its own. A mutant is *killed* if one fails, *out of time*
if they take longer than `SECONDS`. Equivalent mutants, which change nothing that can be seen, are
listed in `equivalent_mutants.tsv`, each with the reason; the score leaves them out.
"""

import argparse
import ast
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = (ROOT / "dpviz" / "theory", ROOT / "dpviz" / "audit")
TESTS = (
    *("tests/theory", "tests/audit", "tests/laws", "tests/golden", "tests/claims"),
    "tests/data/test_check_inputs.py",
)
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.tsv")
SEED = 20240
SECONDS = 60
MOST_TESTS = 60  # of one mutant: the fastest of those that enter the function
ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
FUNCTIONS = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}
FUNCTIONS |= {"any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True, kw_only=True)
class Mutant:
    """One changed expression: where it begins and ends in its file, and what stands there."""

    file: str
    function: str
    line: int
    begin: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same if lines are added above."""
        return self.file, self.function, self.before, self.after


def mutants_of(path: Path) -> Iterator[Mutant]:
    """Yield all first-order mutants of a file."""
    content = path.read_text()
    starts = [0]
    for line in content.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded = content.encode()
    for function, node in _nodes(ast.parse(content)):
        begin = starts[node.lineno - 1] + node.col_offset
        end = starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)
        for after in _changes(node):
            yield Mutant(
                file=str(path.relative_to(ROOT)),
                function=function,
                line=node.lineno,
                begin=begin,
                end=end,
                before=encoded[begin:end].decode(),
                after=after,
            )


def _nodes(tree: ast.AST, name: str = "") -> Iterator[tuple[str, ast.expr]]:
    """Expressions with the name of the function that they are in; annotations are left out."""
    for field, value in ast.iter_fields(tree):
        if field in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST):
                continue
            is_function = isinstance(child, ast.FunctionDef)
            inner = child.name if is_function else name  # type: ignore[attr-defined]
            if isinstance(child, ast.expr):
                yield name, child
            if not isinstance(child, ast.JoinedStr):  # texts are not numbers
                yield from _nodes(child, inner)


def _changes(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
        yield ast.unparse(ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right))
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        ops = [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
        yield ast.unparse(ast.Compare(node.left, ops, node.comparators))
    elif isinstance(node, ast.BoolOp):
        op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(op, node.values))})"
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(node.orelse)})"
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield repr(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        is_whole = isinstance(node.value, int)
        yield repr(node.value + 1 if is_whole else node.value * 1.1 or 1.0)
    elif isinstance(node, ast.Call):
        found = node.func
        name = found.attr if isinstance(found, ast.Attribute) else getattr(found, "id", "")
        if name in FUNCTIONS:
            text = ast.unparse(node.func)
            new = text[: len(text) - len(name)] + FUNCTIONS[name]
            yield ast.unparse(ast.Call(ast.Name(new), node.args, node.keywords))
        elif len(node.args) == 2 and not any(isinstance(each, ast.Starred) for each in node.args):
            yield ast.unparse(ast.Call(node.func, node.args[::-1], node.keywords))


class Calls:
    """A plugin of pytest that notes which test enters which function, and how long it takes."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.entered: dict[str, set[str]] = {}
        self.failed: set[str] = set()
        self._rooms = tuple(map(str, ROOMS))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Note the functions that one test enters."""
        seen: set[tuple[str, str]] = set()

        def trace(frame: FrameType, _event: str, _argument: object) -> None:
            code = frame.f_code
            if code.co_filename.startswith(self._rooms):
                seen.add((code.co_filename, code.co_name))

        begin = time.perf_counter()
        sys.settrace(trace)
        yield
        sys.settrace(None)
        self.seconds[item.nodeid] = time.perf_counter() - begin
        for file, name in seen:
            key = f"{Path(file).relative_to(ROOT)}:{name}"
            self.entered.setdefault(key, set()).add(item.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails without any mutant: it would seem to notice all of them."""
        if report.failed:
            self.failed.add(report.nodeid)

    def write(self, path: str) -> None:
        """Write both as JSON."""
        entered = {key: sorted(tests - self.failed) for key, tests in self.entered.items()}
        Path(path).write_text(json.dumps({"seconds": self.seconds, "entered": entered}))


def tests_for(mutant: Mutant, calls: dict[str, Any]) -> list[str]:
    """The fastest tests that enter the function, or any function of the file for a constant."""
    entered, seconds = calls["entered"], calls["seconds"]
    tests = entered.get(f"{mutant.file}:{mutant.function}", ())
    if not mutant.function:
        found = (each for key, each in entered.items() if key.startswith(f"{mutant.file}:"))
        tests = {test for each in found for test in each}
    return sorted(tests, key=lambda test: (seconds[test], test))[:MOST_TESTS]


def outcome(mutant: Mutant, tests: list[str], folder: Path) -> str:
    """Run tests on the mutant in a forked process: "killed", "survived" or "out of time"."""
    path = folder / mutant.file
    content = path.read_bytes()
    path.write_bytes(content[: mutant.begin] + mutant.after.encode() + content[mutant.end :])
    try:
        return run_tests(["-x", *tests], folder)
    finally:
        path.write_bytes(content)


def run_tests(arguments: list[str], folder: Path, *, compiled: bool = False) -> str:
    """Run pytest in a forked process; `compiled` keeps the bytecode for later ones."""
    child = os.fork()
    if child == 0:
        _run_pytest(arguments, folder, compiled)
    return _awaited(child)


def _run_pytest(arguments: list[str], folder: Path, compiled: bool) -> None:
    os.setsid()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = not compiled
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    status = 3
    try:
        status = pytest.main(["-q", "-p", "no:cacheprovider", *arguments])
    finally:
        os._exit(int(status))


def _awaited(child: int) -> str:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "out of time"


def equivalent() -> dict[tuple[str, str, str, str], str]:
    """Mutants that change nothing that can be seen, and why."""
    rows = (line.split("\t") for line in EQUIVALENT.read_text().splitlines()[1:])
    return {(file, function, before, after): why for file, function, before, after, why in rows}


def run(
    calls_path: str, result: str, *, minutes: float, n_mutants: int, only: list[str] | None
) -> None:
    """Draw mutants, of all files or of those named, and run each until the time is over."""
    calls = json.loads(Path(calls_path).read_text())
    files = sorted(path for room in ROOMS for path in room.rglob("*.py"))
    if only:
        files = [path for path in files if any(f"{name}.py" in str(path) for name in only)]
    drawn = [mutant for path in files for mutant in mutants_of(path)]
    random.Random(SEED).shuffle(drawn)
    known, counts = equivalent(), Counter[str]()
    end = time.monotonic() + 60 * minutes
    with tempfile.TemporaryDirectory() as temporary, open(result, "w") as table:
        folder = Path(temporary)
        for name in ("dpviz", "tests", "benchmarks"):
            skipped = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(ROOT / name, folder / name, ignore=skipped)
        shutil.copy(ROOT / "pyproject.toml", folder)
        used = {test.split("::")[0] for mutant in drawn for test in tests_for(mutant, calls)}
        run_tests(["--collect-only", *sorted(used)], folder, compiled=True)
        for mutant in drawn[:n_mutants]:
            if time.monotonic() > end:
                break
            tests = tests_for(mutant, calls)
            said = "equivalent" if mutant.key in known else "not entered"
            if said != "equivalent" and tests:
                said = outcome(mutant, tests, folder)
            counts[said] += 1
            place = f"{mutant.file}\t{mutant.function}\t{mutant.line}"
            change = f"{mutant.before!r}\t{mutant.after!r}"
            table.write(f"{said}\t{place}\t{change}\t{len(tests)}\n")
            table.flush()
    counted = sum(counts.values()) - counts["equivalent"]
    noticed = counts["killed"] + counts["out of time"]
    print(dict(counts), f"{noticed} of {counted} that are not equivalent")


def main() -> None:
    """Do what the command says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("map", "run"))
    parser.add_argument("calls")
    parser.add_argument("result", nargs="?", default=os.devnull)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--tests", nargs="+", default=TESTS, help="that are mapped")
    parser.add_argument("--only", nargs="+", help="ends of the files to change, without .py")
    chosen = parser.parse_args()
    if chosen.step == "map":
        calls = Calls()
        given = ["-q", "-p", "no:cacheprovider", "-m", "not slow", *chosen.tests]
        pytest.main(given, plugins=[calls])
        calls.write(chosen.calls)
        return
    limits = {"minutes": chosen.minutes, "n_mutants": chosen.mutants}
    run(chosen.calls, chosen.result, **limits, only=chosen.only)


if __name__ == "__main__":
    main()
