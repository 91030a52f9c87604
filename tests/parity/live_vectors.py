"""Write live.json: what Python's widgets say, for the browser's half of a store to say too.

``python -m tests.parity.live_vectors``; the same file each time. Unlike vectors.json it is no
truth: it comes from dpviz itself, and says only that both sides agree.
"""

import json
import math
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from dpviz import AttackScores, analyze
from dpviz.analysis import Analysis, Result, Spec
from dpviz.analysis.claims.menu import ENTRIES, fields_with_parameters
from dpviz.analysis.spec import CONTROLS, Control
from dpviz.analysis.state.browser_state import SENTENCES, closed_form_state, json_number
from dpviz.analysis.topics.density_ratio import RATIO, DensityRatio, ratio_part
from dpviz.analysis.topics.region import REGION, RegionPoint
from dpviz.analysis.words import WORDS, typed_value_error_text
from dpviz.drawing.axes import Axis, AxisSpec
from dpviz.drawing.labels import PathLabel, label_places
from dpviz.theory import (
    MECHANISMS,
    ApproximateDP,
    GaussianDP,
    PureDP,
    RenyiDP,
    Stated,
    TradeoffFunction,
    ZeroConcentratedDP,
)
from dpviz.theory.outputs import DiscreteOutputs
from dpviz.widgets.controls.fields import NumberControl
from dpviz.widgets.plot_frame import PlotAxis, PlotFrame
from dpviz.widgets.state.live import LiveUpdater

FILE = Path(__file__).parent / "live.json"
HEADER = (
    "Made by dpviz itself (tests/parity/live_vectors.py): what its widgets say in Python. "
    "Parity between both sides, not truth; that is in vectors.json."
)
SIZES = [0.0, 1e-9, 0.1, 1.0, 2.345678, 12.0, 800.0, math.inf]
DELTAS = [0.0, 1e-12, 1e-5, 0.1, 0.5, 1.0]
RATES = [0.0, 1e-12, 1e-5, 0.01, 0.25, 0.9995, 1 - 1e-9, 1.0]
PRIORS = [1e-300, 1e-9, 0.01, 0.5, 0.99, 1 - 1e-12]
KAPPAS = [1e-3, 0.1, 0.25, 0.37, 0.5, 0.8]  # 1/k, and between them
COSTS = [1e-3, 0.5, 1.0, 10.0, 1e6]
PARAMETERS = {
    "pure": {"epsilon": SIZES},
    "approximate": {"epsilon": SIZES, "delta": DELTAS},
    "total_variation": {"delta": DELTAS},
    "gaussian_dp": {"mu": SIZES},
    "gaussian": {"noise_multiplier": SIZES[1:]},
    "laplace": {"epsilon": SIZES},
}
MOVED = ("prior", "fpr", "fnr", "kappa", "cost_false_alarm", "cost_miss")
RARE_TEXTS = (
    *("guessing", "allowed", "people", "population", "population_counts"),
    *("guess_lead", "guess", "costs_lead", "costs", "tail_lead"),
    *("ratio_lead", "answer", "at_one_percent"),
    *("region_title", "region_subtitle", "tradeoff_title", "risk_title", "risk_subtitle"),
)
TEXTS = [
    *(
        "1e400",
        "-1e999 %",
        "2%",
        "",
        " ",
        "x",
        "1,5",
        "<b>x</b>",
        "é ✚",
        "1e",
        "--1",
        "0x1",
        "1 x",
        *("5 %", "5%", "2.72 %", "1e-3 %", "1E2%", "150 %", "-1 %", "%", "inf %", "1_0 %"),
        *("∞", "-∞", "1,5 %", "0,05", "1,2,3", ",5"),
    ),
    *("nan", "-inf", "inf", "-1", "-0", "0", "1", "2", "1e-5", " .5 ", "1_0", "1e400", "1e-400"),
]


def of_any_size(rng: Random, extremes: list[float]) -> float:
    usual = [value for value in extremes if 1e-9 < value < min(1, max(extremes)) or value == 1]
    between = rng.uniform(min(usual), max(usual))
    return rng.choice([rng.choice(extremes), float(f"{between:.3g}"), between])


def random_claim(rng: Random, key: str) -> TradeoffFunction:
    given: dict[str, Any] = {n: of_any_size(rng, v) for n, v in PARAMETERS[key].items()}
    return MECHANISMS[key](**given, adjacency=rng.choice(["replace_one", "add_remove"]))


