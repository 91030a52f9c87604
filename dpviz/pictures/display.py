"""The trade-off curve of an attack on Matplotlib's Axes, as scikit-learn's displays draw it."""

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.analysis import Analysis, Result, Spec
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.data.estimator import scores_from_estimator


class TradeoffDisplay:
    """A plot of the measured trade-off curve of an attack.

    The plot also shows the confidence band of the curve and the limit of a claim.

    It is used as scikit-learn's RocCurveDisplay: :meth:`from_predictions` and
    :meth:`from_estimator` draw and return a display. It needs Matplotlib. Without `epsilon` or
    `claim` no claim is tested.

    Attributes
    ----------
    ax_, figure_ : Axes and Figure of Matplotlib, after :meth:`plot`

    Examples
    --------
    >>> from dpviz import TradeoffDisplay, analyze
    >>> display = TradeoffDisplay(analyze(epsilon=1.0, delta=0.0))
    >>> display.result.claim.epsilon
    1.0
    """

    def __init__(self, result: Result) -> None:
        checks.must_be_a("result", result, Result, "a Result, as analyze returns")
        self.result = result

    def plot(self, ax: Any = None) -> Self:
        """Draw the curve on Matplotlib Axes, and return the display.

        Without `ax` the Axes are those of a new figure.
        """
        self.ax_ = self.result.plot("tradeoff", ax)
        self.figure_ = self.ax_.figure
        return self

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_score: ArrayLike,
        *,
        pos_label: Any = None,
        ax: Any = None,
        **spec: Any,
    ) -> Self:
        """Draw the trade-off curve of an attack.

        A **high score means member**. `y_true` has a label for each score: 1 for members and 0 or
        -1 for others, or two labels of which `pos_label` is that of members. `spec` has fields of
        :class:`Spec`, such as `epsilon`, `delta` and `claim`. ValueError if labels do not fit the
        scores, or a class is empty.
        """
        labels, scores = np.asarray(y_true), checks.vector("y_score", y_score)
        if labels.shape != scores.shape:
            raise checks.fail("y_true", f"of the shape of y_score, {scores.shape}", labels.shape)
        if pos_label is None and not set(labels.tolist()) <= {-1, 0, 1}:
            raise checks.fail("pos_label", "given for labels other than 0 and 1", None)
        is_member = labels == (1 if pos_label is None else pos_label)
        return cls._from_scores(
            AttackScores(member=scores[is_member], nonmember=scores[~is_member]), ax, spec
        )

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X_members: Any,  # noqa: N803 - scikit-learn's name
        y_members: ArrayLike,
        X_nonmembers: Any,  # noqa: N803
        y_nonmembers: ArrayLike,
        *,
        ax: Any = None,
        **spec: Any,
    ) -> Self:
        """Draw the trade-off curve of an attack on the losses of a trained classifier.

        The first five arguments are those of :func:`scores_from_estimator`, the others those of
        :meth:`from_predictions`.
        """
        samples = X_members, y_members, X_nonmembers, y_nonmembers
        return cls._from_scores(scores_from_estimator(estimator, *samples), ax, spec)

    @classmethod
    def _from_scores(cls, scores: Scores, ax: Any, spec: dict[str, Any]) -> Self:
        """Analyse scores and draw their trade-off curve."""
        if not {"claim", "epsilon"} & spec.keys():
            spec = {"epsilon": math.inf, **spec}  # nothing is claimed
        analysis, chosen = Analysis(scores), Spec.of(**spec)
        analysis.prepare_audit(chosen)
        return cls(analysis.result(chosen)).plot(ax)
