"""Attack scores, stored record by record and checked once.

**Copies of whole records** are found by rules fixed in advance, and left out. A bound
needs independent records, and a record that stands in a file k times is counted k times. A tied
score alone is no sign of a copy: few values, rounding and records that are alike tie as well. Such
ties know nothing of membership, and their numbers share no factor. So a sample of which at least
1 % of the records repeat a score of their class has copies

1. if the numbers of records with each score, over 20 scores or more, are all multiples of one
   k >= 2: each record stands there k times (a class, or both together);
2. or if records of equal score share their membership far more often than records of neighbouring
   scores do, by `EXCESS` standard errors and at least twice as often.

By rule 1 each score keeps the k-th part of its records. By rule 2 each score keeps one record, if
all records of equal score are of one class. Otherwise a ValueError says that copies remain.

Where records are independent, rule 1 finds a factor of all counts with a probability of about
2^-20, and rule 2 is a difference of `EXCESS` standard errors. Where continuous scores are copied
and a rule finds it, what is left is the original sample, and so is every bound and its coverage.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.scores import base
from dpviz.audit.scores.base import (
    Counts,
    Labels,
    Provenance,
    Rows,
    ScoreKind,
    Scores,
    SortedSample,
)
from dpviz.checks import FloatArray

HOW_SCORES_ARE_MADE = (
    "attack scores, as made by AttackScores, AttackScores.from_losses, BinnedScores.of or "
    "read_scores, or a pair (member_losses, nonmember_losses)"
)
LEAST_VALUES = 20  # distinct scores from which on a common factor of their counts is no chance
LEAST_SHARE = 0.01  # of records that repeat a score of their class; fewer are left as they are
EXCESS = 4.0  # standard errors
LARGEST_SHARE = 0.5  # of pairs that differ in membership: among tied over among neighbouring ones


@dataclass(frozen=True, eq=False, repr=False)
class AttackScores(Scores):
    """Scores that an attack gave to records of known membership.

    **High scores suggest members.** The attack flags a record as a member when its score is at
    least the threshold. Low losses are member-like: :meth:`from_losses` negates them once.

    Infinite scores are the first or the last ranks, tied with one another: bounds, tests and rates
    use ranks. Fitted distributions need finite losses and are left out, with a note.

    Parameters
    ----------
    member, nonmember : array of scores in and outside the training set
        In [-1e300, 1e300], or infinite.
    kind : {"score"}; losses, for which a low number means member, are for :meth:`from_losses`
    member_groups, nonmember_groups : array or sequence of str or int, optional, one label per score
    provenance : Provenance, optional, where scores were read; nothing computes with it
    n_copies : int, records that were left out as copies of others
    sampling : {"independent_trainings", "fair_coins", "fixed_split"}, optional
        How membership was drawn, as a `CanaryPlan` declares it: the default of the argument
        `sampling` of bounds and tests. ``applies_to="instance"`` overrides it.
    remarks : tuple of str, warnings that each bound from these scores carries

    Raises
    ------
    ValueError, if a class is empty or has an invalid score, or labels are missing or too many

    Examples
    --------
    >>> from dpviz import AttackScores
    >>> AttackScores.from_losses(member=[0.1, 0.4], nonmember=[0.3, 2.0])
    AttackScores(n_members=2, n_nonmembers=2, kind='loss')
    """

    member: FloatArray
    nonmember: FloatArray
    _: KW_ONLY
    member_groups: Labels | None = None
    nonmember_groups: Labels | None = None
    is_binned: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if checks.choice("kind", self.kind, base.SCORE_KINDS) == "loss":
            way_out = "AttackScores.from_losses takes losses, for which a low number means member"
            raise checks.fail("kind", "'score'", "loss", way_out)
        for name in ("member", "nonmember"):
            values = checked_numbers(f"{name} scores", getattr(self, name))
            object.__setattr__(self, name, checks.read_only(values))
        if (self.member_groups is None) != (self.nonmember_groups is None):
            raise ValueError("member_groups and nonmember_groups must be given together")
        # Labels need as many entries as there are scores, so they are checked last.
        for name in ("member", "nonmember"):
            if (given := getattr(self, f"{name}_groups")) is not None:
                labels = base.checked_labels_of_scores(f"{name}_groups", given, getattr(self, name))
                object.__setattr__(self, f"{name}_groups", labels)

    @classmethod
    def from_losses(
        cls,
        member: ArrayLike,
        nonmember: ArrayLike,
        *,
        member_groups: Any = None,
        nonmember_groups: Any = None,
        provenance: Provenance | None = None,
    ) -> "AttackScores":
        """Return attack scores from losses.

        Members have low losses, so a score is ``-loss``.
        """
        scores = cls(
            member=_negate_in_place(checked_numbers("member losses", member)),
            nonmember=_negate_in_place(checked_numbers("nonmember losses", nonmember)),
            member_groups=member_groups,
            nonmember_groups=nonmember_groups,
            provenance=provenance,
        )
        return scores.shown_as("loss")

    @classmethod
    def of_sorted(
        cls, member: FloatArray, nonmember: FloatArray, *, kind: ScoreKind
    ) -> "AttackScores":
        """Make scores from valid ascending arrays, without checking or sorting the arrays again."""
        scores = cls.__new__(cls)
        vars(scores).update(member=checks.read_only(member), nonmember=checks.read_only(nonmember))
        vars(scores).update(kind=kind, sorted_member=member, sorted_nonmember=nonmember)
        return scores

    @classmethod
    def of_numbers(
        cls,
        member: FloatArray,
        nonmember: FloatArray,
        *,
        kind: ScoreKind,
        provenance: Provenance | None = None,
    ) -> "AttackScores":
        """Return scores that share these arrays, which must have no NaN and never change."""
        if min(member.size, nonmember.size) == 0 or _huge(member).size + _huge(nonmember).size:
            build = cls.from_losses if kind == "loss" else cls
            return build(*(base.negated_if_loss(x, kind) for x in (member, nonmember)))  # raises
        scores = cls.__new__(cls)
        vars(scores).update(member=checks.read_only(member), nonmember=checks.read_only(nonmember))
        vars(scores).update(kind=kind, provenance=provenance)
        return scores

    @property
    def n_members(self) -> int:
        return self.member.size

    @property
    def n_nonmembers(self) -> int:
        return self.nonmember.size

    @property
    def was_sorted(self) -> bool:
        """Whether both `sorted_member` and `sorted_nonmember` have been computed."""
        return {"sorted_member", "sorted_nonmember"} <= self.__dict__.keys()

    @cached_property
    def sorted_member(self) -> FloatArray:
        """Member scores in ascending order."""
        return checks.read_only(np.sort(self.member))

    @cached_property
    def sorted_nonmember(self) -> FloatArray:
        """Non-member scores in ascending order."""
        return checks.read_only(np.sort(self.nonmember))

    @property
    def members(self) -> SortedSample:
        return SortedSample(self.sorted_member)

    @property
    def nonmembers(self) -> SortedSample:
        return SortedSample(self.sorted_nonmember)

    def count_at_least(self, threshold: float) -> tuple[int, int]:
        member, nonmember = (
            int(np.count_nonzero(values >= threshold)) for values in (self.member, self.nonmember)
        )
        return member, nonmember

    def _pooled_scores(self) -> FloatArray:
        """Return the scores of members and non-members together, ascending."""
        values = np.concatenate([self.sorted_member, self.sorted_nonmember])
        values.sort(kind="stable")  # two ascending runs: this sort merges them
        return values

    def distinct_scores(self) -> FloatArray:
        values = self._pooled_scores()
        found: FloatArray = values[np.append(True, values[1:] != values[:-1])]
        vars(self)["n_distinct"] = found.size
        return found

    def samples_for_fits(self) -> tuple[SortedSample, SortedSample]:
        return self.members, self.nonmembers

    def reversed(self) -> "AttackScores":
        kind: ScoreKind = "score" if self.kind == "loss" else "loss"
        return self.replaced(member=-self.member, nonmember=-self.nonmember).shown_as(kind)

    def thinned(self, most: int) -> "AttackScores":
        if max(self.n_members, self.n_nonmembers) <= most:
            return self
        member, nonmember = (x[:: -(-x.size // most)] for x in (self.member, self.nonmember))
        return AttackScores(member=member, nonmember=nonmember).shown_as(self.kind)

    def label_permuter(self, rng: np.random.Generator) -> Callable[[], "AttackScores"]:
        base.reject_too_many_records(self, "label permutation")
        pooled, kind = self._pooled_scores(), self.kind
        is_member = np.arange(pooled.size) < self.n_members

        def permuted() -> AttackScores:
            # Flags along the ascending scores leave both classes sorted.
            rng.shuffle(is_member)
            return AttackScores.of_sorted(pooled[is_member], pooled[~is_member], kind=kind)

        return permuted

    def bootstrap_sample(self, rng: np.random.Generator) -> "AttackScores":
        member, nonmember = (
            np.repeat(sample.values, sample.bootstrap_counts(rng).astype(np.intp, copy=False))
            for sample in (self.members, self.nonmembers)
        )
        return AttackScores.of_sorted(member, nonmember, kind=self.kind)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        labels = {label for rows in self._rows_by_label for label in rows}
        return tuple(sorted(labels, key=base.natural_sort_key))

    def group_sizes(self, label: str | int) -> tuple[int, int]:
        """Return the numbers of members and non-members in a group.

        Raises ValueError if both numbers are 0.
        """
        text = str(label)
        sizes = [len(rows.get(text, ())) for rows in self._rows_by_label]
        if not sum(sizes):
            raise checks.fail("label", f"one of the {len(self.groups)} groups", label)
        return sizes[0], sizes[1]

    def group(self, label: str | int) -> "AttackScores":
        """Return the scores of one group of records.

        Raises ValueError if the group lacks one of the classes.
        """
        n_members, n_nonmembers = self.group_sizes(label)
        if min(n_members, n_nonmembers) == 0:
            raise ValueError(
                f"group {str(label)!r} must have members and non-members, got {n_members} members "
                f"and {n_nonmembers} non-members"
            )
        in_member, in_nonmember = (rows[str(label)] for rows in self._rows_by_label)
        member, nonmember = self.member[in_member], self.nonmember[in_nonmember]
        drawn: dict[str, Any] = {"sampling": self.sampling, "remarks": self.remarks}
        return AttackScores(member=member, nonmember=nonmember, **drawn).shown_as(self.kind)

    @cached_property
    def _rows_by_label(self) -> tuple[dict[str, Rows], ...]:
        if self.member_groups is None or self.nonmember_groups is None:
            return ()
        return base.rows_by_label(self.member_groups), base.rows_by_label(self.nonmember_groups)


# What functions of the audit take: scores, or losses of members and losses of non-members.
ScoresLike = Scores | tuple[Any, Any]


def as_scores(name: str, given: Any) -> Scores:
    """Return given scores, or make scores from two arrays of losses; TypeError otherwise."""
    if isinstance(given, Scores):
        return given
    is_pair = isinstance(given, tuple | list) and len(given) == 2
    if is_pair and all(hasattr(x, "__len__") and not isinstance(x, str) for x in given):
        return AttackScores.from_losses(member=given[0], nonmember=given[1])
    raise TypeError(f"{name} must be {HOW_SCORES_ARE_MADE}, got {checks.shortened_repr(given)}")


def require_unbinned(scores: ScoresLike, purpose: str) -> AttackScores:
    """Return `scores` if they are AttackScores; ValueError, naming the `purpose`, if binned."""
    scores = as_scores("scores", scores)
    if isinstance(scores, AttackScores):
        return scores
    raise ValueError(
        f"scores must be AttackScores for {purpose}, got {scores!r}; binned counts do not suffice"
    )


def without_copies(scores: ScoresLike) -> Scores:
    """Return the scores without copied records; ValueError if it is unclear which are copies."""
    scores = as_scores("scores", scores)
    if not isinstance(scores, AttackScores):
        return scores
    ascending = (scores.sorted_member, scores.sorted_nonmember)
    total = scores.n_members + scores.n_nonmembers
    # Few repeats, as in most samples: nothing to decide.
    if sum(np.count_nonzero(x[1:] == x[:-1]) for x in ascending) < LEAST_SHARE * total:
        return scores
    classes = [np.unique(x, return_counts=True) for x in ascending]
    # How often each record of a class stands there, by rule 1; else 1.
    both = np.concatenate([counts for _, counts in classes])
    judged = [counts if counts.size >= LEAST_VALUES else both for _, counts in classes]
    factors = [int(np.gcd.reduce(each)) if each.size >= LEAST_VALUES else 1 for each in judged]
    if max(factors) > 1:
        kept = [counts // k for (_, counts), k in zip(classes, factors, strict=True)]
    elif _ties_share_membership(classes, scores.distinct_scores()):
        kept = [np.ones_like(counts) for _, counts in classes]
        shared = np.intersect1d(classes[0][0], classes[1][0], assume_unique=True)
        if shared.size:
            raise ValueError(
                f"scores must be of distinct records, got {total - sum(x.size for x in kept)} of "
                f"{total} scores that repeat a score of the same class, far more than by chance; "
                "remove copies yourself: if both classes have a score, dpviz cannot identify copies"
            )
    else:
        return scores
    # The first records with each score stay, with their groups, in their order.
    fields: dict[str, Any] = {"n_copies": scores.n_copies + total}
    for name, counts in zip(("member", "nonmember"), kept, strict=True):
        values, labels = getattr(scores, name), getattr(scores, f"{name}_groups")
        rows = _first_rows(values, counts)
        fields |= {name: values[rows], f"{name}_groups": None if labels is None else labels[rows]}
        fields["n_copies"] -= rows.size
    return scores.replaced(**fields)


def _ties_share_membership(classes: list[tuple[FloatArray, Counts]], values: FloatArray) -> bool:
    """Return whether ties are within one class far more often than by chance (module's rule 2)."""
    members, others = np.zeros((2, values.size))
    for into, (of_class, counts) in zip((members, others), classes, strict=True):
        into[np.searchsorted(values, of_class)] = counts
    records = members + others
    tied = np.flatnonzero(records[:-1] > 1)
    after = tied + 1
    a, b, n = members[tied], others[tied], records[tied]
    # The shares of pairs with exactly one member: within a score, and with the next higher one.
    within = float(np.sum(2 * a * b / (n * (n - 1))))
    across = float(np.sum((a * others[after] + b * members[after]) / (n * records[after])))
    is_far = across - within >= EXCESS * np.sqrt(across + within)
    return bool(is_far and across > 0 and within <= LARGEST_SHARE * across)


def _first_rows(values: FloatArray, kept: Counts) -> Rows:
    """Return the ascending positions of the first kept[i] records with the i-th distinct score."""
    order = np.argsort(values, kind="stable")
    _, counts = np.unique(values, return_counts=True)
    position = np.arange(values.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.sort(order[position < np.repeat(kept, counts)])


def checked_numbers(name: str, values: ArrayLike) -> FloatArray:
    """Return a class's numbers as a float64 copy; ValueError if one is NaN, or finite but huge."""
    numbers = checks.vector(name, values)
    if (huge := _huge(numbers)).size:
        largest = f"{base.LARGEST_SCORE:g}"
        raise checks.fail(name, f"in [-{largest}, {largest}] or inf", huge[0])
    return numbers


def _huge(numbers: FloatArray) -> FloatArray:
    """Return the finite numbers that are larger than `LARGEST_SCORE` in absolute value."""
    if max(numbers.max(), -numbers.min()) <= base.LARGEST_SCORE:
        return numbers[:0]
    return numbers[np.isfinite(numbers) & (np.abs(numbers) > base.LARGEST_SCORE)]


def _negate_in_place(losses: FloatArray) -> FloatArray:
    return np.negative(losses, out=losses)  # in place: a million losses are not copied again
