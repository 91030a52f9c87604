"""The Epsilon* paper's transform of losses (Appendix B) and Normal fits to it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True)
class Normal:
    """A Normal law: mean, and standard deviation > 0."""

    mean: float
    sd: float

    def __post_init__(self) -> None:
        mean = checks.real("mean", self.mean, closed="neither")
        sd = checks.real("sd", self.sd, 0, np.inf, closed="neither")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "sd", sd)


@dataclass(frozen=True, kw_only=True)
class LossTransform:
    """``phi = -log(expm1(1 + u))`` with ``u = (loss - low) / (high - low)``, low/high pooled.

    `phi` **decreases** in the loss and lies in [-1.8546, -0.5413]: shift 1 keeps it finite, and
    makes it nearly affine. One extreme loss rescales everything.
    """

    low: float
    high: float

    @classmethod
    def of(cls, *, member: FloatArray, nonmember: FloatArray) -> "LossTransform":
        """The transform whose ends are the pooled smallest and largest loss."""
        return cls(
            low=float(min(member.min(), nonmember.min())),
            high=float(max(member.max(), nonmember.max())),
        )

    def __call__(self, losses: FloatArray) -> FloatArray:
        """Transformed losses, same shape; all equal losses give u = 0."""
        spread = self.high - self.low
        u = (losses - self.low) / spread if spread > 0 else np.zeros_like(losses)
        return -np.log(np.expm1(1 + u))

    def inverse(self, phi: float) -> float:
        """The loss at `phi`; lies outside [low, high] where no data can be."""
        if np.isinf(phi):
            return -phi
        return float(self.low + (np.logaddexp(0, -phi) - 1) * (self.high - self.low))


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
    return transform(members), transform(nonmembers)
