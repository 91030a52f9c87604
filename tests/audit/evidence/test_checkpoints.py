"""Checkpoints: the joint level, shares of it, saving, and bad input."""

import json
from pathlib import Path

import numpy as np
import pytest

from dpviz import audit, theory

CLAIM = theory.PureDP(epsilon=0.5)


def test_no_true_checkpoint_is_contradicted_more_often_than_the_level_says() -> None:
    runs, false = 60, 0
    for run in range(runs):
        rng = np.random.default_rng(run)
        # The same records at all checkpoints, and the claim at its limit.
        member, nonmember = rng.laplace(0.5, 1, 60), rng.laplace(0, 1, 60)
        test = audit.Checkpoints(CLAIM, confidence_level=0.7, planned=4)
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
        test = audit.Checkpoints(CLAIM, planned=planned)
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
    whole = audit.Checkpoints(CLAIM, kind="loss", dependence="coupled")
    whole.update("a", **records)
    whole.save(tmp_path / "test.json")
    resumed = audit.Checkpoints.resume(tmp_path / "test.json")
    for test in (whole, resumed):
        test.update("a", **records)
        test.update("b", **records)
    assert resumed.p_value == pytest.approx(whole.p_value)
    assert [each.goal for each in resumed.streams.values()] == pytest.approx([40, 120])
    assert {name: stream.pairs for name, stream in resumed.streams.items()} == {"a": 100, "b": 50}
    (tmp_path / "test.json").write_text('{"schema": "dpviz/checkpoints/1", "empty": {}}')
    with pytest.raises(ValueError, match="state must be of schema dpviz/stream/1"):
        audit.Checkpoints.resume(tmp_path / "test.json")


def test_a_saved_test_may_have_all_of_its_planned_checkpoints(tmp_path: Path) -> None:
    test = audit.Checkpoints(CLAIM, planned=2)
    for checkpoint in ("a", "b"):
        test.update(checkpoint, member=[1.0], nonmember=[0.0])
    test.save(tmp_path / "test.json")
    assert list(audit.Checkpoints.resume(tmp_path / "test.json").streams) == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 9.0}, "streams must be of one claim and one dependence, got 'b'"),
        ({"dependence": "coupled"}, "streams must be of one claim and one dependence, got 'b'"),
        ({}, "streams must be of the 1 planned checkpoints, got 2"),
    ],
)
def test_a_file_of_other_checkpoints_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    test = audit.Checkpoints(CLAIM, planned=2 if change else 1)
    test.update("a", member=[1.0, 2.0], nonmember=[0.0, 1.0])
    test.save(tmp_path / "test.json")
    state = json.loads((tmp_path / "test.json").read_text())
    state["streams"]["b"] = state["streams"]["a"] | change
    (tmp_path / "test.json").write_text(json.dumps(state))
    with pytest.raises(ValueError, match=message):
        audit.Checkpoints.resume(tmp_path / "test.json")


def test_bad_input_is_named_and_not_taken_in() -> None:
    with pytest.raises(ValueError, match="planned must be a whole number of at least 1, got nan"):
        audit.Checkpoints(CLAIM, planned=float("nan"))
    with pytest.raises(ValueError, match="planned must be a whole number"):
        audit.Checkpoints(CLAIM, planned=0)
    with pytest.raises(ValueError, match=r"confidence_level must be in \(0, 1\), got 1\.5"):
        audit.Checkpoints(CLAIM, confidence_level=1.5)
    with pytest.raises(ValueError, match="claim must be an"):
        audit.Checkpoints(theory.GaussianDP(mu=1.0))
    test = audit.Checkpoints(CLAIM, planned=1)
    with pytest.raises(ValueError, match="member must be finite"):
        test.update("a", member=[float("nan")])
    assert (test.streams, test.p_value, test.verdict) == ({}, 1.0, "not decidable")
    test.update("a", member=[1.0], nonmember=[0.0])
    with pytest.raises(ValueError, match="checkpoint must be one of the 1 planned"):
        test.update("b", member=[1.0], nonmember=[0.0])
