"""Audit by retraining: models trained with and without canary records.

**Statement.** Each model is trained independently, with fresh randomness; the attack scores a
canary record against each model. The scores by models trained with the canary, and by models
trained without it, are independent draws from the two distributions that a privacy guarantee
compares. So bounds from them are about the mechanism, not one model.

**Per canary, not pooled.** Scores of several canaries by one model are not independent. Of one
canary there is one score per model. So each of G canaries gets its own bound at
``1 - (1 - confidence_level) / G``, and all G bounds hold at once for any dependence.

**No score from a fit to itself.** The attack must not be fitted to the models that it scores. A
likelihood ratio (LiRA) of a canary is fitted to other models, or to all models but the scored one
(leave-one-out). Fitted to the scored models themselves, its bound at 95 % confidence is above 0
where nothing leaks in 8 to 16 % of audits (normal scores, 32 to 200 models).

**Other canaries.** If several canaries are included at random, the inclusion of the others must not
depend on that of this one. Then the two distributions are mixtures of neighbours with the same
weights, to which the guarantee extends. The guarantee must be for the trained neighbours: one
record more or less (add/remove), or one record exchanged for another (replace-one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isinf

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.bounds import DEFAULT, EpsilonBound, lower_bound_from_counts
from dpviz.audit.bounds.slices import slices
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint, RateBox
from dpviz.audit.roc.intervals import clopper_pearson
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, require_unbinned
from dpviz.audit.scores.base import (
    SCORE_KINDS,
    Sampling,
    ScoreKind,
    checked_labels,
    negated_if_loss,
)
from dpviz.audit.scores.losses import checked_zero_or_one
from dpviz.checks import Rng
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import checked_tradeoff
from dpviz.value_object import ValueObject

SAMPLING: Sampling = "independent_trainings"
NO_EPSILON = "the claim has no epsilon at this delta"
EPSILON_ZERO = "the claim's epsilon at this delta is 0: any bound above 0 contradicts it"


def retraining_scores(
    scores: ArrayLike,
    included: ArrayLike,
    *,
    kind: ScoreKind,
    canaries: Sequence[str] | None = None,
) -> AttackScores:
    """Return the attack scores of retrained models, grouped by canary.

    Members are the scores by models trained with the canary, canary by canary.

    Parameters
    ----------
    scores : array, shape (models, canaries) or (models,), of each canary against each model
        By an attack that was not fitted to the scored model: a likelihood ratio (LiRA) is fitted to
        other models, or to all but the scored one. Bounds from other scores do not hold.
    included : array of bool or 0/1, of that shape, whether the model was trained with the canary
    kind : {"loss", "score"}, whether a low loss or a high score indicates inclusion
    canaries : sequence of str, optional, distinct names; by default "canary 1" and so on

    Raises
    ------
    ValueError, if shapes differ, a value is invalid, or a canary is in all models or in none

    Examples
    --------
    >>> from dpviz import audit
    >>> table = [[2.0, 0.5], [0.1, 0.4], [1.5, 3.0]]
    >>> scores = audit.retraining_scores(table, [[1, 0], [0, 0], [1, 1]], kind="score")
    >>> scores.groups, scores.member.tolist()
    (('canary 1', 'canary 2'), [2.0, 1.5, 3.0])
    """
    checks.choice("kind", kind, SCORE_KINDS)
    table = checks.numeric("scores", scores)
    if table.ndim not in (1, 2) or table.size == 0:
        raise checks.fail("scores", "of shape (models, canaries) or (models,)", table.shape)
    was_in = checked_zero_or_one("included", included) == 1
    if was_in.shape != table.shape:
        raise checks.fail("included", f"of the shape of scores, {table.shape}", was_in.shape)
    # One row per canary, one column per model.
    table, was_in = np.atleast_2d(table.T), np.atleast_2d(was_in.T)
    n_canaries, n_models = table.shape
    if canaries is None:
        canaries = [f"canary {i + 1}" for i in range(n_canaries)]
    names = checked_labels("canaries", canaries)
    if names.size != n_canaries or np.unique(names).size != n_canaries:
        raise checks.fail("canaries", f"{n_canaries} different names", names.tolist())
    for name, n_in in zip(names.tolist(), was_in.sum(axis=1).tolist(), strict=True):
        _require_both_classes("included must have", name, n_in, n_models - n_in)
    # A score by a model that was trained with the canary is a member's.
    of_canary = np.repeat(names, n_models).reshape(table.shape)
    values = checks.vector("scores", table.ravel(), finite=True).reshape(table.shape)
    build = AttackScores.from_losses if kind == "loss" else AttackScores
    groups = {"member_groups": of_canary[was_in], "nonmember_groups": of_canary[~was_in]}
    return build(member=values[was_in], nonmember=values[~was_in], **groups)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CanaryAudit(ValueObject):
    """The bounds and rates from the models trained with and without one canary.

    Parameters
    ----------
    canary : str
    n_in, n_out : int, models trained with the canary and without it
    point : OperatingPoint, at the given threshold, else where TPR - FPR is largest: an estimate
    chosen_here : bool, whether the point was chosen by these scores, as no threshold was given
    box : RateBox or None, limits of the true rates at the given threshold; None without one
    bound : EpsilonBound, from all thresholds; holds together with those of all other canaries
    bound_at_threshold : EpsilonBound or None, from the counts there; all canaries' hold at once
        The larger of this bound and `bound` is not valid at this level.

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> scores = audit.retraining_scores([2, 3, 0, 1] * 25, [1, 1, 0, 0] * 25, kind="score")
    >>> audit.retraining_audit(scores, claim=theory.PureDP(epsilon=1)).rows[0].canary
    'canary 1'
    """

    canary: str
    n_in: int
    n_out: int
    point: OperatingPoint
    chosen_here: bool
    box: RateBox | None
    bound: EpsilonBound
    bound_at_threshold: EpsilonBound | None


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RetrainingAudit(ValueObject):
    """A claim compared with the bounds from retrained models.

    Parameters
    ----------
    rows : tuple of CanaryAudit, by decreasing `bound`
    claim : TradeoffFunction
    claimed_epsilon : float, of the claim at `delta`, for either order of the data sets; in [0, inf]
    tightness : float or None
        `certified_epsilon` over `claimed_epsilon`. At 1 the claim cannot be improved, above 1 it is
        refuted at `confidence_level`. It is small if claim or attack are loose, or models are few.
        None where the ratio has no meaning, see `note`.
    note : str, why there is no tightness
    delta, confidence_level : float, the level is joint, of all canaries

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> scores = audit.retraining_scores([2, 3, 0, 1] * 25, [1, 1, 0, 0] * 25, kind="score")
    >>> found = audit.retraining_audit(scores, claim=theory.PureDP(epsilon=1))
    >>> round(found.certified_epsilon, 2), round(found.tightness, 2)
    (3.47, 3.47)
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
        """The canary with the largest lower bound on epsilon.

        The result is None if no bound exceeds 0.
        """
        return self.rows[0] if self.rows[0].bound.low > 0 else None

    def against(self, claim: TradeoffFunction) -> RetrainingAudit:
        """Return an audit that compares another claim with the same bounds, at the same delta."""
        checked_tradeoff("claim", claim)
        claimed, tightness, note = _epsilon_tightness_and_why(claim, self.delta, self.rows[0].bound)
        return replace(self, claim=claim, claimed_epsilon=claimed, tightness=tightness, note=note)

    @property
    def certified_epsilon(self) -> float:
        """The largest of the lower bounds of all canaries.

        This is a lower limit of epsilon at `confidence_level`.
        """
        return self.rows[0].bound.low


