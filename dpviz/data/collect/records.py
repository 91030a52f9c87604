"""Records that were read: a number each, whether it was a member, perhaps a label."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.groups import Labels

Numbers = NDArray[Any]
"""Of any real type."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OneClass:
    """Numbers of one class, and their labels."""

    values: Numbers
    labels: Labels | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """Some records of a source, in its order and in the unit of the source.

    Parameters
    ----------
    values : array
        Finite numbers of any real type.
    is_member : array of bool
    labels : array of str, optional
    dropped : sequence of int
        Numbers of the rows that were left out, as the source counts.
    """

    values: Numbers
    is_member: NDArray[np.bool]
    labels: Labels | None = None
    dropped: Sequence[int] = ()

    @property
    def n_members(self) -> int:
        """Number of members among them."""
        return int(np.count_nonzero(self.is_member))

    def split(self) -> tuple[OneClass, OneClass]:
        """Members and non-members."""
        member, nonmember = (
            OneClass(
                values=self.values.take(rows),
                labels=None if self.labels is None else self.labels.take(rows),
            )
            for rows in (np.flatnonzero(self.is_member), np.flatnonzero(~self.is_member))
        )
        return member, nonmember
