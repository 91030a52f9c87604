"""The smallest member of a family that scores do not contradict, and the families."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from dpviz import AttackScores, audit, theory
from dpviz.theory.polyline import lower_hull

STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


def normal(seed: int, n: int, shift: float) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(shift, 1, n), nonmember=rng.normal(0, 1, n))


def test_the_true_parameter_is_seldom_exceeded_and_nearly_reached() -> None:
    runs, level = 20, 0.2
    found = [
        audit.smallest(
            "gaussian", normal(run, 150, 1.0), parameters=STEPS, confidence_level=1 - level
        )
        for run in range(runs)
    ]
    most = level + 3 * np.sqrt(level * (1 - level) / runs)
    # A limit of 1.0 is not above the truth; its own test refutes a true claim.
    lows = [each.low for each in found]
    assert np.mean(np.array(lows) >= 1.0) <= most
    assert np.median(lows) >= 0.75
    # This attack's own curve is that of the member 1.0.
    assert np.mean([not each.between[0] < 1.0 < each.between[1] for each in found]) <= most


@pytest.mark.parametrize("shift", [0.0, -1.5])
def test_no_leak_and_a_reversed_attack_refute_nothing(shift: float) -> None:
    found = audit.smallest("laplace", normal(7, 200, shift), parameters=STEPS)
    assert (found.low, found.guarantee, found.parameters.tolist()) == (0.0, None, [0.25])
    assert found.p_values[0] > 0.05


def test_all_below_the_limit_were_refuted_and_the_next_one_was_not() -> None:
    scores = normal(3, 400, 1.5)
    found = audit.smallest("gaussian", scores, parameters=STEPS)
    assert np.all(found.p_values[:-1] <= 0.05)
    assert found.p_values[-1] > 0.05
    assert found.low == STEPS[len(found.p_values) - 2]
    assert found.guarantee == theory.GaussianDP(mu=found.low)
    assert "family 'gaussian'" in found.assumption
    few = audit.smallest("gaussian", scores, parameters=STEPS[:2])
    assert (few.low, few.is_last, found.is_last) == (0.5, True, False)
    assert not replace(found, between=(1.0, 1.0)).fits


def test_a_limit_above_the_upper_end_does_not_fit_with_the_confidence_of_both_statements() -> None:
    # Normal scores, but Laplace curves: each statement alone leaves some of them.
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(1, 1, 500), nonmember=rng.normal(0, 1, 500))
    steps = [1.24, 1.26, 1.54, 1.56, 1.78]
    found = audit.smallest("laplace", scores, parameters=steps)
    assert found.between[0] < found.between[1] < found.low
    assert not found.fits
    assert found.misfit_confidence == pytest.approx(0.9)  # both statements miss 5 %
    assert replace(found, between=(1.5, 1.5)).misfit_confidence == 0.95  # the band alone
    fitting = replace(found, low=1.5, between=(1.24, 1.56))
    assert (fitting.fits, fitting.misfit_confidence) == (True, 0.0)
    # The parameter is at least `low`, but strictly below the upper end.
    assert not replace(found, low=1.56, between=(1.24, 1.56)).fits
    assert replace(found, confidence_level=0.4).misfit_confidence == 0.0


def test_the_two_ends_are_the_nearest_members_outside_the_band() -> None:
    scores, steps = normal(2, 300, 1.2), np.arange(80, 200) / 100
    found = audit.smallest("gaussian", scores, parameters=steps.tolist(), confidence_level=0.6)
    band = audit.curve_band(audit.AttackCurve.from_scores(scores), confidence_level=0.6)
    x, at = np.linspace(0, 1, 501), band.upper
    lowest = np.interp(x, *lower_hull(band.lower).T)
    low = max(mu for mu in steps if np.any(gaussian_curve(mu, at[:, 0]) > at[:, 1]))
    high = min(mu for mu in steps if np.any(gaussian_curve(mu, x) < lowest))
    assert found.between == (low, high)


def gaussian_curve(mu: float, fpr: np.ndarray) -> np.ndarray:
    return np.asarray(ndtr(-ndtri(fpr) - mu))


def test_a_family_may_be_any_function_that_is_ordered() -> None:
    def noise(inverse: float) -> theory.TradeoffFunction:
        return theory.GaussianDP(mu=2 * inverse)

    scores = normal(5, 300, 1.0)
    found = audit.smallest(noise, scores, parameters=[0.1, 0.2, 0.3, 0.6])
    assert found.family == "noise"
    assert found.low == 0.3
    with pytest.raises(
        ValueError, match=r"ordered by leakage \(parameter 0.2 allows less than 0.1\)"
    ):
        audit.smallest(lambda x: theory.GaussianDP(mu=0.1 / x), scores, parameters=[0.1, 0.2, 0.3])
    # Also where the first member is not refuted.
    with pytest.raises(ValueError, match="ordered"):
        audit.smallest(lambda x: theory.GaussianDP(mu=9 / x), scores, parameters=[1, 2, 3])


def test_bad_input_is_named() -> None:
    scores = normal(1, 20, 1.0)
    for none in (None, 3, theory.GaussianDP(mu=1.0)):
        with pytest.raises(ValueError, match="family must be a name, an OrderedFamily or a func"):
            audit.smallest(none, scores)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="family must be one of 'gaussian', 'laplace'"):
        audit.smallest("cauchy", scores)
    with pytest.raises(ValueError, match="parameters must be in ascending order"):
        audit.smallest("gaussian", scores, parameters=[0.5, 1.0, 1.0])
    with pytest.raises(ValueError, match="parameters must be finite"):
        audit.smallest("gaussian", scores, parameters=[float("nan")])
    with pytest.raises(ValueError, match="parameters must not be empty"):
        audit.smallest("gaussian", scores, parameters=[])
    with pytest.raises(ValueError, match="returns a TradeoffFunction"):
        audit.smallest(lambda x: x, scores)  # type: ignore[arg-type, return-value]


def test_a_family_that_is_ordered_at_some_rates_only_is_refused() -> None:
    steps = {1.0: theory.ApproximateDP(epsilon=1.0, delta=0.1), 2.0: theory.PureDP(epsilon=1.5)}
    with pytest.raises(ValueError, match=r"ordered by leakage \(parameter 2 allows less than 1\)"):
        audit.smallest(steps.__getitem__, normal(0, 300, 3.0), parameters=[1.0, 2.0])


class Vague(theory.GaussianDP):
    """A curve computed from below, so that nearly any other one may be the true one."""

    error = 0.9


def test_what_a_computed_curve_may_lack_refutes_no_member() -> None:
    scores, steps = normal(0, 300, 1.0), [0.5, 1.0, 5.0]
    exact = audit.smallest(lambda mu: theory.GaussianDP(mu=mu), scores, parameters=steps)
    vague = audit.smallest(lambda mu: Vague(mu=mu), scores, parameters=steps)
    assert exact.family == "that was given"
    assert exact.between[1] == 5.0
    assert vague.between[1] == np.inf


def test_members_of_dp_sgd_have_the_inverse_noise() -> None:
    family = audit.evidence.dp_sgd_family(sampling_rate=0.2, steps=3, adjacency="replace_one")
    assert family.member(2.5) == theory.SubsampledGaussian(
        noise_multiplier=0.4, sampling_rate=0.2, steps=3, adjacency="replace_one"
    )
    rng = np.random.default_rng(4)
    # One step with every record: Gaussian noise 1 / mu, the next parameter below 1 / 0.5.
    scores = AttackScores(member=rng.normal(2, 1, 400), nonmember=rng.normal(0, 1, 400))
    whole = audit.evidence.dp_sgd_family(sampling_rate=1.0, steps=1)
    found = audit.smallest(whole, scores, parameters=STEPS)
    assert found.low in (1.5, 1.25)
    assert found.guarantee == whole.member(found.low)


def test_multiples_of_the_sensitivity() -> None:
    for guarantee, wanted in (
        (theory.GaussianDP(mu=0.5, adjacency="add_remove"), {"mu": 1.0}),
        (theory.GaussianMechanism(noise_multiplier=4.0), {"noise_multiplier": 2.0}),
        (theory.LaplaceMechanism(epsilon=0.25), {"epsilon": 0.5}),
        (
            theory.SubsampledGaussian(noise_multiplier=4.0, sampling_rate=0.1, steps=7),
            {"noise_multiplier": 2.0},
        ),
    ):
        twice = audit.evidence.sensitivity_family(guarantee).member(2.0)
        assert (type(twice), twice.parameters) == (type(guarantee), guarantee.parameters | wanted)


def test_a_second_audit_composes_nothing_again() -> None:
    family = audit.evidence.dp_sgd_family(sampling_rate=0.5, steps=2)
    assert family.member(0.5) is family.member(0.5)
    assert family.member(0.5) != family.member(0.25)


def test_bad_input_of_a_family_is_named() -> None:
    with pytest.raises(ValueError, match=r"guarantee must be Gaussian, Laplace or DP-SGD"):
        audit.evidence.sensitivity_family(theory.PureDP(epsilon=1.0))
    with pytest.raises(ValueError, match="sampling_rate must be in"):
        audit.evidence.dp_sgd_family(sampling_rate=2.0, steps=1)
    family = audit.evidence.sensitivity_family(theory.LaplaceMechanism(epsilon=1.0))
    with pytest.raises(ValueError, match=r"parameters must be in \(0, inf\), got 0"):
        audit.smallest(family, AttackScores(member=[1, 2], nonmember=[0]), parameters=[0, 1])
    with pytest.raises(ValueError, match="steps must be"):
        audit.evidence.dp_sgd_family(sampling_rate=0.5, steps=0)


def between(seed: int, member: np.ndarray, family: str = "gaussian") -> tuple[float, float]:
    nonmember = np.random.default_rng([seed, 1]).normal(0, 1, member.size)
    scores = AttackScores(member=member, nonmember=nonmember)
    found = audit.smallest(family, scores, parameters=STEPS, confidence_level=0.8)
    assert found.fits == (max(found.low, found.between[0]) < found.between[1])
    return found.between


def test_a_violated_family_is_said() -> None:
    # 8 % of the members show themselves, the others do not leak: no Gaussian is like that.
    member = np.random.default_rng(1).normal(0, 1, 1500)
    member[:120] += 8
    low, high = between(2, member)
    assert low >= high


def test_no_leak_and_a_reversed_attack_exclude_no_small_member() -> None:
    for shift in (0.0, -1.0):
        low, high = between(3, np.random.default_rng(5).normal(shift, 1, 400))
        assert (low, high <= 1.0) == (0.0, True)
