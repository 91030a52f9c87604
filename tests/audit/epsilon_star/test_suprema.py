"""Epsilon* of given laws: dense grids, closed forms, 40 digits, and simulated standard errors."""

import math
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import log_ndtr, logsumexp

from dpviz.audit import AttackScores, epsilon_star
from dpviz.audit.epsilon_star import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)
from dpviz.audit.epsilon_star.suprema import LawSuprema, RatioMaximum, RatioSuprema
from tests.audit.oracles import gaussian_losses

Parts = tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
Normals = tuple[float, float]
deltas = st.sampled_from([1e-300, 1e-30, 1e-5, 0.01, 0.3])
some_clips = st.sampled_from([None, 1e-9, 1e-3, 0.1, 0.3])
normals = st.tuples(
    st.integers(-24, 24).map(lambda i: i / 8), st.integers(2, 32).map(lambda i: i / 8)
)


@st.composite
def mixtures(draw: st.DrawFn) -> Parts:
    shares = draw(st.lists(st.integers(1, 9), min_size=1, max_size=3))
    laws = [draw(normals) for _ in shares]
    return (
        tuple(share / sum(shares) for share in shares),
        tuple(mean for mean, _ in laws),
        tuple(sd for _, sd in laws),
    )


def of_mixtures(p: Parts, q: Parts, delta: float, clip: float | None = None) -> LawSuprema:
    return epsilon_star_of_mixtures(nonmember=p, member=q, delta=delta, clip=clip)


def of_normals(p: Normals, q: Normals, delta: float, clip: float | None = None) -> LawSuprema:
    return epsilon_star_of_normals(nonmember=p, member=q, delta=delta, clip=clip)


def as_parts(law: Normals) -> Parts:
    return (1.0,), (law[0],), (law[1],)


def log_tail(parts: Parts, x: np.ndarray, side: int) -> np.ndarray:
    terms = [math.log(w) + log_ndtr(side * (x - m) / s) for w, m, s in zip(*parts, strict=True)]
    return np.asarray(logsumexp(terms, axis=0))


def on_a_grid(p: Parts, q: Parts, delta: float, clip: float | None) -> np.ndarray:
    """Largest log m1..m4 over some ten thousand thresholds."""
    places = [
        m + s * np.linspace(-40, 40, 4001)
        for parts in (p, q)
        for _, m, s in zip(*parts, strict=True)
    ]
    x = np.unique(np.concatenate(places))
    fpr, tpr, tnr, fnr = (log_tail(law, x, side) for side in (1, -1) for law in (p, q))
    if clip:
        inside = np.min([fpr, tpr, tnr, fnr], axis=0) >= math.log(clip)
        fpr, tpr, tnr, fnr = fpr[inside], tpr[inside], tnr[inside], fnr[inside]
    found = []
    for top, bottom in [(tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr)]:
        positive = top > math.log(delta)
        a = top[positive]
        found.append(
            np.max(a + np.log(-np.expm1(math.log(delta) - a)) - bottom[positive], initial=-np.inf)
        )
    return np.array(found)


def exact_ratio(p: Parts, q: Parts, which: int, x: Any, delta: float) -> mp.mpf:
    """Log of m1..m4 at one threshold."""

    def tail(parts: Parts, side: int) -> mp.mpf:
        return mp.fsum(
            mp.mpf(w) * mp.erfc(-side * (x - mp.mpf(m)) / mp.mpf(s) / mp.sqrt(2)) / 2
            for w, m, s in zip(*parts, strict=True)
        )

    top, bottom, side = ((q, p, 1), (p, q, -1), (q, p, -1), (p, q, 1))[which]
    return mp.log((tail(top, side) - mp.mpf(delta)) / tail(bottom, side))


def gaps(found: LawSuprema) -> np.ndarray:
    return np.array([maximum.gap for maximum in found.maxima])


def above_one(log_ratios: np.ndarray) -> np.ndarray:
    """Ratios below 1 decide nothing and are not searched for."""
    return np.maximum(log_ratios, 0)


