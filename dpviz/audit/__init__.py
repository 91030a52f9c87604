"""What an attack on a model showed: pure functions and frozen objects, sample side."""

from dpviz.audit import bands, bounds, intervals
from dpviz.audit.bounds import EpsilonBound, lower_bound, lower_bound_from_counts
from dpviz.audit.curve import AttackCurve, OperatingPoint
from dpviz.audit.epsilon_star import epsilon_star
from dpviz.audit.experiment import Experiment, play_list
from dpviz.audit.experiment_counts import ExperimentCounts
from dpviz.audit.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from dpviz.audit.losses import losses_from_logits, losses_from_probabilities
from dpviz.audit.parametric import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)
from dpviz.audit.ratio_curves import RatioCurves, ratio_curves
from dpviz.audit.ratios import EpsilonStar
from dpviz.audit.resampling import Bootstrap, PermutationTest, bootstrap, permutation_test
from dpviz.audit.scores import AttackScores
from dpviz.audit.transform import transform_losses

__all__ = [
    "AttackCurve",
    "AttackScores",
    "Bootstrap",
    "EpsilonBound",
    "EpsilonStar",
    "Experiment",
    "ExperimentCounts",
    "GoodnessOfFit",
    "OperatingPoint",
    "PermutationTest",
    "RatioCurves",
    "bands",
    "bootstrap",
    "bounds",
    "epsilon_star",
    "epsilon_star_of",
    "epsilon_star_of_mixtures",
    "epsilon_star_of_normals",
    "goodness_of_fit",
    "intervals",
    "losses_from_logits",
    "losses_from_probabilities",
    "lower_bound",
    "lower_bound_from_counts",
    "permutation_test",
    "play_list",
    "ratio_curves",
    "transform_losses",
]