def random_spec(rng: Random, key: str) -> Spec:
    spec = Spec(
        claim=random_claim(rng, key),
        delta=of_any_size(rng, DELTAS),
        prior=of_any_size(rng, PRIORS),
        fpr=of_any_size(rng, RATES),
        fnr=rng.choice([None, None, of_any_size(rng, RATES)]),
        kappa=rng.choice(KAPPAS),
        cost_false_alarm=rng.choice(COSTS),
        cost_miss=rng.choice(COSTS),
    )
    if spec.epsilon < 1e-6 and spec.fnr is None and not 0.01 <= spec.fpr <= 0.99:
        return spec.changed(fpr=0.01)  # else the epsilons of the point are rounding alone
    return spec


def said(result: Result, *, with_all: bool) -> dict[str, Any]:
    ratio = ratio_part(result.claim.claim, result.claim.epsilon)
    result = result.with_answer("ratio", ratio)
    texts = {name: result.sentences[name] for name in SENTENCES}
    if not with_all:  # the file stays small
        texts = {name: text for name, text in texts.items() if name not in RARE_TEXTS}
    # The longest part of three of them, which a file of texts need not say three times.
    conversion = texts["risk"].partition("replace-one. ")[0] + "replace-one. "
    conversion = conversion if result.claim.converted else ""
    short = {name: text.removeprefix(conversion) for name, text in texts.items()}
    assert len(short["risk"]) == len(texts["risk"]) - len(conversion)
    return {**point_drawn(result), "conversion": conversion, **short}


def point_drawn(result: Result) -> dict[str, str]:
    frame, layer = PlotFrame(REGION), RegionPoint()
    layer.add_to_frame(frame, lambda **_: None)
    layer.draw(result)
    mark = layer.marks_by_name()["handle"].mark
    look = "filled" if mark.fill else "hollow"
    return {"label": "".join(mark.names), "marker": mark.marker, "look": look}


def told() -> Iterator[dict[str, Any]]:
    """A state of the kernel, and what is said of it."""
    rng = Random(9)
    losses = np.random.default_rng(9)
    sample = AttackScores.from_losses(
        member=losses.normal(0, 1, 60), nonmember=losses.normal(1, 1, 80)
    )
    for i in range(156):
        spec = random_spec(rng, list(PARAMETERS)[i % 6]).changed(tested=i % 10 > 0)
        result = Analysis(sample if i % 5 == 0 else None).result(spec)
        yield {"state": closed_form_state(result), "want": said(result, with_all=i % 15 == 0)}


def moved() -> Iterator[dict[str, Any]]:
    """A state, what a hand changed since, and what is said when the kernel has followed."""
    rng = Random(10)
    for i in range(48):
        key = list(PARAMETERS)[i % 6]
        before, after = random_spec(rng, key), random_spec(rng, key)
        claim = after.claim.with_parameters(adjacency=before.claim.adjacency)
        if i % 6 < 2:  # just outside: what it needs has as many digits as show that
            after = after.changed(fpr=0.1, fnr=claim.beta(0.1) * (1 - 10.0 ** -(2 + i % 5)))
        after = Spec(**{**vars_of(after), "claim": claim})
        changes: dict[str, Any] = {f"claim.{n}": v for n, v in claim.parameters.items()}
        if i % 2:  # the controls of epsilon and delta edit the claim, too
            changes = {
                n.removeprefix("claim.") if n[6:] in CONTROLS else n: v for n, v in changes.items()
            }
        if "delta" not in claim.parameters:
            changes["delta"] = after.delta
        changes |= {name: getattr(after, name) for name in MOVED}
        yield {
            "state": closed_form_state(Analysis().result(before)),
            "changes": {name: json_number(value) for name, value in changes.items()},
            "want": said(Analysis().result(after), with_all=i % 4 == 0),
        }


def stated() -> Iterator[dict[str, Any]]:
    """Claims that are sent as their statements."""
    rng = Random(13)
    claims: list[TradeoffFunction] = [
        Stated([(1.0, 1e-5), (0.5, 0.01)]),
        Stated([(2.0, 0.0), (1.0, 1e-3), (0.1, 0.2)]),
        Stated([(0.0, 0.1), (3.0, 1e-6)]),
        Stated([(math.inf, 0.0)]),
        Stated([(0.0, 0.0)]),
        RenyiDP(orders=[2.0, 8.0], epsilons=[0.0, 0.0]),
        ZeroConcentratedDP(rho=0.0, adjacency="add_remove"),
    ]
    for claim in claims:
        result = Analysis().result(random_spec(rng, "pure").changed(claim=claim))
        yield {"state": closed_form_state(result), "want": said(result, with_all=True)}


