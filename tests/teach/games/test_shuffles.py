"""Shuffled labels: each shuffle's Epsilon*, and when the own value may be seen."""

import math
from dataclasses import replace

import numpy as np

from dpviz import audit, teach
from dpviz.audit import AttackScores
from dpviz.teach.games.shuffles import Shuffles

LOGIN, SHUFFLES = "ada", 60


def test_a_shuffle_has_epsilon_star_of_relabelled_losses() -> None:
    """Against labels that are shuffled here, by the mean and five standard errors."""
    scores, rng = teach.data_for(LOGIN).scores, np.random.default_rng(1)
    pooled, n = np.concatenate([scores.member, scores.nonmember]), scores.n_members
    here = []
    for _ in range(SHUFFLES):
        mixed = rng.permutation(pooled)
        relabelled = AttackScores(member=mixed[:n], nonmember=mixed[n:])
        here.append(audit.epsilon_star(relabelled, delta=1e-5).value)
    values = Shuffles(login=LOGIN, n=2000).values
    error = values.std() * math.sqrt(1 / SHUFFLES + 1 / 2000)
    assert abs(np.mean(here) - values.mean()) < 5 * error + 0.03  # 0.03: of fewer thresholds


def test_a_shuffle_adds_one_value_and_changes_none() -> None:
    some = Shuffles(login=LOGIN, n=30)
    assert (some.after(1).values[:30] == some.values).all()
    assert Shuffles(login=LOGIN, n=1980).after(21) is None
    # They come in no order: neither rising nor falling.
    assert 5 < (np.diff(some.values) < 0).sum() < 24


def test_the_own_value_is_shown_after_twenty() -> None:
    show = Shuffles.moves["show mine"]
    assert show(Shuffles(login=LOGIN, n=19)) is None
    shown = show(Shuffles(login=LOGIN, n=20))
    assert show(shown) is None
    own = audit.epsilon_star(teach.data_for(LOGIN).scores, delta=1e-5).value
    assert f"Your Epsilon* is {own:.2g}: 0 of 20 shuffles gave at least this." in shown.text
    assert "Yours" not in replace(shown, shows_mine=False).text


def test_the_share_below_the_mark_of_chance_tends_to_95_of_100() -> None:
    everything = Shuffles(login=LOGIN, n=2000)
    mark = everything.null.quantile("epsilon_star")
    below, share = ((each(everything.values, mark)).mean() for each in (np.less, np.less_equal))
    assert below < 0.95 <= share  # some shuffles have exactly this value
    few = Shuffles(login=LOGIN, n=400).values
    assert abs((few <= mark).mean() - share) < 5 * math.sqrt(share * (1 - share) / 400)
