"""Tests of a claim while records arrive, of one model and of the checkpoints of a training."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, audit, theory
from dpviz.audit.bounds import e_process
from dpviz.audit.bounds.e_process import pairs_and_guess_counts_after_blocks, wealth_after_blocks
from dpviz.audit.evidence.stream import DEPENDENCES, Bettors, Dependence

CLAIM = theory.PureDP(epsilon=1.0)


def test_the_capital_is_that_of_the_e_process_wherever_it_looks() -> None:
    rng = np.random.default_rng(1)
    claim = theory.ApproximateDP(epsilon=0.5, delta=0.01)
    member, nonmember = rng.normal(1, 1, 200), rng.normal(0, 1, 170)
    pairs, counts = pairs_and_guess_counts_after_blocks(
        AttackScores(member=member, nonmember=nonmember)
    )
    expected = wealth_after_blocks(counts, np.array([0.5]), 0.01)[:, 0]
    stream = audit.Stream(claim)
    # In steps of other lengths than the blocks, members and non-members apart.
    found, ends = {}, [0, *pairs]
    for begin, end in pairwise(ends):
        middle = (begin + end) // 2
        stream.update(member=member[begin:middle], nonmember=nonmember[begin:end])
        found[end] = stream.update(member=member[middle:end])
    assert stream.pairs == 170
    for end, capital in zip(pairs, expected, strict=True):
        wealth = pytest.approx(capital, rel=1e-12)
        assert found[end] == audit.evidence.Look(pairs=end, wealth=wealth)


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
    while stream.verdict == "not contradicted":
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


def test_a_capital_that_just_reached_its_goal_contradicts_though_it_is_lost_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    capitals = iter([4.0, 0.5])
    monkeypatch.setattr(Bettors, "capital", property(lambda players: next(capitals)))
    stream = audit.Stream(CLAIM, confidence_level=0.75)
    for member, nonmember in ((1.0, 0.0), (2.0, 1.0)):
        stream.update(member=[member], nonmember=[nonmember])
    assert (stream.verdict, stream.p_value, stream.wealth) == ("contradicted", 0.25, 0.5)


@pytest.mark.parametrize(("pairs", "bets"), [(7, False), (8, True)])
def test_nobody_bets_on_batches_before_both_classes_have_eight(pairs: int, bets: bool) -> None:
    stream = audit.Stream(CLAIM, dependence="batched")
    stream.update(member=np.arange(40.0), nonmember=np.arange(float(pairs)))
    look = stream.update(member=[50.0], nonmember=[-1.0])
    assert (look.wealth != pytest.approx(1, abs=1e-12)) == bets


@pytest.mark.parametrize("shift", [0.0, -2.0])
def test_nothing_and_a_reversed_attack_contradict_nothing(shift: float) -> None:
    rng = np.random.default_rng(4)
    stream = audit.Stream(theory.PureDP(epsilon=0.0))
    stream.update(member=rng.normal(shift, 1, 500), nonmember=rng.normal(0, 1, 500))
    assert stream.verdict == "not contradicted"


def test_a_resumed_stream_that_won_nothing_shows_nothing() -> None:
    stream = audit.Stream(CLAIM)
    assert audit.Stream.from_state(stream.state).p_value == pytest.approx(1, abs=1e-12)
    stream.update(member=[1.0, 2.0], nonmember=[0.0, 1.0])  # nobody bets before there are more
    assert audit.Stream.from_state(stream.state).p_value == pytest.approx(1, abs=1e-12)


def test_a_stream_is_saved_after_records_of_one_class_alone() -> None:
    stream = audit.Stream(CLAIM)
    stream.update(member=[1.0, 2.0])
    stream.update(member=[3.0], nonmember=[0.0])
    stream.update(member=[4.0])
    assert [pairs for pairs, _ in stream.state["history"]] == [0, 1, 1]
    assert audit.Stream.from_state(stream.state).state == stream.state


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
    wealth_after = [look.wealth for look in resumed.history]
    assert wealth_after == pytest.approx([look.wealth for look in whole.history])
    assert (resumed.verdict, resumed.pairs) == (whole.verdict, whole.pairs)
    (tmp_path / "other.json").write_text("{}")
    with pytest.raises(ValueError, match="path must be a file of schema dpviz/stream/1"):
        audit.Stream.resume(tmp_path / "other.json")
    (tmp_path / "other.json").write_text('{"schema": "dpviz/stream/2"}')
    message = "schema of other.json must be 'dpviz/.*/1', the only .* got 'dpviz/stream/2'"
    for kind in (audit.Stream, audit.evidence.Checkpoints):
        with pytest.raises(ValueError, match=message):
            kind.resume(tmp_path / "other.json")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"schema": "dpviz/stream/9"},
            "be 'dpviz/stream/1', the only .* got 'dpviz/stream/9'",
        ),
        (
            {"history": []},
            r"history must be rows with nondecreasing pair counts that end at 2, got \[\]",
        ),
        (
            {"history": [[3, 1.0]]},
            r"history must be rows with nondecreasing pair counts that end at 2, got \[3",
        ),
        (
            {"history": [[2, 1.0], [1, 1.0], [2, 1.0]]},
            "history must be rows with nondecreasing pair counts",
        ),
        ({"history": [[1.5, 1.0], [2, 1.0]]}, r"history must be rows of two numbers, the first"),
        ({"history": [[2]]}, r"history must be rows of two numbers, .* whole, got \[\[2\]\]"),
        ({"history": [[2, float("nan")]]}, "history must be in"),
        ({"history": [[2, "much"]]}, "history must be numbers, got"),
        ({"batches": [[2.5, 3], [3, 3]]}, r"batches must be rows of two numbers, the first"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused(change: dict[str, Any], message: str) -> None:
    stream = audit.Stream(CLAIM)
    stream.update(member=[1.0, 2.0, 3.0], nonmember=[0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        audit.Stream.from_state(stream.state | change)


@pytest.mark.filterwarnings("error")
def test_a_claim_beyond_the_largest_exponential_is_not_contradicted() -> None:
    stream = audit.Stream(theory.PureDP(epsilon=800.0))
    stream.update(member=np.arange(100, 200), nonmember=np.arange(100))
    assert stream.wealth == pytest.approx(1)


def mirrored(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Pairs of one law each, N(0, 1), in which one record decides where the other one is."""
    z = rng.normal(0, 1, n)
    return {"member": z, "nonmember": -z}


