"""Lower bounds by every method, their ceiling, the fewest records, and notes on too few."""

import dataclasses
import importlib
import math
import re
from itertools import pairwise
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpviz import audit
from dpviz.audit import AttackScores, ceiling, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds import (
    BOUNDS,
    DEFAULT,
    EpsilonBound,
    Evidence,
    RankEvidence,
    fewest_records,
    rank,
)
from dpviz.audit.bounds.lower_bound import SPREADS
from dpviz.audit.bounds.result import WealthEvidence
from tests.slow import parametrize

PRESET = {name for name, method in BOUNDS.items() if method.needs_threshold}
FAIR_COINS = {name for name, method in BOUNDS.items() if method.requires_fair_coins}
RANKED = {"rank_exact", "one_run", "one_run_curve"}
module = importlib.import_module("dpviz.audit.bounds.lower_bound")  # the face has the function


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
    assert set(BOUNDS) == PRESET | RANKED | {"e_process"}
    assert {"clopper_pearson"} == PRESET
    assert audit.bounds.lower_bound is lower_bound


@pytest.mark.parametrize("method", BOUNDS)
def test_every_method_fills_every_field(method: str) -> None:
    scores = normal_losses(1, 300, 250, gap=2)
    bound = bound_of(scores, method, confidence_level=0.9, sampling=BOUNDS[method].samplings[0])
    assert 0 < bound.low < math.inf
    assert (bound.delta, bound.confidence_level, bound.method) == (1e-5, 0.9, method)
    assert (bound.n_members, bound.n_nonmembers) == (300, 250)
    assert (bound.applies_to, bound.direction, bound.warnings) == ("mechanism", "attack", ())
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


def test_the_default_is_the_rank_bound_of_an_instance() -> None:
    scores = normal_losses(2, 40, 30, gap=0.7)
    bound = lower_bound(scores, delta=0.0)
    assert (bound.method, bound.applies_to, bound.confidence_level) == (
        "rank_exact",
        "instance",
        0.95,
    )
    assert bound == lower_bound(scores, delta=0.0, method="rank_exact", rng=7)
    assert (bound.seed, bound.seed_spread) == (None, 0.0)


@pytest.mark.parametrize("method", BOUNDS)
def test_more_confidence_claims_less(method: str) -> None:
    scores = normal_losses(3, 80, 70, gap=1.5)
    lows = [bound_of(scores, method, confidence_level=c).low for c in (0.5, 0.8, 0.95, 0.999)]
    assert np.all(np.diff(lows) <= 0)
    assert lows[0] > lows[-1] >= 0


@parametrize("method", list(BOUNDS), slow_but=set(BOUNDS) - {DEFAULT})
def test_more_delta_claims_less(method: str) -> None:
    scores = normal_losses(4, 200, 150, gap=1.5)
    lows = [bound_of(scores, method, delta=d).low for d in (0.0, 1e-6, 1e-3, 0.1, 0.5, 1.0)]
    assert all(a >= b for a, b in pairwise(lows))
    assert lows[0] > lows[-1] == 0


@pytest.mark.parametrize("method", BOUNDS)
@parametrize("delta", [0.0, 0.01, 1.0], slow_but=[0.0])
def test_a_reversed_or_constant_attack_shows_nothing(method: str, delta: float) -> None:
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
    assert bound_of(scores, method, rng=3) == bound_of(scores, method, rng=3)


@pytest.mark.parametrize("method", sorted(BOUNDS))
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
    bound = lower_bound(
        scores, delta=0.0, method="clopper_pearson", threshold=1.0, directions="both"
    )
    assert bound.direction == "reversed"
    (evidence,) = bound.evidence
    assert isinstance(evidence, Evidence)
    assert evidence.threshold == 1.0
    sign = 1 if kind == "loss" else -1
    assert evidence.false_positives == np.sum(sign * nonmember >= sign)
    assert evidence.false_negatives == np.sum(sign * member < sign)


