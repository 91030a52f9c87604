"""What is said of many models is what a recount gives, and no estimate is called a bound."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from dpviz.analysis.topics import landscape, timeline
from dpviz.analysis.topics.landscape import LandscapePart, landscape_part
from dpviz.analysis.topics.timeline import TimelinePart
from dpviz.audit import AttackScores
from dpviz.audit.epsilon_star.estimate import epsilon_star
from dpviz.audit.models.fleet import Fleet, FleetEstimates, FleetModel

VERDICTS = ("violat", "breach", "safe", "unsafe", "fail", "pass", "proven", "guarantee", "correct")


def scores(seed: int, *, shift: float = 1) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(
        member=rng.normal(-shift, 1, 80), nonmember=rng.normal(0, 1, 60)
    )


def estimates(*models: dict[str, Any], **question: Any) -> FleetEstimates:
    made = [
        FleetModel(**{"name": f"m{i}", "scores": scores(i), **model})
        for i, model in enumerate(models)
    ]
    fleet = Fleet(models=tuple(made), errors=(("<b>bad.csv</b>", "no column"),))
    return fleet.estimates(**{"delta": 1e-5, **question})


def part_of(*models: dict[str, Any]) -> LandscapePart:
    return landscape_part(estimates(*models))


def infinite() -> dict[str, Any]:
    """At delta 0 without a clip, one threshold has no members below it."""
    return {"scores": AttackScores(member=np.arange(5.0) + 3, nonmember=np.arange(5.0))}


def undefined() -> dict[str, Any]:
    return {"scores": scores(0, shift=100)}


def test_a_row_is_a_recount() -> None:
    part = part_of(
        {"strategy": "a", "utility": 0.5},
        {"strategy": "b", "utility": 0.25, "epsilon": 2.0, "delta": 1e-6},
        {"strategy": "a", "utility": 0.75},
        {"strategy": "a"},
        {"utility": -3.0},
    )
    values = [epsilon_star(scores(i), delta=1e-5).value for i in range(5)]
    mine = [values[0], values[2], values[3]]
    first, second, third = landscape.table(part).rows
    assert first[:3] == ("a", "3", "not known for every repeat")
    assert first[3] == f"{np.mean(mine):.3g} ({min(mine):.3g} to {max(mine):.3g})"
    assert first[4] == "none"
    assert float(first[5]) == pytest.approx(math.log(np.mean(np.exp(mine))), rel=5e-3)
    assert second == ("b", "1", "0.25", f"{values[1]:.3g}", "2 (δ = 1e-6)", f"{values[1]:.3g}")
    assert third[0] == "m4"
    assert third[2] == "-3"


def test_hyperparameters_are_columns_and_tell_strategies_of_one_name_apart() -> None:
    part = part_of(
        {"strategy": "DP", "epsilon": 1.0, "hyperparameters": {"batch": 64, "clip": 1.0}},
        {"strategy": "DP", "epsilon": 1.0, "hyperparameters": {"batch": 512, "clip": 1.0}},
        {"strategy": "DP", "epsilon": 1.0, "hyperparameters": {"batch": 64, "clip": 1.0}},
        {"strategy": "plain"},
    )
    assert landscape.table(part).head[:4] == ("strategy", "models", "batch", "clip")
    assert [row[:4] for row in landscape.table(part).rows] == [
        ("DP (batch 64)", "2", "64", "1"),
        ("DP (batch 512)", "1", "512", "1"),
        ("plain", "1", "", ""),
    ]
    assert part.models_of(part.landscape.strategies[0]) == ("m0", "m2")


def test_the_summary_counts_and_names_the_frontier() -> None:
    part = part_of({"utility": 0.5}, {"utility": 0.2}, {"utility": 0.9, "scores": scores(9)})
    values = part.estimates.values
    best = [
        f"m{i}"
        for i in sorted(range(3), key=lambda i: values[i])
        if not any(
            values[j] <= values[i] and (0.5, 0.2, 0.9)[j] >= (0.5, 0.2, 0.9)[i] and j != i
            for j in range(3)
        )
    ]
    said = landscape.summary(part)
    assert said.startswith("3 models of 3 strategies at δ = 1e-5. Epsilon* is an estimate from cou")
    assert f"as good in the other): {'; '.join(best)}." in said
    assert "Models that could not be read (1): <b>bad.csv</b>: no column." in said


def test_equal_points_are_both_on_the_frontier_and_the_sentence_allows_it() -> None:
    same = {"scores": scores(0), "utility": 1.0}
    said = landscape.summary(part_of(same, same))
    assert "no strategy dominates the following ones" in said
    assert "in the other): m0; m1." in said


def test_one_model_is_in_the_singular() -> None:
    said = landscape.summary(part_of({}))
    assert said.startswith("1 model of 1 strategy at")
    assert "than" not in said
    assert "Drawn at the lower edge because the utility of a model is unknown: m0." in said


def test_edges_are_named() -> None:
    models = [infinite(), undefined(), {"utility": 1.0}]
    clipped = landscape.summary(landscape_part(estimates(*models, delta=0.0)))
    assert "Drawn at the right edge because Epsilon* of a model is undefined: m1." in clipped
    free = landscape.summary(landscape_part(estimates(*models, delta=0.0, clip=None)))
    assert "Drawn at the right edge because Epsilon* is infinite: m0; m1" in free
    assert "Drawn at the lower edge because the utility of a model is unknown: m0; m1." in free


def test_of_many_names_and_errors_six_are_said() -> None:
    part = part_of(*[{}] * 8)
    assert "is unknown: m0; m1; m2; m3; m4; m5; and 2 more." in landscape.summary(part)
    errors = tuple((f"f{i}", "gone") for i in range(9))
    fleet = Fleet(models=part.estimates.fleet.models, errors=errors)
    said = landscape.unread_models_text(fleet)
    assert said.startswith(" Models that could not be read (9): f0: gone; ")
    assert said.endswith("f5: gone; and 3 more.")


def test_strategies_of_one_name_are_told_apart_by_what_differs() -> None:
    part = part_of(
        {"strategy": "dp", "epsilon": 1.0, "stage": 5},
        {"strategy": "dp", "epsilon": 8.0, "stage": 5},
        {"strategy": "plain", "stage": 5},
        {"strategy": "plain", "stage": 10},
        {"strategy": "s", "epsilon": 1.0, "delta": 1e-5},
        {"strategy": "s", "epsilon": 1.0, "delta": 1e-6},
        {"strategy": "s"},
    )
    assert [row[0] for row in landscape.table(part).rows] == [
        "dp (claimed ε 1)",
        "dp (claimed ε 8)",
        "plain (5)",
        "plain (10)",
        "s (claimed ε 1, claimed δ 1e-5)",
        "s (claimed ε 1, claimed δ 1e-6)",
        "s",
    ]
    assert part.models_of(part.landscape.strategies[1]) == ("m1",)
    assert part.strategy_of("m3") is part.landscape.strategies[3]
    assert part.strategy_of("m9") is None


def test_theorem_2_is_no_bound_on_the_mechanism_and_its_conditions_are_said() -> None:
    text = landscape.CAPTION
    assert "Under the conditions of Theorem 2 in the Epsilon* paper" in text
    assert "Rates that are clipped or counted do not meet these conditions" in text
    assert "upper limit of ε-bar, the ε of average error rates" in text
    assert "an estimate, not a bound on the ε of the training" in text
    assert "Claims may use another adjacency and δ than Epsilon*" in text


@pytest.mark.parametrize("scale", [1.0, 1e-170, 1e12])
def test_a_density_is_a_kernel_estimate_with_the_largest_value_1(scale: float) -> None:
    utilities = np.array([0.1, 0.2, 0.2, 0.9])
    part = part_of(*({"utility": float(scale * u), "scores": scores(0)} for u in utilities))
    of_epsilon, of_utility = part.epsilon_and_utility_densities(0)
    assert of_epsilon.shape == (0, 2)  # one Epsilon* four times
    bandwidth = 4**-0.2 * utilities.std(ddof=1)
    heights = norm.pdf(of_utility[:, :1] / scale, utilities, bandwidth).sum(axis=1)
    np.testing.assert_allclose(of_utility[:, 1], heights / heights.max(), atol=1e-9)
    assert of_utility[0, 0] / scale == pytest.approx(0.1 - 3 * bandwidth)
    assert of_utility[-1, 0] / scale == pytest.approx(0.9 + 3 * bandwidth)
    assert part.epsilon_and_utility_densities(1)[1].shape == (0, 2)


def training(**question: Any) -> TimelinePart:
    models = [
        {"strategy": "dp", "stage": 10, "epsilon": 8.0, "delta": 1e-6, "utility": 0.5},
        {"strategy": "dp", "stage": 1, "epsilon": 1.0, "delta": 1e-6},
        {"strategy": "dp", "stage": 10, "epsilon": 8.0, "delta": 1e-6, "utility": 0.7},
        {"strategy": "dp", "stage": 10, "epsilon": 2.0, "delta": 1e-6},
        {"stage": 3, **undefined()},
    ]
    found = estimates(*models, **question)
    bounds = found.fleet.bounds(delta=found.estimates[0].suprema.delta)
    return TimelinePart(estimates=found, bounds=bounds, training="dp")


def test_a_stage_has_its_own_bounds_claim_and_means() -> None:
    part = training()
    rows = timeline.table(part).rows
    lows, values = [b.low for b in part.bounds.bounds], part.estimates.values
    assert [(row[0], row[3]) for row in rows] == [
        ("1", "1 (δ = 1e-6)"),
        ("10", "8 (δ = 1e-6)"),
        ("10", "2 (δ = 1e-6)"),
    ]
    for row, places in zip(rows, ([1], [0, 2], [3]), strict=True):
        said = [float(low) for low in row[2].split("; ")]
        assert len(said) == len(places)
        for low, i in zip(said, places, strict=True):
            assert lows[i] * (1 - 0.01) - 1e-12 <= low <= lows[i]  # rounded down
        assert float(row[1]) == pytest.approx(np.mean(values[places]), rel=5e-3)
    assert [row[4] for row in rows] == ["not known", "0.6", "not known"]
    assert [part.first_model_name(stage) for stage in part.stages_of("dp")] == ["m1", "m0", "m3"]
    assert part.bounds_by_stage("dp").tolist() == sorted([[10, lows[0]], [1, lows[1]], *rest(lows)])


def rest(lows: list[float]) -> list[list[float]]:
    return [[10, lows[2]], [10, lows[3]]]


def test_a_training_is_told_from_its_first_stage_to_its_last() -> None:
    part = training()
    said = timeline.summary(part)
    first, last = part.stages_of("dp")[0], part.stages_of("dp")[-1]
    assert said.startswith(
        f"dp: from stage 1 to 10 Epsilon* goes from {first.epsilon:.3g} to {last.epsilon:.3g} at δ"
    )
    assert "averaged over repeats. Each lower bound holds by itself at 95 % confidence." in said
    assert "Models that could not be read (1)" in said
    alone = timeline.summary(replace(part, training=""))
    assert alone.startswith("models without a strategy: at stage 3 Epsilon* is undefined at δ")
    assert "Drawn at the upper edge because Epsilon* is not finite: stage 3 (undefined)." in alone


def test_a_claim_is_not_compared_and_nothing_is_judged() -> None:
    part, picture = training(), part_of({"utility": 1.0}, {"epsilon": 0.1})
    texts = [
        timeline.summary(part),
        timeline.CAPTION,
        landscape.summary(picture),
        landscape.CAPTION,
        *timeline.HEAD,
        *landscape.table(picture).head,
    ]
    said = " ".join(texts).lower()
    assert not [word for word in VERDICTS if word in said]
    assert "an estimate above a claim does not contradict the claim" in timeline.CAPTION
    assert "the largest bound over the stages is not valid" in timeline.CAPTION
    assert "(estimate)" in timeline.HEAD[1]
    assert "(estimate)" in landscape.table(picture).head[3]
