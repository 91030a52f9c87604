"""The planner: its number is that of `audit.plan`, an estimate that is called so."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Spec, audit
from dpviz.analysis.topics.plan import PLAN, PlanPart, PlanQuestion, plan_part
from dpviz.analysis.topics.registry import TABLES
from dpviz.drawing.svg import SvgFrame

RNG = np.random.default_rng(26)
SCORES = AttackScores(member=RNG.normal(2, 1, 200), nonmember=RNG.normal(0, 1, 400))


# Two values: no threshold shows more than log(0.5 / 0.25) = 0.693.
WEAK = AttackScores(member=[0, 1] * 100, nonmember=[0, 0, 0, 1] * 50)


def said(question: PlanQuestion, scores: AttackScores = SCORES) -> dict[str, str]:
    part = plan_part(scores, question)
    result = Analysis(scores).result(Spec()).with_answer("plan", part)
    assert len(TABLES["plan"](result).rows) == (len(part.plan.tried_powers) if part.plan else 0)
    return result.sentences


@pytest.mark.slow
def test_a_plan_keeps_the_proportion_of_the_classes() -> None:
    found = audit.plan(SCORES, epsilon=1.0, delta=1e-5, ratio=0.5)
    sentences = said(PlanQuestion(epsilon=1.0))
    assert sentences["plan_lead"] == (
        f"About {found.n_members} members and {found.n_nonmembers} non-members are enough to "
        "certify ε = 1 with probability 80 % (an optimistic estimate)."
    )
    assert "Audit new records" in sentences["plan"]
    # Half as many members as non-members, of which all would have to be ranked apart.
    n, m = audit.bounds.fewest_records(epsilon=1.0, delta=1e-5, ratio=0.5) or (0, 0)
    assert m == 2 * n > 0
    assert sentences["plan"].endswith(
        f" With fewer than {n} members and {m} non-members, even a perfect attack does not certify "
        "such an ε by this test."
    )


def test_the_axis_of_records_has_whole_decades_around_all_sizes_that_were_tried() -> None:
    sizes, powers = np.array([20, 400]), np.array([0.1, 0.9])
    tried: Any = SimpleNamespace(
        tried_members=sizes,
        tried_nonmembers=sizes,
        tried_powers=powers,
        n_members=None,
        n_nonmembers=None,
    )
    frame = SvgFrame(PLAN)
    part = PlanPart(question=PlanQuestion(), plan=tried)
    frame.draw_layers(PLAN.layers(), Analysis().result(Spec()).with_answer("plan", part))
    assert (frame.x.low, frame.x.high) == (10, 1000)


def test_what_the_attack_does_not_show_has_no_plan() -> None:
    assert said(PlanQuestion(epsilon=0.7), WEAK)["plan_lead"].startswith(
        "No plan: epsilon must be below 0.693"
    )
    assert said(PlanQuestion(epsilon=np.inf))["plan"] == ""
    with pytest.raises(ValueError, match=r"power must be in \(0, 1\), got 1"):
        PlanQuestion(power=1)
