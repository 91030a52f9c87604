"""From a model's predictions to the losses an attacker compares.

The loss is the negative logit of the true class, ``-logit(p_y)`` (footnote 1 of the Epsilon* paper;
"LiRA" of Carlini et al. 2022 uses its negative): unlike cross-entropy it does not pile up at 0 for
confident models. Low = the model fits the record well = member-like.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from dpviz import checks
from dpviz.checks import FloatArray

ROW_SUM_TOLERANCE = 1e-6


def losses_from_probabilities(
    probabilities: ArrayLike, labels: ArrayLike, *, logit_clip: float | None = None
) -> FloatArray:
    """Losses ``-logit(p_y)`` from predicted probabilities.

    Parameters
    ----------
    probabilities : array, shape (n,) or (n, k)
        One-dimensional: the probability of class 1. Two-dimensional: one row per record, summing
        to 1 within 1e-6.
    labels : array of int, shape (n,)
        True classes: 0 or 1, respectively 0..k-1.
    logit_clip : float, optional
        In (0, 0.5). The probability of the true class is moved into [logit_clip, 1 - logit_clip],
        which bounds the losses and makes ties of what is moved. 2**-24 suits float32 probabilities,
        2**-53 float64. Left out: probabilities 0 and 1 give infinite losses, which `AttackScores`
        refuses.

    Returns
    -------
    ndarray, shape (n,)
        Losses in [-inf, inf].

    Raises
    ------
    ValueError
        If a probability leaves [0, 1], a row does not sum to 1, or a label is not a class.
    """
    p = checks.reals("probabilities", probabilities, 0, 1)
    if p.ndim not in (1, 2):
        raise checks.fail("probabilities", "one- or two-dimensional", p.shape)
    if p.ndim == 1:
        y = _classes(labels, n=p.size, n_classes=2)
        own, other = np.where(y == 1, p, 1 - p), np.where(y == 1, 1 - p, p)
    else:
        sums = p.sum(axis=1)
        bad = np.abs(sums - 1) > ROW_SUM_TOLERANCE
        if bad.any():
            row = int(np.argmax(bad))
            raise checks.fail(
                f"probabilities, row {row},", "a row that sums to 1", float(sums[row])
            )
        y = _classes(labels, n=p.shape[0], n_classes=p.shape[1])
        own = p[np.arange(y.size), y]
        # The sum over the other classes keeps the digits that 1 - p_y loses near p_y = 1.
        mask = np.arange(p.shape[1]) == y[:, None]
        other = np.where(mask, 0.0, p).sum(axis=1)
    if logit_clip is not None:
        low = checks.real("logit_clip", logit_clip, 0, 0.5, closed="neither")
        own, other = np.clip(own, low, 1 - low), np.clip(other, low, 1 - low)
    with np.errstate(divide="ignore"):
        return np.log(other) - np.log(own)


def losses_from_logits(logits: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Losses ``-logit(p_y)`` from logits; exact where probabilities would saturate.

    Parameters
    ----------
    logits : array, shape (n,) or (n, k)
        One-dimensional: the logit of class 1. Two-dimensional: one row of class logits per record.
    labels : array of int, shape (n,)
        True classes: 0 or 1, respectively 0..k-1.

    Returns
    -------
    ndarray, shape (n,)
        ``logsumexp_{j != y} z_j - z_y``.

    Raises
    ------
    ValueError
        If a logit is NaN, two classes of a row are certain, or a label is not a class.
    """
    z = checks.reals("logits", logits)
    if z.ndim == 1:
        y = _classes(labels, n=z.size, n_classes=2)
        return np.where(y == 1, -z, z)
    if z.ndim != 2:
        raise checks.fail("logits", "one- or two-dimensional", z.shape)
    y = _classes(labels, n=z.shape[0], n_classes=z.shape[1])
    mask = np.arange(z.shape[1]) == y[:, None]
    with np.errstate(invalid="ignore"):
        others = logsumexp(np.where(mask, -np.inf, z), axis=1)
        losses = np.asarray(others - z[np.arange(y.size), y])
    if np.isnan(losses).any():
        row = int(np.argmax(np.isnan(losses)))
        raise checks.fail(f"logits, row {row},", "certain of at most one class", z[row].tolist())
    return losses


def _classes(
    labels: ArrayLike, *, n: int, n_classes: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    given = np.asarray(labels)
    y = checks.reals("labels", given * 1 if given.dtype == np.bool else labels, 0, n_classes - 1)
    if y.shape != (n,):
        raise checks.fail("labels", f"of shape ({n},)", y.shape)
    fractional = y != np.floor(y)
    if fractional.any():
        raise checks.fail("labels", "whole numbers", y[fractional][0])
    return y.astype(np.int64)