def audited() -> Iterator[dict[str, Any]]:
    """An audit of one claim, other epsilons, and what the audit of those claims says."""
    losses = np.random.default_rng(14)
    member, few = losses.normal(0, 1, 60), losses.normal(2.5, 1, 12)
    samples = [
        AttackScores.from_losses(member=member, nonmember=losses.normal(2.5, 1, 80)),
        AttackScores.from_losses(member=losses.normal(2.5, 1, 10), nonmember=few),
    ]
    claims = [
        ApproximateDP(epsilon=1.0, delta=1e-3),
        PureDP(epsilon=2.0, adjacency="add_remove"),
        GaussianDP(mu=1.0),
    ]
    for sample, claim, whose in product(samples, claims, (None, "independent_trainings")):
        given: dict[str, Any] = {"sampling": whose, "delta": 1e-3, "fpr": 0.3}
        before = analyze(sample, claim=claim, **given)
        name = next(iter(claim.parameters))
        cases: list[dict[str, Any]] = [{"changes": {}, "want": answered(before)}]
        for value in (0.0, 0.25, 0.8, 1.7, 3.0, 12.0, math.inf):
            after = analyze(sample, claim=claim.with_parameters(**{name: value}), **given)
            want = answered(after)
            # Where that is clearest the kernel says later.
            clause = WORDS["at_one_percent.clearest"].partition("{")[0]
            want["at_one_percent"] = f"{want['at_one_percent'].partition(clause)[0].rstrip('.')}."
            deltas = {each.claim.claim.parameters.get("delta") for each in (before, after)}
            is_known = isinstance(claim, ApproximateDP) and len(deltas) == 1
            if not is_known and after.is_claimed:  # another delta, or no bound at any
                untested = answered(Analysis(sample).result(after.spec))
                want = {**untested, "at_one_percent": want["at_one_percent"]}
            cases.append({"changes": {f"claim.{name}": json_number(value)}, "want": want})
        yield {"state": {**closed_form_state(before), "tails": {}}, "cases": cases}


def answered(result: Result) -> dict[str, str]:
    names = ("answer", "at_one_percent", "region_title", "tradeoff_title", "risk_title")
    return {**point_drawn(result), **{name: result.sentences[name] for name in names}}


def vars_of(spec: Spec) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in ("claim", "delta", *MOVED)}


def controls() -> Iterator[dict[str, Any]]:
    """Every slider: its description, steps of values, texts of its box."""
    for name, control in CONTROLS.items():
        yield moves(name, control, Spec())
    for key, entry in ENTRIES.items():
        for name, control in entry.parameters.items():
            if isinstance(control, Control) and key in PARAMETERS:
                given = dict.fromkeys(PARAMETERS[key], 1.0)
                claim: Any = MECHANISMS[key](**given)
                yield moves(f"claim.{name}", control, Spec(claim=claim))


def moves(field: str, control: Control, spec: Spec) -> dict[str, Any]:
    asked: dict[str, Any] = {}
    name = field.removeprefix("claim.")
    moved = NumberControl(name, control, asked.update)
    live = LiveUpdater(Analysis().result(spec))
    moved.let_browser_move(live, owner=None, field=field)
    described = {n: v for n, v in live.controls[0].items() if not str(v).startswith("IPY_MODEL_")}
    values = described["values"]
    rng = Random(11)
    some = [of_any_size(rng, [0.0, 1e-13, 1e-5, 0.3, 1.0]) for _ in range(30)] + values[::7]
    if control.most > 1:
        some += [3.14159, 9.999, 10.0, 25.0, 1e6, math.inf]
    legal = [v for v in some if v > control.least or (v == control.least == 0 and field != "prior")]
    if control.closed == "neither":
        legal = [v for v in legal if v < control.most]
    steps = []
    for value in legal:
        moved.show_value(value)
        steps.append([json_number(value), moved.slider.value])
    typed = [[text, answer(moved, text, asked, spec)] for text in TEXTS]
    return {"control": described, "steps": steps, "typed": typed}


def answer(moved: NumberControl, text: str, asked: dict[str, Any], spec: Spec) -> Any:
    """The number that a typed text asks for, or why it is refused."""
    moved.box.value = "something else"
    moved.box.value = text
    name = moved.name
    change = partial(fields_with_parameters, spec) if name not in CONTROLS else spec.changed
    try:
        change(**{name: asked[name]})
    except ValueError as error:
        return typed_value_error_text(error)
    return {"value": "#-0" if str(asked[name]) == "-0.0" else json_number(asked[name])}


