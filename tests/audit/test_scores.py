"""Attack scores: checked once, oriented once, never changed."""

import dataclasses
import subprocess
import sys

import numpy as np
import pytest

from dpviz.audit import AttackCurve, AttackScores


def test_losses_are_turned_once_and_remembered_as_losses() -> None:
    scores = AttackScores.from_losses(member=[0.5, 3.0], nonmember=[1.0, -2.0, 7.0])
    assert scores.member.tolist() == [-0.5, -3.0]
    assert scores.nonmember.tolist() == [-1.0, 2.0, -7.0]
    assert scores.sorted_nonmember.tolist() == [-7.0, -1.0, 2.0]
    assert (scores.kind, scores.n_members, scores.n_nonmembers) == ("loss", 2, 3)
    assert AttackScores(member=[1], nonmember=[0]).kind == "score"


def test_low_losses_and_high_scores_mean_member() -> None:
    losses = AttackScores.from_losses(member=[0.0, 0.1], nonmember=[1.0, 2.0])
    raw = AttackScores(member=[0.0, 0.1], nonmember=[1.0, 2.0])
    assert AttackCurve.from_scores(losses).at_fpr(0.0).tpr == 1
    assert AttackCurve.from_scores(raw).at_fpr(0.0).tpr == 0


def test_nothing_can_be_changed_and_the_source_stays_free() -> None:
    mine = np.array([1.0, 2.0])
    scores = AttackScores(member=mine, nonmember=mine)
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.member = mine
    for array in (scores.member, scores.sorted_member, scores.nonmember, scores.sorted_nonmember):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    mine[0] = 99.0
    assert scores.member.tolist() == [1.0, 2.0]
    assert "n_members=2, n_nonmembers=2" in repr(scores)


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8, np.float64])
def test_any_kind_of_number_becomes_float64(kind: type) -> None:
    scores = AttackScores(member=np.array([1, 2], kind), nonmember=(1, 2))
    assert scores.member.dtype == scores.nonmember.dtype == np.float64


def test_anything_that_can_be_an_array_is_welcome_without_its_library() -> None:
    class Tensor:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array([1.0, 2.0])

    assert AttackScores(member=Tensor(), nonmember=Tensor()).member.tolist() == [1.0, 2.0]
    code = "import sys, dpviz; print({'torch', 'tensorflow', 'jax'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


REFUSED = [
    ([], "must not be empty, got 0 values"),
    ([[1.0, 2.0]], r"must be one-dimensional, got \(1, 2\)"),
    (3.0, r"must be one-dimensional, got \(\)"),
    ([1.0, np.nan, np.inf, -np.inf], "must be finite, got 1 NaN and 2 infinite among 4"),
    (["0.1"], "must be numbers, got '0.1'"),
    ([True, False], "must be numbers, got True"),
    ([None, 1.0], "must be numbers, got None"),
    ([1 + 2j], r"must be numbers, got \(1\+2j\)"),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
@pytest.mark.parametrize("broken", ["member", "nonmember"])
@pytest.mark.parametrize(
    ("build", "unit"), [(AttackScores, "scores"), (AttackScores.from_losses, "losses")]
)
def test_refused_values_name_their_class(
    build: type, unit: str, broken: str, values: object, message: str
) -> None:
    good = [0.0, 1.0]
    arguments = {"member": good, "nonmember": good, broken: values}
    with pytest.raises(ValueError, match=f"^{broken} {unit} {message}"):
        build(**arguments)


def test_infinite_losses_come_with_a_way_out() -> None:
    with pytest.raises(ValueError, match=r"missing='drop'.*logit_clip"):
        AttackScores.from_losses(member=[np.inf], nonmember=[0.0])


def test_an_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(ValueError, match="kind must be one of 'loss', 'score', got 'losses'"):
        AttackScores(member=[1.0], nonmember=[1.0], kind="losses")
