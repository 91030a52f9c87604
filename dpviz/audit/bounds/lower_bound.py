"""One entry to every bound from scores, and the registry behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Literal

from scipy.special import bdtr

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds.bound import (
    APPLIES_TO,
    INDEPENDENT,
    AppliesTo,
    Direction,
    EpsilonBound,
    Found,
    type_of,
)
from dpviz.audit.bounds.counts import FROM_COUNTS
from dpviz.audit.bounds.e_process import e_process
from dpviz.audit.bounds.one_run import one_run_bound
from dpviz.audit.bounds.rank import rank_bound
from dpviz.audit.bounds.scan import bonferroni, dkw, local_levels
from dpviz.audit.bounds.split import at_threshold, split
from dpviz.audit.bounds.three_paths import three_paths
from dpviz.audit.remarks import remarks_about

UNFAIR = 1e-9
"""A number of members that is so unlikely, or less, was not drawn by fair coins."""
RANDOM_INCLUSION = (
    "every record a canary that was included with probability 1/2, independently of all others; "
    "epsilon is that of adding or removing one"
)

FAIR_COINS = (
    "every record a member with probability 1/2, independently of all others; at delta > 0 the "
    "scores of different records independent, too"
)

IN_ORDER = (
    "members independent draws of one law, non-members of another; in the order they arrived, "
    "whenever one stops"
)


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a method is asked: delta, level, and the options that only some methods read."""

    delta: float
    confidence_level: float
    seed: int
    threshold: float | None


@dataclass(frozen=True, kw_only=True)
class Method:
    """A way to a bound: the rule, what it assumes besides the sampling, and the sampling.

    `smallest_level`: what of the level has to be left, for a search by simulation to end.
    `fair_coins`: whether each record is a member with probability 1/2, which the numbers of members
    and non-members may contradict.
    """

    rule: Callable[[Scores, Request], Found]
    assumption: str = ""
    sampling: str = INDEPENDENT
    smallest_level: float = 0.0
    fair_coins: bool = False


def _scan(rule: Callable[..., Found]) -> Callable[[Scores, Request], Found]:
    return lambda scores, request: rule(
        scores, delta=request.delta, confidence_level=request.confidence_level
    )


def _random(rule: Callable[..., Found]) -> Callable[[Scores, Request], Found]:
    return lambda scores, request: rule(
        scores,
        delta=request.delta,
        confidence_level=request.confidence_level,
        seed=request.seed,
    )


def _preset(name: str, scores: Scores, request: Request) -> Found:
    if request.threshold is None:
        raise ValueError(f"threshold must be given for method {name!r}, got None")
    return at_threshold(
        scores,
        threshold=request.threshold,
        rule=FROM_COUNTS[name][0],
        delta=request.delta,
        confidence_level=request.confidence_level,
    )


BOUNDS: dict[str, Method] = {
    "rank": Method(rule=_random(rank_bound), smallest_level=1e-4),
    "local_levels": Method(rule=_scan(local_levels)),
    "dkw": Method(rule=_scan(dkw)),
    "bonferroni": Method(rule=_scan(bonferroni)),
    "split": Method(rule=_random(split)),
    "e_process": Method(rule=_scan(e_process), sampling=IN_ORDER),
    **{
        name: Method(rule=partial(_preset, name), assumption=assumption)
        for name, (_, assumption) in FROM_COUNTS.items()
    },
    "three_paths": Method(rule=_random(three_paths), sampling=FAIR_COINS, fair_coins=True),
    "one_run": Method(rule=_random(one_run_bound), sampling=RANDOM_INCLUSION, fair_coins=True),
}
"""The methods by name; those from `FROM_COUNTS` need a threshold fixed beforehand."""


