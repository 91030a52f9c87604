"""Losses of records from a model's predictions.

The loss is the negative logit of the true class, ``-logit(p_y)`` (footnote 1 of the Epsilon* paper;
"LiRA" of Carlini et al. 2022 uses its negative): unlike cross-entropy it does not pile up at 0 for
confident models. Low = the model fits the record well = member-like.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logsumexp

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.warn import warn_caller

Classes = NDArray[np.int64]
ROW_SUM_TOLERANCE = 1e-6  # float32 probabilities of many classes sum to 1 within this


def losses_from_probabilities(
    probabilities: ArrayLike, labels: ArrayLike, *, logit_clip: float | None = None
) -> FloatArray:
    """Losses ``-logit(p_y)`` from predicted probabilities.

    Where logits are available, :func:`losses_from_logits` gives the same losses without saturation.

    Parameters
    ----------
    probabilities : array, shape (n,) or (n, k)
        In [0, 1]. One-dimensional: the probability of class 1. Two-dimensional: one column per
        class, k >= 2, each row summing to 1 within 1e-6 (what float16 rounds does not).
    labels : array of int, shape (n,), true classes: 0 or 1, respectively 0..k-1
    logit_clip : float, optional
        In (0, 0.5). The probability of the true class is moved into [logit_clip, 1 - logit_clip],
        which bounds the losses and makes ties of what is moved. 2**-24 suits float32 probabilities,
        2**-53 float64; where the other columns keep small probabilities, a smaller one moves less.
        Left out: probabilities 0 and 1 give infinite losses, which `AttackScores` rejects.

    Returns
    -------
    ndarray, shape (n,), losses in [-inf, inf]

    Raises
    ------
    ValueError
        If a probability leaves [0, 1], a row does not sum to 1, or a label is not a class.

    Warns
    -----
    UserWarning
        If `logit_clip` moved probabilities: how many.

    Examples
    --------
    >>> from dpviz import losses_from_probabilities
    >>> losses_from_probabilities([[0.9, 0.1], [0.5, 0.5]], [0, 1]).round(3)
    array([-2.197,  0.   ])
    """
    p = checks.reals("probabilities", probabilities, 0, 1)
    y = _classes(labels, *_records_and_classes("probabilities", p))
    if p.ndim == 1:
        own, other = np.where(y == 1, p, 1 - p), np.where(y == 1, 1 - p, p)
    else:
        sums = p.sum(axis=1)
        bad = np.abs(sums - 1) > ROW_SUM_TOLERANCE
        if bad.any():
            row = int(np.argmax(bad))
            condition = f"a row that sums to 1 within {ROW_SUM_TOLERANCE:g} (or pass logits)"
            raise checks.fail(f"probabilities, row {row},", condition, float(sums[row]))
        own = p[np.arange(y.size), y]
        # The sum over the other classes keeps the digits that 1 - p_y loses near p_y = 1.
        other = np.where(_is_own(y, p.shape[1]), 0.0, p).sum(axis=1)
    with np.errstate(divide="ignore"):
        losses = np.log(other) - np.log(own)
    if logit_clip is None:
        return losses
    losses, n_moved = clipped_losses(losses, logit_clip)
    if n_moved:
        warn_caller(
            f"probabilities of the true class: logit_clip={logit_clip:.3g} moved {n_moved} of "
            f"{losses.size}; those at one end are tied"
        )
    return losses


def losses_from_logits(logits: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Losses ``-logit(p_y)`` from logits; exact where probabilities would saturate.

    The same losses as :func:`losses_from_probabilities` of the sigmoid of one-dimensional, the
    softmax of two-dimensional logits.

    Parameters
    ----------
    logits : array, shape (n,) or (n, k)
        One-dimensional: the logit of class 1. Two-dimensional: one column per class, k >= 2.
        Rows of log-probabilities are logits too.
    labels : array of int, shape (n,), true classes: 0 or 1, respectively 0..k-1

    Returns
    -------
    ndarray, shape (n,), ``logsumexp_{j != y} z_j - z_y``

    Raises
    ------
    ValueError
        If a logit is NaN, two classes of a row are certain, or a label is not a class.

    Examples
    --------
    >>> from dpviz import losses_from_logits
    >>> losses_from_logits([[3.0, 0.0], [-1.0, 1.0]], [0, 1])
    array([-3., -2.])
    """
    z = checks.reals("logits", logits)
    y = _classes(labels, *_records_and_classes("logits", z))
    if z.ndim == 1:
        return np.where(y == 1, -z, z)
    others = np.where(_is_own(y, z.shape[1]), -np.inf, z)
    # Two differences: a constant added to all logits of a row cancels before rounding.
    top = others.max(axis=1, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        behind = logsumexp(others - top[:, None], axis=1)
        losses = np.asarray((top - z[np.arange(y.size), y]) + behind)
    if np.isnan(losses).any():
        row = int(np.argmax(np.isnan(losses)))
        raise checks.fail(f"logits, row {row},", "certain of at most one class", z[row].tolist())
    return losses


def clipped_losses(losses: FloatArray, logit_clip: float) -> tuple[FloatArray, int]:
    """Losses of probabilities moved into [logit_clip, 1 - logit_clip], and how many that moves."""
    low = checks.real("logit_clip", logit_clip, 0, 0.5, closed="neither")
    largest = np.log(1 - low) - np.log(low)
    return np.clip(losses, -largest, largest), int((np.abs(losses) > largest).sum())


def advised_clip(losses: FloatArray, dtype: np.dtype[Any]) -> str:
    """The largest power of two as a `logit_clip` that bounds infinite losses and moves no other.

    At most 2**-24, for probabilities of float64 2**-53: the step below 1.
    """
    finite = np.abs(losses[np.isfinite(losses)])
    smallest = max(expit(-float(finite.max(initial=0.0))), np.nextafter(0.0, 1.0))
    step = -24 if dtype == np.float32 else -53
    return f"2**{min(step, int(np.floor(np.log2(smallest))))}"


def _records_and_classes(name: str, predictions: FloatArray) -> tuple[int, int]:
    if predictions.ndim == 1:
        return predictions.size, 2
    if predictions.ndim != 2:
        raise checks.fail(name, "one- or two-dimensional", predictions.shape)
    if predictions.shape[1] < 2:
        raise checks.fail(name, "one-dimensional or of two columns or more", predictions.shape)
    return predictions.shape[0], predictions.shape[1]


def _is_own(classes: Classes, n_classes: int) -> NDArray[np.bool]:
    return np.asarray(np.arange(n_classes) == classes[:, None])


def _classes(labels: ArrayLike, n: int, n_classes: int) -> Classes:
    given = np.asarray(labels)
    y = checks.reals("labels", given * 1 if given.dtype == np.bool else labels, 0, n_classes - 1)
    if y.shape != (n,):
        raise checks.fail("labels", f"of shape ({n},)", y.shape)
    fractional = y != np.floor(y)
    if fractional.any():
        raise checks.fail("labels", "whole numbers", y[fractional][0])
    return y.astype(np.int64)
