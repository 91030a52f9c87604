"""Binned scores are analysed as the same scores, rounded down, one by one."""

import math
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, AttackScores, Spec
from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.analysis.topics.bounds import BoundsQuestion, lower_bounds
from dpviz.audit import AttackCurve, BinnedScores, epsilon_star
from dpviz.audit.epsilon_star import rounding_gap
from dpviz.audit.scores.base import Provenance


@pytest.fixture(scope="module")
def losses() -> AttackScores:
    rng = np.random.default_rng(8)
    return AttackScores.from_losses(member=rng.gamma(2, 1, 3000), nonmember=rng.gamma(3, 1, 2000))


@pytest.fixture(scope="module")
def binned(losses: AttackScores) -> BinnedScores:
    """On a coarse grid, without means."""
    counted = BinnedScores.of(losses, bits=14)
    return counted_without_means(counted)


@pytest.fixture(scope="module")
def rounded(binned: BinnedScores) -> AttackScores:
    return AttackScores.from_losses(
        member=np.repeat(-binned.thresholds, binned.member_counts),
        nonmember=np.repeat(-binned.thresholds, binned.nonmember_counts),
    )


def counted_without_means(counted: BinnedScores) -> BinnedScores:
    return BinnedScores(
        thresholds=counted.thresholds,
        member_counts=counted.member_counts,
        nonmember_counts=counted.nonmember_counts,
        kind=counted.kind,
    )


def same(found: Any, expected: Any) -> None:
    if is_dataclass(expected) and not isinstance(expected, type):
        for field in fields(expected):
            if field.name not in ("scores", "rounding_gap", "threshold", "audit"):
                same(getattr(found, field.name), getattr(expected, field.name))
    elif isinstance(expected, np.ndarray | float):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
    elif isinstance(expected, tuple):
        for pair in zip(found, expected, strict=True):
            same(*pair)
    else:
        assert found == expected


@pytest.mark.parametrize("method", ["empirical", "normal"])
def test_every_part_of_the_result(binned: BinnedScores, rounded: AttackScores, method: Any) -> None:
    spec = Spec(method=method)
    found, expected = (Analysis(scores).result(spec) for scores in (binned, rounded))
    same(found.sample, expected.sample)
    same(found.point, expected.point)
    assert expected.sample.epsilon_star.rounding_gap is None


@pytest.mark.slow
def test_the_audit_is_worked_out(binned: BinnedScores, rounded: AttackScores) -> None:
    found, expected = (dpviz.analyze(scores).sample.audit for scores in (binned, rounded))
    assert found.refused == expected.refused == found.pending == ()
    assert found.bound.low == expected.bound.low > 0
    assert found.null.observed == expected.null.observed
    assert found.test.outcome == expected.test.outcome


def test_the_threshold_shown_is_an_edge(binned: BinnedScores, losses: AttackScores) -> None:
    result = Analysis(binned).result(Spec(fpr=0.1))
    shown = result.sample.threshold
    assert -shown in binned.thresholds
    assert np.sum(losses.member >= -shown) == result.sample.at_fpr.true_positives
    assert np.sum(losses.nonmember >= -shown) == result.sample.at_fpr.false_positives


def test_the_sentence_says_what_rounding_may_hide(binned: BinnedScores) -> None:
    found = epsilon_star(binned, delta=1e-5)
    gap = rounding_gap(binned, delta=1e-5)
    assert 0 < gap < math.inf
    text = Analysis(binned).result(Spec()).sentences["epsilon_star"]
    counted, more = text.rsplit("so Epsilon* uses only ", 1)[1].split(" thresholds. ")
    assert int(counted) == binned.thresholds.size
    largest = float(more.split("before rounding, Epsilon* is at most ")[1].split()[0])
    assert gap <= largest <= 1.01 * gap
    assert found.value > 0
    normal = Analysis(binned).result(Spec(method="normal"))
    assert "uses only" not in normal.sentences["epsilon_star"]
    unclipped = Analysis(coarsest()).result(Spec(clip=None)).sentences["epsilon_star"]
    assert "before rounding, Epsilon* may be larger by an unknown amount." in unclipped
    single = Analysis(two_cells()).result(Spec(clip=None)).sentences["epsilon_star"]
    assert "before rounding, Epsilon* is the same." in single


