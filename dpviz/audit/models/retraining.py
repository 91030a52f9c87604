"""The classical audit: a mechanism run many times, with and without a record, and attacked.

**Statement.** Each model is trained on its own, with fresh randomness; the attack scores a canary
record against each. Models trained with the canary and models trained without it are independent
draws of the two laws that a privacy guarantee compares. So bounds from them are about the mechanism
(`applies_to="mechanism"`), not about one model.

**Per canary, not pooled.** Canaries of one model share its training: their scores are not
independent, and pooled over canaries they are no sample of independent records. Within one canary
there is one score per model. So each canary gets a bound of its own at
``1 - (1 - confidence_level) / G``, and all G hold at once however they depend on one another.

**The others.** Where several canaries are included at random, whether the others are in must not
depend on whether this one is; then the two laws are mixtures of neighbours with the same weights,
to which the guarantee extends. The guarantee has to be about the neighbours that were trained on:
one record more or less (add/remove), or one record exchanged for another (replace-one).
"""

from dataclasses import dataclass, replace
from math import isinf

import numpy as np

from dpviz import checks
from dpviz.audit.binned_scores import Scores, one_by_one
from dpviz.audit.bounds import EpsilonBound, lower_bound_from_counts
from dpviz.audit.curve import AttackCurve, OperatingPoint
from dpviz.audit.intervals import clopper_pearson
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import AttackScores, in_unit
from dpviz.audit.slices import slices
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import checked_tradeoff

NO_EPSILON = "the claim has no epsilon at this delta"
EPSILON_ZERO = "the claim's epsilon at this delta is 0: any bound above 0 contradicts it"


@dataclass(frozen=True, kw_only=True)
class RateBox:
    """Exact limits of one canary's FPR and FNR, each missed with at most a quarter of the level.

    `confidence_level` is this box's own, ``1 - (1 - c) / G`` for G canaries at the level c: with
    probability c all boxes hold.
    """

    fpr_low: float
    fpr_high: float
    fnr_low: float
    fnr_high: float
    confidence_level: float


@dataclass(frozen=True, kw_only=True)
class CanaryAudit:
    """What the models trained with and without one canary show.

    Parameters
    ----------
    canary : str
    n_in, n_out : int
        Models trained with it and without it.
    point : OperatingPoint
        At the threshold that was given; else where TPR - FPR is largest **on these models**, an
        estimate that the search biases upwards.
    chosen_here : bool
        Whether the point was chosen on these models.
    box : RateBox or None
        Around the true rates at the threshold; None where the threshold was chosen here.
    bound : EpsilonBound
        After looking at all thresholds; holds together with those of all other canaries.
    bound_at_threshold : EpsilonBound or None
        From the counts at the threshold that was given; holds together with those of all other
        canaries, but the larger of it and `bound` is no bound at this level.
    """

    canary: str
    n_in: int
    n_out: int
    point: OperatingPoint
    chosen_here: bool
    box: RateBox | None
    bound: EpsilonBound
    bound_at_threshold: EpsilonBound | None


@dataclass(frozen=True, kw_only=True)
class RetrainingAudit:
    """A claim beside what retrained models certify.

    Parameters
    ----------
    rows : tuple of CanaryAudit
        By falling `bound`.
    claim : TradeoffFunction
    claimed_epsilon : float
        Of the claim at `delta`, for both orders of the pair; in [0, inf].
    tightness : float or None
        `certified_epsilon` over `claimed_epsilon`: 1 says that the claim cannot be improved, more
        that it is refuted at `confidence_level`. A small one says that claim or attack is loose, or
        models are few. None where the ratio has no meaning, see `note`.
    note : str
        Why there is no tightness.
    delta, confidence_level : float
        The level of all canaries together.
    """

    rows: tuple[CanaryAudit, ...]
    claim: TradeoffFunction
    claimed_epsilon: float
    tightness: float | None
    note: str
    delta: float
    confidence_level: float

    @property
    def worst(self) -> CanaryAudit | None:
        """The canary with the largest `bound`; None where no bound exceeds 0."""
        return self.rows[0] if self.rows[0].bound.low > 0 else None

    def against(self, claim: TradeoffFunction) -> "RetrainingAudit":
        """The same models beside another claim, at the same delta."""
        checked_tradeoff("claim", claim)
        claimed, tightness, note = _tightness(claim, self.delta, self.rows[0].bound)
        return replace(self, claim=claim, claimed_epsilon=claimed, tightness=tightness, note=note)

    @property
    def certified_epsilon(self) -> float:
        """The largest `bound`: epsilon is at least that with probability `confidence_level`."""
        return self.rows[0].bound.low


