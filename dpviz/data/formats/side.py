"""One class of records, and scores from two of them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.binned_scores import Scores
from dpviz.audit.provenance import Provenance
from dpviz.audit.scores import ScoreKind
from dpviz.data.bins import Bins, refined
from dpviz.data.formats.dropped import Dropped
from dpviz.data.formats.file import File
from dpviz.data.formats.format import Missing, ReadError, ReadOptions
from dpviz.data.formats.gathered import Gathered
from dpviz.data.formats.progress import announced, bar
from dpviz.data.formats.real_arrays import Reals, one_dimensional, reals_of
from dpviz.data.formats.records import Records

MEMORY_PER_NUMBER = 24
"""Bytes: the number, its score, and a copy while it is sorted."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Side:
    """The numbers of the members, or of the non-members.

    Parameters
    ----------
    where : str
        What messages call it.
    blocks : callable
        Gives one-dimensional arrays of real numbers, NaN where one is missing, from the first on.
    memory : int
        Bytes that all of them take at once; 0 for what is in memory already.
    n_blocks : int
        How many blocks there will be, roughly.
    kind : {"loss", "score"}, optional
        The unit, where its name tells.
    """

    where: str
    blocks: Callable[[], Iterator[Reals]]
    memory: int = 0
    n_blocks: int = 1
    kind: ScoreKind | None = None

    @classmethod
    def of(cls, values: Any, where: str, kind: ScoreKind | None = None) -> "Side":
        """From an array, a list or a tensor.

        Raises
        ------
        ReadError
            If it is not one-dimensional or does not hold real numbers.
        """
        array = one_dimensional(reals_of(values, where), where)
        return cls(where=where, blocks=lambda: iter([array]), kind=kind)

    def records(self, is_member: bool, missing: Missing) -> Iterator[Records]:
        """What is there; positions count from 0.

        Raises
        ------
        ReadError
            If a number is infinite or (unless dropped) missing.
        """
        begin = 0
        for values in self.blocks():
            bad = _not_finite(values, missing)
            if bad.any():
                raise self._error(int(np.argmax(bad)), begin, values, missing)
            lost = np.isnan(values)
            kept = values[~lost] if lost.any() else values
            yield Records(
                values=kept,
                is_member=np.full(kept.size, is_member),
                dropped=(begin + np.flatnonzero(lost)).tolist(),
            )
            begin += values.size

    def _error(self, i: int, begin: int, values: Reals, missing: Missing) -> ReadError:
        n = sum(int(_not_finite(block, missing).sum()) for block in self.blocks())
        some_missing = any(np.isnan(block).any() for block in self.blocks())
        can_drop = some_missing and missing == "refuse"
        hint = '; missing="drop" drops them' if can_drop and np.isnan(values[i]) else ""
        return ReadError(
            f"{self.where}, position {begin + i}: expected a finite number, got "
            f"{float(values[i])!r} ({n} such{hint})"
        )


def _not_finite(values: Reals, missing: Missing) -> NDArray[np.bool]:
    return np.isinf(values) if missing == "drop" else ~np.isfinite(values)


def scores_of_sides(
    member: Side,
    nonmember: Side,
    options: ReadOptions,
    *,
    kind: ScoreKind,
    source: str,
    loader: str,
    understood: str,
    file: File | None = None,
) -> Scores:
    """Scores of two classes: exact values, or exact counts where they would take too much memory.

    Parameters
    ----------
    member, nonmember : Side
    options : ReadOptions
        Of which `missing`, `memory` and `progress` are looked at.
    kind : {"loss", "score"}
    source, loader, understood : str
        For the `Provenance`.
    file : File, optional
        The one file both come from.

    Raises
    ------
    ReadError
        If a number is not finite (unless dropped), or a class is empty.

    Warns
    -----
    UserWarning
        If numbers were dropped.
    """
    needed = member.memory + nonmember.memory
    is_large = needed > 0 and needed > options.memory
    sink: Bins | Gathered = Bins(kind) if is_large else Gathered(kind)
    progress = options.progress or (bar if is_large else iter)
    sides = ((member, True), (nonmember, False))

    def read(side: Side, is_member: bool) -> Iterator[Records]:
        return announced(side.records(is_member, options.missing), side.n_blocks, progress)

    n_dropped, said = 0, []
    try:
        for side, is_member in sides:
            dropped, n_kept = Dropped(side.where), 0
            for records in read(side, is_member):
                sink.add(records)
                dropped.add(records)
                n_kept += records.values.size
            if n_kept == 0:
                raise ReadError(f"{side.where}: expected numbers, got none but missing ones")
            dropped.warn()
            n_dropped += dropped.n
            said += [f"{side.where}: {dropped.said}"] if dropped.n else []
        provenance = Provenance(
            source=source,
            loader=loader,
            understood=understood,
            kind=kind,
            n_rows=sum(sink.sizes) + n_dropped,
            n_dropped=n_dropped,
            dropped="; ".join(said),
            path=None if file is None else file.path,
            sha256=None if file is None else file.sha256,
        )
        if isinstance(sink, Gathered):
            return sink.scores(provenance)
        return refined(sink.scores(provenance), lambda: chain(*(read(*side) for side in sides)))
    except ReadError:
        raise
    except ValueError as error:
        raise ReadError(f"{source}: {error}") from None
