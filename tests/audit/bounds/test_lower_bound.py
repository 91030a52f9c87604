"""What every method of the registry says, and what it says besides the number."""

import dataclasses
import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from dpviz import audit
from dpviz.audit import AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds import BOUNDS, DEFAULT, EpsilonBound, Evidence, RankEvidence
from dpviz.audit.bounds.result import ConditionalEpsilonBound, WealthEvidence
from tests.slow import parametrize

PRESET = {name for name, method in BOUNDS.items() if method.needs_threshold}
ASSUMING = {name for name, method in BOUNDS.items() if method.assumption}
FAIR_COINS = {name for name, method in BOUNDS.items() if method.fair_coins}
RANKED = {"rank", "rank_exact", "three_paths", "one_run", "one_run_curve"}
SEEDED = {"rank", "split"}
UNSEEDED = [name for name in BOUNDS if name not in SEEDED]
KNOWN = PRESET | RANKED | {"local_levels", "dkw", "bonferroni", "split", "e_process"}


def normal_losses(seed: int, n: int, m: int, *, gap: float) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=rng.normal(0, 1, n), nonmember=rng.normal(gap, 1, m))


def listed(member: list[float], nonmember: list[float]) -> AttackScores:
    return AttackScores(member=np.array(member), nonmember=np.array(nonmember))


def bound_of(scores: AttackScores, method: str, **changed: Any) -> EpsilonBound:
    threshold = 0.75 if method in PRESET else None
    return lower_bound(
        scores, **{"delta": 1e-5, "method": method, "threshold": threshold, **changed}
    )


def test_the_registry_has_every_method() -> None:
    assert set(BOUNDS) >= KNOWN
    assert {"clopper_pearson", "jeffreys", "joint_beta", "gdp"} == PRESET
    assert audit.bounds.lower_bound is lower_bound


@pytest.mark.parametrize("method", BOUNDS)
def test_every_method_fills_every_field(method: str) -> None:
    scores = normal_losses(1, 300, 250, gap=2)
    bound = bound_of(scores, method, confidence_level=0.9, applies_to="mechanism")
    assert 0 < bound.low < math.inf
    assert (bound.delta, bound.confidence_level, bound.method) == (1e-5, 0.9, method)
    assert (bound.n_members, bound.n_nonmembers) == (300, 250)
    assert (bound.applies_to, bound.direction, bound.warnings) == ("mechanism", "attack", ())
    assert bool(bound.assumption) == (method in ASSUMING)
    assert ("1/2" in bound.sampling) == (method in FAIR_COINS)
    assert bound.sampling
    (evidence,) = bound.evidence
    if method in RANKED:
        assert isinstance(evidence, RankEvidence)
        assert 0 < evidence.top + evidence.bottom <= 550
        assert 0 <= evidence.members_in_top <= evidence.top
        assert 0 <= evidence.nonmembers_in_bottom <= evidence.bottom
    elif method == "e_process":
        assert isinstance(evidence, WealthEvidence)
        assert 0 < evidence.pairs <= 250
        assert evidence.wealth >= 1 / (1 - 0.9)
        assert "arrived" in bound.sampling
    else:
        assert isinstance(evidence, Evidence)
        assert evidence.threshold is not None
        assert evidence.false_positives / evidence.n_nonmembers < evidence.fpr_upper < 1
        assert evidence.false_negatives / evidence.n_members < evidence.fnr_upper < 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        bound.low = 0.0  # type: ignore[misc]


@pytest.mark.parametrize("method", sorted(PRESET))
def test_only_some_bounds_from_counts_assume_more(method: str) -> None:
    bound = lower_bound_from_counts(
        false_positives=5,
        n_nonmembers=100,
        false_negatives=20,
        n_members=100,
        delta=0.01,
        method=method,
        applies_to="mechanism",
    )
    assert bool(bound.assumption) == (method in ASSUMING)
    assert bound.applies_to == "mechanism"
    assert bound.low > 0


def test_the_default_is_the_rank_bound_of_an_instance() -> None:
    scores = normal_losses(2, 40, 30, gap=0.7)
    bound = lower_bound(scores, delta=0.0)
    assert (bound.method, bound.applies_to, bound.confidence_level) == (
        "rank_exact",
        "instance",
        0.95,
    )
    assert bound == lower_bound(scores, delta=0.0, method="rank_exact", seed=7)
    assert (bound.seed, bound.seed_spread) == (None, 0.0)


