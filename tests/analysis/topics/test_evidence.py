"""Sentences about an audit: every number recounted, every limit rounded to its safe side."""

import math
import re
from typing import Any

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Spec, audit
from dpviz.analysis import Result
from dpviz.analysis.topics.evidence import RATES_HEAD, rates_table
from dpviz.analysis.topics.retraining import summary as retraining_summary
from dpviz.analysis.topics.slices import summary as slices_summary
from dpviz.analysis.words import NOT_COMPUTED, NOT_LOADED
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.bounds.slices import slices
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    PureDP,
    TradeoffFunction,
)

NAMES = ("bound", "against", "chance", "ceiling")


def worked_out(scores: AttackScores, **spec: object) -> Result:
    analysis, asked = Analysis(scores), Spec.of(**spec)
    analysis.prepare_audit(asked)
    return analysis.result(asked)


def numbers(pattern: str, text: str) -> list[float]:
    found = re.search(pattern, text)
    assert found, text
    return [float(group) for group in found.groups()]


def normal_scores(n: int, m: int, shift: float = 1.0, seed: int = 3) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(shift, 1, n), nonmember=rng.normal(0, 1, m))


def test_without_scores_nothing_is_held_against_the_claim() -> None:
    said = Analysis(None).result(Spec()).sentences
    assert {said[name] for name in (*NAMES, "consistent")} == {NOT_LOADED}
    assert (said["cautions"], said["band"]) == ("", "")
    assert rates_table(Analysis(None).result(Spec())).rows == []


def test_what_was_not_worked_out_is_said_to_wait(scores: AttackScores) -> None:
    said = Analysis(scores).result(Spec()).sentences
    assert {said[name] for name in NAMES} == {NOT_COMPUTED}
    assert said["consistent"].startswith("The 95 % confidence band alone rules out")


@pytest.mark.slow
def test_a_contradicted_claim_comes_with_a_margin_that_holds_as_printed(
    scores: AttackScores,
) -> None:
    result = worked_out(scores, epsilon=0.5)
    text, low = result.sentences["against"], audit.lower_bound(scores, delta=1e-5).low
    bound, margin = numbers(
        r"ε is at least (\S+) at δ = 1e-5: at least (\S+) more than claimed\.", text
    )
    assert low - 0.011 < bound <= low
    assert low - 0.5 - 0.011 < margin <= low - 0.5
    assert text.startswith(
        "These losses contradict the claim ε = 0.5, δ = 1e-5 under replace-one at 95 % confidence"
    )
    assert "For this trained model, ε is" in text


def test_the_place_is_a_count_of_the_ranking(scores: AttackScores) -> None:
    untied = normal_scores(300, 400)
    text = worked_out(untied, epsilon=0.1).sentences["against"]
    fp, m, tp, n, percentage = numbers(
        r"\((\d+) of (\d+) non-members\): the attack catches (\d+) of (\d+) members \((\S+) %\)",
        text,
    )
    assert (m, n) == (400, 300)
    pooled = np.concatenate([untied.member, untied.nonmember])
    top = np.argsort(-pooled)[: int(fp + tp)]
    assert int((top < 300).sum()) == tp
    assert percentage == pytest.approx(100 * tp / 300, abs=0.1)
    (permitted,) = numbers(r"the claim allows a TPR of at most (\S+) %", text)
    allowed = ApproximateDP(epsilon=0.1, delta=1e-5).tpr(fp / m)
    assert permitted - 0.1 < 100 * allowed <= permitted + 1e-9


def test_a_gap_of_the_band_holds_as_printed(scores: AttackScores) -> None:
    result = worked_out(scores, epsilon=0.1)
    fpr, by = numbers(
        r"lies furthest below the claim's curve at FPR (\S+) %: the true FNR there is at "
        r"least (\S+) percentage points below the curve",
        result.sentences["against"],
    )
    assert result.sample is not None
    upper = np.interp(fpr / 100, *result.sample.band.upper.T)
    assert 5 < by <= 100 * (result.claim.claim.beta(fpr / 100) - upper) + 0.2


