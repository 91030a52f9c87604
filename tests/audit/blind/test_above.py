"""An attack beside the blind baseline: what is known by hand, no difference, refusals."""

import numpy as np
import pytest

from dpviz import AttackScores, BinnedScores, audit
from dpviz.audit.blind import above_blind, blind_baseline

RNG = np.random.default_rng(8)
MEMBER, NONMEMBER = RNG.normal(0.3, 1, (200, 2)), RNG.normal(0, 1, (300, 2))
BLIND = blind_baseline(MEMBER, NONMEMBER, fpr=0.1, n_resamples=99)


def attack(leak: float) -> AttackScores:
    rng = np.random.default_rng(0)
    return AttackScores(member=rng.normal(leak, 1, 200), nonmember=rng.normal(0, 1, 300))


def test_the_difference_is_that_of_the_auc_of_each_half() -> None:
    scores = attack(1.0)
    found, by_hand = above_blind(scores, BLIND), []
    for half in BLIND.halves:
        own = AttackScores(
            member=scores.member[half.member_rows], nonmember=scores.nonmember[half.nonmember_rows]
        )
        by_hand.append(audit.auc(own) - audit.auc(half.scores))
    assert found.auc.value == pytest.approx(np.mean(by_hand), rel=1e-12)
    assert (found.auc.sign, found.auc.paired, found.auc.p_value) == (1, True, None)
    assert (found.tpr.fpr, found.tpr.confidence_level) == (0.1, 0.95)


def test_the_blind_scores_themselves_are_not_above() -> None:
    member, nonmember = np.empty(200), np.empty(300)
    for half in BLIND.halves:
        member[half.member_rows] = half.scores.member
        nonmember[half.nonmember_rows] = half.scores.nonmember
    found = above_blind(AttackScores(member=member, nonmember=nonmember), BLIND)
    assert (found.auc.value, found.tpr.value) == (0.0, 0.0)
    assert (found.tpr.only_first, found.tpr.only_second) == (0, 0)
    for difference in (found.auc, found.tpr):
        assert difference.low < 0 < difference.high


def test_a_reversed_attack_is_below() -> None:
    scores = attack(1.5)
    ahead, behind = (above_blind(each, BLIND) for each in (scores, scores.reversed()))
    assert (ahead.auc.sign, behind.auc.sign) == (1, -1)
    # The AUC of reversed scores is 1 - AUC.
    blind = np.mean([audit.auc(half.scores) for half in BLIND.halves])
    assert ahead.auc.value + behind.auc.value == pytest.approx(1 - 2 * blind)
    assert behind.tpr.low < 0


def test_a_useless_attack_is_seldom_above() -> None:
    """Blind features that tell nothing: P(Bin(60, 0.05) > 8) < 0.01."""
    above = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 1])
        blind = blind_baseline(rng.normal(size=50), rng.normal(size=70), n_resamples=1)
        scores = AttackScores(member=rng.normal(size=50), nonmember=rng.normal(size=70))
        above += above_blind(scores, blind).auc.sign != 0
    assert above <= 8


def test_what_is_no_pair_of_scores_and_baseline_is_refused() -> None:
    scores = attack(1.0)
    few = AttackScores(member=scores.member[1:], nonmember=scores.nonmember)
    with pytest.raises(ValueError, match="scores of members must be 200, one for each row of feat"):
        above_blind(few, BLIND)
    few = AttackScores(member=scores.member, nonmember=scores.nonmember[1:])
    with pytest.raises(ValueError, match="scores of non-members must be 300, one for each row of"):
        above_blind(few, BLIND)
    with pytest.raises(ValueError, match="a comparison with rows"):
        above_blind(BinnedScores.of(scores), BLIND)
    with pytest.raises(TypeError, match="blind must be a blind baseline, as made by blind_baselin"):
        above_blind(scores, 0.6)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence_level"):
        above_blind(scores, BLIND, confidence_level=1.5)
