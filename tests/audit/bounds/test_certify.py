"""What published numbers certify: known values, rounding, ties, refusals, and how often it errs."""

from bisect import bisect_left
from collections.abc import Callable
from functools import cache
from itertools import combinations
from math import comb, log, log1p

import numpy as np
import pytest
from scipy.stats import binom

from dpviz import audit
from dpviz.audit.bounds import certify as module
from dpviz.audit.bounds.worst_case_distribution import (
    NORMAL_END_SDS,
    PublishedRate,
    WorstCaseDistribution,
    _binomial_on_grid,
    _log_characteristic_bound,
    _omitted_fourier_terms_bound,
    chance_of_auc_at_least,
)

SIZES = {"n_members": 1000, "n_nonmembers": 1000}


# Measured with an independent simulation (400 rankings and steps of 0.04 in epsilon).
@pytest.mark.parametrize(
    ("auc", "least", "most"),
    [(0.52, 0, 0), (0.55, 0.08, 0.15), (0.6, 0.28, 0.36), (0.7, 0.72, 0.8)],
)
def test_aucs_certify_what_simulations_say(auc: float, least: float, most: float) -> None:
    assert least <= audit.certify(auc=auc, **SIZES).low <= most


def test_text_is_read_as_printed_and_the_worst_number_is_used() -> None:
    exact = audit.certify(auc=0.595, **SIZES)
    for text in ("0.60", "60 %"):
        assert audit.certify(auc=text, **SIZES).low == exact.low
    finer = audit.certify(auc="0.600", **SIZES)
    assert (finer.least, finer.published) == (0.5995, "0.600")
    assert exact.low < finer.low < audit.certify(auc=0.6, **SIZES).low
    # At most 1 false positive of 1000 is printed as 0.1 %, at most 2 as 0.2 %.
    rates = [audit.certify(tpr="5.0 %", fpr=fpr, **SIZES).low for fpr in ("0.1 %", "0.2 %")]
    assert rates == [audit.certify(tpr=0.05, fpr=fpr, **SIZES).low for fpr in (0.001, 0.002)]
    assert rates[0] > rates[1] > 1


@pytest.mark.parametrize(
    ("text", "least", "most", "total", "counts"),
    [
        ("0.60", 0.595, 0.605, 1000, (595, 604)),
        ("60 %", 0.595, 0.605, 200, (119, 120)),
        ("0.2", 0.15, 0.25, 8, (2, 1)),  # 2/8 is the end that is left out: the next is none
        ("0.00", 0, 0.005, 300, (0, 1)),
        ("1.00", 0.995, 1, 300, (299, 300)),
        ("1", 1, 1, 300, (300, 300)),
        ("100 %", 0.995, 1, 300, (299, 300)),
        ("5e-1", 0.45, 0.55, 10, (5, 5)),
    ],
)
def test_what_a_text_stands_for(
    text: str, least: float, most: float, total: int, counts: tuple[int, int]
) -> None:
    found = PublishedRate.parse("tpr", text)
    assert (found.least, found.most) == pytest.approx((least, most), abs=2e-9)
    assert 0 <= found.least <= found.most <= 1
    assert found.most_count(total) == counts[1]
    if counts[0] <= counts[1]:
        assert found.least_count(total) == counts[0]
        return
    with pytest.raises(ValueError, match="tpr must be a multiple of 1/8"):
        found.least_count(total)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16])
def test_a_float_stands_for_what_its_type_rounds_to_it(kind: type[np.floating]) -> None:
    sizes = {"n_members": 20, "n_nonmembers": 20}  # areas are 1/800 apart
    for given in (kind(0.6), np.array(0.6, kind)):
        found = audit.certify(auc=given, **sizes)
        assert (found.count, found.published) == (480, "0.6")
        assert found.low == audit.certify(auc=0.6, **sizes).low
    half_step = float(np.spacing(kind(0.6))) / 2
    read = PublishedRate.parse("auc", kind(0.6))
    for end in (kind(0.6) - half_step, kind(0.6) + half_step):  # computed with float64
        assert float(read.low) <= end <= float(read.high)


