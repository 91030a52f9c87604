"""Methods for lower bounds in `benchmarks`, which dpviz does not offer."""

import math
from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import betainc, betaincinv
from scipy.stats import beta, binom, norm

from benchmarks.methods import OTHERS
from benchmarks.methods import three_paths as module
from benchmarks.methods.all_thresholds import dkw_upper
from benchmarks.methods.from_counts import gdp, jeffreys, joint_beta
from benchmarks.methods.joint_posterior import joint_beta_cdf, joint_beta_epsilon
from benchmarks.methods.three_paths import SHARES, GuessWalk, _convolved
from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import BOUNDS, EpsilonBound, Evidence, RankEvidence
from dpviz.audit.bounds.fixed_threshold import ErrorCounts
from dpviz.audit.roc import bands
from tests.audit.oracles import deltas, of_losses, tied_losses
from tests.slow import parametrize

SCANS = ["local_levels", "bonferroni", "dkw"]
Draw = Callable[[np.random.Generator, int, int], AttackScores]


@pytest.fixture(scope="module", autouse=True)
def offered() -> Iterator[None]:
    """The methods, among those of `lower_bound`."""
    with pytest.MonkeyPatch.context() as patch:
        for name, method in OTHERS.items():
            patch.setitem(BOUNDS, name, method)
        yield


def evidence_of(bound: EpsilonBound) -> Evidence:
    (evidence,) = bound.evidence
    assert isinstance(evidence, Evidence)
    return evidence


