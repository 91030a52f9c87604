"""Trials of an attack with known error rates: their counts, and the ε that they certify."""

import math

import pytest
from scipy.stats import beta, binom

from dpviz.teach.games.trials import Trials

DELTA = 1e-4


def certified(wrong: tuple[int, int], n: int) -> float:
    """From Clopper-Pearson limits at 97.5 % each, which are quantiles of beta distributions."""
    fpr, fnr = (float(beta.ppf(0.975, k + 1, n - k)) for k in wrong)
    return max(0.0, math.log((1 - fnr - DELTA) / fpr), math.log((1 - fpr - DELTA) / fnr))


@pytest.mark.parametrize("tens", [1, 2, 11, 100])
def test_epsilon_is_certified_by_limits_of_both_rates(tens: int) -> None:
    trials = Trials(login="ada", tens=tens)
    assert trials.n == 10 * tens
    assert trials.bound.low == pytest.approx(certified(trials.n_wrong, trials.n), abs=1e-9)


def test_more_trials_go_on_from_the_same_ones() -> None:
    few, more = Trials(login="ada", tens=5), Trials(login="ada", tens=6)
    assert Trials(login="ada", tens=5).n_wrong == few.n_wrong
    assert all(0 <= b - a <= 10 for a, b in zip(few.n_wrong, more.n_wrong, strict=True))
    assert Trials(login="bob", tens=50).n_wrong != Trials(login="ada", tens=50).n_wrong


def test_one_of_ten_is_wrong_on_each_side() -> None:
    n = 50_000
    for wrong in Trials(login="ada", tens=n // 10).n_wrong:
        assert abs(wrong / n - 0.1) < 5 * math.sqrt(0.09 / n)


def test_the_bound_is_rarely_above_what_the_true_rates_need() -> None:
    needed, logins = math.log((0.9 - DELTA) / 0.1), 200
    above = sum(Trials(login=f"student {i}", tens=2).bound.low > needed for i in range(logins))
    assert above <= binom.ppf(0.999, logins, 0.05)


def test_the_texts_have_no_verdict_beyond_the_bound() -> None:
    trials = Trials(login="ada", tens=11, shows_truth=True)
    wrong = "The attack is wrong in {} of 110 trials without the record, and in {} of 110 with it."
    assert trials.text.startswith(wrong.format(*trials.n_wrong))
    assert "The claim ε = 2.5 is not contradicted." in trials.text
    assert trials.text.endswith("Both true rates are 10 %. These rates need ε = 2.2.")
