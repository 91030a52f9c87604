"""A test that one attack reaches at most some number, by limits of that number."""

from dataclasses import dataclass
from typing import Literal

from dpviz import checks
from dpviz.audit.roc.area_and_advantage import advantage as advantage_of
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import Scores
from dpviz.audit.upper_limits.at_most import SILENT_ABOUT, UpperLimit, at_most
from dpviz.audit.upper_limits.quantity import (
    Quantity,
    limit_of_useless_attack,
    quantity_and_target,
)
from dpviz.value_object import ValueObject

LimitOutcome = Literal["shown", "not shown", "contradicted", "cannot decide"]
USUAL = 0.5  # probability with which a useless attack shows at most `LimitTest.usual`
MOST_RECORDS = 5000  # of the larger class, for which `usual` is computed: some seconds


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LimitTest(ValueObject):
    """The result of a test of whether one attack reaches at most `target`.

    Nothing follows for other attacks, nor for the mechanism.

    Parameters
    ----------
    outcome : {"shown", "not shown", "contradicted", "cannot decide"}
        "shown": the upper limit is at most the target, which has a probability of at most
        ``1 - confidence_level`` if the true number exceeds the target. "contradicted": `at_least`
        exceeds the target, which has at most the same probability if the true number does not.
        "cannot decide": neither, and even a useless attack shows the target in fewer than half of
        the samples of this size.
    quantity : {"advantage", "accuracy", "tpr"}
    target : float
    limit : UpperLimit
    at_least : float or None
        The lower limit of the number, with the same confidence. None for a TPR, and for an accuracy
        at another prior than 1/2: no such target is contradicted.
    usual : float or None
        The limit that a useless attack without tied scores shows at most in half of the samples of
        this size; None if the target is shown or contradicted, or a class has more than 5000
        records.
    prior : float, of the accuracy
    fpr : float, of the TPR
    n_members, n_nonmembers : int
    silent_about : str, what does not follow
    warnings : tuple of str, properties of the scores that a reader must know

    Examples
    --------
    >>> from dpviz import audit
    >>> few = audit.upper_limits.limit_test(([1, 4, 5, 8], [2, 3, 6, 7]), accuracy=0.6)
    >>> few.outcome, round(few.limit.high, 2), round(few.usual, 2)
    ('cannot decide', 0.89, 0.89)
    """

    outcome: LimitOutcome
    quantity: str
    target: float
    limit: UpperLimit
    at_least: float | None
    usual: float | None
    prior: float
    fpr: float
    n_members: int
    n_nonmembers: int
    silent_about: str = SILENT_ABOUT
    warnings: tuple[str, ...] = ()


def limit_test(
    scores: ScoresLike,
    *,
    advantage: float | None = None,
    accuracy: float | None = None,
    tpr: float | None = None,
    prior: float = 0.5,
    fpr: float = 0.01,
    confidence_level: float = 0.95,
) -> LimitTest:
    """Return a test of whether an attack reaches at most a number at its true best threshold.

    Give one of `advantage`, `accuracy` (at `prior`) and `tpr` (at `fpr`): the target. It is shown
    if the limit of `dpviz.audit.at_most` does not exceed it, and contradicted if the lower limit of
    `dpviz.audit.advantage` does. `plan_at_most` says how many records
    show a target.

    Parameters
    ----------
    scores : AttackScores or BinnedScores; higher = more member-like
    advantage, accuracy, tpr : float, above what a useless attack reaches, and below 1
    prior : float in (0, 1)
    fpr : float in [0, 1)
    confidence_level : float in [0.5, 1)

    Raises
    ------
    ValueError, if not exactly one target is given, or an argument is out of range

    References
    ----------
    Buehler, JASA 52 (1957) 482.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> noise = np.random.default_rng(0).normal(size=(2, 1500))
    >>> found = audit.upper_limits.limit_test(tuple(noise), accuracy=0.525)
    >>> found.outcome, round(found.limit.high, 3)
    ('shown', 0.514)
    """
    scores, level = without_copies(scores), 1 - checks.confidence_level(confidence_level)
    given = {"advantage": advantage, "accuracy": accuracy, "tpr": tpr}
    quantity, target = quantity_and_target(given, prior=prior, fpr=fpr, level=level)
    found = at_most(
        scores,
        confidence_level=confidence_level,
        prior=quantity.prior,
        fpr=quantity.fpr,
        epsilons=(),
    )
    limit: UpperLimit = getattr(found, quantity.name)
    least = _lower_limit(scores, quantity)
    usual: float | None = None
    n, m = found.n_members, found.n_nonmembers
    outcome: LimitOutcome = "not shown"
    if limit.high <= target:
        outcome = "shown"
    elif least is not None and least > target:
        outcome = "contradicted"
    elif max(n, m) <= MOST_RECORDS:
        usual = limit_of_useless_attack(quantity, n, m, power=USUAL)
        outcome = "cannot decide" if usual > target else "not shown"
    return LimitTest(
        outcome=outcome,
        quantity=quantity.name,
        target=target,
        limit=limit,
        at_least=least,
        usual=usual,
        prior=quantity.prior,
        fpr=quantity.fpr,
        n_members=n,
        n_nonmembers=m,
        warnings=found.warnings,
    )


def _lower_limit(scores: Scores, quantity: Quantity) -> float | None:
    """Return the lower limit of an advantage, or of an accuracy at a prior of 1/2; else None."""
    if quantity.name == "tpr" or quantity.slope != 1:
        return None
    # Each limit of `advantage` fails with half the level; its confidence is at least 1/2.
    confidence = max(0.5, 1 - 2 * quantity.level)
    least = advantage_of(scores, confidence_level=confidence).low
    return (1 + least) / 2 if quantity.name == "accuracy" else least