@pytest.mark.parametrize("method", BOUNDS)
def test_more_confidence_claims_less(method: str) -> None:
    scores = normal_losses(3, 80, 70, gap=1.5)
    levels = (0.5, 0.8, 0.95) if method == "rank" else (0.5, 0.8, 0.95, 0.999)
    lows = [bound_of(scores, method, confidence_level=c).low for c in levels]
    if method == "split":  # the threshold is chosen at the level
        assert lows[0] > lows[-1]
    else:
        assert np.all(np.diff(lows) <= 0)
    assert lows[0] > lows[-1] >= 0


@parametrize("method", UNSEEDED, slow_but=set(UNSEEDED) - {DEFAULT})
def test_more_delta_claims_less(method: str) -> None:
    scores = normal_losses(4, 200, 150, gap=1.5)
    lows = [bound_of(scores, method, delta=d).low for d in (0.0, 1e-6, 1e-3, 0.1, 0.5, 1.0)]
    assert all(a >= b for a, b in pairwise(lows))
    assert lows[0] > lows[-1] == 0


@pytest.mark.parametrize("method", BOUNDS)
@parametrize("delta", [0.0, 0.01, 1.0], slow_but=[0.0])
def test_a_reversed_or_constant_attack_shows_nothing(method: str, delta: float) -> None:
    if method == "joint_beta":
        pytest.skip("a statement about the region, whose four sides it counts")
    for scores in (
        normal_losses(5, 80, 60, gap=-2),
        AttackScores.from_losses(member=[0.5] * 20, nonmember=[0.5] * 30),
        AttackScores.from_losses(member=[1.0], nonmember=[0.0]),
        AttackScores.from_losses(member=[0.0], nonmember=[1.0]),
    ):
        assert bound_of(scores, method, delta=delta).low == 0


@pytest.mark.parametrize("method", BOUNDS)
def test_the_same_seed_gives_the_same_statement(method: str) -> None:
    scores = normal_losses(6, 40, 50, gap=1)
    assert bound_of(scores, method, seed=3) == bound_of(scores, method, seed=3)


@pytest.mark.parametrize("method", sorted(set(BOUNDS) - {"joint_beta"}))
def test_both_directions_find_a_reversed_attack_at_half_the_level(method: str) -> None:
    turned = normal_losses(7, 70, 60, gap=-2)
    straight = AttackScores.from_losses(member=-turned.nonmember, nonmember=-turned.member)
    threshold = -0.75 if method in PRESET else None
    both = bound_of(turned, method, directions="both", threshold=threshold, confidence_level=0.8)
    assert (both.direction, both.confidence_level) == ("reversed", 0.8)
    assert both.low > 0
    assert any("reversed" in warning for warning in both.warnings)
    if method not in PRESET:
        mirrored = AttackScores(member=-turned.member, nonmember=-turned.nonmember)
        assert both.low == bound_of(mirrored, method, confidence_level=0.9).low
    both = bound_of(straight, method, directions="both", confidence_level=0.8)
    assert both.direction == "attack"
    assert both.low == bound_of(straight, method, confidence_level=0.9).low


@pytest.mark.parametrize("kind", ["loss", "score"])
def test_the_threshold_of_the_reversed_direction_keeps_its_unit(kind: str) -> None:
    rng = np.random.default_rng(8)
    low, high = rng.normal(0, 1, 150).round(1), rng.normal(2, 1, 140).round(1)
    # Members where the attack does not look: large losses, or low scores.
    member, nonmember = (high, low) if kind == "loss" else (low, high)
    scores = (
        AttackScores.from_losses(member=member, nonmember=nonmember)
        if kind == "loss"
        else AttackScores(member=member, nonmember=nonmember)
    )
    for method, threshold in (("clopper_pearson", 1.0), ("local_levels", None)):
        bound = lower_bound(
            scores, delta=0.0, method=method, threshold=threshold, directions="both"
        )
        assert bound.direction == "reversed"
        (evidence,) = bound.evidence
        assert isinstance(evidence, Evidence)
        tau = evidence.threshold
        assert tau is not None
        assert threshold is None or tau == threshold
        sign = 1 if kind == "loss" else -1
        assert evidence.false_positives == np.sum(sign * nonmember >= sign * tau)
        assert evidence.false_negatives == np.sum(sign * member < sign * tau)


