"""Families with names: their members, what is refused, and whether a family is said to fit."""

import numpy as np
import pytest

from dpviz import AttackScores, audit, theory

STEPS = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0)


def test_members_of_dp_sgd_have_the_inverse_noise() -> None:
    family = audit.dp_sgd_family(sampling_rate=0.2, steps=3, adjacency="replace_one")
    assert family.member(2.5) == theory.SubsampledGaussian(
        noise_multiplier=0.4, sampling_rate=0.2, steps=3, adjacency="replace_one"
    )
    rng = np.random.default_rng(4)
    # One step with every record: Gaussian noise 1 / mu, the next parameter below 1 / 0.5.
    scores = AttackScores(member=rng.normal(2, 1, 400), nonmember=rng.normal(0, 1, 400))
    whole = audit.dp_sgd_family(sampling_rate=1.0, steps=1)
    found = audit.smallest(whole, scores, parameters=STEPS)
    assert found.low in (1.5, 1.25)
    assert found.guarantee == whole.member(found.low)


def test_multiples_of_the_sensitivity() -> None:
    for guarantee, wanted in (
        (theory.GaussianDP(mu=0.5, adjacency="add_remove"), {"mu": 1.0}),
        (theory.GaussianMechanism(noise_multiplier=4.0), {"noise_multiplier": 2.0}),
        (theory.LaplaceMechanism(epsilon=0.25), {"epsilon": 0.5}),
        (
            theory.SubsampledGaussian(noise_multiplier=4.0, sampling_rate=0.1, steps=7),
            {"noise_multiplier": 2.0},
        ),
    ):
        twice = audit.sensitivity_family(guarantee).member(2.0)
        assert (type(twice), twice.parameters) == (type(guarantee), guarantee.parameters | wanted)


def test_a_second_audit_composes_nothing_again() -> None:
    family = audit.dp_sgd_family(sampling_rate=0.5, steps=2)
    assert family.member(0.5) is family.member(0.5)
    assert family.member(0.5) != family.member(0.25)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"guarantee must be Gaussian, Laplace or DP-SGD"):
        audit.sensitivity_family(theory.PureDP(epsilon=1.0))
    with pytest.raises(ValueError, match="sampling_rate must be in"):
        audit.dp_sgd_family(sampling_rate=2.0, steps=1)
    family = audit.sensitivity_family(theory.LaplaceMechanism(epsilon=1.0))
    with pytest.raises(ValueError, match=r"parameters must be in \(0, inf\), got 0"):
        audit.smallest(family, AttackScores(member=[1, 2], nonmember=[0]), parameters=[0, 1])
    with pytest.raises(ValueError, match="steps must be"):
        audit.dp_sgd_family(sampling_rate=0.5, steps=0)


def between(seed: int, member: np.ndarray, family: str = "gaussian") -> tuple[float, float]:
    nonmember = np.random.default_rng([seed, 1]).normal(0, 1, member.size)
    scores = AttackScores(member=member, nonmember=nonmember)
    found = audit.smallest(family, scores, parameters=STEPS, confidence_level=0.8)
    assert found.fits == (max(found.low, found.between[0]) < found.between[1])
    return found.between


def test_a_violated_family_is_said() -> None:
    # 8 % of the members show themselves, the others do not leak: no Gaussian is like that.
    member = np.random.default_rng(1).normal(0, 1, 1500)
    member[:120] += 8
    low, high = between(2, member)
    assert low >= high


def test_no_leak_and_a_reversed_attack_exclude_no_small_member() -> None:
    for shift in (0.0, -1.0):
        low, high = between(3, np.random.default_rng(5).normal(shift, 1, 400))
        assert (low, high <= 1.0) == (0.0, True)
