"""Where a fit's maximum lies beside the data, recomputed from the losses by hand."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

import dpviz
from dpviz.audit import AttackScores, EpsilonStar, epsilon_star
from tests.audit.oracles import gaussian_losses


def transformed(losses: np.ndarray, ends: tuple[float, float]) -> np.ndarray:
    """log(p / (1 - p)) of p = exp(-(1 + u)), turned so that low is member-like."""
    u = (losses - ends[0]) / (ends[1] - ends[0])
    p = np.exp(-(1 + u))
    return np.asarray(np.log((1 - p) / p))


def by_hand(scores: AttackScores, star: EpsilonStar, form: str) -> dict[str, Any]:
    members, nonmembers = -scores.member, -scores.nonmember
    pooled = np.concatenate([members, nonmembers])
    ends = float(pooled.min()), float(pooled.max())
    tau = star.suprema.maxima[star.suprema.active].threshold
    x, *classes = (
        transformed(np.atleast_1d(v), ends) if form == "paper" else np.atleast_1d(v)
        for v in (np.array(tau), members, nonmembers)
    )
    z = [(float(x[0]) - c.mean()) / c.std() for c in classes]
    return {
        "z_member": z[0],
        "z_nonmember": z[1],
        "records": min(
            c.size * min(norm.cdf(d), norm.sf(d)) for c, d in zip(classes, z, strict=True)
        ),
        "is_outside": not ends[0] <= tau <= ends[1],
    }


def check(scores: AttackScores, form: Any, **arguments: Any) -> EpsilonStar:
    star = epsilon_star(scores, method="normal", transform=form, **arguments)
    assert star.extrapolation is not None
    expected = by_hand(scores, star, form)
    for name in ("z_member", "z_nonmember", "records"):
        assert getattr(star.extrapolation, name) == pytest.approx(expected[name], rel=1e-6)
    assert star.extrapolation.is_outside == expected["is_outside"]
    beyond = expected["records"] < 1 or expected["is_outside"]
    assert star.extrapolation.is_beyond_data == star.beyond_data == beyond
    return star


LEAKS: list[tuple[tuple[float, float, int], tuple[float, float, int]]] = [
    ((-1, 1, 3000), (0, 1.2, 2000)),
    ((1, 1, 500), (0, 1, 900)),
    ((0, 1.5, 400), (0, 1, 4000)),
    ((0, 0.5, 4000), (0, 1, 400)),
]


@pytest.mark.parametrize(("member", "nonmember"), LEAKS)
@pytest.mark.parametrize("form", ["paper", "none"])
@pytest.mark.parametrize("clip", [None, 0.01, "paper"])
def test_numbers_are_those_made_by_hand(
    member: tuple[float, float, int], nonmember: tuple[float, float, int], form: str, clip: Any
) -> None:
    star = check(
        gaussian_losses(2, member=member, nonmember=nonmember), form, delta=1e-3, clip=clip
    )
    if clip == 0.01:
        assert not star.beyond_data


def test_the_gamma_sample_is_judged_far_outside_its_data() -> None:
    scores = dpviz.read_sample("gamma")
    star = check(scores, "paper", delta=1e-5, clip=None)
    assert star.beyond_data
    assert star.extrapolation is not None
    # Simulated beforehand: the maximum lies 5.5 to 8.3 standard deviations of the members out.
    assert 5 < abs(star.extrapolation.z_member) < 9
    assert star.extrapolation.records < 0.1
    clipped = check(scores, "paper", delta=1e-5, clip=0.01)
    assert not clipped.beyond_data
    assert clipped.extrapolation is not None
    # A rate of at least 0.01 of 5000 records in the thinnest tail, by the fit.
    assert clipped.extrapolation.records >= 50 * (1 - 1e-9)


def test_scores_are_judged_as_the_losses_they_are() -> None:
    scores = gaussian_losses(2, member=(-1, 1, 500), nonmember=(0, 1.2, 500))
    same = AttackScores(member=scores.member, nonmember=scores.nonmember)
    first, second = (epsilon_star(s, delta=1e-3, method="normal") for s in (scores, same))
    assert first.extrapolation == second.extrapolation
    places = [s.suprema.maxima[s.suprema.active].threshold for s in (first, second)]
    assert places[0] == -places[1]


def test_nothing_is_extrapolated_where_nothing_is_fitted_or_found() -> None:
    leak = gaussian_losses(2, member=(-1, 1, 50), nonmember=(0, 1, 50))
    assert epsilon_star(leak, delta=0.01).extrapolation is None
    apart = gaussian_losses(2, member=(-50, 1, 50), nonmember=(0, 1, 50))
    separated = epsilon_star(apart, delta=0.01, method="normal")
    assert math.isnan(separated.value)
    assert separated.extrapolation is None
    equal = AttackScores.from_losses(member=[0.0, 1.0, 2.0], nonmember=[0.0, 1.0, 2.0])
    assert epsilon_star(equal, delta=0.01, method="normal").extrapolation is None
