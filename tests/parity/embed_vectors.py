"""Golden values of what a page finds in scores: ``python -m tests.parity.embed_vectors``."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import AttackScores, audit, read_sample
from dpviz.audit.roc import bands
from tests.parity import one_cut

FILE = Path(__file__).with_name("embed.json")
DELTAS = (0.0, 1e-5, 1e-2)


def samples() -> dict[str, AttackScores]:
    """Return scores of many kinds: smooth, tied, yes or no, few, of unequal classes."""
    rng = np.random.default_rng(47)
    normal, laplace = rng.normal(size=(2, 300)).round(4), rng.laplace(size=(2, 90)).round(4)
    leaking = normal[0, :200] + 6 * (rng.random(200) < 0.05)
    yes = [(rng.random(n) < p).astype(float) for n, p in ((120, 0.8), (240, 0.2))]
    given = {
        "normal": (normal[0] + 1.5, normal[1]),
        "laplace": (laplace[0] + 1, laplace[1]),
        "null": (normal[0, :60], normal[1, :60]),
        "leak": (leaking.round(4), normal[1, :200]),
        "tied": ((normal[0, :80] + 1).round(), normal[1, :130].round()),
        "yes_or_no": (yes[0], yes[1]),
        "few": ([3.0, 2.0, 1.5], [1.0, 0.5, 1.5, -1.0]),
        "perfect": (np.arange(40.0) + 100, np.arange(25.0)),
    }
    made = {
        name: AttackScores(member=a, nonmember=b, kind="score") for name, (a, b) in given.items()
    }
    return {**made, "overfitted": read_sample("overfitted")}


def case(scores: AttackScores) -> dict[str, Any]:
    """Return the scores, and what dpviz and the reference of the bound find in them."""
    sign = -1.0 if scores.kind == "loss" else 1.0
    curve = audit.AttackCurve.from_scores(scores)
    at = [curve.at_fpr(fpr) for fpr in (0.0, 0.01, 0.1, 0.5)]
    boxes = [audit.curve_band(curve).box(each) for each in at]
    stars = [audit.epsilon_star(scores, delta=delta) for delta in DELTAS]
    return {
        "kind": scores.kind,
        "members": (sign * np.asarray(scores.member)).tolist(),
        "nonmembers": (sign * np.asarray(scores.nonmember)).tolist(),
        "at": [[each.fpr, each.fnr] for each in at],
        "limits": [[b.fpr_low, b.fpr_high, b.fnr_low, b.fnr_high] for b in boxes],
        "found": [
            {
                "delta": delta,
                "epsilon_star": None if np.isnan(star.value) else str(star.value),
                "bound": one_cut.bound(
                    np.asarray(scores.member), np.asarray(scores.nonmember), delta
                ),
            }
            for delta, star in zip(DELTAS, stars, strict=True)
        ],
    }


def vectors() -> dict[str, Any]:
    """Return the cases by name."""
    assert bands.is_tabulated(100, confidence_level=0.9875)
    return {name: case(scores) for name, scores in samples().items()}


if __name__ == "__main__":
    FILE.write_text(json.dumps(vectors(), indent=0) + "\n", "utf-8")
