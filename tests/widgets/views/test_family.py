"""The picture of a family's smallest member: hollow, beside the band, with what is assumed."""

from dataclasses import replace

import bqplot
import numpy as np
import pytest

from dpviz import AttackScores, audit
from dpviz.widgets import FamilyView

STEPS = (0.5, 1.0, 2.0)


def scores(shift: float, leaking: int = 0) -> AttackScores:
    rng = np.random.default_rng(1)
    member = rng.normal(shift, 1, 800)
    member[:leaking] += 8
    return AttackScores(member=member, nonmember=rng.normal(0, 1, 800))


def test_the_member_is_hollow_and_its_condition_is_said() -> None:
    data = scores(1.5)
    bound = audit.smallest("gaussian", data, parameters=STEPS)
    view = FamilyView(data, bound)
    marks = view.frame.figure.marks
    (points,) = (each for each in marks if isinstance(each, bqplot.Scatter))
    assert not points.fill
    assert points.y == pytest.approx(bound.guarantee.beta(points.x))
    assert "if of this family: μ ≥ 1" in view.frame.legend_html()
    assert view.sentence == (
        "If the mechanism is of the Gaussian family, it has μ ≥ 1 (95 % confidence). "
        "The curves with μ above 1 and below 2 fit the 95 % band."
    )


def test_what_is_printed_is_no_more_than_what_is_certified() -> None:
    data = scores(1.5)
    view = FamilyView(data, audit.smallest("gaussian", data, parameters=[0.5, 0.9876, 2.0]))
    assert "it has μ ≥ 0.987 (95 % confidence)" in view.sentence
    assert "μ ≥ 0.987" in view.frame.legend_html()


def test_an_end_that_excludes_nothing_is_not_said() -> None:
    data = scores(0.0)
    view = FamilyView(data, audit.smallest("gaussian", data, parameters=STEPS))
    assert view.sentence.endswith(". The curves with μ below 0.5 fit the 95 % band.")


def test_a_violation_is_said_and_nothing_refuted_draws_no_member() -> None:
    data = scores(0.0, leaking=80)
    leaky = FamilyView(data, audit.smallest("gaussian", data, parameters=STEPS))
    misfit = "No curve of this family fits the 95 % band: the mechanism is of another family"
    assert misfit in leaky.sentence
    data = scores(0.0)
    nothing = FamilyView(data, audit.smallest("laplace", data, parameters=STEPS))
    assert not [each for each in nothing.frame.figure.marks if isinstance(each, bqplot.Scatter)]
    assert "nothing follows: no tested parameter is refuted" in nothing.sentence


def test_a_limit_above_the_upper_end_is_said_with_the_confidence_of_both() -> None:
    data = scores(1.5)
    bound = audit.smallest("gaussian", data, parameters=STEPS)
    view = FamilyView(data, replace(bound, low=bound.between[1]))
    end = f"Curves that fit the 95 % band have μ below {bound.between[1]:g}, so no curve "
    end += "meets both conditions (90 % confidence): the mechanism is of another family"
    assert end in view.sentence


def test_bad_input_is_named() -> None:
    data = scores(0.0)
    with pytest.raises(TypeError, match="bound must be a ConditionalParameterBound, got float"):
        FamilyView(data, 1.0)  # type: ignore[arg-type]
    bound = audit.smallest("laplace", data, parameters=STEPS)
    message = "bound must be of 2 members and 1 non-members, like the scores, got 800 and 800"
    with pytest.raises(ValueError, match=message):
        FamilyView(AttackScores(member=[1, 2], nonmember=[0]), bound)
