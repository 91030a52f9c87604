"""Write all that a user can see of dpviz into text files, to compare them before and after a move.

python -m benchmarks.dump FOLDER
python -m benchmarks.dump FOLDER names commands   # some parts only: a key of PARTS

`diff -r before after` shows each change. Dates, paths, ids and modules are left out of the files.
Registered sentences, tables and pictures that no file has are named at the end.
"""

import inspect
import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import is_dataclass
from datetime import date
from importlib import import_module
from io import StringIO
from pathlib import Path
from time import process_time
from types import ModuleType
from typing import Any

import ipywidgets
import numpy as np

import dpviz
from dpviz import audit, teach, testing, theory, widgets
from dpviz.analysis import Result
from dpviz.analysis.spec import CONTROLS
from dpviz.analysis.topics.registry import SENTENCES
from dpviz.audit.epsilon_star import ratio_noise
from dpviz.cli import main as command
from dpviz.data import __file__ as data_file
from dpviz.data.samples import FLEETS, SAMPLES
from dpviz.naming import NAMINGS
from dpviz.theory.statements import ways_of_stating

# What moves: all imports of names that are not public.
from dpviz.analysis.facts.questions import QUESTIONS  # isort: skip
from dpviz.analysis.topics.registry import TABLES, text_names  # isort: skip
from dpviz.audit.bounds.registry import BOUNDS  # isort: skip
from dpviz.analysis.topics.registry import SCENES  # isort: skip
from dpviz.reports.formats import COMPARISONS, FORMATS  # isort: skip
from dpviz.widgets.views.registry import VIEWS  # isort: skip

ROOT = Path(dpviz.__file__).parents[1]
SAMPLE_FILES = Path(data_file).parent / "samples"
NOISE = [  # patterns, and what stands for them
    (re.compile(re.escape(str(ROOT))), "ROOT"),
    (re.compile(re.escape(tempfile.gettempdir()) + r"/dump\w+"), "FOLDER"),
    (re.compile(re.escape(date.today().isoformat())), "TODAY"),
    (re.compile(r"(?:\b|(?<=IPY_MODEL_))[0-9a-f]{32}\b|\b0x[0-9a-f]{6,}\b"), "ID"),
    (re.compile(r"\b(dpviz-(?:still|letters|panel)-|still-)[0-9a-f]{8}\b"), r"\1ID"),
]
MODULE = re.compile(r"(?<=from )dpviz[\w.]+(?= import)|\bdpviz\.(?:\w+\.)*(?=\w)")
PUBLIC = ("theory", "audit", "analysis", "data", "claims", "reports", "widgets", "testing", "teach")
COMMANDS = ("", "audit", "compare", "certify", "formats", "register", "facts")
DELTA = 1e-5

