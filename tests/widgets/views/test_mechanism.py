"""The view of a mechanism: drags, boxes and menus, and what each of them draws anew."""

import math
from typing import Any

import numpy as np
import pytest

from dpviz.analysis import Spec
from dpviz.analysis.topics.mechanism import (
    DecisionPoint,
    ErrorAreas,
    OutputCurves,
    OutputThreshold,
    PrivacyLossTails,
)
from dpviz.data import read_sample
from dpviz.number_format import percent
from dpviz.theory import (
    ApproximateDP,
    DiscreteLaplaceMechanism,
    DiscretePair,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    ListExperiment,
    PureDP,
    RandomizedResponse,
    Subsampled,
    TradeoffFunction,
    UniformMechanism,
)
from dpviz.widgets import Store, TradeoffView
from dpviz.widgets.base.html import sentence_html
from dpviz.widgets.views.mechanism import MechanismView

NO_CLAIM = "Nothing is claimed: every attack is allowed."
TWO_SIDED = DiscretePair([0.2, 0.5, 0.1, 0.2], [0.4, 0.2, 0.05, 0.35])


def view_of(claim: TradeoffFunction, **spec: Any) -> MechanismView:
    return MechanismView(claim=claim, **spec)


def layer(view: MechanismView, kind: type) -> Any:
    return next(each for picture in view.pictures for each in picture.layers if type(each) is kind)


def threshold(view: MechanismView) -> float | None:
    """Where the cursor stands; None while it is hidden."""
    mark = layer(view, OutputThreshold).marks_by_name()["handle"].mark
    return float(mark.x[0]) if mark.visible else None


def drag(view: MechanismView, x: float) -> None:
    mark = layer(view, OutputThreshold).marks_by_name()["handle"].mark
    mark.x = np.array([x])


def point(view: MechanismView) -> tuple[float, float]:
    mark = layer(view, DecisionPoint).marks_by_name()["point"].mark
    return float(mark.x[0]), float(mark.y[0])


def texts(view: MechanismView) -> list[str]:
    return [f"{text.value} {why.value}" for text, why in zip(view.texts, view.why, strict=True)]


def test_a_dragged_threshold_moves_point_areas_and_sentence() -> None:
    view = view_of(GaussianDP(mu=1.0), fpr=0.1)
    assert threshold(view) == pytest.approx(1.2816, abs=1e-4)
    before = [np.array(layer(view, ErrorAreas).marks_by_name()["fpr"].mark.x), texts(view)]
    drag(view, 0.5)
    assert view.fpr == 0.309
    assert threshold(view) == pytest.approx(0.5, abs=2e-3)
    assert point(view) == (0.309, pytest.approx(GaussianDP(mu=1.0).beta(0.309)))
    area = layer(view, ErrorAreas).marks_by_name()["fpr"].mark
    assert np.array(area.x)[0] == pytest.approx(0.5, abs=2e-3)
    assert (area.y[0], area.y[-1]) == (0, 0)  # it stands on the axis
    assert len(area.x) != len(before[0])
    assert "threshold is t = 0.499" in texts(view)[0]
    assert "FPR 30.9 %" in texts(view)[1]
    assert texts(view)[2] == before[1][2]
    assert view.threshold.widget.value == "0.49869"


def test_a_dragged_threshold_draws_what_it_touches() -> None:
    view = view_of(GaussianDP(mu=1.0), fpr=0.1)
    drawn: list[type] = []
    for picture in view.pictures:
        for each in picture.layers:
            kind, draw = type(each), each.draw
            each.draw = lambda result, kind=kind, draw=draw: (  # type: ignore[method-assign]
                drawn.append(kind),
                draw(result),
            )
    drag(view, 0.5)
    assert {OutputCurves, PrivacyLossTails}.isdisjoint(drawn)
    assert {ErrorAreas, OutputThreshold, DecisionPoint} <= set(drawn)


def test_the_threshold_can_be_typed_and_nonsense_goes_back() -> None:
    view = view_of(LaplaceMechanism(epsilon=1.0))
    view.threshold.widget.value = "1.5"
    assert view.fpr == pytest.approx(math.exp(-1.5) / 2, rel=1e-12)
    assert view.threshold.widget.value == "1.5"
    view.threshold.widget.value = "much"
    assert view.error == "Threshold must be a number (you typed much)."
    assert view.threshold.widget.value == "1.5"
    view.threshold.widget.value = ""
    assert view.threshold.widget.value == "1.5"
    assert view.error == ""
    view.threshold.widget.value = "inf"
    assert view.fpr == 0


