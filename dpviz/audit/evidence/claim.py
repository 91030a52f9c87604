"""Tests of whether scores contradict a privacy claim.

An audit never confirms a claim: an attack may fail because it is weak, or because records are few.
A test has two outcomes. An answer has a third, "cannot decide", where even a perfect attack on this
many records could not contradict the claim.

`strongest_evidence` returns the counts at which scores speak most strongly against a claim. These
counts alone are no evidence, as they were sought among all thresholds. The tests allow for that.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpviz import checks
from dpviz.audit.bounds import result
from dpviz.audit.bounds.fixed_threshold import attack_epsilon, lower_bound_from_counts
from dpviz.audit.bounds.lower_bound import lower_bound, warnings_about
from dpviz.audit.bounds.rank import DefaultRankTest, default_guess_sets, fewest_members_above_cuts
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import AppliesTo, EpsilonBound, Evidence, RankEvidence
from dpviz.audit.evidence import whole_curve
from dpviz.audit.evidence.whole_curve import CurveEvidence, evidence_from_counts
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores, without_copies
from dpviz.audit.scores.base import Counts, Sampling, Scores
from dpviz.checks import Rng
from dpviz.claims.read import read_guarantee
from dpviz.number_format import short
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import Adjacency
from dpviz.value_object import ValueObject

Outcome = Literal["contradicted", "not contradicted"]
FAIR_COINS_ADVICE = (
    "; give neighbours='replace_one' if another record replaced each record that was left out, or "
    "sampling='fixed_split', since fair coins with a known number of members are a fixed split"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ClaimTest(ValueObject):
    """The result of a test of a claim.

    The outcome "not contradicted" does not confirm the claim.

    Parameters
    ----------
    claim : TradeoffFunction
    outcome : {"contradicted", "not contradicted"}
        A true claim is contradicted with probability at most ``1 - confidence_level``.
    confidence_level : float
    applies_to : {"instance", "mechanism"}, what the claim is about, as of `EpsilonBound`
    p_value : float or None, of `curve_test`; None where a bound or limits of both rates decide
    smallest_p_value : float or None, that of a perfect attack on as many records; as `p_value`
    bound : EpsilonBound or None, at its delta; None unless the claim is (epsilon, delta)
    place : CurveEvidence or None, the counts with the strongest evidence against the claim
    measured_outside : bool, whether the claim rules out a measured point; chance alone may do that
    warnings : tuple of str, properties of the scores that a reader must know

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> counts = {"false_positives": 0, "n_nonmembers": 100, "false_negatives": 20}
    >>> found = audit.claim_test_from_counts(theory.PureDP(epsilon=1), **counts, n_members=100)
    >>> found.outcome, round(found.margin, 2), round(found.permitted_tpr, 2)
    ('contradicted', 1.97, 0.0)
    """

    claim: TradeoffFunction
    outcome: Outcome
    confidence_level: float
    applies_to: AppliesTo
    p_value: float | None
    bound: EpsilonBound | None
    place: CurveEvidence | None
    measured_outside: bool
    smallest_p_value: float | None = None
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.choice("applies_to", self.applies_to, result.APPLIES_TO)

    @property
    def margin(self) -> float | None:
        """The lower bound on epsilon minus the claimed epsilon.

        The result is None if the claim is not an (epsilon, delta) claim.
        """
        if self.bound is None or not isinstance(self.claim, ApproximateDP):
            return None
        return self.bound.low - self.claim.claimed_epsilon

    @property
    def permitted_tpr(self) -> float | None:
        """The largest TPR that the claim allows at the FPR of `place`.

        The result is None if `place` is None.
        """
        return None if self.place is None else self.place.permitted_tpr


def claim_test(
    scores: ScoresLike,
    claim: TradeoffFunction,
    *,
    confidence_level: float = 0.95,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    neighbours: Adjacency | None = None,
    rng: Rng = 0,
    bound: EpsilonBound | None = None,
    curve: AttackCurve | None = None,
) -> ClaimTest:
    """Return a test of whether scores contradict a claim.

    The test is valid for a search of all thresholds. An (epsilon, delta) claim is contradicted if
    `lower_bound` at its delta exceeds its epsilon. Any other claim is tested by `curve_test`, which
    gives no bound and so no margin, and is not valid for scores of one training run that are to
    refute a mechanism.

    Parameters
    ----------
    scores : AttackScores or BinnedScores; a reversed attack contradicts no claim
        Copies of records are left out, as by `lower_bound`.
    claim : TradeoffFunction, or what :func:`dpviz.read_claim` takes, see `neighbours`
    confidence_level : float, as of `lower_bound`; if not an (epsilon, delta) claim, at most 0.999
    applies_to, sampling : as of `lower_bound`
    neighbours : {"add_remove", "replace_one"}, optional, the relation of the compared data sets
        By default "replace_one" for an instance and a fixed split, "add_remove" for fair coins, and
        the claim's own for independent trainings.
    rng : int or Generator, of ties and simulations of `curve_test`
    bound : EpsilonBound, optional, the default bound at the claim's delta, if it is known already
    curve : AttackCurve, optional, of these scores, if it is known already

    Raises
    ------
    ValueError, if an argument is out of range, or `claim` or `bound` does not fit the others

    Examples
    --------
    >>> from dpviz import audit, read_sample, theory
    >>> claim = theory.ApproximateDP(epsilon=1, delta=1e-5)
    >>> audit.claim_test(read_sample("overfitted"), claim).outcome
    'contradicted'
    """
    scores, claim = as_scores("scores", scores), read_guarantee("claim", claim)
    sampling = result.sampling_of(scores, sampling, applies_to)
    applies_to = result.checked_applies_to(applies_to, sampling)
    require_matching_adjacency(claim, sampling, neighbours)
    # A curve that was given counts the copies: it serves only if there are none.
    distinct = without_copies(scores)
    curve = curve if distinct is scores else None
    scores, p_value, smallest = distinct, None, None
    if isinstance(claim, ApproximateDP):
        given: dict[str, Any] = {
            "delta": claim.claimed_delta,
            "confidence_level": confidence_level,
            "applies_to": applies_to,
            "method": result.default_method(sampling),
        }
        if bound is None:
            bound = lower_bound(scores, **given, sampling=sampling)
        # A bound that was computed before must be about the same records, level and delta.
        given |= {"n_members": scores.n_members, "n_nonmembers": scores.n_nonmembers}
        given["sampling"] = BOUNDS[given["method"]].conditions(sampling)
        for name, wanted in given.items():
            if getattr(bound, name) != wanted:
                raise checks.fail(f"bound.{name}", f"{wanted!r} in this test", getattr(bound, name))
        contradicted, warnings = bound.low > claim.claimed_epsilon, bound.warnings
        # A bound of the reversed attack has no counts on this curve.
        counts = () if bound.direction == "reversed" else bound.evidence
        place = strongest_evidence_of_bound(counts, claim, bound.n_members, bound.n_nonmembers)
    else:
        if bound is not None:
            raise checks.fail("bound", "None for a claim other than (epsilon, delta)", bound)
        # The test of a whole curve needs independent scores, which one training run does not give.
        if sampling not in (None, "independent_trainings"):
            way_out = "test an (epsilon, delta) that this claim implies"
            condition = f"an (epsilon, delta) claim for sampling={sampling!r}"
            raise checks.fail("claim", condition, claim, way_out)
        test = whole_curve.curve_test(scores, claim, confidence_level=confidence_level, rng=rng)
        contradicted, place = test.rejected, test.evidence
        p_value, smallest = test.p_value, test.smallest_p_value
        warnings = warnings_about(scores, sampling)
    curve = curve or AttackCurve.from_scores(scores)
    # Both hulls: a claim limits the attack and its reverse.
    corners = map(curve.point, [*curve.hull_indices.tolist(), *curve.lower_hull_indices.tolist()])
    return ClaimTest(
        claim=claim,
        outcome="contradicted" if contradicted else "not contradicted",
        confidence_level=float(confidence_level),
        applies_to=applies_to,
        p_value=p_value,
        smallest_p_value=smallest,
        bound=bound,
        place=place,
        measured_outside=any(not claim.admits(fpr=at.fpr, fnr=at.fnr) for at in corners),
        warnings=warnings,
    )


def claim_test_from_counts(
    claim: TradeoffFunction,
    *,
    false_positives: int,
    n_nonmembers: int,
    false_negatives: int,
    n_members: int,
    confidence_level: float = 0.95,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    neighbours: Adjacency | None = None,
) -> ClaimTest:
    """Return a test of a claim from the error counts of one attack.

    The attack must be **fixed before seeing these records**. The attack contradicts the claim if
    the exact (Clopper-Pearson) upper limits of FPR and FNR, each at half of
    ``1 - confidence_level``, give a point below the claim's curve. For an (epsilon, delta) claim
    this means that `lower_bound_from_counts` exceeds the claim's epsilon.

    Parameters
    ----------
    claim : TradeoffFunction, or what :func:`dpviz.read_claim` takes, as of `claim_test`
    false_positives, n_nonmembers, false_negatives, n_members : int, at least 1 record of each class
    confidence_level : float, in [0.5, 1)
    applies_to : {"instance", "mechanism"}, optional
    sampling : {"independent_trainings"}, required for a mechanism
    neighbours : {"add_remove", "replace_one"}, optional; all three as of `claim_test`

    Raises
    ------
    ValueError, if an argument is out of range, or `claim` is for other neighbours or is not convex

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> counts = {"false_positives": 10, "n_nonmembers": 100, "false_negatives": 70}
    >>> audit.claim_test_from_counts(theory.GaussianDP(mu=1), **counts, n_members=100).outcome
    'not contradicted'
    """
    claim = read_guarantee("claim", claim)
    require_matching_adjacency(claim, sampling, neighbours)
    # For a claim that is no (epsilon, delta) pair only the limits of both rates are needed.
    bound = lower_bound_from_counts(
        false_positives=false_positives,
        n_nonmembers=n_nonmembers,
        false_negatives=false_negatives,
        n_members=n_members,
        delta=claim.claimed_delta if isinstance(claim, ApproximateDP) else 0.0,
        confidence_level=confidence_level,
        applies_to=applies_to,
        sampling=sampling,
    )
    (limits,) = (counts for counts in bound.evidence if isinstance(counts, Evidence))
    # Contradicted if the claim does not even allow the upper limits of both rates.
    if isinstance(claim, ApproximateDP):
        contradicted = bound.low > claim.claimed_epsilon
    else:
        contradicted = limits.fnr_upper < claim.beta(limits.fpr_upper)
    n, m = bound.n_members, bound.n_nonmembers
    place = evidence_from_counts(claim, limits.false_positives, m, n - limits.false_negatives, n)
    return ClaimTest(
        claim=claim,
        outcome="contradicted" if contradicted else "not contradicted",
        confidence_level=bound.confidence_level,
        applies_to=bound.applies_to,
        p_value=None,
        bound=bound if isinstance(claim, ApproximateDP) else None,
        place=place,
        measured_outside=not claim.admits(fpr=place.fpr, fnr=limits.false_negatives / n),
    )


def require_matching_adjacency(
    claim: TradeoffFunction, sampling: Sampling | None, neighbours: Adjacency | None
) -> None:
    """Raise ValueError if `neighbours` or `sampling` needs an adjacency other than the claim's."""
    compared = result.required_adjacency(sampling, neighbours)
    if claim.adjacency == (compared or claim.adjacency):
        return
    advice = ""
    if compared == "replace_one":
        advice = ": convert it with .to_replace_one()"
        advice += ", or give neighbours='add_remove'" * (sampling != "fixed_split")
    elif compared == "add_remove":
        advice = ": give the claim adjacency='add_remove' if it is about such neighbours"
        advice += FAIR_COINS_ADVICE * (sampling == "fair_coins" and neighbours is None)
    raise ValueError(f"claim must be for {compared} adjacency, got {claim!r}{advice}")


