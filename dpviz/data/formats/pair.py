"""A pair of arrays: the numbers of the members, then those of the non-members."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.audit.scores import AttackScores
from dpviz.data.formats.dropped import warn_dropped
from dpviz.data.formats.format import Format, ReadError, ReadOptions


def _accepts(source: object) -> bool:
    return isinstance(source, tuple | list)


def _read(source: tuple[Any, ...] | list[Any], options: ReadOptions) -> AttackScores:
    options.refuse_columns("a pair of arrays")
    if len(source) != 2:
        raise ReadError(
            "a pair must be two arrays (member_losses, nonmember_losses), "
            f"got a {type(source).__name__} of {len(source)}"
        )
    unit = "scores" if options.kind == "score" else "losses"
    member, nonmember = source
    if options.missing == "drop":
        member = _without_missing(f"member {unit}", member)
        nonmember = _without_missing(f"nonmember {unit}", nonmember)
    if options.kind == "score":
        return AttackScores(member=member, nonmember=nonmember, kind="score")
    return AttackScores.from_losses(member=member, nonmember=nonmember)


def _without_missing(where: str, values: ArrayLike) -> ArrayLike:
    import pandas as pd

    array = np.asarray(values)
    missing = np.asarray(pd.isna(array))
    if not missing.any() or array.ndim != 1:
        return values
    warn_dropped(where, np.flatnonzero(missing).tolist(), array.size)
    kept: list[Any] = array[~missing].tolist()
    return kept


PAIR = Format("a pair (member_losses, nonmember_losses)", _accepts, _read)