def implied(fpr: np.ndarray, fnr: np.ndarray, delta: float) -> np.ndarray:
    """The epsilons that pairs of limits refute; 0 where none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.log(np.maximum(1 - fnr - delta, 0) / fpr)
        second = np.log(np.maximum(1 - fpr - delta, 0) / fnr)
    return np.fmax(np.fmax(first, second), 0)


def limit(method: str, errors: np.ndarray, n: int, level: float) -> np.ndarray:
    """The upper limit of a rate at `level` of one class, from its definition."""
    if method == "dkw":
        return np.minimum(errors / n + math.sqrt(math.log(1 / level) / (2 * n)), 1)
    each = level / n
    if method == "local_levels":
        each = bands.local_level(n, confidence_level=1 - level)
    return np.where(errors == n, 1.0, beta.isf(each, errors + 1, np.maximum(n - errors, 0.5)))


def by_brute_force(
    scores: AttackScores, method: str, delta: float, confidence_level: float
) -> tuple[float, np.ndarray]:
    """The best bound of any threshold, and the bound of each threshold."""
    losses = -np.unique(np.concatenate([scores.member, scores.nonmember]))
    taus = np.concatenate([[-math.inf], losses])
    member, nonmember = np.sort(-scores.member), np.sort(-scores.nonmember)
    accused = np.searchsorted(nonmember, taus, side="right")
    missed = member.size - np.searchsorted(member, taus, side="right")
    level = (1 - confidence_level) / 2
    found = implied(
        limit(method, accused, nonmember.size, level),
        limit(method, missed, member.size, level),
        delta,
    )
    return float(found.max()), found


def check_evidence(bound: EpsilonBound, scores: AttackScores, method: str) -> None:
    """The counts are those of the raw losses at the threshold, and they give the bound."""
    evidence = evidence_of(bound)
    assert evidence.threshold is not None
    assert evidence.n_members == scores.n_members
    assert evidence.n_nonmembers == scores.n_nonmembers
    sign = -1 if scores.kind == "loss" else 1
    threshold = sign * evidence.threshold
    assert evidence.false_positives == np.sum(scores.nonmember >= threshold)
    assert evidence.false_negatives == np.sum(scores.member < threshold)
    level = (1 - bound.confidence_level) / 2
    for count, n, upper in (
        (evidence.false_positives, scores.n_nonmembers, evidence.fpr_upper),
        (evidence.false_negatives, scores.n_members, evidence.fnr_upper),
    ):
        assert upper == pytest.approx(float(limit(method, np.array(count), n, level)), rel=1e-9)
    low = implied(np.array(evidence.fpr_upper), np.array(evidence.fnr_upper), bound.delta)
    assert bound.low == pytest.approx(float(low), rel=1e-9, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("method", SCANS)
@settings(max_examples=60)
@given(member=tied_losses, nonmember=tied_losses, delta=deltas, level=st.sampled_from([0.5, 0.95]))
def test_no_threshold_of_tied_losses_does_better(
    method: str, member: list[float], nonmember: list[float], delta: float, level: float
) -> None:
    scores = of_losses(member, nonmember)
    bound = lower_bound(scores, delta=delta, confidence_level=level, method=method)
    expected, _ = by_brute_force(scores, method, delta, level)
    assert bound.low == pytest.approx(expected, rel=1e-9, abs=1e-12)
    check_evidence(bound, scores, method)


@pytest.mark.slow
@pytest.mark.parametrize("method", SCANS)
@pytest.mark.parametrize("sizes", [(400, 300), (9000, 12_000), (30, 20_000), (20_000, 100)])
@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize("kind", ["loss", "score"])
def test_no_threshold_of_a_large_sample_does_better(
    method: str, sizes: tuple[int, int], digits: int, kind: str
) -> None:
    rng = np.random.default_rng(sizes[0])
    member = rng.normal(1.5, 1, sizes[0]).round(digits)
    nonmember = rng.normal(0, 1, sizes[1]).round(digits)
    scores = AttackScores(member=member, nonmember=nonmember).shown_as(kind)
    bound = lower_bound(scores, delta=1e-5, method=method)
    expected, _ = by_brute_force(scores, method, 1e-5, 0.95)
    assert expected > 0.1
    assert bound.low == pytest.approx(expected, rel=1e-9)
    check_evidence(bound, scores, method)


@parametrize("method", ["dkw", "local_levels"], slow_but=["dkw"])
def test_no_threshold_of_many_scores_does_better(method: str) -> None:
    rng = np.random.default_rng(2)
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 150_000), nonmember=rng.normal(1, 1, 140_000)
    )
    bound = lower_bound(
        AttackScores.from_losses(-scores.member, -scores.nonmember), delta=0.0, method=method
    )
    check_evidence(bound, scores, method)
    if method == "dkw":
        assert bound.low == pytest.approx(by_brute_force(scores, method, 0, 0.95)[0], rel=1e-9)


@pytest.mark.parametrize("method", [*SCANS, "split"])
def test_the_unit_and_the_order_of_the_records_do_not_matter(method: str) -> None:
    rng = np.random.default_rng(3)
    member, nonmember = rng.normal(0, 1, 200), rng.normal(1.5, 1, 150)
    low = lower_bound(of_losses(list(member), list(nonmember)), delta=0.0, method=method).low
    assert low > 0
    turned = AttackScores(member=np.exp(-member), nonmember=np.exp(-nonmember))
    assert lower_bound(turned, delta=0.0, method=method).low == low
    if method != "split":
        shuffled = of_losses(sorted(member), sorted(nonmember)[::-1])
        assert lower_bound(shuffled, delta=0.0, method=method).low == low


def null(rng: np.random.Generator, n: int, m: int) -> AttackScores:
    return AttackScores(member=rng.normal(size=n), nonmember=rng.normal(size=m))


def laplace(rng: np.random.Generator, n: int, m: int) -> AttackScores:
    return AttackScores(member=rng.laplace(1, 1, n), nonmember=rng.laplace(0, 1, m))


def randomized_response(rng: np.random.Generator, n: int, m: int) -> AttackScores:
    truth = math.e / (1 + math.e)
    return AttackScores(
        member=(rng.random(n) < truth).astype(float),
        nonmember=(rng.random(m) > truth).astype(float),
    )


def sorted_laplace(rng: np.random.Generator, n: int, m: int) -> AttackScores:
    """Records come sorted: a half that is no random half would be another law."""
    scores = laplace(rng, n, m)
    return AttackScores(member=np.sort(scores.member)[::-1], nonmember=np.sort(scores.nonmember))


LAWS: list[tuple[Draw, float]] = [
    (null, 0.0),
    (laplace, 1.0),
    (randomized_response, 1.0),
]


@parametrize(
    ("method", "law", "epsilon"),
    [
        *((method, *law) for method in [*SCANS, "split", "clopper_pearson"] for law in LAWS),
        ("split", sorted_laplace, 1.0),
    ],
    slow_but=[
        ("split", null, 0.0),
        *((method, randomized_response, 1.0) for method in [*SCANS, "split", "clopper_pearson"]),
    ],
)
def test_the_bound_exceeds_epsilon_at_most_as_often_as_said(
    method: str, law: Draw, epsilon: float
) -> None:
    rng, runs = np.random.default_rng(10), 400
    threshold = 0.7 if method == "clopper_pearson" else None
    lows = np.array(
        [
            lower_bound(
                law(rng, 100, 100), delta=0.0, method=method, threshold=threshold, rng=run
            ).low
            for run in range(runs)
        ]
    )
    assert np.mean(lows > epsilon) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    if epsilon > 0:
        assert np.mean(lows) > 0.1
    else:
        assert np.median(lows) == 0


@pytest.mark.parametrize("method", [*SCANS, "split"])
@pytest.mark.parametrize("gap", [1.0, 50.0])
def test_a_reversed_attack_shows_nothing(method: str, gap: float) -> None:
    rng = np.random.default_rng(4)
    for n, m in ((300, 300), (20, 200)):
        scores = AttackScores(member=rng.normal(-gap, 1, n), nonmember=rng.normal(0, 1, m))
        bound = lower_bound(scores, delta=0.0, method=method)
        assert bound.low == 0
        assert bound.direction == "attack"


@pytest.mark.parametrize("method", SCANS)
def test_separated_classes_give_the_bound_of_no_errors(method: str) -> None:
    scores = of_losses([0.0] * 40, [1.0] * 40)
    expected = implied(
        limit(method, np.array(0), 40, 0.025), limit(method, np.array(0), 40, 0.025), 0.01
    )
    bound = lower_bound(scores, delta=0.01, method=method)
    assert bound.low == pytest.approx(float(expected), rel=1e-9)
    assert evidence_of(bound).threshold == 0.0


def test_splits_of_one_seed_agree_and_those_of_others_differ() -> None:
    scores = laplace(np.random.default_rng(5), 200, 200)
    lows = [lower_bound(scores, delta=0.0, method="split", rng=seed).low for seed in range(8)]
    again = [lower_bound(scores, delta=0.0, method="split", rng=seed).low for seed in range(8)]
    assert lows == again
    assert len(set(lows)) > 4


@pytest.mark.parametrize(("n", "m"), [(101, 40), (40, 41)])
def test_the_second_part_of_a_split_is_counted(n: int, m: int) -> None:
    rng = np.random.default_rng(6)
    member, nonmember = rng.normal(0, 0.1, n), rng.normal(5, 0.1, m)
    bound = lower_bound(of_losses(list(member), list(nonmember)), delta=0.0, method="split")
    evidence = evidence_of(bound)
    assert evidence.n_members == n - n // 2
    assert evidence.n_nonmembers == m - m // 2
    assert evidence.threshold is not None
    assert evidence.threshold in member
    assert evidence.false_positives == 0
    expected = [
        beta.isf(0.025, x + 1, size - x)
        for x, size in (
            (0, evidence.n_nonmembers),
            (evidence.false_negatives, evidence.n_members),
        )
    ]
    np.testing.assert_allclose([evidence.fpr_upper, evidence.fnr_upper], expected, rtol=1e-9)
    low = implied(np.array(expected[0]), np.array(expected[1]), 0.0)
    assert bound.low == pytest.approx(float(low), rel=1e-9)
    assert (bound.n_members, bound.n_nonmembers) == (n, m)


def test_one_record_cannot_be_split() -> None:
    bound = lower_bound(of_losses([0.0], [1.0] * 50), delta=0.0, method="split")
    assert (bound.low, bound.evidence) == (0, ())


def test_where_no_local_level_is_tabulated_each_class_says_so() -> None:
    scores = AttackScores(member=np.arange(130) + 200.0, nonmember=np.arange(120.0))
    for level in (0.95, 0.999):
        each = (1 - level) / 2
        warnings = lower_bound(
            scores, delta=0, method="local_levels", confidence_level=level
        ).warnings
        said = "no local level is tabulated for {} records at {:g}: Bonferroni's instead"
        beyond = () if level == 0.95 else tuple(said.format(n, each) for n in (120, 130))
        assert warnings == beyond


def test_limits_of_rates_are_no_more_than_1() -> None:
    assert dkw_upper(np.array([0, 1]), 1, 0.05).tolist() == [1, 1]


def bound_of(scores: AttackScores, *, delta: float = 0.0, seed: int = 0) -> EpsilonBound:
    return lower_bound(scores, delta=delta, method="three_paths", rng=seed)


def fair_coins(rng: np.random.Generator, records: int) -> np.ndarray:
    """Membership by coins; again where one class is empty, which is no audit."""
    while True:
        member = rng.random(records) < 0.5
        if 0 < member.sum() < records:
            return np.asarray(member)


def coin_responses(
    rng: np.random.Generator, records: int, *, epsilon: float, delta: float
) -> AttackScores:
    """Each tells its membership for sure with probability delta, else truly with that of e^eps."""
    member = fair_coins(rng, records)
    told = np.where(member ^ (rng.random(records) >= 1 / (1 + math.exp(-epsilon))), 2.0, 1.0)
    told = np.where(rng.random(records) < delta, np.where(member, 3.0, 0.0), told)
    score = told + rng.random(records) / 2
    return AttackScores(member=score[member], nonmember=score[~member])


def coin_laplace(seed: int, records: int, *, gap: float = 1.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    member = fair_coins(rng, records)
    score = rng.laplace(size=records) + gap * member
    return AttackScores(member=score[member], nonmember=score[~member])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("records", "epsilon", "delta"),
    [(60, 0.0, 0.0), (200, 1.0, 0.0), (200, 1.0, 0.01), (60, 0.5, 0.1), (1000, 0.0, 0.01)],
)
def test_three_paths_exceed_epsilon_at_most_as_often_as_said(
    records: int, epsilon: float, delta: float
) -> None:
    runs = 250 if delta == 0 else 80
    rng = np.random.default_rng(70)
    lows = np.array(
        [
            bound_of(coin_responses(rng, records, epsilon=epsilon, delta=delta), delta=delta).low
            for _ in range(runs)
        ]
    )
    assert np.mean(lows > epsilon) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@pytest.mark.slow
def test_randomized_response_is_nearly_found() -> None:
    rng = np.random.default_rng(71)
    lows = [
        bound_of(coin_responses(rng, 1000, epsilon=1.0, delta=d), delta=d).low
        for d in (0.0, 0.01)
        for _ in range(20)
    ]
    assert np.median(lows[:20]) >= 0.75
    assert 0.7 <= np.median(lows[20:]) < 1


def test_the_median_bound_of_a_laplace_leak_keeps_its_power() -> None:
    lows = [bound_of(coin_laplace(seed, 1000)).low for seed in range(60)]
    assert 0.75 <= np.median(lows) < 0.95


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_a_leak_at_one_end_is_found_there(delta: float) -> None:
    for turn in (1, -1):
        rng = np.random.default_rng(72)
        leaking = rng.normal(size=500) + 6 * (rng.random(500) < 0.1)
        other = rng.normal(size=500)
        classes = (leaking, other) if turn == 1 else (-other, -leaking)
        bound = bound_of(AttackScores(member=classes[0], nonmember=classes[1]), delta=delta)
        (evidence,) = bound.evidence
        assert isinstance(evidence, RankEvidence)
        assert (evidence.bottom, evidence.top)[turn == -1] == 0
        assert bound.low > 1


def test_nothing_is_found_in_equal_laws_and_in_reversed_scores() -> None:
    lows = np.array([bound_of(coin_laplace(seed, 200, gap=0)).low for seed in range(200)])
    assert np.mean(lows > 0) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / lows.size)
    for seed in range(5):
        bound = bound_of(coin_laplace(seed, 250, gap=-2))
        assert (bound.low, bound.evidence) == (0, ())


def test_the_seed_ranks_ties_and_nothing_else() -> None:
    distinct = coin_laplace(73, 300, gap=1.5)
    bounds = [bound_of(distinct, seed=seed) for seed in range(3)]
    assert bounds[0] == bounds[1] == bounds[2]
    assert bounds[0].seed_spread == 0.0
    assert bounds[0].low > 0.5
    tied = AttackScores(member=distinct.member.round(), nonmember=distinct.nonmember.round())
    found = {bound_of(tied, seed=seed).low for seed in range(5)}
    assert len(found) > 1
    assert bound_of(tied, seed=1) == bound_of(tied, seed=1)


def test_any_tie_between_the_classes_leaves_the_spread_unsaid() -> None:
    # Even where most seeds rank it alike; ties within a class change nothing.
    member, nonmember = np.arange(40.0) + 20.5, np.arange(40.0)
    member[0] = nonmember[35]
    for seed in range(6):
        scores = AttackScores(member=member, nonmember=nonmember)
        assert bound_of(scores, seed=seed).seed_spread is None
    member[0] = member[1]
    assert bound_of(AttackScores(member=member, nonmember=nonmember)).seed_spread == 0.0


@pytest.mark.parametrize("delta", [0.0, 0.01, 1.0])
def test_one_record_shows_nothing(delta: float) -> None:
    for member, nonmember in (([1.0], [0.0]), ([1.0], [1.0]), ([2.0, 3.0], [0.0])):
        scores = AttackScores(member=np.array(member), nonmember=np.array(nonmember))
        assert bound_of(scores, delta=delta).low == 0


@pytest.mark.parametrize("n", [6, 40])
def test_separated_classes_in_closed_form(n: int) -> None:
    scores = AttackScores(member=np.linspace(10, 11, n), nonmember=np.linspace(0, 1, n))
    # No depth but the whole shows as much: all of 2 n guesses right, at 0.6 of the level.
    q = 0.03 ** (1 / (2 * n))
    assert bound_of(scores).low == pytest.approx(math.log(q / (1 - q)), abs=2e-5)
    (evidence,) = bound_of(scores).evidence
    assert evidence == RankEvidence(top=n, members_in_top=n, bottom=n, nonmembers_in_bottom=n)


@pytest.mark.parametrize("delta", [0.01, 0.1])
def test_separated_classes_may_have_leaked(delta: float) -> None:
    scores = AttackScores(member=np.linspace(10, 11, 40), nonmember=np.linspace(0, 1, 40))
    leaks = np.arange(81)

    def excess(epsilon: float) -> float:  # of the chance that all who do not leak are right
        chance = (1 + math.exp(-epsilon)) ** -(80.0 - leaks)
        return float(np.sum(binom.pmf(leaks, 80, delta) * chance)) - 0.03

    exact = float(brentq(excess, 0, 10))
    assert exact - 0.25 <= bound_of(scores, delta=delta).low <= exact
    assert exact < bound_of(scores).low


def test_the_level_is_shared_and_at_one_end_half_of_the_records_may_leak(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert sum(SHARES) == pytest.approx(1)
    leaks = []

    def walk(*given: np.ndarray, records: int, leak: float) -> GuessWalk:
        leaks.append(leak)
        return GuessWalk(*given, records=records, leak=leak)

    monkeypatch.setattr(module, "GuessWalk", walk)
    rng = np.random.default_rng(72)
    leaking, other = rng.normal(size=500) + 6 * (rng.random(500) < 0.1), rng.normal(size=500)
    for member, nonmember in ((leaking, other), (-other, -leaking)):
        leaks.clear()
        bound_of(AttackScores(member=member, nonmember=nonmember), delta=0.01)
        assert leaks == [0.01, 0.005]  # of both ends, and of the one that shows more


def test_more_delta_claims_less() -> None:
    scores = coin_laplace(74, 600, gap=2)
    lows = [bound_of(scores, delta=delta).low for delta in (0.0, 0.03, 0.2, 1.0)]
    assert np.all(np.diff(lows) < 0)
    assert lows[-1] == 0


def by_enumeration(
    guesses: list[int], needed: list[int], epsilon: float, leaks: dict[int, float]
) -> float:
    """Over all outcomes of all guesses; the leaking ones come first and are right."""
    q = 1 / (1 + math.exp(-epsilon))
    total = 0.0
    for sure, weight in leaks.items():
        free = max(guesses[-1] - sure, 0)
        for outcome in product((0, 1), repeat=free):
            right = [1] * (guesses[-1] - free) + list(outcome)
            if any(sum(right[:k]) >= v for k, v in zip(guesses, needed, strict=True)):
                total += weight * q ** sum(outcome) * (1 - q) ** (free - sum(outcome))
    return total


def rounded_up(records: int, leak: float) -> tuple[dict[int, float], float]:
    """Leaks rounded up to quantiles at 1 - 2^-i, i <= 16, and the chance of more than those."""
    quantiles = [int(binom.ppf(1 - 0.5**i, records, leak)) for i in range(1, 17)]
    weights = dict.fromkeys(quantiles, 0.0)
    for j in range(quantiles[-1] + 1):
        weights[min(x for x in quantiles if x >= j)] += float(binom.pmf(j, records, leak))
    return weights, float(binom.sf(quantiles[-1], records, leak))


CASES = [
    ([1], [1]),
    ([3, 5, 9], [3, 5, 7]),
    ([2, 4, 8, 12], [3, 4, 8, 9]),
    ([4, 6, 10], [5, 7, 9]),
    ([4, 8], [5, 9]),
    ([2, 6, 11], [0, 6, 9]),
    ([5, 5, 7], [5, 4, 7]),
]


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 3.0])
def test_the_chance_is_that_of_all_outcomes(
    guesses: list[int], needed: list[int], epsilon: float
) -> None:
    walk = GuessWalk(np.array(guesses), np.array(needed), records=20, leak=0.0)
    expected = by_enumeration(guesses, needed, epsilon, {0: 1.0})
    assert walk.chance(epsilon) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize(("guesses", "needed"), CASES)
@pytest.mark.parametrize(("records", "leak"), [(12, 0.05), (20, 0.3), (3, 0.9), (1, 1.0)])
def test_leaks_are_never_counted_too_low(
    guesses: list[int], needed: list[int], records: int, leak: float
) -> None:
    walk = GuessWalk(np.array(guesses), np.array(needed), records=records, leak=leak)
    found = walk.chance(0.4)
    exact = {j: float(binom.pmf(j, records, leak)) for j in range(records + 1)}
    assert found >= by_enumeration(guesses, needed, 0.4, exact) - 1e-12
    up, beyond = rounded_up(records, leak)
    assert found == pytest.approx(by_enumeration(guesses, needed, 0.4, up) + beyond, rel=1e-9)


@pytest.mark.parametrize("trials", [40, 1000, 100_000])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("tail", [0.3, 1e-3, 2e-5, 1e-9])
def test_one_depth_is_a_binomial_tail(trials: int, epsilon: float, tail: float) -> None:
    q = 1 / (1 + math.exp(-epsilon))
    needed = int(binom.isf(tail, trials, q)) + 1
    walk = GuessWalk(np.array([trials]), np.array([needed]), records=trials, leak=0.0)
    expected = binom.sf(needed - 1, trials, q)
    assert walk.chance(epsilon) == pytest.approx(expected, rel=1e-6, abs=1e-15)


@pytest.mark.parametrize("tail", [0.02, 1e-4, 1e-6])
def test_many_depths_are_followed_without_noise(tail: float) -> None:
    # So long that convolutions are by Fourier transforms; here they are sums, in full.
    guesses, q = np.array([200, 700, 2000, 5000]), 1 / (1 + math.exp(-0.5))
    needed = np.asarray(binom.isf(tail, guesses, q), np.int64) + 1
    state, reached, before = np.ones(1), 0.0, 0
    for until, enough in zip(guesses.tolist(), needed.tolist(), strict=True):
        state = np.convolve(state, binom.pmf(np.arange(until - before + 1), until - before, q))
        reached, state, before = reached + state[enough:].sum(), state[:enough], until
    found = GuessWalk(guesses, needed, records=5000, leak=0.0).chance(0.5)
    assert found == pytest.approx(reached, rel=1e-7)
    assert tail < found < 4 * tail


@pytest.mark.parametrize("leak", [0.0, 0.01])
def test_the_chance_is_as_simulated(leak: float) -> None:
    rng, runs, records, epsilon = np.random.default_rng(60), 20_000, 900, 0.8
    guesses, q = np.array([30, 90, 300, 800]), 1 / (1 + math.exp(-0.8))
    needed = np.asarray(binom.isf(0.03, guesses, q), np.int64) + 1
    sure = np.minimum(guesses[:, None], rng.binomial(records, leak, runs))
    steps = np.diff(guesses[:, None] - sure, axis=0, prepend=0)
    right = sure + np.cumsum(rng.binomial(steps, q), axis=0)
    simulated = np.mean((right >= needed[:, None]).any(axis=0))
    found = GuessWalk(guesses, needed, records=records, leak=leak).chance(epsilon)
    error = math.sqrt(simulated * (1 - simulated) / runs)
    assert found >= simulated - 4 * error
    # Rounding leaks up to quantiles costs something.
    assert found <= simulated * (1 if leak == 0 else 1.2) + 4 * error


@pytest.mark.parametrize("leak", [0.0, 0.003])
@pytest.mark.parametrize("level", [0.03, 1e-3])
@pytest.mark.parametrize("start", [1e-9, 0.5, 1.1, 2.5, 9.0])
def test_below_its_epsilon_the_level_is_kept_and_above_it_is_not(
    leak: float, level: float, start: float
) -> None:
    walk = GuessWalk(np.array([50, 200, 400]), np.array([45, 160, 315]), records=400, leak=leak)
    found = walk.epsilon_at(level, start)
    assert found > 0.3
    assert walk.chance(found) <= level
    assert walk.chance(found + 2e-5) > level
    assert found == pytest.approx(walk.epsilon_at(level, 1.0), abs=2e-5)


def test_no_epsilon_keeps_a_level_that_chance_exceeds() -> None:
    for leak in (0.0, 0.5, 1.0):
        walk = GuessWalk(np.array([10, 20]), np.array([6, 11]), records=20, leak=leak)
        assert walk.epsilon_at(0.01, 0.7) == 0
    # With a chance of 2^-16 of more leaks than are looked at, and that is too much.
    walk = GuessWalk(np.array([400]), np.array([380]), records=400, leak=0.01)
    assert walk.epsilon_at(1e-7, 1.0) == 0


@pytest.mark.parametrize("k", [5, 300])
def test_all_right_in_closed_form(k: int) -> None:
    walk = GuessWalk(np.array([k]), np.array([k]), records=k, leak=0.0)
    q = 0.02 ** (1 / k)
    expected = max(0.0, math.log(q / (1 - q)))
    assert walk.epsilon_at(0.02, 1.0) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("delta", [0.01, 0.05])
def test_at_the_top_only_members_leak(delta: float) -> None:
    # 60 members, 120 non-members, 60 members: the last ones hide what the bottom shows.
    score = np.arange(240.0)
    member = (score < 60) | (score >= 180)
    bound = bound_of(AttackScores(member=score[member], nonmember=score[~member]), delta=delta)
    (evidence,) = bound.evidence
    assert isinstance(evidence, RankEvidence)
    assert (evidence.bottom, evidence.members_in_top) == (0, evidence.top)
    leaks = np.arange(241)

    def excess(epsilon: float) -> float:  # of the chance that all who do not leak are right
        chance = (1 + math.exp(-epsilon)) ** -np.maximum(evidence.top - leaks, 0.0)
        return float(np.sum(binom.pmf(leaks, 240, delta / 2) * chance)) - 0.01

    exact = float(brentq(excess, 0, 10))
    assert exact - 0.3 <= bound.low <= exact


def test_only_classes_that_fair_coins_may_give_are_taken() -> None:
    scores = AttackScores(member=np.arange(400.0), nonmember=np.arange(10.0))
    with pytest.raises(ValueError, match="three_paths"):
        bound_of(scores)


@pytest.mark.parametrize(("a", "b"), [(64, 65), (64, 66), (65, 65), (100, 300)])
def test_long_sums_are_those_of_convolutions(a: int, b: int) -> None:
    rng = np.random.default_rng(76)
    state, step = rng.random(a), rng.random(b)
    np.testing.assert_allclose(_convolved(state, step), np.convolve(state, step), rtol=1e-12)


def from_counts(
    method: str,
    fp: int,
    m: int,
    fn: int,
    n: int,
    *,
    delta: float = 0.0,
    confidence_level: float = 0.95,
) -> float:
    counts = ErrorCounts(false_positives=fp, n_nonmembers=m, false_negatives=fn, n_members=n)
    rule = {"jeffreys": jeffreys, "joint_beta": joint_beta, "gdp": gdp}[method]
    return rule(counts, delta, confidence_level)


@pytest.mark.parametrize("method", ["jeffreys", "joint_beta", "gdp"])
def test_the_bound_of_counts_falls_with_errors_with_delta_and_with_confidence(method: str) -> None:
    def low(fp: int, fn: int, delta: float, level: float) -> float:
        return from_counts(method, fp, 50, fn, 40, delta=delta, confidence_level=level)

    # Up to a third wrong: beyond that the two-sided region of joint_beta turns round.
    for chain in (
        [low(fp, 5, 1e-3, 0.95) for fp in range(0, 17, 5)],
        [low(5, fn, 1e-3, 0.95) for fn in range(0, 14, 4)],
        [low(3, 8, delta, 0.95) for delta in (1e-9, 1e-5, 0.01, 0.1, 0.3, 1)],
        [low(3, 8, 1e-3, level) for level in (0.5, 0.8, 0.9, 0.95, 0.99, 0.9999)],
    ):
        assert np.all(np.diff(chain) <= 1e-7)
        assert chain[0] > chain[-1] >= 0
    assert low(3, 8, 1.0, 0.95) == 0


@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_credible_limits_are_quantiles_and_imply_the_bound(delta: float) -> None:
    for fp, fn in ((0, 0), (2, 5), (9, 20), (9, 0)):
        limits = [
            1.0 if x == size else beta.ppf(0.975, x + 0.5, size - x + 0.5)
            for x, size in ((fp, 9), (fn, 20))
        ]
        expected = max(0.0, *implied(np.array(limits[:1]), np.array(limits[1:]), delta))
        found = from_counts("jeffreys", fp, 9, fn, 20, delta=delta)
        assert found == pytest.approx(expected, rel=1e-8, abs=1e-12)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 0.1])
def test_the_gaussian_bound_has_the_mu_of_its_limits(delta: float) -> None:
    for fp, fn in ((0, 0), (3, 20), (50, 10), (40, 45)):
        low = from_counts("gdp", fp, 100, fn, 100, delta=delta)
        limits = [beta.ppf(0.975, x + 1, 100 - x) for x in (fp, fn)]
        mu = -sum(norm.ppf(limits))
        if mu <= 0:
            assert low == 0
            continue

        def excess(e: float, mu: float = mu) -> float:
            log_tail = e + norm.logcdf(-mu / 2 - e / mu)
            return norm.cdf(mu / 2 - e / mu) - math.exp(log_tail) - delta

        expected = brentq(excess, 0, 200, xtol=1e-12) if excess(0) > 0 else 0.0
        assert low == pytest.approx(expected, rel=1e-6, abs=1e-9)
    assert from_counts("gdp", 0, 100, 0, 100) == math.inf


COUNTS = [
    (5, 45, 10, 40),
    (0, 50, 0, 50),
    (0, 10, 3, 0),
    (1, 0, 0, 1),
    (0, 0, 0, 0),
    (45, 5, 40, 10),
    (25, 25, 26, 24),
    (0, 2000, 1990, 10),
    (159, 341, 177, 323),
    (300, 700, 2, 18),
]


def posterior_draws(counts: tuple[int, int, int, int], delta: float, runs: int) -> np.ndarray:
    """Smallest epsilon whose region holds each of many draws of both rates."""
    fp, tn, fn, tp = counts
    rng = np.random.default_rng(sum(counts))
    t, eta = rng.beta(fp + 0.5, tn + 0.5, runs), rng.beta(fn + 0.5, tp + 0.5, runs)
    found = np.zeros(runs)
    with np.errstate(divide="ignore", invalid="ignore"):
        for top, bottom in ((1 - eta, t), (1 - t, eta), (eta, 1 - t), (t, 1 - eta)):
            found = np.fmax(found, np.log(np.maximum(top - delta, 0) / bottom))
    return found


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_the_posterior_share_is_that_of_draws(
    counts: tuple[int, int, int, int], delta: float
) -> None:
    runs = 200_000
    drawn = posterior_draws(counts, delta, runs)
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    arguments: Any = {**dict(zip(names, counts, strict=True)), "delta": delta}
    for epsilon in (0.0, 0.7, 3.0):
        p = joint_beta_cdf(epsilon, **arguments)
        error = 4 * math.sqrt(max(p * (1 - p), 1 / runs) / runs)
        assert np.mean(drawn <= epsilon) == pytest.approx(p, abs=error)
    for level in (0.5, 0.95):
        low = joint_beta_epsilon(**arguments, confidence_level=level)
        error = 4 * math.sqrt(level * (1 - level) / runs)
        if low > 0:
            assert joint_beta_cdf(low, **arguments) == pytest.approx(1 - level, abs=1e-8)
            assert np.mean(drawn > low) == pytest.approx(level, abs=error)
        else:
            assert joint_beta_cdf(0.0, **arguments) >= 1 - level


def test_the_posterior_share_grows_from_its_value_at_zero_to_one() -> None:
    arguments: Any = {
        "false_positives": 7,
        "true_negatives": 43,
        "false_negatives": 12,
        "true_positives": 38,
        "delta": 0.02,
    }
    shares = [joint_beta_cdf(e, **arguments) for e in np.linspace(0, 30, 61)]
    assert np.all(np.diff(shares) >= -1e-9)
    assert joint_beta_cdf(math.inf, **arguments) == 1


def posterior_sum(counts: tuple[int, int, int, int], epsilon: float, delta: float) -> float:
    """Mean over quantiles of the FPR of what the region leaves to the FNR."""
    fp, tn, fn, tp = counts
    quantiles = (np.arange(20_000) + 0.5) / 20_000
    fpr, tnr = betaincinv(fp + 0.5, tn + 0.5, quantiles), betaincinv(tn + 0.5, fp + 0.5, quantiles)
    grown = math.exp(epsilon)
    fnr, tpr = (
        np.maximum.reduce([1 - delta - grown * x, (1 - x - delta) / grown, np.zeros_like(x)])
        for x in (fpr, tnr)
    )
    outside = betainc(fn + 0.5, tp + 0.5, fnr) + np.flip(betainc(tp + 0.5, fn + 0.5, tpr))
    return float(1 - np.mean(outside))


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.2])
@pytest.mark.parametrize(
    ("counts", "epsilon"),
    [
        ((5, 10, 500_000, 500_000), 0.3),  # one rate known much better than the other
        ((500_000, 500_000, 10, 5), 0.3),
        ((100_000, 900_000, 3, 7), 1.6),
        ((3, 7, 1000, 999_000), 3.0),
        ((1000, 999_000, 500_000, 500_000), 6.2),
        ((500_000, 500_000, 500_000, 500_000), 0.003),
        ((2 * 10**6, 18 * 10**6, 10**7, 10**7), 1.608),
        ((0, 10**6, 0, 10**6), 13.8),
        ((0, 1, 0, 10_000), 10.0),
        ((20, 0, 0, 30), 3.0),
        ((1, 2, 2, 1), 1.0),
    ],
)
def test_the_posterior_share_is_that_of_a_fine_sum(
    counts: tuple[int, int, int, int], epsilon: float, delta: float
) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    found = joint_beta_cdf(epsilon, **dict(zip(names, counts, strict=True)), delta=delta)
    assert found == pytest.approx(posterior_sum(counts, epsilon, delta), abs=3e-5)


@pytest.mark.parametrize("counts", [*COUNTS, (0, 10**6, 0, 10**6), (500_000,) * 4])
def test_extreme_levels_keep_their_order(counts: tuple[int, int, int, int]) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    arguments: Any = dict(zip(names, counts, strict=True))
    for delta in (0.0, 1e-5, 1.0):
        lows = [
            joint_beta_epsilon(**arguments, delta=delta, confidence_level=level)
            for level in (1e-12, 1e-6, 0.5, 1 - 1e-6, 1 - 1e-12)
        ]
        assert np.all(np.diff(lows) <= 1e-8)
        assert 0 <= lows[-1] <= lows[0] < math.inf
    assert joint_beta_epsilon(**arguments, delta=0.0, confidence_level=1e-20) == math.inf


@pytest.mark.parametrize("seed", range(2))
def test_every_table_of_counts_has_a_posterior_bound(seed: int) -> None:
    rng, failed = np.random.default_rng(seed), []
    for _ in range(30):
        n = int(rng.choice([1, 3, 20, 60, 200, 500, 1000, 10_000]))
        fp = int(rng.integers(0, n + 1))
        # Mostly near the diagonal, where an attack shows little.
        near = n - fp + round(rng.normal(0, math.sqrt(n)))
        fn = min(max(near, 0), n) if rng.random() < 0.7 else int(rng.integers(0, n + 1))
        delta = float(rng.choice([0.0, 1e-5, 0.01]))
        try:
            low = from_counts("joint_beta", fp, n, fn, n, delta=delta)
        except ValueError as error:
            failed.append((fp, n, fn, n, delta, str(error)))
            continue
        assert low >= 0
    assert not failed


@pytest.mark.parametrize(
    ("counts", "epsilon", "delta"),
    [((2, 58, 58, 2), 0.05, 0.0), ((43, 157, 154, 46), 0.01, 0.0), ((43, 157, 154, 46), 0.0, 0.01)],
)
def test_a_piece_of_the_posterior_too_narrow_to_matter_does_no_harm(
    counts: tuple[int, int, int, int], epsilon: float, delta: float
) -> None:
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    found = joint_beta_cdf(epsilon, **dict(zip(names, counts, strict=True)), delta=delta)
    drawn = np.mean(posterior_draws(counts, delta, 200_000) <= epsilon)
    assert found == pytest.approx(drawn, abs=2e-3)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"epsilon": -1.0}, r"epsilon must be .*, got -1"),
        ({"epsilon": math.nan}, r"epsilon must be .*, got nan"),
        ({"delta": 2.0}, r"delta must be .*, got 2"),
        ({"true_negatives": -1}, r"true_negatives must be .*, got -1"),
        ({"true_positives": 0.5}, r"true_positives must be .*, got 0\.5"),
    ],
)
def test_bad_input_of_the_posterior_is_named(changed: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "epsilon": 1.0,
        "false_positives": 1,
        "true_negatives": 2,
        "false_negatives": 3,
        "true_positives": 4,
        "delta": 0.0,
    }
    arguments.update(changed)
    with pytest.raises(ValueError, match=message):
        joint_beta_cdf(arguments.pop("epsilon"), **arguments)


def test_the_posterior_is_of_all_four_counts() -> None:
    """1 of 10 non-members flagged, 3 of 20 members missed: 9 and 17 are right."""
    for delta in (0.0, 0.01):
        expected = joint_beta_epsilon(
            false_positives=1,
            true_negatives=9,
            false_negatives=3,
            true_positives=17,
            delta=delta,
            confidence_level=0.95,
        )
        found = from_counts("joint_beta", 1, 10, 3, 20, delta=delta)
        assert found == pytest.approx(expected, rel=1e-9)


def test_jeffreys_limits_of_two_rates_can_be_false_together_more_often_than_they_say() -> None:
    # Summed over all false positives that are not too rare. In benchmarks/peers.py, too.
    n, m, fpr, tpr = 400, 600, 0.0044, 0.985
    truth, chance = math.log(tpr / fpr), 0.0
    for fp in range(16):
        first = bisect_left(
            range(n + 1),
            True,
            key=lambda tp, fp=fp: from_counts("jeffreys", fp, m, n - tp, n) > truth,
        )
        chance += binom.pmf(fp, m, fpr) * binom.sf(first - 1, n, tpr)
    # By SciPy's distributions alone.
    a = np.arange(17)
    high = beta.ppf(0.975, a + 0.5, m - a + 0.5)
    found = np.arange(1, n + 1)
    low = beta.ppf(0.025, found + 0.5, n - found + 0.5)
    needed = 1 + np.searchsorted(low, tpr / fpr * high, "right")
    assert chance == pytest.approx(binom.pmf(a, m, fpr) @ binom.sf(needed - 1, n, tpr), abs=1e-6)
    assert chance > 0.07


@pytest.mark.parametrize("counts", COUNTS)
def test_classes_and_guesses_of_a_posterior_may_change_names(
    counts: tuple[int, int, int, int],
) -> None:
    fp, tn, fn, tp = counts

    def share(a: int, b: int, c: int, d: int) -> float:
        return joint_beta_cdf(
            0.8,
            false_positives=a,
            true_negatives=b,
            false_negatives=c,
            true_positives=d,
            delta=0.01,
        )

    expected = share(fp, tn, fn, tp)
    assert share(fn, tp, fp, tn) == pytest.approx(expected, abs=1e-7)
    assert share(tn, fp, tp, fn) == pytest.approx(expected, abs=1e-7)
