"""Second pass over a source: cells that may hide a maximum are counted float32 by float32."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.epsilon_star.rounding_gap import cells_worth_opening
from dpviz.audit.scores.base import ScoreKind
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.float_grid import cells, edges
from dpviz.checks import FloatArray
from dpviz.data.collect.bins import AT_ONCE, N_CELLS, REST, Bins
from dpviz.data.collect.records import Records
from dpviz.data.sources.options import ReadError

MOST_CELLS = 128  # cells counted again, of 4096 numbers each: 12 MiB of counts


def refined(scores: BinnedScores, records: Callable[[], Iterable[Records]]) -> BinnedScores:
    """Return the same scores, exact to the last bit of a float32 where the maxima may lie.

    `records` reads all records again. What lies between two neighbouring float32 numbers stays
    unresolved. Raises ReadError if the records are not those that were counted.
    """
    return with_cells_counted(scores, lambda codes: counts_inside(codes, records(), scores.kind))


def with_cells_counted(
    scores: BinnedScores, counts_of: Callable[[NDArray[np.uint32]], NDArray[np.int64]]
) -> BinnedScores:
    """Return the scores with some cells resolved; `counts_of` gives their `counts_inside`.

    Raises ReadError if the records are not those that were counted.
    """
    places = cells_worth_opening(scores, most=MOST_CELLS)
    if places.size == 0:
        return scores
    codes = cells(scores.thresholds[places])
    counts = counts_of(codes)
    before = np.array([scores.nonmember_counts[places], scores.member_counts[places]])
    if (counts[:2].sum(axis=2) != before).any():
        source = "the source" if scores.provenance is None else scores.provenance.source
        raise ReadError(f"{source}: expected the same records in a second reading, got others")
    return _replaced(scores, places, codes, counts)


def counts_inside(
    codes: NDArray[np.uint32], records: Iterable[Records], kind: ScoreKind
) -> NDArray[np.int64]:
    """Count records at every float32 of some cells; shape (3, cells, 4096).

    First non-members, then members from a float32 up to the next one, then those of both classes
    strictly above it.
    """
    bins, size = Bins(kind), 2**REST
    counts = np.zeros((3, codes.size, size), np.int64)
    flat = counts.reshape(-1)
    is_wanted = np.zeros(N_CELLS, np.bool)
    is_wanted[codes] = True
    for some in records:
        for begin in range(0, some.values.size, AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            keys, is_above = bins.keys_of(some.values[part])
            # take() with the machine's index type halves the time of is_wanted[...].
            found = np.flatnonzero(is_wanted.take((keys >> np.uint32(REST)).astype(np.intp)))
            keys = keys[found]
            place = np.searchsorted(codes, keys >> np.uint32(REST))
            place = place * size + (keys & np.uint32(size - 1))
            np.add.at(flat, place + some.is_member[part][found] * codes.size * size, 1)
            if is_above is not None:
                np.add.at(flat, place[is_above[found]] + 2 * codes.size * size, 1)
    return counts


def _replaced(
    scores: BinnedScores,
    places: NDArray[np.int64],
    codes: NDArray[np.uint32],
    counts: NDArray[np.int64],
) -> BinnedScores:
    """Put every float32 that has records in the place of the cells that were counted again."""
    cell, rest = np.nonzero(counts.any(axis=0))
    found = edges((codes[cell] << np.uint32(REST)) + rest.astype(np.uint32), bits=32)
    stays = np.ones(scores.thresholds.size, np.bool)
    stays[places] = False
    thresholds = np.concatenate([scores.thresholds[stays], found])
    order = np.argsort(thresholds)
    nonmember, member, above = counts[:, cell, rest]
    half_way = (found + np.nextafter(found.astype(np.float32), np.float32(np.inf))) / 2

    def together(stayed: NDArray[np.generic] | None, new: NDArray[np.generic]) -> NDArray[Any]:
        whole = scores.thresholds if stayed is None else stayed
        return np.concatenate([whole[stays], new])[order]

    def mean(n: NDArray[np.int64]) -> FloatArray:
        return np.where((above > 0) & (n > 0), half_way, found)

    return BinnedScores(
        thresholds=thresholds[order],
        member_counts=together(scores.member_counts, member),
        nonmember_counts=together(scores.nonmember_counts, nonmember),
        member_means=together(scores.member_means, mean(member)),
        nonmember_means=together(scores.nonmember_means, mean(nonmember)),
        kind=scores.kind,
        provenance=scores.provenance,
    )
