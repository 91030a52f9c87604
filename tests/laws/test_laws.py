"""Laws every guarantee obeys, over the registry: a new mechanism brings only its examples."""

import dataclasses
import math
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from dpviz.theory import (
    MECHANISMS,
    Composed,
    DiscreteGaussianMechanism,
    DiscreteLaplaceMechanism,
    DiscretePair,
    ExponentialMechanism,
    GaussianDP,
    LaplaceMechanism,
    PermuteAndFlip,
    PrivacyLoss,
    PrivacyRegion,
    PureDP,
    RandomizedResponse,
    RenyiDP,
    Subsampled,
    TradeoffFunction,
    ZeroConcentratedDP,
    best_attack,
)
from dpviz.theory.renyi_divergence import renyi_divergence
from dpviz.theory.statements import ways_of_stating
from tests.laws.examples import ALPHAS, DELTAS, EPSILONS, EXAMPLES, NUMERIC

CLAIMS = {"pure", "approximate"}  # kinds whose region is a PrivacyRegion
OF_OTHERS = {"subsampled_gaussian", "subsampled", "public_mixture", "composed"}  # take longest
ULPS = 1e-15


def is_one_of(f: TradeoffFunction, keys: set[str]) -> bool:
    return any(MECHANISMS.get(key) is type(f) for key in keys)


def rounding(f: TradeoffFunction) -> float:
    """What may be rounding in a rate: more where the curve is looked for numerically."""
    return 1e-12 if is_one_of(f, NUMERIC) else ULPS if is_one_of(f, CLAIMS) else 1e-14


def built(*keys: str) -> list[Any]:
    return [
        pytest.param(
            MECHANISMS[key](**example),
            id=f"{key}-{example}",
            marks=pytest.mark.slow if i > (key not in OF_OTHERS) else (),
        )
        for key in keys
        for i, example in enumerate(EXAMPLES[key])
    ]


every = pytest.mark.parametrize("f", built(*MECHANISMS))
every_claim = pytest.mark.parametrize("f", built(*sorted(CLAIMS & MECHANISMS.keys())))


@every
def test_beta_is_a_tradeoff_function(f: TradeoffFunction) -> None:
    beta, slack = f.beta(ALPHAS), rounding(f)
    assert np.all((beta >= 0) & (beta <= 1 - ALPHAS + slack))
    assert np.all(np.diff(beta) <= slack)
    a, b = np.array([*combinations(ALPHAS[::7], 2)]).T
    assert np.all(f.beta((a + b) / 2) <= (f.beta(a) + f.beta(b)) / 2 + slack)


@every
def test_tpr_and_advantage_follow_from_beta(f: TradeoffFunction) -> None:
    tpr, slack = f.tpr(ALPHAS), rounding(f)
    np.testing.assert_allclose(tpr, 1 - f.beta(ALPHAS), rtol=0, atol=slack)
    np.testing.assert_allclose(f.advantage(ALPHAS), tpr - ALPHAS, rtol=0, atol=slack)
    assert np.all(tpr >= ALPHAS * (1 - 1e-12))  # guessing reaches that, however small


@every
def test_tpr_per_fpr_only_falls_down_to_the_smallest_fpr(f: TradeoffFunction) -> None:
    # Concavity in relative terms: it would show digits lost in the tail, where 1 - beta is 0.
    inside = ALPHAS[(ALPHAS > 0) & (ALPHAS < 1e-3)]
    assert np.all(np.diff(np.log(f.tpr(inside)) - np.log(inside)) <= 1e-9)


@every
def test_no_number_is_minus_zero(f: TradeoffFunction) -> None:
    rates, epsilons = ALPHAS[::7], np.append(EPSILONS, f.epsilon(0.0))
    for found in (
        *(f.beta(rates), f.tpr(rates), f.advantage(rates), f.epsilon(DELTAS)),
        *(f.delta(epsilons[np.isfinite(epsilons)]), f.fpr_of_loss(EPSILONS)),
    ):
        assert not np.any(np.signbit(found))


@every
def test_kinks_lie_between_the_ends(f: TradeoffFunction) -> None:
    for order in (f, f.inverse()):
        assert all(0 < x < 1 for x in order.kinks)


