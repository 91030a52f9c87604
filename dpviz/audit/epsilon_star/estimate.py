"""Epsilon*: the privacy loss of one trained model instance (Negoescu et al., 2023).

For every threshold tau on the loss, with t = FPR and eta = FNR of "member if loss <= tau",

====  =============================  ===============================
m1    (1 - delta - eta) / t          too many members among the low losses
m2    (1 - delta - t) / eta          too few members among the high losses
m3    (eta - delta) / (1 - t)        too many members among the high losses
m4    (t - delta) / (1 - eta)        too few members among the low losses
====  =============================  ===============================

and ``Epsilon* = max(0, log of the largest of them over all thresholds)``. It is an **estimate**:
the maximum of noisy ratios is biased upwards when nothing leaks, and leaving out extreme rates (the
clip) caps it. It is no bound, and it ignores the sign: members with *larger* losses raise it, too.
"""

from dpviz import checks
from dpviz.audit.epsilon_star.empirical import empirical_epsilon_star
from dpviz.audit.epsilon_star.fits import Components, checked_components, fit_laws
from dpviz.audit.epsilon_star.fitted import parametric_epsilon_star
from dpviz.audit.epsilon_star.result import METHODS, Clip, EpsilonStar, Method
from dpviz.audit.epsilon_star.transform import TRANSFORMS, Transform, TransformedScores
from dpviz.audit.roc.threshold_blocks import threshold_blocks
from dpviz.audit.scores.base import Scores


def epsilon_star(
    scores: Scores,
    *,
    delta: float,
    method: Method = "empirical",
    clip: Clip = "paper",
    transform: Transform = "paper",
    components: Components = "bic",
    seed: int = 0,
) -> EpsilonStar:
    """An estimate of Epsilon* of the model whose losses (or scores) are given.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    method : {"empirical", "normal", "mixture"}
        Counts at every distinct threshold; the paper's parametric form, Normal distributions fitted
        to transformed losses, with exact suprema; or mixtures of them, with certified suprema.
    clip : float, None or "paper"
        In [0, 0.5). "paper" is 0.001 for the empirical and `delta` for the fitted forms.
    transform : {"paper", "none"}
        Fit to losses after the paper's transform (Appendix B), or to the losses themselves.
    components : int, "bic" or "ks"
        Of mixtures, 1 to 20: a number, or the rule that finds it; see `fits.fit_laws`.
    seed : int, of mixtures

    Returns
    -------
    EpsilonStar

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If a mixture is requested and scikit-learn is not installed.

    References
    ----------
    Negoescu et al., "Epsilon*: Privacy Metric for Machine Learning Models" (2023).

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> star = audit.epsilon_star(read_sample("overfitted"), delta=1e-5)
    >>> round(star.value, 2), star.active
    (4.63, 'm2')
    """
    checks.choice("method", method, METHODS)
    checks.choice("transform", transform, TRANSFORMS)
    checked_components(components)
    checks.whole("seed", seed, 0)
    if method == "empirical":
        return empirical_epsilon_star(threshold_blocks(scores), delta=delta, clip=clip)
    sample = TransformedScores.of(scores, transform)
    fits = fit_laws(sample, method=method, components=components, seed=seed)
    return parametric_epsilon_star(fits, delta=delta, clip=clip)
