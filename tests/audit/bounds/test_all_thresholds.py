"""Bounds that look at all thresholds, or at one: brute force, and how often they say too much."""

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import EpsilonBound, Evidence
from dpviz.audit.bounds.all_thresholds import dkw_upper
from dpviz.audit.roc import bands
from tests.audit.oracles import deltas, of_losses, tied_losses
from tests.slow import parametrize

SCANS = ["local_levels", "bonferroni", "dkw"]
Draw = Callable[[np.random.Generator, int, int], AttackScores]


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
    scores = AttackScores(member=member, nonmember=nonmember, kind=kind)
    bound = lower_bound(scores, delta=1e-5, method=method)
    expected, _ = by_brute_force(scores, method, 1e-5, 0.95)
    assert expected > 0.1
    assert bound.low == pytest.approx(expected, rel=1e-9)
    check_evidence(bound, scores, method)


def test_no_threshold_of_scores_that_are_binned_does_better() -> None:
    rng = np.random.default_rng(2)
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 150_000), nonmember=rng.normal(1, 1, 140_000)
    )
    for method in ("dkw", "local_levels"):
        bound = lower_bound(
            AttackScores(member=scores.member, nonmember=scores.nonmember, kind="loss"),
            delta=0.0,
            method=method,
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
        (method, law, epsilon)
        for method in [*SCANS, "split", "clopper_pearson"]
        for law, epsilon in ((null, 0.0), (randomized_response, 1.0))
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
                law(rng, 100, 100), delta=0.0, method=method, threshold=threshold, seed=run
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
    lows = [lower_bound(scores, delta=0.0, method="split", seed=seed).low for seed in range(8)]
    again = [lower_bound(scores, delta=0.0, method="split", seed=seed).low for seed in range(8)]
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


@pytest.mark.parametrize("kind", ["loss", "score"])
@pytest.mark.parametrize("tau", [-10.0, -0.5, 0.0, 1.0, 10.0])
def test_a_threshold_is_in_the_unit_of_the_scores_and_includes_ties(kind: str, tau: float) -> None:
    rng = np.random.default_rng(7)
    member, nonmember = rng.integers(-2, 3, 60).astype(float), rng.integers(-1, 4, 80).astype(float)
    if kind == "loss":
        scores = of_losses(list(member), list(nonmember))
        errors = np.sum(nonmember <= tau), np.sum(member > tau)
    else:
        scores = AttackScores(member=member, nonmember=nonmember)
        errors = np.sum(nonmember >= tau), np.sum(member < tau)
    bound = lower_bound(scores, delta=0.0, method="clopper_pearson", threshold=tau)
    evidence = evidence_of(bound)
    assert (evidence.false_positives, evidence.false_negatives) == errors
    assert evidence.threshold == tau
    expected = implied(
        *(
            np.array(1.0 if x == size else beta.isf(0.025, x + 1, size - x))
            for x, size in zip(errors, (80, 60), strict=True)
        ),
        0.0,
    )
    assert bound.low == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("method", ["clopper_pearson", "jeffreys", "joint_beta", "gdp"])
def test_a_preset_threshold_has_to_be_given(method: str) -> None:
    scores = of_losses([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=rf"threshold must be given for method '{method}'"):
        lower_bound(scores, delta=0.0, method=method)
    with pytest.raises(ValueError, match=r"threshold must be .*, got nan"):
        lower_bound(scores, delta=0.0, method=method, threshold=math.nan)


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