def counted(distribution: Any) -> Any:
    """A frozen distribution of scipy that allows 500 uses of its functions."""
    calls: list[Any] = []

    def noted(function: Callable[[Any], Any], x: Any) -> Any:
        calls.append(x)
        assert len(calls) < 500, "the search does not end"
        return function(x)

    for name in ("logcdf", "logsf", "logpdf", "ppf", "isf"):
        setattr(distribution, name, partial(noted, getattr(distribution, name)))
    return distribution


@pytest.mark.slow
@settings(max_examples=40)
@given(p=mixtures(), q=mixtures(), delta=deltas, clip=some_clips)
def test_a_dense_grid_stays_below_the_certified_maximum(
    p: Parts, q: Parts, delta: float, clip: float | None
) -> None:
    found = of_mixtures(p, q, delta, clip)
    assume(not found.is_empty)
    grid = on_a_grid(p, q, delta, clip)
    assert np.all(grid <= found.log_ratios + gaps(found) + 1e-9)
    if clip is None:
        # A step of 0.02 sd or less costs next to nothing.
        np.testing.assert_allclose(
            above_one(found.log_ratios), above_one(grid), rtol=1e-3, atol=1e-3
        )
    assert found.value == max(0, found.log_ratios.max())


@pytest.mark.slow
@settings(max_examples=25)
@given(p=mixtures(), q=mixtures(), delta=deltas, clip=some_clips)
def test_the_maximum_is_the_ratio_at_its_own_threshold(
    p: Parts, q: Parts, delta: float, clip: float | None
) -> None:
    found = of_mixtures(p, q, delta, clip)
    assume(found.value > 0)
    for which, maximum in enumerate(found.maxima):
        if maximum.log_ratio <= 0:
            continue
        x = maximum.threshold
        with mp.workdps(40):
            ratio = float(exact_ratio(p, q, which, mp.mpf(x), delta))
        assert maximum.log_ratio == pytest.approx(ratio, rel=1e-10, abs=1e-10)
        at = np.array(x)
        assert maximum.fpr == pytest.approx(math.exp(log_tail(p, at, 1)), rel=1e-9)
        assert maximum.fnr == pytest.approx(math.exp(log_tail(q, at, -1)), rel=1e-9)
        if clip:
            rates = [log_tail(law, at, side) for law in (p, q) for side in (1, -1)]
            assert min(rates) >= math.log(clip) - 1e-9


POLISHED: list[tuple[Parts, Parts]] = [
    (((0.3, 0.7), (0, 1), (1, 2)), ((0.5, 0.2, 0.3), (0, -1, 3), (1, 1.5, 0.4))),
    (((1.0,), (0,), (1,)), ((0.99, 0.01), (0, -6), (1, 0.5))),
    (((0.5, 0.5), (0, 4), (1, 1)), ((0.5, 0.5), (0.5, 3), (1.1, 0.8))),
]


@pytest.mark.parametrize(("p", "q"), POLISHED)
@pytest.mark.parametrize("delta", [1e-5, 1e-300])
def test_the_place_found_is_the_top_of_its_hill(p: Parts, q: Parts, delta: float) -> None:
    found = of_mixtures(p, q, delta)
    which, maximum = found.index_of_largest, found.maxima[found.index_of_largest]
    ratio: Callable[[Any], mp.mpf] = lambda x: exact_ratio(p, q, which, x, delta)  # noqa: E731
    with mp.workdps(50):
        low, high = (
            mp.mpf(maximum.threshold) - mp.mpf("1e-3"),
            mp.mpf(maximum.threshold) + mp.mpf("1e-3"),
        )
        for _ in range(40):
            left, right = low + (high - low) / 3, high - (high - low) / 3
            low, high = (left, high) if ratio(left) < ratio(right) else (low, right)
        top = ratio((low + high) / 2)
        assert maximum.threshold - 9e-4 < low < high < maximum.threshold + 9e-4
        assert abs(float(top - mp.mpf(maximum.log_ratio))) <= 1e-11 * max(1, found.value)