@pytest.mark.parametrize(("n", "m", "warned"), [(20, 200, False), (20, 201, True), (201, 20, True)])
def test_classes_that_differ_much_in_size_are_said(n: int, m: int, warned: bool) -> None:
    warnings = bound_of(normal_losses(9, n, m, gap=1), DEFAULT).warnings
    assert any(f"{n} members, {m} non-members" in text for text in warnings) == warned


def test_repeated_scores_are_said() -> None:
    scores = listed([1.0, 1.0, 2.0, 5.0], [1.0, 2.0, 3.0])
    assert "3 of 7 scores repeat an earlier score" in bound_of(scores, DEFAULT).warnings
    distinct = listed([1.0, 2.0], [3.0])
    assert not any("repeat" in text for text in bound_of(distinct, DEFAULT).warnings)


def test_reversed_scores_are_said_with_the_way_out() -> None:
    for scores, way_out in (
        (normal_losses(10, 100, 90, gap=-1), "kind='score'"),
        (AttackScores(member=np.arange(50.0), nonmember=np.arange(50.0) + 60), "kind='loss'"),
    ):
        (text,) = bound_of(scores, DEFAULT).warnings
        assert "reversed" in text
        assert way_out in text
    for seed in range(10):  # as it comes without a leak
        assert bound_of(normal_losses(seed, 100, 90, gap=0), DEFAULT).warnings == ()


def test_the_area_that_is_said_counts_ties_half() -> None:
    scores = listed([0.0] * 30 + [1.0] * 10, [1.0] * 40)
    (_, text) = bound_of(scores, DEFAULT).warnings
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
    ({"rng": -1}, r"rng must be .*, got -1"),
    ({"rng": 0.5}, r"rng must be .*, got 0\.5"),
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
    assert any("repeat an earlier" in text for text in bound_of(scores, DEFAULT).warnings) == warned


@pytest.mark.parametrize("delta", [0.0, 1e-5])
@pytest.mark.parametrize(
    ("n", "expected"), [(100, 3.28), (500, 4.91), (1000, 5.60), (5000, 7.21), (50_000, 9.51)]
)
def test_one_threshold_without_an_error_certifies_the_known_epsilon(
    n: int, expected: float, delta: float
) -> None:
    found = ceiling(n_members=n, n_nonmembers=n, delta=delta, method="clopper_pearson")
    # Limits of both rates without an error: the 40th root of the level, so to say.
    limit = 1 - 0.025 ** (1 / n)
    assert found == pytest.approx(math.log((1 - limit - delta) / limit), rel=1e-12)
    assert found == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize("method", [m for m in BOUNDS if m != "e_process"])
@pytest.mark.parametrize(("n", "m"), [(300, 300), (40, 55)])
def test_it_is_the_bound_of_separated_scores(method: str, n: int, m: int) -> None:
    rng = np.random.default_rng(0)
    apart = AttackScores(member=1 + rng.random(n), nonmember=-rng.random(m))
    bound = lower_bound(apart, delta=1e-5, method=method, threshold=0.5, rng=3)
    found = ceiling(n_members=n, n_nonmembers=m, delta=1e-5, method=method, rng=3)
    assert found == pytest.approx(bound.low, rel=1e-12)


def test_where_p_values_are_simulated_a_ceiling_allows_for_other_seeds() -> None:
    bound = lower_bound(rank.perfect_scores(300, 60), delta=0.9, confidence_level=0.8)
    most = ceiling(n_members=300, n_nonmembers=60, delta=0.9, confidence_level=0.8)
    assert most == bound.low + SPREADS * (bound.seed_spread or 0)
    assert (bound.seed, bound.low == 0 or (bound.seed_spread or 0) > 0) == (0, True)


def test_a_method_that_learns_a_threshold_comes_near_it() -> None:
    method = "e_process"
    rng = np.random.default_rng(0)
    apart = AttackScores(member=1 + rng.random(2000), nonmember=-rng.random(2000))
    low = lower_bound(apart, delta=0.0, method=method).low
    found = ceiling(n_members=2000, n_nonmembers=2000, delta=0.0, method=method)
    assert found - 0.3 <= low <= found


