"""The Epsilon* paper's transform of losses (Appendix B), and the identity."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.scores.base import Scores, in_unit, require_scores
from dpviz.audit.scores.ordered_sample import OrderedSample
from dpviz.checks import FloatArray

Transform = Literal["paper", "none"]
TRANSFORMS = ("paper", "none")


@dataclass(frozen=True, kw_only=True)
class LossTransform:
    """The transform of losses before distributions are fitted.

    The paper's is ``phi = -log(expm1(1 + u))`` with ``u = (loss - low) / (high - low)``, low/high
    pooled. `phi` **decreases** in the loss and lies in [-1.8546, -0.5413]: shift 1 keeps it finite,
    and makes it nearly affine. One extreme loss rescales everything. With "none" fits are to `u`,
    which for Normal distributions and mixtures is the same as to the losses.
    """

    low: float
    high: float
    form: Transform = "paper"

    @classmethod
    def of(
        cls, *, member: FloatArray, nonmember: FloatArray, form: Transform = "paper"
    ) -> "LossTransform":
        """The transform whose ends are the pooled smallest and largest loss."""
        return cls(
            low=float(min(member.min(), nonmember.min())),
            high=float(max(member.max(), nonmember.max())),
            form=form,
        )

    def phi(self, losses: FloatArray) -> FloatArray:
        """The paper's transformed losses, same shape; all equal losses give u = 0."""
        return -np.log(np.expm1(1 + self._u(losses)))

    def __call__(self, losses: FloatArray) -> FloatArray:
        """The transformed losses: ``-phi`` or u, **low = member-like** as losses are."""
        return self._u(losses) if self.form == "none" else -self.phi(losses)

    def loss_at(self, x: float) -> float:
        """The loss whose transform is `x`; outside [low, high] where no data can be."""
        if not np.isfinite(x):
            return x
        u = x if self.form == "none" else np.logaddexp(0, x) - 1
        return float(self.low + u * (self.high - self.low))

    def _u(self, losses: FloatArray) -> FloatArray:
        spread = self.high - self.low
        return (losses - self.low) / spread if spread > 0 else np.zeros_like(losses)


@dataclass(frozen=True, kw_only=True, eq=False)
class TransformedScores:
    """Both samples after the transform, **ascending, low = member-like**."""

    member: OrderedSample  # a score counts as the loss -score, records of a cell at its mean
    nonmember: OrderedSample
    transform: LossTransform
    scores: Scores  # before the transform

    @classmethod
    def of(cls, scores: Scores, form: Transform = "paper") -> "TransformedScores":
        """Transform both samples with their pooled ends."""
        require_scores("scores", scores)
        member, nonmember = (sample.negated() for sample in scores.means())
        transform = LossTransform.of(member=member.values, nonmember=nonmember.values, form=form)
        return cls(
            member=member.mapped(transform),
            nonmember=nonmember.mapped(transform),
            transform=transform,
            scores=scores,
        )

    def threshold_in_unit(self, x: float) -> float:
        """The threshold at `x` on the original scale."""
        return in_unit(-self.transform.loss_at(x), self.scores.kind)


def transform_losses(*, member: ArrayLike, nonmember: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The paper's transform of both samples, with pooled minimum and maximum.

    Parameters
    ----------
    member, nonmember : array, one-dimensional, finite losses

    Returns
    -------
    member, nonmember : ndarray
        ``phi``, decreasing in the loss. All -0.5413 when every loss is equal.

    Raises
    ------
    ValueError
        If losses are not finite.

    Examples
    --------
    >>> from dpviz import audit
    >>> member, nonmember = audit.transform_losses(member=[0, 1], nonmember=[1, 2])
    >>> member.round(4), nonmember.round(4)
    (array([-0.5413, -1.2475]), array([-1.2475, -1.8546]))
    """
    members = checks.finite_vector("member losses", member)
    nonmembers = checks.finite_vector("nonmember losses", nonmember)
    transform = LossTransform.of(member=members, nonmember=nonmembers)
    return transform.phi(members), transform.phi(nonmembers)
