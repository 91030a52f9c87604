"""The numbers behind pictures, as CSV: read back with Python's own reader."""

import csv
import math
from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from dpviz import AttackScores, Result, analyze
from dpviz.analysis.topics.registry import SCENES
from dpviz.drawing.axes import Axis, AxisSpec
from dpviz.pictures.numbers import _axis_value, drawn_points
from dpviz.widgets import Explorer, RegionView, SlicesView

EVIL = "=cmd|'a'!A1"


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(StringIO(text)))


def test_corners_of_the_region_have_full_precision(tmp_path: Path) -> None:
    view = RegionView(epsilon=2.0, delta=0.1)
    view.to_csv(tmp_path / "region.csv")
    found = rows((tmp_path / "region.csv").read_text("utf-8"))
    corners = [
        (float(row["x"]), float(row["y"])) for row in found if row["mark"] == "allowed by the claim"
    ]
    kink = (1 - 0.1) / (1 + math.exp(2))
    assert any(np.allclose(at, (kink, kink), rtol=1e-14) for at in corners)
    assert {row["x axis"] for row in found} == {SCENES["region"].x.label}
    assert {row["picture"] for row in found} == {SCENES["region"].title}


@pytest.mark.parametrize("name", SCENES)
def test_every_picture_has_numbers(name: str, full: Result) -> None:
    """Every mark that is drawn is there; rates and odds are within their range."""
    scene = SCENES[name]
    if scene.is_empty(full):
        return
    found = drawn_points(scene, full)
    assert found
    for point in found:
        assert point.mark
        for value in (point.x, point.y):
            assert isinstance(value, str) or math.isfinite(value)
        if scene.x.scale == "log-odds":
            assert 0 < float(point.x) < 1


@pytest.fixture(scope="module")
def full() -> Result:
    rng = np.random.default_rng(5)
    return analyze((rng.normal(0, 1, 60), rng.normal(1, 1, 80)), epsilon=1.0)


def test_an_edge_between_two_bars_belongs_to_neither() -> None:
    axis = Axis(AxisSpec(label="output"))
    axis.set_bar_names(["a", "b"], left_end=0)
    assert [_axis_value(axis, place) for place in (0.9, 1.0, 1.1)] == ["a", "", "b"]


def test_a_name_is_no_formula() -> None:
    rng = np.random.default_rng(20)
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 80),
        nonmember=rng.normal(2, 1, 100),
        member_groups=[EVIL] * 40 + ["b"] * 40,
        nonmember_groups=[EVIL, "b"] * 50,
    )
    view = SlicesView(scores=scores)
    view.choose(bound_method="e_process")
    view.compute()
    cells = {cell for row in rows(view.csv()) for cell in row.values()}
    assert f"'{EVIL}" in cells
    assert not [cell for cell in cells if cell[:1] in "=+@\t\r" and cell]


def test_an_explorer_writes_all_of_its_pictures(tmp_path: Path) -> None:
    explorer = Explorer(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]))
    explorer.to_csv(tmp_path / "all.csv")
    found = {row["picture"] for row in rows((tmp_path / "all.csv").read_text("utf-8"))}
    saved = [each.scene for each in explorer.pictures_to_save()]
    assert {scene.fixed_title_of(explorer.result) for scene in saved} == found
