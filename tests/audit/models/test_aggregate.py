"""Many models: the log of the mean of e^Epsilon*, and both sides of Theorem 2 on a grid."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from scipy.stats import binom

from dpviz import audit
from dpviz.audit import AttackScores, epsilon_star
from dpviz.audit.epsilon_star import EpsilonStar, epsilon_star_on_grid
from dpviz.audit.epsilon_star.ratio_curves import fnr_on_grid
from dpviz.audit.models.aggregate import Aggregate, aggregate, log_mean_exp
from tests.slow import parametrize

EPSILONS = st.lists(st.floats(0, 800), min_size=1, max_size=40)


def star(seed: int, *, n: int = 200, m: int = 200, shift: float = 1, **form: Any) -> EpsilonStar:
    rng = np.random.default_rng(seed)
    scores = AttackScores(member=rng.normal(shift, 1, n), nonmember=rng.normal(0, 1, m))
    return epsilon_star(scores, **{"delta": 0.01, **form})


def met(found: Aggregate) -> dict[str, bool | None]:
    return {condition.name: condition.met for condition in found.conditions}


@given(EPSILONS)
def test_it_is_the_log_of_the_mean_of_the_exponentials(values: list[float]) -> None:
    found = aggregate(values)
    expected = logsumexp(values) - math.log(len(values))
    assert found.log_mean_exp == pytest.approx(expected, rel=1e-13, abs=1e-13)
    assert found.n == len(values)
    assert found.mean == pytest.approx(sum(values) / len(values), rel=1e-12)


@given(EPSILONS)
def test_the_plain_mean_is_no_larger_and_the_largest_no_smaller(values: list[float]) -> None:
    found = aggregate(values)
    assert found.mean - 1e-9 <= found.log_mean_exp <= max(values) + 1e-9
    assert 1 / found.n - 1e-12 <= found.dominated_by <= 1


@given(EPSILONS, st.floats(0, 500))
def test_a_shift_of_all_models_is_a_shift_of_the_result(values: list[float], by: float) -> None:
    shifted = aggregate([value + by for value in values])
    assert shifted.log_mean_exp == pytest.approx(aggregate(values).log_mean_exp + by, abs=1e-9)
    assert shifted.dominated_by == pytest.approx(aggregate(values).dominated_by, abs=1e-9)


def test_one_infinite_model_makes_the_result_infinite_and_says_so() -> None:
    found = aggregate([0.0, math.inf, 1.0, math.inf])
    assert (found.log_mean_exp, found.mean, found.dominated_by) == (math.inf, math.inf, 0.5)
    assert (found.standard_error, found.interval, found.guaranteed_upper) == (None, None, None)
    assert found.warnings[0] == "2 of 4 models have an infinite ε*, and so has the mean"


def test_one_model_is_itself_and_has_no_spread() -> None:
    found = aggregate([2.5])
    assert (found.log_mean_exp, found.mean, found.dominated_by) == (2.5, 2.5, 1.0)
    assert (found.standard_error, found.interval) == (None, None)
    assert "over 1 model is" in found.statement


def test_equal_models_have_no_spread_and_are_not_dominated() -> None:
    found = aggregate([1.5] * 30)
    assert (found.log_mean_exp, found.standard_error) == (1.5, 0.0)
    assert found.interval == (1.5, 1.5)
    assert found.warnings == ()


def test_the_standard_error_is_the_spread_of_the_log_over_repetitions() -> None:
    rng = np.random.default_rng(1)
    fleets = rng.uniform(0, 2, (4000, 50))
    logs = np.log(np.exp(fleets).mean(axis=1))
    errors = [aggregate(fleet).standard_error for fleet in fleets[:400]]
    # A standard deviation from 4000 runs is known within 1.1 %.
    assert np.mean(errors) == pytest.approx(logs.std(), rel=0.05)


def test_the_interval_covers_the_log_mean_where_no_model_dominates() -> None:
    rng = np.random.default_rng(2)
    truth = math.log((math.exp(2) - 1) / 2)  # e^U, U uniform on [0, 2]
    runs = 1000
    intervals = [aggregate(v, confidence_level=0.9).interval for v in rng.uniform(0, 2, (runs, 60))]
    held = sum(i is not None and i[0] <= truth <= i[1] for i in intervals)
    # Approximate: within two points of its level, and what 1000 runs add.
    assert binom.ppf(0.001, runs, 0.88) <= held <= binom.ppf(0.999, runs, 0.92)


def test_the_interval_misses_where_one_model_in_a_thousand_dominates() -> None:
    # Why it is labelled approximate: 1 of 1000 models has ε* = 12, all others 0.
    rng = np.random.default_rng(3)
    truth = math.log(0.999 + 0.001 * math.exp(12))
    fleets = np.where(rng.random((200, 50)) < 0.001, 12.0, 0.0)
    highs = [found[1] for fleet in fleets if (found := aggregate(fleet).interval)]
    assert np.mean(np.array(highs) < truth) > 0.8


def capped(values: list[float], clip: float = 0.01) -> list[EpsilonStar]:
    """Estimates with these values, delta 0 and the cap of a clip."""
    model = star(0, delta=0.0, clip=clip)

    def valued(value: float) -> EpsilonStar:
        maxima = tuple(
            dataclasses.replace(maximum, log_ratio=value) for maximum in model.suprema.maxima
        )
        return dataclasses.replace(model, suprema=dataclasses.replace(model.suprema, maxima=maxima))

    return [valued(value) for value in values]


@parametrize("reverse", [False, True], slow_but=[False])
def test_the_guaranteed_limit_holds_where_the_interval_does_not(reverse: bool) -> None:
    # Two points: 0, and almost the cap log 99, which 3 % (or 97 %) of models have.
    rng, runs, cap = np.random.default_rng(4), 300, math.log(99)
    share, top = (0.97 if reverse else 0.03), cap - 0.01
    truth = math.log(1 - share + share * math.exp(top))
    missed = 0
    for _ in range(runs):
        values = np.where(rng.random(40) < share, top, 0.0).tolist()
        limit = aggregate(capped(values)).guaranteed_upper
        assert limit is not None
        assert limit <= cap + 1e-12
        missed += limit < truth
    assert missed <= binom.ppf(0.999, runs, 0.05)


def test_the_guaranteed_limit_is_the_one_of_maurer_and_pontil() -> None:
    values = np.random.default_rng(5).uniform(0, 1, 5000)
    found = aggregate(capped(values.tolist()), confidence_level=0.9)
    w, k, log_term = np.exp(values), 5000, math.log(2 / 0.1)
    limit = w.mean() + math.sqrt(2 * w.var(ddof=1) * log_term / k)
    limit += 7 * (math.exp(math.log(99)) - 1) * log_term / (3 * (k - 1))
    assert found.guaranteed_upper == pytest.approx(math.log(limit), rel=1e-12)
    assert found.log_mean_exp < found.guaranteed_upper < math.log(99)


def test_a_limit_is_guaranteed_only_under_a_cap_that_all_share() -> None:
    assert aggregate([star(0), star(1)]).guaranteed_upper is not None
    assert aggregate([star(0), star(1, clip=0.02)]).guaranteed_upper is None
    assert aggregate([star(0, clip=None), star(1, clip=None)]).guaranteed_upper is None
    assert aggregate([0.5, 1.0]).guaranteed_upper is None
    assert aggregate([star(0)]).guaranteed_upper == star(0).suprema.cap


def test_the_theorem_on_exact_rates_at_common_quantiles() -> None:
    # Random TPRs at fixed FPRs, straight from the definition: no fit, no clip, no sampling.
    rng, delta = np.random.default_rng(6), 1e-3
    t = np.linspace(0.02, 0.98, 25)

    def epsilon(eta: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        ratios = np.stack(
            [
                (1 - delta - eta) / t,
                (1 - delta - t) / eta,
                (eta - delta) / (1 - t),
                (t - delta) / (1 - eta),
                np.ones_like(eta),
            ]
        )
        return np.log(ratios.max(axis=(0, -1)))

    for _ in range(50):
        # Models that leak more and less: TPR = t^a.
        eta = 1 - t ** rng.uniform(0.2, 1.5, (30, 1))
        averaged = float(epsilon(eta.mean(axis=0)[None])[0])
        assert averaged <= aggregate(epsilon(eta)).log_mean_exp + 1e-12


def test_without_common_quantiles_the_theorem_is_false() -> None:
    # The counterexample: (t, 1 - δ - η) = (.01, .01) and (.02, .4) at δ = 0, ratio m1 alone.
    mean_of_ratios = (0.01 / 0.01 + 0.4 / 0.02) / 2
    averaged = math.log((0.01 + 0.4) / (0.01 + 0.02))
    found = aggregate([0.0, math.log(20)])
    assert found.log_mean_exp == pytest.approx(math.log(mean_of_ratios))
    assert found.log_mean_exp < averaged


def test_conditions_are_checked_where_the_estimates_allow_it() -> None:
    fitted = met(aggregate([star(i, method="normal", clip=None) for i in range(3)]))
    assert fitted == {
        "one quantity": True,
        "same threshold grid": True,
        "no model-dependent clipping": True,
        "exact rates": False,
        "independent models of one mechanism": None,
    }
    counted = met(aggregate([star(i) for i in range(3)]))
    assert counted["one quantity"] is True
    assert counted["same threshold grid"] is None
    assert counted["no model-dependent clipping"] is False
    assert counted["exact rates"] is False
    sizes = met(aggregate([star(0), star(1, m=100)]))
    assert (sizes["one quantity"], sizes["same threshold grid"]) == (False, False)
    methods = aggregate([star(0), star(1, method="normal", clip=0.01)])
    assert met(methods)["same threshold grid"] is False
    assert methods.conditions[0].text == "the models differ in method and clip"


def test_of_numbers_alone_no_condition_can_be_checked() -> None:
    found = aggregate([0.1, 0.2])
    assert set(met(found).values()) == {None}
    assert found.conditions[0].text == "not checkable from numbers"


def test_it_never_reads_as_a_bound_of_the_mechanism() -> None:
    for found in (aggregate([0.5, 1]), aggregate([star(0), star(1)])):
        assert "an estimate" in found.statement
        assert "upper limit of ε-bar" in found.statement
        assert "does not bound the mechanism's ε" in found.statement


def test_domination_is_warned_of() -> None:
    assert aggregate([1.0] * 20).warnings == ()
    assert "there are 19, fewer than 20" in aggregate([1.0] * 19).warnings[0]
    assert aggregate([0.0] * 99 + [9.0]).warnings == (
        "dominated by one model: the largest of 100 has 99% of the sum of e^ε*",
    )


@pytest.mark.parametrize(
    ("given_values", "said"),
    [
        ([], "epsilon_stars must not be empty, got 0 models"),
        ([1.0, math.nan], r"epsilon_stars\[1\] must be in \[0, inf\], got nan"),
        ([1.0, -0.5], r"epsilon_stars\[1\] must be in \[0, inf\], got -0.5"),
        (["2"], "epsilon_stars must be numbers, got '2'"),
        ([True], "epsilon_stars must be numbers, got True"),
        ([1.0, None], "epsilon_stars must be numbers, got None"),
        ([[1.0, 2.0]], "epsilon_stars must be one number per model"),
        ("12", "epsilon_stars must be a sequence of EpsilonStar or of numbers, got '12'"),
        (1.0, "epsilon_stars must be a sequence of EpsilonStar or of numbers, got 1.0"),
        ([star(0), 1.0], "all EpsilonStar or all numbers, got 1 EpsilonStar among 2"),
        ([star(0), star(0, delta=0.02)], "must have the same delta, got 0.01 and 0.02"),
        ([star(0), star(0, shift=50)], r"epsilon_stars\[1\] must be in \[0, inf\], got nan \("),
    ],
)
def test_what_is_refused(given_values: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        aggregate(given_values)


def test_a_level_outside_its_range_is_refused() -> None:
    with pytest.raises(ValueError, match=r"confidence_level must be in \[0.5, 1\), got 1.0"):
        aggregate([1.0], confidence_level=1.0)


def test_log_mean_exp_of_any_numbers() -> None:
    assert log_mean_exp([-math.inf, -math.inf]) == -math.inf
    assert log_mean_exp([-math.inf, 0.0]) == pytest.approx(-math.log(2))
    assert log_mean_exp(np.full((2, 2), -5.0)) == -5.0
    with pytest.raises(ValueError, match="values must not be empty"):
        log_mean_exp([])
    with pytest.raises(ValueError, match="values must be in"):
        log_mean_exp([math.nan])


LOSSES = st.lists(st.integers(0, 6), min_size=1, max_size=8)
MODELS = st.lists(st.tuples(LOSSES, LOSSES), min_size=1, max_size=5)
GRIDS = st.sets(st.sampled_from([0.01, 0.1, 0.125, 0.25, 0.5, 0.8, 0.99]), min_size=1)


def losses(member: list[float], nonmember: list[float]) -> AttackScores:
    return AttackScores.from_losses(member=member, nonmember=nonmember)


@given(MODELS, GRIDS, st.sampled_from([0.0, 1e-5, 0.1, 0.6]))
def test_the_left_side_is_at_most_the_right(
    models: list[tuple[list[float], list[float]]], grid: set[float], delta: float
) -> None:
    scores = [losses(member, nonmember) for member, nonmember in models]
    found = audit.models.both_sides(scores, delta=delta, grid=sorted(grid))
    assert found.left <= found.right + 1e-12
    assert [each.value for each in found.models] == [
        epsilon_star_on_grid(each, delta=delta, grid=sorted(grid)).value for each in scores
    ]


@given(LOSSES, LOSSES, GRIDS)
def test_the_fnr_is_that_of_a_random_choice_between_two_thresholds(
    member: list[float], nonmember: list[float], grid: set[float]
) -> None:
    places = np.array(sorted(grid))
    for t, fnr in zip(places, fnr_on_grid(losses(member, nonmember), places), strict=True):
        # The lower threshold is the last with an FPR of at most t, the upper one the next FPR.
        rates = [
            (np.mean(np.array(nonmember) <= tau), np.mean(np.array(member) > tau))
            for tau in (-1, *sorted({*member, *nonmember}))
        ]
        low = min((-fpr, fnr) for fpr, fnr in rates if fpr <= t + 1e-12)
        above = min(fpr for fpr, _ in rates if fpr > t + 1e-12)
        high = min(fnr for fpr, fnr in rates if fpr == above)
        share = (t + low[0]) / (above + low[0])
        assert fnr == pytest.approx((1 - share) * low[1] + share * high, abs=1e-9)


def test_equation_19_by_hand() -> None:
    """Two models at t = 1/2: FNR 1/4 and 3/4, hence 1/2 on average."""
    first = losses([1, 1, 1, 4], [2, 3])
    second = losses([1, 4, 4, 4], [2, 3])
    found = audit.models.both_sides([first, second], delta=0.1, grid=[0.5])
    assert found.averaged.fnr.tolist() == [0.5]
    assert found.left == 0  # (1 - 0.1 - 0.5)/0.5 and the three others are below 1
    # Of the first (1 - 0.1 - 0.5)/0.25, of the second (0.5 - 0.1)/(1 - 0.75): both 1.6.
    assert [each.value for each in found.models] == pytest.approx([math.log(1.6)] * 2)
    assert found.right == pytest.approx(math.log(1.6))
    assert {each.name: each.met for each in found.conditions}["exact rates"] is False


def test_a_model_that_misses_nobody_makes_the_right_side_infinite() -> None:
    found = audit.models.both_sides(
        [losses([1, 1], [2, 3]), losses([4, 4], [2, 3])], delta=0.0, grid=[0.5]
    )
    assert (found.left, found.right) == (0.0, math.inf)
    assert {each.name: each.met for each in found.conditions}["no FNR of 0"] is False


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        ([0.5, 0.1], "grid must be in ascending order without repeats"),
        ([0.0, 0.5], r"grid must be inside \(0, 1\), got 0.0"),
        ([], r"grid must be FPRs of shape \(k,\), 1 <= k <= 10000"),
        ([math.nan], "grid must be"),
    ],
)
def test_grids_that_are_none(grid: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        epsilon_star_on_grid(losses([1], [2]), delta=0.1, grid=grid)


def test_no_models() -> None:
    with pytest.raises(ValueError, match="models must not be empty, got 0 models"):
        audit.models.both_sides([], delta=0.1)