def test_pictures_take_512_corners_unless_told() -> None:
    many = DiscretePair(*np.random.default_rng(0).dirichlet(np.ones(900), 2))
    for f in (GaussianDP(mu=1), many):
        for corners in (f.draw, f.region):
            assert np.array_equal(corners(), corners(512))
            assert not np.array_equal(corners(), corners(510))


@every
def test_inverse_undoes_the_curve(f: TradeoffFunction) -> None:
    inverse = f.inverse()
    assert (inverse is f) == f.is_symmetric
    assert inverse.inverse().beta(0.3) == pytest.approx(f.beta(0.3), rel=1e-9)
    beta = f.beta(ALPHAS)
    back = inverse.beta(beta)
    seen = beta > 1e-300  # where beta underflowed to 0 its inverse cannot know
    slack = 4 * rounding(f)
    assert np.all(back[seen] <= ALPHAS[seen] + slack)
    # Equality up to the first alpha with beta 0; beta(0) may be below 1.
    inner = seen & (ALPHAS > 0)
    np.testing.assert_allclose(back[inner], ALPHAS[inner], rtol=0, atol=slack)


@every
def test_symmetrisations_enclose_the_curve(f: TradeoffFunction) -> None:
    x = ALPHAS[::5]
    both = f.beta(x), f.inverse().beta(x)
    above, below = f.max_symmetrized(), f.min_symmetrized()
    # The conjugate of a profile with kinks is found to nine digits, always from below.
    slack = 1e-12 if f.is_symmetric or f.atoms() is not None else 1e-9
    np.testing.assert_allclose(above.beta(x), np.maximum(*both), rtol=0, atol=slack)
    assert np.all(below.beta(x) <= np.minimum(*both) + slack)
    for symmetric in (above, below):
        assert symmetric.is_symmetric
        there = symmetric.beta(x)
        seen = there > 1e-300
        assert np.all(symmetric.beta(there)[seen] <= x[seen] + 4 * slack)
    for epsilon in (0.0, 0.5, 2.0):  # and no greater convex function is below both
        larger = max(f.delta(epsilon), f.inverse().delta(epsilon))
        assert below.delta(epsilon) == pytest.approx(larger, abs=slack)


@every
def test_the_loss_is_where_the_supporting_lines_touch(f: TradeoffFunction) -> None:
    finite = EPSILONS[np.abs(EPSILONS) <= 39]
    x = f.fpr_of_loss(finite)
    assert np.all(np.diff(x) <= 0)
    touched = f.tpr(x) - np.exp(finite) * x
    # A loss computed from masses may miss an atom by rounding, and the line then touches beside it.
    seen = (x > 1e-300) | (f.delta(finite) < 1e-300)  # not below every float
    gap = np.abs(touched - f.delta(finite))
    assert np.all(gap[seen] <= max(1e-9, rounding(f)))


@every
def test_delta_is_an_expectation_over_the_loss_and_below_its_tail(f: TradeoffFunction) -> None:
    loss = PrivacyLoss(f)
    for epsilon in (0.0, 0.5, 2.0):
        delta = f.delta(epsilon)
        assert delta <= loss.tail(epsilon) + rounding(f)
        assert loss.above(epsilon) <= loss.tail(epsilon)
        assert loss.tail(epsilon, member=False) <= loss.tail(epsilon) + rounding(f)
        if f.atoms() is None:
            continue
        positive = loss.expectation(
            lambda values, e=epsilon: -np.expm1(np.minimum(e - values, 0.0))
        )
        assert positive == pytest.approx(delta, abs=1e-12)


@pytest.mark.slow
@every
def test_composition_only_lowers_the_curve(f: TradeoffFunction) -> None:
    other = PureDP(epsilon=0.5, adjacency=f.adjacency)
    both = Composed([f, other])
    x = ALPHAS[::10]
    assert np.all(both.beta(x) <= np.minimum(f.beta(x) + f.error, other.beta(x)) + 1e-12)
    assert both.error <= 1e-4
    little = Composed([f, PureDP(epsilon=1e-9, adjacency=f.adjacency)])
    x = x[x > 1e-280]
    assert np.all(little.beta(x) <= f.beta(x) + f.error + 1e-12)
    assert np.all(little.beta(x) >= f.beta(x) - little.error - 1e-8)