@pytest.mark.slow
@pytest.mark.parametrize(
    "number",
    [
        {"auc": "0.64"},
        {"advantage": "0.25"},
        {"tpr": "0.12", "fpr": "0.01"},
        {"precision": "0.95", "k": 40},
    ],
    ids=lambda each: next(iter(each)),
)
def test_more_doubt_certifies_less(number: dict[str, str | int]) -> None:
    sizes = {"n_members": 400, "n_nonmembers": 500}
    found = audit.certify(**number, **sizes)
    assert found.low > 0.2
    assert (found.note, found.statistic) == ("", next(iter(number)))
    surer = audit.certify(**number, **sizes, confidence_level=0.99)
    leaky = audit.certify(**number, **sizes, delta=1e-3)
    assert 0 <= max(surer.low, leaky.low) < found.low
    if "k" not in number:
        fewer = audit.certify(**number, n_members=100, n_nonmembers=125)
        assert fewer.low < found.low


def test_nothing_is_certified_by_a_reversed_attack_or_by_chance() -> None:
    for number in ({"auc": "0.30"}, {"advantage": "0.02"}, {"accuracy": "0.50"}):
        found = audit.certify(**number, n_members=200, n_nonmembers=200)
        assert found.low == 0
        assert 0.05 < found.p_value <= 1
        assert "chance alone" in found.note


def test_one_tied_pair_is_no_perfect_ranking() -> None:
    # 0.975 = 1 - 1 / (2 * 20): a tie, which may count as much as a pair; P(perfect) = 1 / 21.
    found = audit.certify(auc="0.975", n_members=1, n_nonmembers=20)
    assert (found.low, found.p_value) == (0, pytest.approx(2 / 21))
    perfect = audit.certify(auc=1.0, n_members=1, n_nonmembers=20)
    assert perfect.p_value == pytest.approx(1 / 21)
    # Equal scores have this area.
    assert audit.certify(auc=0.5, n_members=1, n_nonmembers=1, confidence_level=0.5).low == 0


def hull_tpr(is_member: np.ndarray, fpr: float) -> float:
    """The TPR of the ROC curve's convex hull, of records ranked from the first: best chord."""
    n, m = is_member.sum(), (~is_member).sum()
    t, x = (np.concatenate([[0], np.cumsum(flags)]) for flags in (is_member / n, ~is_member / m))
    left, right = x <= fpr, x > fpr
    width = x[right] - x[left][:, None]
    chords = (t[left][:, None] * (x[right] - fpr) + t[right] * (fpr - x[left][:, None])) / width
    return max(float(chords.max(initial=0)), float(t[left].max()))


@pytest.mark.parametrize(
    ("n", "m", "fpr", "epsilon"),
    [
        (50, 50, 0.01, 1.0),
        pytest.param(200, 60, 0.01, 1.0, marks=pytest.mark.slow),
        pytest.param(500, 500, 0.001, 1.0, marks=pytest.mark.slow),
    ],
)
def test_an_interpolated_tpr_is_seldom_false_unlike_one_that_is_taken_as_that_of_a_threshold(
    n: int, m: int, fpr: float, epsilon: float
) -> None:
    rng, q, runs = np.random.default_rng(4), 1 / (1 + np.exp(-epsilon)), 1000
    is_member, found = np.arange(n + m) < n, np.zeros(runs)
    for run in range(runs):
        scores = (rng.random(n + m) < np.where(is_member, q, 1 - q)) + rng.random(n + m) / 2
        found[run] = hull_tpr(is_member[np.argsort(-scores)], fpr)
    shares = []
    for interpolated in (True, False):
        of_fpr = {"fpr": PublishedRate.parse("fpr", fpr), "interpolated": interpolated}
        sizes = {"n_members": n, "n_nonmembers": m, "delta": 0.0, "level": 0.05}
        law = WorstCaseDistribution(statistic="tpr", **sizes, **of_fpr)
        counts = np.sort(np.floor(found * law.total + 1e-9)).astype(int).tolist()
        chance = cache(lambda count, law=law: law.tail_chance_by_epsilon(count)(epsilon))
        shares.append(1 - bisect_left(counts, True, key=lambda count: chance(count) <= 0.05) / runs)
    error = np.sqrt(0.05 * 0.95 / runs)
    assert shares[0] <= 0.05 + 3 * error < shares[1]


