"""The menu of data sets and the plain upload."""

import datetime

import pytest

from dpviz import AttackScores, explore, read_sample
from dpviz.data import SAMPLES
from dpviz.widgets import Explorer
from dpviz.widgets.controls.source_menu import NOTHING, OWN
from tests.widgets.base.test_job import apart


def upload(explorer: Explorer, name: str, content: bytes) -> None:
    """By the widget that stands there where the browser's half does not load."""
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    file = {"name": name, "type": "text/csv", "size": len(content), "last_modified": now}
    chosen = ({**file, "content": memoryview(content)},)
    apart(lambda: setattr(explorer.source.uploads.fallback, "value", chosen))
    assert explorer.source.uploads.fallback.value == ()


def test_every_sample_loads() -> None:
    explorer = explore()
    assert explorer.source.menu.value == NOTHING
    for sample in SAMPLES.values():
        explorer.source.menu.value = f"sample: {sample.title}"
        assert explorer.store.scores is not None
        assert explorer.error == ""
    explorer.source.menu.value = NOTHING
    assert explorer.result.sample is None


def test_scores_from_python_stay_in_the_menu(explorer: Explorer, scores: AttackScores) -> None:
    assert explorer.source.menu.value == OWN
    explorer.source.menu.value = NOTHING
    explorer.source.menu.value = OWN
    assert explorer.store.scores is scores


def test_upload_and_back(explorer: Explorer, scores: AttackScores) -> None:
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n0.9,0\n")
    assert explorer.source.menu.value == "uploaded: a.csv"
    assert explorer.store.scores is not None
    assert explorer.store.scores.n_nonmembers == 2
    explorer.source.menu.value = OWN
    assert explorer.store.scores is scores


def test_refused_upload(explorer: Explorer, scores: AttackScores) -> None:
    result = explorer.result
    for content, said in [
        (b"", "x.csv"),
        (b"loss,member\n0.5,1\n", "x.csv"),
        (b"loss,member\n0.5,1\nn/a,0\n", 'row 3, column "loss": expected a number, got "n/a"'),
        (b"\x00\xff\xfe", "x.csv"),
    ]:
        upload(explorer, "x.csv", content)
        assert said in explorer.error
        assert explorer.result is result
    assert explorer.store.scores is scores
    upload(explorer, "x.csv", b"loss,member\n0.5,1\n0.7,0\n")
    assert explorer.error == ""


def test_the_menu_snaps_back_when_a_load_is_refused(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(key: str) -> AttackScores:
        raise FileNotFoundError(f"{key}.csv is gone")

    monkeypatch.setattr("dpviz.widgets.controls.source_menu.read_sample", gone)
    explorer.source.menu.value = f"sample: {SAMPLES['gamma'].title}"
    assert explorer.error == "gamma.csv is gone"
    assert explorer.source.menu.value == OWN


def test_data_sets_of_one_name_stay_apart(explorer: Explorer, scores: AttackScores) -> None:
    other = AttackScores.from_losses(member=[0.1], nonmember=[0.2])
    explorer.store.load(other)
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n")
    upload(explorer, "a.csv", b"loss,member\n0.5,1\n0.7,0\n0.8,0\n")
    names = explorer.source.menu.options[-4:]
    assert names == (OWN, f"{OWN} (2)", "uploaded: a.csv", "uploaded: a.csv (2)")
    explorer.source.menu.value = OWN
    assert explorer.store.scores is scores
    explorer.source.menu.value = f"{OWN} (2)"
    assert explorer.store.scores is other


def test_a_sample_given_by_python_has_its_name() -> None:
    for key in ("null", "overfitted"):
        explorer = Explorer(scores=read_sample(key))
        assert explorer.source.menu.value == f"sample: {SAMPLES[key].title}"