@every
def test_group_privacy_only_lowers_the_curve(f: TradeoffFunction) -> None:
    if not f.is_symmetric:
        return
    two = f.with_parameters(adjacency="add_remove").to_replace_one()
    assert two.adjacency == "replace_one"
    assert two.to_replace_one() is two
    x = ALPHAS[::10]
    one = f.with_parameters(adjacency="replace_one")
    assert np.all(two.beta(x) <= one.beta(x) + one.error + 1e-12)


@every
def test_subsampling_raises_the_curve(f: TradeoffFunction) -> None:
    if not f.is_symmetric:
        with pytest.raises(ValueError, match="base must be symmetric"):
            Subsampled(base=f, sampling_rate=0.5, adjacency=f.adjacency)
        return
    sampled = Subsampled(base=f, sampling_rate=0.5, adjacency=f.adjacency)
    x = ALPHAS[::10]
    assert np.all(sampled.beta(x) >= f.beta(x) - 1e-12)
    for epsilon in (0.0, 0.5, 2.0):  # (log(1 + p (e^eps - 1)), p delta)
        smaller = math.log1p(0.5 * math.expm1(epsilon))
        assert sampled.delta(smaller) == pytest.approx(0.5 * f.delta(epsilon), abs=1e-12)


@every
def test_everything_is_equal_to_itself_and_less_private_than_nothing(f: TradeoffFunction) -> None:
    assert f.dominates(f).relation == "equal"
    silent = PureDP(epsilon=0.0, adjacency=f.adjacency)
    assert silent.dominates(f).relation in ("dominates", "equal")
    assert f.dominates(silent).relation in ("dominated", "equal")
    nothing = PureDP(epsilon=math.inf, adjacency=f.adjacency)
    assert f.dominates(nothing).relation in ("dominates", "equal")


@every
@pytest.mark.parametrize("method", ["beta", "tpr", "advantage", "delta", "epsilon"])
def test_floats_in_floats_out_arrays_in_arrays_out(f: TradeoffFunction, method: str) -> None:
    call = getattr(f, method)
    rates = np.array([[0.0, 1e-3, 0.2], [0.5, 0.9, 1.0]])
    answers = call(rates)
    assert answers.shape == rates.shape
    for index, rate in np.ndenumerate(rates):
        alone = call(float(rate))
        assert type(alone) is float
        # Vector instructions of some processors round the last digit otherwise.
        assert math.isclose(alone, answers[index], rel_tol=1e-14)


@every
def test_profile_is_dual_to_the_curve(f: TradeoffFunction) -> None:
    x = np.unique(np.r_[0.0, expit(np.linspace(-700, 36, 60_001)), f.kinks, 1.0])
    tpr = 1 - f.beta(x)
    for epsilon in EPSILONS[EPSILONS <= 300]:  # beyond, the best x is below the smallest float
        reached = float(np.max(tpr - np.exp(epsilon) * x))
        slack = 4 * rounding(f)
        assert f.delta(float(epsilon)) >= reached - slack
        # A smooth curve may have its best x between the points of the grid.
        between = 0.0 if f.atoms() is not None else 1e-4
        assert f.delta(float(epsilon)) <= reached + slack + between


@every
@pytest.mark.parametrize("n", [32, 512])
def test_drawn_vertices_lie_on_the_curve_and_carry_it(f: TradeoffFunction, n: int) -> None:
    vertices, slack = f.draw(n), rounding(f)
    x, y = vertices.T
    assert 2 <= len(vertices) <= n
    assert np.all(np.diff(x) >= 0)
    assert np.all(y <= f.beta(x) + slack)  # a drop at one x may be drawn as a vertical piece
    assert np.all(y >= f.beta(np.minimum(1, np.nextafter(x, 2))) - 4 * slack)
    atoms = f.atoms()
    if atoms is None or len(atoms.knots) > n:
        missed = 2 * math.pi / (n - len(f.kinks) if len(f.kinks) < n / 2 else n) ** 2
    else:
        missed = 1e-14
    inside = ALPHAS[ALPHAS > 0]
    drawn = np.interp(inside, x, y)  # within that distance, up, down or sideways
    assert np.all(drawn >= f.beta(np.minimum(inside + missed, 1.0)) - missed)
    assert np.all(drawn <= f.beta(np.maximum(inside - missed, 0.0)) + missed)