def test_an_interpolated_tpr_by_enumeration_of_all_rankings() -> None:
    """At epsilon 0 every order of 5 members and 5 non-members is as likely as any other."""
    n, fpr, orders = 5, 0.1, list(combinations(range(10), 5))
    places = np.zeros((len(orders), 10), bool)
    for row, order in enumerate(orders):
        places[row, list(order)] = True
    tprs = np.array([hull_tpr(row, fpr) for row in places])
    for tpr in np.unique(tprs):
        law = audit.certify(tpr=tpr, fpr=fpr, n_members=n, n_nonmembers=n, interpolated=True)
        assert law.p_value >= np.mean(tprs >= tpr) - 1e-12


def test_an_interpolated_tpr_certifies_less_and_a_smaller_one_no_more() -> None:
    sizes = {"n_members": 100, "n_nonmembers": 100}
    found = [
        audit.certify(tpr=tpr, fpr=0.01, interpolated=True, **sizes).low
        for tpr in (0.2, 0.205, 0.5)
    ]
    assert 0.5 < found[0] < audit.certify(tpr=0.2, fpr=0.01, **sizes).low
    assert found[0] < found[1] < found[2]
    with pytest.raises(ValueError, match="interpolated must be False without tpr, got True"):
        audit.certify(auc=0.6, interpolated=True, **SIZES)


@pytest.mark.parametrize(("n", "m"), [(10, 1000), (1000, 10), (1, 13)])
def test_the_accuracy_of_one_answer_for_all_records_certifies_nothing(n: int, m: int) -> None:
    # "Nobody is a member", or "everybody": some threshold always reaches it.
    found = audit.certify(accuracy=max(n, m) / (n + m), n_members=n, n_nonmembers=m)
    assert (found.low, found.p_value) == (0, 1)
    more = audit.certify(accuracy=1.0, n_members=n, n_nonmembers=m)
    assert more.p_value == pytest.approx(1 / comb(n + m, n), abs=1e-11)


def test_the_fewest_records_that_can_certify_are_said() -> None:
    # A perfect ranking of 3 + 3 has probability 1/20 where epsilon is 0, and more where it is not.
    for number in ({"auc": 1.0}, {"advantage": "1.0"}, {"tpr": 1.0, "fpr": 0.0}):
        for size, chance in ((2, 1 / 6), (3, 1 / 20)):
            few = audit.certify(**number, n_members=size, n_nonmembers=size)
            assert few.low == 0
            assert few.note.startswith("these few records certify nothing")
            assert few.note.endswith("at least 4 members and 4 non-members are needed")
            assert few.p_value == pytest.approx(
                chance if "advantage" not in number else few.p_value
            )
        assert audit.certify(**number, n_members=4, n_nonmembers=4).low > 0
    # All of the first k of 8 are members with probability 4/56 at k = 3, and 1/70 at k = 4.
    few = audit.certify(precision=1.0, k=2, n_members=4, n_nonmembers=4)
    assert few.note.startswith("the first 2 records certify nothing")
    assert few.note.endswith("at least the first 4 are needed")
    # Of 10 000 members, delta = 0.01 lets 100 say what they are: as many as are looked at.
    leaked = audit.certify(precision=1.0, k=90, n_members=10**4, n_nonmembers=10**4, delta=0.01)
    assert leaked.note == "the first 90 records certify nothing, whatever the attack"
    three = audit.certify(precision=1.0, k=3, n_members=4, n_nonmembers=4)
    assert three.note == few.note.replace("first 2", "first 3")
    # Where a perfect ranking would certify something, another number fails by chance.
    assert "chance alone" in audit.certify(auc=0.625, n_members=4, n_nonmembers=4).note


def test_as_many_pairs_and_decimals_as_are_said_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PAIRS", 100)
    found = audit.certify(auc="0.9" + 299 * "0", n_members=10, n_nonmembers=10)
    assert found.low > 0
    with pytest.raises(ValueError, match="n_members times n_nonmembers must be at most 100"):
        audit.certify(auc=0.9, n_members=10, n_nonmembers=11)


