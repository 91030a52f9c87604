"""An attack beside the blind baseline: what is known by hand, no difference, coverage, refusals."""

import numpy as np
import pytest

from benchmarks.blind import LAWS
from dpviz import AttackScores, BinnedScores, audit

RNG = np.random.default_rng(8)
MEMBER, NONMEMBER = RNG.normal(0.3, 1, (200, 2)), RNG.normal(0, 1, (300, 2))
BLIND = audit.blind_baseline(MEMBER, NONMEMBER, fpr=0.1, n_resamples=99)


def attack(leak: float, seed: int = 0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(leak, 1, 200), nonmember=rng.normal(0, 1, 300))


def test_the_difference_is_that_of_the_auc_of_each_half() -> None:
    scores = attack(1.0)
    found, by_hand = audit.blind.above_blind(scores, BLIND), []
    for half in BLIND.halves:
        own = AttackScores(
            member=scores.member[half.member_rows], nonmember=scores.nonmember[half.nonmember_rows]
        )
        by_hand.append(audit.auc(own) - audit.auc(half.scores))
    assert found.auc.value == pytest.approx(np.mean(by_hand), rel=1e-12)
    assert found.auc.sign == 1
    assert found.auc.paired
    assert found.tpr.fpr == 0.1


def test_the_blind_scores_themselves_are_not_above() -> None:
    member, nonmember = np.empty(200), np.empty(300)
    for half in BLIND.halves:
        member[half.member_rows] = half.scores.member
        nonmember[half.nonmember_rows] = half.scores.nonmember
    found = audit.blind.above_blind(AttackScores(member=member, nonmember=nonmember), BLIND)
    assert (found.auc.value, found.tpr.value) == (0.0, 0.0)
    assert (found.tpr.only_first, found.tpr.only_second) == (0, 0)
    assert found.auc.low < 0 < found.auc.high
    assert found.tpr.low <= 0 <= found.tpr.high
    assert found.auc.p_value == 1.0


def test_a_reversed_attack_is_below() -> None:
    scores = attack(1.5)
    ahead, behind = (audit.blind.above_blind(each, BLIND) for each in (scores, scores.reversed()))
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
        blind = audit.blind_baseline(rng.normal(size=50), rng.normal(size=70), n_resamples=1)
        scores = AttackScores(member=rng.normal(size=50), nonmember=rng.normal(size=70))
        above += audit.blind.above_blind(scores, blind).auc.sign != 0
    assert above <= 8


@pytest.mark.parametrize("name", ["weak shift, attack knows it", "attack knows nothing else"])
def test_limits_cover_the_exact_differences_of_small_populations(name: str) -> None:
    """Of 40 runs at 95 %: P(Bin(40, 0.05) > 6) < 0.01. More cells: `benchmarks/blind.py`."""
    law, rng = LAWS[name], np.random.default_rng(6)
    own, missed = law.rates(law.attack(law.points)), np.zeros(2, int)
    for run in range(40):
        answers = law.draw(rng, 60, 90)
        tables = [each[:, :-1] for each in answers]
        blind = audit.blind_baseline(*tables, fpr=0.1, n_resamples=1, rng=run)
        scores = AttackScores(member=law.attack(answers[0]), nonmember=law.attack(answers[1]))
        found, points = audit.blind.above_blind(scores, blind), law.points[:, :-1]
        rates = np.mean([law.rates(h.classifier.scores(points)) for h in blind.halves], axis=0)
        missed += [
            not found.auc.low <= own[0] - rates[0] <= found.auc.high,
            found.tpr.low > own[1] - rates[2] or found.tpr.high < own[2] - rates[1],
        ]
    assert missed[0] <= 6
    assert missed[1] <= 2


def test_other_lengths_are_refused() -> None:
    scores = attack(1.0)
    few = AttackScores(member=scores.member[1:], nonmember=scores.nonmember)
    with pytest.raises(ValueError, match="scores of members must be 200, one for each row of feat"):
        audit.blind.above_blind(few, BLIND)
    few = AttackScores(member=scores.member, nonmember=scores.nonmember[1:])
    with pytest.raises(ValueError, match="scores of non-members must be 300, one for each row of"):
        audit.blind.above_blind(few, BLIND)


def test_what_is_no_pair_of_scores_and_baseline_is_refused() -> None:
    counts = np.array([5, 5])
    binned = BinnedScores(
        thresholds=np.array([0.0, 1.0]), member_counts=counts, nonmember_counts=counts, kind="score"
    )
    with pytest.raises(ValueError, match="a comparison with rows"):
        audit.blind.above_blind(binned, BLIND)
    with pytest.raises(TypeError, match="blind must be a blind baseline, as made by blind_baselin"):
        audit.blind.above_blind(attack(1.0), 0.6)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="confidence_level"):
        audit.blind.above_blind(attack(1.0), BLIND, confidence_level=1.5)