@every
def test_epsilon_and_delta_undo_each_other(f: TradeoffFunction) -> None:
    assert np.all(np.diff(f.delta(EPSILONS)) <= ULPS)
    for delta in DELTAS:
        epsilon = f.epsilon(float(delta))
        assert epsilon >= 0
        if math.isinf(epsilon):
            # Infinite losses have more mass than delta, or the losses have no bound; the numeric
            # defaults see no FPR below 1e-290.
            unbounded = delta == 0 and f.epsilon(1e-300) > f.epsilon(1e-20)
            smallest = 1e-290 if is_one_of(f, NUMERIC) else 0.0
            assert f.tpr(smallest) > delta or unbounded
            continue
        assert f.delta(epsilon) <= delta * (1 + ULPS) or delta == 0
        if epsilon > 0:  # and no smaller one would do
            assert f.delta(epsilon * (1 - 1e-6)) > delta


SIZES = (1e-17, 1e16, 0.0, 5e-324, 1e-318, 1e-9, 1e3, 1e6, 1e154, 1e300)  # the first are not slow
PURE = (PureDP, LaplaceMechanism, RandomizedResponse, ExponentialMechanism, PermuteAndFlip)
EXTREME = [
    pytest.param(f, id=repr(f), marks=pytest.mark.slow if i > 1 else ())
    for i, size in enumerate(SIZES)
    for f in (
        *(build(epsilon=size) for build in PURE),
        RandomizedResponse(epsilon=size, categories=3),
        GaussianDP(mu=size),
        ZeroConcentratedDP(rho=size),
        DiscreteLaplaceMechanism(scale=0.001, sensitivity=10 ** min(i, 5)),
        DiscreteGaussianMechanism(noise=0.01, sensitivity=2 * i),
        RenyiDP(orders=[1.5, 2.0, 8.0], epsilons=[5e-324, 1e-320, size]),
    )
]


@pytest.mark.parametrize("f", EXTREME)
def test_numbers_of_extreme_parameters_hold_and_warn_nobody(f: TradeoffFunction) -> None:
    deltas = np.array([5e-324, 1e-300, 1e-16, 1e-9, 1e-5, 0.01, 0.5, 0.9, 1 - 1e-9])
    epsilons = f.epsilon(deltas)
    assert np.all((f.delta(epsilons) <= deltas * (1 + ULPS)) | np.isinf(epsilons))
    assert np.all(epsilons[1:] <= epsilons[:-1] * (1 + ULPS))
    assert np.all(renyi_divergence(f, np.array([1.5, 2.0, 8.0])) >= 0)
    assert len(ways_of_stating(f)) == 7
    assert np.all(f.advantage(ALPHAS) >= 0)
    for prior in (1e-300, 1 - 1e-15):
        assert best_attack(f, prior=prior, cost_false_alarm=1e9).cost >= 0


@every
def test_profile_at_negative_epsilon_mirrors_the_other_order(f: TradeoffFunction) -> None:
    e = EPSILONS[EPSILONS > 0]
    mirrored = 1 - np.exp(-e) + np.exp(-e) * f.inverse().delta(e)
    np.testing.assert_allclose(f.delta(-e), mirrored, rtol=0, atol=4 * rounding(f))


@every_claim
def test_admits_and_region_agree_with_exact_inequalities(f: TradeoffFunction) -> None:
    epsilon, delta = f.parameters["epsilon"], f.parameters.get("delta", 0.0)
    region = PrivacyRegion(epsilon=epsilon, delta=delta)
    rates = (0.0, 1e-6, 0.01, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.999, 1.0)
    wrong = []
    for fpr, fnr in product(rates, rates):
        expected = _admitted(epsilon, delta, fpr=fpr, fnr=fnr)
        answers = f.admits(fpr=fpr, fnr=fnr), region.contains(fpr=fpr, fnr=fnr)
        if expected is not None and answers != (expected, expected):
            wrong.append((fpr, fnr, expected, *answers))
    assert not wrong, "fpr, fnr, expected, admits, contains"


@pytest.mark.slow
@every
def test_the_curve_itself_is_admitted_and_what_is_below_is_not(f: TradeoffFunction) -> None:
    for alpha in ALPHAS[::10].tolist():
        beta = f.beta(alpha)
        if beta > 1e-300:  # not lost to underflow
            assert f.admits(fpr=alpha, fnr=beta)
            assert f.admits(fpr=1 - alpha, fnr=1 - beta) or alpha < 1e-9 or beta < 1e-9
            if beta > 1e-9:
                assert not f.admits(fpr=alpha, fnr=beta * (1 - 1e-6))


