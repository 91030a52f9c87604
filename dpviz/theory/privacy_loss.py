"""The privacy loss as a random variable: its tail probabilities and expectations.

``L = log dQ/dP`` of the output. "L exceeds epsilon with probability at most delta" is sufficient
for (epsilon, delta)-DP, not necessary: the exact condition is ``E_Q[(1 - e^(epsilon - L))+] <=
delta``. Laplace noise has P(L >= epsilon) = 1/2 at the epsilon where its delta is 0.
"""

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import expit, logit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import Floats, LossFunction, TradeoffFunction, checked_tradeoff, evaluate


@dataclass(frozen=True)
class PrivacyLoss:
    """The privacy loss of a guarantee, a random variable under P and under Q.

    Parameters
    ----------
    f : TradeoffFunction, the guarantee; the loss is that of the pair (P, Q) with exactly this curve

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, PrivacyLoss
    >>> PrivacyLoss(LaplaceMechanism(epsilon=1.0)).tail(1.0)  # although its delta there is 0
    0.5
    """

    f: TradeoffFunction

    def __post_init__(self) -> None:
        checked_tradeoff("f", self.f)

    def tail(self, epsilon: Floats, *, member: bool = True) -> Floats:
        """Return the probability that the privacy loss is at least epsilon.

        The probability is under Q if `member` is True, otherwise under P.
        """
        return evaluate(lambda at: self._tail_probability(at, member), "epsilon", epsilon)

    def above(self, epsilon: Floats, *, member: bool = True) -> Floats:
        """Return the probability that the privacy loss exceeds epsilon.

        The probability is under Q if `member` is True, otherwise under P.
        """
        at = checks.reals("epsilon", epsilon)
        with np.errstate(over="ignore"):
            beyond = self._tail_probability(np.nextafter(at, np.inf), member)
        return cast(Floats, checks.float_if_scalar(np.where(np.isposinf(at), 0.0, beyond)))

    def mean(self, *, member: bool = True) -> float:
        """Return the expectation of the privacy loss.

        The expectation is KL(Q || P) under Q if `member` is True, otherwise -KL(P || Q) under P.
        """
        return self.expectation(lambda loss: loss, member=member)

    def expectation(
        self, function: LossFunction, *, member: bool = True, breaks: tuple[float, ...] = ()
    ) -> float:
        """Return E[function(L)]: a sum if L has finitely many values, else an integral over FPR.

        Parameters
        ----------
        function : callable, from an array of losses, also infinite ones if any, to finite numbers
        member : bool, whether under Q; otherwise under P
        breaks : tuple of float, losses at which the function is not smooth

        Raises
        ------
        ArithmeticError, if values overflow or fewer than 8 digits are sure; more `breaks` may help
        """
        atoms = self.f.atoms()
        if atoms is not None:
            masses = atoms.q if member else atoms.p
            # A proof of the other class is impossible, even if its mass is rounded up to a float.
            is_possible = (masses > 0) & (atoms.loss != (-np.inf if member else np.inf))
            return float(masses[is_possible] @ function(atoms.loss[is_possible]))
        expectation = self.f._expectation(function, member=member, breaks=breaks)
        if expectation is not None:
            return expectation
        if member:  # L under Q is -L under the P of the other order
            mirrored, at = PrivacyLoss(self.f.inverse()), tuple(-b for b in breaks)
            return mirrored.expectation(lambda loss: function(-loss), member=False, breaks=at)
        return self._integral_over_fpr(function, breaks)

    def _tail_probability(self, epsilon: FloatArray, member: bool) -> FloatArray:
        return self.f._tpr_of_loss(epsilon) if member else self.f._fpr_of_loss(epsilon)

    def _integral_over_fpr(self, function: LossFunction, breaks: tuple[float, ...]) -> float:
        """Return the integral of function(loss) over the FPR, split at kinks and at `breaks`."""
        from scipy.integrate import tanhsinh  # slow to import, and needed only here

        size = float(np.abs(function(self.f._loss_at(np.array([0.1, 0.5, 0.9])))).max())
        if not np.isfinite(size):
            raise OverflowError(
                f"function(loss) must be finite for privacy losses of {self.f!r}, got {size}; give "
                "a guarantee with smaller losses, or a bounded function"
            )

        def integrand(log_odds: FloatArray) -> FloatArray:
            x = expit(log_odds)
            inside = (x > 0) & (x < 1)
            value = function(self.f._loss_at(np.where(inside, x, 0.5))) / (size or 1.0)
            # The change of variables: dx = x (1 - x) d log-odds.
            return np.where(inside, value * x * expit(-log_odds), 0.0)

        at = np.union1d(self.f.kinks, self.f.fpr_of_loss(np.array(breaks, dtype=float)))
        ends = np.concatenate([[-np.inf], logit(at[(at > 0) & (at < 1)]), [np.inf]])
        # Sums of values near the largest float would be inf, so the integrand is of size 1.
        unit = float(size > 0)
        parts = tanhsinh(integrand, ends[:-1], ends[1:], atol=1e-14 * unit)
        total = float(parts.integral.sum())
        if not parts.error.sum() <= 1e-8 * max(unit, abs(total)):
            raise ArithmeticError(
                f"the expectation of function(loss) for {self.f!r} does not converge; the argument "
                "breaks must list the losses at which function(loss) is not smooth, and losses of "
                "straight pieces of the trade-off curve must be at least 1e-10 apart"
            )
        return total * (size or 1.0)
