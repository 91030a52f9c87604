"""Epsilon*: ratio curves, simulations, exact values for known distributions, and result classes."""

from dpviz.audit.epsilon_star.estimate import (
    EpsilonStar,
    RawEpsilon,
    paper_delta,
    raw_epsilon,
    rounding_gap,
)
from dpviz.audit.epsilon_star.fits import (
    GoodnessOfFit,
    KsByComponents,
    ks_by_components,
    transform_losses,
)
from dpviz.audit.epsilon_star.ratio_curves import (
    GridEpsilonStar,
    RatioCurves,
    epsilon_star_on_grid,
    ratio_curves,
)
from dpviz.audit.epsilon_star.resampling import (
    Bootstrap,
    GammaSimulation,
    PermutationTest,
    RatioNoise,
    SimulatedEstimates,
    gamma_simulation,
    ratio_noise,
)
from dpviz.audit.epsilon_star.suprema import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)

__all__ = ["Bootstrap", "EpsilonStar", "GammaSimulation", "GoodnessOfFit", "GridEpsilonStar"]
__all__ += ["KsByComponents", "PermutationTest", "RatioCurves", "RatioNoise", "RawEpsilon"]
__all__ += ["SimulatedEstimates", "epsilon_star_of", "epsilon_star_of_mixtures"]
__all__ += ["epsilon_star_of_normals", "epsilon_star_on_grid", "gamma_simulation"]
__all__ += ["ks_by_components", "paper_delta", "ratio_curves", "ratio_noise", "raw_epsilon"]
__all__ += ["rounding_gap", "transform_losses"]