@every_claim
def test_region_corners_are_those_of_the_privacy_region(f: TradeoffFunction) -> None:
    delta = f.parameters.get("delta", 0.0)
    corners = PrivacyRegion(epsilon=f.parameters["epsilon"], delta=delta).vertices
    gaps = np.abs(f.region()[:, None, :] - corners[None, :, :]).max(axis=-1)
    assert gaps.min(axis=0).max() <= ULPS
    assert gaps.min(axis=1).max() <= ULPS


@pytest.mark.parametrize("key", sorted(CLAIMS))
def test_replacing_one_record_is_two_steps(key: str) -> None:
    for example in EXAMPLES[key]:
        one = MECHANISMS[key](**example)
        two = MECHANISMS[key](**example, adjacency="add_remove").to_replace_one()
        assert one.to_replace_one() == one
        assert two.adjacency == "replace_one"
        assert two.to_replace_one() == two
        assert two.parameters["epsilon"] == 2 * example["epsilon"]
        if example.get("delta", 0) > 0:
            grown = math.inf if example["epsilon"] > 700 else 1 + math.exp(example["epsilon"])
            expected = min(1.0, grown * example["delta"])
            assert two.parameters["delta"] == pytest.approx(expected, rel=1e-12)


@every
def test_guarantees_are_values(f: TradeoffFunction) -> None:
    twin = type(f)(**f.parameters, adjacency=f.adjacency)
    assert twin == f
    assert hash(twin) == hash(f)
    assert twin.with_parameters() == f
    other = "add_remove" if f.adjacency == "replace_one" else "replace_one"
    assert f != f.with_parameters(adjacency=other)
    names = {kind.__name__: kind for kind in MECHANISMS.values()} | {"inf": math.inf}
    assert eval(repr(f), names) == f or "knots)" in repr(f)
    name = dataclasses.fields(f)[0].name
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(f, name, 0.5)


@pytest.mark.parametrize("key", MECHANISMS)
def test_parameters_may_be_given_without_names_and_the_adjacency_may_not(key: str) -> None:
    kind, example = MECHANISMS[key], EXAMPLES[key][0]
    assert kind(*example.values()) == kind(**example)
    every_parameter = kind(**example).parameters
    with pytest.raises(TypeError):
        kind(*every_parameter.values(), "add_remove")


@pytest.mark.parametrize(
    ("example", "expected"),
    [
        ({"epsilon": 0.0, "delta": 0.3}, np.maximum(0, 0.7 - ALPHAS)),
        ({"epsilon": math.inf, "delta": 0.0}, np.zeros_like(ALPHAS)),
        ({"epsilon": 0.0, "delta": 1.0}, np.zeros_like(ALPHAS)),
        ({"epsilon": 800.0, "delta": 0.25}, np.where(ALPHAS == 0, 0.75, 0.0)),
    ],
)
def test_limits(example: dict[str, float], expected: np.ndarray) -> None:
    beta = MECHANISMS["approximate"](**example).beta(ALPHAS)
    np.testing.assert_allclose(beta, expected, rtol=0, atol=ULPS)


def test_profile_of_a_claim_beyond_the_largest_exponential() -> None:
    f = MECHANISMS["pure"](epsilon=800.0)
    assert f.delta(799.5) == pytest.approx(1 - math.exp(-0.5), rel=1e-12)
    assert f.epsilon(1 - math.exp(-0.5)) == pytest.approx(799.5, rel=1e-12)


def _admitted(epsilon: float, delta: float, *, fpr: float, fnr: float) -> bool | None:
    """K1..K4 in exact fractions; None too near to an edge to tell in float64."""
    if math.isinf(epsilon) or delta == 1:
        return True
    grown = Fraction(Decimal(epsilon).exp())
    t, eta, d = Fraction(fpr), Fraction(fnr), Fraction(delta)
    sides = [(1 - eta, t), (1 - t, eta), (eta, 1 - t), (t, 1 - eta)]
    slacks = [(d + grown * b - a) / (1 + grown * b) for a, b in sides]
    if min(abs(slack) for slack in slacks) < 1e-9:
        return None if min(slacks) > -1e-9 else False
    return min(slacks) >= 0
