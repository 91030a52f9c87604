"""Tests of claims, and where scores speak most strongly against them."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from dpviz import Analysis, Spec, read_sample
from dpviz.audit import AttackCurve, AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds import RankEvidence
from dpviz.audit.evidence import strongest_evidence
from dpviz.audit.evidence.claim import (
    ClaimTest,
    claim_test,
    claim_test_from_counts,
    rounded_fpr_of,
    strongest_evidence_of_bound,
)
from dpviz.audit.evidence.whole_curve import CurveEvidence, curve_test, evidence_from_counts
from dpviz.theory import (
    ApproximateDP,
    GaussianDP,
    LaplaceMechanism,
    OneWaySubsampled,
    PureDP,
    RandomizedResponse,
    TotalVariation,
    TradeoffFunction,
)
from tests.slow import parametrize


def laplace(seed: int, n: int, m: int, *, gap: float = 1.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.laplace(gap, 1, n), nonmember=rng.laplace(0, 1, m))


def normal(seed: int, n: int, m: int, *, gap: float) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.normal(gap, 1, n), nonmember=rng.normal(0, 1, m))


def place_of(test: ClaimTest) -> CurveEvidence:
    assert test.place is not None
    return test.place


def from_rates(claim: TradeoffFunction, n: int, *, tpr: float, fpr: float) -> ClaimTest:
    return claim_test_from_counts(
        claim,
        false_positives=round(fpr * n),
        n_nonmembers=n,
        false_negatives=round((1 - tpr) * n),
        n_members=n,
    )


def test_the_example_of_the_course_page() -> None:
    """TPR 0.9 at FPR 0.1 against (2.5, 1e-4): ratio 8.999, permitted 12.18, 7.39 at epsilon 2."""
    looser, tighter = (ApproximateDP(epsilon=epsilon, delta=1e-4) for epsilon in (2.5, 2.0))
    ratio = (0.9 - 1e-4) / 0.1
    assert ratio == pytest.approx(8.999)
    assert math.exp(2) < ratio < math.exp(2.5) == pytest.approx(12.18, abs=0.005)
    for n in (10, 100, 1000, 10_000, 1_000_000):
        assert not from_rates(looser, n, tpr=0.9, fpr=0.1).measured_outside
        assert from_rates(looser, n, tpr=0.9, fpr=0.1).outcome == "not contradicted"
        assert from_rates(tighter, n, tpr=0.9, fpr=0.1).measured_outside
    few, many = (from_rates(tighter, n, tpr=0.9, fpr=0.1) for n in (10, 10_000))
    assert few.outcome == "not contradicted"
    assert many.outcome == "contradicted"
    assert few.margin is not None
    assert many.margin is not None
    assert few.margin < 0 < many.margin < math.log(ratio) - 2
    assert place_of(many) == CurveEvidence(
        false_positives=1000,
        n_nonmembers=10_000,
        true_positives=9000,
        n_members=10_000,
        permitted_tpr=many.permitted_tpr or math.nan,
    )
    assert many.permitted_tpr == pytest.approx(0.1 * math.exp(2) + 1e-4)
    assert many.applies_to == "instance"


@pytest.mark.slow
@pytest.mark.parametrize("delta", [0.0, 1e-4, 0.1])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0])
def test_counts_contradict_a_pair_where_its_curve_lies_above_both_limits(
    epsilon: float, delta: float
) -> None:
    claim, outcomes = ApproximateDP(epsilon=epsilon, delta=delta), set()
    for n, m in ((12, 9), (60, 80), (400, 400)):
        for fp in range(0, m + 1, max(1, m // 9)):
            for fn in range(0, n + 1, max(1, n // 9)):
                counts = {
                    "false_positives": fp,
                    "n_nonmembers": m,
                    "false_negatives": fn,
                    "n_members": n,
                }
                test = claim_test_from_counts(claim, **counts)
                low = lower_bound_from_counts(delta=delta, **counts).low
                fpr = 1.0 if fp == m else beta.ppf(0.975, fp + 1, m - fp)
                fnr = 1.0 if fn == n else beta.ppf(0.975, fn + 1, n - fn)
                below = fnr < claim.beta(float(fpr))
                assert (test.outcome == "contradicted") == below == (low > epsilon)
                assert test.margin == low - epsilon
                outcomes.add(below)
    assert outcomes == {True, False}


def test_counts_contradict_gaussian_dp_up_to_the_mu_of_both_limits() -> None:
    fpr, fnr = beta.ppf(0.975, 21, 380), beta.ppf(0.975, 101, 400)
    mu = -norm.ppf(fpr) - norm.ppf(fnr)
    counts = {
        "false_positives": 20,
        "n_nonmembers": 400,
        "false_negatives": 100,
        "n_members": 500,
    }
    below, above = (
        claim_test_from_counts(GaussianDP(mu=x), **counts) for x in (mu - 1e-9, mu + 1e-9)
    )
    assert (below.outcome, above.outcome) == ("contradicted", "not contradicted")
    assert below.bound is None
    assert below.margin is None
    assert below.p_value is None


@pytest.mark.parametrize("claim", [GaussianDP(mu=1), LaplaceMechanism(epsilon=1)], ids=repr)
def test_counts_of_a_true_claim_contradict_it_as_rarely_as_said(claim: TradeoffFunction) -> None:
    n, m, level = 18, 14, 0.1
    fp, fn = np.meshgrid(np.arange(m + 1), np.arange(n + 1), indexing="ij")
    against = np.array(
        [
            [
                claim_test_from_counts(
                    claim,
                    false_positives=i,
                    n_nonmembers=m,
                    false_negatives=j,
                    n_members=n,
                    confidence_level=1 - level,
                ).outcome
                == "contradicted"
                for j in range(n + 1)
            ]
            for i in range(m + 1)
        ]
    )
    assert against.any()
    for fpr in np.linspace(0, 1, 41):
        chance = binom.pmf(fp, m, fpr) * binom.pmf(fn, n, claim.beta(float(fpr)))
        assert np.sum(chance[against]) <= level


@pytest.mark.slow
@parametrize("claimed", [0.2, 0.6, 0.85, 1.5], slow_but=[1.5])
def test_a_pair_is_contradicted_where_the_bound_beside_it_exceeds_it(claimed: float) -> None:
    scores = laplace(1, 300, 250)
    for claim in (PureDP(epsilon=claimed), ApproximateDP(epsilon=claimed, delta=1e-3)):
        bound = lower_bound(scores, delta=claim.claimed_delta, rng=5)
        test = claim_test(scores, claim, rng=5)
        assert test.bound == bound
        assert test == claim_test(scores, claim, bound=bound)
        assert test.margin == bound.low - claimed
        assert (test.outcome == "contradicted") == (bound.low > claimed)
        assert test.p_value is None
        assert test.warnings == bound.warnings
        assert test.applies_to == "instance"


def rates_at(scores: AttackScores, accused: int) -> dict[str, int]:
    """False and true positives among the highest scores, all different."""
    is_member = np.repeat([True, False], [scores.n_members, scores.n_nonmembers])
    ranked = is_member[np.argsort(-np.concatenate([scores.member, scores.nonmember]))]
    found = int(ranked[:accused].sum())
    return {"false_positives": accused - found, "true_positives": found}


def test_the_place_is_counted_in_the_ranking_at_the_end_that_shows_more() -> None:
    claim, ends = PureDP(epsilon=0.2), set()
    for seed in range(6):
        scores = laplace(seed, 300, 250)
        test = claim_test(scores, claim)
        place, bound = place_of(test), test.bound
        assert bound is not None
        (evidence,) = bound.evidence
        assert isinstance(evidence, RankEvidence)
        assert min(evidence.top, evidence.bottom) > 0
        top, bottom = (rates_at(scores, x) for x in (evidence.top, 550 - evidence.bottom))
        above = (top["true_positives"] / 300) / (top["false_positives"] / 250)
        below = (1 - bottom["false_positives"] / 250) / (1 - bottom["true_positives"] / 300)
        expected = top if above > below else bottom
        assert place.false_positives == expected["false_positives"]
        assert place.true_positives == expected["true_positives"]
        assert (place.n_members, place.n_nonmembers) == (300, 250)
        assert test.permitted_tpr == claim.tpr(place.fpr)
        ends.add(above > below)
    assert ends == {True, False}


def test_the_place_is_at_the_end_that_leaks() -> None:
    rng = np.random.default_rng(2)
    member, nonmember = rng.normal(size=500), rng.normal(size=500)
    leaking = AttackScores(member=member + 9 * (rng.random(500) < 0.1), nonmember=nonmember)
    top = place_of(claim_test(leaking, PureDP(epsilon=0.1)))
    flipped = AttackScores(member=-leaking.nonmember, nonmember=-leaking.member)
    bottom = place_of(claim_test(flipped, PureDP(epsilon=0.1)))
    assert top.fpr < 0.05
    assert bottom.tpr > 0.95
    for scores, place in ((leaking, top), (flipped, bottom)):
        counts = rates_at(scores, place.false_positives + place.true_positives)
        assert place.false_positives == counts["false_positives"]
        assert place.true_positives == counts["true_positives"]


def test_other_claims_are_put_to_the_test_of_their_curve() -> None:
    scores = normal(3, 300, 250, gap=1.5)
    for claim in (GaussianDP(mu=1), GaussianDP(mu=2), RandomizedResponse(epsilon=1)):
        test, of_curve = claim_test(scores, claim, rng=4), curve_test(scores, claim, rng=4)
        assert test.p_value == of_curve.p_value
        assert (test.outcome == "contradicted") == of_curve.rejected
        assert test.place == of_curve.evidence
        assert test.permitted_tpr == of_curve.evidence.permitted_tpr
        assert test.bound is None
        assert test.margin is None
    assert claim_test(scores, GaussianDP(mu=1)).outcome == "contradicted"
    assert claim_test(scores, GaussianDP(mu=2)).outcome == "not contradicted"


CLAIMS = [PureDP(epsilon=0.5), TotalVariation(delta=0.2), GaussianDP(mu=0.5)]


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_nothing_is_contradicted_by_reversed_scores_which_are_named(
    claim: TradeoffFunction,
) -> None:
    test = claim_test(laplace(5, 200, 200, gap=-3), claim)
    assert test.outcome == "not contradicted"
    assert test.measured_outside  # an attack that is wrong too often
    assert any("reversed" in warning for warning in test.warnings)
    assert (test.place is None) == isinstance(claim, ApproximateDP)  # no bound, no place
    assert test.permitted_tpr == (test.place and test.place.permitted_tpr)


@pytest.mark.parametrize("claim", CLAIMS, ids=repr)
def test_equal_laws_contradict_nothing(claim: TradeoffFunction) -> None:
    for seed in range(4):
        assert claim_test(laplace(seed, 150, 150, gap=0), claim).outcome == "not contradicted"


@parametrize(
    "claim",
    [PureDP(epsilon=1), LaplaceMechanism(epsilon=1)],
    slow_but=[LaplaceMechanism(epsilon=1)],
    ids=repr,
)
def test_a_true_claim_is_contradicted_as_rarely_as_said(claim: TradeoffFunction) -> None:
    runs, level = 60, 0.2
    found = [
        claim_test(laplace(s, 40, 40), claim, confidence_level=1 - level, rng=s).outcome
        for s in range(runs)
    ]
    share = np.mean(np.array(found) == "contradicted")
    assert share <= level + 3 * math.sqrt(level * (1 - level) / runs)


def test_an_outcome_is_never_in_favour() -> None:
    vacuous = [PureDP(epsilon=math.inf), TotalVariation(delta=1), GaussianDP(mu=50)]
    for claim in vacuous:
        assert claim_test(normal(6, 100, 100, gap=3), claim).outcome == "not contradicted"
    with pytest.raises(TypeError):
        ClaimTest()  # type: ignore[call-arg]


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [
        PureDP(epsilon=0.9),
        ApproximateDP(epsilon=1.2, delta=0.1),
        LaplaceMechanism(epsilon=2.2),
        OneWaySubsampled(base=GaussianDP(mu=3), sampling_rate=0.4),
    ],
    ids=repr,
)
def test_measured_outside_is_said_of_any_threshold_on_either_side(claim: TradeoffFunction) -> None:
    rng, outcomes = np.random.default_rng(7), []
    for run in range(36):
        gap = (-0.5, 0.5)[run % 2]
        classes = rng.laplace(gap, 1, 60), rng.laplace(0, 1, 50)
        most = (0.6, 1.5, 4)[run % 3]  # few and many thresholds
        member, nonmember = (np.clip(x.round(2), -most, most) for x in classes)
        scores = AttackScores(member=member, nonmember=nonmember)
        test = claim_test(scores, claim, confidence_level=0.5)
        curve = AttackCurve.from_scores(scores)
        rates = zip(curve.fpr.tolist(), curve.fnr.tolist(), strict=True)
        outside = any(not claim.admits(fpr=x, fnr=y) for x, y in rates)
        assert test.measured_outside == outside
        outcomes.append(outside)
    assert 0 < sum(outcomes) < 36


@pytest.mark.slow
def test_a_bound_that_answers_another_question_is_refused() -> None:
    scores, claim = laplace(8, 60, 50), ApproximateDP(epsilon=0.5, delta=1e-3)
    asked: dict[str, Any] = {"delta": 1e-3}
    others: list[tuple[str, dict[str, Any]]] = [
        ("delta", {"delta": 1e-4}),
        ("confidence_level", {"confidence_level": 0.9}),
        ("method", {"method": "e_process"}),
        ("applies_to", {"sampling": "independent_trainings"}),
    ]
    for name, changed in others:
        bound = lower_bound(scores, **{**asked, **changed})
        with pytest.raises(ValueError, match=rf"bound\.{name} must be .* in this test, got"):
            claim_test(scores, claim, bound=bound)
    for n, m in ((61, 50), (60, 51)):
        with pytest.raises(ValueError, match=r"bound\.n_\w+ must be"):
            claim_test(scores, claim, bound=lower_bound(laplace(8, n, m), **asked))
    with pytest.raises(ValueError, match="bound must be None"):
        claim_test(scores, GaussianDP(mu=1), bound=lower_bound(scores, **asked))


def test_a_claim_is_tested_as_it_stands_where_the_records_compare_its_neighbours() -> None:
    """Laplace noise of epsilon 1.8: more than 1, less than the 2 that two steps of 1 allow."""
    scores, counts = laplace(11, 1000, 1000, gap=1.8), {"n_nonmembers": 100, "n_members": 100}
    strict, loose = PureDP(epsilon=1, adjacency="add_remove"), PureDP(epsilon=2)
    assert strict.to_replace_one() == loose
    found = claim_test(scores, strict, sampling="independent_trainings")
    assert (found.claim, found.outcome) == (strict, "contradicted")
    assert claim_test(scores, strict, neighbours="add_remove").outcome == "contradicted"
    trainings = claim_test(scores, loose, sampling="independent_trainings")
    assert trainings.outcome == "not contradicted"
    counted = {**counts, "false_positives": 20, "false_negatives": 20}
    assert (
        claim_test_from_counts(strict, **counted, sampling="independent_trainings").bound
        == claim_test_from_counts(
            PureDP(epsilon=1), **counted, sampling="independent_trainings"
        ).bound
    )
    with pytest.raises(ValueError, match=r"replace_one adjacency, got .*to_replace_one\(\), or"):
        claim_test(scores, strict)
    for given in ({"neighbours": "replace_one"}, {"applies_to": "instance"}):
        with pytest.raises(ValueError, match="claim must be for replace_one adjacency"):
            claim_test_from_counts(strict, **counted, **given)
    with pytest.raises(ValueError, match=r"got PureDP\(.*: give the claim adjacency='add_remove'"):
        claim_test(scores, loose, neighbours="add_remove")


def test_arguments_beyond_their_range_are_refused() -> None:
    scores = laplace(9, 30, 30)
    counts = {"false_positives": 1, "n_nonmembers": 9, "false_negatives": 1, "n_members": 9}
    with pytest.raises(ValueError, match="claim must be"):
        claim_test(scores, "half")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="claim must be"):
        claim_test_from_counts("half", **counts)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="neighbours must be one of"):
        claim_test(scores, PureDP(epsilon=1), neighbours="bounded")  # type: ignore[arg-type]
    for claim in (PureDP(epsilon=1), GaussianDP(mu=1)):
        with pytest.raises(ValueError, match="applies_to must be one of"):
            claim_test(scores, claim, applies_to="model")  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="confidence_level must be"):
            claim_test(scores, claim, confidence_level=1.0)
        with pytest.raises(ValueError, match="confidence_level must be"):
            claim_test_from_counts(claim, **counts, confidence_level=0.0)
        with pytest.raises(ValueError, match="false_positives must be"):
            claim_test_from_counts(claim, **{**counts, "false_positives": 10})


def test_the_outcome_is_named_and_a_margin_is_of_an_epsilon() -> None:
    perfect = AttackScores(member=np.ones(200), nonmember=np.zeros(200))
    other = claim_test(perfect, GaussianDP(mu=1.0))
    assert (other.outcome, other.margin) == ("contradicted", None)
    # A test that separates 2 x 200 records is right by chance at most once in 1000.
    assert other.p_value is not None
    assert other.p_value < 1e-3
    pair = claim_test(perfect, ApproximateDP(epsilon=1.0, delta=1e-5))
    assert pair.outcome == "contradicted"
    assert pair.bound is not None
    assert pair.margin == pair.bound.low - 1.0
    equal = AttackScores(member=np.arange(50.0), nonmember=np.arange(50.0))
    assert claim_test(equal, GaussianDP(mu=1.0)).outcome == "not contradicted"


def brute_force_epsilon(scores: AttackScores, fpr: float) -> float:
    """The larger of log(TPR / FPR) and log(TNR / FNR) at the threshold of an FPR, as counted."""
    others = np.sort(scores.nonmember)[::-1]
    flagged = int(np.floor(fpr * others.size + 1e-9))
    least = others[flagged] if flagged < others.size else -np.inf
    tpr = np.mean(scores.member > least)
    fpr = flagged / others.size
    with np.errstate(divide="ignore"):
        return float(max(np.log(tpr / fpr), np.log((1 - fpr) / (1 - tpr))))


@parametrize("sample", ["overfitted", "gamma", "regularised"], slow_but=["overfitted"])
@parametrize("epsilon", [0.1, 1.0, 8.0, np.inf], slow_but=[1.0, np.inf])
def test_it_is_the_place_of_the_test_whatever_epsilon_is(sample: str, epsilon: float) -> None:
    scores, claim = read_sample(sample), ApproximateDP(epsilon=epsilon, delta=1e-5)
    place = claim_test(scores, claim).place
    assert strongest_evidence(scores, claim) == place


def test_the_selected_fpr_is_where_all_members_are_caught() -> None:
    """466 non-members of the overfitted network have losses that no member has, 453 a cut-off."""
    result = Analysis(read_sample("overfitted")).result(Spec())
    at = result.sample.at_fpr
    assert (at.false_positives, at.true_positives) == (1497 - 453, 300)
    assert 1044 / 1497 <= result.fpr < 1045 / 1497
    assert len(str(result.fpr)) <= 6
    assert Analysis(read_sample("overfitted")).result(Spec(fpr=0.1)).fpr == 0.1
    assert Analysis().result(Spec()).fpr == 0.01


@pytest.mark.parametrize("claim", [ApproximateDP(epsilon=1, delta=0), GaussianDP(mu=1)])
def test_a_leak_at_one_end_is_found(claim: TradeoffFunction) -> None:
    rng = np.random.default_rng(0)
    member = np.concatenate([rng.normal(size=900), rng.normal(5, 0.1, 100)])
    scores = AttackScores(member=member, nonmember=rng.normal(size=1000))
    curve = AttackCurve.from_scores(scores)
    place = strongest_evidence(scores, claim)
    assert place is not None
    fpr = rounded_fpr_of(curve, claim, place)
    assert fpr is not None
    assert fpr <= 0.02
    assert brute_force_epsilon(scores, fpr) > 1.5


def test_among_tied_scores_it_is_a_threshold_that_flags_some() -> None:
    """Predicted labels have one threshold: 307 of 500 members, 157 of 500 non-members."""
    member, nonmember = np.repeat([1.0, 0.0], [307, 193]), np.repeat([1.0, 0.0], [157, 343])
    scores = AttackScores(member=member, nonmember=nonmember)
    for claim in (ApproximateDP(epsilon=1, delta=1e-5), GaussianDP(mu=1)):
        at = Analysis(scores).result(Spec(claim=claim)).sample.at_fpr
        assert (at.false_positives, at.true_positives) == (157, 307)


@pytest.mark.parametrize(
    ("claim", "first", "nearer"),
    [
        (ApproximateDP(epsilon=0.5, delta=0), (10, 1), 0.01),
        (ApproximateDP(epsilon=0.5, delta=0), (10, 12), 0.52),
        (GaussianDP(mu=1), (10, 1), 0.41),  # FNR 0.10 where the claim allows 0.22
    ],
)
def test_of_the_thresholds_around_ties_it_is_that_which_contradicts_more(
    claim: TradeoffFunction, first: tuple[int, int], nearer: float
) -> None:
    """TPR 10 % at FPR 1 % or 12 %, or with the tied records 90 % at 41 % or 52 %."""
    member = np.repeat([3.0, 2.0, 1.0], [first[0], 80, 10])
    nonmember = np.repeat([3.0, 2.0, 1.0], [first[1], 40, 60 - first[1]])
    place = evidence_from_counts(claim, 30, 100, 50, 100)  # among the tied ones
    curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
    assert rounded_fpr_of(curve, claim, place) == nearer


def test_a_place_that_has_a_threshold_keeps_it_although_the_next_one_shows_more() -> None:
    member, nonmember = np.repeat([3.0, 2.0], [10, 90]), np.repeat([3.0, 2.0, 1.0], [1, 1, 98])
    claim = ApproximateDP(epsilon=0.5, delta=0)
    curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
    assert rounded_fpr_of(curve, claim, evidence_from_counts(claim, 1, 100, 10, 100)) == 0.01


def test_the_shortest_number_reads_as_the_rate_that_it_stands_for() -> None:
    """1/3 and 0.3334 are both 33.3 %; 0.334 would have the same counts, but read as 33.4 %."""
    claim = ApproximateDP(epsilon=0.5, delta=0)
    for member, nonmember, shortest in (
        ([3.0, 2.0, 2.0], [3.0, 2.0, 1.0], 0.3334),
        ([1.0, 0.0], [1.0, 0.0], 0.5),
    ):
        curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
        place = evidence_from_counts(claim, 1, len(nonmember), 1, len(member))
        assert rounded_fpr_of(curve, claim, place) == shortest


def test_a_place_that_flags_everybody_has_no_number() -> None:
    claim = ApproximateDP(epsilon=0.5, delta=0)
    curve = AttackCurve.from_scores(AttackScores(member=[1.0, 0.0], nonmember=[1.0, 0.0]))
    assert rounded_fpr_of(curve, claim, evidence_from_counts(claim, 2, 2, 2, 2)) is None


def test_of_a_curve_it_counts_the_members_above_a_nonmember() -> None:
    rng = np.random.default_rng(0)
    scores = AttackScores(member=rng.normal(0.3, 1, 900), nonmember=rng.normal(0, 1, 700))
    place = strongest_evidence(scores, GaussianDP(mu=0.1))
    assert place is not None
    next_nonmember = np.sort(scores.nonmember)[::-1][place.false_positives]
    assert place.true_positives == np.count_nonzero(scores.member > next_nonmember)


def test_an_end_that_speaks_for_the_reversed_attack_is_not_shown() -> None:
    """10 of 50 at the top would be log 1.5 the other way round; 26 of 50 are log 26/24."""
    claim = ApproximateDP(epsilon=1, delta=0)
    ends = RankEvidence(top=50, members_in_top=10, bottom=50, nonmembers_in_bottom=26)
    at = strongest_evidence_of_bound([ends], claim, 100, 100)
    assert at is not None
    assert (at.false_positives, at.true_positives) == (74, 76)


def test_of_evidence_at_both_ends_the_stronger_one_is_shown() -> None:
    """48 of 50 at the top, 40 of 50 at the bottom: log 24 against log 4; and mirrored."""
    both = RankEvidence(top=50, members_in_top=48, bottom=50, nonmembers_in_bottom=40)
    mirrored = RankEvidence(top=50, members_in_top=40, bottom=50, nonmembers_in_bottom=48)
    places = [
        strongest_evidence_of_bound([each], ApproximateDP(epsilon=1, delta=0), 100, 100)
        for each in (both, mirrored)
    ]
    counts = [(at.false_positives, at.true_positives) for at in places if at is not None]
    assert counts == [(2, 48), (52, 98)]