TIES = ([0.1, 0.2, 0.2, 0.3, 0.3, 0.9], [0.2, 0.3, 0.8, 0.9, 0.9, 1.0, 1.0])
GROUPS = audit.AttackScores(
    member=[3, 3, 3, 2, 2, 1, 4, 0, 3, 5],
    nonmember=[2, 1, 1, 0, 3, 0, 2, 1],
    member_groups=["a", "b"] * 5,
    nonmember_groups=["a", "a", "b", "b"] * 2,
)
SCORES: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "overfitted": lambda: dpviz.read_sample("overfitted"),
    "gamma": lambda: dpviz.read_sample("gamma"),
    "null": lambda: dpviz.read_sample("null"),
    "ties": lambda: TIES,
    "groups": lambda: GROUPS,
    "binned": lambda: dpviz.BinnedScores.of(rounded(dpviz.read_sample("regularised"))),
    "separated": lambda: (np.linspace(0, 0.4, 60), np.linspace(0.5, 1, 90)),
}
CLAIMS: dict[str, Any] = {
    "approximate": (1.0, DELTA),
    "pure_text": "pure:epsilon=1.0,adjacency=add_remove",
    "gaussian": theory.GaussianDP(mu=1.0),
    "laplace": theory.LaplaceMechanism(epsilon=1.0),
    "subsampled": theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, steps=3),
    "nothing": theory.TotalVariation(delta=1.0),
}
# Choices of the spec other than the default ones, with the sample of each.
OTHERWISE: dict[str, tuple[str, dict[str, Any]]] = {
    "normal": ("overfitted", {"method": "normal", "fpr": 0.3, "fnr": 0.2, "prior": 0.01}),
    "mixture": ("overfitted", {"method": "mixture", "components": 2, "transform": "none"}),
    "clip": ("null", {"clip": 0.01, "delta": 0.01, "confidence_level": 0.9}),
    "mechanism": ("groups", {"sampling": "independent_trainings", "neighbours": "add_remove"}),
    "pinned": ("separated", {"kappa": 0.1, "pinned_point": (0.1, 0.2)}),
    "overlays": ("overfitted", {"overlays": [theory.GaussianDP(mu=1), theory.PureDP(epsilon=2)]}),
    "compare": ("overfitted", {"compare": {"turned": dpviz.read_sample("overfitted").reversed()}}),
    "costs": ("none", {"cost_miss": 3.0, "fpr": 0.2, "overlays": [theory.PureDP(epsilon=2)]}),
    "composed": ("none", {"claim": theory.Composed([theory.PureDP(epsilon=0.5)] * 4)}),
    "randomized": ("none", {"claim": theory.RandomizedResponse(epsilon=2.0, categories=3)}),
    "infinite": ("ties", {"epsilon": float("inf")}),
    "facts": ("overfitted", {"facts": {name: min(q.choices) for name, q in QUESTIONS.items()}}),
    **{
        f"naming_{name}": ("overfitted" if i % 2 else "none", {"naming": name})
        for i, name in enumerate(NAMINGS)
    },
}
SLOW = {"PlanView", "ForRiskView", "DesignsView"}  # computed for few only
COMPUTED_BY = {
    "none-approximate": {"ForRiskView", "DesignsView"},
    "none-laplace": {"ForRiskView"},
    "ties-approximate": {"PlanView"},
}
seen: dict[str, set[str]] = {"sentences": set(), "tables": set(), "pictures": set()}


def rounded(scores: audit.AttackScores) -> audit.AttackScores:
    """The same scores with two decimals."""
    return audit.AttackScores.from_losses(
        member=-np.round(scores.member, 2), nonmember=-np.round(scores.nonmember, 2)
    )


def write(path: Path, text: str) -> None:
    """Write a text without what differs between two runs, each tag of markup on its own line."""
    for pattern, name in NOISE:
        text = pattern.sub(name, text)
    if path.suffix in (".svg", ".html"):
        text = text.replace("><", ">\n<")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.rstrip("\n") + "\n", encoding="utf-8", errors="backslashreplace")


def write_result(folder: Path, result: Result) -> None:
    """Sentences, tables, the answer and every picture that has something to show."""
    write(folder / "sentences.txt", blocks(result.sentences))
    rows = {name: lines([t[0], t[1], *t[2]]) for name, t in result.tables.items()}
    write(folder / "tables.txt", blocks(rows))
    write(folder / "answers.txt", lines([repr(result.answer), *result.answers]))
    shown = [name for name, scene in SCENES.items() if not scene.is_empty(result)]
    for name in shown:
        write(folder / f"{name}.svg", result.svg(name))
    seen["sentences"] |= {name for name, text in result.sentences.items() if text}
    seen["tables"] |= {*result.tables}
    seen["pictures"] |= {*shown}


def write_reports(folder: Path, result: Result) -> None:
    """A report in each format that is text."""
    with tempfile.TemporaryDirectory(prefix="dump") as own:
        for suffix in FORMATS:
            if suffix != ".pdf":
                dpviz.report(result, path := Path(own, f"report{suffix}"))
                write(folder / path.name, path.read_text("utf-8"))


def without_modules(text: str) -> str:
    """Annotations or a docstring without the places from which names are imported."""
    return MODULE.sub("", text)


def blocks(texts: Mapping[str, object]) -> str:
    """Texts below their names."""
    return "\n".join(f"== {name}\n{text}" for name, text in texts.items())


def lines(texts: Any) -> str:
    """One text in each line."""
    return "\n".join(map(str, texts))