@given(p=normals, q=normals, delta=deltas, clip=some_clips)
def test_one_component_is_a_normal_law(
    p: Normals, q: Normals, delta: float, clip: float | None
) -> None:
    exact = of_normals(p, q, delta, clip)
    found = of_mixtures(as_parts(p), as_parts(q), delta, clip)
    assert found.is_empty == exact.is_empty
    assume(not exact.is_empty)
    np.testing.assert_allclose(
        above_one(found.log_ratios), above_one(exact.log_ratios), rtol=1e-10, atol=1e-10
    )


@settings(max_examples=20)
@given(p=mixtures(), q=mixtures(), delta=deltas, clip=some_clips)
def test_duplicated_components_change_nothing(
    p: Parts, q: Parts, delta: float, clip: float | None
) -> None:
    twice: Parts = (tuple(w / 2 for w in p[0] * 2), p[1] * 2, p[2] * 2)
    found, expected = of_mixtures(twice, q, delta, clip), of_mixtures(p, q, delta, clip)
    assert found.is_empty == expected.is_empty
    assume(not expected.is_empty)
    np.testing.assert_allclose(
        above_one(found.log_ratios), above_one(expected.log_ratios), rtol=1e-9, atol=1e-9
    )


@given(p=normals, q=normals, delta=deltas, clip=some_clips)
def test_reflecting_and_swapping_normal_laws_swap_the_ratios(
    p: Normals, q: Normals, delta: float, clip: float | None
) -> None:
    plain = of_normals(p, q, delta, clip)
    reflected = of_normals((-p[0], p[1]), (-q[0], q[1]), delta, clip)
    swapped = of_normals(q, p, delta, clip)
    for found, order in ((reflected, [2, 3, 0, 1]), (swapped, [3, 2, 1, 0])):
        np.testing.assert_allclose(
            found.log_ratios[order], plain.log_ratios, rtol=1e-10, atol=1e-12
        )


@given(p=normals, q=normals, delta=deltas, clip=some_clips, shift=st.integers(-64, 64))
def test_shift_and_scale_of_normal_laws_do_not_matter(
    p: Normals, q: Normals, delta: float, clip: float | None, shift: int
) -> None:
    plain = of_normals(p, q, delta, clip)
    moved = [(3 * mean + shift, 3 * sd) for mean, sd in (p, q)]
    found = of_normals(moved[0], moved[1], delta, clip)
    np.testing.assert_allclose(found.log_ratios, plain.log_ratios, rtol=1e-9, atol=1e-10)
    places = np.array([[m.threshold for m in star.maxima] for star in (found, plain)])
    interior = np.isfinite(places[1]) & (np.abs(plain.log_ratios) > 1e-3)
    np.testing.assert_allclose(
        places[0][interior], 3 * places[1][interior] + shift, rtol=1e-4, atol=1e-4
    )


@pytest.mark.slow
@settings(max_examples=20)
@given(p=mixtures(), q=mixtures(), delta=deltas, clip=some_clips)
def test_mixtures_obey_the_same_invariances(
    p: Parts, q: Parts, delta: float, clip: float | None
) -> None:
    def turned(law: Parts) -> Parts:
        return law[0], tuple(-mean for mean in law[1]), law[2]

    def moved(law: Parts) -> Parts:
        return law[0], tuple(2 * m - 7 for m in law[1]), tuple(2 * s for s in law[2])

    plain = of_mixtures(p, q, delta, clip)
    assume(not plain.is_empty)
    for found, order in (
        (of_mixtures(turned(p), turned(q), delta, clip), [2, 3, 0, 1]),
        (of_mixtures(q, p, delta, clip), [3, 2, 1, 0]),
        (of_mixtures(moved(p), moved(q), delta, clip), [0, 1, 2, 3]),
    ):
        tolerance = gaps(plain).max() + gaps(found).max() + 1e-9
        np.testing.assert_allclose(
            above_one(found.log_ratios)[order], above_one(plain.log_ratios), rtol=0, atol=tolerance
        )


