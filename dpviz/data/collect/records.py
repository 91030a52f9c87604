"""Records of a source: a number, the membership and optionally a label of each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.scores.groups import Labels

Numbers = NDArray[Any]  # of any real type


@dataclass(frozen=True, kw_only=True, eq=False)
class OneClass:
    """Numbers and labels of the members or of the non-members."""

    values: Numbers
    labels: Labels | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """Some records of a source: finite numbers, in the order and in the unit of the source.

    `dropped`: numbers of the rows left out, as the source counts them.
    """

    values: Numbers
    is_member: NDArray[np.bool]
    labels: Labels | None = None
    dropped: Sequence[int] = ()

    @property
    def n_members(self) -> int:
        """Number of members."""
        return int(np.count_nonzero(self.is_member))

    def split(self) -> tuple[OneClass, OneClass]:
        """The members, and the non-members."""
        member, nonmember = (
            OneClass(
                values=self.values.take(rows),
                labels=None if self.labels is None else self.labels.take(rows),
            )
            for rows in (np.flatnonzero(self.is_member), np.flatnonzero(~self.is_member))
        )
        return member, nonmember
