"""Bets against a claim: factors for a capital that cannot be expected to grow if the claim holds.

**Statement.** A pair of output distributions (P, Q) of which the claim holds gives outputs x and y,
independent of each other and of the past. Outputs fall into finitely many cells. If

    ``sum over cells of P(cell) b(cell) + Q(cell) a(cell) <= 2``

for every pair (P, Q) that the claim allows, then a capital multiplied by ``b(cell of x)
a(cell of y)`` has at most its old value in expectation.

Proof: the expectation of the factor is the product of two sums, ``B = sum P b`` and
``A = sum Q a``, because x and y are independent; and ``A B <= ((A + B) / 2)^2 <= 1``.

So a capital that starts at 1 and is bet so, with cells and factors chosen from earlier outputs
only, is a nonnegative supermartingale: it ever reaches 1 / level with probability at most `level`
(Ville, 1939), whenever one looks and stops. The average of several such capitals has the property,
too: of several ways to bet, and of several pairs of data sets.

**What the claim allows.** The pairs (P, Q) with a trade-off curve nowhere below f are those that a
randomized function makes of one worst pair, whose curve is f (Blackwell, 1953; Dong, Roth and Su,
2022, theorem 2.10). If its outputs are finitely many with masses p and q, the largest possible sum
is ``sum over outputs of max over cells of p b + q a``: each goes to the cell that pays most. It is
computed exactly for whatever factors, and they are divided by half of it.

**Which factors.** Expected are cell probabilities (P1, Q1), estimated from earlier outputs. The
capital grows fastest with ``b = P1 / P0, a = Q1 / Q0``, where (P0, Q0) is the pair allowed by the
claim with the smallest Kullback-Leibler divergence from (P1, Q1) (the reverse information
projection: Grünwald, de Heide and Koolen, 2024). It is a mixture of the worst pair's masses, so the
EM algorithm approaches it.
"""

from dataclasses import dataclass

import numpy as np

from dpviz.checks import FloatArray
from dpviz.theory import TradeoffFunction

STEPS = 100  # of the EM algorithm; more gain little, and the factors are valid after any number
MOST_ATOMS = 100  # of a worst pair that is used as it is
SLOPES = 65  # supporting lines in place of a curve without finitely many pieces


@dataclass(frozen=True, eq=False)
class WorstPair:
    """Masses of the outputs of a pair, from which all pairs that a claim allows can be made."""

    p: FloatArray
    q: FloatArray

    @classmethod
    def of(cls, claim: TradeoffFunction) -> "WorstPair":
        """The worst pair of a claim about both orders of two data sets.

        A curve that is not made of few straight pieces is replaced by its supporting lines, which
        lie below it: what is then tested follows from the claim.
        """
        claim = claim.min_symmetrized()
        atoms = claim.atoms()
        if atoms is not None and atoms.p.size <= MOST_ATOMS:
            return cls(atoms.p, atoms.q)
        end = claim.delta(100.0)
        reach = next(
            loss for loss in 2.0 ** np.arange(-6, 7, 0.25) if claim.delta(loss) <= end + 1e-6
        )
        losses = np.linspace(-reach, reach, SLOPES)
        height, slope = 1 - claim.delta(losses), np.exp(losses)
        fpr = np.diff(height) / np.diff(slope)  # where neighbouring lines cross
        fpr = np.concatenate([[0.0], fpr[::-1], [height[0] / slope[0], 1.0]])
        fpr = np.clip(np.maximum.accumulate(fpr), 0, 1)
        fnr = np.maximum((height - np.multiply.outer(fpr, slope)).max(axis=1), 0.0)
        p, q = np.append(0.0, np.diff(fpr)), np.append(1 - fnr[0], -np.diff(fnr))
        kept = (p > 0) | (q > 0)
        return cls(p[kept], np.maximum(q[kept], 0.0))

    def bets(self, p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Log factors of each cell for outputs of the first data set and of the second.

        All are 0 where the capital is not expected to grow.

        Parameters
        ----------
        p, q : array, shape (..., cells)
            Positive probabilities of the cells as expected on the first and the second data set.
        """
        shares = np.repeat(((p + q) / 2)[..., None, :], self.p.size, axis=-2)
        for step in range(STEPS + 1):
            b = p / (self.p @ shares)
            a = q / (self.q @ shares)
            paid = self.p[:, None] * b[..., None, :] + self.q[:, None] * a[..., None, :]
            if step < STEPS:
                shares *= paid
                shares /= shares.sum(axis=-1, keepdims=True)
        most = np.log(paid.max(axis=-1).sum(axis=-1, keepdims=True) / 2)
        log_b, log_a = np.log(b) - most, np.log(a) - most
        grows = (p * log_b + q * log_a).sum(axis=-1, keepdims=True) > 0
        return log_b * grows, log_a * grows
