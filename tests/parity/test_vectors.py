"""dpviz.theory, and how numbers read, against the cases that the browser's side has to meet too."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import erf, log_ndtr, ndtr, ndtri, ndtri_exp

from dpviz import number_format, theory
from dpviz.number_format import tidy_rate
from dpviz.theory import risk

TEXT = (Path(__file__).parent / "vectors.json").read_text()
RELATIVE = 1e-12
MISSED = 1e-4
"""How far a drawn line may be from a point of the curve."""


def revived(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: revived(part) for key, part in value.items()}
    if isinstance(value, list):
        return [revived(part) for part in value]
    return float(value[1:]) if isinstance(value, str) and value.startswith("#") else value


VECTORS = revived(json.loads(TEXT))


def claim_of(case: dict[str, Any], adjacency: Any = "replace_one") -> theory.TradeoffFunction:
    kinds: dict[str, Any] = {
        "approximate": theory.ApproximateDP,
        "gaussian": theory.GaussianDP,
        "laplace": theory.LaplaceMechanism,
    }
    parameters = {name: value for name, value in case.items() if name != "kind"}
    made: theory.TradeoffFunction = kinds[case["kind"]](**parameters, adjacency=adjacency)
    return made


def replaced(case: dict[str, Any]) -> dict[str, Any]:
    return {"kind": case["kind"], **claim_of(case, "add_remove").to_replace_one().parameters}


def region_corners(case: dict[str, Any]) -> Any:
    return theory.PrivacyRegion(epsilon=case["epsilon"], delta=case["delta"]).vertices.tolist()


def read(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cdf": ndtr,
    "logCdf": log_ndtr,
    "erf": erf,
    "quantile": ndtri,
    "quantileOfLog": ndtri_exp,
    "fnr": lambda c, x: claim_of(c).beta(x),
    "tpr": lambda c, x: claim_of(c).tpr(x),
    "advantage": lambda c, x: risk.advantage(claim_of(c), fpr=x),
    "ppv": lambda c, x, p: risk.ppv(claim_of(c), fpr=x, prior=p),
    "npv": lambda c, x, p: risk.npv(claim_of(c), fpr=x, prior=p),
    "deltaAt": lambda c, e: claim_of(c).delta(e),
    "epsilonAt": lambda c, d: claim_of(c).epsilon(d),
    "impliedEpsilons": lambda a, b, d: theory.implied_epsilons(fpr=a, fnr=b, delta=d).tolist(),
    "deltaAtPoint": lambda a, b, e: theory.delta_at(fpr=a, fnr=b, epsilon=e),
    "admits": lambda c, a, b: claim_of(c).admits(fpr=a, fnr=b),
    "replaceOne": replaced,
    "region": region_corners,
    "short": number_format.short,
    "exact": number_format.exact,
    "percent": number_format.percent,
    "upper": number_format.upper,
    "lower": number_format.lower,
    "shortAbove": number_format.short_above,
    "tidyRate": tidy_rate,
    "numberOf": read,
}


def differs(got: Any, want: Any, atol: float = 0.0) -> bool:
    if isinstance(want, list):
        pairs = zip(got, want, strict=True)
        return len(got) != len(want) or any(differs(g, w, atol) for g, w in pairs)
    if isinstance(want, dict):
        return got.keys() != want.keys() or any(differs(got[k], want[k]) for k in want)
    if want is None or isinstance(want, str | bool):
        return bool(got != want)
    if math.isnan(want) or math.isinf(want):
        return not np.array_equal(got, want, equal_nan=True)
    allowed = max(atol, 1e-15 if want == 0 else RELATIVE * abs(want))
    return not abs(got - want) <= allowed


@pytest.mark.parametrize("name", FUNCTIONS)
def test_vectors(name: str) -> None:
    wrong = []
    for case in VECTORS[name]:
        got = FUNCTIONS[name](*case["args"])
        if differs(got, case["value"], case.get("atol", 0.0)):
            wrong.append((case["args"], got, case["value"]))
    assert wrong == []


def distance(point: np.ndarray[Any, Any], line: np.ndarray[Any, Any]) -> float:
    """Distance of a point to the nearest edge of a line."""
    start, edge = line[:-1], np.diff(line, axis=0)
    squared = (edge**2).sum(axis=1)
    start, edge, squared = start[squared > 0], edge[squared > 0], squared[squared > 0]
    along = ((point - start) * edge).sum(axis=1) / squared
    nearest = start + np.clip(along, 0, 1)[:, None] * edge
    return float(np.hypot(*(point - nearest).T).min())


@pytest.mark.parametrize(
    "case", VECTORS["curve"], ids=lambda case: re.sub(r"\W+", " ", str(case["args"]))
)
def test_what_is_drawn_misses_no_point(case: dict[str, Any]) -> None:
    drawn = claim_of(case["args"][0]).draw()
    if case["args"][0]["kind"] == "approximate":
        assert not differs(drawn.tolist(), case["value"])
    assert max(distance(np.array(point), drawn) for point in case["value"]) < MISSED


def test_every_function_of_the_file_is_tested() -> None:
    assert VECTORS.keys() == {"header", "curve", *FUNCTIONS}
