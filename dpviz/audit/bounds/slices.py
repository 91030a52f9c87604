"""Lower bounds on epsilon for groups of records, corrected for the choice of the worst group.

**Statement.** Each of G groups with members and non-members has a bound at the confidence
``1 - (1 - confidence_level) / G``. So any of the bounds is false with probability at most
``1 - confidence_level`` (Bonferroni), however the groups depend on one another, and the largest may
be chosen afterwards and quoted at `confidence_level`.

**Condition.** Groups must come from a label that existed before the attack: the class, a protected
attribute, an outlier by its features. A label made from the scores, or for records that looked
vulnerable, invalidates every bound. Within a group, members and non-members must be drawn as the
bound's `sampling` says; group sizes may be arbitrary.

The bound of a group is about the epsilon of this group's two distributions of scores. A bound from
fewer records at a stricter level is smaller: that does not mean that the group leaks less.
"""

from dataclasses import dataclass
from functools import partial

from dpviz import checks
from dpviz.audit.bounds import result
from dpviz.audit.bounds.lower_bound import ceiling, lower_bound
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.bounds.result import AppliesTo, EpsilonBound, default_method
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.roc.area_and_advantage import auc
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.attack_scores import ScoresLike, require_unbinned
from dpviz.audit.scores.base import Sampling, natural_sort_key
from dpviz.checks import Rng
from dpviz.value_object import ValueObject


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Slice(ValueObject):
    """The lower bound on epsilon and the estimates for one group of records.

    Parameters
    ----------
    group : str
    n_members, n_nonmembers : int
    bound : EpsilonBound or None, at the group's confidence; None if a class has no records
    reason : str, why there is no bound; empty if there is one
    auc, advantage : float or None, **estimates** on these records; None without a bound
        The search for a threshold biases the advantage, TPR - FPR, upwards, most in small groups.

    Examples
    --------
    >>> from dpviz.audit.bounds import Slice
    >>> Slice(group="a", n_members=0, n_nonmembers=5, reason="no members").ceiling is None
    True
    """

    group: str
    n_members: int
    n_nonmembers: int
    bound: EpsilonBound | None = None
    reason: str = ""
    auc: float | None = None
    advantage: float | None = None

    @property
    def ceiling(self) -> float | None:
        """The lower bound that a perfect attack on this group gives.

        The computation is slow. The result is None if `bound` is None.
        """
        if self.bound is None:
            return None
        level, method = self.bound.confidence_level, self.bound.method
        of_sizes = partial(ceiling, n_members=self.n_members, n_nonmembers=self.n_nonmembers)
        return of_sizes(delta=self.bound.delta, confidence_level=level, method=method)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Slices(ValueObject):
    """Lower bounds for groups, which hold all at once with probability `confidence_level`.

    Parameters
    ----------
    rows : tuple of Slice, by decreasing bound, then by name; groups without a bound are last
    confidence_level : float, of all bounds together
    n_tested : int, groups with a bound, among which the level was divided
    correction : str, "Bonferroni"

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> groups = {"member_groups": ["a", "b"] * 50, "nonmember_groups": ["a", "b"] * 50}
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100), **groups)
    >>> audit.slices(scores, delta=0).worst.bound.confidence_level
    0.975
    """

    one_row_each = ("rows",)
    rows: tuple[Slice, ...]
    confidence_level: float
    n_tested: int
    correction: str = "Bonferroni"

    @property
    def worst(self) -> Slice | None:
        """The group with the largest bound.

        The result is None if no bound exceeds 0.
        """
        first = self.rows[0]
        return first if first.bound is not None and first.bound.low > 0 else None


def slices(
    scores: ScoresLike,
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str | None = None,
    applies_to: AppliesTo | None = None,
    sampling: Sampling | None = None,
    rng: Rng = 0,
    progress: Progress = iter,
) -> Slices:
    """Return simultaneous lower confidence limits of epsilon for groups of records.

    Parameters
    ----------
    scores : AttackScores, with groups **fixed before looking at the scores**, not made from them
    delta : float, in [0, 1]
    confidence_level : float, in [0.5, 1), of all bounds together
    method : str, optional, a key of `BOUNDS` that needs no threshold
    applies_to, sampling : as of `lower_bound`, like the default method
    rng : int or Generator, of each bound
    progress : callable, wraps ``range(number of groups)``; `tqdm.tqdm` shows a bar

    Raises
    ------
    ValueError, if there are no groups, or too many to simulate, or an argument is out of range

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> groups = {"member_groups": ["a", "b"] * 50, "nonmember_groups": ["a", "b"] * 50}
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100), **groups)
    >>> [row.group for row in audit.slices(scores, delta=0).rows]
    ['a', 'b']
    """
    scores = require_unbinned(scores, "groups")
    if not scores.groups:
        raise ValueError("scores must have groups, got none; pass member_groups, nonmember_groups")
    level = checks.confidence_level(confidence_level)
    tested = [label for label in scores.groups if min(scores.group_sizes(label)) > 0]
    # Bonferroni: the groups share the error probability equally.
    each = 1 - (1 - level) / max(1, len(tested))
    sampling = result.sampling_of(scores, sampling, applies_to)
    applies_to = result.checked_applies_to(applies_to, sampling)
    method = default_method(sampling) if method is None else checks.choice("method", method, BOUNDS)
    # Groups without members or without non-members have no bound and take no share of the level.
    rows = []
    for label in scores.groups:
        if label not in set(tested):
            n, m = scores.group_sizes(label)
            reason = "no members" if n == 0 else "no non-members"
            rows.append(Slice(group=label, n_members=n, n_nonmembers=m, reason=reason))
    seed = checks.seed(rng)
    bound = partial(lower_bound, delta=delta, confidence_level=each, method=method, rng=seed)
    for i in progress(range(len(tested))):
        of_group = scores.group(tested[i])
        best = AttackCurve.from_scores(of_group).best_advantage()
        row = Slice(
            group=tested[i],
            n_members=of_group.n_members,
            n_nonmembers=of_group.n_nonmembers,
            bound=bound(of_group, applies_to=applies_to, sampling=sampling),
            auc=auc(of_group),
            advantage=best.tpr - best.fpr,
        )
        rows.append(row)
    rows.sort(key=lambda row: (-row.bound.low if row.bound else 1.0, *natural_sort_key(row.group)))
    return Slices(rows=tuple(rows), confidence_level=level, n_tested=len(tested))
