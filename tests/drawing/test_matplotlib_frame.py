"""Every picture on Matplotlib's Axes: the same marks, ranges and texts as in its SVG."""

import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import Result, audit, theory, widgets
from dpviz.analysis.topics.registry import SCENES
from dpviz.audit.models.fleet import FleetModel
from dpviz.drawing import marks
from dpviz.drawing.svg import SvgFrame
from tests.slow import parametrize

PICKED = ["ruler", "region", "tradeoff", "tail", "scores", "epsilon_star", "people"]


def sample(shift: float = 1.0, **groups: Any) -> dpviz.AttackScores:
    rng = np.random.default_rng(5)
    losses = {"member": rng.normal(-shift, 1, 60), "nonmember": rng.normal(0, 1, 80)}
    return dpviz.AttackScores.from_losses(**losses, **groups)


def made_by_a_view(needs: str) -> Result:
    claim = theory.GaussianMechanism(noise_multiplier=1.0)
    of_claim = {
        "ways_of_stating": "WaysOfStatingView", "deployments": "DeploymentsView",
        "for_risk": "ForRiskView", "as_trained": "AsTrainedView",
        "posterior": "GuessView", "processing": "ProcessingView",
        "mechanism": "MechanismView", "ratio": "RatioView", "zoom_levels": "ZoomLevelsView",
        "noise": "NoiseView", "designs": "DesignsView", "experiment": "ExperimentView",
        "showable": "ShowableView",
    }  # fmt: skip
    if needs in of_claim:
        view = getattr(widgets, of_claim[needs])(claim=claim)
        if needs in ("for_risk", "as_trained", "designs", "showable"):
            view.compute()
        return view.result
    groups = {"member_groups": ["a", "$b$"] * 30, "nonmember_groups": ["a", "$b$"] * 40}
    of_scores = {
        "bounds": "BoundsView", "slices": "SlicesView", "retraining": "RetrainingView",
        "plan": "PlanView", "redraws": "PeopleView",
    }  # fmt: skip
    view = getattr(widgets, of_scores[needs])(scores=sample(**groups), epsilon=0.5)
    view.compute()
    return view.result


@cache
def result_with(needs: str) -> Result:
    """A result with what the pictures need: scores, or an answer that is computed on request."""
    if needs in ("", "scores"):
        return dpviz.analyze(sample(), epsilon=0.5, delta=1e-5)
    if needs not in ("landscape", "timeline", "both_sides"):
        return made_by_a_view(needs)
    models = [
        FleetModel(name=f"m{i}", scores=sample(i / 2), strategy="s", stage=i, utility=i / 9)
        for i in range(3)
    ]
    fleet = audit.Fleet(models=models)
    if needs == "both_sides":
        view = widgets.BothSidesView(fleet, grid=[0.5], delta=0.1)
    else:
        view = {"landscape": widgets.LandscapeView, "timeline": widgets.TimelineView}[needs](fleet)
        view.compute()
    return view.result


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def places_of(artist: Any) -> np.ndarray:
    """Where an artist of Matplotlib stands, in units of the axes, shape (k, 2)."""
    for name in ("get_xydata", "get_offsets", "get_segments"):
        if type(artist).__name__ == "LineCollection" and name != "get_segments":
            continue
        if hasattr(artist, name):
            return np.asarray(getattr(artist, name)(), float).reshape(-1, 2)
    return np.asarray(artist.get_xy())[:-1]  # a polygon ends where it begins


@parametrize("name", SCENES, slow_but=PICKED)
def test_every_picture_has_the_marks_of_its_svg(name: str, pyplot: Any) -> None:
    scene = SCENES[name]
    result = result_with(scene.needs)
    assert not scene.is_empty(result)
    svg = SvgFrame(scene)
    svg.draw_layers(scene.layers(), result)
    ax = result.plot(name)
    ax.figure.canvas.draw()
    drawn = {artist.get_gid(): artist for artist in ax.get_children() if artist.get_gid()}
    shown = [mark for mark in svg.marks if mark.is_shown]
    assert shown
    for mark in shown:
        expected = mark.data.reshape(-1, 2)
        if isinstance(mark.mark, marks.Markers):  # those outside the axes are not drawn
            expected = expected[svg.plot.contains(mark.pixel_vertices())]
        np.testing.assert_allclose(places_of(drawn[mark.element_id]), expected, rtol=1e-12)
    for axis, found, ticks, label in (
        (svg.x, ax.get_xlim(), ax.get_xticklabels(), ax.get_xlabel()),
        (svg.y, ax.get_ylim(), ax.get_yticklabels(), ax.get_ylabel()),
    ):
        assert found == pytest.approx((axis.low, axis.high))
        assert label == axis.label
        assert [tick.get_text().replace("\\$", "$") for tick in ticks] == [*axis.ticks.values()]
    assert bool(ax.texts) == bool(svg.placed_labels())


def test_a_picture_fits_into_the_axes_of_others(pyplot: Any) -> None:
    """Labels stay inside the Axes they are placed for; another plot on them is left alone."""
    figure, axes = pyplot.subplots(1, 2, figsize=(7, 3.5))
    axes[0].plot([0, 1], [1, 0])
    assert result_with("scores").plot("tradeoff", ax=axes[0]) is axes[0]
    assert len(axes[1].get_children()) == len(pyplot.figure().add_subplot().get_children())
    figure.canvas.draw()
    box = axes[0].get_window_extent()
    for text in axes[0].texts:
        found = text.get_window_extent()
        assert box.x0 - 1 <= found.x0 <= found.x1 <= box.x1 + 1
    assert "claim" in " ".join(text.get_text() for text in axes[0].texts)
    with pytest.raises(TypeError, match="ax must be Axes of Matplotlib, got"):
        result_with("scores").plot("tradeoff", ax=figure)


def test_dollar_signs_of_users_are_no_formulas(pyplot: Any) -> None:
    result = dpviz.analyze(sample(), epsilon=0.5, delta=1e-5, compare={r"$\frac$": sample(2.0)})
    ax = result.plot("roc")
    ax.figure.canvas.draw()  # a formula with an error would raise
    assert r"$\frac$" in [text.get_text() for text in ax.texts]


def test_without_matplotlib_one_sentence_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"plot needs Matplotlib: pip install matplotlib; \.svg"):
        result_with("").plot("tradeoff")
