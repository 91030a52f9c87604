"""What an attack on a model showed: pure functions and frozen objects, sample side."""

from dpviz.audit import bands, bounds, intervals
from dpviz.audit.advantage import Advantage, advantage
from dpviz.audit.aggregate import Aggregate, aggregate, log_mean_exp
from dpviz.audit.auc import AucInterval, auc, auc_interval
from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.bounds import EpsilonBound, lower_bound, lower_bound_from_counts
from dpviz.audit.ceiling import ceiling
from dpviz.audit.claim_test import ClaimTest, claim_test, claim_test_from_counts
from dpviz.audit.curve import AttackCurve, OperatingPoint
from dpviz.audit.curve_band import CurveBand, curve_band
from dpviz.audit.curve_test import CurveEvidence, CurveTest, curve_test
from dpviz.audit.epsilon_star import epsilon_star
from dpviz.audit.experiment import Experiment, play_list
from dpviz.audit.experiment_counts import ExperimentCounts
from dpviz.audit.fleet import Fleet, FleetBounds, FleetEstimates
from dpviz.audit.fleet_models import FleetModel
from dpviz.audit.frontier import Frontier, Landscape, Repeat, Strategy, frontier, repeats
from dpviz.audit.goodness_of_fit import GoodnessOfFit, goodness_of_fit
from dpviz.audit.ks_by_components import KsByComponents, ks_by_components
from dpviz.audit.losses import losses_from_logits, losses_from_probabilities
from dpviz.audit.null import NullBand, NullDistribution, null_distribution
from dpviz.audit.parametric import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)
from dpviz.audit.per_user import per_user
from dpviz.audit.plan import AttackRates, Plan, plan
from dpviz.audit.ratio_curves import RatioCurves, ratio_curves
from dpviz.audit.ratios import EpsilonStar
from dpviz.audit.resampling import Bootstrap, PermutationTest, bootstrap, permutation_test
from dpviz.audit.retraining import CanaryAudit, RetrainingAudit, retraining_audit
from dpviz.audit.retraining_scores import retraining_scores
from dpviz.audit.rounding import rounding_gap
from dpviz.audit.scores import AttackScores
from dpviz.audit.sequence_losses import sequence_losses
from dpviz.audit.simulation import (
    GammaSimulation,
    RatioNoise,
    SimulatedEstimates,
    gamma_simulation,
    ratio_noise,
)
from dpviz.audit.slices import Slice, Slices, slices
from dpviz.audit.tpr_at_fpr import CONVENTIONS, TprAtFpr, tpr_at_fpr, tpr_interval, tpr_table
from dpviz.audit.transform import transform_losses

__all__ = [
    "CONVENTIONS",
    "Advantage",
    "Aggregate",
    "AttackCurve",
    "AttackRates",
    "AttackScores",
    "AucInterval",
    "BinnedScores",
    "Bootstrap",
    "CanaryAudit",
    "ClaimTest",
    "CurveBand",
    "CurveEvidence",
    "CurveTest",
    "EpsilonBound",
    "EpsilonStar",
    "Experiment",
    "ExperimentCounts",
    "Fleet",
    "FleetBounds",
    "FleetEstimates",
    "FleetModel",
    "Frontier",
    "GammaSimulation",
    "GoodnessOfFit",
    "KsByComponents",
    "Landscape",
    "NullBand",
    "NullDistribution",
    "OperatingPoint",
    "PermutationTest",
    "Plan",
    "RatioCurves",
    "RatioNoise",
    "Repeat",
    "RetrainingAudit",
    "SimulatedEstimates",
    "Slice",
    "Slices",
    "Strategy",
    "TprAtFpr",
    "advantage",
    "aggregate",
    "auc",
    "auc_interval",
    "bands",
    "bootstrap",
    "bounds",
    "ceiling",
    "claim_test",
    "claim_test_from_counts",
    "curve_band",
    "curve_test",
    "epsilon_star",
    "epsilon_star_of",
    "epsilon_star_of_mixtures",
    "epsilon_star_of_normals",
    "frontier",
    "gamma_simulation",
    "goodness_of_fit",
    "intervals",
    "ks_by_components",
    "log_mean_exp",
    "losses_from_logits",
    "losses_from_probabilities",
    "lower_bound",
    "lower_bound_from_counts",
    "null_distribution",
    "per_user",
    "permutation_test",
    "plan",
    "play_list",
    "ratio_curves",
    "ratio_noise",
    "repeats",
    "retraining_audit",
    "retraining_scores",
    "rounding_gap",
    "sequence_losses",
    "slices",
    "tpr_at_fpr",
    "tpr_interval",
    "tpr_table",
    "transform_losses",
]
