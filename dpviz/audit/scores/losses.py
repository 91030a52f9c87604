"""Losses of records from predictions, of sequences from token losses, and scores of users.

The loss is the negative logit of the true class, ``-logit(p_y)`` (footnote 1 of the Epsilon* paper;
"LiRA" of Carlini et al. 2022 uses its negative): unlike cross-entropy it does not pile up at 0 for
confident models. Low = the model fits the record well = member-like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, require_unbinned
from dpviz.audit.scores.base import Labels, Rows, check_and_factorise
from dpviz.checks import FloatArray, warn_caller

Classes = NDArray[np.int64]
Lengths = NDArray[np.intp]
SequenceStatistic = Literal["mean", "sum", "min_k"]
SEQUENCE_STATISTICS = ("mean", "sum", "min_k")
UserStatistic = Literal["mean", "max", "min", "sum", "median"]
USER_STATISTICS = ("mean", "max", "min", "sum", "median")
ROW_SUM_TOLERANCE = 1e-6  # of a row of float32 probabilities of many classes


def losses_from_probabilities(
    probabilities: ArrayLike, labels: ArrayLike, *, logit_clip: float | None = None
) -> FloatArray:
    """Return n losses ``-logit(p_y)`` in [-inf, inf] from predicted probabilities.

    They are negative if p_y > 1/2, and rank records as the cross-entropy ``-log(p_y)`` does. Where
    logits are available, :func:`losses_from_logits` gives the same losses without saturation.

    Parameters
    ----------
    probabilities : array in [0, 1], shape (n,), of class 1, or (n, k), one column per class, k >= 2
        Each row sums to 1 within 1e-6 (rows rounded to float16 may not).
    labels : array of int, shape (n,), true classes: 0 or 1, respectively 0..k-1
    logit_clip : float in (0, 0.5), optional
        The true class's probability is moved into [logit_clip, 1 - logit_clip], which bounds the
        losses and makes ties: 2**-24 suits float32 probabilities, 2**-53 float64. Left out:
        probabilities 0 and 1 give infinite losses, the ends of the ranking in `AttackScores`.

    Raises
    ------
    ValueError, if a probability leaves [0, 1], a row does not sum to 1, or a label is not a class

    Warns
    -----
    UserWarning, if `logit_clip` moved probabilities: how many

    Examples
    --------
    >>> from dpviz import losses_from_probabilities
    >>> losses_from_probabilities([[0.9, 0.1], [0.5, 0.5]], [0, 1]).round(3)
    array([-2.197,  0.   ])
    """
    way_out = "losses_from_logits takes logits"
    p = checks.reals("probabilities", probabilities, 0, 1, way_out=way_out)
    y = _checked_classes(labels, "probabilities", p)
    # One number per record is the probability of class 1.
    if p.ndim == 1:
        own, other = np.where(y == 1, p, 1 - p), np.where(y == 1, 1 - p, p)
    else:
        sums = p.sum(axis=1)
        bad = np.abs(sums - 1) > ROW_SUM_TOLERANCE
        if bad.any():
            row = int(np.argmax(bad))
            condition = f"numbers that sum to 1 within {ROW_SUM_TOLERANCE:g}"
            total = float(sums[row])
            raise checks.fail(f"probabilities, row {row},", condition, total, way_out)
        own = p[np.arange(y.size), y]
        # The sum over the other classes keeps the digits that 1 - p_y loses near p_y = 1.
        other = np.where(_one_hot(y, p.shape[1]), 0.0, p).sum(axis=1)
    with np.errstate(divide="ignore"):
        losses = np.log(other) - np.log(own)
    if logit_clip is None:
        return losses
    losses, n_moved = clipped_losses_and_count(losses, logit_clip)
    if n_moved:
        warn_caller(
            f"probabilities of the true class: logit_clip={logit_clip:.3g} moved {n_moved} of "
            f"{losses.size}; those at one end are tied"
        )
    return losses


def losses_from_logits(logits: ArrayLike, labels: ArrayLike) -> FloatArray:
    """Return n losses ``-logit(p_y)`` from logits, exact where probabilities would saturate.

    The loss ``logsumexp_{j != y} z_j - z_y`` is any real number, negative if p_y > 1/2. It ranks
    records as the cross-entropy ``-log(p_y)`` does. Probabilities are the sigmoid of
    one-dimensional logits, or the softmax of two-dimensional ones.

    Parameters
    ----------
    logits : array, shape (n,), of class 1, or (n, k), one column per class, k >= 2
        Rows of log-probabilities are logits too, rows of probabilities are not.
    labels : array of int, shape (n,), true classes: 0 or 1, respectively 0..k-1

    Raises
    ------
    ValueError, if a logit is NaN, more than one class of a row is certain, all rows are
        probabilities, or a label is not a class

    Examples
    --------
    >>> from dpviz import losses_from_logits
    >>> losses_from_logits([[3.0, 0.0], [-1.0, 1.0]], [0, 1])
    array([-3., -2.])
    """
    z = checks.reals("logits", logits)
    y = _checked_classes(labels, "logits", z)
    if z.ndim == 1:
        return np.where(y == 1, -z, z)
    # Probabilities by mistake: rows of logits seldom sum to 1.
    if z.size and (z >= 0).all() and (np.abs(z.sum(axis=1) - 1) <= ROW_SUM_TOLERANCE).all():
        raise ValueError(
            "logits must not be probabilities, got rows in [0, 1] that sum to 1; "
            "use losses_from_probabilities"
        )
    others = np.where(_one_hot(y, z.shape[1]), -np.inf, z)
    # Two differences: a constant added to all logits of a row cancels before rounding.
    top = others.max(axis=1, initial=-np.inf)
    top = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):
        behind = logsumexp(others - top[:, None], axis=1)
        losses = np.asarray((top - z[np.arange(y.size), y]) + behind)
    # Infinity minus infinity: two classes of a row are certain.
    if np.isnan(losses).any():
        row = int(np.argmax(np.isnan(losses)))
        condition = "finite, or infinite with a single largest value"
        raise checks.fail(f"logits, row {row},", condition, z[row].tolist())
    return losses


def clipped_losses_and_count(losses: FloatArray, logit_clip: float) -> tuple[FloatArray, int]:
    """Return losses ``-logit(p_y)`` with p_y clipped by `logit_clip`, and the number clipped."""
    low = checks.real("logit_clip", logit_clip, 0, 0.5, closed="neither")
    largest = np.log(1 - low) - np.log(low)
    return np.clip(losses, -largest, largest), int((np.abs(losses) > largest).sum())


def _one_hot(classes: Classes, n_classes: int) -> NDArray[np.bool]:
    return np.asarray(np.arange(n_classes) == classes[:, None])


def _checked_classes(labels: ArrayLike, name: str, predictions: FloatArray) -> Classes:
    """Return `labels` as integers; ValueError unless every label is a class of `predictions`."""
    if predictions.ndim not in (1, 2):
        raise checks.fail(name, "one- or two-dimensional", predictions.shape)
    n, n_classes = (*predictions.shape, 2)[:2]
    if n_classes < 2:
        raise checks.fail(name, "one-dimensional or of at least two columns", predictions.shape)
    array = checks.as_array(labels)
    y = checks.reals("labels", array * 1 if array.dtype == np.bool else array, 0, n_classes - 1)
    if y.shape != (n,):
        raise checks.fail("labels", f"of shape ({n},)", y.shape)
    fractional = y != np.floor(y)
    if fractional.any():
        raise checks.fail("labels", "whole numbers", y[fractional][0])
    return y.astype(np.int64)


def sequence_losses(
    token_losses: ArrayLike | Sequence[ArrayLike],
    *,
    how: SequenceStatistic = "mean",
    share: float = 0.2,
    mask: ArrayLike | Sequence[ArrayLike] | None = None,
) -> FloatArray:
    """Return the loss of each sequence from the losses of its tokens.

    The sequences keep their order. The loss of a token is ``-log p``. A low loss suggests a member.

    Parameters
    ----------
    token_losses : array, shape (n, length), or sequence of n one-dimensional arrays
        Cross-entropy of each token given those before it; in an array, `mask` says what is padding.
    how : {"mean", "sum", "min_k"}
        "mean" is the log of the perplexity, "sum" minus the log-likelihood. "min_k" is the mean of
        the largest losses: Min-K% Prob of Shi et al., "Detecting Pretraining Data from Large
        Language Models" (2024, arXiv:2310.16789), negated.
    share : float in (0, 1], for "min_k", of a sequence's counted tokens, rounded down, at least 1
    mask : array of 0/1 or bool, of the shape of `token_losses`, optional, 1 = the token counts

    Raises
    ------
    ValueError, if a sequence has no counted token or an infinite loss, or an argument is wrong

    Examples
    --------
    >>> from dpviz import sequence_losses
    >>> sequence_losses([[0.1, 2.0, 4.0], [1.0, 3.0]], how="min_k", share=0.5)
    array([4., 3.])
    """
    checks.choice("how", how, SEQUENCE_STATISTICS)
    checks.real("share", share, 0, 1, closed="right")
    # All tokens in one vector, with the number of their sequence and their place in it.
    losses, lengths = _concatenate("token_losses", token_losses, checks.numeric)
    sequence = np.repeat(np.arange(lengths.size), lengths)
    position = np.arange(losses.size) - np.repeat(_start_indices(lengths), lengths)
    # Without the tokens that do not count, such as padding and prompts.
    if mask is not None:
        counted = _is_token_counted(mask, lengths)
        losses, sequence, position = losses[counted], sequence[counted], position[counted]
        lengths = np.bincount(sequence, minlength=lengths.size)
    if lengths.size == 0:
        raise ValueError("token_losses must not be empty, got 0 sequences")
    if not lengths.all():
        empty = np.flatnonzero(lengths == 0)
        raise ValueError(
            "token_losses must have a token in every sequence after masking, got none in "
            f"{empty.size} of {lengths.size} sequences, the first is token_losses[{empty[0]}]"
        )
    bad = np.flatnonzero(~np.isfinite(losses))
    if bad.size:
        first = f"token_losses[{sequence[bad[0]]}][{position[bad[0]]}]"
        raise checks.fail(first, f"finite (losses of {bad.size} tokens are not)", losses[bad[0]])
    # Min-k %: the mean over the least likely tokens alone (Shi et al., 2024).
    if how == "min_k":
        losses, lengths = _largest_losses(losses, sequence, lengths, share)
    sums = np.add.reduceat(losses, _start_indices(lengths))
    return sums if how == "sum" else np.asarray(sums / lengths)


def _largest_losses(
    losses: FloatArray, sequence_indices: NDArray[np.intp], lengths: Lengths, share: float
) -> tuple[FloatArray, Lengths]:
    """Return the largest `share` of each sequence's losses, and how many losses each keeps."""
    # Rounding may put a product below a whole number: 0.29 * 100 < 29.
    kept = np.maximum(np.floor(np.nextafter(share * lengths, np.inf)), 1).astype(np.intp)
    descending = np.lexsort((-losses, sequence_indices))
    rank = np.arange(losses.size) - np.repeat(_start_indices(lengths), lengths)
    return losses[descending[rank < np.repeat(kept, lengths)]], kept


