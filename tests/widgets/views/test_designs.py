"""The view of designs: a line for each, its name where it reaches what is desired."""

from html import escape

import numpy as np
import pytest

from dpviz.analysis.topics.designs import DESIGNS
from dpviz.drawing.svg import SvgFrame
from dpviz.widgets import DesignsView
from tests.widgets.words import words


@pytest.mark.slow
def test_lines_of_designs_and_of_epsilons_with_their_names() -> None:
    view = DesignsView(epsilon=1.0, delta=1e-5)
    assert "Press “Plan”" in words(view)
    view.compute()
    names = ("separate trainings", "one training", "threshold known")
    assert all(name in words(view) for name in names)
    assert "(exact)" in view.table.value
    assert view.table.value.count("±") == 2
    frame = SvgFrame(DESIGNS, show_extra=True)
    frame.draw_layers(DESIGNS.layers(), view.result)
    labels = [label.label.text for label in frame.labels()]
    part = view.answer
    for line in part.lines:
        total = line.plan.n_members + line.plan.n_nonmembers
        assert f"{line.name}: {total}" in labels
    assert len(labels) == len(part.lines) + 1
    view.choose(compared="epsilons")
    assert "Press “Plan”" in words(view)
    view.compute()
    assert "All bounds use the default method." in words(view)
    assert "known threshold" not in words(view)  # none is compared


def test_without_a_claim_scores_are_needed() -> None:
    rng = np.random.default_rng(1)
    losses = (rng.normal(0, 1, 200), rng.normal(1, 1, 200))
    view = DesignsView(epsilon=float("inf"), delta=1e-5)  # nothing is claimed
    assert "needs a claim, or scores" in words(view)
    assert view.button.disabled
    view = DesignsView(scores=losses, epsilon=0.3)
    view.compute()
    assert "simulated from these scores" in words(view)


def test_one_sentence_is_in_sight_and_what_is_assumed_is_folded() -> None:
    view = DesignsView(epsilon=1.0, delta=1e-5)
    assert view.why.is_hidden
    view.compute()
    said = view.result.sentences
    assert not view.why.is_hidden
    assert said["designs_lead"] in view.text.value
    assert said["designs"] not in view.text.value
    assert escape(said["designs"], quote=True) in view.texts["designs"].value
