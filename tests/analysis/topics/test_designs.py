"""Designs of an audit: their numbers are those of `audit.plan`, and no audit surpasses its plan."""

from dataclasses import replace

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Spec, audit, theory
from dpviz.analysis.topics.designs import (
    DESIGNS,
    LARGEST,
    RUNS,
    DesignsPart,
    DesignsQuestion,
    plan_designs,
)
from dpviz.analysis.topics.plan import PLAN
from dpviz.analysis.topics.registry import TABLES

CLAIM = theory.GaussianDP(mu=1.0)
RNG = np.random.default_rng(5)
SCORES = AttackScores(member=RNG.normal(1.5, 1, 300), nonmember=RNG.normal(0, 1, 300))
# Two values: no threshold shows more than log(0.5 / 0.25) = 0.693.
WEAK = AttackScores(member=[0, 1] * 100, nonmember=[0, 0, 0, 1] * 50)
ASKED = DesignsQuestion(claim=CLAIM, epsilon=2.0, delta=1e-4)


def said(part: DesignsPart) -> dict[str, str]:
    result = Analysis(None).result(Spec()).with_answer("designs", part)
    assert len(TABLES["designs"](result).rows) == len(part.lines)
    return result.sentences


def test_designs_and_one_plan_have_the_same_axis_of_probabilities() -> None:
    assert DESIGNS.y == PLAN.y


@pytest.mark.slow
def test_each_line_is_the_plan_of_its_method() -> None:
    part = plan_designs(None, ASKED)
    for line, method in zip(part.lines, (None, "one_run_curve", "clopper_pearson"), strict=True):
        found = audit.plan(
            CLAIM, epsilon=1.0, delta=1e-4, method=method, largest=LARGEST, n_resamples=RUNS
        )
        assert (line.plan.n_members, line.plan.power) == (found.n_members, found.power)
        assert line.plan.power >= 0.8 or line.plan.n_members is None
        assert line.fewest is not None
        n, m = line.fewest
        assert n == m
        for size, is_enough in ((n, True), (n - 1, False)):
            records = np.arange(2.0 * size)
            perfect = AttackScores(member=records[size:], nonmember=records[:size])
            bound = audit.lower_bound(perfect, delta=1e-4, method=found.method, threshold=size)
            assert (bound.low >= 1.0) == is_enough
    assert part.fewest == audit.bounds.fewest_records(delta=1e-4)
    sentences = said(part)
    lead = sentences["designs_lead"]
    assert lead.startswith("About this many records certify ε = 1 in 80 % of audits: ")
    assert len(lead.split()) <= 25
    assert "The attack is the best attack that the claim allows." in sentences["designs"]


def test_canaries_of_one_training_can_be_too_many() -> None:
    asked = DesignsQuestion(claim=theory.GaussianDP(mu=4.0), epsilon=0.8, delta=0.01)
    part = plan_designs(None, asked)
    line = next(line for line in part.lines if line.plan.method == "one_run_curve")

    def perfect(size: int) -> float:
        records = np.arange(2.0 * size)
        scores = AttackScores(member=records[size:], nonmember=records[:size])
        return audit.lower_bound(scores, delta=0.01, method="one_run_curve").low

    shown = [perfect(size) for size in range(1, 7)]
    assert [low >= 0.4 for low in shown] == [False, False, False, False, True, False]
    assert line.fewest == (5, 5)
    sentences = said(part)
    assert "(one training)" in sentences["designs_lead"]
    assert (
        "δ counts for every canary, so more canaries can certify a smaller ε"
        in sentences["designs"]
    )
    assert "  " not in sentences["designs"]
    if line.plan.n_members is None:
        assert "none found up to 100000 (one training)" in sentences["designs_lead"]
    without = plan_designs(None, replace(asked, delta=0.0))
    assert "more canaries can certify a smaller ε" not in said(without)["designs"]


@pytest.mark.slow
def test_several_epsilons_need_fewer_records_the_smaller_they_are() -> None:
    asked = DesignsQuestion(epsilon=1.0, compared="epsilons")
    part = plan_designs(SCORES, asked)
    assert [line.plan.epsilon for line in part.lines] == [1.0, 0.5, 0.25]
    sizes = [line.plan.n_members for line in part.lines]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3
    assert "from these scores, so the plan is optimistic" in said(part)["designs"]


@pytest.mark.slow
def test_what_the_attack_does_not_show_is_left_out() -> None:
    part = plan_designs(WEAK, DesignsQuestion(epsilon=1.0))
    assert {line.plan.epsilon for line in part.lines} == {0.5}


def test_what_cannot_be_planned_has_a_reason() -> None:
    none = plan_designs(WEAK, DesignsQuestion(epsilon=4.0))
    assert said(none)["designs_lead"] == "No plan: the attack shows no more than ε = 0.693."
    assert said(none)["designs"] == ""
    unclaimed = plan_designs(SCORES, DesignsQuestion(epsilon=np.inf))
    assert said(unclaimed)["designs_lead"] == "No plan: nothing is claimed."
    sure = plan_designs(SCORES, DesignsQuestion(confidence_level=1 - 1e-7))
    assert "confidence_level must be at most 0.9999" in said(sure)["designs_lead"]
    assert said(plan_designs(None, DesignsQuestion()))["designs_lead"] == (
        "No plan: there is no attack."
    )
    for wrong in ({"power": 1}, {"compared": "x"}, {"epsilon": float("nan")}, {"epsilon": -1}):
        with pytest.raises(ValueError, match=f"^{next(iter(wrong))} must be "):
            DesignsQuestion(**wrong)


def test_a_few_more_records_may_show_a_little_less() -> None:
    asked = DesignsQuestion(claim=theory.PureDP(epsilon=5.472), epsilon=5.472, delta=0.0)
    line = next(
        line for line in plan_designs(None, asked).lines if line.plan.method == "one_run_curve"
    )
    most = [
        audit.ceiling(n_members=n, n_nonmembers=n, delta=0.0, method="one_run_curve")
        for n in range(40, 52)
    ]
    assert most != sorted(most)
    first = 40 + next(i for i, low in enumerate(most) if low >= line.plan.epsilon)
    assert line.fewest == (first, first)
