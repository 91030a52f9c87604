"""The list experiment by counting people with opinions, in exact fractions."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from dpviz.theory import ListExperiment, TotalVariation, risk

SUPPORTS = [
    (Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)),
    (Fraction(9, 10), Fraction(1, 5)),
    (Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(7, 10)),
    (Fraction(1, 3),),
    (Fraction(1), Fraction(1, 4), Fraction(0)),
]
every = pytest.mark.parametrize("support", SUPPORTS, ids=str)


def built(support: tuple[Fraction, ...]) -> ListExperiment:
    return ListExperiment(support=tuple(float(s) for s in support))


def answers(support: tuple[Fraction, ...], sensitive: int) -> list[Fraction]:
    """Chance of each answer 0..J + 1, over every combination of opinions on the J other items."""
    chances = [Fraction(0)] * (len(support) + 2)
    for opinions in itertools.product([0, 1], repeat=len(support)):
        likely = [s if yes else 1 - s for s, yes in zip(support, opinions, strict=True)]
        chances[sum(opinions) + sensitive] += math.prod(likely)
    assert sum(chances) == 1
    return chances


def attacks(support: tuple[Fraction, ...]) -> list[tuple[Fraction, Fraction]]:
    """(FPR, TPR) of every set of answers that an attacker may take for "supports it"."""
    opponent, supporter = answers(support, 0), answers(support, 1)
    found = []
    for accused in itertools.product([False, True], repeat=len(opponent)):
        fpr = sum(p for p, said in zip(opponent, accused, strict=True) if said)
        tpr = sum(q for q, said in zip(supporter, accused, strict=True) if said)
        found.append((Fraction(fpr), Fraction(tpr)))
    return found


@every
def test_no_set_of_answers_beats_the_curve_and_the_best_ones_make_it(
    support: tuple[Fraction, ...],
) -> None:
    f, points = built(support), attacks(support)
    for fpr, tpr in points:
        assert f.beta(float(fpr)) <= float(1 - tpr) + 1e-15
    for x, y in f.knots.tolist():  # each corner is one of those attacks
        assert min(abs(x - float(fpr)) + abs(y - float(1 - tpr)) for fpr, tpr in points) < 1e-15


@every
@pytest.mark.parametrize("grown", [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(7), 10**9])
def test_the_profile_is_the_best_set_of_answers(
    support: tuple[Fraction, ...], grown: Fraction
) -> None:
    # delta(epsilon) = max over sets of Q - e^epsilon P, in both orders.
    epsilon = math.log(grown) if grown else -math.inf
    f, points = built(support), attacks(support)
    best = max(tpr - grown * fpr for fpr, tpr in points)
    assert f.delta(epsilon) == pytest.approx(float(best), rel=1e-13, abs=1e-16)
    other = max(fpr - grown * tpr for fpr, tpr in points)
    assert f.inverse().delta(epsilon) == pytest.approx(float(other), rel=1e-13, abs=1e-16)


@every
def test_no_epsilon_has_a_delta_below_the_chance_of_supporting_everything(
    support: tuple[Fraction, ...],
) -> None:
    # Who supports all the others answers J + 1, and only a supporter of the sensitive item can. An
    # item known to be unpopular changes nothing: one less is then the answer that settles it.
    possible = [s for s in support if s > 0]
    f, settled = built(support), float(math.prod(possible))
    assert f.tpr(0.0) == pytest.approx(settled, rel=1e-14, abs=0)
    for epsilon in (0.0, 1.0, 30.0, 700.0, 1e6, math.inf):
        assert f.delta(epsilon) >= settled * (1 - 1e-14)
    assert f.delta(math.inf) == pytest.approx(settled, rel=1e-14, abs=0)
    assert f.epsilon(settled * (1 - 1e-9)) == math.inf
    assert f.epsilon(settled * (1 + 1e-9)) < math.inf


@every
def test_an_opponent_is_settled_by_an_answer_of_none(support: tuple[Fraction, ...]) -> None:
    settled = float(math.prod(1 - s for s in support if s < 1))
    back = built(support).inverse()
    assert back.tpr(0.0) == pytest.approx(settled, rel=1e-14, abs=0)
    assert back.delta(1e6) == pytest.approx(settled, rel=1e-14, abs=0)


def test_a_fair_list_of_three() -> None:
    # 1, 3, 3, 1 of 8 opponents answer 0..3, supporters one more: the ratios are 1/0, 3, 1, 1/3, 0.
    f = built((Fraction(1, 2),) * 3)
    corners = [(0, 7 / 8), (1 / 8, 4 / 8), (4 / 8, 1 / 8), (7 / 8, 0), (1, 0)]
    np.testing.assert_allclose(f.knots, corners, rtol=0, atol=1e-15)
    assert f.is_symmetric
    assert risk.advantage(f) == pytest.approx(3 / 8, rel=1e-14)  # the commonest count
    assert f.epsilon(0.125) == pytest.approx(math.log(3), rel=1e-14)
    assert f.epsilon(0.124) == math.inf


def test_unequal_items_hide_a_supporter_and_an_opponent_unequally() -> None:
    f = built((Fraction(9, 10), Fraction(1, 5)))
    assert not f.is_symmetric
    assert f.tpr(0.0) == pytest.approx(0.18, rel=1e-14)
    assert f.inverse().tpr(0.0) == pytest.approx(0.08, rel=1e-14)
    assert f.min_symmetrized().tpr(0.0) == pytest.approx(0.18, rel=1e-14)


def test_support_of_one_half_in_the_mean_need_not_be_symmetric() -> None:
    assert built((Fraction(3, 10), Fraction(7, 10))).is_symmetric  # 0.21, 0.58, 0.21
    assert not built((Fraction(1, 10), Fraction(7, 10), Fraction(7, 10))).is_symmetric


@pytest.mark.parametrize("known", [(0.0,), (1.0,), (1.0, 0.0, 1.0)])
def test_an_attacker_who_knows_the_other_opinions_knows_this_one(known: tuple[float, ...]) -> None:
    f = ListExperiment(support=known)
    assert f.tpr(0.0) == 1
    assert risk.advantage(f) == 1
    assert f.epsilon(0.99) == math.inf


def test_items_of_known_opinion_hide_nothing() -> None:
    some = ListExperiment(support=(0.3, 0.6))
    padded = ListExperiment(support=(0.0, 0.3, 1.0, 0.6, 1.0))
    assert some.dominates(padded).relation == "equal"


def test_more_items_hide_better_and_their_order_does_not_matter() -> None:
    three = ListExperiment(support=(0.2, 0.5, 0.7))
    assert three.dominates(ListExperiment(support=(0.7, 0.2, 0.5))).relation == "equal"
    for fewer in [(0.2, 0.5), (0.2, 0.7), (0.5, 0.7)]:
        assert three.dominates(ListExperiment(support=fewer)).relation == "dominates"


def test_the_advantage_is_the_commonest_count() -> None:
    # Total variation of a law on 0..J that has one peak, shifted by one: its largest chance.
    for support in SUPPORTS:
        counts = answers(support, 0)
        assert risk.advantage(built(support)) == pytest.approx(float(max(counts)), rel=1e-13)
        claim = TotalVariation(delta=float(max(counts)) + 1e-12)
        assert built(support).dominates(claim).relation == "dominates"


def test_what_is_no_list_is_refused() -> None:
    for support in ((), ((0.5,),), 0.5):
        with pytest.raises(ValueError, match=r"^support must be a non-empty vector, got"):
            ListExperiment(support=support)
    with pytest.raises(ValueError, match=r"^support must be in \[0, 1\], got 1\.5$"):
        ListExperiment(support=(0.5, 1.5))