def strongest_evidence(
    scores: ScoresLike, claim: TradeoffFunction, *, confidence_level: float = 0.95, rng: Rng = 0
) -> CurveEvidence | None:
    """Return the counts at the threshold with the strongest evidence against a claim.

    The claim need not be contradicted.

    A rank cut-off is a number of top records. For an (epsilon, delta) claim the counts are those at
    the cut-off of the default lower bound that alone refutes the largest epsilon, whatever epsilon
    is claimed; for any other claim, those at the cut-off of `curve_test` at which the number of
    members exceeds its expectation by the most standard deviations. The answer is None if no counts
    refute any epsilon.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    claim : TradeoffFunction, for replace-one adjacency
    confidence_level : float, in [0.5, 1), of the counts of an (epsilon, delta) claim
    rng : int or Generator, of ties and simulations, as of `curve_test`

    Examples
    --------
    >>> from dpviz import audit, read_sample, theory
    >>> claim = theory.ApproximateDP(epsilon=1, delta=1e-5)
    >>> place = audit.evidence.strongest_evidence(read_sample("overfitted"), claim)
    >>> place.false_positives, place.n_nonmembers, place.true_positives, place.n_members
    (1044, 1497, 300, 300)
    """
    scores = as_scores("scores", scores)
    if isinstance(claim, ApproximateDP):
        return MembersAboveCutOffs.of(scores).best_evidence(claim, confidence_level)
    n, m, rng = scores.n_members, scores.n_nonmembers, np.random.default_rng(checks.seed(rng))
    law, _ = whole_curve.least_favourable_counts_and_row_pairs(claim, n, m)
    scaling = law.draw(whole_curve.RUNS_FOR_SCALING, rng)
    above = whole_curve.members_above(scores, law.ranks, rng)[:, None]
    best = int(np.argmax(whole_curve.standardised_log_odds(above, scaling, n)))
    return evidence_from_counts(claim, int(law.ranks[best]) - 1, m, int(above[best, 0]), n)


