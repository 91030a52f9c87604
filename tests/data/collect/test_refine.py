"""The second pass: what was counted in cells is exact where the maxima lie."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpviz import AttackScores, audit, read_scores
from dpviz.audit import BinnedScores
from dpviz.audit.epsilon_star import rounding_gap
from dpviz.audit.epsilon_star.estimate import Clip
from dpviz.data import ReadError
from dpviz.data.collect import BinCounts, Records, counts_by_float32, split_bins
from dpviz.data.read import Engine


def gamma_losses(n: int) -> pd.DataFrame:
    rng = np.random.default_rng(4)  # one of twelve where cells hide something
    member = rng.random(n) < 0.5
    loss = (rng.standard_gamma(np.where(member, 2, 4)) / 5).astype(np.float32)
    return pd.DataFrame({"loss": loss, "is_member": member})


@pytest.fixture(scope="module")
def gamma(tmp_path_factory: pytest.TempPathFactory) -> tuple[AttackScores, BinnedScores]:
    path = tmp_path_factory.mktemp("gamma") / "losses.parquet"
    gamma_losses(50_000).to_parquet(path, row_group_size=9_000)
    raw, streamed = read_scores(path), read_scores(path, memory_limit=0, progress=iter)
    assert isinstance(raw, AttackScores)
    assert isinstance(streamed, BinnedScores)
    return raw, streamed


@pytest.mark.parametrize("clip", ["paper", None])
@pytest.mark.parametrize("delta", [0, 1e-5, 3e-4, 0.05])
def test_epsilon_star_of_a_stream_is_that_of_its_records(
    gamma: tuple[AttackScores, BinnedScores], delta: float, clip: Clip
) -> None:
    values = [audit.epsilon_star(scores, delta=delta, clip=clip).value for scores in gamma]
    assert values[0] == values[1]
    assert rounding_gap(gamma[1], delta=delta, clip=clip) == 0


def test_cells_alone_would_hide_some_of_it(gamma: tuple[AttackScores, BinnedScores]) -> None:
    coarse = BinnedScores.of(gamma[0])
    value = audit.epsilon_star(coarse, delta=1e-5).value
    exact = audit.epsilon_star(gamma[0], delta=1e-5).value
    gap = rounding_gap(coarse, delta=1e-5)
    assert value < exact <= value + gap
    assert gamma[1].thresholds.size > coarse.thresholds.size


def test_moments_stay(gamma: tuple[AttackScores, BinnedScores]) -> None:
    values = [audit.epsilon_star(scores, delta=1e-5, method="normal").value for scores in gamma]
    assert values[1] == pytest.approx(values[0], rel=1e-5)


def test_records_that_change_between_the_passes_are_noticed() -> None:
    frame = gamma_losses(50_000)
    records = Records(values=frame.loss.to_numpy(), is_member=frame.is_member.to_numpy())
    bins = BinCounts("loss")
    bins.add(records)

    half = Records(values=records.values[::2], is_member=records.is_member[::2])
    scores = bins.scores()
    finer = split_bins(scores, lambda bins: counts_by_float32(bins, [records], "loss"))
    assert rounding_gap(finer, delta=1e-5) == 0
    with pytest.raises(ReadError, match="expected the same records at the second reading, got"):
        split_bins(scores, lambda bins: counts_by_float32(bins, [half], "loss"))


def test_a_file_without_losses_twice(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("loss,member\n0.5,1\n0.5,0\n")
    scores = read_scores(tmp_path / "a.csv", memory_limit=0, progress=iter)
    assert isinstance(scores, BinnedScores)
    assert scores.thresholds.tolist() == [-0.5]


def saturated_confidences(n: int) -> pd.DataFrame:
    """So close to 1 that hardly any two differ as float32."""
    rng = np.random.default_rng(7)
    member = rng.random(n) < 0.5
    logit = np.where(member, 20, 18) + rng.normal(0, 3, n)
    return pd.DataFrame({"score": 1 / (1 + np.exp(-logit)), "is_member": member})


@pytest.mark.parametrize("clip", ["paper", 0.05])
@pytest.mark.parametrize("engine", ["local", "dask"])
def test_what_float32_cannot_tell_apart_is_said_to_be_hidden(
    tmp_path: Path, engine: Engine, clip: Clip
) -> None:
    path = tmp_path / "confidences.parquet"
    saturated_confidences(2_000).to_parquet(path)
    local: dict[str, Any] = {"memory_limit": 0, "progress": iter} if engine == "local" else {}
    streamed = read_scores(path, engine=engine, **local)
    assert isinstance(streamed, BinnedScores)
    exact = audit.epsilon_star(read_scores(path), delta=1e-5, clip=clip).value
    seen = audit.epsilon_star(streamed, delta=1e-5, clip=clip).value
    assert seen < exact <= seen + rounding_gap(streamed, delta=1e-5, clip=clip)


def test_a_record_between_two_float32_lifts_the_mean_of_its_cell() -> None:
    bins = BinCounts("score")
    bins.add(Records(values=np.array([1.0, 1 + 2**-24, 2.0]), is_member=np.array([1, 1, 0]) == 1))
    scores = bins.scores()
    assert scores.thresholds.tolist() == [1, 2]
    assert scores.may_be_rounded.tolist() == [True, False]
    assert scores.member_means is not None
    assert scores.member_means[0] == pytest.approx(1 + 2**-25, rel=1e-12)