def test_no_p_value_is_above_one() -> None:
    # With ties an AUC of 1 / 2 is bounded by twice the chance of one right pair, here 2 * 0.95.
    assert audit.certify(auc=0.5, n_members=1, n_nonmembers=1, delta=0.9).p_value == 1


def test_what_every_attack_reaches_certifies_nothing_with_the_least_confidence() -> None:
    assert audit.certify(auc=0.0, n_members=9, n_nonmembers=9, confidence_level=0.5).low == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {},
            r"one of auc, advantage, accuracy, tpr \(with fpr\) and precision \(with k\) must be",
        ),
        ({"auc": 0.6, "accuracy": 0.6}, "got auc and accuracy"),
        ({"tpr": 0.5}, "tpr and fpr must be given together"),
        ({"auc": 0.6, "k": 3}, "precision and k must be given together"),
        ({"auc": 1.2}, r"auc must be in \[0, 1\], got 1.2"),
        ({"auc": "120 %"}, r"auc must be in \[0, 1\], got '120 %'"),
        ({"auc": "high"}, "auc must be a number"),
        ({"auc": "nan"}, "auc must be a number"),
        ({"auc": "1e999999999"}, r"auc must be in \[0, 1\], got '1e999999999'"),
        (
            {"auc": "1e-999999999"},
            "auc must be a number of at most 300 decimals, got '1e-999999999'",
        ),
        ({"auc": 0.6, "n_members": 10**8}, "n_members must be a whole number from 1 to 10000000"),
        (
            {"auc": 0.6, "n_members": 10**7, "n_nonmembers": 10**7},
            r"n_members times n_nonmembers must be at most 1e\+12, got 100000000000000",
        ),
        (
            {"precision": 0.55, "k": 10},
            r"precision must be a multiple of 1/10, such as 5/10 or 6/10",
        ),
        (
            {"precision": "0.8", "k": 15},
            "precision must be at most 10/15, as only 10 are members, got '0.8'",
        ),
        ({"accuracy": "0.333"}, "accuracy must be a multiple of 1/20"),
        ({"auc": 0.6, "delta": 1.5}, "delta must be in"),
        ({"auc": 0.6, "ties": "some"}, "ties must be one of"),
        ({"auc": 0.6, "confidence_level": 1.5}, r"confidence_level must be in \[0.5, 1\), got 1.5"),
    ],
)
def test_what_is_impossible_is_refused(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        audit.certify(**{"n_members": 10, "n_nonmembers": 10, **given})


def test_zero_is_zero_with_any_exponent() -> None:
    assert audit.certify(auc="0.0e999999999", **SIZES).low == 0


def no_ties(rng: np.random.Generator, n: int, chance: float) -> np.ndarray:
    return (rng.random(n) < chance) + rng.random(n) / 2


def ties(rng: np.random.Generator, n: int, chance: float) -> np.ndarray:
    return (rng.random(n) < chance) * 1.0


@pytest.mark.parametrize(("draw", "factor"), [(no_ties, 1), (ties, 2)])
def test_randomized_response_is_seldom_refuted(
    draw: Callable[..., np.ndarray], factor: int
) -> None:
    n, m, epsilon, runs, level = 25, 35, 1.0, 4000, 0.05
    given = {"n": n, "m": m, "epsilon": epsilon, "delta": 0.0, "level": level}
    refuting = bisect_left(
        range(n * m), True, key=lambda u: factor * chance_of_auc_at_least(u, **given) <= level
    )
    rng, q = np.random.default_rng(8), 1 / (1 + np.exp(-epsilon))
    false = 0
    for _ in range(runs):
        member, nonmember = draw(rng, n, q)[:, None], draw(rng, m, 1 - q)
        halves = np.sum(member > nonmember) + np.sum(member == nonmember) / 2
        false += halves >= refuting
    error = np.sqrt(level * (1 - level) / runs)
    assert false / runs <= level + 3 * error
    if factor == 1:
        assert false / runs >= 0.04


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 3), (5, 1)])
def test_by_chance_one_record_is_as_likely_at_any_place_among_the_others(n: int, m: int) -> None:
    records, sizes = n + m, {"n": n, "m": m}
    for pairs in range(n * m + 1):
        found = chance_of_auc_at_least(pairs, **sizes, epsilon=0.0, delta=0.0, level=0.05)
        assert found == pytest.approx(1 - pairs / records, abs=1e-8)


