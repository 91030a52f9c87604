"""The game against the best attacker: what mistakes cost, and what the best one pays for."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from dpviz import teach, theory
from dpviz.teach.duel import Duel
from tests.teach.games.parts import parts

NORMAL = NormalDist()


def duel(**fields: object) -> Duel:
    return Duel(**({"claim": theory.GaussianDP(mu=2.0), "login": "ada", "prior": 0.2} | fields))  # type: ignore[arg-type]


def test_the_best_attacker_reaches_the_least_expected_cost() -> None:
    """With N(0, 1) against N(2, 1), it flags from log(gamma) / 2 + 1 on."""
    n, cost, prior = 40_000, 2.0, 0.2
    whole = duel(rounds=n, cost_false_alarm=cost, flagged=(False,) * n)
    threshold = math.log((1 - prior) * cost / prior) / 2 + 1
    assert whole.best_flags == tuple(bool(x >= threshold) for x in whole.outputs)
    expected = prior * NORMAL.cdf(threshold - 2) + (1 - prior) * cost * NORMAL.cdf(-threshold)
    assert abs(whole.best_cost / n - expected) < 5 * cost / math.sqrt(n)
    assert whole.best.cost == pytest.approx(expected)
    assert whole.cost == sum(whole.members)  # whoever flags nobody misses all members
    assert whole.best_cost < whole.cost
    assert abs(np.mean(whole.members) - prior) < 5 * math.sqrt(prior * (1 - prior) / n)


def test_who_knows_pays_nothing_and_who_errs_always_pays_for_all() -> None:
    game = duel(cost_false_alarm=3.0)
    assert duel(flagged=game.members).cost == 0
    worst = duel(flagged=tuple(not each for each in game.members), cost_false_alarm=3.0)
    members = sum(game.members)
    assert worst.cost == members + 3 * (game.rounds - members)


def test_a_login_has_its_own_rounds() -> None:
    assert (duel().outputs == duel().outputs).all()
    assert not (duel().outputs == duel(login="bob").outputs).all()


def test_bad_input_is_named() -> None:
    unknown = "claim must be a mechanism with known output distributions"
    with pytest.raises(ValueError, match=unknown):
        duel(claim=theory.ZeroConcentratedDP(rho=0.5))
    with pytest.raises(ValueError, match="prior must be"):
        duel(prior=1.0)
    with pytest.raises(ValueError, match="rounds must be"):
        duel(rounds=0)
    with pytest.raises(ValueError, match=r"len\(flagged\) must be at most rounds = 2, got 3"):
        duel(rounds=2, flagged=(True,) * 3)


def test_it_is_played_with_buttons_and_ends() -> None:
    game = duel(rounds=3, cost_false_alarm=2.0)
    shown = teach.play(game)
    assert "Round 1 of 3" in shown.game.text
    shown.press("flag: a member")
    lost = 0 if game.members[0] else 2
    assert f"You have lost {lost}," in shown.game.text
    shown.press("let go")  # the button is hidden while the round's outcome is shown
    assert shown.game.played == 1
    for _ in range(2):
        shown.press("next round")
        shown.press("let go")
    assert "All 3 rounds are over." in shown.game.text
    lost = f"{3 * game.best.cost:.3g}"
    assert f"On average the best attacker loses {lost} in this many rounds" in shown.game.text
    for label in game.moves:
        shown.press(label)
    assert shown.game.flagged == (True, False, False)


def test_the_densities_are_weighted_by_the_prior() -> None:
    """With N(0, 1) against N(2, 1), the areas are 0.8 and 0.2, the peaks 0.8 and 0.2 of 0.399."""
    for member, prior in ((False, 0.8), (True, 0.2)):
        x, heights = duel().weighted_density(member=member).T
        area = np.diff(x) @ (heights[1:] + heights[:-1]) / 2
        assert area == pytest.approx(prior, abs=1e-3)
        assert heights.max() == pytest.approx(prior * NORMAL.pdf(0), rel=1e-3)


def test_the_threshold_is_shown_only_after_the_round_was_answered() -> None:
    shown = teach.play(duel(cost_false_alarm=2.0))
    picture = parts(shown).picture
    assert "threshold" not in picture.value
    shown.press("let go")
    assert "threshold" in picture.value
    shown.press("next round")
    assert "threshold" not in picture.value


def test_the_score_curve_adds_up_the_mistakes() -> None:
    game = duel(cost_false_alarm=3.0, flagged=(True,) * 20)
    costs = game.costs_after_rounds(game.flagged)
    assert costs[0] == 0
    assert np.diff(costs).tolist() == [0.0 if member else 3.0 for member in game.members]
    assert costs[-1] == game.cost