def test_a_claim_is_named_with_the_adjacency_it_is_tested_under() -> None:
    scores = normal_scores(400, 400, shift=2.0)
    claim = PureDP(epsilon=0.25, adjacency="add_remove")
    cases = {
        "ε = 0.5, δ = 0 under replace-one (converted from add/remove)": {},
        "ε = 0.25, δ = 0 under add/remove": {"sampling": "independent_trainings"},
    }
    for said, chosen in cases.items():
        text = worked_out(scores, claim=claim, **chosen).sentences["against"]
        assert text.startswith(f"These scores contradict the claim {said} at 95 % confidence. For")


def test_a_pure_claim_is_said_with_its_own_delta(scores: AttackScores) -> None:
    text = worked_out(scores, claim=PureDP(epsilon=9.0), delta=1e-5).sentences["against"]
    assert text.startswith(
        "These losses do not contradict the claim ε = 9, δ = 0 under replace-one at 95 % confidence"
    )
    assert "That does not confirm the claim" in text


def test_where_no_scores_could_contradict_a_claim_that_is_said() -> None:
    scores = normal_scores(20, 20)
    most = ceiling(n_members=20, n_nonmembers=20, delta=1e-5)
    for epsilon, expected in [(most + 0.2, True), (most - 0.2, False)]:
        text = worked_out(scores, epsilon=epsilon).sentences["against"]
        assert "With these 20 members and 20 non-members, the lower bound is" in text
        assert ("cannot decide: even a perfect attack" in text) == expected
        assert "do not contradict" in text
        assert "That does not confirm the claim" in text


@pytest.mark.parametrize(
    ("claim", "delta"),
    [
        (GaussianDP(mu=1.0), 1e-5),
        (GaussianMechanism(noise_multiplier=1.0), 1.0),
        (PureDP(epsilon=2), 1.0),
    ],
)
def test_the_ceiling_of_another_question_is_not_held_against_a_claim(
    claim: TradeoffFunction, delta: float
) -> None:
    """Separated scores of as many records do contradict it."""
    scores, apart = normal_scores(20, 20, shift=0.0), normal_scores(20, 20, shift=40.0)
    found = worked_out(scores, claim=claim, delta=delta)
    assert found.sample is not None
    assert found.sample.audit.ceiling is not None
    assert found.sample.audit.ceiling <= found.claim.epsilon
    assert "do not contradict" in found.sentences["against"]
    assert "perfect attack" not in found.sentences["against"]
    against = worked_out(apart, claim=claim, delta=delta).sentences["against"]
    assert against.startswith("These scores contradict")


def test_a_curve_that_only_the_test_contradicts_is_said_to_be_outside_no_band() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(0.62, 1, 200), nonmember=rng.normal(0, 1, 200))
    result = worked_out(scores, claim=GaussianDP(mu=0.35))
    assert result.sample is not None
    assert result.sample.band.gap(GaussianDP(mu=0.35)).margin <= 0
    text = result.sentences["against"]
    assert text.startswith("These scores contradict")
    assert "The confidence band alone does not contradict the claim" in text
    p_value = numbers(
        r"a test of the whole claimed curve at all thresholds gives p = (\S+)\. ", text
    )[0]
    assert result.sample.audit.test is not None
    exact = result.sample.audit.test.p_value
    assert exact is not None
    assert exact <= p_value < exact * 1.01 + 1e-12


def test_chance_is_said_with_quantiles_rounded_up(scores: AttackScores) -> None:
    result = worked_out(scores)
    text = result.sentences["chance"]
    assert result.sample is not None
    null = result.sample.audit.null
    assert null is not None
    for key, called in (
        (
            "raw_epsilon",
            r"Without the clip, the largest finite log of \(TPR - δ\)/FPR or \(TNR - δ\)/FNR",
        ),
        ("epsilon_star", r"Epsilon\*"),
    ):
        said = rf"{called} is at most (\S+) in 95 % of the labellings \(Monte Carlo interval "
        said += r"(\S+) to (\S+)\)\. .*?: p = (\S+?)\. "
        most, low, high, p_value = numbers(said, text)
        exact = null.quantile_confidence_limits(key)
        assert low <= exact[0] <= null.quantile(key) <= exact[1] <= high
        assert high - low <= 0.2
        assert np.mean(null.simulated[key] <= most) >= 0.95
        assert null.p_value(key) <= p_value
        assert most <= null.quantile(key) * 1.011
    assert "None of these numbers is a bound." in text


