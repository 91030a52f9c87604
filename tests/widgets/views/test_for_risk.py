"""The view that asks what a mechanism would need, for attacks to do no more than is wanted."""

import math
from statistics import NormalDist

import pytest

from dpviz.analysis.topics import for_risk as said
from dpviz.analysis.topics.for_risk import RiskQuestion, Wish, parameters_for_risk
from dpviz.theory import ApproximateDP, GaussianDP, GaussianMechanism, PiecewiseLinear, PureDP
from dpviz.widgets import ForRiskView
from tests.widgets.words import words

QUANTILE = NormalDist().inv_cdf


def test_noise_for_a_tpr_and_for_an_advantage() -> None:
    view = ForRiskView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    assert "Press “Search”" in words(view)
    view.compute()
    noise = 1 / (QUANTILE(0.05) - QUANTILE(0.01))  # mu is the distance of the two quantiles
    assert 1.46 < noise < 1.47
    assert "a TPR of at most 5 % at FPR 1 %: σ = 1.47." in words(view)
    view.choose(wish="advantage")
    assert "Press “Search”" in words(view)
    view.compute()
    noise = 1 / (2 * QUANTILE(0.55))  # TPR - FPR = 2 Phi(mu / 2) - 1 = 0.1
    assert 3.97 < noise < 3.98
    assert "TPR - FPR of at most 10 %: σ = 3.98." in words(view)
    view.use.click()
    assert view.claim == GaussianMechanism(noise_multiplier=3.98)
    assert view.claim.delta(0.0) <= 0.1


def test_numbers_that_hide_less_as_they_grow_are_rounded_down() -> None:
    asked = RiskQuestion(
        claim=PureDP(epsilon=1.0), wish="ppv", limit=0.1, fpr=0.01, prior=0.01, kappa=0.5
    )
    (need,) = parameters_for_risk(asked).needs
    # Posterior odds are at most e^epsilon times those of the prior: 1/9 = e^epsilon / 99.
    assert need.enough is not None
    assert need.enough.parameters["epsilon"] == pytest.approx(math.log(11), rel=1e-4)
    assert said.sufficient_text(need) == "2.39"
    guess = RiskQuestion(
        claim=PureDP(epsilon=1.0), wish="guess", limit=0.2, fpr=0.01, prior=0.5, kappa=0.1
    )
    (need,) = parameters_for_risk(guess).needs
    assert said.sufficient_text(need) == "0.693"  # ln 2


@pytest.mark.parametrize(
    ("wish", "fpr", "tpr"),
    # At prior 0.1, of 1 % of non-members flagged, a PPV of 0.2 allows odds of 1/4 times 9 to 1.
    [("tpr", 0.01, 0.2), ("ppv", 0.01, 0.0225), ("guess", 0.1, 0.2)],
)
def test_the_wanted_point_is_on_the_curve_of_the_claim_that_is_enough(
    wish: Wish, fpr: float, tpr: float
) -> None:
    asked = RiskQuestion(
        claim=GaussianDP(mu=1.0), wish=wish, limit=0.2, fpr=0.01, prior=0.1, kappa=0.1
    )
    enough = parameters_for_risk(asked).needs[0].enough
    assert enough is not None
    assert float(enough.tpr(fpr)) == pytest.approx(tpr, rel=1e-5)


def test_what_is_never_enough_is_said() -> None:
    asked = {"wish": "tpr", "limit": 0.05, "fpr": 0.01, "prior": 0.5, "kappa": 0.1}
    leaks = parameters_for_risk(RiskQuestion(claim=ApproximateDP(epsilon=1.0, delta=0.1), **asked))
    assert leaks.attainable_parameters == ()
    assert said.lead(leaks).startswith("No number of this claim is enough for a TPR")
    line = PiecewiseLinear([(0.0, 1.0), (1.0, 0.0)])
    lead = said.lead(parameters_for_risk(RiskQuestion(claim=line, **asked)))
    assert lead.startswith("This claim has no number that can be changed")
    view = ForRiskView(claim=line)
    view.compute()
    assert lead in words(view)


def test_nobody_can_have_less_than_random_guessing() -> None:
    view = ForRiskView(claim=PureDP(epsilon=1.0), fpr=0.1, prior=0.5)
    view.compute()  # a TPR of 5 % at FPR 10 %
    assert "Nothing is enough: tpr must be in (0.1, 1), got 0.05." in words(view)


def test_limits_are_checked() -> None:
    view = ForRiskView(epsilon=1.0)
    for limit in (0.0, 1.0, None):
        view.choose(limit=limit)
        assert "limit" in view.error
        assert view.limit == 0.05
    view.choose(wish="fame")
    assert "wish must be one of" in view.error
    assert view.wish == "tpr"
