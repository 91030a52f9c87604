"""Which groups of records leak: a lower bound for each, with the choice of the worst paid for.

**Statement.** Of G groups that have members and non-members, each gets a bound at the confidence
``1 - (1 - confidence_level) / G``. Each is false with probability at most
``(1 - confidence_level) / G``, so some are with at most ``1 - confidence_level`` (Bonferroni),
however the groups depend on one another. So the group with the largest bound may be picked
afterwards, and its bound quoted at `confidence_level`.

**What it needs.** Groups come from a label that was there before the attack: the class, a protected
attribute, an outlier by its features. A label made from the scores, or of records that looked
vulnerable, makes every bound of this page false. Within a group, members and non-members have to be
what the bound's `sampling` says; numbers of records may be whatever the labels give.

A bound of a group is about the epsilon of this group's two laws of scores. It rests on fewer
records than a bound of all, at a stricter level: that it is smaller does not say that the group
leaks less. `Slice.ceiling` says how large it could have been.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from dpviz import checks
from dpviz.audit.auc import auc
from dpviz.audit.binned_scores import Scores, one_by_one
from dpviz.audit.bounds import BOUNDS, EpsilonBound, lower_bound
from dpviz.audit.bounds.bound import AppliesTo
from dpviz.audit.ceiling import ceiling
from dpviz.audit.curve import AttackCurve
from dpviz.audit.groups import natural_order
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import AttackScores

CORRECTION = "Bonferroni"


@dataclass(frozen=True, kw_only=True)
class Slice:
    """One group of records.

    Parameters
    ----------
    group : str
    n_members, n_nonmembers : int
    bound : EpsilonBound or None
        At the group's own, larger confidence; None where a class has no records.
    reason : str
        Why there is no bound; empty where there is one.
    auc, advantage : float or None
        **Estimates** on these records: the area under the ROC curve and the largest TPR - FPR,
        which the search for a threshold biases upwards, the more the smaller the group. None
        without a bound.
    """

    group: str
    n_members: int
    n_nonmembers: int
    bound: EpsilonBound | None
    reason: str
    auc: float | None
    advantage: float | None

    @property
    def ceiling(self) -> float | None:
        """The bound that no scores of as many records exceed, at this group's confidence.

        None without a bound. Worked out when asked for: by "rank" that takes as long as the bound
        of a group that leaks.
        """
        if self.bound is None:
            return None
        return ceiling(
            n_members=self.n_members,
            n_nonmembers=self.n_nonmembers,
            delta=self.bound.delta,
            confidence_level=self.bound.confidence_level,
            method=self.bound.method,
        )


@dataclass(frozen=True, kw_only=True)
class Slices:
    """Bounds of groups that all hold at once with probability `confidence_level`.

    Parameters
    ----------
    rows : tuple of Slice
        By falling bound, those without one last; groups with the same one by name.
    confidence_level : float
        Of all bounds together.
    n_tested : int
        Groups with a bound, among which the level was divided.
    correction : str
        How: "Bonferroni".
    """

    rows: tuple[Slice, ...]
    confidence_level: float
    n_tested: int
    correction: str = CORRECTION

    @property
    def worst(self) -> Slice | None:
        """The group with the largest bound; None where no bound exceeds 0."""
        found = self.rows[0]
        return found if found.bound is not None and found.bound.low > 0 else None


def slices(
    scores: Scores,
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str = "rank",
    applies_to: AppliesTo = "instance",
    seed: int = 0,
    progress: Progress = iter,
) -> Slices:
    """A lower bound on epsilon for each group of records; the worst may be picked afterwards.

    Parameters
    ----------
    scores : AttackScores
        With groups, fixed **before the scores were looked at**, by a label that is not made from
        them.
    delta : float
        In [0, 1].
    confidence_level : float
        In (0, 1), of all bounds together.
    method : str
        A key of `BOUNDS` that needs no threshold. "rank", the default, simulates the longer the
        more groups there are: for each group that leaks, 0.5 s with 20 groups of 500 + 500 records,
        1.5 s with 50; up to 500 groups at 0.95. "local_levels" takes about a millisecond each, with
        any number of groups, and gives smaller bounds: where members are shifted by one standard
        deviation, 0.7 instead of 1.3 with 20 groups of that size.
    applies_to : {"instance", "mechanism"}
        As of `lower_bound`.
    seed : int
        Of each bound.
    progress : callable
        Wraps ``range(number of groups)``; `tqdm.tqdm` shows a bar.

    Raises
    ------
    ValueError
        If the scores have no groups, an argument leaves its range, or there are too many groups for
        the method.
    """
    scores = one_by_one(scores, "groups")
    if not scores.groups:
        raise ValueError("scores must have groups: pass member_groups and nonmember_groups")
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    tested = [label for label in scores.groups if min(scores.group_size(label)) > 0]
    each = 1 - (1 - level) / max(1, len(tested))
    _refuse_too_many(method, len(tested), level, each)
    rows = [_without_bound(scores, label) for label in scores.groups if label not in set(tested)]
    for i in progress(range(len(tested))):
        of_group = scores.group(tested[i])
        best = AttackCurve.from_scores(of_group).best_advantage()
        bound = lower_bound(
            of_group,
            delta=delta,
            confidence_level=each,
            method=method,
            applies_to=applies_to,
            seed=seed,
        )
        rows.append(
            Slice(
                group=tested[i],
                n_members=of_group.n_members,
                n_nonmembers=of_group.n_nonmembers,
                bound=bound,
                reason="",
                auc=auc(of_group),
                advantage=best.tpr - best.fpr,
            )
        )
    return Slices(rows=_ordered(rows), confidence_level=level, n_tested=len(tested))


def _refuse_too_many(method: str, n_groups: int, level: float, each: float) -> None:
    checks.choice("method", method, BOUNDS)
    if 1 - each < BOUNDS[method].smallest_level * (1 - 1e-9):  # up to rounding
        raise ValueError(
            f"method must be one for any level, such as 'local_levels', for {n_groups} groups at "
            f"confidence_level {level:g}, got {method!r}"
        )


def _without_bound(scores: AttackScores, label: str) -> Slice:
    n_members, n_nonmembers = scores.group_size(label)
    return Slice(
        group=label,
        n_members=n_members,
        n_nonmembers=n_nonmembers,
        bound=None,
        reason="no members" if n_members == 0 else "no non-members",
        auc=None,
        advantage=None,
    )


def _ordered(rows: Sequence[Slice]) -> tuple[Slice, ...]:
    def key(row: Slice) -> tuple[object, ...]:
        low = -1.0 if row.bound is None else row.bound.low
        return (-low, *natural_order(row.group))

    return tuple(sorted(rows, key=key))