def _is_token_counted(mask: ArrayLike | Sequence[ArrayLike], lengths: Lengths) -> NDArray[np.bool]:
    """Return one flag per token of all sequences: whether its entry in `mask` is 1 or True."""
    flags, mask_lengths = _concatenate("mask", mask, checked_zero_or_one)
    if mask_lengths.size != lengths.size:
        raise checks.fail("mask", f"a list of {lengths.size} sequences", mask_lengths.size)
    differ = mask_lengths != lengths
    if differ.any():
        i = int(np.argmax(differ))
        raise checks.fail(f"mask[{i}]", f"{lengths[i]} flags, one per token", int(mask_lengths[i]))
    return np.asarray(flags == 1)


def _concatenate(
    name: str, sequences: Any, convert: Callable[[str, ArrayLike], FloatArray]
) -> tuple[FloatArray, Lengths]:
    """Apply `convert(name, values)` to each sequence; return one vector, and the lengths."""
    if not isinstance(sequences, list | tuple):
        # A matrix has sequences of one length.
        table = np.asarray(sequences)
        if table.ndim == 2:
            return convert(name, table).ravel(), np.full(table.shape[0], table.shape[1])
        if table.ndim != 1 or table.dtype != object:
            raise checks.fail(name, "a matrix or a list of one-dimensional arrays", table.shape)
        sequences = table.tolist()
    rows = [convert(f"{name}[{i}]", row) for i, row in enumerate(sequences)]
    for i, row in enumerate(rows):
        if row.ndim != 1:
            raise checks.fail(f"{name}[{i}]", "one-dimensional, of shape (n,)", row.shape)
    lengths = np.array([row.size for row in rows], dtype=np.intp)
    return np.concatenate(rows) if rows else np.empty(0), lengths


