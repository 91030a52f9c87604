"""One score per user, for audits of user-level guarantees."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores, one_by_one
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.groups import Labels, Rows, distinct_labels
from dpviz.checks import FloatArray

UserStatistic = Literal["mean", "max", "min", "sum", "median"]
HOWS = ("mean", "max", "min", "sum", "median")


def per_user(
    scores: Scores,
    *,
    member_users: ArrayLike,
    nonmember_users: ArrayLike,
    how: UserStatistic = "mean",
) -> AttackScores:
    """The scores of users from those of their records.

    Records of one user are not independent, and a user-level guarantee is about users. All bounds
    and tests of the result are statements about users: their number, and whether one took part.

    Parameters
    ----------
    scores : AttackScores, of records
    member_users, nonmember_users : array or sequence of str or int
        The user of each record, in the order of the scores.
    how : {"mean", "max", "min", "sum", "median"}
        Statistic of a user's scores: "max" is the most member-like record, for losses the one with
        the lowest loss. To be fixed before looking at the scores, like a threshold.

    Returns
    -------
    AttackScores
        One score per user, in the order in which users appear. Groups are kept.

    Raises
    ------
    ValueError
        If there are not as many users as scores, a user is in both classes (and so is neither), or
        the records of one user are in different groups.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[1, 3, 5], nonmember=[0, 2])
    >>> audit.per_user(scores, member_users=["a", "a", "b"], nonmember_users=["c", "d"]).member
    array([2., 5.])
    """
    checks.choice("how", how, HOWS)
    scores = one_by_one(scores, "scores per user")
    members = _Users("member", scores.member, scores.member_groups, member_users)
    nonmembers = _Users("nonmember", scores.nonmember, scores.nonmember_groups, nonmember_users)
    in_both = sorted(set(members.names) & set(nonmembers.names))
    if in_both:
        raise ValueError(
            f"member_users and nonmember_users must have no user in common, got {len(in_both)} in "
            f"both, such as {in_both[0]!r}"
        )
    return AttackScores(
        member=members.scores(how),
        nonmember=nonmembers.scores(how),
        kind=scores.kind,
        member_groups=members.groups(),
        nonmember_groups=nonmembers.groups(),
    )


class _Users:
    """The records of members or of non-members, sorted by user."""

    def __init__(
        self, class_name: str, values: FloatArray, groups: Labels | None, users: ArrayLike
    ) -> None:
        self.class_name, self.values, self.labels = class_name, values, groups
        self.names, self.codes = distinct_labels(f"{class_name}_users", users, values)
        self.sizes: Rows = np.bincount(self.codes)
        self.starts: Rows = np.cumsum(self.sizes) - self.sizes

    def scores(self, how: UserStatistic) -> FloatArray:
        """One score per user."""
        if how in ("mean", "sum"):
            total = np.bincount(self.codes, weights=self.values).astype(np.float64)
            return total / self.sizes if how == "mean" else total
        # By user, and by score within each.
        ascending = self.values[np.lexsort((self.values, self.codes))]
        ends = self.starts + self.sizes - 1
        if how == "min":
            return np.asarray(ascending[self.starts])
        if how == "max":
            return np.asarray(ascending[ends])
        lower, upper = (
            ascending[(self.starts + ends) // 2],
            ascending[(self.starts + ends + 1) // 2],
        )
        return np.asarray(lower / 2 + upper / 2)

    def groups(self) -> Labels | None:
        """The group of each user."""
        if self.labels is None:
            return None
        order = np.argsort(self.codes, kind="stable")
        of_user = self.labels[order][self.starts]
        moved = self.labels != of_user[self.codes]
        if moved.any():
            n_users = np.unique(self.codes[moved]).size
            first = self.names[self.codes[np.argmax(moved)]]
            raise ValueError(
                f"{self.class_name}_groups must be the same for all records of a user, got "
                f"{n_users} users with several, such as {first!r}"
            )
        return of_user
