"""Attack scores: checked once, oriented once."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.ascending import Sorted
from dpviz.audit.groups import (
    Labels,
    RowsByLabel,
    checked_labels,
    natural_order,
    one_label_each,
)
from dpviz.audit.provenance import Provenance
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import Floats

ScoreKind = Literal["loss", "score"]
SCORE_KINDS = ("loss", "score")
LARGEST = 1e300
"""Beyond it, differences between two scores would overflow."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AttackScores:
    """The scores an attack gave to records whose membership is known; **higher = more member**.

    An attacker says "member" when ``score >= threshold``. Losses are the other way round (a low
    loss is member-like): build them with :meth:`from_losses`, which negates them once.

    Parameters
    ----------
    member, nonmember : array, one-dimensional
        Scores in [-1e300, 1e300] of the records that were, respectively were not, in the
        training set.
    kind : {"score", "loss"}
        The unit the numbers came in. Pictures and sentences speak in it; nothing computes with it.
    member_groups, nonmember_groups : array or sequence of str or int, optional
        A label per score, such as the class of the record; kept as text. Both or neither.
    provenance : Provenance, optional
        Where they were read; nothing computes with it.

    Raises
    ------
    ValueError
        If a class is empty, not one-dimensional, or holds anything but numbers in that range; if
        labels are missing, or not as many as scores.
    """

    member: FloatArray
    nonmember: FloatArray
    kind: ScoreKind = "score"
    member_groups: Labels | None = None
    nonmember_groups: Labels | None = None
    provenance: Provenance | None = None

    def __post_init__(self) -> None:
        checks.choice("kind", self.kind, SCORE_KINDS)
        unit = "losses" if self.kind == "loss" else "scores"
        for name in ("member", "nonmember"):
            values = checks.finite_vector(f"{name} {unit}", getattr(self, name))
            if _is_beyond(values):
                checks.reals(f"{name} {unit}", values, -LARGEST, LARGEST)
            object.__setattr__(self, name, checks.read_only(values))
        if (self.member_groups is None) != (self.nonmember_groups is None):
            raise ValueError("member_groups and nonmember_groups must be given both or neither")
        for name in ("member", "nonmember"):
            given = getattr(self, f"{name}_groups")
            if given is not None:
                labels = one_label_each(f"{name}_groups", given, getattr(self, name))
                object.__setattr__(self, f"{name}_groups", labels)

    @classmethod
    def from_losses(
        cls,
        *,
        member: ArrayLike,
        nonmember: ArrayLike,
        member_groups: ArrayLike | None = None,
        nonmember_groups: ArrayLike | None = None,
        provenance: Provenance | None = None,
    ) -> "AttackScores":
        """Scores from losses: low loss = member-like, so ``score = -loss``."""
        return cls(
            member=_turned(checks.finite_vector("member losses", member)),
            nonmember=_turned(checks.finite_vector("nonmember losses", nonmember)),
            kind="loss",
            member_groups=_if_given("member_groups", member_groups),
            nonmember_groups=_if_given("nonmember_groups", nonmember_groups),
            provenance=provenance,
        )

    @classmethod
    def of_sorted(
        cls, member: FloatArray, nonmember: FloatArray, *, kind: ScoreKind
    ) -> "AttackScores":
        """From scores that are legal and ascending already: neither checked nor sorted again."""
        scores = cls.__new__(cls)
        scores.__dict__.update(
            member=member,
            nonmember=nonmember,
            kind=kind,
            sorted_member=checks.read_only(member),
            sorted_nonmember=checks.read_only(nonmember),
        )
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
        """From scores that are known to be finite and are nobody else's: they are not copied.

        Raises
        ------
        ValueError
            If a class is empty or a score beyond +-1e300.
        """
        if min(member.size, nonmember.size) == 0 or any(map(_is_beyond, (member, nonmember))):
            return cls(member=member, nonmember=nonmember, kind=kind)  # says what is wrong
        scores = cls.__new__(cls)
        scores.__dict__.update(
            member=checks.read_only(member),
            nonmember=checks.read_only(nonmember),
            kind=kind,
            provenance=provenance,
        )
        return scores

    @property
    def n_members(self) -> int:
        """Number of member records."""
        return self.member.size

    @property
    def n_nonmembers(self) -> int:
        """Number of non-member records."""
        return self.nonmember.size

    @property
    def is_sorted(self) -> bool:
        """Whether both classes have been sorted."""
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
    def members(self) -> Sorted:
        """Member scores in ascending order, asked for counts."""
        return Sorted(self.sorted_member)

    @property
    def nonmembers(self) -> Sorted:
        """Non-member scores in ascending order, asked for counts."""
        return Sorted(self.sorted_nonmember)

    def at_least(self, threshold: float) -> tuple[int, int]:
        """Numbers of members and of non-members with ``score >= threshold``; sorts nothing."""
        member, nonmember = (
            int(np.count_nonzero(values >= threshold)) for values in (self.member, self.nonmember)
        )
        return member, nonmember

    def pooled(self) -> Sorted:
        """The scores of both classes in ascending order."""
        # Two ascending runs: this sort merges them.
        return Sorted(
            np.sort(np.concatenate([self.sorted_member, self.sorted_nonmember]), kind="stable")
        )

    def distinct(self) -> FloatArray:
        """The distinct scores of both classes, ascending."""
        return np.unique(np.concatenate([self.sorted_member, self.sorted_nonmember]))

    def means(self) -> tuple[Sorted, Sorted]:
        """Members and non-members: what laws are fitted to."""
        return self.members, self.nonmembers

    def reversed(self) -> "AttackScores":
        """The attack that says "member" at the other end; thresholds keep the unit they had."""
        return AttackScores(
            member=-self.member,
            nonmember=-self.nonmember,
            kind="score" if self.kind == "loss" else "loss",
        )

    @cached_property
    def groups(self) -> tuple[str, ...]:
        """The distinct labels of both classes, "2" before "10"; empty where there are none."""
        return tuple(
            sorted({label for rows in self._rows for label in rows.labels}, key=natural_order)
        )

    def group_size(self, label: str | int) -> tuple[int, int]:
        """Numbers of members and of non-members with a label.

        Raises
        ------
        ValueError
            If no record has it.
        """
        text = str(label)
        sizes = [rows.size(text) for rows in self._rows]
        if not sum(sizes):
            raise checks.fail("label", f"one of the {len(self.groups)} groups", label)
        return sizes[0], sizes[1]

    def group(self, label: str | int) -> "AttackScores":
        """The scores of one label, in the order they have here.

        Raises
        ------
        ValueError
            If a class has none.
        """
        n_members, n_nonmembers = self.group_size(label)
        if min(n_members, n_nonmembers) == 0:
            raise ValueError(
                f"group {str(label)!r} must have members and non-members, got {n_members} members "
                f"and {n_nonmembers} non-members"
            )
        in_member, in_nonmember = (rows.rows(str(label)) for rows in self._rows)
        return AttackScores(
            member=self.member[in_member], nonmember=self.nonmember[in_nonmember], kind=self.kind
        )

    @cached_property
    def _rows(self) -> tuple[RowsByLabel, ...]:
        """Of members and of non-members; empty without labels."""
        if self.member_groups is None or self.nonmember_groups is None:
            return ()
        return RowsByLabel.of(self.member_groups), RowsByLabel.of(self.nonmember_groups)

    def __repr__(self) -> str:
        return (
            f"AttackScores(n_members={self.n_members}, n_nonmembers={self.n_nonmembers}, "
            f"kind={self.kind!r})"
        )

    def __str__(self) -> str:
        from dpviz.audit.understood import understood

        return "\n".join(understood(self))


def _is_beyond(scores: FloatArray) -> bool:
    return bool(max(scores.max(), -scores.min()) > LARGEST)


def _turned(losses: FloatArray) -> FloatArray:
    """In place: of a million losses, every copy counts."""
    return np.negative(losses, out=losses)


def _if_given(name: str, labels: ArrayLike | None) -> Labels | None:
    return None if labels is None else checked_labels(name, labels)


def in_unit(scores: Floats, kind: ScoreKind) -> Floats:
    """Scores in the unit the numbers came in, or the way back: the sign of a loss is turned."""
    return -scores if kind == "loss" else scores