def retraining_audit(
    scores: ScoresLike,
    *,
    claim: TradeoffFunction,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    delta: float | None = None,
    method: str = DEFAULT,
    rng: Rng = 0,
    progress: Progress = iter,
) -> RetrainingAudit:
    """Return an audit of a claim by models trained with and without canaries.

    Parameters
    ----------
    scores : AttackScores, one group per canary, one score per model
        By an attack that was not fitted to the scored model: see `retraining_scores`.
    claim : TradeoffFunction
        The guarantee of the mechanism. Its adjacency must be that of the trainings: "add_remove"
        if the canary was left out, "replace_one" if another record took its place.
    threshold : float, optional, on the original scale, **fixed before looking at the scores**
        Adds limits of each canary's error rates there, and a bound from its error counts.
    confidence_level : float, in [0.5, 1), of all canaries together
    delta : float, in [0, 1], by default that of an (epsilon, delta) claim, else required
    method, rng, progress : as of `slices`

    Raises
    ------
    ValueError, if an argument is out of range or missing, or a canary is in all models or in none

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> scores = audit.retraining_scores([2, 3, 0, 1] * 25, [1, 1, 0, 0] * 25, kind="score")
    >>> audit.retraining_audit(scores, claim=theory.PureDP(epsilon=1)).tightness > 1
    True
    """
    scores = require_unbinned(scores, "an audit of retraining")
    checked_tradeoff("claim", claim)
    if delta is None and isinstance(claim, ApproximateDP):
        delta = claim.claimed_delta
    if delta is None:
        raise ValueError(f"delta must be given, such as 1e-5, for {claim!r}, got None")
    delta = checks.real("delta", delta, 0, 1)
    if threshold is not None:
        threshold = checks.real("threshold", threshold, -np.inf, np.inf, closed="neither")
    for name in scores.groups:
        _require_both_classes("scores must be of", name, *scores.group_sizes(name))
    of_canaries = partial(slices, scores, delta=delta, method=method, sampling=SAMPLING)
    canaries = of_canaries(confidence_level=confidence_level, rng=rng, progress=progress)
    rows = tuple(
        _canary_audit(scores.group(canary.group), canary.group, canary.bound, threshold)
        for canary in canaries.rows
        if canary.bound is not None  # always the case: both classes have records
    )
    claimed, tightness, note = _epsilon_tightness_and_why(claim, delta, rows[0].bound)
    return RetrainingAudit(
        rows=rows,
        claim=claim,
        claimed_epsilon=claimed,
        tightness=tightness,
        note=note,
        delta=delta,
        confidence_level=canaries.confidence_level,
    )


