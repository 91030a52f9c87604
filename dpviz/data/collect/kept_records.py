"""Records that fit in memory, kept piece by piece."""

import sys
from itertools import islice

import numpy as np

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import ScoreKind
from dpviz.audit.scores.groups import Labels
from dpviz.audit.scores.provenance import Provenance
from dpviz.data.collect.bins import Bins
from dpviz.data.collect.records import OneClass, Records

MEMORY_PER_RECORD = 32  # bytes: the number, its copy in one array, the score, the sorted score
MEMORY_PER_LABEL = 24  # bytes for a record: its place in a piece, in one array and in the scores


class KeptRecords:
    """Records from which `AttackScores` are made; `kind` is the unit of their numbers."""

    def __init__(self, kind: ScoreKind) -> None:
        self._kind = kind
        self._parts: tuple[list[OneClass], list[OneClass]] = ([], [])
        self._labels: dict[str, str] = {}  # one text of each, however often it is found
        self._label_memory = 0

    def add(self, records: Records) -> None:
        """Keep more records."""
        for parts, part in zip(self._parts, records.split(), strict=True):
            labels = None if part.labels is None else self._shared(part.labels)
            parts.append(OneClass(values=part.values, labels=labels))

    def _shared(self, labels: Labels) -> Labels:
        """The same labels, of which each is in memory once."""
        n_before = len(self._labels)
        shared = [self._labels.setdefault(label, label) for label in labels.tolist()]
        new = islice(self._labels, n_before, None)
        self._label_memory += len(shared) * MEMORY_PER_LABEL + sum(map(sys.getsizeof, new))
        return np.array(shared, dtype=object)

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of members and of non-members so far."""
        members, nonmembers = (sum(part.values.size for part in parts) for parts in self._parts)
        return members, nonmembers

    @property
    def memory(self) -> int:
        """Bytes that scores of the records so far take."""
        return sum(self.sizes) * MEMORY_PER_RECORD + self._label_memory

    def counted(self) -> Bins:
        """Counts of the same records, to go on with if there are more than expected."""
        bins = Bins(self._kind)
        for parts, is_member in zip(self._parts, (True, False), strict=True):
            for part in parts:
                membership = np.full(part.values.size, is_member)
                bins.add(Records(values=part.values, is_member=membership))
        return bins

    def scores(self, provenance: Provenance) -> AttackScores:
        """Scores of all records, in their order; ValueError if a number is beyond +-1e300."""
        with np.errstate(over="ignore"):  # a longer float may become infinite, which is beyond
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
