"""A fixed grid of scores: cells are the leading bits of float32 numbers.

The bits of positive floats ascend with them, those of negative floats descend; flipped accordingly,
they order all floats. The grid does not depend on data, so counts of different files add up. A
score falls into the cell of the largest float32 that is not above it, and cells begin at float32
numbers: ``score >= edge`` is the same before and after rounding.
"""

import numpy as np
from numpy.typing import NDArray

from dpviz.checks import FloatArray

BITS = 20  # leading bits that define a cell: sign, exponent, and 11 binary digits
LARGEST = float(np.finfo(np.float32).max)  # of the numbers on the grid, about 3.4e38
SIGN = np.uint32(1 << 31)  # the bit of a float32 that says it is negative


def rounded_down(scores: NDArray[np.floating]) -> NDArray[np.float32]:
    """The largest float32 that is not above each score, which may be as large as `LARGEST`."""
    if scores.dtype == np.float32:
        return scores.astype(np.float32, copy=False)
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32)  # to the nearest
        above = np.flatnonzero(rounded > scores)
        rounded[above] = np.nextafter(rounded[above], np.float32(-np.inf))
    return rounded


def keys(scores32: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Integers in the order of the (finite) floats; -0.0 and 0.0 share one."""
    found = (scores32 + np.float32(0)).view(np.uint32)  # + 0: one zero has no sign
    turned = (found.view(np.int32) >> 31).view(np.uint32)  # all bits of a negative number
    turned |= SIGN
    found ^= turned
    return found


def cells(scores: NDArray[np.floating], *, bits: int = BITS) -> NDArray[np.uint32]:
    """The cell of each score, from 0 to 2**bits - 1, ascending with them."""
    found = keys(rounded_down(scores))
    found >>= np.uint32(32 - bits)
    return found


def edges(cells: NDArray[np.integer], *, bits: int = BITS) -> FloatArray:
    """The smallest float32 of each cell, as float64."""
    smallest = cells.astype(np.uint32) << np.uint32(32 - bits)
    turned = np.where(smallest & SIGN, SIGN, ~np.uint32(0))
    return (smallest ^ turned).view(np.float32).astype(np.float64)