def checked_zero_or_one(name: str, values: ArrayLike) -> FloatArray:
    """Return truth values, or numbers 1 and 0, as floats; ValueError for anything else."""
    array = np.asarray(values)
    flags = checks.numeric(name, array * 1 if array.dtype == np.bool else array)
    coded = (flags == 0) | (flags == 1)
    if not coded.all():
        raise checks.fail(name, "true/false or 1/0", flags[~coded].flat[0])
    return flags


def _start_indices(lengths: Lengths) -> Lengths:
    return np.cumsum(lengths) - lengths


def per_user(
    scores: ScoresLike,
    *,
    member_users: ArrayLike,
    nonmember_users: ArrayLike,
    how: UserStatistic = "mean",
) -> AttackScores:
    """Return one score for each user from the scores of the user's records.

    Users are in order of appearance.

    Records of one user are not independent, and a user-level guarantee is about users. All bounds
    and tests of the result are about users: how many there are, and whether one took part. Groups
    are kept.

    Parameters
    ----------
    scores : AttackScores, of records
    member_users, nonmember_users : array or sequence of str or int, the user of each record
    how : {"mean", "max", "min", "sum", "median"} of a user's scores, fixed before looking at them

    Raises
    ------
    ValueError, if a user is missing, in both classes, or in several groups

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=[1, 3, 5], nonmember=[0, 2])
    >>> audit.per_user(scores, member_users=["a", "a", "b"], nonmember_users=["c", "d"]).member
    array([2., 5.])
    """
    checks.choice("how", how, USER_STATISTICS)
    scores = require_unbinned(scores, "scores per user")
    members = _Users("member", scores.member, scores.member_groups, member_users)
    nonmembers = _Users("nonmember", scores.nonmember, scores.nonmember_groups, nonmember_users)
    # A user with records in both classes is neither a member nor a non-member.
    in_both = sorted(set(members.names) & set(nonmembers.names))
    if in_both:
        raise ValueError(
            f"member_users and nonmember_users must have no user in common, got {len(in_both)} in "
            f"both, such as {in_both[0]!r}"
        )
    return AttackScores(
        member=members.scores(how),
        nonmember=nonmembers.scores(how),
        member_groups=members.groups(),
        nonmember_groups=nonmembers.groups(),
    ).shown_as(scores.kind)


