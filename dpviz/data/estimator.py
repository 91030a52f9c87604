"""Attack scores from the predictions of a trained classifier."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Provenance
from dpviz.audit.scores.losses import clipped_losses_and_count, losses_from_probabilities
from dpviz.checks import FloatArray, reason, warn_caller

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
    """Return the losses of a trained classifier as attack scores.

    The losses are those of the true classes. A low loss suggests a member.

    The loss is ``-logit(p_y)``, where p_y is the probability of the true class: infinite, an end of
    the ranking, where p_y is 0 or 1. Without `predict_proba` the loss is minus the margin by which
    `decision_function` prefers the true class to the best other one (Crammer and Singer, 2001).
    Scores are in the order of the records.

    Parameters
    ----------
    estimator : object with `predict_proba`, or with `decision_function` and `classes_`
        A fitted scikit-learn classifier or pipeline, or any object whose ``predict_proba(X)``
        returns an array of shape (n, k), one column per class. Column j is class
        ``estimator.classes_[j]``, or class j without that attribute.
    X_members, X_nonmembers : input of `predict_proba`
        Records that the estimator was, respectively was not, trained on, prepared in one way.
    y_members, y_nonmembers : array, one-dimensional, the true classes of these records
    logit_clip : float, optional
        In (0, 0.5): probabilities of true classes are clipped to [logit_clip, 1 - logit_clip], as
        in :func:`losses_from_probabilities`, so that all losses are finite, which fitted
        distributions need. 2**-24 suits float32, 2**-53 float64.

    Raises
    ------
    TypeError, if the estimator has neither `predict_proba` nor `decision_function` and `classes_`
    ValueError, if predictions are not records by classes, or a label is not a class

    Warns
    -----
    UserWarning, if `logit_clip` changed probabilities: how many

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
    method, losses_of = _prediction_method_and_loss_rule(estimator)
    if method != "predict_proba" and logit_clip is not None:
        raise checks.fail("logit_clip", "left out if estimator has no predict_proba", logit_clip)
    sides = (("members", X_members, y_members), ("nonmembers", X_nonmembers, y_nonmembers))
    member, nonmember = (_losses(estimator, method, losses_of, *side) for side in sides)
    understood = f"losses {LOSSES[method]} of the true class, from {method}"
    if logit_clip is not None:
        member, moved_members = clipped_losses_and_count(member, logit_clip)
        nonmember, moved_nonmembers = clipped_losses_and_count(nonmember, logit_clip)
        if moved_members or moved_nonmembers:
            moved = (
                f"logit_clip={logit_clip:.3g} moved {moved_members} of {member.size} members and "
                f"{moved_nonmembers} of {nonmember.size} non-members"
            )
            understood = f"{understood}; {moved}"
            warn_caller(f"predict_proba: {moved}; those at one end are tied")
    provenance = Provenance(
        source=type(estimator).__name__,
        loader="scores_from_estimator",
        understood=understood,
        n_rows=member.size + nonmember.size,
    )
    return AttackScores.from_losses(member, nonmember, provenance=provenance)


LossRule = Callable[[NDArray[Any], NDArray[np.int64]], FloatArray]
LOSSES = {"predict_proba": "-logit(p)", "decision_function": "-margin"}


def _prediction_method_and_loss_rule(estimator: Any) -> tuple[str, LossRule]:
    """Return the name of the prediction method, and a function from its output to losses."""
    if callable(getattr(estimator, "predict_proba", None)):
        return "predict_proba", losses_from_probabilities
    has_decisions = callable(getattr(estimator, "decision_function", None))
    # With the shape "ovo", an SVC has a column for each pair of classes.
    options: dict[str, Any] = getattr(estimator, "get_params", dict)()
    shapes = [options[name] for name in options if name.endswith("decision_function_shape")]
    n_classes = len(getattr(estimator, "classes_", ()))
    if has_decisions and (n_classes == 2 or (n_classes > 2 and "ovo" not in shapes)):
        return "decision_function", _negative_margins
    raise TypeError(
        "estimator must have predict_proba, or classes_ and a decision_function with a column per "
        f"class, got a {type(estimator).__name__}; pass losses that you compute to "
        "AttackScores.from_losses"
    )


def _negative_margins(decisions: NDArray[Any], columns: NDArray[np.int64]) -> FloatArray:
    """Return each record's largest decision value of a wrong class minus that of the true class."""
    values = checks.reals("decisions", decisions)
    if values.ndim == 1:  # of the second class
        return np.where(columns == 1, -values, values)
    rows = np.arange(columns.size)
    own = values[rows, columns]
    others = values.copy()
    others[rows, columns] = -np.inf
    return np.asarray(others.max(axis=1) - own)


def _losses(
    estimator: Any, method: str, losses_of: LossRule, who: str, records: Any, labels: ArrayLike
) -> FloatArray:
    """Return the loss of each record; errors name `who`: "members" or "nonmembers"."""
    name = f"{method}(X_{who})"
    if (getattr(records, "ndim", None), getattr(labels, "ndim", None)) == (1, 2):
        got = "them in reversed order"
        raise ValueError(f"X_{who}, y_{who} must be the records and their classes, got {got}")
    try:
        output = getattr(estimator, method)(records)
    except Exception as error:  # any error of another library's object
        raise ValueError(f"{name} failed: {reason(error)}") from error
    if isinstance(output, list | tuple) and output and np.ndim(output[0]) == 2:
        raise ValueError(
            f"{name} must be one array, got {len(output)} arrays for several outputs; pass an "
            "estimator with one output"
        )
    # The output must have a column for each class that the estimator knows.
    predicted = checks.as_array(output)
    is_binary = method == "decision_function" and predicted.ndim == 1
    if not is_binary and (predicted.ndim != 2 or predicted.shape[1] < 2):
        raise checks.fail(name, "of shape (records, classes >= 2)", predicted.shape)
    n_columns = 2 if is_binary else predicted.shape[1]
    classes = np.asarray(getattr(estimator, "classes_", np.arange(n_columns))).tolist()
    if len(classes) != n_columns:
        condition = f"of one column for each of the {len(classes)} classes in classes_"
        raise checks.fail(name, condition, predicted.shape)
    columns = _class_indices(f"y_{who}", labels, classes)
    if columns.size != len(predicted):
        raise checks.fail(
            f"y_{who}", f"{len(predicted)} labels, one per row of X_{who}", columns.size
        )
    try:
        return losses_of(predicted, columns)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _class_indices(name: str, labels: ArrayLike, classes: list[Any]) -> NDArray[np.int64]:
    """Return the index in `classes` of each label; ValueError if `classes` lacks a label."""
    # As objects: NumPy would turn a mixture of text and numbers into text.
    array = np.asarray(labels if hasattr(labels, "__array__") else np.asarray(labels, dtype=object))
    if array.ndim != 1:
        raise checks.fail(name, "one-dimensional, of shape (n,)", array.shape)
    column_of = {label: column for column, label in enumerate(classes)}
    columns = [column_of.get(label) for label in array.tolist()]
    if None in columns:
        row = columns.index(None)
        shown = ", ".join(repr(label) for label in classes[:SHOWN_CLASSES])
        more = ", ..." if len(classes) > SHOWN_CLASSES else ""
        condition = f"a class the estimator knows ({shown}{more})"
        raise checks.fail(f"{name}, row {row},", condition, array[row])
    return np.array(columns, dtype=np.int64)
