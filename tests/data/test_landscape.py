"""The packaged models are what their file and README say they are; nothing is trained here."""

import json
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from dpviz.data.samples import FOLDER
from dpviz.theory import SubsampledGaussian

PLAIN = {f"plain, {epochs} epochs": epochs for epochs in (5, 20, 80, 320)}
PRIVATE = {f"DP-SGD, epsilon {epsilon}": float(epsilon) for epsilon in (1, 3, 10, 100)}
CHECKPOINTS = [1, 2, 5, 10, 20, 50, 100, 200, 400]
N_MEMBERS, N_RECORDS = 897, 1797
COLUMNS = {
    "model": "str",
    "strategy": "str",
    "repeat": "int16",
    "epochs": "int16",
    "epsilon": "float64",
    "delta": "float64",
    "utility": "float64",
    "member": "bool",
    "loss": "float32",
}


@pytest.fixture(scope="module", params=["landscape", "timeline"])
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(scope="module")
def frames() -> dict[str, pd.DataFrame]:
    return {key: pd.read_parquet(FOLDER / f"{key}.parquet") for key in ("landscape", "timeline")}


@pytest.fixture(scope="module")
def landscape(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    return frames["landscape"]


def origin(name: str) -> dict[str, Any]:
    metadata = pq.read_schema(FOLDER / f"{name}.parquet").metadata
    return {key.decode(): value.decode() for key, value in metadata.items()}


def one_row_per_model(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.drop(columns=["member", "loss"]).drop_duplicates(ignore_index=True)


def losses(frame: pd.DataFrame) -> np.ndarray:
    """One row per model, one column per record."""
    return frame["loss"].to_numpy(np.float64).reshape(-1, N_RECORDS)


def by_strategy(frame: pd.DataFrame, strategy: str) -> np.ndarray:
    return losses(frame[frame["strategy"] == strategy])


def area(member: np.ndarray, nonmember: np.ndarray) -> float:
    """P(loss of a member < loss of a non-member) over all pairs."""
    return float((member[:, None] < nonmember).mean())


def test_the_files_are_small() -> None:
    sizes = [path.stat().st_size for path in FOLDER.glob("*.parquet")]
    assert len(sizes) == 3
    assert sum(sizes) < 900_000


def test_columns(name: str, frames: dict[str, pd.DataFrame]) -> None:
    assert {column: str(dtype) for column, dtype in frames[name].dtypes.items()} == COLUMNS


def test_five_models_of_each_strategy(landscape: pd.DataFrame) -> None:
    models = one_row_per_model(landscape)
    assert list(models["strategy"].unique()) == [*PLAIN, *PRIVATE]
    assert models["model"].is_unique
    for strategy, rows in models.groupby("strategy"):
        assert rows["repeat"].tolist() == [1, 2, 3, 4, 5]
        assert rows["model"].tolist() == [f"{strategy}, repeat {k}" for k in range(1, 6)]
        assert set(rows["epochs"]) == {PLAIN.get(strategy, 40)}


def test_two_time_lines(frames: dict[str, pd.DataFrame]) -> None:
    models = one_row_per_model(frames["timeline"])
    for kind in ("plain", "DP-SGD"):
        rows = models[models["strategy"] == f"time line, {kind}"]
        assert rows["epochs"].tolist() == CHECKPOINTS
        assert rows["model"].tolist() == [f"time line, {kind}, epoch {n}" for n in CHECKPOINTS]
    assert len(models) == 2 * len(CHECKPOINTS)


def test_every_model_has_the_same_members(name: str, frames: dict[str, pd.DataFrame]) -> None:
    frame = frames[name]
    models = one_row_per_model(frame)["model"].to_numpy()
    assert (frame["model"].to_numpy() == np.repeat(models, N_RECORDS)).all()
    member = frame["member"].to_numpy().reshape(-1, N_RECORDS)
    assert member[:, :N_MEMBERS].all()
    assert not member[:, N_MEMBERS:].any()


def test_no_two_models_are_the_same(frames: dict[str, pd.DataFrame]) -> None:
    all_losses = np.concatenate([losses(frame) for frame in frames.values()])
    assert np.isfinite(all_losses).all()
    assert len(all_losses) == 40 + 18
    for a, b in combinations(all_losses, 2):
        assert (a == b).mean() < 0.01


def test_utility_is_the_accuracy_on_non_members(name: str, frames: dict[str, pd.DataFrame]) -> None:
    """p_y > 1/2 makes the true class the largest of ten, p_y < 1/10 makes it not the largest."""
    models = one_row_per_model(frames[name])
    nonmember = losses(frames[name])[:, N_MEMBERS:]
    surely_right = (nonmember < 0).mean(axis=1)
    perhaps_right = (nonmember <= np.log(9)).mean(axis=1)
    utility = models["utility"].to_numpy()
    assert (surely_right <= utility).all()
    assert (utility <= perhaps_right).all()
    right = utility * (N_RECORDS - N_MEMBERS)
    assert right == pytest.approx(np.round(right), abs=1e-9)
    # For most models the two are close, so that the columns cannot have been mixed up.
    assert np.median(perhaps_right - surely_right) < 0.1


def test_only_noise_has_a_claim(name: str, frames: dict[str, pd.DataFrame]) -> None:
    models = one_row_per_model(frames[name])
    plain = models["strategy"].str.contains("plain")
    assert models.loc[plain, ["epsilon", "delta"]].isna().all(axis=None)
    assert (models.loc[~plain, "delta"] == 1e-5).all()
    assert models.loc[~plain, "epsilon"].notna().all()


def test_the_claim_is_the_target_of_the_name(landscape: pd.DataFrame) -> None:
    models = one_row_per_model(landscape).set_index("strategy")
    for strategy, epsilon in PRIVATE.items():
        claimed = models.loc[strategy, "epsilon"]
        assert (claimed <= epsilon).all()
        assert (claimed > 0.999 * epsilon).all()


def test_the_claims_follow_from_the_noise(name: str, frames: dict[str, pd.DataFrame]) -> None:
    """Computed again from noise, sampling and number of steps, adjacency add/remove."""
    about = origin(name)
    noise = json.loads(about["noise_multiplier"])
    models = one_row_per_model(frames[name])
    rows = models[models["epsilon"].notna()].drop_duplicates(["strategy", "epochs"])
    assert len(rows) in (4, 9)
    for row in rows.itertuples():
        mechanism = SubsampledGaussian(
            noise_multiplier=noise[row.strategy],
            sampling_rate=float(about["sampling_probability"]),
            steps=int(about["steps_per_epoch"]) * row.epochs,
            adjacency=about["adjacency"],
        )
        assert mechanism.epsilon(row.delta) == pytest.approx(row.epsilon, rel=1e-3)


def test_epsilon_is_spent_epoch_by_epoch(frames: dict[str, pd.DataFrame]) -> None:
    models = one_row_per_model(frames["timeline"])
    spent = models.loc[models["strategy"] == "time line, DP-SGD", "epsilon"].to_numpy()
    assert (np.diff(spent) > 0).all()
    assert spent[-1] == pytest.approx(10, rel=1e-3)


def test_long_plain_training_leaves_no_member_among_the_worst(landscape: pd.DataFrame) -> None:
    shares = {}
    for strategy in (*PLAIN, *PRIVATE):
        each = by_strategy(landscape, strategy)
        worst_member = each[:, :N_MEMBERS].max(axis=1, keepdims=True)
        shares[strategy] = (each[:, N_MEMBERS:] > worst_member).mean(axis=1)
    ascending = [shares[strategy].mean() for strategy in PLAIN]
    assert ascending == sorted(ascending)
    # Without leakage, k of the worst are non-members with probability about 2^-k: 5 % is 2^-45.
    assert (shares["plain, 320 epochs"] > 0.05).all()
    for strategy in PRIVATE:
        assert (shares[strategy] < 0.02).all()


def test_noise_costs_accuracy_and_hides_members(landscape: pd.DataFrame) -> None:
    utility = one_row_per_model(landscape).groupby("strategy", sort=False)["utility"].mean()
    assert utility["DP-SGD, epsilon 1"] < utility["DP-SGD, epsilon 3"] - 0.1
    assert utility["DP-SGD, epsilon 100"] < utility["plain, 20 epochs"]
    # Mann-Whitney: with no leakage the area has this standard deviation.
    deviation = np.sqrt((N_RECORDS + 1) / (12 * N_MEMBERS * (N_RECORDS - N_MEMBERS)))
    for each in by_strategy(landscape, "DP-SGD, epsilon 1"):
        assert abs(area(each[:N_MEMBERS], each[N_MEMBERS:]) - 0.5) < 4 * deviation


def test_the_origin_is_written_down(name: str) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    flat = " ".join(readme.split())
    about = origin(name)
    assert about["adjacency"] == "add_remove"
    assert f"seed {about['seed']}; {about['made_with']}" in flat
    for noise in json.loads(about["noise_multiplier"]).values():
        assert f"{noise:.4g}" in flat
    frame = pq.read_metadata(FOLDER / f"{name}.parquet")
    (line,) = [line for line in readme.splitlines() if line.startswith(f"| `{name}.parquet` |")]
    assert (
        f"| {frame.num_rows // N_RECORDS} | {frame.num_rows // 1000} {frame.num_rows % 1000} |"
        in line
    )
