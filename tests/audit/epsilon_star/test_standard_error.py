"""The delta method's standard error against the spread of simulated estimates."""

import math
from typing import Any

import numpy as np
import pytest

from dpviz.audit import (
    AttackScores,
    epsilon_star,
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)
from tests.audit.oracles import gaussian_losses

RUNS = 400
SIZES = {"n_members": 1500, "n_nonmembers": 1000}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("member", "nonmember"),
    [
        ((-1.0, 1.3, SIZES["n_members"]), (0.0, 1.0, SIZES["n_nonmembers"])),
        ((2.0, 0.8, SIZES["n_members"]), (0.0, 1.0, SIZES["n_nonmembers"])),
    ],
)
@pytest.mark.parametrize("form", ["none", "paper"])
def test_it_is_the_spread_of_simulated_estimates(
    member: tuple[float, float, int], nonmember: tuple[float, float, int], form: Any
) -> None:
    stars = [
        epsilon_star(
            gaussian_losses(seed, member=member, nonmember=nonmember),
            delta=1e-3,
            method="normal",
            clip=None,
            transform=form,
        )
        for seed in range(RUNS)
    ]
    errors = [star.standard_error for star in stars if star.standard_error is not None]
    assert len(errors) == RUNS
    # The spread of 400 values is known to 3.5 %, and the transform's ends vary with the sample.
    spread = np.std([star.value for star in stars], ddof=1)
    assert np.mean(errors) == pytest.approx(spread, rel=0.15)


@pytest.mark.parametrize("delta", [1e-5, 1e-2])
@pytest.mark.parametrize(("p", "q"), [((0, 1), (-1, 1.3)), ((0, 1), (2, 0.8)), ((0.5, 2), (0, 1))])
def test_it_is_the_delta_method_with_numerical_derivatives(
    p: tuple[float, float], q: tuple[float, float], delta: float
) -> None:
    def value(parameters: np.ndarray) -> float:
        a, b, c, d = parameters.tolist()
        return epsilon_star_of_normals(nonmember=(a, b), member=(c, d), delta=delta).value

    at, step = np.array([*p, *q], float), 1e-5
    slopes = [(value(at + e) - value(at - e)) / (2 * step) for e in step * np.eye(4)]
    n, m = 700, 300
    # Maximum likelihood: the mean has variance sd^2 / n, the standard deviation sd^2 / (2 n).
    variances = [p[1] ** 2 / m, p[1] ** 2 / (2 * m), q[1] ** 2 / n, q[1] ** 2 / (2 * n)]
    expected = math.sqrt(sum(s * s * v for s, v in zip(slopes, variances, strict=True)))
    found = epsilon_star_of_normals(nonmember=p, member=q, delta=delta)
    assert found.standard_error(n_members=n, n_nonmembers=m) == pytest.approx(expected, rel=1e-4)


def test_a_clip_that_does_not_bind_leaves_it_alone() -> None:
    scores = gaussian_losses(0, member=(-1, 1.3, 500), nonmember=(0, 1, 500))
    plain = epsilon_star(scores, delta=0.1, method="normal", clip=None)
    clipped = epsilon_star(scores, delta=0.1, method="normal", clip=1e-6)
    assert plain.standard_error is not None
    assert clipped.standard_error == plain.standard_error


def test_there_is_none_at_the_clip() -> None:
    scores = gaussian_losses(0, member=(-1, 1.3, 500), nonmember=(0, 1, 500))
    bound = epsilon_star(scores, delta=1e-5, method="normal", clip=0.01)
    assert bound.value > 0
    assert bound.value < bound.unclipped.value - 0.1
    assert bound.standard_error is None


def test_there_is_none_where_the_value_is_no_interior_maximum() -> None:
    equal = AttackScores.from_losses(member=[0.0, 1.0, 2.0], nonmember=[0.0, 1.0, 2.0])
    assert epsilon_star(equal, delta=0.01, method="normal").value == 0
    assert epsilon_star(equal, delta=0.01, method="normal").standard_error is None
    leak = gaussian_losses(0, member=(-1, 1, 100), nonmember=(0, 1, 100))
    infinite = epsilon_star(leak, delta=0.0, method="normal", clip=None)
    assert infinite.value == math.inf
    assert infinite.standard_error is None
    apart = gaussian_losses(0, member=(-50, 1, 100), nonmember=(0, 1, 100))
    assert epsilon_star(apart, delta=0.01, method="normal").standard_error is None
    assert epsilon_star(leak, delta=0.01).standard_error is None


def test_there_is_none_for_other_laws() -> None:
    from scipy.stats import norm

    parts = ((0.5, 0.5), (-2, -1), (1, 1))
    mixed = epsilon_star_of_mixtures(nonmember=((1.0,), (0,), (1,)), member=parts, delta=0.01)
    frozen = epsilon_star_of(nonmember=norm(), member=norm(-1, 1), delta=0.01)
    for found in (mixed, frozen):
        assert found.value > 0
        assert found.standard_error(n_members=100, n_nonmembers=100) is None
    leak = gaussian_losses(0, member=(-1, 1, 300), nonmember=(0, 1, 300))
    star = epsilon_star(leak, delta=0.01, method="mixture", components=2)
    assert star.value > 0
    assert star.standard_error is None


@pytest.mark.parametrize("name", ["n_members", "n_nonmembers"])
def test_illegal_sizes_are_named(name: str) -> None:
    found = epsilon_star_of_normals(nonmember=(0, 1), member=(-1, 1), delta=0.01)
    with pytest.raises(ValueError, match=f"{name} must be a whole number"):
        found.standard_error(**{**SIZES, name: 0})
