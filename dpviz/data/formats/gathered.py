"""Records that fit in memory, gathered piece by piece."""

import numpy as np

from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import AttackScores, ScoreKind
from dpviz.data.formats.records import OneClass, Records


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

    def scores(self, provenance: Provenance) -> AttackScores:
        """All of them, in their order; losses are turned once, by `from_losses`."""
        member, nonmember = (
            np.concatenate([part.values for part in parts]) for parts in self._parts
        )
        labels = [
            [part.labels for part in parts if part.labels is not None] for parts in self._parts
        ]
        member_groups, nonmember_groups = (
            np.concatenate(each) if each else None for each in labels
        )
        build = AttackScores.from_losses if self._kind == "loss" else AttackScores
        return build(
            member=member,
            nonmember=nonmember,
            member_groups=member_groups,
            nonmember_groups=nonmember_groups,
            provenance=provenance,
        )
