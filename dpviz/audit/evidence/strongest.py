"""Where scores speak most strongly against a claim: the counts to look at first.

The place, not a test: looking for it among all thresholds makes its counts alone no evidence. The
tests account for that search; see `dpviz.audit.evidence.claim`.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.bounds.exact_rank import DenseTest, dense_guesses
from dpviz.audit.bounds.rank import RankTest, guesses, least_in_first, members_in_first
from dpviz.audit.bounds.registry import DEFAULT, RANK_TESTS
from dpviz.audit.bounds.result import RankEvidence
from dpviz.audit.evidence.whole_curve import (
    SCALING,
    CurveEvidence,
    evidence_of,
    least_favourable,
    members_above,
    standardised,
)
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.base import Counts, Scores, require_scores
from dpviz.theory import ApproximateDP, TradeoffFunction, implied_epsilons


def strongest_evidence(
    scores: Scores,
    claim: TradeoffFunction,
    *,
    confidence_level: float = 0.95,
    method: str = DEFAULT,
    seed: int = 0,
) -> CurveEvidence | None:
    """The counts at which a claim is contradicted most, or comes nearest to it; fast.

    Of an (epsilon, delta) claim those behind the lower bound: the rank cut-off whose counts
    alone refute the largest epsilon, and its end with the larger epsilon. They do not depend on the
    claim's epsilon, and are those of `claim_test`. Of any other claim the rank cut-off of
    `curve_test` at which the number of members is most standard deviations above its expectation.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    claim : TradeoffFunction, for replace-one adjacency
    confidence_level : float, in (0, 1), of the counts of an (epsilon, delta) claim
    method, seed : as of `claim_test`

    Returns
    -------
    CurveEvidence or None; None if no cut-off has anything to show

    Examples
    --------
    >>> from dpviz import audit, read_sample, theory
    >>> claim = theory.ApproximateDP(epsilon=1, delta=1e-5)
    >>> place = audit.strongest_evidence(read_sample("overfitted"), claim)
    >>> place.false_positives, place.n_nonmembers, place.true_positives, place.n_members
    (1044, 1497, 300, 300)
    """
    require_scores("scores", scores)
    if isinstance(claim, ApproximateDP):
        return MembersAtCuts.of(scores, seed=seed).strongest(claim, confidence_level, method)
    n, m, rng = scores.n_members, scores.n_nonmembers, np.random.default_rng(seed)
    law, _ = least_favourable(claim, n, m)
    scaling = law.draw(SCALING, rng)
    above = members_above(scores, law.grid, rng)[:, None]
    best = int(np.argmax(standardised(above, scaling, n)))
    return evidence_of(claim, int(law.grid[best]) - 1, m, int(above[best, 0]), n)


@dataclass(frozen=True, kw_only=True, eq=False)
class MembersAtCuts:
    """Members among the first records, at the rank cut-offs of the rank tests.

    The cut-offs depend on the numbers of records only: one look at the scores is enough for all
    (epsilon, delta) claims and confidence levels. Tied members are ranked last, as by the default,
    at `cuts`; `by_chance`, as by "rank", at its own cut-offs.
    """

    n_members: int
    n_nonmembers: int
    cuts: Counts
    members: Counts
    by_chance: Counts

    @classmethod
    def of(cls, scores: Scores, *, seed: int = 0) -> "MembersAtCuts":
        """Count them."""
        n, m = scores.n_members, scores.n_nonmembers
        few = guesses(n, m, delta=0.0, level=0.5).cuts
        many, _ = dense_guesses(n, m, delta=0.0, level=0.5)
        cuts = np.union1d(few, many.cuts)
        return cls(
            n_members=n,
            n_nonmembers=m,
            cuts=cuts,
            members=least_in_first(scores, cuts),
            by_chance=members_in_first(scores, few, np.random.default_rng(seed))[:, 0],
        )

    def strongest(
        self, claim: ApproximateDP, confidence_level: float, method: str = DEFAULT
    ) -> CurveEvidence | None:
        """The cut-off whose counts alone refute the largest epsilon: see `strongest_evidence`."""
        checks.choice("method", method, RANK_TESTS)
        n, m, level = self.n_members, self.n_nonmembers, 1 - confidence_level
        if method == DEFAULT:
            test: RankTest = DenseTest(n, m, delta=claim.claimed_delta, level=level)
            members = self.members[np.searchsorted(self.cuts, test.guesses.cuts)]
        else:
            test, members = RankTest(n, m, delta=claim.claimed_delta, level=level), self.by_chance
        refuted = test.refuted(members)
        best = int(np.argmax(refuted))
        if np.isneginf(refuted[best]):
            return None
        return end_of_ranking([test.guesses.evidence(best, members)], claim, n, m)


def requested_fpr(
    curve: AttackCurve, claim: TradeoffFunction, place: CurveEvidence
) -> float | None:
    """The shortest number that, as a requested FPR, gives the threshold of a place.

    A place among tied scores has no threshold of its own: of those on both sides, the one nearer to
    contradicting the claim. None if all that is left is to flag nobody, or everybody.
    """
    after = int(np.searchsorted(curve.fpr, place.fpr, side="right"))
    around = [curve.point(i) for i in (after - 1, min(after, curve.fpr.size - 1))]
    exact = around[0].fpr == place.fpr and around[0].fnr <= place.fnr
    inner = [at for at in around[: 1 if exact else 2] if at.true_positives and at.fnr + at.tnr]
    if not inner:
        return None
    at = max(inner, key=lambda each: _against(claim, each.fpr, each.fnr))
    for digits in range(2, 17):
        scale = 10.0**digits
        candidate = min(1.0, math.ceil(at.fpr * scale) / scale)
        if curve.at_fpr(candidate).false_positives == at.false_positives:
            return candidate
    return at.fpr


def end_of_ranking(
    evidence: Iterable[object], claim: ApproximateDP, n: int, m: int
) -> CurveEvidence | None:
    """The counts at that end of the ranking, of those in the evidence, with the larger epsilon."""
    ends = []
    for each in evidence:
        if not isinstance(each, RankEvidence):
            continue
        if each.top:
            found = each.members_in_top
            ends.append(evidence_of(claim, each.top - found, m, found, n))
        if each.bottom:
            found = each.nonmembers_in_bottom
            ends.append(evidence_of(claim, m - found, m, n - (each.bottom - found), n))
    return max(ends, key=lambda end: _against(claim, end.fpr, end.fnr), default=None)


def _against(claim: TradeoffFunction, fpr: float, fnr: float) -> float:
    """How strongly rates speak against a claim, as estimates; of (epsilon, delta) by epsilon."""
    if isinstance(claim, ApproximateDP):
        return float(np.max(implied_epsilons(fpr=fpr, fnr=fnr, delta=claim.claimed_delta)[:2]))
    return claim.beta(fpr) - fnr