@pytest.mark.slow
@settings(max_examples=12)
@given(p=mixtures(), q=mixtures(), clip=some_clips)
def test_a_larger_delta_never_raises_the_value(p: Parts, q: Parts, clip: float | None) -> None:
    stars = [of_mixtures(p, q, d, clip) for d in (0.0, 1e-300, 1e-100, 1e-5, 0.1, 0.6, 1.0)]
    assume(not stars[0].is_empty)
    for smaller, larger in pairwise(stars):
        assert larger.value <= smaller.value + gaps(smaller).max() + 1e-9
    assert stars[-1].value == 0


@pytest.mark.slow
@settings(max_examples=12)
@given(p=mixtures(), q=mixtures(), delta=deltas)
def test_a_tighter_clip_never_raises_the_value(p: Parts, q: Parts, delta: float) -> None:
    stars = [of_mixtures(p, q, delta, c) for c in (None, 1e-12, 1e-6, 1e-3, 0.05, 0.2, 0.45)]
    for looser, tighter in pairwise(stars):
        if looser.is_empty:
            assert tighter.is_empty
        elif not tighter.is_empty:
            assert tighter.value <= looser.value + gaps(looser).max() + 1e-9
            assert tighter.value <= tighter.cap + 1e-9


@given(p=normals, q=normals, clip=some_clips)
def test_normal_laws_fall_with_delta_exactly(p: Normals, q: Normals, clip: float | None) -> None:
    values = [of_normals(p, q, d, clip).log_ratios for d in (0.0, 1e-300, 1e-5, 0.1, 0.6, 1.0)]
    assume(not np.isnan(values[0]).any())
    for smaller, larger in pairwise(values):
        assert np.all(larger <= smaller + 1e-12 * (1 + np.abs(np.nan_to_num(smaller, posinf=0))))


@settings(max_examples=15)
@given(law=mixtures(), delta=st.sampled_from([0.0, 1e-300, 1e-5, 0.2, 1.0]), clip=some_clips)
def test_equal_mixtures_show_nothing(law: Parts, delta: float, clip: float | None) -> None:
    assert of_mixtures(law, law, delta, clip).value == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-5, 0.3])
@pytest.mark.parametrize("mu", [0.25, 1.0, 3.0])
def test_equal_spreads_give_the_epsilon_of_a_gaussian_mechanism(mu: float, delta: float) -> None:
    # delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu), inverted with 60 digits.
    with mp.workdps(60):
        low, high = mp.mpf(0), mp.mpf(1000)
        for _ in range(60):
            e = (low + high) / 2
            profile = mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mp.mpf(mu) / 2 - e / mu)
            low, high = (e, high) if profile > delta else (low, e)
        expected = float(low)
    assert of_normals((mu, 1), (0, 1), delta).value == pytest.approx(expected, rel=1e-11, abs=1e-12)
    found = of_mixtures(as_parts((mu, 1)), as_parts((0, 1)), delta)
    assert found.value == pytest.approx(expected, rel=1e-11, abs=1e-12)


@settings(max_examples=8)
@given(a=st.integers(1, 99), b=st.integers(1, 99), mean=st.integers(-3, 3), wide=st.integers(2, 8))
def test_without_delta_the_ruling_component_gives_its_log_weight_ratio(
    a: int, b: int, mean: int, wide: int
) -> None:
    # N(mean, wide) rules both tails; the narrow part only moves a CDF towards it.
    def law(share: float) -> Parts:
        return (1 - share, share), (mean, mean), (1, wide)

    p, q = law(a / 100), law(b / 100)
    found = of_mixtures(p, q, 0.0)
    assert found.value == pytest.approx(abs(math.log(b / a)), abs=1e-9)
    grid = on_a_grid(p, q, 1e-300, None)
    np.testing.assert_allclose(above_one(found.log_ratios), above_one(grid), atol=1e-3)
    assert found.reason == ""


