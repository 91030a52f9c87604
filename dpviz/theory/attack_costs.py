"""What an attacker with costs does best: where to set the threshold, and what the output is worth.

A false alarm is calling a non-member a member, a miss is the opposite. Only the ratio of the two
weighted costs matters: gamma, the slope at which the best point touches the trade-off curve.
"""

from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff


@dataclass(frozen=True, kw_only=True)
class BestAttack:
    """The best attack for given costs, under a guarantee.

    Parameters
    ----------
    fpr, fnr : float, in [0, 1]
        Error rates of the attack of least expected cost.
    cost : float
        Its expected cost per record.
    blind_cost : float
        The least expected cost without the output: the cheaper of always answering "member" and
        always answering "non-member".
    gamma : float
        Weight of one false alarm in misses, ``(1 - prior) cost_false_alarm / (prior cost_miss)``.

    Examples
    --------
    >>> from dpviz.theory import PureDP, best_attack
    >>> round(best_attack(PureDP(epsilon=1.0), prior=0.5).gain, 4)
    0.2311
    """

    fpr: float
    fnr: float
    cost: float
    blind_cost: float
    gamma: float

    @property
    def gain(self) -> float:
        """The most that the output can save per record; 0 where the best attack ignores it."""
        return self.blind_cost - self.cost


def best_attack(
    claim: TradeoffFunction, *, prior: float, cost_false_alarm: float = 1.0, cost_miss: float = 1.0
) -> BestAttack:
    """The least expected cost that a guarantee permits, and the error rates that reach it.

    Minimises ``(1 - prior) cost_false_alarm FPR + prior cost_miss f(FPR)``. The minimum is
    ``prior cost_miss (1 - delta(log gamma))`` (Dong, Roth & Su 2022, proposition 2.12), reached by
    the likelihood-ratio test with threshold ``log gamma`` on the privacy loss.

    Parameters
    ----------
    claim : TradeoffFunction
        For the adjacency of the experiment: see `dpviz.theory.risk`.
    prior : float, probability in (0, 1) that the record is a member
    cost_false_alarm, cost_miss : float, positive and finite

    Returns
    -------
    BestAttack

    Raises
    ------
    ValueError
        If `claim` is no trade-off function or a number leaves its range.

    References
    ----------
    Dong, Roth & Su, Gaussian differential privacy, JRSS B 84 (2022).

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, best_attack
    >>> best = best_attack(GaussianDP(mu=1.0), prior=0.1)
    >>> round(best.fpr, 4), round(best.cost, 4), round(best.blind_cost, 4)
    (0.0035, 0.0987, 0.1)
    """
    checked_tradeoff("claim", claim)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    alarm = (1 - prior) * _cost("cost_false_alarm", cost_false_alarm)
    miss = prior * _cost("cost_miss", cost_miss)
    log_gamma = float(np.log(alarm) - np.log(miss))
    fpr = float(claim.fpr_of_loss(log_gamma))
    right = float(claim.delta(log_gamma))  # TPR - gamma FPR
    return BestAttack(
        fpr=fpr,
        fnr=float(claim.beta(fpr)) if fpr > 0 else 1 - right,  # where the FPR underflows, too
        # Of an attack that calls everybody a member exactly, not up to rounding.
        cost=alarm if fpr == 1 else miss * (1 - right),
        blind_cost=min(alarm, miss),
        gamma=float(np.exp(log_gamma)),
    )


def _cost(name: str, value: float) -> float:
    return checks.real(name, value, 0, np.inf, closed="neither")
