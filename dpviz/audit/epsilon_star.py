"""Epsilon*: how much privacy loss one trained model instance shows (Negoescu et al., 2023).

For every threshold tau on the loss, with t = FPR and eta = FNR of "member if loss <= tau",

====  =============================  ===============================
m1    (1 - delta - eta) / t          too many members among the low losses
m2    (1 - delta - t) / eta          too few members among the high losses
m3    (eta - delta) / (1 - t)        too many members among the high losses
m4    (t - delta) / (1 - eta)        too few members among the low losses
====  =============================  ===============================

and ``Epsilon* = max(0, log of the largest of them over all thresholds)``. It is an **estimate**:
the maximum of noisy ratios is biased up when nothing leaks, and leaving out extreme rates (the
clip) caps it. It bounds nothing, and it is blind to the sign: members with *larger* losses raise it
too.
"""

from dpviz import checks
from dpviz.audit.curve import AttackCurve
from dpviz.audit.empirical import empirical_epsilon_star
from dpviz.audit.normal import fit_normals, normal_epsilon_star
from dpviz.audit.ratios import METHODS, Clip, EpsilonStar, Method
from dpviz.audit.scores import AttackScores


def epsilon_star(
    scores: AttackScores, *, delta: float, method: Method = "empirical", clip: Clip = "paper"
) -> EpsilonStar:
    """Estimate Epsilon* of the model whose losses (or scores) these are.

    Parameters
    ----------
    scores : AttackScores
    delta : float
        In [0, 1].
    method : {"empirical", "normal"}
        Counts at every distinct threshold, or the paper's parametric form: Normal laws fitted to
        transformed losses, with exact suprema.
    clip : float, None or "paper"
        In [0, 0.5). "paper" is 0.001 for the empirical and `delta` for the Normal form.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    """
    checks.choice("method", method, METHODS)
    if method == "empirical":
        return empirical_epsilon_star(AttackCurve.from_scores(scores), delta=delta, clip=clip)
    return normal_epsilon_star(fit_normals(scores), delta=delta, clip=clip)
