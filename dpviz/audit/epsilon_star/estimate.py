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
from dpviz.audit.binned_scores import Scores
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.empirical import empirical_epsilon_star
from dpviz.audit.fits import Components, checked_components, fit_laws
from dpviz.audit.fitted import parametric_epsilon_star
from dpviz.audit.ratios import METHODS, Clip, EpsilonStar, Method
from dpviz.audit.transform import TRANSFORMS, Transform, TransformedScores


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
    """Estimate Epsilon* of the model whose losses (or scores) these are.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float
        In [0, 1].
    method : {"empirical", "normal", "mixture"}
        Counts at every distinct threshold; the paper's parametric form, Normal laws fitted to
        transformed losses, with exact suprema; or mixtures of Normal laws, with certified ones.
    clip : float, None or "paper"
        In [0, 0.5). "paper" is 0.001 for the empirical and `delta` for the fitted forms.
    transform : {"paper", "none"}
        What laws are fitted to: the paper's transform (Appendix B), or the losses themselves.
    components, seed
        Of mixtures; see `dpviz.audit.fits.fit_laws`.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If a mixture is asked for and scikit-learn is not installed.
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