def write_explorer(folder: Path, scores: Any, **spec: Any) -> None:
    """All of one explorer: its result with every computed answer, its files, state and code."""
    explorer = dpviz.explore(scores, layout="all", **spec)
    for view in explorer.views:
        name = type(view).__name__
        if isinstance(view, widgets.ExperimentView):
            view.advance(1000)
        elif isinstance(view, widgets.PeopleView):
            view.simulate_audits(10)
        elif hasattr(view, "compute") and (
            name not in SLOW or name in COMPUTED_BY.get(folder.name, ())
        ):
            view.compute()
    explorer.complete_audit()
    result = explorer.result
    write_result(folder, result)
    write_reports(folder, result)
    write(folder / "page.html", explorer.to_html())
    write(folder / "numbers.csv", explorer.csv())
    write_state(folder, explorer)
    write(folder / "widgets.txt", lines(said(explorer)))
    explorer.close()


def said(widget: ipywidgets.Widget, depth: int = 0) -> Iterator[str]:
    """What a widget and its children say: their texts, choices and numbers."""
    children = getattr(widget, "children", ())
    for name in sorted(widget.trait_names(sync=True)):
        value = getattr(widget, name)
        if (
            name[0] != "_"
            and isinstance(value, str | int | float | tuple)
            and value is not children
        ):
            yield f"{' ' * depth}{type(widget).__name__}.{name} = {value!r}"
    for child in children:
        yield from said(child, depth + 1)


def explorers(folder: Path) -> None:
    """Each sample with each claim, then other choices; all views for a row and two columns."""
    for sample, scores in SCORES.items():
        loaded = scores()
        for claim, given in CLAIMS.items():
            is_full = claim == "approximate" or sample in ("none", "overfitted")
            own = folder / f"{sample}-{claim}"
            (write_explorer if is_full else write_analysis)(own, loaded, claim=given)
    for name, (sample, spec) in OTHERWISE.items():
        write_analysis(folder / "otherwise" / name, SCORES[sample](), **spec)


def write_analysis(folder: Path, scores: Any, **spec: Any) -> None:
    """A result without the answers that views compute, and its report."""
    result = dpviz.analyze(scores, **spec)
    write_result(folder, result)
    write_reports(folder, result)
    explorer = dpviz.explore(scores, layout=["region"], **spec)
    write_state(folder, explorer)
    explorer.close()


def write_state(folder: Path, explorer: widgets.Explorer) -> None:
    """What brings an explorer back: state, code, a line to hand in."""
    write(folder / "state.json", json.dumps(explorer.state(), indent=1))
    write(folder / "code.py", f"{explorer.code()}\n# {explorer.answer()}")


def views(folder: Path) -> None:
    """Views that no explorer has: of many models, of retrained ones, of single answers."""
    rng = np.random.default_rng(0)
    many, training = dpviz.read_sample_fleet("landscape"), dpviz.read_sample_fleet("timeline")
    included = np.arange(80).reshape(40, 2) % 4 < 2
    canaries = audit.retraining_scores(rng.normal(0, 1, (40, 2)) + included, included, kind="score")
    stream = audit.Stream(theory.PureDP(epsilon=1))
    for _ in range(5):
        stream.update(member=rng.normal(2, 1, 10), nonmember=rng.normal(0, 1, 10))
    scores = audit.AttackScores(member=range(50, 150), nonmember=range(100))
    bound = audit.smallest("gaussian", scores, parameters=[0.5, 1, 2, 4])
    found = audit.certify(auc="0.60", n_members=500, n_nonmembers=500)
    made = {
        "landscape": widgets.LandscapeView(many),
        "timeline": widgets.TimelineView(training, epsilon=2.0),
        "both_sides": widgets.BothSidesView(many, grid=[0.01, 0.1, 0.5]),
        "retraining": widgets.RetrainingView(scores=canaries, sampling="independent_trainings"),
        "slices": widgets.SlicesView(scores=GROUPS),
        "wealth": widgets.WealthView(stream),
        "family": widgets.FamilyView(scores, bound),
        "certificate": widgets.CertificateView(found),
        "simulation": widgets.SimulationView.of_noise(ratio_noise(n=100, separation=3.0)),
    }
    for name, view in made.items():
        if hasattr(view, "compute"):
            view.compute()
        write(folder / name / "view.svg", view.svg())
        write(folder / name / "widgets.txt", lines(said(view)))
        if isinstance(getattr(view, "result", None), Result):
            write_result(folder / name, view.result)
            write(folder / name / "page.html", view.to_html())
            write(folder / name / "numbers.csv", view.csv())