def test_class_sizes_are_rounded_to_the_side_that_is_said() -> None:
    for up in (True, False):
        sizes, chances = _binomial_on_grid(1000, 0.3, 25, 5.0, round_up=up)
        assert sizes.size == 27
        for size in range(230, 370, 7):
            kept, true = chances[sizes <= size].sum(), binom.cdf(size, 1000, 0.3)
            assert (kept <= true + 1e-12) if up else (kept >= true - 1e-5)  # what is beyond 5 sigma
            assert abs(kept - true) < 0.2


def test_every_order_has_at_least_no_pair() -> None:
    sizes = {"n": 6, "m": 4}
    assert chance_of_auc_at_least(0, **sizes, epsilon=1.0, delta=0.1, level=0.05) == 1.0


def log_product(a: int, b: int, t: np.ndarray) -> np.ndarray:
    """Log of |phi(t)| of a members and b non-members, as it is written in the module."""
    i = np.arange(1, a + 1)[:, None]
    found = np.abs(np.sin((b + i) * t / 2) / (b + i) / (np.sin(i * t / 2) / i))
    return np.asarray(np.log(found).sum(axis=0))


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ((6, 6), (6, 6)),
        ((5, 9), (9, 5)),
        ((30, 20), (4, 3)),
        ((3, 50), (50, 3)),
        ((400, 400), (400, 400)),
    ],
)
def test_what_is_left_out_of_the_sum_is_no_larger_than_its_bound(
    upper: tuple[int, int], lower: tuple[int, int]
) -> None:
    variance = sum(a * b * (a + b + 1) for a, b in (upper, lower)) / 12
    t = np.linspace(NORMAL_END_SDS / np.sqrt(variance), np.pi, 5000)[:-1]
    largest = np.exp((log_product(*upper, t) + log_product(*lower, t)).max())
    assert largest > 1e-15
    assert (
        _omitted_fourier_terms_bound([np.array([float(each)]) for each in (*upper, *lower)])[0]
        >= largest
    )


@pytest.mark.parametrize(
    ("upper", "lower"),
    [
        ((100, 100), (100, 100)),
        ((90, 140), (140, 90)),
        ((3, 300), (250, 2)),
        ((9, 80), (400, 700)),
        ((8, 8), (30, 30)),
        ((30, 30), (8, 8)),
    ],
)
def test_the_bound_of_what_is_left_out_is_that_of_facts_2_and_3(
    upper: tuple[int, int], lower: tuple[int, int]
) -> None:
    sizes = [sum(upper), sum(lower)]
    bounds = []
    for a, b in (upper, lower):
        total = a + b
        few = min(a, b)
        fact_3 = min(
            total * (log1p(y) - 0.75 * y / (1 + y) ** 2) - few * log(y) - log(comb(total, few))
            for y in (few / max(a, b), 4 * few / max(a, b))
        )
        variance = a * b * (total + 1) / 12
        fact_2 = -variance * (2 * np.pi / max(sizes)) ** 2 / 2
        bounds.append(min(max(fact_3, fact_2 if total < max(sizes) else fact_3), 0))
    found = _omitted_fourier_terms_bound([np.array([float(each)]) for each in (*upper, *lower)])[0]
    assert found == pytest.approx(20 * (np.exp(sum(bounds)) + np.exp(-32)), rel=1e-9)


def test_cosines_of_many_angles_add_up_to_a_quarter_and_of_few_the_bound_says_nothing() -> None:
    for total in range(5, 200):
        t = np.linspace(2 * np.pi / total, np.pi, 2000)
        assert np.all(np.abs(np.sin(total * t / 2) / np.sin(t / 2)) <= total * (0.25 + 1e-9))
    for total in range(5):
        for a in range(total + 1):
            assert (
                _log_characteristic_bound(np.array([float(a)]), np.array([float(total - a)]))[0]
                == 0
            )