def one_model_each(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """A batch whose records are all one number: 0 tells members from non-members."""
    z = rng.normal(0, 1)
    return {"member": np.full(n, z), "nonmember": np.full(n + 3, -z)}


@pytest.mark.parametrize(
    ("draw", "dependence"), [(mirrored, "coupled"), (one_model_each, "batched")]
)
def test_dependent_records_need_their_own_bets(draw: Any, dependence: Dependence) -> None:
    def share_of_false_alarms(dependence: Dependence, runs: int) -> float:
        false = 0
        for run in range(runs):
            rng = np.random.default_rng(run)
            stream = audit.Stream(
                theory.PureDP(epsilon=0.0), confidence_level=0.8, dependence=dependence
            )
            for _ in range(20):
                stream.update(**draw(rng, 20))
            false += stream.verdict == "contradicted"
        return false / runs

    runs = 60
    assert share_of_false_alarms(dependence, runs) <= 0.2 + 3 * np.sqrt(0.16 / runs)
    if dependence == "batched":  # here they are far from independent
        assert share_of_false_alarms("independent", 10) > 0.5


@pytest.mark.parametrize("dependence", DEPENDENCES)
def test_a_wealth_that_the_records_do_not_give_is_refused(dependence: Dependence) -> None:
    rng = np.random.default_rng(7)
    stream = audit.Stream(CLAIM, dependence=dependence)
    for _ in range(4):
        stream.update(member=rng.normal(1, 1, 9), nonmember=rng.normal(0, 1, 9))
    state = stream.state
    resumed = audit.Stream.from_state(state)
    assert resumed.state == state
    assert resumed.p_value == stream.p_value
    history = state["history"]
    for place in (1, 3):  # one that is believed may contradict the claim, or hide that it did
        for claimed in (1000.0, history[place][1] / 1.001, 0.0):
            rows = [*history[:place], [history[place][0], claimed], *history[place + 1 :]]
            message = (
                rf"^history's wealth after \d+ pairs must be .*, as computed .*, got {claimed}$"
            )
            with pytest.raises(ValueError, match=message):
                audit.Stream.from_state(state | {"history": rows})
    shifted = {"member": [each + 3 for each in state["member"]]}
    with pytest.raises(
        ValueError, match=r"^history's wealth after \d+ pairs must be .*, as computed from the"
    ):
        audit.Stream.from_state(state | shifted)


@pytest.mark.parametrize("change", ["batches", "history"])
def test_a_history_of_batches_has_a_look_at_the_end_of_each(change: str) -> None:
    stream = audit.Stream(CLAIM, dependence="batched")
    for _ in range(3):
        stream.update(member=[1.0, 2.0], nonmember=[0.0, 1.0])
    state = stream.state
    with pytest.raises(ValueError, match=r"^history must be one row per batch "):
        audit.Stream.from_state(state | {change: state[change][1:]})


@pytest.mark.parametrize("dependence", ["coupled", "batched"])
def test_a_pair_or_batch_wins_the_mean_of_its_classes(dependence: Dependence) -> None:
    stream = audit.Stream(CLAIM, dependence=dependence)
    past = np.arange(8.0)
    stream.update(member=past + 4, nonmember=past)  # thresholds: the past's ranks
    look = stream.update(member=[100.0], nonmember=[100.0])
    # One right and one wrong guess "member", nobody says anything of the bottom.
    right, wrong = (
        e_process.wealth_gains_by_outcome(np.array([1.0]), 0.0)[i, :, 0] for i in (0, 1)
    )
    factors = 1 + (right + wrong) / 2
    weights = 1 / np.arange(1, 7)
    one = float(weights @ factors / weights.sum())
    depths = 1 / np.arange(1, 25)
    bets = (16 * e_process.CUTS).astype(int) >= 2
    share = 0.8 * float(depths[bets].sum() / depths.sum())  # players that guess at the top
    assert look.wealth == pytest.approx(share * one + 1 - share, rel=1e-12)


@pytest.mark.parametrize("dependence", ["coupled", "batched"])
def test_dependent_streams_find_leaks_and_go_on_after_a_pause(
    tmp_path: Path, dependence: Dependence
) -> None:
    rng = np.random.default_rng(8)
    streams = [audit.Stream(CLAIM, dependence=dependence, kind="loss") for _ in range(2)]
    for step in range(60):  # a batch counts as little more than one record
        n, m = rng.integers(1, 9, 2) if step else (1, 1)
        new = {"member": rng.normal(-3, 1, n), "nonmember": rng.normal(0, 1, m)}
        for stream in streams:
            stream.update(**new)
        if step == 30:
            streams[1].save(tmp_path / "stream.json")
            streams[1] = audit.Stream.resume(tmp_path / "stream.json")
    assert streams[0].verdict == "contradicted"
    assert [(look.pairs, pytest.approx(look.wealth)) for look in streams[0].history] == [
        (look.pairs, look.wealth) for look in streams[1].history
    ]
    assert streams[1].scores.kind == "loss"
    assert np.median(streams[1].scores.member) == pytest.approx(3, abs=0.3)
    state, n, m = streams[1].state, streams[1].scores.n_members, streams[1].scores.n_nonmembers
    for batches in ([[5, 5], [n, m + 1]], [[5, m], [n, m]], [[n, 5], [n, m]], [[n, m], [5, 5]]):
        with pytest.raises(ValueError, match="batches must be growing numbers of records"):
            audit.Stream.from_state(state | {"batches": batches})


def test_bad_records_are_named_and_not_taken_in() -> None:
    stream = audit.Stream(CLAIM)
    with pytest.raises(ValueError, match="nonmember must be finite"):
        stream.update(member=[1.0], nonmember=[float("nan")])
    assert (stream.pairs, stream.history) == (0, ())
    stream.update(member=[1.0, 2.0])
    stream.update(nonmember=[0.0])
    assert stream.pairs == 1
    assert (stream.scores.member.tolist(), stream.scores.nonmember.tolist()) == ([1, 2], [0])
    with pytest.raises(ValueError, match=r"claim must be an \(epsilon, delta\) claim"):
        audit.Stream(theory.GaussianDP(mu=1.0))
    with pytest.raises(ValueError, match="claim must be for replace_one adjacency"):
        audit.Stream(theory.PureDP(epsilon=1.0, adjacency="add_remove"))
    with pytest.raises(ValueError, match="confidence_level must be in"):
        audit.Stream(CLAIM, confidence_level=1.0)
    batched = audit.Stream(CLAIM, dependence="batched")
    with pytest.raises(
        ValueError, match="must have members and non-members, got 2 members and 0 non"
    ):
        batched.update(member=[1.0, 2.0])
    with pytest.raises(
        ValueError, match="must have members and non-members, got 0 members and 1 non"
    ):
        batched.update(nonmember=[1.0])
    assert batched.pairs == 0
    with pytest.raises(ValueError, match="dependence must be one of"):
        audit.Stream(CLAIM, dependence="none")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="kind must be one of"):
        audit.Stream(CLAIM, kind="high")