def numbers(folder: Path) -> None:
    """Lower bounds and Epsilon* of all packaged models, and all methods, with every digit."""
    models = [each for key in FLEETS for each in dpviz.read_sample_fleet(key).models]
    found = {"lower_bound": audit.lower_bound, "epsilon_star": audit.epsilon_star}
    for name, function in found.items():
        written = (f"{each.name}: {function(each.scores, delta=DELTA)!r}" for each in models)
        write(folder / f"{name}.txt", lines(written))
    ties = audit.AttackScores.from_losses(member=TIES[0], nonmember=TIES[1])
    for name, scores in {"overfitted": dpviz.read_sample("overfitted"), "ties": ties}.items():
        bounds = {method: tried(scores, method) for method in BOUNDS}
        write(folder / f"methods-{name}.txt", blocks(bounds))


def tried(scores: audit.AttackScores, method: str) -> str:
    """The bound of a method, or why there is none; a threshold where one has to be given."""
    for more in ({}, {"threshold": 0.0}):
        try:
            return repr(audit.lower_bound(scores, delta=DELTA, method=method, **more))
        except ValueError as error:
            reason = str(error)
    return reason


def names(folder: Path) -> None:
    """Public names with their signatures and their docstrings, and what is registered."""
    for name in ("dpviz", *(f"dpviz.{room}" for room in PUBLIC)):
        module = import_module(name)
        write(folder / f"{name}.txt", lines(signatures(module)))
        write(folder / f"{name}.docs.txt", lines(docstrings(module)))
    registries = {
        "mechanisms": theory.MECHANISMS,
        "bounds": BOUNDS,
        "sentences": SENTENCES,
        "tables": TABLES,
        "pictures": SCENES,
        "views": VIEWS,
        "formats": FORMATS,
        "comparisons": COMPARISONS,
        "questions": QUESTIONS,
        "namings": NAMINGS,
        "controls": CONTROLS,
        "samples": SAMPLES,
        "lessons": teach.LESSONS,
    }
    write(folder / "registries.txt", blocks({k: lines(v) for k, v in registries.items()}))
    titles = {name: [s.title, s.x.label, s.y.label, text_names(s)] for name, s in SCENES.items()}
    write(folder / "pictures.txt", blocks(titles))


def members(thing: Any) -> Iterator[tuple[str, Any]]:
    """Public names of a module, or of a class as far as dpviz defines them."""
    if isinstance(thing, ModuleType):
        own = getattr(thing, "__all__", None) or [
            name
            for name, value in vars(thing).items()
            if name[0] != "_" and getattr(value, "__module__", "") == thing.__name__
        ]
        yield from ((name, getattr(thing, name)) for name in sorted(own))
    elif inspect.isclass(thing):
        kinds = [kind for kind in thing.__mro__ if kind.__module__.startswith("dpviz")]
        found = {name: value for kind in reversed(kinds) for name, value in vars(kind).items()}
        yield from ((name, value) for name, value in sorted(found.items()) if name[0] != "_")


def signatures(thing: Any, within: str = "") -> Iterator[str]:
    """One line for each public name in a module or a class."""
    for own, value in members(thing):
        value = getattr(value, "__func__", value)  # of class and static methods
        kind = type(value).__name__
        if callable(value):
            try:
                kind = f"{kind} {inspect.signature(value)}"
            except ValueError:
                kind += " without a signature"
        elif isinstance(value, Mapping):
            kind += f" of {list(value)}"
        elif isinstance(value, str | int | float | tuple):
            kind += f" {value!r}"
        elif is_dataclass(value):
            kind += " (data)"
        yield f"{within}{own}: {without_modules(kind)}".replace("\n", " ")
        if inspect.isclass(value) or isinstance(value, ModuleType):
            yield from signatures(value, f"{within}{own}.")


def docstrings(thing: Any, within: str = "") -> Iterator[str]:
    """The docstring of each public name that is documented."""
    for own, value in members(thing):
        is_code = callable(value) or isinstance(value, ModuleType | property)
        value = getattr(value, "__func__", value)
        if is_code or hasattr(value, "func"):  # of a cached property
            yield f"== {within}{own}\n{without_modules(inspect.getdoc(value) or '')}"
        if inspect.isclass(value) or isinstance(value, ModuleType):
            yield from docstrings(value, f"{within}{own}.")


