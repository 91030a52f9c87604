"""What a guarantee permits an attacker to learn: advantage and precision under a prior.

All bounds here are about the membership experiment (Humphries et al. 2023; Yeom et al. 2018): the
record is a member with probability `prior`, a non-member is a fresh draw that takes its place. That
is replace-one adjacency, so a claim under add/remove has to be converted first.
"""

import numpy as np
from scipy.special import expit, logit

from dpviz import checks
from dpviz.theory.tradeoff import Floats, TradeoffFunction


def advantage(claim: TradeoffFunction, *, fpr: Floats | None = None) -> Floats | float:
    """Largest TPR - FPR the guarantee permits.

    Parameters
    ----------
    claim : TradeoffFunction
        A guarantee for replace-one adjacency.
    fpr : float or array, optional
        The attacker's FPR in [0, 1]. Left out: the supremum over all FPR, which is the total
        variation distance ``claim.delta(0)`` and does not depend on any prior.

    Raises
    ------
    ValueError
        If `claim` is for add/remove adjacency or `fpr` leaves [0, 1].
    """
    _require_replace_one(claim)
    return claim.delta(0.0) if fpr is None else claim.advantage(fpr)


def ppv(claim: TradeoffFunction, *, fpr: Floats, prior: float) -> Floats:
    """Largest share of right "member" answers (precision, PPV) an attacker at this FPR can have.

    ``tpr / (tpr + gamma fpr)`` with ``gamma = (1 - prior) / prior`` non-members per member. It is a
    bound only together with the FPR: with delta > 0 it tends to 1 as the FPR tends to 0, whatever
    the prior (the delta cliff). At FPR = 0 and delta = 0 the limit is returned (see `ppv_limit`).

    Parameters
    ----------
    claim : TradeoffFunction
        A guarantee for replace-one adjacency.
    fpr : float or array
        In [0, 1].
    prior : float
        Probability in (0, 1) that the record is a member.
    """
    _require_replace_one(claim)
    rates = checks.reals("fpr", fpr, 0, 1)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    tpr = np.asarray(claim.tpr(rates))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = expit(np.log(tpr) - np.log(rates) + logit(prior))
    limit = ppv_limit(claim, prior=prior)
    result: Floats = checks.like_input(np.where((tpr == 0) & (rates == 0), limit, share))
    return result


def ppv_limit(claim: TradeoffFunction, *, prior: float) -> float:
    """Limit of the `ppv` bound as the FPR tends to 0; 1 whenever no pure epsilon holds."""
    _require_replace_one(claim)
    prior = checks.real("prior", prior, 0, 1, closed="neither")
    return float(expit(claim.epsilon(0.0) + logit(prior)))


def _require_replace_one(claim: TradeoffFunction) -> None:
    if claim.adjacency != "replace_one":
        raise ValueError(
            f"claim must be for replace_one adjacency, got {claim!r}: "
            "convert it with .to_replace_one()"
        )
