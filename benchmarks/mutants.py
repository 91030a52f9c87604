"""Whether tests notice faults: small changes of rooms of `dpviz`, one at a time.

    python -m benchmarks.mutants map CALLS.json --rooms data claims [--tests tests/data]
    python -m benchmarks.mutants run CALLS.json RESULT.tsv --rooms data claims --seed 1
    python -m benchmarks.mutants run CALLS.json RESULT.tsv --only evidence/stream bounds/certify
    python -m benchmarks.mutants run CALLS.json AGAIN.tsv --survivors RESULT.tsv ...

`map` runs the quick tests once, without those of the browser, and notes which test enters which
function. `run` draws mutants with a seed, of each file in proportion to its lines. For each it runs
tests that enter the function of the changed line, `SECONDS` of them, in a process of its own. A
mutant is *killed* if one fails, *out of time* if they take longer than `PATIENCE`. `--survivors`
repeats those of a result that were neither. Equivalent mutants, which change nothing that can be
seen, are listed in `equivalent_mutants.tsv`, each with the reason; the score leaves them out.
"""

import argparse
import ast
import importlib
import itertools
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
EQUIVALENT = Path(__file__).with_name("equivalent_mutants.tsv")
SECONDS = 25  # of tests for one mutant, as the map measured them
PATIENCE = 75
OPTIONS = ["-q", "-p", "no:cacheprovider", "-m", "not slow", "--hypothesis-profile", "quick"]
LOADED = ("numpy", "scipy.stats", "scipy.optimize", "pandas", "ipywidgets", "bqplot")
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
    place: str
    begin: int
    end: int
    before: str
    after: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What stays the same if lines are added above."""
        return self.file, self.function, self.before, self.after

    @property
    def row(self) -> str:
        """Its columns of a result."""
        columns = self.file, self.function, self.place, repr(self.before), repr(self.after)
        return "\t".join(columns)


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
                place=f"{node.lineno}:{node.col_offset}",
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
            is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
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


class Failed:
    """A plugin of pytest that notes which tests fail."""

    def __init__(self) -> None:
        self.failed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that fails, or cannot be prepared."""
        if report.failed:
            self.failed.append(report.nodeid)


class Calls(Failed):
    """A plugin of pytest that notes which test enters which function, and its processor time."""

    def __init__(self, rooms: list[str]) -> None:
        super().__init__()
        self.seconds: dict[str, float] = {}
        self.entered: dict[str, set[str]] = {}
        self._rooms = tuple(str(ROOT / "dpviz" / room) for room in rooms)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: Any) -> Iterator[None]:
        """Note the functions that one test enters."""
        seen: set[CodeType] = set()

        def trace(frame: FrameType, _event: str, _argument: object) -> None:
            seen.add(frame.f_code)

        begin = sum(os.times()[:4])
        threading.settrace(trace)
        sys.settrace(trace)
        yield
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
        self.seconds[item.nodeid] = sum(os.times()[:4]) - begin
        for code in seen:
            if code.co_filename.startswith(self._rooms):
                key = f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_name}"
                self.entered.setdefault(key, set()).add(item.nodeid)

    def write(self, path: str) -> None:
        """Write both as JSON; a test that fails without any mutant would notice all of them."""
        entered = {key: sorted(tests - {*self.failed}) for key, tests in self.entered.items()}
        Path(path).write_text(json.dumps({"seconds": self.seconds, "entered": entered}))


def tests_for(mutant: Mutant, calls: dict[str, Any]) -> list[str]:
    """Tests of `SECONDS` that enter the function: of the mirrored file first, then the fastest.

    Of what an import runs they are those that enter any function of the file, or of its folder.
    """
    entered, seconds = calls["entered"], calls["seconds"]
    tests = set(entered.get(f"{mutant.file}:{mutant.function}", ()))
    for place in (f"{mutant.file}:", f"{Path(mutant.file).parent}/"):
        if not tests:
            tests = {each for key in entered if key.startswith(place) for each in entered[key]}
    mirrored = f"/test_{Path(mutant.file).stem}.py::"
    ordered = sorted(tests, key=lambda test: (mirrored not in test, seconds[test], test))
    totals = itertools.accumulate(seconds[test] for test in ordered)
    chosen = {test for test, total in zip(ordered, totals, strict=True) if total < SECONDS}
    in_order = [test for test in seconds if test in chosen or test in ordered[:1]]
    return sorted(in_order, key=lambda test: mirrored not in test)


def outcome(mutant: Mutant, tests: list[str], folder: Path) -> tuple[str, str]:
    """Run tests on the mutant: "killed", "survived" or "out of time", and the test that failed."""
    path = folder / mutant.file
    content, times = path.read_bytes(), path.stat()
    path.write_bytes(content[: mutant.begin] + mutant.after.encode() + content[mutant.end :])
    try:
        return run_tests(["-x", *tests], folder)
    finally:
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))  # its bytecode stays valid