def test_a_threshold_among_bars_takes_a_part_of_one() -> None:
    view = view_of(ListExperiment(support=[0.5] * 3), fpr=0.5)
    assert threshold(view) == 2.0
    drag(view, 2.512)  # a hand comes in steps of a twentieth
    assert view.fpr == 0.125 + 0.375 / 2
    assert "with probability 50 % when it is 2" in texts(view)[0]
    view.threshold.widget.value = "3"
    assert view.fpr == 0.125
    assert "supported is 3 or 4. The attack" in texts(view)[0]
    axis = view.pictures[0].frame.x
    assert axis.ticks == {k + 0.5: str(k) for k in range(5)}
    assert axis.label == "number of items supported"


def test_names_of_many_bars_are_thinned() -> None:
    view = view_of(ListExperiment(support=[0.5] * 30))
    frame = view.pictures[0].frame
    assert len(frame.x.ticks) <= 12
    assert (frame.x.low, frame.x.high) == (0, 32)
    view.claim = GaussianDP(mu=1.0)
    assert (frame.x.low, frame.x.high) == (-4, 5)
    assert frame.y.label == "density"


def test_where_one_threshold_is_not_best_there_are_two_and_a_choice() -> None:
    view = view_of(TWO_SIDED, fpr=0.3)
    assert threshold(view) is None
    assert sorted(set(layer(view, OutputThreshold).marks_by_name()["ends"].mark.x)) == [1.0, 3.5]
    assert not view.rule.widget.is_hidden
    assert point(view) == (0.3, pytest.approx(0.425))
    assert not layer(view, DecisionPoint).marks_by_name()["gap"].mark.visible

    view.rule.widget.value = "one threshold: output ≥ t"
    assert threshold(view) == 2.0
    assert not layer(view, OutputThreshold).marks_by_name()["ends"].mark.visible
    assert point(view) == (0.3, pytest.approx(0.6))
    assert layer(view, DecisionPoint).marks_by_name()["gap"].mark.visible
    assert "17.5 percentage points above the curve" in texts(view)[0]
    drag(view, 1.0)
    assert view.fpr == pytest.approx(0.8)
    assert point(view) == (view.fpr, pytest.approx(0.4))

    view.claim = GaussianDP(mu=1.0)
    assert view.rule.widget.is_hidden
    assert "no test with that FPR misses fewer" in texts(view)[0]


def test_noise_controls_change_the_claim() -> None:
    view = view_of(GaussianMechanism(noise_multiplier=0.5))
    sensitivity, norm, dimension, noise = (control.widget for control in view.noise)
    assert (sensitivity.value, norm.value, dimension.value, noise.value) == ("1", "L2", "1", "0.5")
    noise.value = "2"
    assert view.claim == GaussianMechanism(noise_multiplier=2.0)
    norm.value = "L∞"
    assert view.claim == GaussianMechanism(noise_multiplier=2.0)
    assert "L∞ sensitivity 1" in view.norms.value
    dimension.value = "4"
    assert view.claim == GaussianMechanism(noise_multiplier=1.0)
    assert "at most √d · 1 = 2 in L2" in view.norms.value
    sensitivity.value = "0"
    assert view.error == "Sensitivity must be more than 0 (you typed 0)."
    assert sensitivity.value == "1"
    assert view.claim == GaussianMechanism(noise_multiplier=1.0)
    view.claim = LaplaceMechanism(epsilon=8.0)  # made elsewhere: the noise follows
    assert (dimension.value, noise.value) == ("4", "0.5")
    assert "only a bound" in view.norms.value
    noise.value = "1"
    assert view.epsilon == 4.0


def test_controls_that_do_not_apply_are_hidden() -> None:
    view = view_of(RandomizedResponse(epsilon=1.0))
    assert view.noise_row.is_hidden
    assert view.norms.value == ""
    assert not view.threshold.widget.is_hidden
    view.claim = Subsampled(base=GaussianDP(mu=1.0), sampling_rate=0.1)
    assert view.threshold.widget.is_hidden
    assert "has no outputs of its own" in texts(view)[0]
    assert threshold(view) is None
    assert not layer(view, OutputCurves).marks_by_name()["member"].mark.visible
    assert point(view)[1] == pytest.approx(view.claim.beta(view.result.fpr))
    view.claim = LaplaceMechanism(epsilon=1.0)
    assert not view.noise_row.is_hidden
    assert layer(view, OutputCurves).marks_by_name()["member"].mark.visible


