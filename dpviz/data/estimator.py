"""Attack scores from the predictions of a trained classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Provenance
from dpviz.audit.scores.losses import advised_clip, clip_and_count, losses_from_probabilities
from dpviz.checks import FloatArray, warn_caller

LOSSES_TEXT = "losses -logit(p) of the true class, from predict_proba"
SHOWN_CLASSES = 10  # in a message


def scores_from_estimator(
    estimator: Any,
    X_members: Any,  # noqa: N803 - scikit-learn's name
    y_members: ArrayLike,
    X_nonmembers: Any,  # noqa: N803
    y_nonmembers: ArrayLike,
    *,
    logit_clip: float | None = None,
) -> AttackScores:
    """Return attack scores of a trained classifier: losses ``-logit(p_y)``, low for members.

    Parameters
    ----------
    estimator : object with `predict_proba`
        A fitted scikit-learn classifier or pipeline, or any object whose ``predict_proba(X)``
        returns an array of shape (n, k), one column per class. Column j is class
        ``estimator.classes_[j]``, or class j without that attribute.
    X_members, X_nonmembers : input of `predict_proba`
        Records that the estimator was, respectively was not, trained on, prepared in one way.
    y_members, y_nonmembers : array, one-dimensional, the true classes of these records
    logit_clip : float, optional
        In (0, 0.5): probabilities of true classes are clipped to [logit_clip, 1 - logit_clip], as
        in :func:`losses_from_probabilities`. 2**-24 suits float32, 2**-53 float64.

    Returns
    -------
    AttackScores, in the order of the records

    Raises
    ------
    TypeError
        If the estimator has no `predict_proba`.
    ValueError
        If `predict_proba` does not return one column per class and one row per record, a label is
        not a class of the estimator, or probabilities are 0 or 1 without a `logit_clip`.

    Warns
    -----
    UserWarning
        If `logit_clip` changed probabilities; the warning has their number.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import scores_from_estimator
    >>> class Coin:
    ...     def predict_proba(self, X):
    ...         return np.column_stack([1 - X, X])
    >>> scores = scores_from_estimator(Coin(), np.array([0.9]), [1], np.array([0.4]), [1])
    >>> scores.member.round(3), scores.nonmember.round(3)
    (array([2.197]), array([-0.405]))
    """
    if not callable(getattr(estimator, "predict_proba", None)):
        others = [name for name in ("predict", "decision_function") if hasattr(estimator, name)]
        present = " and ".join(others) or "no other prediction either"
        raise TypeError(
            "estimator must have a method predict_proba, got a "
            f"{type(estimator).__name__} that has {present}; numbers that grow with a "
            "class, such as decision_function(X), become losses by losses_from_logits(numbers, "
            "column of the true class) for members and for non-members, then AttackScores."
            "from_losses(member=..., nonmember=...)"
        )
    of_members = _probabilities(estimator, "members", X_members)
    of_nonmembers = _probabilities(estimator, "nonmembers", X_nonmembers)
    member = _losses(estimator, "members", of_members, y_members)
    nonmember = _losses(estimator, "nonmembers", of_nonmembers, y_nonmembers)
    understood = LOSSES_TEXT
    if logit_clip is None:
        _reject_infinite(member, nonmember, of_members.dtype)
    else:
        member, moved_members = clip_and_count(member, logit_clip)
        nonmember, moved_nonmembers = clip_and_count(nonmember, logit_clip)
        if moved_members or moved_nonmembers:
            moved = (
                f"logit_clip={logit_clip:.3g} moved {moved_members} of {member.size} members and "
                f"{moved_nonmembers} of {nonmember.size} non-members"
            )
            understood = f"{LOSSES_TEXT}; {moved}"
            warn_caller(f"predict_proba: {moved}; those at one end are tied")
    provenance = Provenance(
        source=type(estimator).__name__,
        loader="scores_from_estimator",
        understood=understood,
        n_rows=member.size + nonmember.size,
    )
    return AttackScores.from_losses(member=member, nonmember=nonmember, provenance=provenance)


def _probabilities(estimator: Any, who: str, records: Any) -> NDArray[Any]:
    """Return class probabilities, a row for each record; `who` is "members" or "nonmembers"."""
    output = estimator.predict_proba(records)
    name = f"predict_proba(X_{who})"
    if isinstance(output, list | tuple) and output and np.ndim(output[0]) == 2:
        raise ValueError(
            f"{name} must be one array, got {len(output)}: the estimator predicts several outputs, "
            "of which an attack can look at one"
        )
    array = np.asarray(output)
    if array.ndim != 2 or array.shape[1] < 2:
        raise checks.fail(name, "of shape (records, two classes or more)", array.shape)
    return array


def _losses(estimator: Any, who: str, predicted: NDArray[Any], labels: ArrayLike) -> FloatArray:
    """Return the loss of each record; infinite if the probability of its true class is 0 or 1."""
    n_records, n_columns = predicted.shape
    classes = np.asarray(getattr(estimator, "classes_", np.arange(n_columns))).tolist()
    if len(classes) != n_columns:
        condition = f"of one column for each of the {len(classes)} classes in classes_"
        raise checks.fail(f"predict_proba(X_{who})", condition, predicted.shape)
    columns = _class_indices(f"y_{who}", labels, classes)
    if columns.size != n_records:
        raise checks.fail(f"y_{who}", f"one label per row of X_{who}, {n_records}", columns.size)
    try:
        return losses_from_probabilities(predicted, columns)
    except ValueError as error:
        raise ValueError(f"predict_proba(X_{who}): {error}") from error


def _class_indices(name: str, labels: ArrayLike, classes: list[Any]) -> NDArray[np.int64]:
    """Return the index in `classes` of each label; ValueError if `classes` lacks a label."""
    # As objects: NumPy would turn a mixture of text and numbers into text.
    array = np.asarray(labels if hasattr(labels, "__array__") else np.asarray(labels, dtype=object))
    if array.ndim != 1:
        raise checks.fail(name, "one-dimensional", array.shape)
    column_of = {label: column for column, label in enumerate(classes)}
    columns = [column_of.get(label) for label in array.tolist()]
    if None in columns:
        row = columns.index(None)
        shown = ", ".join(repr(label) for label in classes[:SHOWN_CLASSES])
        more = ", ..." if len(classes) > SHOWN_CLASSES else ""
        condition = f"a class the estimator knows ({shown}{more})"
        raise checks.fail(f"{name}, row {row},", condition, array[row])
    return np.array(columns, dtype=np.int64)


def _reject_infinite(member: FloatArray, nonmember: FloatArray, dtype: np.dtype[Any]) -> None:
    n_member, n_nonmember = (int(np.isinf(losses).sum()) for losses in (member, nonmember))
    if n_member or n_nonmember:
        suits = advised_clip(np.concatenate([member, nonmember]), dtype)
        raise ValueError(
            "probabilities of true classes must be in (0, 1), got 0 or 1 for "
            f"{n_member} of {member.size} members and {n_nonmember} of {nonmember.size} "
            f"non-members, so that losses are infinite: logit_clip={suits} bounds "
            "them and moves no other"
        )
