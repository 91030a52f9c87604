"""The menu of data sets and the upload button."""

import datetime

from dpviz import AttackScores, explore
from dpviz.data import SAMPLES
from dpviz.widgets import Explorer
from dpviz.widgets.source import NOTHING, OWN


def upload(explorer: Explorer, name: str, content: bytes) -> None:
    now = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)
    file = {"name": name, "type": "text/csv", "size": len(content), "last_modified": now}
    explorer.source.upload.value = ({**file, "content": memoryview(content)},)


def test_every_sample_loads() -> None:
    explorer = explore()
    assert explorer.source.menu.value == NOTHING
    for sample in SAMPLES.values():
        explorer.source.menu.value = sample.title
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
