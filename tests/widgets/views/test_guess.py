"""Guesses, costs and post-processing: what the views show, and what they reject."""

import numpy as np
import pytest
from scipy.stats import norm

from dpviz.theory import (
    ApproximateDP,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    SubsampledGaussian,
    TradeoffFunction,
)
from dpviz.widgets import CostsView, GuessView, ProcessingView
from tests.pictures.reading import by_id, parse, vertices

RARE = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=2)


def test_the_numbers_of_ten_candidates() -> None:
    view = GuessView(claim=GaussianDP(mu=1.0))
    guess = view.result.guess
    assert (guess.kappa, guess.candidates.n_candidates) == (0.1, 10)
    assert guess.best == pytest.approx(0.2533, abs=5e-5)
    assert guess.bound == pytest.approx(0.3891, abs=5e-5)
    assert guess.loose_bound == pytest.approx(1 - np.exp(-4.3772) * (0.9 - 1e-5), abs=1e-6)
    assert "10 candidates" in view.result.sentences["guess"]
    assert view.result.sentences["guess_lead"].endswith("at most 39 %.")


def test_the_bound_of_epsilon_and_delta_alone_uses_both_inequalities() -> None:
    """e^3 / 10 exceeds 1, and 1 - e^-3 0.9 = 0.9552 does not."""
    view = GuessView(claim=PureDP(epsilon=3.0))
    assert view.result.guess.loose_bound == pytest.approx(1 - np.exp(-3) * 0.9)
    assert "δ = 0 alone, the limit is 95.6 %." in view.result.sentences["guess"]


def test_it_holds_where_the_two_orders_of_a_pair_have_different_epsilons() -> None:
    """The largest loss is log(0.95 / 0.5) in one order, log(0.5 / 0.05) in the other."""
    view = GuessView(claim=DiscretePair([0.5, 0.5], [0.95, 0.05]), kappa=0.5, delta=0.0)
    assert view.result.guess.bound == pytest.approx(0.95)
    assert view.result.guess.loose_bound == pytest.approx(0.95)  # 1 - 0.5 / 10


@pytest.mark.parametrize("output", [-2.0, 0.5, 3.0])
def test_the_posterior_is_bayes(output: float) -> None:
    """Candidate 1 shows `output`; the others' numbers stay, so odds among them do not change."""
    view = GuessView(claim=GaussianDP(mu=1.0), kappa=0.25)
    before = view.shown.posterior
    view.change(output=output)
    shown = view.shown
    assert shown.output == output
    assert shown.posterior.sum() == pytest.approx(1)
    assert shown.posterior[1] / shown.posterior[2] == pytest.approx(before[1] / before[2])
    shift = np.sqrt(0.5)
    moved = norm.logpdf(output, shift) - norm.logpdf(output)
    first = norm.logpdf(shift, shift) - norm.logpdf(shift)  # where it began
    odds = np.log([shown.posterior[0] / shown.posterior[1], before[0] / before[1]])
    assert odds[0] - odds[1] == pytest.approx(moved - first)
    assert shown.likeliest_candidate == shown.posterior.argmax()


def test_each_candidate_has_a_bar_as_long_as_its_posterior() -> None:
    view = GuessView(claim=GaussianDP(mu=1.0), kappa=0.25)
    root = parse(view.svg())
    outlines = [vertices(root, f"posterior-posterior_bars-{i}")[:, 0] for i in (1, 2)]
    left, width, high = (
        float(by_id(root, "posterior").get(f"data-{name}", ""))
        for name in ("left", "width", "x-high")
    )
    ends = {float(x) for outline in outlines for x in outline if x > left}
    expected = left + width * np.sort(view.shown.posterior) / high
    assert sorted(ends) == pytest.approx(expected, abs=0.0051)


def test_candidate_1_and_the_four_likeliest_others_have_bars() -> None:
    shown = GuessView(claim=GaussianDP(mu=1.0)).shown
    others = sorted(range(1, 10), key=lambda k: -shown.posterior[k])
    assert shown.rows == (0, *others[:4])


def test_randomized_response_names_a_candidate() -> None:
    view = GuessView(claim=ApproximateDP(epsilon=1.0, delta=0.1), kappa=0.1)
    named = np.e / (np.e + 9)
    assert view.shown.posterior[0] == pytest.approx(named)
    view.change(output=1.5)
    assert view.shown.posterior[:2] == pytest.approx([(1 - named) / 9, named])
    view.change(output=3.5)
    assert view.shown.posterior[0] == 1


