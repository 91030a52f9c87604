"""A claim held against evidence: contradicted, or not decidable.

An audit never confirms a claim. An attack that fails shows something about the attack and the
number of records; so there are two outcomes only, and "not decidable" is no verdict in favour.
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds.bound import APPLIES_TO, AppliesTo, EpsilonBound, Evidence, RankEvidence
from dpviz.audit.bounds.counts import lower_bound_from_counts
from dpviz.audit.bounds.lower_bound import lower_bound, warnings_about
from dpviz.audit.curve import AttackCurve
from dpviz.audit.curve_test import CurveEvidence, checked_replace_one, curve_test
from dpviz.theory import ApproximateDP, TradeoffFunction, implied_epsilons

Outcome = Literal["contradicted", "not decidable"]


@dataclass(frozen=True, kw_only=True)
class ClaimTest:
    """What records say of a claim; "not decidable" is not in its favour.

    Parameters
    ----------
    claim : TradeoffFunction
    outcome : {"contradicted", "not decidable"}
        If the claim is true, "contradicted" comes out with probability at most
        ``1 - confidence_level``.
    confidence_level : float
    applies_to : {"instance", "mechanism"}
        What the claim is read about: the two laws of this one model instance's scores, or the
        mechanism that was run. Said by the caller, who knows how members were chosen.
    p_value : float or None
        Of `curve_test`; None where a bound or limits of both rates decide.
    bound : EpsilonBound or None
        The bound at the claim's delta; None for claims that are no (epsilon, delta) claims.
    place : CurveEvidence or None
        The measured counts in which the scores stand out most; None where nothing does.
    measured_outside : bool
        Whether a measured point is ruled out by the claim, of an attack that is right too often or
        wrong too often. Of the sample only: an estimate, which chance alone may put outside.
    warnings : tuple of str
        What about the scores a reader has to know.
    """

    claim: TradeoffFunction
    outcome: Outcome
    confidence_level: float
    applies_to: AppliesTo
    p_value: float | None
    bound: EpsilonBound | None
    place: CurveEvidence | None
    measured_outside: bool
    warnings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        checks.choice("applies_to", self.applies_to, APPLIES_TO)

    @property
    def margin(self) -> float | None:
        """By how much the bound exceeds the claim's epsilon, negative where it does not.

        None for claims that are no (epsilon, delta) claims: their test certifies no number.
        """
        if self.bound is None or not isinstance(self.claim, ApproximateDP):
            return None
        return self.bound.low - self.claim.claimed_epsilon

    @property
    def permitted_tpr(self) -> float | None:
        """The largest TPR the claim permits at the FPR of `place`."""
        return None if self.place is None else self.place.permitted_tpr

    @property
    def inside(self) -> bool:
        """Whether the claim admits every measured point: the other side of `measured_outside`."""
        return not self.measured_outside


def claim_test(
    scores: Scores,
    claim: TradeoffFunction,
    *,
    confidence_level: float = 0.95,
    applies_to: AppliesTo = "instance",
    seed: int = 0,
    bound: EpsilonBound | None = None,
    curve: AttackCurve | None = None,
) -> ClaimTest:
    """Whether scores, which may be looked at freely, contradict a claim.

    An (epsilon, delta) claim is contradicted where the default `lower_bound` at its delta exceeds
    its epsilon: the answer agrees with the bound that is shown beside it. Every other claim is put
    to `curve_test`, which comes without a bound and so without a margin.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        Higher = more member-like, as always: a reversed attack contradicts nothing.
    claim : TradeoffFunction
        For replace-one adjacency.
    confidence_level : float
        In (0, 1); up to 0.9999 for (epsilon, delta) claims, 0.999 for others, which are simulated.
    applies_to : {"instance", "mechanism"}
        "instance": train and holdout losses of one model. "mechanism": one canary in and out of
        independent trainings.
    seed : int
        Of ties and simulations: the same seed gives the same answer.
    bound : EpsilonBound, optional
        The default bound of these scores at the claim's delta, from a caller who has it already;
        `seed` then is not used. For (epsilon, delta) claims only.
    curve : AttackCurve, optional
        Of these scores, from a caller who has it already.

    Raises
    ------
    ValueError
        If an argument leaves its range, `claim` is for add/remove adjacency or is not convex, or
        `bound` answers another question.
    """
    claim = checked_replace_one("claim", claim)
    checks.choice("applies_to", applies_to, APPLIES_TO)
    p_value = None
    if isinstance(claim, ApproximateDP):
        delta = claim.claimed_delta
        if bound is None:
            bound = lower_bound(
                scores,
                delta=delta,
                confidence_level=confidence_level,
                applies_to=applies_to,
                seed=seed,
            )
        _refuse_other_question(bound, scores, delta, confidence_level, applies_to)
        contradicted, place = bound.low > claim.claimed_epsilon, _place(bound, claim)
        warnings = bound.warnings
    else:
        if bound is not None:
            raise checks.fail("bound", "None for a claim that is not (epsilon, delta)", bound)
        test = curve_test(scores, claim, confidence_level=confidence_level, seed=seed)
        contradicted, p_value, place = test.rejected, test.p_value, test.evidence
        warnings = warnings_about(scores, applies_to)
    return ClaimTest(
        claim=claim,
        outcome="contradicted" if contradicted else "not decidable",
        confidence_level=float(confidence_level),
        applies_to=applies_to,
        p_value=p_value,
        bound=bound,
        place=place,
        measured_outside=_measured_outside(curve or AttackCurve.from_scores(scores), claim),
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
    applies_to: AppliesTo = "mechanism",
) -> ClaimTest:
    """Whether one attack, **fixed before these records were looked at**, contradicts a claim.

    It does where the exact (Clopper-Pearson) upper limits of both rates, each at half of what is
    left of the level, make a point below the claim's curve. For an (epsilon, delta) claim this is
    `lower_bound_from_counts` exceeding its epsilon.

    Parameters
    ----------
    claim : TradeoffFunction
        For replace-one adjacency.
    false_positives, n_nonmembers, false_negatives, n_members : int
        Errors and records of each class, at least one record each.
    confidence_level : float
        In (0, 1).
    applies_to : {"instance", "mechanism"}

    Raises
    ------
    ValueError
        If an argument leaves its range, or `claim` is for add/remove adjacency or is not convex.
    """
    claim = checked_replace_one("claim", claim)
    bound = lower_bound_from_counts(
        false_positives=false_positives,
        n_nonmembers=n_nonmembers,
        false_negatives=false_negatives,
        n_members=n_members,
        delta=claim.claimed_delta if isinstance(claim, ApproximateDP) else 0.0,
        confidence_level=confidence_level,
        applies_to=applies_to,
    )
    (limits,) = (each for each in bound.evidence if isinstance(each, Evidence))
    if isinstance(claim, ApproximateDP):
        contradicted = bound.low > claim.claimed_epsilon
    else:
        contradicted = limits.fnr_upper < claim.beta(limits.fpr_upper)
    n, m = bound.n_members, bound.n_nonmembers
    place = _counts(claim, limits.false_positives, m, n - limits.false_negatives, n)
    return ClaimTest(
        claim=claim,
        outcome="contradicted" if contradicted else "not decidable",
        confidence_level=bound.confidence_level,
        applies_to=applies_to,
        p_value=None,
        bound=bound if isinstance(claim, ApproximateDP) else None,
        place=place,
        measured_outside=not claim.admits(fpr=place.fpr, fnr=limits.false_negatives / n),
    )


def _refuse_other_question(
    bound: EpsilonBound,
    scores: Scores,
    delta: float,
    confidence_level: float,
    applies_to: AppliesTo,
) -> None:
    """A bound that was asked for otherwise than the default for this claim."""
    asked = {
        "delta": delta,
        "confidence_level": confidence_level,
        "applies_to": applies_to,
        "method": "rank",
        "n_members": scores.n_members,
        "n_nonmembers": scores.n_nonmembers,
    }
    for name, wanted in asked.items():
        if getattr(bound, name) != wanted:
            raise checks.fail(f"bound.{name}", f"{wanted!r} here", getattr(bound, name))


def _place(bound: EpsilonBound, claim: ApproximateDP) -> CurveEvidence | None:
    """The end of the ranking that implies the larger epsilon, of those the bound rests on."""
    if bound.direction == "reversed":
        return None
    ends = []
    n, m = bound.n_members, bound.n_nonmembers
    for each in bound.evidence:
        if not isinstance(each, RankEvidence):
            continue
        if each.top:
            found = each.members_in_top
            ends.append(_counts(claim, each.top - found, m, found, n))
        if each.bottom:
            found = each.nonmembers_in_bottom
            ends.append(_counts(claim, m - found, m, n - (each.bottom - found), n))
    return max(ends, key=lambda end: _implied(end, claim.claimed_delta), default=None)


def _implied(place: CurveEvidence, delta: float) -> float:
    fnr = (place.n_members - place.true_positives) / place.n_members
    return float(np.max(implied_epsilons(fpr=place.fpr, fnr=fnr, delta=delta)[:2]))


def _counts(
    claim: TradeoffFunction, false_positives: int, m: int, true_positives: int, n: int
) -> CurveEvidence:
    return CurveEvidence(
        false_positives=false_positives,
        n_nonmembers=m,
        true_positives=true_positives,
        n_members=n,
        permitted_tpr=claim.tpr(false_positives / m),
    )


def _measured_outside(curve: AttackCurve, claim: TradeoffFunction) -> bool:
    """Whether the claim rules out some vertex; what it admits is convex, so both hulls decide."""
    x, y = curve.false_positives, curve.false_negatives
    return any(
        not claim.admits(fpr=int(x[i]) / curve.n_nonmembers, fnr=int(y[i]) / curve.n_members)
        for hull in (curve.hull, curve.far_hull)
        for i in hull.tolist()
    )
