"""The packaged samples are what they say they are."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks import make_samples
from dpviz import AttackScores
from dpviz.data import read_sample
from dpviz.data.samples import FOLDER, SAMPLES

SIZES = {
    "overfitted": (300, 1497),
    "regularised": (300, 1497),
    "gamma": (5000, 5000),
    "null": (2000, 2000),
}
# Mean and standard deviation of the area under the ROC curve with no leakage (Mann-Whitney).
NULL_DEVIATION = np.sqrt((2000 + 2000 + 1) / (12 * 2000 * 2000))


def area(scores: AttackScores) -> float:
    """P(score of a member > score of a non-member), ties half, over all pairs."""
    wins = scores.member[:, None] > scores.nonmember
    ties = scores.member[:, None] == scores.nonmember
    return float(wins.mean() + ties.mean() / 2)


def test_the_registry_is_the_folder() -> None:
    assert list(SAMPLES) == list(SIZES)
    assert {path.stem for path in FOLDER.glob("*.csv")} == set(SAMPLES)
    titles = [sample.title for sample in SAMPLES.values()]
    assert len(set(titles)) == len(titles)
    assert all(sample.description.endswith(".") for sample in SAMPLES.values())


@pytest.mark.parametrize("key", SIZES)
def test_sizes(key: str) -> None:
    scores = read_sample(key)
    assert (scores.n_members, scores.n_nonmembers) == SIZES[key]
    assert scores.kind == "loss"
    assert (FOLDER / f"{key}.csv").stat().st_size < 300_000


@pytest.mark.parametrize("key", SIZES)
def test_the_origin_is_written_down(key: str) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    (line,) = [line for line in readme.splitlines() if f"`{key}.csv`" in line]
    n_members, n_nonmembers = SIZES[key]
    assert f"| {n_members} | {n_nonmembers} |" in line
    assert f"AUC {area(read_sample(key)):.3f}" in line
    assert str(make_samples.SEED) in readme


def test_the_simulated_samples_can_be_made_again(tmp_path: Path) -> None:
    for key, (member, nonmember) in make_samples.simulated_samples().items():
        make_samples.write(key, member, nonmember, folder=tmp_path)
        made, packaged = tmp_path / f"{key}.csv", FOLDER / f"{key}.csv"
        assert made.read_bytes() == packaged.read_bytes()


def test_the_overfitted_network_leaks_more() -> None:
    overfitted, regularised = read_sample("overfitted"), read_sample("regularised")
    assert area(overfitted) > area(regularised) + 0.03
    member, nonmember = -overfitted.member, -overfitted.nonmember
    assert (member < 0).all()  # -logit(p_y) < 0 is p_y > 1/2: every member is classified rightly
    assert (nonmember > 0).mean() > 0.03
    assert (nonmember > member.max()).mean() > 0.3


def test_the_simulated_laws() -> None:
    gamma, null = read_sample("gamma"), read_sample("null")
    for losses, shape in ((-gamma.member, 2), (-gamma.nonmember, 4)):
        assert losses.mean() == pytest.approx(5 * shape, rel=0.05)
        assert losses.var() == pytest.approx(25 * shape, rel=0.1)
    assert area(gamma) == pytest.approx(13 / 16, abs=0.015)
    assert abs(area(null) - 0.5) < 4 * NULL_DEVIATION


def test_an_unknown_sample() -> None:
    with pytest.raises(ValueError, match=r"key must be one of 'overfitted', .*, got 'digits'"):
        read_sample("digits")