@dataclass(frozen=True, kw_only=True, eq=False)
class MembersAboveCutOffs:
    """The numbers of members in the top k records, at every rank cut-off k of the default bound."""

    n_members: int
    n_nonmembers: int
    members: Counts  # serve all (epsilon, delta) claims and levels; members last among equal scores

    @classmethod
    def of(cls, scores: Scores) -> "MembersAboveCutOffs":
        """Count the members in the top k records, at every rank cut-off k of the default bound."""
        n, m = scores.n_members, scores.n_nonmembers
        cuts = default_guess_sets(n, m, delta=0.0, level=0.5).cuts
        return cls(n_members=n, n_nonmembers=m, members=fewest_members_above_cuts(scores, cuts))

    def best_evidence(self, claim: ApproximateDP, confidence_level: float) -> CurveEvidence | None:
        """Return counts of the guesses that refute the largest epsilon; None if none is refuted."""
        n, m = self.n_members, self.n_nonmembers
        test = DefaultRankTest(n, m, delta=claim.claimed_delta, level=1 - confidence_level)
        refuted = test.refuted_epsilons(self.members)
        best = int(np.argmax(refuted))
        if np.isneginf(refuted[best]):
            return None
        counts = test.guesses.rank_evidence(best, self.members)
        return strongest_evidence_of_bound([counts], claim, n, m)


