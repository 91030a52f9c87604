"""Layers draw when their part of the result changed, and send only what a browser can draw."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np
import pytest

from dpviz import AttackScores, explore
from dpviz.analysis.topics.claim import SelectedFpr
from dpviz.analysis.topics.people import PeopleDots, PopulationCells
from dpviz.analysis.topics.region import FlippedPoint, RegionPoint
from dpviz.analysis.topics.registry import SENTENCES
from dpviz.drawing.layer import Layer
from dpviz.widgets import Explorer, RiskView
from tests.slow import parametrize

OF_THE_ATTACK = (RegionPoint, FlippedPoint, PeopleDots, PopulationCells)


def layers(explorer: Explorer) -> Iterator[Layer]:
    for view in explorer.views:
        for picture in view.pictures:
            yield from picture.layers


@pytest.fixture
def counted(explorer: Explorer, monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How often each layer was drawn since, by class name; layers of all views together."""
    counts: dict[str, int] = {}
    for layer in layers(explorer):
        name, original = type(layer).__name__, layer.draw
        counts.setdefault(name, 0)

        def draw(result, name=name, original=original):  # type: ignore[no-untyped-def]
            counts[name] += 1
            original(result)

        monkeypatch.setattr(layer, "draw", draw)
    return counts


def drawn(counts: dict[str, int]) -> set[str]:
    return {name for name, n in counts.items() if n}


def test_a_change_draws_the_layers_that_show_it(
    explorer: Explorer, counted: dict[str, int]
) -> None:
    explorer.prior = 0.2
    played_anew = {"MeasuredPoints", "RatesOverRounds"}
    people = {"PeopleDots"}  # cells only when they are chosen
    prior_moves = {"RiskBounds", "AttackRisk", "SelectedFpr", "LeastCost"}
    assert drawn(counted) == prior_moves | people | played_anew
    counted.update(dict.fromkeys(counted, 0))
    explorer.method = "normal"
    assert drawn(counted) == {
        *(
            "RatioCurvesLayer",
            "ClippedAreas",
            "ClaimedEpsilon",
            "ChanceBand",
            "CertifiedEpsilon",
            "EpsilonStarAxes",
        ),
        *("Bars", "ClaimAcrossBars"),
        *("FittedDensities", "EpsilonStarThreshold", "QuantilePlot"),
    }
    counted.update(dict.fromkeys(counted, 0))
    explorer.fpr = 0.3
    assert drawn(counted) == {
        *(
            "RegionPoint",
            "FlippedPoint",
            "ConfidenceBox",
            "SelectedFpr",
            "AttackPoint",
            "Threshold",
        ),
        *("RiskBounds", "ProcessedCurve", "WaysOfStating", "PublishedGuarantees"),
        *("ErrorAreas", "OutputThreshold", "DecisionPoint"),
        *people,
        *played_anew,
    }
    assert counted["RegionPoint"] == counted["Threshold"] == 1
    counted.update(dict.fromkeys(counted, 0))
    explorer.epsilon = 1.0
    assert drawn(counted) == set()


def test_a_small_fpr_shows_how_the_ppv_rises_with_delta() -> None:
    view = RiskView(epsilon=1.0, delta=1e-5, prior=0.01, fpr=0.01)
    figure = view.pictures[0].widget.children[0]
    limit = next(mark for mark in figure.marks if np.size(mark.x) > 100)
    assert limit.scales["x"].min == -4
    view.fpr = 1e-6
    assert limit.scales["x"].min == -6
    members, others = 0.01 * (math.e * 1e-6 + 1e-5), 0.99 * 1e-6
    assert limit.y[0] == pytest.approx(members / (members + others), rel=1e-4)


