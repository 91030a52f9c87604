"""Copies of whole records: found and left out; ties that are none are kept."""

import numpy as np
import pytest

from dpviz import AttackScores, audit, theory
from dpviz.audit.scores.attack_scores import without_copies

RNG = np.random.default_rng
MANY = 200  # of samples


def laplace(seed: int, n: int = 40, shift: float = 1.0) -> AttackScores:
    """Scores of which a shift of 1 keeps epsilon = 1 exactly."""
    rng = RNG(seed)
    return AttackScores(member=rng.laplace(shift, 1, n), nonmember=rng.laplace(0, 1, n))


def repeated(scores: AttackScores, members: object, nonmembers: object) -> AttackScores:
    """Each record as often as is said, in an order of its own."""
    rng = RNG(0)
    member, nonmember = np.repeat(scores.member, members), np.repeat(scores.nonmember, nonmembers)
    return AttackScores(member=rng.permutation(member), nonmember=rng.permutation(nonmember))


def same_records(one: audit.AttackScores, other: audit.AttackScores) -> bool:
    pairs = (
        (one.sorted_member, other.sorted_member),
        (one.sorted_nonmember, other.sorted_nonmember),
    )
    return all(np.array_equal(a, b) for a, b in pairs)


@pytest.mark.parametrize("times", [2, 3, 10])
def test_of_a_sample_copied_whole_the_sample_is_left(times: int) -> None:
    # So every verdict, and how often it is false, is that of the sample before it was copied.
    for seed in range(MANY):
        scores = laplace(seed, n=10 + seed % 40)
        found = without_copies(repeated(scores, times, times))
        assert same_records(found, scores)
        assert found.n_copies == (times - 1) * (scores.n_members + scores.n_nonmembers)


@pytest.mark.parametrize("shift", [0.0, 1.0])
def test_of_records_copied_by_chance_the_sample_is_left(shift: float) -> None:
    for seed in range(MANY):
        scores, rng = laplace(seed, n=100, shift=shift), RNG(seed)
        copied = repeated(scores, 1 + rng.poisson(1, 100), 1 + rng.poisson(1, 100))
        assert same_records(without_copies(copied), scores)


@pytest.mark.slow
def test_a_claim_that_is_kept_is_contradicted_at_most_at_the_level_however_often_copied() -> None:
    # The least favourable scores of epsilon = 1: an attack at one threshold, smeared out.
    claim, runs, level = theory.PureDP(epsilon=1.0), 200, 0.05
    false = 0
    for seed in range(runs):
        rng = RNG(seed)
        is_high = rng.random((2, 60)) < np.array([[np.e / (1 + np.e)], [1 / (1 + np.e)]])
        member, nonmember = is_high + rng.random((2, 60))
        scores = repeated(AttackScores(member=member, nonmember=nonmember), 10, 10)
        found = audit.claim_test(scores, claim, confidence_level=1 - level)
        false += found.outcome == "contradicted"
    assert false / runs <= level + 3 * (level * (1 - level) / runs) ** 0.5


def test_forty_records_of_each_class_certify_what_they_did_before_they_were_copied() -> None:
    rng = RNG(0)
    scores = AttackScores.from_losses(
        member=rng.exponential(0.5, 40), nonmember=rng.exponential(1.0, 40)
    )
    copied = repeated(scores, 10, 10)
    found, before = (audit.lower_bound(each, delta=1e-5) for each in (copied, scores))
    assert (found.low, found.n_members, found.n_nonmembers) == (before.low, 40, 40)
    assert "720 of 800 records are copies of others and were left out" in found.warnings
    gaussian = theory.GaussianDP(mu=1.0)
    assert audit.curve_test(copied, gaussian) == audit.curve_test(scores, gaussian)
    tests = [audit.claim_test(each, gaussian) for each in (copied, scores)]
    assert tests[0].measured_outside == tests[1].measured_outside


def test_of_one_class_that_is_copied_the_other_stays() -> None:
    scores = laplace(1, n=50)
    found = without_copies(repeated(scores, 3, 1))
    assert same_records(found, scores)
    assert found.n_copies == 100


@pytest.mark.parametrize("shift", [0.5, 2.0, 4.0])
@pytest.mark.parametrize(("n", "decimals"), [(300, 1), (1000, 0), (1000, 2), (20_000, 3)])
def test_rounded_scores_are_no_copies(n: int, decimals: int, shift: float) -> None:
    for seed in range(5):
        scores = laplace(seed, n=n, shift=shift)
        rounded = [each.round(decimals) for each in (scores.member, scores.nonmember)]
        given = AttackScores(member=rounded[0], nonmember=rounded[1])
        assert without_copies(given) is given


def test_guesses_float32_losses_and_records_that_are_alike_are_no_copies() -> None:
    rng = RNG(3)
    guesses = [(rng.random(1000) < chance).astype(float) for chance in (0.4, 0.3)]
    # float32 probabilities near 1: losses 0, 5.96e-8, 1.19e-7, ...
    logits = rng.normal([[12.0], [11.0]], 4, (2, 5000))
    losses = np.log((1 / (1 + np.exp(-logits))).astype(np.float32)).astype(float)
    alike = rng.choice(rng.normal(size=300), (2, 1000))  # draws from few different people
    for member, nonmember in (guesses, losses, alike):
        given = AttackScores(member=member, nonmember=nonmember)
        assert without_copies(given) is given


def test_two_values_that_tie_between_classes_leave_it_open_which_records_are_copies() -> None:
    rng, scores = RNG(2), laplace(2, n=100)
    copied = repeated(scores, 1 + rng.poisson(1, 100), 1 + rng.poisson(1, 100))
    given = AttackScores(
        member=np.append(copied.member, [0.0] * 20),
        nonmember=np.append(copied.nonmember, [0.0] * 9),
    )
    with pytest.raises(ValueError, match="scores must be of distinct records"):
        audit.lower_bound(given, delta=0.0)


def test_what_is_left_keeps_order_labels_and_kind() -> None:
    values = np.random.default_rng(0).permutation(20) * 1.0
    labels = [f"group {i % 3}" for i in range(20)]
    scores = AttackScores.from_losses(
        member=np.tile(values, 2),
        nonmember=np.tile(values + 0.5, 2),
        member_groups=labels * 2,
        nonmember_groups=labels * 2,
    )
    found = without_copies(scores)
    assert (found.kind, found.member.tolist()) == ("loss", (-values).tolist())
    assert found.member_groups.tolist() == found.nonmember_groups.tolist() == labels
    assert without_copies(found) is found
    assert "40 of 80 records are copies of others and were left out" in str(found)