def test_no_reading_of_delta_1_or_an_infinite_claim_contradicts(scores: AttackScores) -> None:
    for spec in ({"epsilon": 0.0, "delta": 1.0}, {"epsilon": math.inf, "delta": 0.0}):
        said = worked_out(scores, **spec).sentences
        assert said["against"] == ""  # nothing is claimed
    said = worked_out(scores, delta=1.0).sentences
    assert said["bound"].startswith("Lower bound: ε ≥ 0 at δ = 1 ")
    assert "show no ε above 0" in said["bound"]
    assert "at most ε = 0 at δ = 1" in said["ceiling"]


def test_the_bound_never_exceeds_the_ceiling_beside_it() -> None:
    for n, m in [(50, 60), (500, 500), (100, 100)]:
        tied = AttackScores(member=np.ones(n), nonmember=np.zeros(m))
        result = worked_out(tied)
        low = numbers(r"ε ≥ (\S+) at", result.sentences["bound"])[0]
        most = numbers(r"at most ε = (\S+) at", result.sentences["ceiling"])[0]
        assert low <= most


@pytest.mark.slow
def test_a_level_that_a_method_cannot_do_is_said_and_the_rest_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dpviz.audit.bounds.rank.MOST_WORK", 0)  # simulated p-values
    scores = normal_scores(30, 30)
    result = worked_out(scores, confidence_level=0.99999)
    said, audited = result.sentences, result.sample.audit if result.sample else None
    assert said["bound"].startswith("No lower bound: confidence_level must be at most 0.9999")
    assert said["ceiling"].startswith("No ceiling: confidence_level must be at most 0.9999")
    assert said["against"].startswith("No answer about the claim: confidence_level must be")
    assert said["chance"].startswith("2000 random labellings of these records")
    assert audited is not None
    assert audited.pending == ()
    curve = worked_out(scores, claim=LaplaceMechanism(epsilon=1.0), confidence_level=0.9995)
    assert curve.sentences["against"].startswith("No answer about the claim: confidence_level must")
    assert "at δ = 1e-5" in curve.sentences["bound"]


def test_the_table_of_rates_says_what_its_limits_are(scores: AttackScores) -> None:
    result = worked_out(scores)
    rows = rates_table(result).rows
    assert {len(row) for row in rows} == {len(RATES_HEAD)}
    area = next(row for row in rows if row[0] == "AUC")
    pairs = (scores.member[:, None] > scores.nonmember).mean()
    pairs += (scores.member[:, None] == scores.nonmember).mean() / 2
    assert float(area[1]) == pytest.approx(pairs, abs=1e-3)
    assert "95 %, approximate" in area[2]
    best = next(row for row in rows if row[0] == "advantage")
    caught, accused = numbers(r"(\d+) of 700 members, (\d+) of 900 non-members", best[4])
    assert float(best[1]) == pytest.approx(caught / 700 - accused / 900, abs=1e-3)
    assert result.sample is not None
    null = result.sample.audit.null
    assert null is not None
    for row, key in ((area, "auc"), (best, "advantage")):
        assert np.mean(null.simulated[key] <= float(row[3])) >= 0.95


@pytest.mark.parametrize("nonmember", [np.zeros(1), np.zeros(9)])
def test_limits_that_hold_at_every_size_are_not_called_approximate(nonmember: np.ndarray) -> None:
    scores = AttackScores(member=np.ones(5), nonmember=nonmember)
    area = next(row for row in rates_table(Analysis(scores).result(Spec())).rows if row[0] == "AUC")
    assert "approximate" not in " ".join(area)
    assert "DeLong" not in " ".join(area)
    assert "hold at every sample size" in area[4]


def test_consistent_parameters_are_rounded_down(scores: AttackScores) -> None:
    result = worked_out(scores, epsilon=0.5)
    epsilon, delta, mu = numbers(
        r"ε < (\S+) \(at δ = 1e-5\), δ < (\S+) \(at ε = 0.5\) and Gaussian DP with μ < (\S+)\.",
        result.sentences["consistent"],
    )
    assert result.sample is not None
    band = result.sample.band
    assert epsilon <= band.smallest_epsilon(1e-5) < epsilon * 1.011
    assert delta <= band.smallest_delta(0.5) < delta * 1.011
    assert mu <= band.smallest_mu() < mu * 1.011
    # What is smaller enters the shaded part.
    assert band.gap(ApproximateDP(epsilon=epsilon * 0.99, delta=1e-5)).margin > 0
    assert band.gap(GaussianDP(mu=mu * 0.99)).margin > 0