def ticks() -> Iterator[dict[str, Any]]:
    for is_rate, end in product(
        (False, True), (0.005, 0.01, 0.02, 0.05, 0.5, 1.08, 5.0, 6.7, 250.0)
    ):
        at, drawn = Axis(AxisSpec(label="", is_rate=is_rate)), PlotAxis(is_log=False, side="left")
        at.set_range(0.0, end)
        drawn.update_from(at)
        shown = sorted(drawn.axis.tick_labels.items(), key=lambda tick: float(tick[0]))
        want = [[v, t] for v, t in shown]
        yield {"scale": "linear", "low": 0.0, "high": end, "rate": is_rate, "ticks": want}
    for low, is_rate in product(range(-15, 0), (False, True)):
        for high in (1.0, 0.5):
            at, drawn = (
                Axis(AxisSpec(label="", low=1e-3, scale="log", is_rate=is_rate)),
                PlotAxis(is_log=True, side="bottom"),
            )
            for first in (10.0**low, 3 * 10.0**low):
                if first < high:
                    at.set_range(first, high)
                    drawn.update_from(at)
                    shown = [[v, t] for v, t in drawn.axis.tick_labels.items()]
                    want = sorted(shown, key=lambda tick: float(tick[0]))
                    log = {"scale": "log", "low": first, "high": high, "rate": is_rate}
                    yield {**log, "ticks": want}


def ratios() -> Iterator[dict[str, Any]]:
    """The log ratio of both output densities: axes, and its height at places of the output."""
    rng = Random(12)
    for i in range(24):
        result = Analysis().result(random_spec(rng, list(PARAMETERS)[i % 6]))
        part = ratio_part(result.claim.claim, result.claim.epsilon)
        frame, layer = PlotFrame(RATIO), DensityRatio()
        layer.add_to_frame(frame, lambda **_: None)
        layer.draw(result.with_answer("ratio", part))
        marks = {role: mark.mark for role, mark in layer.marks_by_name().items()}
        drawn, names = (
            marks["ratio"],
            part.laws.labels if isinstance(part.laws, DiscreteOutputs) else [],
        )
        x, y = (np.array(values, float) for values in (drawn.x, drawn.y))
        at = np.linspace(frame.x.low, frame.x.high, 6)[1:-1]  # beside the steps of bars
        state = closed_form_state(result)
        yield {
            "state": {name: state[name] for name in ("claim", "delta", "epsilon")},
            "x": [frame.x.low, frame.x.high, frame.x.label, list(names)],
            "high": frame.y.high,
            "band": float(np.max(marks["band"].y, initial=0.0)) if marks["band"].visible else 0.0,
            "at": np.column_stack([at, np.interp(at, x, y)]).round(9).tolist(),
        }


TEXTS = ["members", "limit of the claim", "95 % band ≥ 2", "名前 of it", "one endless-word", "m1"]


def labels() -> Iterator[dict[str, Any]]:
    """Labels of random lines, areas and points, and where Python puts them."""
    rng = np.random.default_rng(7)
    for case in range(60):
        width, height = float(rng.integers(80, 700)), float(rng.integers(60, 500))
        size = float(rng.choice([11, 12, 24]))
        asked = []
        for kind in rng.choice(["line", "area", "points"], size=1 + case % 6):
            corners = rng.uniform(-0.1, 1.1, (int(rng.integers(1, 9)), 2)) * [width, height]
            asked.append(PathLabel(text=str(rng.choice(TEXTS)), path=corners.round(3), kind=kind))
        others = [(rng.uniform(0, 1, (4, 2)) * [width, height]).round(3)]
        places = label_places(asked, others, width, height, size)
        yield {
            "labels": [
                {"text": label.text, "path": label.path.tolist(), "kind": str(label.kind)}
                for label in asked
            ],
            "others": [path.tolist() for path in others],
            "frame": [width, height, size],
            "places": [
                None
                if found is None
                else {
                    "box": np.round(found.box, 6).tolist(),
                    "lines": list(found.lines),
                    "leader": None if found.leader is None else np.round(found.leader, 6).tolist(),
                }
                for found in places
            ],
        }


PARTS = {
    "told": told,
    "stated": stated,
    "moved": moved,
    "audited": audited,
    "controls": controls,
    "ticks": ticks,
    "labels": labels,
    "ratios": ratios,
}


def written_part(name: str) -> list[str]:
    """The rows of a part, as lines of the file."""
    return [
        json.dumps(row, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
        for row in PARTS[name]()
    ]


def written_head() -> list[str]:
    """What stands before the parts."""
    return [f'"header": {json.dumps(HEADER)}', f'"words": {json.dumps(WORDS, ensure_ascii=False)}']


def written() -> str:
    lines = written_head()
    lines += [f'"{name}": [\n' + ",\n".join(written_part(name)) + "\n]" for name in PARTS]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    FILE.write_text(written())