def retraining_audit(
    scores: Scores,
    *,
    claim: TradeoffFunction,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    delta: float | None = None,
    method: str = "rank",
    seed: int = 0,
    progress: Progress = iter,
) -> RetrainingAudit:
    """Compare a claim with what models trained with and without canary records certify.

    Parameters
    ----------
    scores : AttackScores
        With one group per canary, one score per model in each: see `retraining_scores`.
    claim : TradeoffFunction
        Of the mechanism that was run. Its adjacency has to be that of the trainings: "add_remove"
        where a canary was left out, "replace_one" where another record stood in for it.
    threshold : float, optional
        In the unit of the scores, **fixed before looking at them**: gives each canary's rates a
        box, and a bound from counts besides.
    confidence_level : float
        In (0, 1), of all canaries together.
    delta : float, optional
        In [0, 1]. Left out: that of an (epsilon, delta) claim; other claims have none of their own.
    method, seed, progress
        As of `slices`.

    Raises
    ------
    ValueError
        If an argument leaves its range, `delta` is needed, the scores have no groups, or a canary
        has no models with it or none without.
    """
    scores = one_by_one(scores, "an audit of retraining")
    checked_tradeoff("claim", claim)
    delta = _resolved_delta(claim, delta)
    if threshold is not None:
        threshold = checks.real("threshold", threshold, -np.inf, np.inf, closed="neither")
    for canary in scores.groups:
        n_in, n_out = scores.group_size(canary)
        if min(n_in, n_out) == 0:
            raise ValueError(
                f"scores must be of models with and without {canary!r}, got {n_in} with it and "
                f"{n_out} without"
            )
    found = slices(
        scores,
        delta=delta,
        confidence_level=confidence_level,
        method=method,
        applies_to="mechanism",
        seed=seed,
        progress=progress,
    )
    rows = tuple(
        _row(scores.group(of_canary.group), of_canary.group, of_canary.bound, threshold)
        for of_canary in found.rows
        if of_canary.bound is not None  # both kinds of models are there
    )
    claimed, tightness, note = _tightness(claim, delta, rows[0].bound)
    return RetrainingAudit(
        rows=rows,
        claim=claim,
        claimed_epsilon=claimed,
        tightness=tightness,
        note=note,
        delta=delta,
        confidence_level=found.confidence_level,
    )


def _tightness(
    claim: TradeoffFunction, delta: float, bound: EpsilonBound
) -> tuple[float, float | None, str]:
    """The claimed epsilon, the share of it that is certified, and why there is none."""
    # Bounds refute the guarantee of either order of the pair.
    claimed = max(claim.epsilon(delta), claim.inverse().epsilon(delta))
    note = NO_EPSILON if isinf(claimed) else EPSILON_ZERO if claimed == 0 else ""
    return claimed, None if note else bound.low / claimed, note


def _resolved_delta(claim: TradeoffFunction, delta: float | None) -> float:
    if delta is not None:
        return checks.real("delta", delta, 0, 1)
    if not isinstance(claim, ApproximateDP):
        raise ValueError(f"delta must be given for {claim!r}, such as 1e-5, got None")
    return claim.claimed_delta


def _row(
    scores: AttackScores, canary: str, bound: EpsilonBound, threshold: float | None
) -> CanaryAudit:
    """One canary; all that is said of it is at the confidence of its bound."""
    curve, each = AttackCurve.from_scores(scores), bound.confidence_level
    point, box, at_threshold = curve.best_advantage(), None, None
    if threshold is not None:
        asked = in_unit(threshold, scores.kind)
        point = replace(curve.at_threshold(asked), threshold=asked)
        missed = point.n_members - point.true_positives
        (fpr_low, fnr_low), (fpr_high, fnr_high) = clopper_pearson(
            [point.false_positives, missed],
            [point.n_nonmembers, point.n_members],
            confidence_level=(1 + each) / 2,
        )
        box = RateBox(
            fpr_low=float(fpr_low),
            fpr_high=float(fpr_high),
            fnr_low=float(fnr_low),
            fnr_high=float(fnr_high),
            confidence_level=each,
        )
        at_threshold = lower_bound_from_counts(
            false_positives=point.false_positives,
            n_nonmembers=point.n_nonmembers,
            false_negatives=missed,
            n_members=point.n_members,
            delta=bound.delta,
            confidence_level=each,
            applies_to="mechanism",
        )
    return CanaryAudit(
        canary=canary,
        n_in=scores.n_members,
        n_out=scores.n_nonmembers,
        point=point,
        chosen_here=threshold is None,
        box=box,
        bound=bound,
        bound_at_threshold=at_threshold,
    )