HALF = theory.PureDP(epsilon=0.5)


def test_no_true_checkpoint_is_contradicted_more_often_than_the_level_says() -> None:
    runs, false = 60, 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        # The same records at all checkpoints, and the claim at its limit.
        member, nonmember = rng.laplace(0.5, 1, 60), rng.laplace(0, 1, 60)
        test = audit.evidence.Checkpoints(HALF, confidence_level=0.7, planned=4)
        for epoch in range(4):
            noise = rng.normal(0, 1e-3, (2, 60))
            for some in np.split(np.arange(60), 6):
                test.update(
                    str(epoch),
                    member=(member + noise[0])[some],
                    nonmember=(nonmember + noise[1])[some],
                )
        false += test.verdict == "contradicted"
    assert false / runs <= 0.3 + 3 * np.sqrt(0.21 / runs)


def test_the_level_is_shared_and_the_p_value_is_that_of_the_best_share() -> None:
    rng = np.random.default_rng(3)
    for planned, shares in ((None, [1 / 2, 1 / 6, 1 / 12]), (3, [1 / 3] * 3)):
        test = audit.evidence.Checkpoints(HALF, planned=planned)
        for epoch in range(3):
            shift = 3.0 if epoch == 2 else 0.0
            test.update(
                str(epoch), member=rng.normal(shift, 1, 300), nonmember=rng.normal(0, 1, 300)
            )
        streams = list(test.streams.values())
        assert [stream.goal for stream in streams] == pytest.approx([20 / each for each in shares])
        assert (test.contradicted, test.verdict) == (("2",), "contradicted")
        expected = streams[2].p_value / shares[2]
        assert test.p_value == pytest.approx(expected, rel=1e-9, abs=0)


