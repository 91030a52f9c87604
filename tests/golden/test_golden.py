"""Every golden case of a function that exists, through its public name."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpviz import audit, theory
from dpviz.audit import AttackScores

GOLDEN = json.loads((Path(__file__).parent / "golden.json").read_text())["functions"]


def number(text: Any) -> float:
    return float(text) if text is not None else math.nan


def region(case: dict[str, Any]) -> theory.PrivacyRegion:
    return theory.PrivacyRegion(epsilon=number(case["eps"]), delta=case["delta"])


def point(case: dict[str, Any]) -> dict[str, float]:
    return {"fpr": case["fpr"], "fnr": case["fnr"]}


def claim(case: dict[str, Any], suffix: str = "") -> theory.ApproximateDP:
    return theory.ApproximateDP(epsilon=number(case["eps" + suffix]), delta=case["delta" + suffix])


def region_margins(case: dict[str, Any]) -> dict[str, Any]:
    r = region(case)
    return {
        "margins": r.margins(**point(case)),
        "distances": r.distances(**point(case)),
        "inside": r.contains(**point(case)),
    }


def eps_from_point(case: dict[str, Any]) -> dict[str, Any]:
    arguments = point(case) | {"delta": case["delta"]}
    return {
        "e": theory.implied_epsilons(**arguments),
        "eps_min": theory.epsilon_at(**arguments),
    }


def metrics_ed(case: dict[str, Any]) -> dict[str, Any]:
    arguments = {"fpr": case["alpha"], "prior": case["p"]}
    return {
        "ppv": theory.risk.ppv(claim(case), **arguments),
        "adv": theory.risk.advantage(claim(case), fpr=case["alpha"]),
    }


def empirical(case: dict[str, Any]) -> dict[str, Any]:
    scores = AttackScores.from_losses(member=case["train"], nonmember=case["pop"])
    star = audit.epsilon_star(scores, delta=case["delta"], clip=case.get("clip"))
    return {"eps": star.value, "log_m": star.log_ratios}


def normals(case: dict[str, Any]) -> dict[str, Any]:
    star = audit.epsilon_star_of_normals(
        nonmember=(case["mu_pop"], case["sd_pop"]),
        member=(case["mu_train"], case["sd_train"]),
        delta=case["delta"],
        clip=case.get("clip"),
    )
    return {"eps": star.value, "log_m": star.log_ratios}


def group_two(case: dict[str, Any]) -> dict[str, Any]:
    converted = theory.ApproximateDP(
        epsilon=case["eps"], delta=case["delta"], adjacency="add_remove"
    ).to_replace_one()
    return converted.parameters | {"eps": converted.parameters["epsilon"]}


def transform(case: dict[str, Any]) -> dict[str, Any]:
    member, nonmember = audit.transform_losses(member=case["train"], nonmember=case["pop"])
    return {"train": member, "pop": nonmember}


def binary_loss(case: dict[str, Any]) -> dict[str, Any]:
    return {"loss": audit.losses_from_probabilities([case["p"]], [case["y"]])[0]}


def logit_loss(case: dict[str, Any]) -> dict[str, Any]:
    return {"loss": audit.losses_from_logits([case["logits"]], [case["y"]])[0]}


PUBLIC: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "region_vertices": lambda c: {"vertices": region(c).vertices},
    "region_area": lambda c: {"area": region(c).area},
    "region_margins": region_margins,
    "eps_from_point": eps_from_point,
    "delta_from_point": lambda c: {"delta": theory.delta_at(**point(c), epsilon=number(c["eps"]))},
    "f_eps_delta": lambda c: {"f": claim(c).beta(c["alpha"])},
    "ed_delta": lambda c: {"delta": claim(c, "0").delta(c["eps"])},
    "advantage_at": lambda c: {"adv": theory.risk.advantage(claim(c), fpr=c["alpha"])},
    "advantage_sup_ed": lambda c: {"adv": theory.risk.advantage(claim(c))},
    "metrics_ed": metrics_ed,
    "ppv_limit_ed": lambda c: {"ppv": theory.risk.ppv_limit(claim(c), prior=c["p"])},
    "group_two": group_two,
    "empirical_epsstar": empirical,
    "transform_phi": transform,
    "logit_loss_binary": binary_loss,
    "logit_loss_logits": logit_loss,
    "normal_epsstar": normals,
    "normal_epsstar_clip": normals,
}

CASES = [
    pytest.param(name, case, id=f"{name}-{i}")
    for name in PUBLIC
    for i, case in enumerate(GOLDEN[name]["cases"])
]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_golden(name: str, case: dict[str, Any]) -> None:
    got = PUBLIC[name](case["in"])
    tolerance = GOLDEN[name]["tol"]
    for key in got.keys() & case["out"].keys():
        if key == "vertices" and len(got[key]) != len(case["out"][key]):
            pytest.fail(f"vertices: {got[key]}")
        np.testing.assert_allclose(
            np.asarray(got[key], float),
            np.asarray(case["out"][key], float),
            rtol=tolerance["rtol"],
            atol=tolerance["atol"],
            err_msg=f"{name}: {case['in']}",
        )
    assert got.keys() & case["out"].keys()