def test_a_limit_in_a_tail_has_no_finite_threshold() -> None:
    found = of_mixtures(((0.8, 0.2), (0, 0), (1, 3)), ((0.5, 0.5), (0, 0), (1, 3)), 0.0)
    assert found.maxima[0].threshold == -math.inf
    assert found.maxima[2].threshold == math.inf


RULED: list[tuple[Parts, Parts, list[float]]] = [
    # Another standard deviation rules: the wider law's tails are too heavy on both sides.
    (((0.5, 0.5), (0, 0), (1, 2)), ((0.5, 0.5), (0, 0), (1, 2.5)), [1, 0, 1, 0]),
    (((0.999, 0.001), (0, 0), (1, 2.5)), ((0.5, 0.5), (0, 0), (1, 2)), [0, 1, 0, 1]),
    # Equal standard deviations: the farthest mean rules its tail.
    (((0.5, 0.5), (0, 1), (2, 2)), ((0.5, 0.5), (0, 3), (2, 2)), [0, 0, 1, 0]),
    (((0.5, 0.5), (0, 1), (2, 2)), ((0.5, 0.5), (-1, 1), (2, 2)), [1, 0, 0, 0]),
    (((0.5, 0.5), (0, 3), (2, 2)), ((0.5, 0.5), (0, 1), (2, 2)), [0, 1, 0, 0]),
    (((0.5, 0.5), (-4, 1), (2, 2)), ((0.5, 0.5), (0, 1), (2, 2)), [0, 0, 0, 1]),
    (((1.0,), (0,), (1,)), ((0.5, 0.5), (0, 0), (1, 0.5)), [0, 0, 0, 0]),
]


@pytest.mark.parametrize(("p", "q", "diverging"), RULED)
def test_without_delta_the_tails_say_which_ratios_diverge(
    p: Parts, q: Parts, diverging: list[float]
) -> None:
    found = of_mixtures(p, q, 0.0)
    assert np.isposinf(found.log_ratios).astype(int).tolist() == diverging
    assert math.isinf(found.value) == any(diverging)
    assert ("delta = 0" in found.reason) == any(diverging)
    assert math.isfinite(of_mixtures(p, q, 0.0, 1e-6).value)


def test_equal_rulers_add_their_weights() -> None:
    p: Parts = ((0.4, 0.4, 0.2), (0, 0, 0), (3, 3, 1))
    q: Parts = ((0.5, 0.5), (0, 0), (3, 1))
    for found, grid in (
        (of_mixtures(p, q, 0.0), on_a_grid(p, q, 1e-300, None)),
        (of_mixtures(q, p, 0.0), on_a_grid(q, p, 1e-300, None)),
    ):
        assert found.value == pytest.approx(math.log(1.6), abs=1e-9)
        np.testing.assert_allclose(above_one(found.log_ratios), above_one(grid), atol=1e-3)


def test_the_certificate_holds_where_two_wide_components_nearly_tie() -> None:
    sds = (1.0, 1.001, 1.00101)
    p: Parts = ((0.989, 0.01, 0.001), (0, 0, 0), sds)
    q: Parts = ((0.009, 0.99, 0.001), (0, 0, 0), sds)
    found = of_mixtures(p, q, 0.0)
    with mp.workdps(60):
        reached = [float(exact_ratio(p, q, i, mp.mpf(x), 0.0)) for i, x in ((0, -100), (2, 100))]
    for i, ratio in zip((0, 2), reached, strict=True):
        assert ratio <= found.log_ratios[i] + gaps(found)[i] + 1e-9


@pytest.mark.parametrize(
    ("delta", "gap"), [(0.0, 0.05), (1e-300, 0.05), (1e-100, 0.05), (1e-8, 2e-4), (1e-5, 1.1e-4)]
)
def test_the_gap_of_a_ratio_that_stays_flat_grows_as_delta_vanishes(
    delta: float, gap: float
) -> None:
    # The ratio nears log 2.5 in hundreds of nats of tail, never far from its supremum.
    found = of_mixtures(((0.8, 0.2), (0, 0), (1, 3)), ((0.5, 0.5), (0, 0), (1, 3)), delta)
    assert found.value == pytest.approx(math.log(2.5), abs=1e-3)
    assert gaps(found).max() <= gap