class _Users:
    """The records of one class (members or non-members), by user."""

    def __init__(
        self, class_name: str, values: FloatArray, groups: Labels | None, users: ArrayLike
    ) -> None:
        self.class_name, self.values, self.labels = class_name, values, groups
        self.names, self.codes = check_and_factorise(f"{class_name}_users", users, values)
        self.sizes: Rows = np.bincount(self.codes)
        self.starts: Rows = np.cumsum(self.sizes) - self.sizes

    def scores(self, how: UserStatistic) -> FloatArray:
        """Return one score per user: the statistic `how` of the scores of the user's records."""
        with np.errstate(invalid="ignore"):  # of inf - inf
            scores = self._statistic(how)
        if np.isnan(scores).any():
            name = self.names[int(np.argmax(np.isnan(scores)))]
            condition = f"'max' or 'min', as user {name!r} has the scores inf and -inf"
            raise checks.fail("how", condition, how)
        return scores

    def _statistic(self, how: UserStatistic) -> FloatArray:
        if how in ("mean", "sum"):
            total = np.bincount(self.codes, weights=self.values).astype(np.float64)
            return total / self.sizes if how == "mean" else total
        # Each user's scores in ascending order, user by user.
        ascending = self.values[np.lexsort((self.values, self.codes))]
        ends = self.starts + self.sizes - 1
        if how == "min":
            return np.asarray(ascending[self.starts])
        if how == "max":
            return np.asarray(ascending[ends])
        middles = self.starts + ends
        return np.asarray(ascending[middles // 2] / 2 + ascending[(middles + 1) // 2] / 2)

    def groups(self) -> Labels | None:
        """Return each user's group, or None; ValueError if a user has several groups."""
        if self.labels is None:
            return None
        order = np.argsort(self.codes, kind="stable")
        # The label of a user's first record must be that of all others.
        of_user = self.labels[order][self.starts]
        moved = self.labels != of_user[self.codes]
        if moved.any():
            n_users = np.unique(self.codes[moved]).size
            first = self.names[self.codes[np.argmax(moved)]]
            raise ValueError(
                f"{self.class_name}_groups must be the same for all records of a user, got "
                f"{n_users} users with several groups, such as {first!r}"
            )
        return of_user