def lower_bound(
    scores: Scores,
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str = "rank",
    applies_to: AppliesTo = "instance",
    directions: Literal["attack", "both"] = "attack",
    threshold: float | None = None,
    seed: int = 0,
) -> EpsilonBound:
    """A lower bound on epsilon that holds after looking at the scores.

    The default is calibrated against the least favourable of all laws (see
    `dpviz.audit.bounds.rank`): it pays for looking at all thresholds only what that costs.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
        Higher = more member-like, as always: a reversed attack shows nothing. What is bounded is
        the epsilon of the two laws of the scores in the attack's direction.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1); up to 0.9999 for "rank" (in both directions 0.9998), which simulates the longer
        the less is left.
    method : str
        A key of `BOUNDS`.
    applies_to : {"instance", "mechanism"}
        "instance": train and holdout losses of one model. "mechanism": one canary in and out of
        independent trainings, or canaries included at random (method "one_run").
    directions : {"attack", "both"}
        "both" also looks for members where the attack says "non-member", each direction at half of
        what is left of the level; what is bounded then is epsilon in either direction.
    threshold : float, optional
        In the unit of the scores, **fixed before looking at them**; for "clopper_pearson",
        "jeffreys", "joint_beta" and "gdp".
    seed : int
        Of ties, of a split and of simulations: the same seed gives the same bound.

    Returns
    -------
    EpsilonBound
        A `ConditionalEpsilonBound` where the method assumes more than the sampling.

    Raises
    ------
    ValueError
        If an argument leaves its range, or the scores contradict what the method assumes.
    """
    checks.choice("method", method, BOUNDS)
    checks.choice("applies_to", applies_to, APPLIES_TO)
    checks.choice("directions", directions, ("attack", "both"))
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    request = Request(
        delta=checks.real("delta", delta, 0, 1),
        confidence_level=level if directions == "attack" else (1 + level) / 2,
        seed=checks.whole("seed", seed, 0),
        threshold=None if threshold is None else checks.real("threshold", threshold),
    )
    chosen = BOUNDS[method]
    _refuse_beyond(chosen.smallest_level, level, method, directions)
    if chosen.fair_coins:
        _refuse_unfair(scores, method)
    direction: Direction = "attack"
    found = chosen.rule(scores, request)
    if directions == "both":
        other = chosen.rule(scores.reversed(), request)
        if other.low > found.low:
            found, direction = other, "reversed"
    return type_of(chosen.assumption)(
        low=found.low,
        delta=request.delta,
        confidence_level=level,
        method=method,
        evidence=found.evidence,
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
        assumption=chosen.assumption,
        sampling=chosen.sampling,
        applies_to=applies_to,
        direction=direction,
        warnings=(*warnings_about(scores, applies_to), *found.notes),
        seed_spread=found.seed_spread,
    )


def _refuse_beyond(smallest: float, level: float, method: str, directions: str) -> None:
    """A confidence that leaves too little of the level for the method."""
    needed = smallest if directions == "attack" else 2 * smallest
    if 1 - level < needed * (1 - 1e-9):  # 1 - 0.9999 is 1e-4 up to rounding
        asked = f"method {method!r}" + (" in both directions" if directions == "both" else "")
        raise checks.fail("confidence_level", f"at most {1 - needed:g} for {asked}", level)


def _refuse_unfair(scores: Scores, method: str) -> None:
    """Numbers of members and non-members that coins do not give."""
    n, m = scores.n_members, scores.n_nonmembers
    if 2 * bdtr(min(n, m), n + m, 0.5) < UNFAIR:
        raise ValueError(
            f"scores must have as many members as fair coins give for method {method!r}, "
            f"got {n} of {n + m} records"
        )


def warnings_about(scores: Scores, applies_to: AppliesTo) -> tuple[str, ...]:
    """What about the scores a reader of the bound has to know."""
    found = remarks_about(scores)
    if applies_to == "mechanism" and len(scores.groups) > 1:
        pooled = (
            f"{len(scores.groups)} groups are pooled: canaries of the same trained models are not "
            "independent, and a bound from them together does not hold (retraining_audit gives "
            "each its own)"
        )
        return (pooled, *found)
    return found