@pytest.mark.slow
@settings(max_examples=40)
@given(p=normals, q=normals, delta=deltas, clip=some_clips)
def test_scipys_normal_laws_are_normal_laws(
    p: Normals, q: Normals, delta: float, clip: float | None
) -> None:
    exact = of_normals(p, q, delta, clip)
    found = epsilon_star_of(nonmember=stats.norm(*p), member=stats.norm(*q), delta=delta, clip=clip)
    assert found.is_empty == exact.is_empty
    assume(not exact.is_empty)
    short = np.array([m.gap > 1e-3 for m in found.maxima])
    np.testing.assert_allclose(
        above_one(found.log_ratios)[~short],
        above_one(exact.log_ratios)[~short],
        rtol=1e-9,
        atol=1e-9,
    )
    assert np.all(exact.log_ratios <= found.log_ratios + gaps(found) + 1e-9)


# Exact values by mpmath: Gamma(2, 5) against Gamma(2 + d, 5).
GAMMA = [
    (1, 1e-5, None, 5.5518, 1.9143),
    (2, 1e-5, None, 11.9150, 3.7732),
    (3, 1e-6, None, 22.0938, 5.9654),
    (3, 1e-3, None, 11.6850, 4.4667),
    (2, 1e-5, 1e-5, 6.6173, None),
    (3, 1e-3, 1e-3, 5.1275, None),
    (1, 0.0, 1e-3, 2.7727, None),
    (2, 0.0, 1e-3, 4.2394, None),
]


@pytest.mark.parametrize(("d", "delta", "clip", "m1", "m2"), GAMMA)
def test_gamma_laws_give_the_tabulated_values(
    d: int, delta: float, clip: float | None, m1: float, m2: float | None
) -> None:
    member, nonmember = stats.gamma(2, scale=5), stats.gamma(2 + d, scale=5)
    found = epsilon_star_of(nonmember=nonmember, member=member, delta=delta, clip=clip)
    assert found.log_ratios[0] == pytest.approx(m1, abs=6e-5)
    assert found.value == found.log_ratios[0]
    if m2 is not None:
        assert found.log_ratios[1] == pytest.approx(m2, abs=6e-5)
    swapped = epsilon_star_of(nonmember=member, member=nonmember, delta=delta, clip=clip)
    assert swapped.log_ratios[3] == pytest.approx(m1, abs=6e-5)


@pytest.mark.parametrize("delta", [1e-100, 1e-50, 1e-20])
def test_gamma_laws_near_zero_have_a_closed_form(delta: float) -> None:
    # CDFs u^2/2 and u^4/24 there: (u^2/2 - d) 24/u^4 is largest at u^2 = 4 d, where it is 1.5/d.
    found = epsilon_star_of(nonmember=stats.gamma(4), member=stats.gamma(2), delta=delta)
    assert found.value == pytest.approx(math.log(1.5) - math.log(delta), abs=1e-8)


def test_a_maximum_below_scipys_tails_is_left_open() -> None:
    found = epsilon_star_of(nonmember=stats.gamma(4), member=stats.gamma(2), delta=1e-300)
    truth = math.log(1.5) - math.log(1e-300)
    assert found.value < truth
    assert found.maxima[0].gap == math.inf


def test_a_delta_below_the_grids_tails_is_left_open() -> None:
    delta = 1e-307
    exact = of_normals((0, 1), (0, 1.5), delta)
    found = epsilon_star_of(nonmember=stats.norm(), member=stats.norm(0, 1.5), delta=delta)
    assert np.all(exact.log_ratios <= found.log_ratios + gaps(found) + 1e-9)


