"""The best of several attacks: its bound pays for the choice."""

import numpy as np
import pytest

from dpviz import AttackScores, audit

K, RUNS = 8, 60


def test_the_best_of_eight_attacks_stays_at_its_level_when_nothing_leaks() -> None:
    """At 80 % confidence; the largest of eight that are not paid for fails more often.

    Methods and levels in use, over more runs: `benchmarks/comparison.py`.
    """
    rng = np.random.default_rng(7)
    best = naive = 0
    for _ in range(RUNS):
        attacks = {
            str(i): AttackScores(member=rng.normal(size=20), nonmember=rng.normal(size=20))
            for i in range(K)
        }
        best += certifies(attacks)
        naive += any(certifies({name: scores}) for name, scores in attacks.items())
    assert best <= 12  # of 60, 20 %
    assert naive > 12


def certifies(attacks: dict[str, AttackScores]) -> bool:
    found = audit.best_of(attacks, delta=0.0, confidence_level=0.8, method="one_run")
    return found.low > 0


def test_each_bound_has_its_share_of_the_error_and_the_largest_counts() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(size=200)
    attacks = {
        name: AttackScores(member=noise[:100] + leak, nonmember=noise[100:])
        for name, leak in (("weak", 0.5), ("strong", 3.0), ("none", 0.0))
    }
    found = audit.best_of(attacks, delta=1e-5, confidence_level=0.94)
    assert found.each == pytest.approx(0.98)
    for name, scores in attacks.items():
        alone = audit.lower_bound(scores, delta=1e-5, confidence_level=found.each)
        assert found.bounds[name] == alone
    assert (found.name, found.low) == ("strong", max(b.low for b in found.bounds.values()))
    one = audit.best_of({"strong": attacks["strong"]}, delta=1e-5)
    assert one.each == 0.95


def test_no_attack_is_refused() -> None:
    with pytest.raises(ValueError, match="attacks must have one attack at least, got none"):
        audit.best_of({}, delta=1e-5)


def test_the_joint_confidence_is_the_one_that_is_refused() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    with pytest.raises(ValueError, match=r"confidence_level must be in \(0, 1\), got 1\.5"):
        audit.best_of({"one": scores, "other": scores}, delta=0.0, confidence_level=1.5)