@pytest.mark.parametrize("claim", [LaplaceMechanism(epsilon=1.0), PureDP(epsilon=np.inf), RARE])
def test_every_claim_has_its_bound(claim: TradeoffFunction) -> None:
    view = GuessView(claim=claim)
    assert (view.shown is None) == (claim is RARE)
    assert len(view.pictures_on_page) == (1 if claim is RARE else 3)
    assert view.svg().startswith("<svg")


def test_candidates_are_one_over_kappa() -> None:
    view = GuessView(epsilon=1.0)
    view.change(candidates=4)
    assert (view.kappa, view.error) == (0.25, "")
    view.change(candidates=1)
    assert view.error == "candidates must be a whole number of at least 2, got 1"
    view.change(kappa=1.0)
    assert view.error == "κ must be more than 0 and less than 1 (you typed 1)."
    assert view.kappa == 0.25
    with pytest.raises(ValueError, match=r"kappa must be in \(0, 1\), got 0"):
        view.kappa = 0


def test_new_numbers_of_the_others() -> None:
    view = GuessView(claim=GaussianDP(mu=1.0))
    before = view.shown.posterior
    view.sample_outputs()
    assert not np.array_equal(view.shown.posterior, before)


def test_a_task_sets_both_costs() -> None:
    view = CostsView(claim=GaussianDP(mu=1.0), prior=0.3)
    coverage, precision, same = view.presets.widget.options
    view.presets.widget.value = coverage
    assert (view.cost_false_alarm, view.cost_miss) == (1, 10)
    eager = view.result.costs
    view.presets.widget.value = precision
    wary = view.result.costs
    assert eager.fpr > 0.5 > wary.fpr
    # The slope of the curve at its least cost is minus gamma: phi(z - mu) / phi(z) there.
    for at, ratio in ((eager, 0.1), (wary, 10)):
        z = norm.isf(at.fpr)
        assert norm.pdf(z - 1) / norm.pdf(z) == pytest.approx(ratio * 0.7 / 0.3)
    view.cost_miss = 3.0
    assert view.presets.widget.value == "costs of your own"
    view.presets.widget.value = same
    assert (view.cost_false_alarm, view.cost_miss) == (1, 1)
    view.presets.widget.value = "costs of your own"  # the last costs that were no task's
    assert (view.cost_false_alarm, view.cost_miss) == (10, 3)


@pytest.mark.parametrize("cost", ["cost_false_alarm", "cost_miss"])
@pytest.mark.parametrize("value", [0, -1, np.inf])
def test_costs_are_positive(cost: str, value: float) -> None:
    view = CostsView()
    with pytest.raises(ValueError, match=rf"{cost} must be in \(0, inf\), got {value}"):
        setattr(view, cost, value)
    assert getattr(view, cost) == 1


def test_steps_and_their_amount() -> None:
    view = ProcessingView(claim=GaussianDP(mu=1.0), fpr=0.1)
    before = view.result.claim.claim.tpr(0.1)
    for step in ("round", "replace", "clamp"):
        view.step = step
        reached = []
        for amount in (0.0, 0.5, 1.0):
            view.amount = amount
            reached.append(view.result.answers["processing"].after)
        assert reached == sorted(reached, reverse=True)
        assert before >= reached[0] - 1e-9
        assert reached[-1] == pytest.approx(0.1)
        assert "helps no attacker" in view.result.sentences["processing_lead"]
    view.step, view.amount = "clamp_noise", 0.5
    assert "an attack catches 18.1 % of the members" in view.result.sentences["processing_lead"]
    view.step = "redraw_data"  # the claim counts the noise alone
    after, said = view.result.answers["processing"].after, view.result.sentences["processing_lead"]
    assert after < before
    assert "if the other records are drawn anew, and" in said
    view.step = "side_information"
    assert view.result.answers["processing"].after > before
    view.choose(amount=1.5)
    assert "amount must be" in view.error


def test_noise_that_is_not_there_cannot_be_clamped() -> None:
    view = ProcessingView(epsilon=1.0)
    view.step = "clamp_noise"
    assert "not about noise added to a query" in view.result.sentences["processing_lead"]


@pytest.mark.parametrize("claim", [GaussianDP(mu=np.inf), LaplaceMechanism(epsilon=np.inf)])
def test_without_noise_the_output_proves_which_candidate_it_is(claim: TradeoffFunction) -> None:
    view = GuessView(claim=claim)
    view.change(output=3.5)
    assert view.shown.posterior.tolist() == [1.0] + [0.0] * 9


def test_a_cost_below_every_float_is_named() -> None:
    with pytest.raises(
        ValueError, match=r"prior \* cost_miss must be above 0 in floating-point arithmetic, got 0"
    ):
        CostsView(claim=GaussianDP(mu=1.0), prior=1e-5, cost_miss=1e-320)
