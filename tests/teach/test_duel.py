"""The game against the best attacker: what mistakes cost, and what the best one pays for."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from dpviz import teach, theory
from dpviz.teach.duel import Duel

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
    with pytest.raises(ValueError, match="claim must be a mechanism whose outputs are known"):
        duel(claim=theory.ZeroConcentratedDP(rho=0.5))
    with pytest.raises(ValueError, match="prior must be"):
        duel(prior=1.0)
    with pytest.raises(ValueError, match="rounds must be"):
        duel(rounds=0)
    with pytest.raises(ValueError, match="flagged must be at most 2"):
        duel(rounds=2, flagged=(True,) * 3)


def test_it_is_played_with_two_buttons_and_ends() -> None:
    game = duel(rounds=3, cost_false_alarm=2.0)
    _, text, buttons, found = teach.play(game).children
    flag, let_go = buttons.children
    assert "Round 1 of 3" in text.value
    flag.click()
    lost = 0 if game.members[0] else 2
    assert f"You have lost {lost}," in found.value
    let_go.click()
    let_go.click()
    assert "All 3 rounds are over." in text.value
    assert f"the best attacker loses {3 * game.best.cost:.3g} on average" in found.value
    assert flag.disabled
    assert let_go.disabled
    said = found.value
    flag.click()
    assert found.value == said
