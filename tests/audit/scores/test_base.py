"""Permuted labels, bootstrap samples and halves of both kinds of scores, against their records."""

import numpy as np
import pytest

from dpviz.audit import AttackScores, BinnedScores
from dpviz.audit.scores.base import Scores

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

    def test_halves_are_a_partition_and_the_second_has_the_odd_record(self, scores: Scores) -> None:
        first, second = scores.halves(np.random.default_rng(3))
        for own, one, other in zip(records(RECORDS), records(first), records(second), strict=True):
            assert sorted(one + other) == own
            assert len(other) - len(one) == len(own) % 2

    def test_both_give_the_same_counts(self, scores: Scores) -> None:
        assert (scores.n_members, scores.n_nonmembers) == (5, 8)
        assert scores.at_least(3) == (2, 6)
        assert scores.distinct().tolist() == [0, 1, 2, 3, 5, 7, 8, 9]
        assert scores.hides.shape == (8,)
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