@pytest.mark.slow
@pytest.mark.parametrize("method", list(BOUNDS))
def test_it_grows_with_the_number_of_records(method: str) -> None:
    delta = 0.0 if "one_run" in method else 1e-4  # whose penalty grows with the canaries
    found = [
        ceiling(n_members=n, n_nonmembers=n, delta=delta, method=method)
        for n in (10, 40, 160, 640, 2560)
    ]
    assert np.all(np.diff(found) >= 0)
    assert found[-1] > found[0]


samples = st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=30)


@pytest.mark.slow
@pytest.mark.parametrize("method", BOUNDS)
@settings(max_examples=30)
@given(member=samples, nonmember=samples, delta=st.sampled_from([0.0, 0.01]), shift=st.booleans())
def test_no_scores_of_as_many_records_give_more(
    method: str, member: list[float], nonmember: list[float], delta: float, shift: bool
) -> None:
    if shift:
        member = [score + 4 for score in member]
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.permutation(member), nonmember=rng.permutation(nonmember))
    try:
        low = lower_bound(scores, delta=delta, method=method, threshold=0.5).low
    except ValueError:  # sorted by chance, or sizes that fair coins do not give
        return
    most = ceiling(
        n_members=scores.n_members, n_nonmembers=scores.n_nonmembers, delta=delta, method=method
    )
    assert low <= most * (1 + 1e-12)


@pytest.mark.slow
def test_no_ranks_give_more() -> None:
    rng = np.random.default_rng(1)
    for seed in range(20):
        n, m = (int(size) for size in rng.integers(5, 80, 2))
        scores = AttackScores(
            member=rng.normal(rng.choice([1, 3, 6]), 1, n), nonmember=rng.normal(0, 1, m)
        )
        bound = lower_bound(scores, delta=1e-5, rng=seed)
        most = ceiling(n_members=n, n_nonmembers=m, delta=1e-5, rng=seed)
        assert bound.low <= most


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "delta", "level"),
    [(50, 60, 1e-5, 0.95), (500, 500, 1e-5, 0.9), (20, 400, 0.1, 0.95), (1, 900, 0.0, 0.95)],
)
def test_separated_scores_that_are_tied_do_not_give_more(
    n: int, m: int, delta: float, level: float
) -> None:
    """Ties take random numbers: other simulations, some hundredths higher or lower."""
    tied = AttackScores(member=np.ones(n), nonmember=np.zeros(m))
    most = ceiling(n_members=n, n_nonmembers=m, delta=delta, confidence_level=level)
    for seed in range(5):
        low = lower_bound(tied, delta=delta, confidence_level=level, rng=seed).low
        assert most - 0.6 < low <= most


def test_many_confident_and_few_records() -> None:
    assert ceiling(n_members=1, n_nonmembers=1, delta=0.0) == 0
    few, many = (
        ceiling(n_members=200, n_nonmembers=200, delta=0.0, confidence_level=level)
        for level in (0.99, 0.9)
    )
    assert few < many
    assert ceiling(n_members=200, n_nonmembers=200, delta=1.0) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_members": 0}, "n_members must be a whole number of at least 1"),
        ({"n_nonmembers": 2.5}, "n_nonmembers must be a whole number"),
        ({"delta": -1}, "delta must be in"),
        ({"confidence_level": 1}, "confidence_level must be in"),
        (
            {"confidence_level": 0.99999, "n_members": 10**6, "n_nonmembers": 10**6},
            "confidence_level must be at most 0.9999",
        ),
        ({"method": "magic"}, "method must be one of 'rank_exact'"),
        ({"method": "one_run", "n_members": 500}, "about as many members as non-members"),
    ],
)
def test_illegal_arguments_are_named(arguments: dict[str, object], message: str) -> None:
    plain = {"n_members": 10, "n_nonmembers": 10, "delta": 0.0}
    with pytest.raises(ValueError, match=message):
        ceiling(**{**plain, **arguments})


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "ratio"),
    [
        (1.0, 0.0, 0.95, 3.0),
        (1.0, 0.0, 0.95, 1.5),
        (0.0, 0.0, 0.95, 1.0),
        (1.0, 1e-5, 0.95, 1.0),
        (0.5, 0.0, 0.8, 0.25),
        pytest.param(0.2, 0.0, 0.9999, 3.0, marks=pytest.mark.slow),
        (0.0, 0.0, 0.5, 1.0),  # one of each
        (0.3, 0.1, 0.6, 0.5),
    ],
)
def test_no_fewer_records_have_such_a_ceiling(
    epsilon: float, delta: float, level: float, ratio: float
) -> None:
    found = fewest_records(epsilon=epsilon, delta=delta, confidence_level=level, ratio=ratio)
    assert found is not None
    for larger in range(1, max(found) + 1):
        smaller = max(1, round(larger * min(ratio, 1 / ratio)))
        n, m = (larger, smaller) if ratio >= 1 else (smaller, larger)
        most = ceiling(
            n_members=n, n_nonmembers=m, delta=delta, confidence_level=level, method=DEFAULT
        )
        assert ((n, m) == found) == (most > 0 and most >= epsilon - 0.002)
    assert (n, m) == found