@pytest.mark.parametrize(("n", "m", "warned"), [(20, 200, False), (20, 201, True), (201, 20, True)])
def test_classes_that_differ_much_in_size_are_said(n: int, m: int, warned: bool) -> None:
    warnings = bound_of(normal_losses(9, n, m, gap=1), "dkw").warnings
    assert any(f"{n} members, {m} non-members" in text for text in warnings) == warned


def test_repeated_scores_are_said() -> None:
    scores = listed([1.0, 1.0, 2.0, 5.0], [1.0, 2.0, 3.0])
    assert "3 of 7 scores repeat another one" in bound_of(scores, "dkw").warnings
    distinct = listed([1.0, 2.0], [3.0])
    assert not any("repeat" in text for text in bound_of(distinct, "dkw").warnings)


def test_reversed_scores_are_said_with_the_way_out() -> None:
    for scores, way_out in (
        (normal_losses(10, 100, 90, gap=-1), "kind='score'"),
        (AttackScores(member=np.arange(50.0), nonmember=np.arange(50.0) + 60), "kind='loss'"),
    ):
        (text,) = bound_of(scores, "dkw").warnings
        assert "reversed" in text
        assert way_out in text
    for seed in range(10):  # as it comes without a leak
        assert bound_of(normal_losses(seed, 100, 90, gap=0), "dkw").warnings == ()


def test_the_area_that_is_said_counts_ties_half() -> None:
    scores = listed([0.0] * 30 + [1.0] * 10, [1.0] * 40)
    (_, text) = bound_of(scores, "dkw").warnings
    assert "AUC 0.125" in text


BAD: list[tuple[dict[str, Any], str]] = [
    ({"delta": -1e-9}, r"delta must be .*, got -1e-09"),
    ({"delta": 1.5}, r"delta must be .*, got 1\.5"),
    ({"delta": math.nan}, r"delta must be .*, got nan"),
    ({"confidence_level": 0}, r"confidence_level must be .*, got 0"),
    ({"confidence_level": 1}, r"confidence_level must be .*, got 1"),
    ({"confidence_level": 95}, r"confidence_level must be .*, got 95"),
    ({"applies_to": "model"}, r"applies_to must be one of 'instance', 'mechanism', got 'model'"),
    ({"directions": "reversed"}, r"directions must be one of .*, got 'reversed'"),
    ({"seed": -1}, r"seed must be .*, got -1"),
    ({"seed": 0.5}, r"seed must be .*, got 0\.5"),
    ({"threshold": "0"}, r"threshold must be .*, got '0'"),
]


@pytest.mark.parametrize("method", BOUNDS)
@pytest.mark.parametrize(("changed", "message"), BAD)
def test_bad_input_is_named_with_its_value(
    method: str, changed: dict[str, Any], message: str
) -> None:
    scores = listed([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match=message):
        bound_of(scores, method, **changed)


def test_an_unknown_method_lists_the_choices() -> None:
    scores = listed([0.0, 1.0], [1.0, 2.0])
    with pytest.raises(ValueError, match="got 'best'") as raised:
        lower_bound(scores, delta=0.0, method="best")
    assert all(repr(method) in str(raised.value) for method in BOUNDS)


def test_a_bound_of_nobody_in_particular_is_refused() -> None:
    bound = lower_bound_from_counts(
        false_positives=1, n_nonmembers=9, false_negatives=1, n_members=9, delta=0.0
    )
    with pytest.raises(ValueError, match=r"applies_to must be one of .*, got 'both'"):
        dataclasses.replace(bound, applies_to="both")  # type: ignore[arg-type]


@pytest.mark.parametrize(("copies", "warned"), [(2, False), (4, False), (5, True), (6, True)])
def test_few_ties_are_no_caution(copies: int, warned: bool) -> None:
    """100 scores: a value that stands `copies` times more, 5 % of them from 5 on."""
    member = [*np.arange(50.0 - copies), *[200.0] * copies]
    scores = listed(member, [*np.arange(0.5, 50), 200.0][-50:])
    assert any("repeat another" in text for text in bound_of(scores, "dkw").warnings) == warned


def test_only_a_bound_with_an_assumption_is_conditional() -> None:
    scores = normal_losses(8, 50, 50, gap=1.0)
    assert type(lower_bound(scores, delta=0.0)) is EpsilonBound
    bound = lower_bound(scores, delta=0.0, method="joint_beta", threshold=-0.5)
    assert type(bound) is ConditionalEpsilonBound
    assert bound.assumption
