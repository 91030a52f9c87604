"""Parts of scores against sorted lists: samples, labels, the area by hand, and remarks."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from dpviz.audit import AttackScores, BinnedScores, auc
from dpviz.audit.scores.base import (
    OrderedSample,
    Scores,
    SortedSample,
    data_warnings,
    largest_auc_standard_error,
    warning_if_reversed,
)
from tests.audit.oracles import tied_losses

RECORDS = AttackScores(member=[1, 2, 2, 5, 7], nonmember=[0, 2, 3, 3, 3, 8, 9, 9])
CELLS = BinnedScores(
    thresholds=[0, 1, 2, 3, 5, 7, 8, 9],
    member_counts=[0, 1, 2, 0, 1, 1, 0, 0],
    nonmember_counts=[1, 0, 1, 3, 0, 0, 1, 2],
)


def records(scores: Scores) -> tuple[list[float], list[float]]:
    member, nonmember = (
        np.repeat(sample.values, sample.counts.astype(np.intp)).tolist()
        for sample in (scores.members, scores.nonmembers)
    )
    return member, nonmember


@pytest.mark.parametrize("scores", [RECORDS, CELLS], ids=["records", "cells"])
class TestBothKinds:
    def test_permuted_labels_keep_the_pooled_records_and_the_class_sizes(
        self, scores: Scores
    ) -> None:
        permuted = scores.label_permuter(np.random.default_rng(0))
        seen = set()
        for _ in range(20):
            member, nonmember = records(permuted())
            assert (len(member), len(nonmember)) == (5, 8)
            assert sorted(member + nonmember) == sorted(np.concatenate(records(RECORDS)).tolist())
            seen.add(tuple(member))
        assert len(seen) > 10

    def test_order_statistics_of_both_classes_together(self, scores: Scores) -> None:
        pooled = sorted(np.concatenate(records(scores)).tolist())
        ranks = np.array([12, 0, 3, 3, 11, *range(13)])
        assert scores.at_pooled_ranks(ranks).tolist() == [pooled[rank] for rank in ranks]
        swapped = scores.swapped()
        assert swapped.at_pooled_ranks(ranks).tolist() == [pooled[rank] for rank in ranks]
        assert scores.n_distinct == len(set(pooled))
        assert scores.distinct_scores().tolist() == sorted(set(pooled))

    def test_every_record_is_a_permuted_member_equally_often(self, scores: Scores) -> None:
        permuted = scores.label_permuter(np.random.default_rng(1))
        means = [np.mean(records(permuted())[0]) for _ in range(2000)]
        pooled = np.concatenate(records(RECORDS))
        # The mean of 5 of 13 records: variance with the finite population correction.
        error = np.sqrt(pooled.var(ddof=1) / 5 * (1 - 5 / 13) / 2000)
        assert np.mean(means) == pytest.approx(pooled.mean(), abs=4 * error)

    def test_a_bootstrap_sample_draws_each_class_from_itself(self, scores: Scores) -> None:
        rng = np.random.default_rng(2)
        drawn = [records(scores.bootstrap_sample(rng)) for _ in range(2000)]
        for own, samples in zip(records(RECORDS), zip(*drawn, strict=True), strict=True):
            assert {len(sample) for sample in samples} == {len(own)}
            assert set().union(*samples) == set(own)
            error = np.std(own) / np.sqrt(len(own) * 2000)
            assert np.mean(samples) == pytest.approx(np.mean(own), abs=4 * error)

    def test_both_give_the_same_counts(self, scores: Scores) -> None:
        assert (scores.n_members, scores.n_nonmembers) == (5, 8)
        assert scores.count_at_least(3) == (2, 6)
        assert scores.distinct_scores().tolist() == [0, 1, 2, 3, 5, 7, 8, 9]
        assert scores.may_be_rounded.shape == (8,)
        assert scores.groups == ()


def test_thinned_records_are_every_kth_of_each_class() -> None:
    thinned = RECORDS.thinned(4)
    assert records(thinned) == ([1, 2, 7], [0, 3, 3, 9])
    assert RECORDS.thinned(8) is RECORDS
    assert CELLS.thinned(1) is CELLS


def test_only_cells_are_rounded() -> None:
    assert CELLS.is_rounded
    assert CELLS.is_binned
    assert not RECORDS.is_rounded
    assert not RECORDS.is_binned


def test_one_score_above_the_edge_of_its_cell_is_enough() -> None:
    for third, is_rounded in ((1 / 3, True), (0.375, False)):
        scores = BinnedScores.of(AttackScores(member=[1.0, third], nonmember=[0.0]), bits=10)
        assert scores.is_rounded == is_rounded


numbers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30)


def counted(values: list[float]) -> OrderedSample:
    return OrderedSample(*np.unique(values, return_counts=True))


def sorted_sample(values: list[float]) -> SortedSample:
    return SortedSample(np.sort(values))


def listed(sample: OrderedSample) -> list[float]:
    return np.repeat(sample.values, sample.counts.astype(np.intp)).tolist()


@pytest.mark.parametrize("make", [sorted_sample, counted])
@given(values=numbers, places=st.lists(st.integers(-6, 6).map(float), min_size=1))
def test_counts_ranks_and_moments(
    make: Callable[[list[float]], OrderedSample], values: list[float], places: list[float]
) -> None:
    sample, ordered = make(values), sorted(values)
    assert sample.size == len(values)
    assert listed(sample) == ordered
    assert (sample.smallest, sample.largest) == (ordered[0], ordered[-1])
    assert sample.count_below(places).tolist() == [sum(x < p for x in values) for p in places]
    assert sample.count_at_most(places).tolist() == [sum(x <= p for x in values) for p in places]
    assert sample.count_at_least(places).tolist() == [sum(x >= p for x in values) for p in places]
    assert sample.at_ranks(np.arange(len(values))).tolist() == ordered
    twice = (sample.values * 2).astype(np.int64)
    assert sample.sum_over_records(twice) == sum(int(2 * x) for x in values)
    np.testing.assert_allclose(sample.mean_and_sd, (np.mean(values), np.std(values)), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("make", [sorted_sample, counted])
@given(values=numbers, data=st.data())
def test_what_is_made_of_a_sample(
    make: Callable[[list[float]], OrderedSample], values: list[float], data: st.DataObject
) -> None:
    sample, ordered = make(values), sorted(values)
    assert listed(sample.negated()) == sorted(-x for x in values)
    assert listed(sample.mapped(lambda x: x // 2)) == [x // 2 for x in ordered]
    ranks = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True))
    left = [x for i, x in enumerate(ordered) if i not in ranks]
    assert listed(sample.without_ranks(np.array(ranks, np.int64))) == left


@pytest.mark.parametrize("make", [sorted_sample, counted])
def test_a_bootstrap_draw_is_multinomial(make: Callable[[list[float]], OrderedSample]) -> None:
    sample, rng = make([1.0, 2.0, 2.0, 2.0]), np.random.default_rng(1)
    ones = np.array([sample.bootstrap_counts(rng)[0] for _ in range(4000)])
    # Binomial(4, 1/4): mean 1, variance 3/4.
    assert ones.mean() == pytest.approx(1, abs=4 * np.sqrt(0.75 / 4000))
    assert ones.var() == pytest.approx(0.75, abs=0.1)


def test_values_of_a_counted_sample_are_mapped() -> None:
    mapped = OrderedSample(np.array([1.0, 2.0]), np.array([3, 1])).mapped(lambda x: 10 * x)
    assert (mapped.values.tolist(), mapped.counts.tolist()) == ([10.0, 20.0], [3, 1])


def test_totals_of_whole_numbers_are_exact_however_many() -> None:
    sample = OrderedSample(np.array([0.0, 1.0]), np.array([1, 2**40]))
    assert sample.sum_over_records(np.array([0, 2**40])) == 2**80


def of(member: object, nonmember: object) -> AttackScores:
    return AttackScores(member=member, nonmember=nonmember)


def psi(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


@given(member=tied_losses, nonmember=tied_losses)
def test_the_area_is_the_share_of_pairs_ranked_right(
    member: list[float], nonmember: list[float]
) -> None:
    scores = of(member, nonmember)
    by_hand = sum(psi(a, b) for a in member for b in nonmember) / (len(member) * len(nonmember))
    assert auc(scores) == by_hand
    labels = np.r_[np.ones(len(member)), np.zeros(len(nonmember))]
    assert auc(scores) == pytest.approx(roc_auc_score(labels, member + nonmember), abs=1e-12)


def test_no_law_has_a_larger_standard_error_than_the_largest() -> None:
    rng, runs = np.random.default_rng(9), 3000
    # Members above or below all non-members: their number alone varies, the bound is reached.
    above = rng.binomial(30, 0.8, runs)
    areas = [auc(of(np.r_[np.ones(k), -np.ones(30 - k)], np.zeros(60))) for k in above]
    largest = largest_auc_standard_error(0.8, of(np.ones(30), np.zeros(60)))
    assert np.std(areas) == pytest.approx(largest, rel=0.05)
    areas = [auc(of(rng.normal(1, 1, 30), rng.normal(0, 1, 60))) for _ in range(runs)]
    # The true area of two Normal distributions at distance 1 is Phi(1 / sqrt(2)).
    assert np.std(areas) < largest_auc_standard_error(0.7602, of(np.ones(30), np.zeros(60)))


ROUNDED = "rounding each score down to one of 2 thresholds makes ties"


@pytest.mark.parametrize(
    ("member_means", "remark"),
    [
        ([0.0, 1.0], "2 of 4 scores repeat an earlier score"),  # every score is at its threshold
        ([0.0, 1.25], ROUNDED),  # one is above it
        ([0.25, 1.25], ROUNDED),
    ],
)
def test_one_score_above_its_threshold_is_enough(member_means: list[float], remark: str) -> None:
    scores = BinnedScores(
        thresholds=[0.0, 1.0],
        member_counts=[1, 1],
        nonmember_counts=[1, 1],
        member_means=member_means,
        nonmember_means=[0.0, 1.0],
        kind="score",
    )
    assert data_warnings(scores) == (remark,)


def test_many_scores_that_are_reversed_a_little() -> None:
    rng = np.random.default_rng(0)
    n = 200_000
    scores = AttackScores(member=rng.normal(-0.04, 1, n), nonmember=rng.normal(0, 1, n))
    # The AUC is 0.489; its standard error is 0.0009, that of a part of 8192 records each 0.0045.
    assert "the scores look reversed: AUC 0.4" in warning_if_reversed(scores)
    assert (
        warning_if_reversed(AttackScores(member=-scores.member, nonmember=scores.nonmember)) == ""
    )
