"""Records that fit in memory, gathered piece by piece."""

import numpy as np

from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import AttackScores, ScoreKind
from dpviz.data.bins import Bins
from dpviz.data.formats.records import OneClass, Records

MEMORY_PER_RECORD = 32
"""Bytes: the number, all numbers in one array, the scores, and these sorted."""


class Gathered:
    """What grows into `AttackScores`.

    Parameters
    ----------
    kind : {"loss", "score"}
        Unit of the numbers.
    """

    def __init__(self, kind: ScoreKind) -> None:
        self._kind = kind
        self._parts: tuple[list[OneClass], list[OneClass]] = ([], [])

    def add(self, records: Records) -> None:
        """Take some more."""
        for parts, part in zip(self._parts, records.split(), strict=True):
            parts.append(part)

    @property
    def sizes(self) -> tuple[int, int]:
        """Members and non-members so far."""
        members, nonmembers = (sum(part.values.size for part in parts) for parts in self._parts)
        return members, nonmembers

    @property
    def memory(self) -> int:
        """Bytes that scores of what there is so far take."""
        return sum(self.sizes) * MEMORY_PER_RECORD

    def counted(self) -> Bins:
        """The same records, counted: where there are more than was expected."""
        bins = Bins(self._kind)
        for parts, is_member in zip(self._parts, (True, False), strict=True):
            for part in parts:
                membership = np.full(part.values.size, is_member)
                bins.add(Records(values=part.values, is_member=membership))
        return bins

    def scores(self, provenance: Provenance) -> AttackScores:
        """All of them, in their order; losses are turned once.

        Raises
        ------
        ValueError
            If a number is beyond +-1e300.
        """
        with np.errstate(over="ignore"):  # of longer floats: infinite is beyond, too
            member, nonmember = (
                np.concatenate(
                    [part.values for part in parts], dtype=np.float64, casting="same_kind"
                )
                for parts in self._parts
            )
        labels = [
            [part.labels for part in parts if part.labels is not None] for parts in self._parts
        ]
        if any(labels):
            build = AttackScores.from_losses if self._kind == "loss" else AttackScores
            member_groups, nonmember_groups = map(np.concatenate, labels)
            return build(
                member=member,
                nonmember=nonmember,
                member_groups=member_groups,
                nonmember_groups=nonmember_groups,
                provenance=provenance,
            )
        if self._kind == "loss":
            np.negative(member, out=member)
            np.negative(nonmember, out=nonmember)
        return AttackScores.of_finite(member, nonmember, kind=self._kind, provenance=provenance)
