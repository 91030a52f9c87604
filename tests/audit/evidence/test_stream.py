"""Streams: the capital of the e-process, false alarms at any look, saving, and bad input."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from dpviz import AttackScores, audit, theory
from dpviz.audit.bounds.e_process import guesses_until, wealth

CLAIM = theory.PureDP(epsilon=1.0)


def test_the_capital_is_that_of_the_e_process_wherever_it_looks() -> None:
    rng = np.random.default_rng(1)
    claim = theory.ApproximateDP(epsilon=0.5, delta=0.01)
    member, nonmember = rng.normal(1, 1, 200), rng.normal(0, 1, 170)
    pairs, counts = guesses_until(AttackScores(member=member, nonmember=nonmember))
    expected = wealth(counts, np.array([0.5]), 0.01)[:, 0]
    stream = audit.Stream(claim)
    # In steps of other lengths than the blocks, members and non-members apart.
    found, ends = {}, [0, *pairs]
    for begin, end in pairwise(ends):
        middle = (begin + end) // 2
        stream.update(member=member[begin:middle], nonmember=nonmember[begin:end])
        found[end] = stream.update(member=member[middle:end])
    assert stream.pairs == 170
    for end, capital in zip(pairs, expected, strict=True):
        assert found[end] == audit.Look(pairs=end, wealth=pytest.approx(capital, rel=1e-12))


def test_a_true_claim_is_seldom_contradicted_although_every_pair_is_looked_at() -> None:
    runs, false = 80, 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        stream = audit.Stream(CLAIM, confidence_level=0.8)
        for _ in range(60):
            stream.update(member=rng.laplace(1, 1, 2), nonmember=rng.laplace(0, 1, 2))
        false += stream.verdict == "contradicted"
    assert false / runs <= 0.2 + 3 * np.sqrt(0.16 / runs)


def test_a_false_claim_is_contradicted_soon_and_stays_so() -> None:
    rng = np.random.default_rng(3)
    stream = audit.Stream(CLAIM, kind="loss")
    assert (stream.wealth, stream.p_value, stream.history) == (1.0, 1.0, ())
    while stream.verdict == "not decidable":
        assert stream.pairs < 400
        stream.update(member=rng.normal(0, 1, 5), nonmember=rng.normal(2, 1, 5))
    assert stream.wealth >= stream.goal == pytest.approx(20)
    p_value = stream.p_value
    assert p_value <= 0.05
    for _ in range(40):  # from here on the other way round
        stream.update(member=rng.normal(2, 1, 20), nonmember=rng.normal(0, 1, 20))
    assert stream.wealth < 1
    assert stream.verdict == "contradicted"
    assert stream.p_value <= p_value


@pytest.mark.parametrize("shift", [0.0, -2.0])
def test_nothing_and_a_reversed_attack_contradict_nothing(shift: float) -> None:
    rng = np.random.default_rng(4)
    stream = audit.Stream(theory.PureDP(epsilon=0.0))
    stream.update(member=rng.normal(shift, 1, 500), nonmember=rng.normal(0, 1, 500))
    assert stream.verdict == "not decidable"


def test_a_saved_stream_goes_on_as_if_it_had_not_stopped(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    member, nonmember = rng.normal(1, 1, 90), rng.normal(0, 1, 80)
    whole, first = audit.Stream(CLAIM), audit.Stream(CLAIM)
    for stream in (whole, first):
        stream.update(member=member[:41], nonmember=nonmember[:33])
    first.save(tmp_path / "stream.json")
    resumed = audit.Stream.resume(tmp_path / "stream.json")
    assert [each.name for each in tmp_path.iterdir()] == ["stream.json"]
    for stream in (whole, resumed):
        stream.update(member=member[41:], nonmember=nonmember[33:])
    assert resumed.history == whole.history
    assert (resumed.verdict, resumed.p_value) == (whole.verdict, whole.p_value)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="path must be a file of schema dpviz/stream/1"):
        audit.Stream.resume(tmp_path / "other.json")


def test_bad_records_are_named_and_not_taken_in() -> None:
    stream = audit.Stream(CLAIM)
    with pytest.raises(ValueError, match="nonmember must be finite"):
        stream.update(member=[1.0], nonmember=[float("nan")])
    assert (stream.pairs, stream.history) == (0, ())
    stream.update(member=[1.0, 2.0])
    stream.update(nonmember=[0.0])
    assert stream.pairs == 1
    with pytest.raises(ValueError, match=r"claim must be an \(epsilon, delta\) claim"):
        audit.Stream(theory.GaussianDP(mu=1.0))
    with pytest.raises(ValueError, match="claim must be for replace_one adjacency"):
        audit.Stream(theory.PureDP(epsilon=1.0, adjacency="add_remove"))
    with pytest.raises(ValueError, match="confidence_level must be in"):
        audit.Stream(CLAIM, confidence_level=1.0)
    with pytest.raises(ValueError, match="kind must be one of"):
        audit.Stream(CLAIM, kind="high")
