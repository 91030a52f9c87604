"""Lower bounds from scores, by any method of the registry."""

from typing import Literal

from scipy.special import bdtr

from dpviz import checks
from dpviz.audit.bounds.fewest import too_few
from dpviz.audit.bounds.registry import BOUNDS, DEFAULT
from dpviz.audit.bounds.result import (
    APPLIES_TO,
    AppliesTo,
    Direction,
    EpsilonBound,
    Request,
    type_of,
)
from dpviz.audit.scores.base import Scores, remarks_about, require_scores

LEAST_TIED = 0.05  # share of tied scores from which a reader of a bound must know them
UNFAIR = 1e-9  # a number of members with a smaller p-value was not drawn by fair coins


def lower_bound(
    scores: Scores,
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str = DEFAULT,
    applies_to: AppliesTo = "instance",
    directions: Literal["attack", "both"] = "attack",
    threshold: float | None = None,
    seed: int = 0,
) -> EpsilonBound:
    """Lower confidence limit of epsilon that accounts for the search over thresholds.

    The default is calibrated against the least favourable of all distributions (see
    `dpviz.audit.bounds.rank`), so the search costs no more than it must. Its p-values are computed,
    so it has no seed (`dpviz.audit.bounds.exact_rank`); of many records, or with a large delta,
    they are simulated, and `warnings` says so.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        Higher = more member-like: a leak only at the other end is not seen. What is bounded is the
        epsilon of the two distributions of scores in the attack's direction.
    delta : float, in [0, 1]
    confidence_level : float
        In (0, 1). Where p-values are simulated up to 0.9999 (in both directions 0.9998), and the
        closer to 1 the longer it takes.
    method : str, a key of `BOUNDS`
    applies_to : {"instance", "mechanism"}
        "instance": train and hold-out losses of one model. "mechanism": one canary in and out of
        independent trainings, or canaries included at random (method "one_run").
    directions : {"attack", "both"}
        "both" also tests the reversed scores, each direction at half of ``1 - confidence_level``;
        then the epsilon of either direction is bounded.
    threshold : float, optional
        On the original scale of the scores, **fixed before looking at them**; required by methods
        with `needs_threshold`: "clopper_pearson", "jeffreys", "joint_beta" and "gdp".
    seed : int
        Of ties, of a split and of simulations: the same seed gives the same bound. Not used by the
        default, whose simulations, of many records or with a large delta, have a seed of their own.

    Returns
    -------
    EpsilonBound
        A `ConditionalEpsilonBound` where the method assumes more than the sampling.

    Raises
    ------
    ValueError
        If an argument is out of range, or the scores contradict the method's assumptions.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> round(audit.lower_bound(read_sample("overfitted"), delta=1e-5).low, 1)
    2.7
    """
    require_scores("scores", scores)
    checks.choice("method", method, BOUNDS)
    checks.choice("applies_to", applies_to, APPLIES_TO)
    checks.choice("directions", directions, ("attack", "both"))
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    both = directions == "both"
    request = Request(
        delta=checks.real("delta", delta, 0, 1),
        confidence_level=(1 + level) / 2 if both else level,
        seed=checks.whole("seed", seed, 0),
        threshold=None if threshold is None else checks.real("threshold", threshold),
    )
    chosen = BOUNDS[method]
    if not chosen.resolves(request.confidence_level):
        largest = 1 - chosen.smallest_level * (2 if both else 1)
        condition = f"at most {largest:g} for method {method!r}" + " in both directions" * both
        raise checks.fail("confidence_level", condition, level)
    if chosen.needs_threshold and threshold is None:
        raise ValueError(f"threshold must be given for method {method!r}, got None")
    if chosen.fair_coins:
        _check_fair(scores, method)
    direction: Direction = "attack"
    found = chosen.rule(scores, request)
    if both:
        other = chosen.rule(scores.reversed(), request)
        if other.low > found.low:
            found, direction = other, "reversed"
    n, m = scores.n_members, scores.n_nonmembers
    notes = found.notes if found.low > 0 else (*found.notes, *too_few(chosen, n, m, request))
    return type_of(chosen.assumption)(
        low=found.low,
        delta=request.delta,
        confidence_level=level,
        method=method,
        evidence=found.evidence,
        n_members=n,
        n_nonmembers=m,
        assumption=chosen.assumption,
        sampling=chosen.sampling,
        applies_to=applies_to,
        direction=direction,
        warnings=(*warnings_about(scores, applies_to), *notes),
        seed=found.seed,
        seed_spread=found.seed_spread,
    )


def _check_fair(scores: Scores, method: str) -> None:
    n, m = scores.n_members, scores.n_nonmembers
    if 2 * bdtr(min(n, m), n + m, 0.5) < UNFAIR:
        raise ValueError(
            f"scores must have membership drawn by a fair coin for method {method!r}, "
            f"got {n} members among {n + m} records"
        )


def warnings_about(scores: Scores, applies_to: AppliesTo) -> tuple[str, ...]:
    """Properties of the scores that a reader of the bound must know."""
    found = remarks_about(scores, least_tied=LEAST_TIED)
    if applies_to == "mechanism" and len(scores.groups) > 1:
        pooled = (
            f"{len(scores.groups)} groups are pooled: canaries of the same trained models are not "
            "independent, and a bound from them together does not hold (retraining_audit gives "
            "each its own)"
        )
        return (pooled, *found)
    return found
