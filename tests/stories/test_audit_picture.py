"""What users were promised of an audit, each promise checked as it was put."""

import numpy as np
import pytest

from dpviz import AttackScores, analyze, audit
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.bounds.slices import slices
from dpviz.audit.evidence.claim import claim_test_from_counts
from dpviz.audit.roc.area_and_advantage import auc
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, tpr_at_fpr
from dpviz.audit.scores.losses import per_user
from dpviz.theory import ApproximateDP, PrivacyRegion
from dpviz.widgets import TradeoffView


@pytest.mark.slow
def test_noise_is_not_reported_as_leakage() -> None:
    """500 null data sets: a raw number up to 1.94, called no bound; a bound above 0 in 5 %."""
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(500):
        scores = AttackScores(member=rng.normal(size=1000), nonmember=rng.normal(size=1000))
        found += audit.lower_bound(scores, delta=1e-5).low > 0
    assert found / 500 <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 500)
    result = analyze(scores)
    assert result.sample is not None
    assert result.sample.audit.null is not None
    displayed = result.sample.audit.null.quantile("raw_epsilon")
    assert displayed == pytest.approx(1.94, abs=0.1)
    assert "or (TNR - δ)/FNR is at most 1.9" in result.sentences["chance"]
    assert "None of these numbers is a bound" in result.sentences["chance"]


@pytest.mark.parametrize(
    ("n", "most"), [(100, 3.28), (500, 4.91), (1000, 5.60), (5000, 7.21), (50_000, 9.51)]
)
def test_the_ceiling_of_a_sample_size(n: int, most: float) -> None:
    """No errors at one preset threshold, each rate bounded at 97.5 %."""
    certified = ceiling(n_members=n, n_nonmembers=n, delta=0.0, method="clopper_pearson")
    assert certified == pytest.approx(most, abs=0.01)


def test_reversed_scores_are_said_and_never_flipped() -> None:
    rng = np.random.default_rng(7)
    right = {"member": rng.normal(1, 1, 400), "nonmember": rng.normal(0, 1, 500)}
    negated = AttackScores(member=-right["member"], nonmember=-right["nonmember"])
    result = analyze(negated)
    assert "look reversed" in result.sentences["cautions"]
    assert "kind='loss'" in result.sentences["cautions"]
    assert result.sample is not None
    assert result.sample.rates.auc.value < 0.5  # as it came, not turned round
    assert audit.lower_bound(negated, delta=1e-5).low == 0
    fixed = AttackScores.from_losses(member=-right["member"], nonmember=-right["nonmember"])
    assert auc(fixed) == pytest.approx(1 - auc(negated), abs=1e-12)
    assert analyze(fixed).sentences["cautions"] == ""


def test_five_conventions_give_four_numbers() -> None:
    """200 records of each class, a Gaussian leak of 1, FPR 1 %; the truth is 0.092."""
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(1, 1, 200), nonmember=rng.normal(0, 1, 200))
    read = {name: tpr_at_fpr(scores, 0.01, convention=name) for name in CONVENTIONS}
    values = [round(reading.value, 3) for reading in read.values()]
    assert values == [0.055, 0.025, 0.055, 0.055, 0.068]
    last = read["last_vertex"]
    assert (last.false_positives, last.realised_fpr, last.true_positives) == (2, 0.01, 11)
    assert last.interval[0] <= 0.092 <= last.interval[1]
    from dpviz.analysis.topics.evidence import rates_table

    rows = rates_table(analyze(scores, fpr=0.001)).rows
    assert rows[0][0].startswith("TPR at FPR 0.1 % (0.001), ")


def test_zeros_are_shown_at_the_edge_of_the_log_log_picture() -> None:
    rng = np.random.default_rng(9)
    samples = [
        AttackScores(member=rng.normal(0, 1, 300), nonmember=rng.normal(2, 1, 400)),  # TPR 0
        AttackScores(member=rng.normal(2, 1, 300), nonmember=rng.normal(0, 1, 400)),  # FPR 0
        AttackScores(member=[1.0], nonmember=[0.0]),
    ]
    notes = ["TPR 0 (< 1/300)", "FPR 0 (< 1/400)", "FPR 0 (< 1/1)"]
    for scores, note in zip(samples, notes, strict=True):
        view = TradeoffView(scores=scores)
        view.axes = "log-log"
        frame = view.pictures_on_page[0].frame
        assert (frame.x.low, frame.x.high) == (1e-5, 1.0)
        assert (frame.y.low, frame.y.high) == (1e-5, 1.0)
        shown = [mark for mark in frame.figure.marks if mark.visible]
        for mark in frame.figure.marks:
            assert np.isfinite(mark.x).all()
            assert np.isfinite(mark.y).all()
            assert min(np.min(mark.x), np.min(mark.y)) >= 1e-5
        labelled = [mark.names for mark in shown if getattr(mark, "names", None) is not None]
        texts = [name for names in labelled for name in names]
        assert note in texts


def test_the_example_of_nine_in_ten() -> None:
    """TPR 0.9 and FPR 0.1 beside the claim (2.5, 1e-4), and beside (2, 1e-4)."""
    rates = {"fpr": 0.1, "fnr": 0.1}
    assert PrivacyRegion(epsilon=2.5, delta=1e-4).contains(**rates)
    assert not PrivacyRegion(epsilon=2.0, delta=1e-4).contains(**rates)
    assert 8.998 < (0.9 - 1e-4) / 0.1 < 9 < np.exp(2.5)

    def of(n: int, epsilon: float) -> str:
        counts = {"false_positives": n // 10, "false_negatives": n // 10}
        sizes = {"n_nonmembers": n, "n_members": n}
        claim = ApproximateDP(epsilon=epsilon, delta=1e-4)
        return claim_test_from_counts(claim, **counts, **sizes).outcome

    assert [of(10, epsilon) for epsilon in (2.0, 2.5)] == ["not contradicted"] * 2
    assert [of(10_000, epsilon) for epsilon in (2.0, 2.5)] == ["contradicted", "not contradicted"]


def grouped(rng: np.random.Generator, shifts: list[float], n: int) -> AttackScores:
    """So many groups of n members and n non-members; the members of each moved by a shift."""
    labels = np.repeat([f"class {i}" for i in range(len(shifts))], n)
    return AttackScores(
        member=rng.normal(np.repeat(shifts, n), 1),
        nonmember=rng.normal(size=labels.size),
        member_groups=labels,
        nonmember_groups=labels,
    )


@pytest.mark.slow
def test_a_leaking_class_is_found_and_null_classes_are_not() -> None:
    rng = np.random.default_rng(22)
    planted = slices(grouped(rng, [0.0] * 7 + [2.0] + [0.0] * 2, 200), delta=1e-5)
    assert planted.worst is not None
    assert planted.worst.group == "class 7"
    runs = 60
    alarms = sum(
        slices(grouped(rng, [0.0] * 20, 100), delta=1e-5).worst is not None for _ in range(runs)
    )
    assert alarms / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)


def test_with_users_as_the_unit_there_are_fewer_records() -> None:
    rng = np.random.default_rng(23)
    scores = AttackScores(member=rng.normal(1, 1, 120), nonmember=rng.normal(0, 1, 90))
    users = per_user(
        scores,
        member_users=np.repeat(np.arange(40), 3),
        nonmember_users=np.repeat(np.arange(100, 130), 3),
    )
    assert (users.n_members, users.n_nonmembers) == (40, 30)
    assert users.member.mean() == pytest.approx(scores.member.mean())
