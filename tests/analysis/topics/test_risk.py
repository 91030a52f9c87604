"""The axis of PPVs ends above what the claim allows and what the attack reached, and near 1."""

from dataclasses import replace

import pytest

import dpviz
from dpviz.analysis.topics.risk import RISK, ppv_axis_maximum
from dpviz.drawing.svg import SvgFrame

# At the threshold 0 the TPR is 3/4 and the FPR 1/4.
LOSSES = ([0.0, 0.0, 0.0, 1.0], [0.0, 1.0, 1.0, 1.0])


@pytest.mark.parametrize("prior", [0.01, 0.1, 0.5])
def test_the_largest_ppv_of_the_attack_is_on_the_axis(prior: float) -> None:
    end = ppv_axis_maximum(dpviz.analyze(LOSSES, epsilon=0.1, prior=prior))
    assert 3 * prior / (3 * prior + 1 - prior) < end < 8 * prior


def test_the_attack_s_ppv_at_1_percent_is_on_the_axis_whichever_fpr_is_selected() -> None:
    losses = ([0.0] * 7 + [1.0] * 493, [0.0] + [1.0] * 99)  # at FPR 1 % the TPR is 1.4 %
    ppv = 0.155 * 1.4 / (0.155 * 1.4 + 0.845)  # above 20 %, where the axis would end without it
    assert ppv_axis_maximum(dpviz.analyze(losses, epsilon=0.01, prior=0.155, fpr=1.0)) > ppv


@pytest.mark.parametrize("epsilon", [0.1, 10.0])
def test_an_axis_of_all_rates_has_a_little_room_above_1(epsilon: float) -> None:
    assert 1 < ppv_axis_maximum(dpviz.analyze(LOSSES, epsilon=epsilon, prior=0.5)) < 1.1


@pytest.mark.parametrize("name", ["null", "gamma", "overfitted"])
def test_the_label_of_the_attack_stands_beside_its_curve_in_a_small_picture(name: str) -> None:
    """As small as on the board where JupyterLab opens at 1280 x 800."""
    frame = SvgFrame(RISK, width=318)
    frame.plot = replace(frame.plot, height=170 - RISK.margins["top"] - RISK.margins["bottom"])
    frame.draw_layers(RISK.layers(), dpviz.analyze(dpviz.read_sample(name), epsilon=1.0))
    leaders = {each.label.text: at.leader for each, at in frame.placed_labels()}
    assert leaders["PPV: attack"] is None
