"""The view of designs: a line for each, its name where it reaches what is desired."""

import numpy as np

from dpviz.pictures.scenes.evidence import DESIGNS
from dpviz.pictures.svg.frame import SvgFrame
from dpviz.widgets import DesignsView


def test_lines_of_designs_and_of_epsilons_with_their_names() -> None:
    view = DesignsView(epsilon=1.0, delta=1e-5)
    assert "Press “Plan”" in view.text.value
    view.compute()
    names = ("a training for each", "one training for all", "threshold known")
    assert all(name in view.text.value for name in names)
    assert "(exact)" in view.table.value
    assert view.table.value.count("±") == 2
    frame = SvgFrame(DESIGNS, show_extra=True)
    frame.draw(DESIGNS.layers(), view.result)
    labels = [label.label.text for label in frame.labels()]
    part = view.answer
    for line in part.lines:
        total = line.plan.n_members + line.plan.n_nonmembers
        assert f"{line.name}: {total}" in labels
    assert len(labels) == len(part.lines) + 1
    view.choose(compared="epsilons")
    assert "Press “Plan”" in view.text.value
    view.compute()
    assert "By the default bound." in view.text.value


def test_without_a_claim_scores_are_needed() -> None:
    rng = np.random.default_rng(1)
    losses = (rng.normal(0, 1, 200), rng.normal(1, 1, 200))
    view = DesignsView(epsilon=float("inf"), delta=1e-5)  # nothing is claimed
    assert "needs a claim, or scores" in view.text.value
    assert view.button.disabled
    view = DesignsView(scores=losses, epsilon=0.3)
    view.compute()
    assert "these scores, resampled" in view.text.value