def rounded_fpr_of(
    curve: AttackCurve, claim: TradeoffFunction, evidence: CurveEvidence
) -> float | None:
    """Return a rounded FPR at which the curve has the same counts as `evidence`.
    Counts that split ties lie between two vertices of the curve: the one that contradicts the claim
    more is used. None if the vertex flags no member, or all records.
    """
    after = int(np.searchsorted(curve.fpr, evidence.fpr, side="right"))
    # Counts at a rank cut-off inside ties lie between two vertices of the curve.
    around = [curve.point(i) for i in (after - 1, min(after, curve.fpr.size - 1))]
    exact = around[0].fpr == evidence.fpr and around[0].fnr <= evidence.fnr
    inner = [at for at in around[: 1 if exact else 2] if at.true_positives and at.fnr + at.tnr]
    if not inner:
        return None
    at = max(inner, key=lambda each: _strength_against_claim(claim, each.fpr, each.fnr))
    # The fewest decimals with which the curve has the same counts, and texts the same number.
    for digits in range(2, 17):
        scale = 10.0**digits
        candidate = min(1.0, math.ceil(at.fpr * scale) / scale)
        has_counts = curve.at_fpr(candidate).false_positives == at.false_positives
        if has_counts and short(candidate) == short(at.fpr):
            return candidate
    return at.fpr


def strongest_evidence_of_bound(
    bound_evidence: Iterable[object], claim: ApproximateDP, n: int, m: int
) -> CurveEvidence | None:
    """Return the counts in `bound_evidence` that contradict the claim most; None without counts."""
    ends = []
    for each in bound_evidence:
        if not isinstance(each, RankEvidence):
            continue
        members, others = each.members_in_top, each.nonmembers_in_bottom
        # Two attacks: flag the top records, or flag all but the bottom records.
        if each.top:
            ends.append(evidence_from_counts(claim, each.top - members, m, members, n))
        if each.bottom:
            ends.append(evidence_from_counts(claim, m - others, m, n - (each.bottom - others), n))
    return max(ends, key=lambda end: _strength_against_claim(claim, end.fpr, end.fnr), default=None)


def _strength_against_claim(claim: TradeoffFunction, fpr: float, fnr: float) -> float:
    """Return a number that grows with the strength of the rates' evidence against the claim."""
    if isinstance(claim, ApproximateDP):
        return float(attack_epsilon(fpr=fpr, fnr=fnr, delta=claim.claimed_delta))
    return claim.beta(fpr) - fnr
