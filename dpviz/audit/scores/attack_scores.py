"""Attack scores, stored record by record; they are checked, and losses negated, only once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.scores.base import (
    LARGEST_SCORE,
    SCORE_KINDS,
    Labels,
    Provenance,
    RowsByLabel,
    ScoreKind,
    Scores,
    SortedSample,
    checked_labels_of_scores,
    natural_sort_key,
    reject_too_many_records,
    require_scores,
)
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackScores(Scores):
    """The scores an attack gave to records whose membership is known; **higher = more member**.

    The attack flags a record as a member when its ``score >= threshold``. Low losses are
    member-like: :meth:`from_losses` negates them once.

    Parameters
    ----------
    member, nonmember : array of scores in [-1e300, 1e300], in and outside the training set
    kind : {"score", "loss"}, the original scale of the numbers; nothing computes with it
    member_groups, nonmember_groups : array or sequence of str or int, optional, one label per score
    provenance : Provenance, optional, where scores were read; nothing computes with it

    Raises
    ------
    ValueError
        If a class is empty or has an invalid score, or labels are missing or too many.

    Examples
    --------
    >>> from dpviz import AttackScores
    >>> AttackScores.from_losses(member=[0.1, 0.4], nonmember=[0.3, 2.0])
    AttackScores(n_members=2, n_nonmembers=2, kind='loss')
    """

    member: FloatArray
    nonmember: FloatArray
    member_groups: Labels | None = None
    nonmember_groups: Labels | None = None
    is_binned: ClassVar[bool] = False

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, SCORE_KINDS)
        unit = "losses" if self.kind == "loss" else "scores"
        for name in ("member", "nonmember"):
            values = checks.finite_vector(f"{name} {unit}", getattr(self, name))
            if _any_too_large(values):
                checks.reals(f"{name} {unit}", values, -LARGEST_SCORE, LARGEST_SCORE)
            object.__setattr__(self, name, checks.read_only(values))
        if (self.member_groups is None) != (self.nonmember_groups is None):
            raise ValueError("member_groups and nonmember_groups must be given both or neither")
        for name in ("member", "nonmember"):
            if (given := getattr(self, f"{name}_groups")) is not None:
                labels = checked_labels_of_scores(f"{name}_groups", given, getattr(self, name))
                object.__setattr__(self, f"{name}_groups", labels)

    @classmethod
    def from_losses(
        cls,
        *,
        member: ArrayLike,
        nonmember: ArrayLike,
        member_groups: Any = None,
        nonmember_groups: Any = None,
        provenance: Provenance | None = None,
    ) -> "AttackScores":
        """Scores from losses, of which low ones are member-like: ``score = -loss``."""
        return cls(
            member=_negate_in_place(checks.finite_vector("member losses", member)),
            nonmember=_negate_in_place(checks.finite_vector("nonmember losses", nonmember)),
            kind="loss",
            member_groups=member_groups,
            nonmember_groups=nonmember_groups,
            provenance=provenance,
        )

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
    def of_finite(
        cls,
        member: FloatArray,
        nonmember: FloatArray,
        *,
        kind: ScoreKind,
        provenance: Provenance | None = None,
    ) -> "AttackScores":
        """Make scores from finite arrays without a copy; the caller must not change them later."""
        if min(member.size, nonmember.size) == 0 or any(map(_any_too_large, (member, nonmember))):
            return cls(member=member, nonmember=nonmember, kind=kind)  # raises
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

    def at_least(self, threshold: float) -> tuple[int, int]:
        member, nonmember = (
            int(np.count_nonzero(values >= threshold)) for values in (self.member, self.nonmember)
        )
        return member, nonmember

    def _pooled(self) -> FloatArray:
        """Return the scores of members and non-members together, ascending."""
        values = np.concatenate([self.sorted_member, self.sorted_nonmember])
        values.sort(kind="stable")  # two ascending runs: this sort merges them
        return values

    def distinct(self) -> FloatArray:
        values = self._pooled()
        found: FloatArray = values[np.append(True, values[1:] != values[:-1])]
        vars(self)["n_distinct"] = found.size
        return found

    def samples_for_fits(self) -> tuple[SortedSample, SortedSample]:
        return self.members, self.nonmembers

    def reversed(self) -> "AttackScores":
        kind: ScoreKind = "score" if self.kind == "loss" else "loss"
        return replace(self, member=-self.member, nonmember=-self.nonmember, kind=kind)

    def thinned(self, most: int) -> "AttackScores":
        if max(self.n_members, self.n_nonmembers) <= most:
            return self
        member, nonmember = (x[:: -(-x.size // most)] for x in (self.member, self.nonmember))
        return AttackScores(member=member, nonmember=nonmember, kind=self.kind)

    def label_permuter(self, rng: np.random.Generator) -> Callable[[], "AttackScores"]:
        reject_too_many_records(self, "label permutation")
        pooled, kind = self._pooled(), self.kind
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

    def halves(self, rng: np.random.Generator) -> tuple["AttackScores", "AttackScores"]:
        reject_too_many_records(self, "random halves")
        # Sorted first: one seed gives the same halves in any order of the records.
        shuffled = [rng.permutation(x) for x in (self.sorted_member, self.sorted_nonmember)]
        (member, others), (nonmember, rest) = (np.split(x, [x.size // 2]) for x in shuffled)
        first = AttackScores(member=member, nonmember=nonmember, kind=self.kind)
        return first, AttackScores(member=others, nonmember=rest, kind=self.kind)

    @cached_property
    def groups(self) -> tuple[str, ...]:
        labels = {label for rows in self._rows_by_label for label in rows.labels}
        return tuple(sorted(labels, key=natural_sort_key))

    def group_sizes(self, label: str | int) -> tuple[int, int]:
        """The numbers of members and non-members with a label; ValueError if no record has it."""
        text = str(label)
        sizes = [rows.rows(text).size for rows in self._rows_by_label]
        if not sum(sizes):
            raise checks.fail("label", f"one of the {len(self.groups)} groups", label)
        return sizes[0], sizes[1]

    def group(self, label: str | int) -> "AttackScores":
        """The scores of the records with a label; ValueError if these have only one class."""
        n_members, n_nonmembers = self.group_sizes(label)
        if min(n_members, n_nonmembers) == 0:
            raise ValueError(
                f"group {str(label)!r} must have members and non-members, got {n_members} members "
                f"and {n_nonmembers} non-members"
            )
        in_member, in_nonmember = (rows.rows(str(label)) for rows in self._rows_by_label)
        member, nonmember = self.member[in_member], self.nonmember[in_nonmember]
        return AttackScores(member=member, nonmember=nonmember, kind=self.kind)

    @cached_property
    def _rows_by_label(self) -> tuple[RowsByLabel, ...]:
        if self.member_groups is None or self.nonmember_groups is None:
            return ()
        return RowsByLabel.of(self.member_groups), RowsByLabel.of(self.nonmember_groups)

    def __repr__(self) -> str:
        return (
            f"AttackScores(n_members={self.n_members}, n_nonmembers={self.n_nonmembers}, "
            f"kind={self.kind!r})"
        )


def require_unbinned(scores: Scores, purpose: str) -> AttackScores:
    """Return `scores` if they are AttackScores; ValueError, naming the `purpose`, if binned."""
    require_scores("scores", scores)
    if isinstance(scores, AttackScores):
        return scores
    raise ValueError(
        f"scores must be AttackScores for {purpose}, which counts cannot answer, got {scores!r}"
    )


def _any_too_large(scores: FloatArray) -> bool:
    return bool(max(scores.max(), -scores.min()) > LARGEST_SCORE)


def _negate_in_place(losses: FloatArray) -> FloatArray:
    return np.negative(losses, out=losses)  # in place: a million losses are not copied again
