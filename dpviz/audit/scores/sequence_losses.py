"""One loss per sequence from the losses of its tokens."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.checks import FloatArray

SequenceStatistic = Literal["mean", "sum", "min_k"]
HOWS = ("mean", "sum", "min_k")
Lengths = NDArray[np.intp]


def sequence_losses(
    token_losses: ArrayLike | Sequence[ArrayLike],
    *,
    how: SequenceStatistic = "mean",
    share: float = 0.2,
    mask: ArrayLike | Sequence[ArrayLike] | None = None,
) -> FloatArray:
    """One loss per sequence from the losses ``-log p`` of its tokens; low = member-like.

    Parameters
    ----------
    token_losses : array, shape (n, length), or sequence of n one-dimensional arrays
        Cross-entropy of each token given those before it: padded to one length (then `mask` says
        what is padding), or sequences of different lengths.
    how : {"mean", "sum", "min_k"}
        "mean" is the log of the perplexity. "sum" is minus the log-likelihood of the sequence, and
        grows with its length. "min_k" is the mean of the largest losses, those of the least likely
        tokens: Min-K% Prob of Shi et al., "Detecting Pretraining Data from Large Language Models"
        (2024, arXiv:2310.16789), negated.
    share : float
        In (0, 1]: "min_k" averages ``floor(share * tokens)`` of a sequence's counted tokens, at
        least one.
    mask : array of 0/1 or bool, of the shape of `token_losses`, optional
        1 = the token counts; other entries may be anything, NaN too. Left out: all tokens count.

    Returns
    -------
    ndarray, shape (n,), in the order of the sequences

    Raises
    ------
    ValueError
        If there is no sequence, a sequence has no counted token, a counted loss is not finite,
        shapes do not fit, or `share` is outside its range.

    Examples
    --------
    >>> from dpviz import sequence_losses
    >>> sequence_losses([[0.1, 2.0, 4.0], [1.0, 3.0]], how="min_k", share=0.5)
    array([4., 3.])
    """
    checks.choice("how", how, HOWS)
    checks.real("share", share, 0, 1, closed="right")
    losses, lengths = _one_after_another("token_losses", token_losses, checks.numeric)
    sequence = np.repeat(np.arange(lengths.size), lengths)
    place = np.arange(losses.size) - np.repeat(_starts(lengths), lengths)
    if mask is not None:
        counted = _counted(mask, lengths)
        losses, sequence, place = losses[counted], sequence[counted], place[counted]
        lengths = np.bincount(sequence, minlength=lengths.size)
    if lengths.size == 0:
        raise ValueError("token_losses must not be empty, got 0 sequences")
    if not lengths.all():
        empty = np.flatnonzero(lengths == 0)
        raise ValueError(
            "token_losses must have a counted token in every sequence, got none in "
            f"{empty.size} of {lengths.size}, the first of them sequence {empty[0]}"
        )
    bad = np.flatnonzero(~np.isfinite(losses))
    if bad.size:
        first = bad[0]
        raise checks.fail(
            f"token_losses[{sequence[first]}][{place[first]}]",
            f"finite, as all that count ({bad.size} are not)",
            losses[first],
        )
    if how == "min_k":
        losses, lengths = _largest(losses, sequence, lengths, share)
    sums = np.add.reduceat(losses, _starts(lengths))
    return sums if how == "sum" else np.asarray(sums / lengths)


def _largest(
    losses: FloatArray, sequence: NDArray[np.intp], lengths: Lengths, share: float
) -> tuple[FloatArray, Lengths]:
    """The largest losses of each sequence, and how many they are."""
    # In floats 0.29 * 100 is one step below 29.
    kept = np.maximum(np.floor(np.nextafter(share * lengths, np.inf)), 1).astype(np.intp)
    descending = np.lexsort((-losses, sequence))
    rank = np.arange(losses.size) - np.repeat(_starts(lengths), lengths)
    return losses[descending[rank < np.repeat(kept, lengths)]], kept


def _counted(mask: ArrayLike | Sequence[ArrayLike], lengths: Lengths) -> NDArray[np.bool]:
    flags, mask_lengths = _one_after_another("mask", mask, zero_or_one)
    if mask_lengths.size != lengths.size:
        raise checks.fail("mask", f"of {lengths.size} sequences", mask_lengths.size)
    differ = mask_lengths != lengths
    if differ.any():
        i = int(np.argmax(differ))
        raise checks.fail(f"mask[{i}]", f"of {lengths[i]} tokens", int(mask_lengths[i]))
    return np.asarray(flags == 1)


def _one_after_another(
    name: str, sequences: Any, numbers: Callable[[str, ArrayLike], FloatArray]
) -> tuple[FloatArray, Lengths]:
    """All entries in one vector, and the length of each sequence."""
    if not isinstance(sequences, list | tuple):
        table = np.asarray(sequences)
        if table.ndim == 2:
            return numbers(name, table).ravel(), np.full(table.shape[0], table.shape[1])
        if table.ndim != 1 or table.dtype != object:
            condition = "two-dimensional or a list of one-dimensional arrays"
            raise checks.fail(name, condition, table.shape)
        sequences = table.tolist()
    rows = [numbers(f"{name}[{i}]", row) for i, row in enumerate(sequences)]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise checks.fail(f"{name}[{i}]", "one-dimensional", row.shape)
    lengths = np.array([row.size for row in rows], dtype=np.intp)
    return np.concatenate(rows) if rows else np.empty(0), lengths


def zero_or_one(name: str, values: ArrayLike) -> FloatArray:
    """Truth values, or numbers 1 and 0, as numbers; ValueError for anything else."""
    array = np.asarray(values)
    flags = checks.numeric(name, array * 1 if array.dtype == np.bool else array)
    coded = (flags == 0) | (flags == 1)
    if not coded.all():
        raise checks.fail(name, "true/false or 1/0", flags[~coded].flat[0])
    return flags


def _starts(lengths: Lengths) -> Lengths:
    return np.cumsum(lengths) - lengths