@pytest.mark.parametrize("delta", [1e-3, 0.4])
def test_equal_laws_reach_the_limit_at_the_far_end_alone(delta: float) -> None:
    mixed = ((0.5, 0.5), (0, 1), (1, 2))
    for found in (
        of_normals((1, 2), (1, 2), delta),
        of_mixtures(mixed, mixed, delta),
        epsilon_star_of(nonmember=stats.gamma(2), member=stats.gamma(2), delta=delta),
    ):
        np.testing.assert_allclose(found.log_ratios, math.log1p(-delta), rtol=1e-12)
        far = [maximum.threshold for maximum in found.maxima]
        assert far == [math.inf, -math.inf, -math.inf, math.inf]


@pytest.mark.parametrize("scale", [1.25, 2.0, 4.0])
@pytest.mark.parametrize("delta", [1e-100, 1e-5, 0.01])
def test_exponential_laws_have_a_closed_form(scale: float, delta: float) -> None:
    # Members' upper tail is y^(1/scale) where non-members' is y: (y^s - d) / y, s = 1 / scale.
    s = 1 / scale
    log_y = (math.log(delta) - math.log1p(-s)) / s
    expected = math.log(delta * s / (1 - s)) - log_y
    found = epsilon_star_of(nonmember=stats.expon(), member=stats.expon(scale=scale), delta=delta)
    assert found.log_ratios[2] == pytest.approx(expected, rel=1e-9)
    assert found.index_of_largest == 2
    assert found.maxima[2].threshold == pytest.approx(-log_y, rel=1e-4)


def test_without_delta_equal_powers_have_a_limit_and_unequal_none() -> None:
    # Cauchy: tails are scale / (pi x). Student: a different power of x.
    cauchy = epsilon_star_of(nonmember=stats.cauchy(), member=stats.cauchy(scale=2), delta=0.0)
    assert cauchy.value == pytest.approx(math.log(2), abs=1e-9)
    students = epsilon_star_of(nonmember=stats.t(3), member=stats.t(4), delta=0.0)
    assert np.isposinf(students.log_ratios).tolist() == [False, True, False, True]
    powers = epsilon_star_of(nonmember=stats.lomax(1.001), member=stats.lomax(1), delta=0.0)
    assert np.isposinf(powers.log_ratios).tolist() == [False, False, True, False]
    # Laplace, shifted by 1: the ratio is e in both tails.
    laplace = epsilon_star_of(nonmember=stats.laplace(), member=stats.laplace(1), delta=0.0)
    np.testing.assert_allclose(above_one(laplace.log_ratios), [0, 0, 1, 1], atol=1e-9)


@pytest.mark.parametrize(("a", "b"), [(3.01, 3), (2, 1)])
def test_students_laws_of_other_degrees_have_no_limit(a: float, b: float) -> None:
    # Tails of x^-a and x^-b: their ratio grows as x^(a - b), without end.
    nonmember, member = counted(stats.t(a)), counted(stats.t(b))
    found = epsilon_star_of(nonmember=nonmember, member=member, delta=0.0)
    assert found.log_ratios[0] + found.maxima[0].gap == math.inf


@pytest.mark.parametrize(("delta", "infinite"), [(0.125, True), (0.3, False), (0.5, False)])
def test_laws_with_other_supports_are_infinite_down_to_their_share(
    delta: float, infinite: bool
) -> None:
    found = epsilon_star_of(nonmember=stats.uniform(0.25, 1), member=stats.uniform(), delta=delta)
    assert found.value == (math.inf if infinite else 0)
    assert bool(found.reason) == infinite
    without = epsilon_star_of(nonmember=stats.uniform(0.25, 1), member=stats.uniform(), delta=0.0)
    assert np.isposinf(without.log_ratios).tolist() == [True, True, False, False]


def test_equal_laws_with_an_end_show_nothing_without_delta() -> None:
    nonmember, member = counted(stats.uniform()), counted(stats.uniform())
    found = epsilon_star_of(nonmember=nonmember, member=member, delta=0.0)
    assert found.value == 0