@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("one_by_one", [1, 2])
def test_the_search_by_halving_ends_at_the_same_sizes(
    ratio: float, one_by_one: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"epsilon": 1.5, "delta": 0.0, "ratio": ratio}
    found = fewest_records(**given)
    assert found is not None
    monkeypatch.setattr(module, "SIZES_TRIED_IN_TURN", one_by_one)
    assert fewest_records(**given) == found
    monkeypatch.setattr(module, "MOST_RECORDS", max(found))
    assert fewest_records(**given) == found
    monkeypatch.setattr(module, "MOST_RECORDS", max(found) - 1)
    assert fewest_records(**given) is None


@pytest.mark.parametrize(
    # A perfect ranking is rare from 3 + 3 on: 1/2^6 < 1/20 < 1/2^4, and 0.6^6 < 1/20 < 0.6^4.
    "delta",
    [0.0, 0.2],
)
def test_sizes_are_tried_from_where_perfection_is_rare_in_turn_then_doubled_then_halved(
    delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def suffices(n: int, m: int, *_: float) -> bool:
        tried.append(n)
        return n >= 50

    monkeypatch.setattr(module, "perfect_attack_refutes", suffices)
    monkeypatch.setattr(module, "SIZES_TRIED_IN_TURN", 3)
    assert fewest_records(delta=delta) == (50, 50)
    assert tried == [3, 4, 5, 10, 20, 40, 80, 60, 50, 45, 47, 48, 49]


def test_by_default_anything_is_to_be_certified_of_classes_of_one_size() -> None:
    assert fewest_records(delta=0.1) == fewest_records(epsilon=0, delta=0.1, ratio=1)
    assert fewest_records(delta=0, epsilon=2) == fewest_records(epsilon=2, delta=0, ratio=1)


def test_more_records_certify_no_less() -> None:
    # With the cut-offs 8 and 5 alone, 12 members and 4 non-members certified less than 11 and 4.
    sizes = [(n, max(1, round(n / 3))) for n in range(4, 16)]
    lows = [ceiling(n_members=n, n_nonmembers=m, delta=0, method=DEFAULT) for n, m in sizes]
    assert lows == sorted(lows)


def test_what_takes_too_many_records_has_no_number() -> None:
    assert fewest_records(epsilon=9, delta=0) is None
    assert fewest_records(delta=1) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": -1, "delta": 0}, r"epsilon must be in \[0, inf\], got -1"),
        ({"delta": 2}, r"delta must be in \[0, 1\], got 2"),
        ({"delta": 0, "confidence_level": 1}, r"confidence_level must be in \[0.5, 1\), got 1"),
        ({"delta": 0, "ratio": inf}, r"ratio must be in \[0.001, 1000\], got inf"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fewest_records(**given)


WORDS = "no attack on this many records certifies an ε above 0 with this method"
NEXT = re.compile(WORDS + r"; (\d+) members and (\d+) non-members are enough")


def perfect_bound(method: str, n: int, m: int, **given: Any) -> Any:
    """Of a perfect attack, or with too few records of one that finds nothing."""
    scores = BOUNDS[method].separated(n, m)
    return lower_bound(scores, delta=0, method=method, threshold=0.0, **given)


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("sizes", [(2, 2), (2, 3)])
@pytest.mark.parametrize(
    "method", [name for name in BOUNDS if not BOUNDS[name].requires_fair_coins]
)
def test_the_next_numbers_that_can_certify_are_said(
    method: str, sizes: tuple[int, int], level: float
) -> None:
    found = perfect_bound(method, *sizes, confidence_level=level)
    assert found.low == 0
    (said,) = (NEXT.search(each) for each in found.warnings if WORDS in each)
    assert said is not None
    n, m = int(said[1]), int(said[2])
    certified = perfect_bound(method, n, m, confidence_level=level)
    assert certified.low > 0
    assert not any(WORDS in each for each in certified.warnings)
    for larger in range(max(sizes), max(n, m)):
        smaller = round(larger * min(sizes) / max(sizes))
        assert perfect_bound(method, smaller, larger, confidence_level=level).low == 0


def test_nothing_is_said_where_another_attack_could_certify_something() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    found = lower_bound(scores, delta=0)
    assert (found.low, found.warnings) == (0, ())


def test_in_both_directions_it_takes_more() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    (said,) = lower_bound(scores, delta=0, directions="both", confidence_level=0.98).warnings
    assert NEXT.fullmatch(said)


def test_a_delta_that_explains_everything_has_no_such_numbers() -> None:
    scores = AttackScores(member=[1, 4, 5, 8], nonmember=[2, 3, 6, 7])
    assert lower_bound(scores, delta=1).warnings == (f"{WORDS} and at this delta",)


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
@pytest.mark.parametrize("size", [1, 2])
def test_so_many_records_by_fair_coins_can(method: str, size: int) -> None:
    said = " ".join(perfect_bound(method, size, size).warnings)
    found = re.search(r"; (\d+), half of them members, are enough", said)
    assert found is not None
    half = int(found[1]) // 2
    assert perfect_bound(method, half, half).low > 0
    for fewer in range(size, half):
        assert perfect_bound(method, fewer, fewer).low == 0


def test_from_a_hundred_records_of_each_class_on_nothing_is_said() -> None:
    for n, m, said in ((99, 200, True), (200, 99, True), (100, 100, False)):
        scores = AttackScores(member=np.arange(n) + 1000, nonmember=np.arange(m))
        assert any(WORDS in each for each in lower_bound(scores, delta=1).warnings) == said


@pytest.mark.slow
def test_numbers_are_looked_for_beyond_the_larger_class() -> None:
    found = perfect_bound(DEFAULT, 1, 95, confidence_level=0.999)
    (said,) = (NEXT.search(each) for each in found.warnings if WORDS in each)
    assert said is not None
    n, m = int(said[1]), int(said[2])
    assert (n, round(m / 95)) == (2, 2)
    assert perfect_bound(DEFAULT, n, m, confidence_level=0.999).low > 0
    assert perfect_bound(DEFAULT, round((m - 1) / 95), m - 1, confidence_level=0.999).low == 0


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_coins_could_have_made_other_numbers_of_members(method: str) -> None:
    found = perfect_bound(method, 2, 10)
    assert found.low == 0
    few = "no attack on this many records certifies an ε above 0 with this method"
    assert any(each.startswith(few) for each in found.warnings)
    assert perfect_bound(method, 6, 6).low > 0


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_by_coins_the_next_even_number_of_records_is_said(method: str) -> None:
    few = "no attack on this many records certifies an ε above 0 with this method"
    for n, m in ((2, 2), (2, 10)):
        more = range((n + m) // 2 + 1, 20)
        half = next(each for each in more if perfect_bound(method, each, each).low > 0)
        said = f"{few}; {2 * half}, half of them members, are enough"
        assert said in perfect_bound(method, n, m).warnings
    scores = AttackScores(member=[5, 6, 7], nonmember=[1, 2, 3])
    assert few in lower_bound(scores, delta=1, method=method).warnings