def run_tests(arguments: list[str], folder: Path) -> tuple[str, str]:
    """Run pytest in a forked process, which has loaded what is no part of dpviz."""
    failed = folder / "failed"
    failed.write_text("")
    child = os.fork()
    if child == 0:
        _run_pytest(arguments, folder, failed)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            said = "killed" if os.waitstatus_to_exitcode(status) else "survived"
            return said, failed.read_text()
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "out of time", ""


def _run_pytest(arguments: list[str], folder: Path, failed: Path) -> None:
    os.setsid()
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    os.environ["PYTHONPATH"] = str(folder)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    status, noted = 3, Failed()
    try:
        status = pytest.main([*OPTIONS, *arguments], plugins=[noted])
        failed.write_text(" ".join(noted.failed))
    finally:
        os._exit(int(status))


def equivalent() -> dict[tuple[str, str, str, str], str]:
    """Mutants that change nothing that can be seen, and why."""
    rows = (line.split("\t") for line in EQUIVALENT.read_text().splitlines()[1:])
    return {(file, function, before, after): why for file, function, before, after, why in rows}


def draw(rooms: list[str], seed: int) -> list[Mutant]:
    """All mutants in random order, in which lines of all files are equally likely at each place."""
    chance, keyed = random.Random(seed), []
    for path in sorted(path for room in rooms for path in (ROOT / "dpviz" / room).rglob("*.py")):
        found = list(mutants_of(path))
        lines = path.read_text().count("\n")
        keyed += [(chance.random() ** (len(found) / lines), mutant) for mutant in found]
    return [mutant for _, mutant in sorted(keyed, key=lambda each: each[0], reverse=True)]


def copied(folder: Path) -> None:
    """Copy what is changed and what tests import, and link to what they read."""
    for path in ROOT.iterdir():
        if path.name in ("dpviz", "tests", "benchmarks"):
            skipped = shutil.ignore_patterns("__pycache__", "node_modules")
            shutil.copytree(path, folder / path.name, ignore=skipped)
        else:
            (folder / path.name).symlink_to(path)


def run(drawn: list[Mutant], calls: dict[str, Any], result: str, *, minutes: float) -> None:
    """Run each mutant until the time is over."""
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in LOADED:
        importlib.import_module(name)
    known, counts = equivalent(), Counter[str]()
    end = time.monotonic() + 60 * minutes
    Path(result).write_text("")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        copied(folder)
        used = {test.split("::")[0] for mutant in drawn for test in tests_for(mutant, calls)}
        assert run_tests(["--collect-only", *sorted(used)], folder)[0] == "survived"  # now compiled
        sys.dont_write_bytecode = True
        for mutant in drawn:
            if time.monotonic() > end:
                break
            tests, failed = tests_for(mutant, calls), ""
            said = "equivalent" if mutant.key in known else "not entered"
            if said == "not entered" and tests:
                said, failed = outcome(mutant, tests, folder)
            counts[said] += 1
            with open(result, "a") as table:  # not open while a test runs, which may change it
                table.write(f"{said}\t{mutant.row}\t{len(tests)}\t{failed}\n")
    counted = sum(counts.values()) - counts["equivalent"]
    noticed = counts["killed"] + counts["out of time"]
    print(dict(counts), f"{noticed} of {counted} that are not equivalent")


def main() -> None:
    """Do what the command says."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=("map", "run"))
    parser.add_argument("calls")
    parser.add_argument("result", nargs="?", default=os.devnull)
    parser.add_argument("--rooms", nargs="+", default=["theory", "audit"])
    parser.add_argument("--seed", type=int, default=20240)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--mutants", type=int, default=300)
    parser.add_argument("--tests", nargs="+", default=["tests"], help="that are mapped")
    parser.add_argument("--only", nargs="+", help="ends of the files to change, without .py")
    parser.add_argument("--survivors", help="a result of which only these are run")
    chosen = parser.parse_args()
    if chosen.step == "map":
        calls = Calls(chosen.rooms)
        pytest.main([*OPTIONS, "--ignore=tests/browser", *chosen.tests], plugins=[calls])
        calls.write(chosen.calls)
        return
    drawn = draw(chosen.rooms, chosen.seed)
    if chosen.only:
        ends = tuple(f"{name}.py" for name in chosen.only)
        drawn = [mutant for mutant in drawn if mutant.file.endswith(ends)]
    drawn = drawn[: chosen.mutants]
    if chosen.survivors:
        rows = (line.split("\t", 1) for line in Path(chosen.survivors).read_text().splitlines())
        left = [row for said, row in rows if said in ("survived", "not entered")]
        drawn = [mutant for mutant in drawn if any(row.startswith(mutant.row) for row in left)]
    run(drawn, json.loads(Path(chosen.calls).read_text()), chosen.result, minutes=chosen.minutes)


if __name__ == "__main__":
    main()