def test_the_marks_at_epsilon_are_the_tail_and_delta() -> None:
    view = view_of(PureDP(epsilon=1.0))
    tails = layer(view, PrivacyLossTails).marks_by_name()
    member, delta = tails["point 0"], tails["point 1"]
    assert set(tails["line"].mark.x) == {1.0}
    assert member.mark.y[0] == pytest.approx(math.e / (1 + math.e))
    low = view.pictures[2].frame.y.low
    assert delta.mark.y[0] == low  # 0 is below every logarithm
    assert math.log10(low) == pytest.approx(round(math.log10(low)))
    assert tails["name"].mark.names[0] == "ε = 1"
    view.claim = ListExperiment(support=[0.5])
    assert not member.mark.visible
    assert tails["name"].mark.names[0] == "ε = ∞ →"
    assert set(tails["line"].mark.x) == {view.pictures[2].frame.x.high}


def test_it_is_linked_with_other_views_and_follows_their_fpr() -> None:
    store = Store()
    view, other = MechanismView(store=store), TradeoffView(store=store)
    other.fpr = 0.25
    assert view.fpr == point(view)[0] == 0.25
    view.choose_threshold(1.0)
    assert other.fpr == view.fpr != 0.25


@pytest.mark.parametrize("fpr", [0.0, 1.0])
@pytest.mark.parametrize(
    "claim",
    [
        GaussianDP(mu=1.0),
        GaussianDP(mu=0.0),
        GaussianDP(mu=math.inf),
        GaussianDP(mu=1e-6),
        GaussianDP(mu=1e3),
        LaplaceMechanism(epsilon=0.0),
        LaplaceMechanism(epsilon=800.0),
        ApproximateDP(epsilon=800.0, delta=1e-5),
        PureDP(epsilon=math.inf),
        UniformMechanism(width=1e-3),
        DiscreteLaplaceMechanism(scale=20, sensitivity=50),
        TWO_SIDED,
    ],
    ids=repr,
)
def test_limits_are_drawn(claim: TradeoffFunction, fpr: float) -> None:
    view = view_of(claim, fpr=fpr)
    assert point(view)[0] == fpr
    x = view.pictures[0].frame.x
    assert threshold(view) is None or x.low <= threshold(view) <= x.high
    assert view.error == ""
    for picture in view.pictures:
        for axis in (picture.frame.x, picture.frame.y):
            assert axis.low < axis.high
        for mark in picture.frame.figure.marks:
            assert np.isfinite(mark.x).all()
            assert np.isfinite(mark.y).all()
            assert len(mark.x) == len(mark.y) <= 512


def test_where_nothing_is_claimed_no_mechanism_is_shown() -> None:
    view = MechanismView(epsilon=math.inf)
    assert view.pictures_on_page == []
    assert view.grid.children == ()
    assert "What is released?" in view.nothing.value
    assert "Nothing is claimed" in view.nothing.value
    assert [text.value for text in view.texts] == [sentence_html(NO_CLAIM)] * 3
    assert [why.value for why in view.why] == [""] * 3
    assert [folded.is_hidden for folded in view.folds] == [True] * 3
    view.epsilon = 1.0
    assert "FPR 1 %" in view.texts[0].value
    assert [folded.is_hidden for folded in view.folds] == [False] * 3
    assert view.pictures_on_page == view.pictures
    assert len(view.grid.children) == 3
    assert view.nothing.value == ""


def test_the_test_has_the_fpr_that_the_slider_shows() -> None:
    """With scores that is the FPR of the strongest evidence, not 1 %."""
    store = Store(read_sample("overfitted"), Spec.of(epsilon=1.0))
    fpr = store.result.fpr
    assert fpr > 0.6
    view = MechanismView(store=store)
    assert view.result.answers["mechanism"].decision.fpr == pytest.approx(fpr)
    assert f"At FPR {percent(fpr)} " in view.result.sentences["outputs_lead"]