def test_groups_of_a_mechanism_come_with_a_caution() -> None:
    rng = np.random.default_rng(4)
    included = rng.random((60, 3)) < 0.5
    canaries = audit.retraining_scores(rng.normal(0, 1, (60, 3)), included, kind="score")
    said = worked_out(canaries, sampling="independent_trainings").sentences["cautions"]
    assert "3 groups are pooled: canaries of the same trained models are not independent" in said
    assert "pooled" not in worked_out(canaries).sentences["cautions"]


@pytest.mark.parametrize(
    ("method", "lopsided", "largest"),
    [
        ("rank_exact", (2, 300), "lopsided"),
        ("rank_exact", (2, 100), "even"),
        ("e_process", (2, 300), "even"),
    ],
)
def test_the_group_whose_ceiling_is_told_is_the_one_that_could_show_most(
    method: str, lopsided: tuple[int, int], largest: str
) -> None:
    rng = np.random.default_rng(5)
    sizes = {"lopsided": lopsided, "even": (60, 60)}
    scores = AttackScores(
        member=rng.normal(0, 1, 60 + lopsided[0]),
        nonmember=rng.normal(0, 1, 60 + lopsided[1]),
        member_groups=[name for name, (n, _) in sizes.items() for _ in range(n)],
        nonmember_groups=[name for name, (_, m) in sizes.items() for _ in range(m)],
    )
    text = slices_summary(slices(scores, delta=1e-5, method=method))
    given: dict[str, Any] = {"delta": 1e-5, "confidence_level": 0.975, "method": method}
    most = {name: ceiling(n_members=n, n_nonmembers=m, **given) for name, (n, m) in sizes.items()}
    assert most[largest] == max(most.values())
    assert f"attack on the largest group, {largest}, certifies at most ε = " in text
    assert numbers(r"at most ε = (\d+\.?\d*)\.", text)[0] >= most[largest]
    assert "This does not show that ε is small" in text


def test_a_canary_that_refutes_the_claim_is_said_to_and_no_other() -> None:
    rng = np.random.default_rng(6)
    included = np.arange(400).reshape(200, 2) % 4 < 2
    table = rng.normal(0, 1, (200, 2)) + included * np.array([4.0, 0.0])
    scores = audit.retraining_scores(table, included, kind="score", canaries=["loud", "quiet"])
    found = audit.retraining_audit(scores, claim=ApproximateDP(epsilon=0.5, delta=1e-5))
    claimed = ApproximateDP(epsilon=0.5, delta=1e-5)
    text = retraining_summary(found, Analysis().result(Spec(claim=claimed)))
    assert text.startswith(
        "The largest bound is that of loud, from 100 models trained with it and 100 without it. "
        "The ε of the training method"
    )
    assert "for all 2 canaries together" in text
    assert text.endswith("(such as LiRA) was not fitted to the models that it scores.")
    assert "At this δ the claim has ε = 0.5, which is contradicted at this confidence." in text
    looser = ApproximateDP(epsilon=20.0, delta=1e-5)
    loose = retraining_summary(found, Analysis().result(Spec(claim=looser)))
    share = numbers(r"ε = 20: (\S+) % of the claimed ε is certified", loose)[0]
    assert share / 100 <= found.certified_epsilon / 20 < share / 100 * 1.011


@pytest.mark.parametrize("sampling", ["independent_trainings", "fixed_split"])
def test_intervals_of_one_run_are_said_to_suppose_independent_scores(sampling: str) -> None:
    scores = normal_scores(40, 40)
    result = Analysis(scores).result(Spec.of(sampling=sampling, compare={"LiRA": scores}))
    for text in (result.sentences["differences"], rates_table(result).caption):
        found = text.count(
            "Intervals assume independent scores, but the scores of one training run"
        )
        assert found == (sampling != "independent_trainings")
