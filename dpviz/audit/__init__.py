"""What an attack on a model showed: pure functions and frozen objects, sample side."""

from dpviz.audit.curve import AttackCurve, OperatingPoint
from dpviz.audit.epsilon_star import epsilon_star
from dpviz.audit.fits import transform_losses
from dpviz.audit.losses import losses_from_logits, losses_from_probabilities
from dpviz.audit.normal import epsilon_star_of_normals
from dpviz.audit.ratio_curves import RatioCurves, ratio_curves
from dpviz.audit.ratios import EpsilonStar
from dpviz.audit.scores import AttackScores

__all__ = [
    "AttackCurve",
    "AttackScores",
    "EpsilonStar",
    "OperatingPoint",
    "RatioCurves",
    "epsilon_star",
    "epsilon_star_of_normals",
    "losses_from_logits",
    "losses_from_probabilities",
    "ratio_curves",
    "transform_losses",
]
