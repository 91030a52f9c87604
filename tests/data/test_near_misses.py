"""What tools write just beside what is read: columns, guesses, rates, names of membership."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpviz import AttackScores, ReadError, read_scores

MEMBER, NONMEMBER = np.array([0.1, 0.2, 0.3]), np.array([0.7, 0.8])


def check(scores: Any, kind: str = "loss") -> str:
    assert isinstance(scores, AttackScores)
    sign = -1.0 if kind == "loss" else 1.0
    assert scores.kind == kind
    np.testing.assert_array_equal(sign * scores.member, MEMBER)
    np.testing.assert_array_equal(sign * scores.nonmember, NONMEMBER)
    assert scores.provenance is not None
    return scores.provenance.understood


def test_arrays_of_one_column(tmp_path: Path) -> None:
    pair = (MEMBER[:, None], NONMEMBER[:, None])
    paths = (tmp_path / "train.npy", tmp_path / "test.npy")
    for path, column in zip(paths, pair, strict=True):
        np.save(path, np.asfortranarray(column))
    named = {"loss_train": pair[0], "loss_test": pair[1].tolist()}
    for source in (pair, paths, named):
        check(read_scores(source))
    with pytest.raises(ValueError, match=r"must be one-dimensional, of shape \(n,\), got \(3, 2\)"):
        read_scores((np.c_[MEMBER, MEMBER], NONMEMBER))


def test_an_array_of_several_columns_is_refused_whatever_is_missing() -> None:
    several = np.array([[1.0, np.nan], [2.0, 3.0]])
    with pytest.raises(ValueError, match=r"must be one-dimensional, of shape \(n,\), got \(2, 2\)"):
        read_scores((several, np.ones(2)), missing="drop")


@pytest.mark.parametrize("dtype", [np.uint8, float])
def test_a_pair_of_zeros_and_ones_is_losses_and_says_how_guesses_are_read(
    dtype: type, tmp_path: Path
) -> None:
    """0-1 losses are as usual as guesses: 3 of 4 members and 1 of 2 non-members have a 1."""
    pair = (np.array([1, 1, 0, 1], dtype), np.array([0, 1], dtype))
    paths = tuple(tmp_path / name for name in ("train.csv", "test.csv"))
    for path, guesses in zip(paths, pair, strict=True):
        np.savetxt(path, guesses.astype(int), fmt="%d")
    for source in (pair, paths):
        scores = read_scores(source)
        assert scores.kind == "loss"
        assert scores.count_at_least(0.0) == (1, 1)  # a low loss means member
        assert scores.provenance is not None
        assert scores.provenance.understood.endswith('guesses (1 = member) need kind="score"')
        asked = read_scores(source, kind="score")
        assert (asked.kind, asked.count_at_least(1.0)) == ("score", (3, 1))
    others = read_scores((np.array([0.0, 2.0]), np.array([1.0])))
    assert others.kind == "loss"
    assert others.provenance is not None
    assert "guesses" not in others.provenance.understood
    assert read_scores({"member_losses": pair[0], "nonmember_losses": pair[1]}).kind == "loss"


@pytest.mark.parametrize("rates", [["auc"], ["roc_auc", "advantage"], ["TPR", "FPR"]])
def test_a_table_of_rates_has_no_scores(rates: list[str]) -> None:
    table = pd.DataFrame({"attack": ["loss", "zlib"], **{name: [0.5, 0.6] for name in rates}})
    said = r"the data frame: expected scores, got rates only \(.*nothing can be bounded"
    with pytest.raises(ReadError, match=said):
        read_scores(table)
    with pytest.raises(ReadError, match=said.replace("the data frame", "t.csv")):
        read_scores(table.to_csv(index=False).encode(), name="t.csv")
    # Beside scores, or where the caller names the column, they are other columns.
    table["loss"], table["member"] = [0.1, 0.7], [1, 0]
    assert read_scores(table).n_members == 1
    assert read_scores(table.drop(columns="loss"), score=rates[0], kind="score").n_members == 1


def test_names_of_membership() -> None:
    both, is_member = np.r_[MEMBER, NONMEMBER], [1, 1, 1, 0, 0]
    check(read_scores(pd.DataFrame({"loss": both, "is_train": is_member})))
    for name in ("label", "y_true"):
        of_an_attack = pd.DataFrame({"mi_signal": both, name: is_member})
        said = check(read_scores(of_an_attack), kind="score")
        assert said.endswith(f'membership from column "{name}"')
        # Beside a loss it may be the class; beside a membership it is.
        with pytest.raises(ReadError, match="no member column recognised"):
            read_scores(of_an_attack.rename(columns={"mi_signal": "loss"}))
        of_an_attack["member"], of_an_attack[name] = is_member, 7
        check(read_scores(of_an_attack), kind="score")
    check(read_scores({"train_loss": MEMBER, "validation_loss": NONMEMBER}))
