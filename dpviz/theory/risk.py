"""Risks of attacks under a guarantee: the advantage, and quantities that need a prior.

All bounds here are for the membership experiment (Humphries et al. 2023; Yeom et al. 2018): the
record is a member with probability `prior`. Under a replace-one claim a random record replaces a
non-member; an add/remove claim has to be converted for that (`to_replace_one`). Members and
non-members must come from the same distribution; the attacker must fix the rule in advance.

``gamma = (1 - prior) / prior`` is the number of non-members per member. A bound at an FPR is valid
at that FPR only: with delta > 0 or Gaussian noise no bound on PPV or odds holds at all FPRs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.special import expit, logit

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.guessing import baseline_prior
from dpviz.theory.privacy_loss import PrivacyLoss
from dpviz.theory.profile import times_exp
from dpviz.theory.tradeoff import Floats, TradeoffFunction, checked_tradeoff

__all__ = [
    *("BestAttack", "accuracy", "advantage", "best_accuracy", "expected_posterior", "f1", "npv"),
    *("posterior_bounds", "posterior_odds", "ppv", "ppv_limit", "reconstruction", "relative_risk"),
]
BoundOfRates = Callable[[FloatArray, FloatArray, float], FloatArray]  # FPR, TPR, log odds against


def advantage(claim: TradeoffFunction, *, fpr: Floats | None = None) -> Floats | float:
    """Return the largest TPR - FPR that the guarantee allows.

    Parameters
    ----------
    claim : TradeoffFunction, for the adjacency of the experiment (see the module)
    fpr : float or array, in [0, 1]; without it, the result is the largest over all FPRs

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.advantage(PureDP(epsilon=1.0)), 4)
    0.4621
    """
    checked_tradeoff("claim", claim)
    return claim.delta(0.0) if fpr is None else claim.advantage(fpr)


def ppv(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest precision (PPV) of an attacker's "member" answers at this FPR.

    ``tpr / (tpr + gamma fpr)``. With delta > 0 the PPV tends to 1 as the FPR tends to 0, at any
    prior (the delta cliff). At FPR = 0 and delta = 0 the limit is returned (see `ppv_limit`).

    Parameters
    ----------
    claim : TradeoffFunction, for the adjacency of the experiment (see the module)
    fpr : float or array, in [0, 1]
    prior : float, probability in (0, 1) that the record is a member; gamma = (1 - prior) / prior

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.ppv(PureDP(epsilon=1.0), fpr=0.01, prior=0.1), 4)
    0.232
    """

    def ppv_formula(fprs: FloatArray, tpr: FloatArray, log_odds_against: float) -> FloatArray:
        value = expit(_logit_ppv(fprs, tpr, log_odds_against))
        return np.where((tpr == 0) & (fprs == 0), ppv_limit(claim, prior=prior), value)

    return _bound_at(claim, fpr, prior, ppv_formula)


def posterior_odds(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest posterior odds of membership after a "member" answer.

    ``tpr / (gamma fpr)``. At FPR = 0 and delta = 0 the limit is returned.

    Parameters
    ----------
    claim, fpr, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.posterior_odds(PureDP(epsilon=1.0), fpr=0.01, prior=0.1), 4)
    0.302
    """

    def odds_formula(fprs: FloatArray, tpr: FloatArray, log_odds_against: float) -> FloatArray:
        limit = claim.epsilon(0.0) - log_odds_against
        logs = np.where((tpr == 0) & (fprs == 0), limit, _logit_ppv(fprs, tpr, log_odds_against))
        with np.errstate(over="ignore"):
            return np.exp(logs)

    return _bound_at(claim, fpr, prior, odds_formula)


def relative_risk(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest factor by which a "member" answer raises the prior, ``ppv / prior``.

    Parameters
    ----------
    claim, fpr, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.relative_risk(PureDP(epsilon=1.0), fpr=0.01, prior=0.1), 4)
    2.3197
    """
    bound = np.asarray(ppv(claim, fpr=fpr, prior=prior)) / prior
    return cast(Floats, checks.float_if_scalar(bound))