def samples() -> dict[str, AttackScores]:
    rng = np.random.default_rng(9)
    normal = rng.normal
    return {
        "large": AttackScores.from_losses(
            member=normal(0, 1, 50_000), nonmember=normal(1, 1, 50_000)
        ),
        "scores": AttackScores(member=normal(1, 1, 50), nonmember=normal(0, 1, 80)),
        "far": AttackScores.from_losses(member=[1e17] * 3, nonmember=[1e17] * 3),
        "constant": AttackScores.from_losses(member=[1.0, 1.0], nonmember=[1.0]),
        "single": AttackScores.from_losses(member=[0.0], nonmember=[1.0]),
        "separated": AttackScores.from_losses(
            member=normal(0, 1, 200), nonmember=normal(50, 1, 200)
        ),
        "ties": AttackScores.from_losses(member=[1, 2, 2, 3.0], nonmember=[2, 2, 3, 3.0]),
        "huge": AttackScores.from_losses(member=[1e300, 5e299], nonmember=[-1e300, 1e17]),
    }


CLAIMS = [{"epsilon": 0, "delta": 0}, {"epsilon": 800, "delta": 1e-5}, {"epsilon": 1, "delta": 1}]
POINTS = [(0.0, None), (1.0, None), (0.5, 0.0), (0.0, 0.0)]
# Samples whose confidence band rules out some claims; with few or tied records it rules out none.
RULING_OUT = ("large", "scores", "separated")
# Said only where there is something to remark; counts have no place of a maximum on a fit.
REMARKS = {
    "warnings",
    "comparison",
    "cautions",
    "giveaway",
    "maximum_place",
    "reading",
    "large_delta",
}
# Said where attacks are compared, a point is pinned, or the attack has one.
REMARKS |= {"best_of", "lowest", "differences", "pinned_point", "point_box"}


@parametrize("name", list(samples()), slow_but=["huge"])
def test_what_is_sent_is_finite_and_small(name: str) -> None:
    explorer = explore(samples()[name], epsilon=0, delta=0, fpr=0)
    for method, claim, (fpr, fnr) in product(["empirical", "normal"], CLAIMS, POINTS):
        explorer.store.update(method=method, fpr=fpr, fnr=fnr, **claim)
        for frame in [picture.frame for view in explorer.views for picture in view.pictures]:
            for axis in (frame.x, frame.y):
                assert axis.low < axis.high
            for mark in frame.figure.marks:
                assert np.isfinite(mark.x).all()
                assert np.isfinite(mark.y).all()
                # An outline is two curves.
                curves = 2 if getattr(mark, "close_path", False) else 1
                assert len(mark.x) == len(mark.y) <= 512 * curves
        silent = {name for name, text in explorer.result.sentences.items() if not text}
        # These claims are about symmetric pairs, nothing is stated in the checklist, and the limits
        # from above are not computed.
        expected = {"other_order", "checklist_stated", "checklist_effects", "at_most_others"}
        if claim["epsilon"] > 0 and claim["delta"] < 1:  # the others have names of their own
            expected.add("implies")  # an (epsilon, delta) claim implies itself
        if name not in RULING_OUT:
            expected.add("consistent")
        if method == "normal" and claim["delta"] == 0:
            assert "maximum_place" not in silent
        of_claims = {name for name, each in SENTENCES.items() if each.about_claim}
        left_out = of_claims if claim["delta"] == 1 else set()  # nothing is claimed
        assert silent - REMARKS - left_out == expected - left_out
    assert explorer.error == ""


def test_closed_form_layers_need_no_sample(explorer: Explorer) -> None:
    """A layer that the browser is to draw alone shows the same with and without scores."""
    explorer.fpr = explorer.result.fpr
    bare = explore(fpr=explorer.fpr, layout=explorer.panel.layout)
    for with_scores, without in zip(layers(explorer), layers(bare), strict=True):
        # Some show the attack where it was measured, which the browser is told.
        if not with_scores.closed_form or isinstance(with_scores, OF_THE_ATTACK):
            continue
        assert with_scores.marks_by_name()
        drawn = (
            [mark.mark for mark in layer.marks_by_name().values()]
            for layer in (with_scores, without)
        )
        for a, b in zip(*drawn, strict=True):
            np.testing.assert_array_equal(a.x, b.x)
            if not isinstance(with_scores, SelectedFpr):  # stands on axes that follow the scores
                np.testing.assert_array_equal(a.y, b.y)
