"""The place of the strongest evidence: that of the test, and one that a threshold has."""

import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Spec, read_sample
from dpviz.audit import AttackCurve, claim_test, strongest_evidence
from dpviz.audit.bounds.registry import RANK_TESTS
from dpviz.audit.bounds.result import RankEvidence
from dpviz.audit.evidence.strongest import end_of_ranking, requested_fpr
from dpviz.audit.evidence.whole_curve import evidence_of
from dpviz.theory import ApproximateDP, GaussianDP, TradeoffFunction
from tests.slow import parametrize


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
@pytest.mark.parametrize("method", RANK_TESTS)
def test_it_is_the_place_of_the_test_whatever_epsilon_is(
    sample: str, epsilon: float, method: str
) -> None:
    scores, claim = read_sample(sample), ApproximateDP(epsilon=epsilon, delta=1e-5)
    place = claim_test(scores, claim, method=method).place
    assert strongest_evidence(scores, claim, method=method) == place


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
    fpr = requested_fpr(curve, claim, place)
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
    place = evidence_of(claim, 30, 100, 50, 100)  # among the tied ones
    curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
    assert requested_fpr(curve, claim, place) == nearer


def test_a_place_that_has_a_threshold_keeps_it_although_the_next_one_shows_more() -> None:
    member, nonmember = np.repeat([3.0, 2.0], [10, 90]), np.repeat([3.0, 2.0, 1.0], [1, 1, 98])
    claim = ApproximateDP(epsilon=0.5, delta=0)
    curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
    assert requested_fpr(curve, claim, evidence_of(claim, 1, 100, 10, 100)) == 0.01


def test_the_shortest_number_has_two_digits_if_these_are_enough() -> None:
    claim = ApproximateDP(epsilon=0.5, delta=0)
    for member, nonmember, shortest in (
        ([3.0, 2.0, 2.0], [3.0, 2.0, 1.0], 0.34),
        ([1.0, 0.0], [1.0, 0.0], 0.5),
    ):
        curve = AttackCurve.from_scores(AttackScores(member=member, nonmember=nonmember))
        place = evidence_of(claim, 1, len(nonmember), 1, len(member))
        assert requested_fpr(curve, claim, place) == shortest


def test_a_place_that_flags_everybody_has_no_number() -> None:
    claim = ApproximateDP(epsilon=0.5, delta=0)
    curve = AttackCurve.from_scores(AttackScores(member=[1.0, 0.0], nonmember=[1.0, 0.0]))
    assert requested_fpr(curve, claim, evidence_of(claim, 2, 2, 2, 2)) is None


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
    at = end_of_ranking([ends], claim, 100, 100)
    assert at is not None
    assert (at.false_positives, at.true_positives) == (74, 76)


def test_of_evidence_at_both_ends_the_stronger_one_is_shown() -> None:
    """48 of 50 at the top, 40 of 50 at the bottom: log 24 against log 4; and mirrored."""
    both = RankEvidence(top=50, members_in_top=48, bottom=50, nonmembers_in_bottom=40)
    mirrored = RankEvidence(top=50, members_in_top=40, bottom=50, nonmembers_in_bottom=48)
    places = [
        end_of_ranking([each], ApproximateDP(epsilon=1, delta=0), 100, 100)
        for each in (both, mirrored)
    ]
    counts = [(at.false_positives, at.true_positives) for at in places if at is not None]
    assert counts == [(2, 48), (52, 98)]


def test_only_rank_tests_have_a_place() -> None:
    scores = AttackScores(member=np.arange(9.0), nonmember=np.arange(9.0))
    with pytest.raises(ValueError, match=r"method must be one of 'rank_exact', 'rank', got 'dkw'"):
        strongest_evidence(scores, ApproximateDP(epsilon=1, delta=0), method="dkw")
