"""Which guarantee is the stronger: known facts, and the order counted out on a grid.

Left of every float there is still a curve: as the FPR goes to 0 the guarantee whose loss can be
larger is the lower one. A test that looked only at floats would miss that.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpviz.theory import (
    ApproximateDP,
    Composed,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    GroupPrivacy,
    LaplaceMechanism,
    ListExperiment,
    OneWaySubsampled,
    PiecewiseLinear,
    PublicMixture,
    PureDP,
    RandomizedResponse,
    Subsampled,
    SubsampledGaussian,
    TotalVariation,
    TradeoffFunction,
    UniformMechanism,
)
from dpviz.theory.statements import smallest_mu

MIRRORED = {
    "equal": "equal",
    "dominates": "dominated",
    "dominated": "dominates",
    "incomparable": "incomparable",
    "undecided": "undecided",
}
SKEWED = DiscretePair([0.5, 0.3, 0.2, 0.0], [0.1, 0.3, 0.35, 0.25])
STEP = 1e-6
"""How far off a critical parameter is tried, relatively."""


def relation(f: TradeoffFunction, g: TradeoffFunction) -> str:
    """The relation, after checking that the mirrored question has the mirrored answer."""
    one, other = f.dominates(g), g.dominates(f)
    assert other.relation == MIRRORED[one.relation]
    assert other.crossings == pytest.approx(one.crossings, rel=1e-9)
    assert (one.better_at is None) == (one.relation in ("equal", "dominated"))
    assert (one.worse_at is None) == (one.relation in ("equal", "dominates"))
    return one.relation


@pytest.mark.parametrize("mu", [1e-6, 0.3, 1.0, 40.0])
def test_gaussians_are_ordered_by_mu(mu: float) -> None:
    f = GaussianDP(mu=mu)
    assert relation(f, GaussianDP(mu=mu * (1 + STEP))) == "dominates"
    assert relation(f, GaussianDP(mu=mu * (1 - STEP))) == "dominated"
    assert relation(f, GaussianDP(mu=0.0)) == "dominated"
    assert relation(f, GaussianDP(mu=math.inf)) == "dominates"
    named = GaussianMechanism(noise_multiplier=2 / mu, adjacency="replace_one")
    assert f.dominates(named).relation == "equal"
    assert f.dominates(GaussianDP(mu=2 * mu)).is_exact


@pytest.mark.parametrize(("mu", "nu"), [(0.5, 3.0), (1.0, 1.5), (0.2, 6.0)])
def test_gaussians_are_furthest_apart_where_their_densities_meet(mu: float, nu: float) -> None:
    # d/dz of Phi(-z - mu) - Phi(-z - nu) vanishes at z = -(mu + nu) / 2.
    middle = float(ndtr(-(mu + nu) / 2))
    found = GaussianDP(mu=mu).dominates(GaussianDP(mu=nu))
    assert found.better_at == pytest.approx(middle, rel=1e-3)
    assert GaussianDP(mu=nu).dominates(GaussianDP(mu=mu)).worse_at == found.better_at


@pytest.mark.parametrize("epsilon", [0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
@pytest.mark.parametrize("other", [0.0, 0.5, 1.5, 5.0])
def test_claims_are_ordered_by_the_profile(epsilon: float, delta: float, other: float) -> None:
    # (eps, delta) implies (other, d) from the smallest d on: its profile at `other`, by hand
    # 1 - f(x) - e^other x at the corners x = 0 and the kink.
    kink = (1 - delta) / (1 + math.exp(epsilon))
    smallest = max(delta, 1 - kink - math.exp(other) * kink)
    f = ApproximateDP(epsilon=epsilon, delta=delta)
    more, less = smallest + 1e-6, smallest - 1e-6
    assert relation(f, ApproximateDP(epsilon=other, delta=more)) == "dominates"
    if less >= 0:
        assert relation(f, ApproximateDP(epsilon=other, delta=less)) in (
            "incomparable",
            "dominated",
        )
    assert f.dominates(ApproximateDP(epsilon=other, delta=0.5)).is_exact


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 6.0, 30.0])
def test_smallest_gaussian_below_laplace(epsilon: float) -> None:
    # L_s >= G_mu iff mu >= -2 Phi^-1(e^(-s/2) / 2): they touch where both cross the diagonal.
    f = LaplaceMechanism(epsilon=epsilon)
    mu = -2 * float(ndtri(math.exp(-epsilon / 2) / 2))
    assert smallest_mu(f) == pytest.approx(mu, rel=1e-9)
    assert relation(f, GaussianDP(mu=mu * (1 + STEP))) == "dominates"
    assert relation(f, GaussianDP(mu=mu * (1 - STEP))) == "incomparable"


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 6.0, 30.0])
def test_smallest_gaussian_below_pure_dp(epsilon: float) -> None:
    # f_eps >= G_mu iff mu >= -2 Phi^-1(1 / (1 + e^eps)): G_mu has to pass below the kink.
    f = PureDP(epsilon=epsilon)
    mu = -2 * float(ndtri(1 / (1 + math.exp(epsilon))))
    assert smallest_mu(f) == pytest.approx(mu, rel=1e-9)
    assert relation(f, GaussianDP(mu=mu * (1 + STEP))) == "dominates"
    assert relation(f, GaussianDP(mu=mu * (1 - STEP))) == "incomparable"


@pytest.mark.parametrize("mu", [1e-6, 1e-3, 0.1, 1.0, 10.0])
@pytest.mark.parametrize(
    "other", [LaplaceMechanism(epsilon=0.5), LaplaceMechanism(epsilon=20.0), PureDP(epsilon=3.0)]
)
def test_no_gaussian_dominates_a_bounded_loss(mu: float, other: TradeoffFunction) -> None:
    # At mu = 1e-6 the loss of the Gaussian passes 0.5 only at an FPR of e^(-10^11): no float shows
    # it, but the limit decides.
    found = GaussianDP(mu=mu).dominates(other)
    assert found.relation in ("incomparable", "dominated")
    assert found.worse_at is not None
    relation(GaussianDP(mu=mu), other)


def test_the_limit_at_fpr_zero_is_told_as_zero() -> None:
    found = GaussianDP(mu=1e-3).dominates(LaplaceMechanism(epsilon=1.0))
    assert found.relation == "incomparable"
    assert found.worse_at == 0.0
    assert len(found.crossings) == 1
    assert found.crossings[0] < 1e-250  # somewhere left of the floats that were tried
    assert not found.is_exact


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 3.0, 40.0])
def test_laplace_is_better_than_its_pure_claim_in_the_middle(epsilon: float) -> None:
    f, claim = LaplaceMechanism(epsilon=epsilon), PureDP(epsilon=epsilon)
    assert relation(f, claim) == "dominates"
    # They agree up to FPR e^-eps / 2 and from 1/2 on; the claim's kink is furthest below.
    furthest = f.dominates(claim).better_at
    assert math.exp(-epsilon) / 2 < furthest < 0.5
    gap = f.beta(furthest) - claim.beta(furthest)
    x = np.linspace(0, 1, 20_001)
    assert gap >= np.max(f.beta(x) - claim.beta(x)) - 1e-4


@pytest.mark.parametrize("delta", [1e-300, 1e-9, 0.3])
@pytest.mark.parametrize("mu", [1e-3, 1.0, 5.0])
def test_no_gaussian_is_below_a_delta(delta: float, mu: float) -> None:
    # beta(0) = 1 - delta < 1 = G_mu(0).
    f = ApproximateDP(epsilon=0.5, delta=delta)
    assert smallest_mu(f) == math.inf
    assert relation(f, GaussianDP(mu=mu)) in ("incomparable", "dominated")
    assert f.dominates(GaussianDP(mu=mu)).worse_at is not None
    assert relation(f, GaussianDP(mu=math.inf)) == "dominates"


def test_a_gaussian_against_total_variation() -> None:
    # G_mu >= f_(0, d) iff d >= erf(mu / sqrt 8) = 2 Phi(mu / 2) - 1: the line touches the curve.
    variation = 2 * float(ndtr(0.5)) - 1
    f = GaussianDP(mu=1.0)
    assert relation(f, TotalVariation(delta=variation + 1e-6)) == "dominates"
    assert relation(f, TotalVariation(delta=variation - 1e-6)) == "incomparable"


def sign_changes(x: np.ndarray, gap: np.ndarray) -> list[tuple[float, float]]:
    sign = np.sign(np.where(np.abs(gap) < 1e-13, 0, gap))
    decided = np.flatnonzero(sign)
    pairs = itertools.pairwise(decided)
    return [(float(x[i]), float(x[j])) for i, j in pairs if sign[i] != sign[j]]


@pytest.mark.parametrize(
    ("mu", "epsilon", "count"), [(1.0, 3.0, 2), (0.5, 1.5, 2), (1.0, 1.2, 2), (3.0, 2.0, 0)]
)
def test_crossings_of_gaussian_and_laplace(mu: float, epsilon: float, count: int) -> None:
    x = np.unique(np.r_[np.geomspace(1e-12, 0.1, 20_001), np.linspace(0.1, 0.9, 40_001)])
    x = np.unique(np.r_[x, 1 - x])
    steep, middle = 1 - math.exp(epsilon) * x, math.exp(-epsilon) / (4 * x)
    by_hand = np.where(x < math.exp(-epsilon) / 2, steep, middle)
    by_hand = np.where(x <= 0.5, by_hand, math.exp(-epsilon) * (1 - x))
    expected = sign_changes(x, ndtr(-ndtri(x) - mu) - by_hand)
    assert len(expected) == count
    found = GaussianDP(mu=mu).dominates(LaplaceMechanism(epsilon=epsilon))
    assert found.relation == ("incomparable" if count else "dominated")
    assert len(found.crossings) == count
    for crossing, (low, high) in zip(found.crossings, expected, strict=True):
        assert low <= crossing <= high
    # Two symmetric curves cross in pairs (a, b) and (b, a).
    curve = LaplaceMechanism(epsilon=epsilon)
    partners = [curve.beta(a) for a in reversed(found.crossings)]
    assert partners == pytest.approx(found.crossings, rel=1e-6)


def test_crossings_of_two_claims_are_rational() -> None:
    # e^epsilon = 3 and delta = 0.1 against e^epsilon = 9: the steep lines 0.9 - 3 x and 1 - 9 x
    # meet at 1/60, and their mirror images at 0.9 - 3/60 = 17/20.
    found = ApproximateDP(epsilon=math.log(3), delta=0.1).dominates(PureDP(epsilon=math.log(9)))
    assert found.relation == "incomparable"
    assert found.is_exact
    assert found.crossings == pytest.approx([1 / 60, 17 / 20], rel=1e-9)
    assert found.worse_at == 0.0


def exact_curve(p: list[Fraction], q: list[Fraction], at: Fraction) -> Fraction:
    """Neyman-Pearson for finitely many outputs, most telling ones first."""
    ratio = [math.inf if a == 0 else b / a for a, b in zip(p, q, strict=True)]
    fnr, left = Fraction(1), at
    for i in sorted(range(len(p)), key=lambda i: -ratio[i]):
        taken = min(p[i], left)
        left -= taken
        fnr -= q[i] if p[i] == 0 else q[i] * taken / p[i]
    return fnr


def test_the_two_orders_of_a_pair() -> None:
    p = [Fraction(k, 20) for k in (10, 6, 4, 0)]
    q = [Fraction(k, 20) for k in (2, 6, 7, 5)]
    x = [Fraction(k, 1000) for k in range(1001)]
    gap = np.array([float(exact_curve(p, q, a) - exact_curve(q, p, a)) for a in x])
    expected = sign_changes(np.array([float(a) for a in x]), gap)
    found = SKEWED.dominates(SKEWED.inverse())
    assert found.relation == "incomparable"
    assert found.is_exact
    assert len(found.crossings) == len(expected) == 3
    for crossing, (low, high) in zip(found.crossings, expected, strict=True):
        assert low <= crossing <= high
    assert gap[x.index(Fraction(found.worse_at).limit_denominator(1000))] == gap.min()
    assert found.better_at == pytest.approx(float(x[int(gap.argmax())]), rel=1e-12)
    relation(SKEWED, SKEWED.inverse())


def test_two_outputs_cross_on_the_diagonal() -> None:
    # 1 - 1.8 x for one order meets its mirror image where 1 - 1.8 x = x.
    f = DiscretePair([0.5, 0.5], [0.9, 0.1])
    found = f.dominates(f.inverse())
    assert found.crossings == pytest.approx([1 / 2.8], rel=1e-9)
    assert relation(f, f.inverse()) == "incomparable"
    below, above = f.min_symmetrized(), f.max_symmetrized()
    for one_order in (f, f.inverse()):
        assert relation(below, one_order) == "dominated"
        assert relation(above, one_order) == "dominates"


def test_a_pair_that_hides_one_order_only() -> None:
    # The member alone can be given away, so the orders differ in the limit, not only in between.
    f = DiscretePair([1.0, 0.0], [0.75, 0.25])
    assert relation(f, TotalVariation(delta=0.25)) == "dominates"
    assert relation(f.inverse(), TotalVariation(delta=0.25)) == "dominates"
    assert relation(f, PureDP(epsilon=20.0)) == "incomparable"
    assert f.dominates(PureDP(epsilon=20.0)).worse_at == 0.0
    assert relation(f.inverse(), PureDP(epsilon=20.0)) == "incomparable"


EQUAL: list[tuple[TradeoffFunction, TradeoffFunction]] = [
    (RandomizedResponse(epsilon=1.3), PureDP(epsilon=1.3)),
    (DiscreteLaplaceMechanism(scale=0.5), PureDP(epsilon=2.0)),
    (ApproximateDP(epsilon=1.0, delta=0.0), PureDP(epsilon=1.0)),
    (UniformMechanism(width=4.0), TotalVariation(delta=0.25)),
    (ApproximateDP(epsilon=0.0, delta=0.25), TotalVariation(delta=0.25)),
    (DiscretePair([0.25, 0.75], [0.75, 0.25]), PureDP(epsilon=math.log(3))),
    (DiscretePair([0.25, 0.25, 0.5], [0.125, 0.125, 0.75]), DiscretePair([0.5, 0.5], [0.25, 0.75])),
    (PiecewiseLinear([(0, 1), (0.25, 0.25), (1, 0)]), PureDP(epsilon=math.log(3))),
    (ListExperiment(support=(0.5,)), DiscretePair([0.5, 0.5, 0.0], [0.0, 0.5, 0.5])),
    (ListExperiment(support=(1.0, 0.0)), PureDP(epsilon=math.inf)),
    (GaussianMechanism(noise_multiplier=0.5), GaussianDP(mu=2.0, adjacency="add_remove")),
    (
        SubsampledGaussian(noise_multiplier=2.0, sampling_rate=1.0, steps=9),
        GaussianDP(mu=1.5, adjacency="add_remove"),
    ),
    (Composed([GaussianDP(mu=3.0), GaussianDP(mu=4.0)]), GaussianDP(mu=5.0)),
    (Composed([LaplaceMechanism(epsilon=1.0)]), LaplaceMechanism(epsilon=1.0)),
    (Composed([TotalVariation(delta=0.5)] * 2), TotalVariation(delta=0.75)),
    (
        Subsampled(base=LaplaceMechanism(epsilon=1.0), sampling_rate=1.0),
        LaplaceMechanism(epsilon=1.0),
    ),
    (PublicMixture([GaussianDP(mu=1.0)] * 2, weights=[0.5, 0.5]), GaussianDP(mu=1.0)),
    (GroupPrivacy(GaussianDP(mu=0.5), size=3), GaussianDP(mu=1.5)),
    (LaplaceMechanism(epsilon=0.0), GaussianDP(mu=0.0)),
    (LaplaceMechanism(epsilon=math.inf), GaussianDP(mu=math.inf)),
    (SKEWED.inverse().inverse(), SKEWED),
]


@pytest.mark.parametrize(("f", "g"), EQUAL, ids=[f"{i}" for i in range(len(EQUAL))])
def test_the_same_curve_under_two_names(f: TradeoffFunction, g: TradeoffFunction) -> None:
    assert f is not g
    assert relation(f, g) == "equal"
    assert f.dominates(g).crossings == ()


def test_nothing_and_everything_are_the_ends() -> None:
    silent, open_ = PureDP(epsilon=0.0), PureDP(epsilon=math.inf)
    for f in (LaplaceMechanism(epsilon=1.0), GaussianDP(mu=1.0), SKEWED, TotalVariation(delta=0.1)):
        assert relation(silent, f) == "dominates"
        assert relation(open_, f) == "dominated"


def test_a_numerical_curve_is_not_said_to_be_worse_than_its_error() -> None:
    # Together (1 + 1e-9)-DP, so better than Laplace noise at 1 + 1e-6; but the product goes through
    # a grid of losses, and its curve is lower by more than the difference.
    f = Composed([LaplaceMechanism(epsilon=1.0), PureDP(epsilon=1e-9)])
    assert f.error > 1e-6
    possible = ("undecided", "dominates")
    assert f.dominates(LaplaceMechanism(epsilon=1 + 1e-6)).relation in possible
    assert LaplaceMechanism(epsilon=0.8).dominates(f).relation == "dominates"


ONE_WAY = OneWaySubsampled(base=GaussianDP(mu=1.0), sampling_rate=0.3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "f",
    [
        PublicMixture([GaussianDP(mu=1.0), LaplaceMechanism(epsilon=1.0)], weights=[0.5, 0.5]),
        GroupPrivacy(GaussianDP(mu=0.5), size=3),
        ONE_WAY,
        ONE_WAY.min_symmetrized(),
    ],
    ids=["mixture", "group", "one way", "either way"],
)
def test_an_unbounded_loss_stays_unbounded(f: TradeoffFunction) -> None:
    # Some output of each is as telling as you like, so no finite epsilon has delta 0, and a claim
    # of 100-DP is better than it in the limit of small FPR.
    assert f.epsilon(0.0) == math.inf
    found = f.dominates(PureDP(epsilon=100.0))
    assert (found.relation, found.worse_at) == ("incomparable", 0.0)


def test_a_bounded_loss_has_its_bound() -> None:
    # "With" against "without": P is at least 0.7 Q, so the loss is at most -log 0.7.
    assert ONE_WAY.inverse().epsilon(0.0) == pytest.approx(-math.log(0.7), rel=1e-6)


@pytest.mark.slow
def test_the_dominating_guarantee_is_above_everywhere() -> None:
    # Whatever is answered for a mixed bag of guarantees agrees with their curves on a grid.
    bag: list[TradeoffFunction] = [
        GaussianDP(mu=0.8),
        LaplaceMechanism(epsilon=1.5),
        PureDP(epsilon=1.5),
        ApproximateDP(epsilon=1.0, delta=0.05),
        TotalVariation(delta=0.3),
        RandomizedResponse(epsilon=2.0, categories=6),
        DiscreteLaplaceMechanism(scale=1.5, sensitivity=2),
        ListExperiment(support=(0.5, 0.3, 0.6)),
        SKEWED,
        Subsampled(base=GaussianDP(mu=2.0), sampling_rate=0.3),
    ]
    x = np.unique(np.r_[np.geomspace(1e-15, 1, 4001), np.linspace(0, 1, 4001)])
    seen = set()
    for f, g in itertools.permutations(bag, 2):
        found, gap = f.dominates(g), f.beta(x) - g.beta(x)
        seen.add(found.relation)
        if found.relation == "dominates":
            assert gap.min() >= -1e-12
        elif found.relation == "dominated":
            assert gap.max() <= 1e-12
        else:
            assert found.relation == "incomparable"
        # Where the order is said to hold it does, unless it is told of a limit.
        for at, sign in ((found.better_at, 1), (found.worse_at, -1)):
            if at not in (None, 0.0, 1.0):
                assert sign * (f.beta(at) - g.beta(at)) > 0
                assert sign * (f.beta(at) - g.beta(at)) >= np.max(sign * gap) - 1e-3
    assert seen == {"dominates", "dominated", "incomparable"}


@pytest.mark.parametrize("epsilon", [700.0, 1e4])
def test_curves_cross_at_an_fpr_far_below_one(epsilon: float) -> None:
    """``min(1, e^epsilon x)`` meets ``0.5 + x`` at 0.5 / (e^epsilon - 1)."""
    found = PureDP(epsilon=epsilon).dominates(ApproximateDP(epsilon=0.0, delta=0.5))
    assert found.crossings[0] == pytest.approx(0.5 * np.exp(-epsilon), rel=1e-9, abs=0)
