"""Whole people: exact counts, and rounding that never shows more than a claim allows."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import dpviz
from dpviz.analysis.topics.people import (
    PEOPLE,
    POPULATION,
    PeoplePart,
    nearest_count,
    people_part,
)
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import SvgFrame
from dpviz.theory import ApproximateDP, risk

SIZES = st.floats(0, 12) | st.just(math.inf)
RATES = st.floats(0, 1)
PRIORS = st.floats(0, 1, exclude_min=True, exclude_max=True)


def test_story_5_twenty_of_a_hundred_members_among_ten_thousand_people() -> None:
    result = dpviz.analyze(epsilon=3.0, fpr=0.01, prior=0.01)
    crowd = result.people.population
    assert 100 * (1e-5 + np.exp(3.0) * 0.01) == pytest.approx(20.09, abs=0.01)
    assert (crowd.members, crowd.detected, crowd.missed) == (100, 20, 80)
    assert (crowd.nonmembers, crowd.flagged, crowd.cleared) == (9900, 99, 9801)
    assert result.sentences["population"].endswith(
        "100 are members. The best attack that the claim allows calls 119 people “member” "
        "(members: 20, non-members: 99)."
    )
    for count in (100, 20, 80, 9900, 99, 9801):
        assert f" {count} " in result.sentences["population_counts"]
    assert "1 of 100 non-members catches at most 20.1 of 100" in result.sentences["people"]


@given(SIZES, RATES, RATES, PRIORS)
@example(math.inf, 0.0, 0.0, 0.5)
@example(0.0, 1.0, 0.01, 0.01)
@example(1.0, 0.0, 1.0, 1e-300)
@example(1.0, 1e-5, 0.0, 1 - 1e-16)
def test_the_best_attack_is_never_drawn_better_than_the_claim_allows(
    epsilon: float, delta: float, fpr: float, prior: float
) -> None:
    claim = ApproximateDP(epsilon=epsilon, delta=delta)
    part = people_part(claim, fpr=fpr, prior=prior)
    assert part.population.members + part.population.nonmembers == 10_000
    assert (part.hundreds.members, part.hundreds.nonmembers) == (100, 100)
    for crowd in (part.hundreds, part.population):
        assert 0 <= crowd.detected <= crowd.members
        assert 0 <= crowd.flagged <= crowd.nonmembers
        assert crowd.missed >= crowd.required >= 0
        if crowd.members and crowd.nonmembers:
            # Exact fractions: to claim.admits a rounding error is a point outside.
            fnr, rate = Fraction(crowd.missed, crowd.members), crowd.flagged / crowd.nonmembers
            assert fnr >= Fraction(claim.beta(rate)) - Fraction(1, 10**9)
    crowd = part.population
    if crowd.detected:
        ppv = crowd.detected / crowd.n_called_member
        assert ppv <= risk.ppv(claim, fpr=fpr, prior=prior) + 1e-9


@given(RATES, RATES, PRIORS)
def test_a_measured_attack_is_counted_to_the_nearest_person(
    fpr: float, fnr: float, prior: float
) -> None:
    part = people_part(ApproximateDP(epsilon=1.0, delta=0.0), fpr=fpr, fnr=fnr, prior=prior)
    for crowd in (part.hundreds, part.population):
        for count, n, rate in (
            (crowd.detected, crowd.members, 1 - fnr),
            (crowd.flagged, crowd.nonmembers, fpr),
        ):
            assert abs(count - n * rate) <= (0.5 + 1e-9 if 0.5 <= n * rate <= n - 0.5 else 1)
            if n > 1:
                assert (count == 0, count == n) == (rate == 0, rate == 1)


@pytest.mark.parametrize(
    ("rate", "n", "count"),
    [(0, 100, 0), (1e-9, 100, 1), (0.5, 1, 0), (0.025, 100, 3), (1 - 1e-9, 100, 99), (1, 100, 100)],
)
def test_nobody_and_everybody_only_where_it_is_exactly_so(rate: float, n: int, count: int) -> None:
    assert nearest_count(rate, n) == count


def counted(part: PeoplePart) -> tuple[int, ...]:
    crowd = part.hundreds
    return (crowd.detected, crowd.flagged, crowd.required)


def test_edges_of_the_hundred() -> None:
    def at(epsilon: float, delta: float, fpr: float) -> tuple[int, ...]:
        claim = ApproximateDP(epsilon=epsilon, delta=delta)
        return counted(people_part(claim, fpr=fpr, prior=0.5))

    assert at(0, 0, 0) == (0, 0, 100)  # nobody is called, everybody must be missed
    assert at(0, 0, 1) == (100, 100, 0)
    assert at(1, 1, 0) == (100, 0, 0)  # delta 1 allows everything
    assert at(0, 0, 0.03) == (3, 3, 97)  # 0.03 * 100 is 3, not 3 and a rounding error
    assert at(1, 1e-5, 0) == (0, 0, 99)  # possible, so not ruled out for all 100
    assert at(1, 0, 0.001) == (0, 0, 99)  # on average less than one person is called
    assert at(1, 0, 0.01) == (2, 1, 97)  # 2.72 may be 2 or 3


def test_the_attack_of_a_sample_is_a_recount_of_its_losses() -> None:
    scores = dpviz.read_sample("overfitted")
    result = dpviz.analyze(scores, epsilon=1.0, fpr=0.2, prior=0.3)
    threshold = result.sample.threshold
    member = np.loadtxt(  # the packaged file: loss, member
        dpviz.data.samples.__path__[0] + "/overfitted.csv", delimiter=",", skiprows=1
    )
    is_member, loss = member[:, 1] == 1, member[:, 0]
    tpr, fpr = (loss[is_member] <= threshold).mean(), (loss[~is_member] <= threshold).mean()
    crowd = result.people.population
    assert (crowd.members, crowd.nonmembers) == (3000, 7000)
    assert (crowd.detected, crowd.flagged) == (round(3000 * tpr), round(7000 * fpr))
    assert result.people.hundreds.detected == round(100 * tpr)
    assert result.people.hundreds.flagged == round(100 * fpr)
    allowed = min(1, np.exp(1) * fpr + 1e-5, 1 - np.exp(-1) * (1 - 1e-5 - fpr))
    assert result.people.hundreds.required == math.floor(100 * (1 - allowed))


@pytest.mark.parametrize(
    ("spec", "part"),
    [
        ({"prior": 1e-6}, "At prior 0.0001 % fewer than 1 of 10 000 people is a member"),
        ({"fpr": 0.0, "delta": 0.0}, "Fewer than 1 of 10 000 people is called"),
        ({"fpr": 1e-4, "epsilon": 0.0}, "calls 1 person “member” (members: 0, non-members: 1)."),
        (
            {"fpr": 1.0, "prior": 0.5},
            "calls 10000 people “member” (members: 5000, non-members: 5000).",
        ),
    ],
)
def test_few_people_are_said_to_be_few(spec: dict[str, float], part: str) -> None:
    assert part in dpviz.analyze(**spec).sentences["population"]


def test_a_rare_alarm_of_an_attack_is_fewer_than_one_of_a_hundred() -> None:
    """2 of 5000 non-members are not "about 1 of 100", nor are 4998 "about 99"."""
    members = [-3.0] * 999 + [1.0]  # losses
    text = dpviz.analyze((members, [-2.0] * 2 + [0.0] * 4998), fpr=0.001).sentences["people"]
    assert "flags fewer than 1 of 100 non-members" in text
    text = dpviz.analyze((members, [0.0] * 4998 + [2.0] * 2), fpr=0.9997).sentences["people"]
    assert "flags more than 99 of 100 non-members" in text


@pytest.mark.parametrize("spec", [{}, {"prior": 0.9999}, {"fpr": 1.0, "prior": 0.7}], ids=str)
@pytest.mark.parametrize("scene", [PEOPLE, POPULATION], ids=["dots", "cells"])
def test_each_text_of_a_legend_stands_beside_its_key(scene: Scene, spec: dict[str, float]) -> None:
    attacked = dpviz.Analysis(dpviz.read_sample("overfitted")).result(dpviz.Spec.of(**spec))
    for result in (dpviz.analyze(epsilon=3.0, **spec), attacked):
        # The first is that of JupyterLab as it opens at 1280 x 800.
        for width in (238, 330, 480):
            frame = SvgFrame(scene, width=width)
            frame.draw_layers(scene.layers(), result)
            placed = frame.placed_labels()
            assert len(placed) == len(frame.labels())
            for label, at in placed:
                key_x, key_y = label.label.path[0] - [frame.plot.left, frame.plot.top]
                left, top, _, bottom = at.box
                if "100 " not in label.label.text:  # the names of both classes are headings
                    assert left > key_x
                    assert (top + bottom) / 2 == pytest.approx(key_y, abs=2)