@pytest.mark.parametrize("delta", [0.0, 1e-100])
def test_the_search_ends_where_floats_do(delta: float) -> None:
    # Upper tails y and y^2: (y - d) / y^2 is largest at y = 2 d, far below the floats next to 1.
    nonmember, member = counted(stats.uniform()), counted(stats.beta(1, 2))
    found = epsilon_star_of(nonmember=nonmember, member=member, delta=delta)
    truth = math.inf if delta == 0 else -math.log(4 * delta)
    assert found.log_ratios[1] <= truth
    assert found.log_ratios[1] + found.maxima[1].gap >= truth


def test_the_clip_window_is_closed() -> None:
    # One threshold survives, 0.75, where FPR and FNR are 0.75 to the last bit.
    member, nonmember = stats.uniform(0.5, 1), stats.uniform(0, 1)
    found = epsilon_star_of(nonmember=nonmember, member=member, delta=0.0, clip=0.25)
    log3 = math.log(3)
    np.testing.assert_allclose(found.log_ratios, [-log3, -log3, log3, log3], rtol=1e-12)
    assert all((m.fpr, m.fnr, m.threshold) == (0.75, 0.75, 0.75) for m in found.maxima)
    tighter = epsilon_star_of(nonmember=nonmember, member=member, delta=0.0, clip=0.2500001)
    assert math.isnan(tighter.value)
    assert "no threshold" in tighter.reason


@pytest.mark.parametrize("clip", [1e-9, 1e-3, 0.1])
def test_a_binding_clip_puts_the_maximum_at_its_end(clip: float) -> None:
    # At delta 0 the ratios of shifted laws are monotone: at the ends the clipped rate is the clip.
    star = of_normals((1, 1), (0, 1), 0.0, clip)
    z = stats.norm.isf(clip)
    expected = stats.norm.logcdf(1 - z) - math.log(clip)
    np.testing.assert_allclose(star.log_ratios[:2], [expected, expected], rtol=1e-11)
    np.testing.assert_allclose([star.maxima[0].fpr, star.maxima[1].fnr], clip, rtol=1e-9)
    mixed = of_mixtures(as_parts((1, 1)), as_parts((0, 1)), 0.0, clip)
    np.testing.assert_allclose(mixed.log_ratios[:2], [expected, expected], rtol=1e-9)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": -0.1}, r"delta must be in \[0, 1\]"),
        ({"delta": math.nan}, "delta must be in"),
        ({"delta": 0.1, "clip": 0.5}, r"clip must be in \[0, 0.5\)"),
        ({"delta": 0.1, "clip": "paper"}, "clip must be a number"),
    ],
)
def test_illegal_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    law = as_parts((0, 1))
    with pytest.raises(ValueError, match=message):
        epsilon_star_of_mixtures(nonmember=law, member=law, **arguments)
    with pytest.raises(ValueError, match=message):
        epsilon_star_of_normals(nonmember=(0, 1), member=(0, 1), **arguments)


def test_a_law_that_is_none_is_refused() -> None:
    with pytest.raises(TypeError, match="must be a frozen continuous distribution"):
        epsilon_star_of(nonmember=stats.norm(), member=stats.poisson(2), delta=0.1)


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


def suprema(*log_ratios: float, fpr: float = 0.1, **more: float) -> RatioSuprema:
    places = {"fpr": fpr, "fnr": 0.2, "threshold": 0.5} | more
    maxima = tuple(RatioMaximum(log_ratio=each, **places) for each in log_ratios)
    return RatioSuprema(maxima=maxima, delta=0.0, clip=None, reason="")


def test_a_search_is_exact_unless_it_says_otherwise() -> None:
    assert suprema(1.0, 0.5, 0.2, 0.1).gap == 0.0
    assert suprema(1.0, 0.5, 0.2, 0.1, gap=0.25).gap == 0.25


def test_nothing_and_infinity_have_no_gap() -> None:
    nan, inf = float("nan"), float("inf")
    assert suprema(nan, nan, nan, nan, fpr=nan, gap=1.0).gap == 0.0
    assert suprema(inf, 0.5, 0.2, 0.1, gap=1.0).gap == 0.0