def npv(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest share of "non-member" answers that are right (NPV).

    ``gamma tnr / (gamma tnr + fnr)``. At FPR = 1 the limit is returned.

    Parameters
    ----------
    claim, fpr, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.npv(PureDP(epsilon=1.0), fpr=0.9, prior=0.1), 4)
    0.9607
    """

    def npv_formula(fprs: FloatArray, _: FloatArray, log_odds_against: float) -> FloatArray:
        fnr, limit = claim.beta(fprs), claim.inverse().epsilon(0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_odds = log_odds_against + np.log1p(-fprs) - np.log(fnr)
        return expit(np.where((fnr == 0) & (fprs == 1), log_odds_against + limit, log_odds))

    return _bound_at(claim, fpr, prior, npv_formula)


def accuracy(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest share of right answers at this FPR.

    Parameters
    ----------
    claim, fpr, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.accuracy(PureDP(epsilon=1.0), fpr=0.1, prior=0.5), 4)
    0.5859
    """
    return _bound_at(claim, fpr, prior, lambda x, tpr, _: prior * tpr + (1 - prior) * (1 - x))


def f1(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Return the largest F1 score of an attack with this FPR.

    The score is ``2 tpr / (tpr + 1 + fpr (1 - prior) / prior)``.

    Parameters
    ----------
    claim, fpr, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.f1(PureDP(epsilon=1.0), fpr=0.1, prior=0.5), 4)
    0.3963
    """

    def f1_formula(fprs: FloatArray, tpr: FloatArray, log_odds_against: float) -> FloatArray:
        return 2 * tpr / (tpr + 1 + times_exp(log_odds_against, fprs))

    return _bound_at(claim, fpr, prior, f1_formula)


def ppv_limit(claim: TradeoffFunction, *, prior: float) -> float:
    """Return the limit of `ppv` as the FPR tends to 0.

    The limit is below 1 only under pure DP.

    Parameters
    ----------
    claim, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.ppv_limit(PureDP(epsilon=1.0), prior=0.1), 4)
    0.232
    """
    checked_tradeoff("claim", claim)
    prior = checks.between_0_and_1("prior", prior)
    return float(expit(claim.epsilon(0.0) + logit(prior)))


def best_accuracy(claim: TradeoffFunction, *, prior: float) -> float:
    """Return the accuracy of the Bayes-optimal attacker, the largest that the claim allows.

    ``(1 - prior) + prior delta(log gamma)``. Under pure DP with ``gamma >= e^epsilon`` this is no
    more than that of always answering "non-member": with a skewed prior accuracy says little.

    Parameters
    ----------
    claim, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.best_accuracy(PureDP(epsilon=1.0), prior=0.5), 4)
    0.7311
    """
    checked_tradeoff("claim", claim)
    prior = checks.between_0_and_1("prior", prior)
    return float((1 - prior) + prior * claim.delta(-float(logit(prior))))


def expected_posterior(claim: TradeoffFunction, *, prior: float) -> float:
    """Return the claim's limit of a member's mean posterior probability of membership.

    ``E_Q[1 / (1 + gamma e^-L)]`` over the privacy loss L.

    Parameters
    ----------
    claim, prior : as of `ppv`

    Examples
    --------
    >>> from dpviz.theory import PureDP, risk
    >>> round(risk.expected_posterior(PureDP(epsilon=1.0), prior=0.5), 4)
    0.6068
    """
    checked_tradeoff("claim", claim)
    prior = checks.between_0_and_1("prior", prior)
    found = PrivacyLoss(claim).expectation(lambda loss: expit(loss + logit(prior)))
    return min(1.0, found)


def reconstruction(
    claim: TradeoffFunction, *, baseline: Floats | None = None, candidates: int | None = None
) -> Floats | float:
    """Return the largest probability that a guess about a secret, given the output, is right.

    ``1 - f(baseline)``: an attacker who is right with probability `baseline` without the output is
    right with at most this probability given the output, for any secret and any criterion of a
    right guess. A right guess is a test of FPR `baseline`, which has at most this TPR (Kulynych et
    al., 2025, "Unifying re-identification, attribute inference, and data reconstruction risks in
    differential privacy", arXiv 2507.06969).

    Parameters
    ----------
    claim : TradeoffFunction, for the adjacency of the experiment (see the module)
    baseline : float or array, in (0, 1), probability of a right guess without the output, or kappa
    candidates : int, at least 2; in place of `baseline`, the number of equally likely candidates

    Raises
    ------
    ValueError, if a number leaves its range, or not one of `baseline` and `candidates` is given

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, risk
    >>> round(risk.reconstruction(GaussianDP(mu=1.0), candidates=10), 3)
    0.389
    """
    checked_tradeoff("claim", claim)
    kappa = checks.reals("baseline", baseline_prior(baseline, candidates), 0, 1, closed="neither")
    return cast(Floats, checks.float_if_scalar(np.asarray(claim.tpr(kappa))))


def posterior_bounds(*, epsilon: float, prior: float) -> tuple[float, float]:
    """Return the range (low, high) of the posterior probability under pure epsilon-DP.

    The limits are ``expit(logit prior -+ epsilon)``. With delta > 0 or Gaussian noise no such range
    exists.

    Parameters
    ----------
    epsilon : float, in [0, inf]
    prior : float, probability in (0, 1) that the record is a member

    Examples
    --------
    >>> from dpviz.theory import risk
    >>> low, high = risk.posterior_bounds(epsilon=1.0, prior=0.5)
    >>> round(low, 4), round(high, 4)
    (0.2689, 0.7311)
    """
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    log_odds = logit(checks.between_0_and_1("prior", prior))
    return float(expit(log_odds - epsilon)), float(expit(log_odds + epsilon))


def _bound_at(claim: TradeoffFunction, fpr: Floats, prior: float, formula: BoundOfRates) -> Floats:
    checked_tradeoff("claim", claim)
    fprs = checks.reals("fpr", fpr, 0, 1)
    prior = checks.between_0_and_1("prior", prior)
    tpr = np.asarray(claim.tpr(fprs))
    return cast(Floats, checks.float_if_scalar(formula(fprs, tpr, -float(logit(prior)))))


def _logit_ppv(fprs: FloatArray, tpr: FloatArray, log_odds_against: float) -> FloatArray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(tpr) - np.log(fprs) - log_odds_against


# The best attack where errors have costs. A false alarm is a false positive, a miss a false
# negative. The ratio of their weighted costs, gamma, is the slope of the curve at the best point.


@dataclass(frozen=True, kw_only=True)
class BestAttack:
    """The attack of least expected cost under a guarantee, for given costs of errors.

    Parameters
    ----------
    fpr, fnr : float, in [0, 1]; error rates of the attack of least expected cost
    cost : float, its expected cost per record
    blind_cost : float, the least expected cost of always giving the same answer
    gamma : float, ``(1 - prior) cost_false_alarm / (prior cost_miss)``

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
        """How far the attack lowers the expected cost.

        The reduction is ``blind_cost - cost``, for each record.
        """
        return self.blind_cost - self.cost


def best_attack(
    claim: TradeoffFunction, *, prior: float, cost_false_alarm: float = 1.0, cost_miss: float = 1.0
) -> BestAttack:
    """Return the attack of least expected cost that a guarantee allows.

    Minimises ``(1 - prior) cost_false_alarm FPR + prior cost_miss f(FPR)``. The minimum is
    ``prior cost_miss (1 - delta(log gamma))`` (Dong, Roth & Su 2022, proposition 2.12), that of the
    likelihood-ratio test with threshold ``log gamma`` on the privacy loss.

    Parameters
    ----------
    claim : TradeoffFunction, for the adjacency of the experiment: see `dpviz.theory.risk`
    prior : float, probability in (0, 1) that the record is a member
    cost_false_alarm, cost_miss : float, positive and finite

    Raises
    ------
    ValueError, if `claim` is no trade-off function or a number leaves its range

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, best_attack
    >>> best = best_attack(GaussianDP(mu=1.0), prior=0.1)
    >>> round(best.fpr, 4), round(best.cost, 4), round(best.blind_cost, 4)
    (0.0035, 0.0987, 0.1)
    """
    checked_tradeoff("claim", claim)
    prior = checks.between_0_and_1("prior", prior)
    # Expected costs of the two constant answers, which a product of tiny numbers may lose.
    alarm = (1 - prior) * checks.positive("cost_false_alarm", cost_false_alarm)
    miss = prior * checks.positive("cost_miss", cost_miss)
    for name, cost in (("(1 - prior) * cost_false_alarm", alarm), ("prior * cost_miss", miss)):
        if cost == 0:
            way_out = "multiply both costs by 1e300: the best attack stays the same"
            raise checks.fail(name, "above 0 in floating-point arithmetic", cost, way_out)
    # The best attack flags where the likelihood ratio exceeds the ratio of the costs, gamma.
    log_cost_ratio = float(np.log(alarm) - np.log(miss))
    with np.errstate(over="ignore"):
        gamma = float(np.exp(log_cost_ratio))
    fpr = float(claim.fpr_of_loss(log_cost_ratio))
    right = float(claim.delta(log_cost_ratio))  # TPR - gamma FPR
    return BestAttack(
        fpr=fpr,
        fnr=float(claim.beta(fpr)) if fpr > 0 else 1 - right,  # where the FPR underflows, too
        cost=alarm if fpr == 1 else miss * (1 - right),  # at FPR 1 without rounding
        blind_cost=min(alarm, miss),
        gamma=gamma,
    )


def __dir__() -> list[str]:
    return __all__