def commands(folder: Path) -> None:
    """Help and output of the command, its files, and what it says of bad input."""
    for name in COMMANDS:
        write(folder / f"help-{name or 'dpviz'}.txt", ran([*filter(None, [name]), "--help"]))
    losses, other = (str(SAMPLE_FILES / f"{name}.csv") for name in ("overfitted", "regularised"))
    with tempfile.TemporaryDirectory(prefix="dump") as own:
        first, second, plan = (str(Path(own, name)) for name in ("1.json", "2.json", "plan.json"))
        planned = ["--attack", "loss", "--n", "300", "--n-nonmembers", "1497"]
        calls = {
            "audit": ["audit", losses, "--claim", "1.0,1e-5", "--json", first],
            "audit-full": ["audit", losses, "--claim", "gaussian_dp:mu=1", "--full"],
            "audit-again": ["audit", other, "--prior", "0.01", "--json", second],
            "register": ["register", "--claim", "1,1e-5", *planned, "-o", plan],
            "protocol": ["audit", losses, "--protocol", plan, "--naming", "testing"],
            "attacks": ["audit", losses, "--claim", "1.0,0", "--compare", f"same={losses}"],
            "compare": ["compare", first, second],
            "certify": [
                *("certify", "--auc", "0.60", "--members", "1000", "--nonmembers", "1000"),
            ],
            "formats": ["formats"],
            "facts": ["facts"],
            "no-file": ["audit", "absent.csv"],
            "no-claim": ["audit", losses, "--claim", "pure:mu=1"],
            "no-option": ["audit", losses, "--absent"],
        }
        for name, arguments in calls.items():
            write(folder / f"{name}.txt", ran(arguments))
        compared = dpviz.compare_reports(first, second)
        for suffix in COMPARISONS:
            dpviz.report(compared, path := Path(own, f"compared{suffix}"))
            write(folder / path.name, path.read_text("utf-8"))
        for path in (first, plan):
            write(folder / Path(path).name, Path(path).read_text("utf-8"))


def ran(arguments: list[str]) -> str:
    """What a command says on both streams, and its exit code."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code: Any = command(arguments)
        except SystemExit as stopped:
            code = stopped.code
    return f"{out.getvalue()}== errors\n{err.getvalue()}== exit code {code}"


def rest(folder: Path) -> None:
    """Lessons, claims as they are read, and a test of a mechanism."""
    for number in teach.LESSONS:
        lesson = teach.lesson(number, login="ada")
        asked = {
            name: lines([each, each.kind, *(own.hint for own in each.properties)])
            for name, each in lesson.questions.items()
        }
        parts = {"title": lesson.title, **asked, **lesson.predictions}
        write(folder / f"lesson-{number}.txt", without_modules(blocks(parts)))
    read = {name: dpviz.read_claim(claim) for name, claim in CLAIMS.items()}
    stated = {name: lines(ways_of_stating(c.guarantee)) for name, c in read.items()}
    write(folder / "claims.txt", blocks({name: f"{c}\n{c!r}" for name, c in read.items()}))
    write(folder / "ways_of_stating.txt", without_modules(blocks(stated)))
    write(folder / "deployments.txt", without_modules(lines(dpviz.read_sample_registry())))
    test = testing.check_mechanism(
        lambda data, rng: sum(data) + rng.laplace(0, 0.2),
        [([0.0], [1.0])],
        theory.PureDP(epsilon=1.0),
        rng=1,
    )
    write(folder / "mechanism_test.txt", f"{test}\n{test!r}")


PARTS: dict[str, Callable[[Path], None]] = {
    each.__name__: each for each in (names, commands, rest, numbers, views, explorers)
}


def main(folder: Path, chosen: list[str]) -> None:
    """Write the parts that are asked for, and say how much time of the processor each took."""
    os.environ |= {"SOURCE_DATE_EPOCH": "0", "COLUMNS": "80"}
    warnings.simplefilter("ignore")
    for name in chosen or PARTS:
        start = process_time()
        PARTS[name](folder / name)
        print(f"{name}: {process_time() - start:.0f} s", flush=True)
    if chosen:
        return
    registered = {"sentences": SENTENCES, "tables": TABLES, "pictures": SCENES}
    for kind, entries in registered.items():
        print(f"{kind} that no file has:", *sorted({*entries} - seen[kind]) or ["none"])


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