def test_a_saved_test_goes_on(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    records = {"member": rng.normal(-1, 1, 50), "nonmember": rng.normal(0, 1, 60)}
    whole = audit.evidence.Checkpoints(HALF, kind="loss", dependence="coupled")
    whole.update("a", **records)
    whole.save(tmp_path / "test.json")
    resumed = audit.evidence.Checkpoints.resume(tmp_path / "test.json")
    for test in (whole, resumed):
        test.update("a", **records)
        test.update("b", **records)
    assert resumed.p_value == pytest.approx(whole.p_value)
    assert [each.goal for each in resumed.streams.values()] == pytest.approx([40, 120])
    assert {name: stream.pairs for name, stream in resumed.streams.items()} == {"a": 100, "b": 50}
    (tmp_path / "test.json").write_text('{"schema": "dpviz/checkpoints/1", "empty": {}}')
    with pytest.raises(ValueError, match="state must be a valid 'dpviz/stream/1' state"):
        audit.evidence.Checkpoints.resume(tmp_path / "test.json")


def test_a_saved_test_may_have_all_of_its_planned_checkpoints(tmp_path: Path) -> None:
    test = audit.evidence.Checkpoints(HALF, planned=2)
    for checkpoint in ("a", "b"):
        test.update(checkpoint, member=[1.0], nonmember=[0.0])
    test.save(tmp_path / "test.json")
    assert list(audit.evidence.Checkpoints.resume(tmp_path / "test.json").streams) == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 9.0}, "streams must be tests with one claim and the same settings, got 'b'"),
        (
            {"dependence": "coupled"},
            "streams must be tests with one claim and the same settings, got 'b'",
        ),
        ({}, "streams must be at most 1, the planned number, got 2"),
    ],
)
def test_a_file_of_other_checkpoints_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    test = audit.evidence.Checkpoints(HALF, planned=2 if change else 1)
    test.update("a", member=[1.0, 2.0], nonmember=[0.0, 1.0])
    test.save(tmp_path / "test.json")
    state = json.loads((tmp_path / "test.json").read_text())
    state["streams"]["b"] = state["streams"]["a"] | change
    (tmp_path / "test.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=message):
        audit.evidence.Checkpoints.resume(tmp_path / "test.json")


def test_bad_input_is_named_and_not_taken_in() -> None:
    with pytest.raises(ValueError, match="planned must be a whole number of at least 1, got nan"):
        audit.evidence.Checkpoints(HALF, planned=float("nan"))
    with pytest.raises(ValueError, match="planned must be a whole number"):
        audit.evidence.Checkpoints(HALF, planned=0)
    with pytest.raises(ValueError, match=r"confidence_level must be in \[0.5, 1\), got 1\.5"):
        audit.evidence.Checkpoints(HALF, confidence_level=1.5)
    with pytest.raises(ValueError, match="claim must be an"):
        audit.evidence.Checkpoints(theory.GaussianDP(mu=1.0))
    test = audit.evidence.Checkpoints(HALF, planned=1)
    with pytest.raises(ValueError, match="member must be finite"):
        test.update("a", member=[float("nan")])
    assert (test.streams, test.p_value, test.verdict) == ({}, 1.0, "not contradicted")
    test.update("a", member=[1.0], nonmember=[0.0])
    with pytest.raises(ValueError, match=r"checkpoint must be among the 1 planned ones"):
        test.update("b", member=[1.0], nonmember=[0.0])
