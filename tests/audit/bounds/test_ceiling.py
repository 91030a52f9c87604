"""The most that numbers of records can certify: known values, and no data set beyond."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS
from dpviz.audit.bounds.ceiling import SPREADS, ceiling

SIMULATED = ("rank",)
EXACT = tuple(name for name in BOUNDS if name not in SIMULATED)


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    ("n", "expected"), [(100, 3.28), (500, 4.91), (1000, 5.60), (5000, 7.21), (50_000, 9.51)]
)
def test_one_threshold_without_an_error_certifies_the_known_epsilon(
    n: int, expected: float, delta: float
) -> None:
    found = ceiling(n_members=n, n_nonmembers=n, delta=delta, method="clopper_pearson")
    # Limits of both rates without an error: the 40th root of the level, so to say.
    limit = 1 - 0.025 ** (1 / n)
    assert found == pytest.approx(math.log((1 - limit - delta) / limit), rel=1e-12)
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("method", [m for m in BOUNDS if m not in ("e_process", "split")])
@pytest.mark.parametrize(("n", "m"), [(300, 300), (40, 55)])
def test_it_is_the_bound_of_separated_scores(method: str, n: int, m: int) -> None:
    rng = np.random.default_rng(0)
    apart = AttackScores(member=1 + rng.random(n), nonmember=-rng.random(m))
    bound = lower_bound(apart, delta=1e-5, method=method, threshold=0.5, seed=3)
    found = ceiling(n_members=n, n_nonmembers=m, delta=1e-5, method=method, seed=3)
    spread = bound.seed_spread or 0.0
    assert (spread > 0) == (method in SIMULATED)
    assert found == pytest.approx(bound.low + SPREADS * spread, rel=1e-12)


@pytest.mark.parametrize("method", ["e_process", "split"])
def test_methods_that_learn_a_threshold_come_near_it(method: str) -> None:
    rng = np.random.default_rng(0)
    apart = AttackScores(member=1 + rng.random(2000), nonmember=-rng.random(2000))
    low = lower_bound(apart, delta=0.0, method=method).low
    found = ceiling(n_members=2000, n_nonmembers=2000, delta=0.0, method=method)
    assert found - 0.3 <= low <= found


@pytest.mark.slow
@pytest.mark.parametrize("method", list(BOUNDS))
def test_it_grows_with_the_number_of_records(method: str) -> None:
    delta = 0.0 if "one_run" in method else 1e-4  # whose penalty grows with the canaries
    found = [
        ceiling(n_members=n, n_nonmembers=n, delta=delta, method=method)
        for n in (10, 40, 160, 640, 2560)
    ]
    assert np.all(np.diff(found) >= 0)
    assert found[-1] > found[0]


samples = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=30)


@pytest.mark.slow
@pytest.mark.parametrize("method", EXACT)
@settings(max_examples=30)
@given(member=samples, nonmember=samples, delta=st.sampled_from([0.0, 0.01]), shift=st.booleans())
def test_no_scores_of_as_many_records_give_more(
    method: str, member: list[float], nonmember: list[float], delta: float, shift: bool
) -> None:
    if shift:
        member = [score + 4 for score in member]
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.permutation(member), nonmember=rng.permutation(nonmember))
    try:
        low = lower_bound(scores, delta=delta, method=method, threshold=0.5).low
    except ValueError:  # sorted by chance, or sizes that fair coins do not give
        return
    most = ceiling(
        n_members=scores.n_members, n_nonmembers=scores.n_nonmembers, delta=delta, method=method
    )
    assert low <= most * (1 + 1e-12)


@pytest.mark.slow
def test_no_ranks_give_more() -> None:
    rng = np.random.default_rng(1)
    for seed in range(20):
        n, m = (int(size) for size in rng.integers(5, 80, 2))
        scores = AttackScores(
            member=rng.normal(rng.choice([1, 3, 6]), 1, n), nonmember=rng.normal(0, 1, m)
        )
        bound = lower_bound(scores, delta=1e-5, seed=seed)
        most = ceiling(n_members=n, n_nonmembers=m, delta=1e-5, seed=seed)
        assert bound.low <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "delta", "level"),
    [(50, 60, 1e-5, 0.95), (500, 500, 1e-5, 0.9), (20, 400, 0.1, 0.95), (1, 900, 0.0, 0.95)],
)
def test_separated_scores_that_are_tied_do_not_give_more(
    n: int, m: int, delta: float, level: float
) -> None:
    """Ties take random numbers: other simulations, some hundredths higher or lower."""
    tied = AttackScores(member=np.ones(n), nonmember=np.zeros(m))
    most = ceiling(n_members=n, n_nonmembers=m, delta=delta, confidence_level=level)
    for seed in range(5):
        low = lower_bound(tied, delta=delta, confidence_level=level, seed=seed).low
        assert most - 0.6 < low <= most


def test_many_confident_and_few_records() -> None:
    assert ceiling(n_members=1, n_nonmembers=1, delta=0.0) == 0
    few, many = (
        ceiling(n_members=200, n_nonmembers=200, delta=0.0, confidence_level=level)
        for level in (0.99, 0.9)
    )
    assert few < many
    assert ceiling(n_members=200, n_nonmembers=200, delta=1.0) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_members": 0}, "n_members must be a whole number of at least 1"),
        ({"n_nonmembers": 2.5}, "n_nonmembers must be a whole number"),
        ({"delta": -1}, "delta must be in"),
        ({"confidence_level": 1}, "confidence_level must be in"),
        (
            {"confidence_level": 0.99999, "method": "rank"},
            "confidence_level must be at most 0.9999",
        ),
        ({"method": "magic"}, "method must be one of 'rank_exact'"),
        ({"method": "three_paths", "n_members": 500}, "membership drawn by a fair coin"),
    ],
)
def test_illegal_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    plain = {"n_members": 10, "n_nonmembers": 10, "delta": 0.0}
    with pytest.raises(ValueError, match=message):
        ceiling(**{**plain, **arguments})
