"""The Epsilon* paper's transform of losses (Appendix B), and none at all."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.ascending import Ascending
from dpviz.audit.binned_scores import Scores
from dpviz.audit.scores import in_unit
from dpviz.checks import FloatArray

Transform = Literal["paper", "none"]
TRANSFORMS = ("paper", "none")


@dataclass(frozen=True, kw_only=True)
class LossTransform:
    """From losses to what laws are fitted to.

    The paper's is ``phi = -log(expm1(1 + u))`` with ``u = (loss - low) / (high - low)``, low/high
    pooled. `phi` **decreases** in the loss and lies in [-1.8546, -0.5413]: shift 1 keeps it finite,
    and makes it nearly affine. One extreme loss rescales everything. With "none" laws are fitted to
    the losses themselves, in units of `u` so that no number is extreme; for Normal laws and
    mixtures the unit makes no difference.
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
        """What laws are fitted to: ``-phi`` or u, **low = member-like** as losses are."""
        return self._u(losses) if self.form == "none" else -self.phi(losses)

    def loss_at(self, x: float) -> float:
        """The loss that becomes `x`; outside [low, high] where no data can be."""
        if not np.isfinite(x):
            return x
        u = x if self.form == "none" else np.logaddexp(0, x) - 1
        return float(self.low + u * (self.high - self.low))

    def _u(self, losses: FloatArray) -> FloatArray:
        spread = self.high - self.low
        return (losses - self.low) / spread if spread > 0 else np.zeros_like(losses)


@dataclass(frozen=True, kw_only=True, eq=False)
class TransformedScores:
    """Both samples after the transform, **ascending, low = member-like**.

    Parameters
    ----------
    member, nonmember : Ascending
        Transformed losses; a score counts as the loss ``-score``. Of binned scores the cells' means
        stand for their records.
    transform : LossTransform
    scores : AttackScores or BinnedScores
        What was transformed.
    """

    member: Ascending
    nonmember: Ascending
    transform: LossTransform
    scores: Scores

    @classmethod
    def of(cls, scores: Scores, form: Transform = "paper") -> "TransformedScores":
        """Transform both samples with their pooled ends."""
        member, nonmember = (sample.negated() for sample in scores.means())
        transform = LossTransform.of(member=member.values, nonmember=nonmember.values, form=form)
        return cls(
            member=member.mapped(transform),
            nonmember=nonmember.mapped(transform),
            transform=transform,
            scores=scores,
        )

    def threshold_in_unit(self, x: float) -> float:
        """The threshold at `x` in the unit the numbers came in."""
        return in_unit(-self.transform.loss_at(x), self.scores.kind)


def transform_losses(*, member: ArrayLike, nonmember: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """The paper's transform of both samples, with pooled minimum and maximum.

    Parameters
    ----------
    member, nonmember : array, one-dimensional
        Finite losses.

    Returns
    -------
    member, nonmember : ndarray
        ``phi``, decreasing in the loss. All -0.5413 when every loss is equal.
    """
    members = checks.finite_vector("member losses", member)
    nonmembers = checks.finite_vector("nonmember losses", nonmember)
    transform = LossTransform.of(member=members, nonmember=nonmembers)
    return transform.phi(members), transform.phi(nonmembers)