def _require_both_classes(message_start: str, canary: str, n_with: int, n_without: int) -> None:
    if min(n_with, n_without) == 0:
        counts = f"{n_with} with and {n_without} without this canary"
        raise ValueError(f"{message_start} models with and without {canary!r}, got {counts}")


def _epsilon_tightness_and_why(
    claim: TradeoffFunction, delta: float, bound: EpsilonBound
) -> tuple[float, float | None, str]:
    """Return the claimed epsilon, the tightness (or None), and the reason why it is None."""
    # Bounds refute the guarantee of either order of the pair.
    claimed = max(claim.epsilon(delta), claim.inverse().epsilon(delta))
    note = NO_EPSILON if isinf(claimed) else EPSILON_ZERO if claimed == 0 else ""
    return claimed, None if note else bound.low / claimed, note


def _canary_audit(
    scores: AttackScores, canary: str, bound: EpsilonBound, threshold: float | None
) -> CanaryAudit:
    """Return the bounds and rates of one canary, all at the confidence level of `bound`."""
    curve, each = AttackCurve.from_scores(scores), bound.confidence_level
    point, box, at_threshold = curve.best_advantage(), None, None
    # A threshold that was fixed before has valid limits of both rates, each at half of the level.
    if threshold is not None:
        score = negated_if_loss(threshold, scores.kind)
        point = replace(curve.at_threshold(score), threshold=score)
        names = ("false_positives", "n_nonmembers", "false_negatives", "n_members")
        counts = {name: getattr(point, name) for name in names}
        errors, trials = np.reshape(list(counts.values()), (2, 2)).T
        fpr, fnr = np.transpose(clopper_pearson(errors, trials, confidence_level=(1 + each) / 2))
        box = RateBox(*map(float, (*fpr, *fnr, each)))
        at_threshold = lower_bound_from_counts(
            **counts, delta=bound.delta, confidence_level=each, sampling=SAMPLING
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