def coarsest() -> BinnedScores:
    return BinnedScores(thresholds=[0.0, 1.0], member_counts=[1, 3], nonmember_counts=[3, 1])


def two_cells() -> BinnedScores:
    return BinnedScores(thresholds=[0.0, 1.0], member_counts=[0, 1], nonmember_counts=[1, 0])


def test_the_maxima_over_many_cells_are_exact() -> None:
    rng = np.random.default_rng(9)
    cells = np.linspace(-8, 8, 200_001)
    weights = np.exp(-(cells**2) / 2)
    member, nonmember = (
        rng.poisson(3000 * weights * np.exp(shift * cells)) for shift in (0.1, 0.0)
    )
    some = member + nonmember > 0
    binned = BinnedScores(
        thresholds=cells[some], member_counts=member[some], nonmember_counts=nonmember[some]
    )
    analysis, curve = Analysis(binned), AttackCurve.from_scores(binned)
    for delta, clip in ((1e-5, 1e-3), (1e-3, 1e-2), (0.0, 0.05)):
        star = analysis.epsilon_star(delta, "empirical", clip).star
        inside = np.minimum(curve.fpr, curve.fnr) > clip
        inside &= np.minimum(curve.tpr, curve.tnr) > clip
        tpr, fpr, fnr, tnr = (x[inside] for x in (curve.tpr, curve.fpr, curve.fnr, curve.tnr))
        pairs = ((tpr, fpr), (tnr, fnr), (fnr, tnr), (fpr, tpr))
        expected = [float(np.log((top - delta) / bottom).max()) for top, bottom in pairs]
        np.testing.assert_allclose(star.log_ratios, expected, rtol=1e-12)


def test_state_and_code(binned: BinnedScores, losses: AttackScores) -> None:
    spec = Spec.of(epsilon=2)
    state = state_of(spec, binned)
    assert from_state(state, binned) == (spec, binned)
    again = counted_without_means(BinnedScores.of(losses, bits=14))
    assert from_state(state, again)[1] is again
    moved = binned.member_counts.copy()
    moved[[20, 21]] += [1, -1]
    others = [
        losses,
        BinnedScores.of(losses, bits=14),
        BinnedScores.of(losses, bits=15),
        binned.with_counts(moved, binned.nonmember_counts),
    ]
    for other in others:
        with pytest.raises(ValueError, match="scores must be 3000 members and 2000 non-members"):
            from_state(state, other)
    assert "scores = ...  # your scores: 3000 members, 2000 non-members" in python_code(
        spec, binned
    )


def test_where_scores_were_read_is_no_part_of_a_state(binned: BinnedScores) -> None:
    read = Provenance(source="a", loader="b", understood="c", n_rows=5000)
    named = BinnedScores(
        thresholds=binned.thresholds,
        member_counts=binned.member_counts,
        nonmember_counts=binned.nonmember_counts,
        kind="loss",
        provenance=read,
    )
    assert state_of(Spec(), named) == state_of(Spec(), binned)


@pytest.mark.slow
def test_bounds_by_all_methods_name_what_is_refused(binned: BinnedScores) -> None:
    question = BoundsQuestion(delta=1e-5, confidence_level=0.95)
    part = lower_bounds(binned, question)
    refusals = dict(part.refusals)
    assert "binned counts do not suffice" in refusals.pop("e_process")
    # 3000 of 5000 is no fair coin.
    assert refusals.keys() == {"one_run", "one_run_curve"}
    assert {bound.method for bound in part.bounds} == {"rank_exact"}


@pytest.mark.slow
def test_the_explorer_takes_them(binned: BinnedScores) -> None:
    explorer = dpviz.explore(binned, epsilon=2)
    assert explorer.result.sample.attack.curve.shape[1] == 2
    again = type(explorer).from_state(explorer.state(), scores=binned)
    assert again.result.spec == explorer.result.spec
    assert "dpviz.explore(scores, epsilon=2" in explorer.code()
