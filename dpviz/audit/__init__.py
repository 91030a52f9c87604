"""What the scores of an attack show about a model: pure functions and immutable objects.

Where scores are expected, a pair of arrays (member_losses, nonmember_losses) may be given, too.
"""

from dpviz.audit import bounds
from dpviz.audit.bounds import EpsilonBound, lower_bound, lower_bound_from_counts
from dpviz.audit.bounds.certified_profile import CertifiedProfile, certified_profile
from dpviz.audit.bounds.certify import Certificate, certify
from dpviz.audit.bounds.lower_bound import ceiling, fewest_records
from dpviz.audit.bounds.plan import AttackRates, Plan, plan
from dpviz.audit.bounds.slices import Slice, Slices, slices
from dpviz.audit.comparison import (
    BestOf,
    Difference,
    Stretch,
    TprDifference,
    auc_difference,
    best_of,
    lowest_curves,
    tpr_difference,
)
from dpviz.audit.epsilon_star.estimate import (
    EpsilonStar,
    RawEpsilon,
    epsilon_star,
    paper_delta,
    raw_epsilon,
    rounding_gap,
)
from dpviz.audit.epsilon_star.fits import (
    GoodnessOfFit,
    KsByComponents,
    goodness_of_fit,
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
    bootstrap,
    gamma_simulation,
    permutation_test,
    ratio_noise,
)
from dpviz.audit.epsilon_star.suprema import (
    epsilon_star_of,
    epsilon_star_of_mixtures,
    epsilon_star_of_normals,
)
from dpviz.audit.evidence.claim import (
    ClaimTest,
    claim_test,
    claim_test_from_counts,
    strongest_evidence,
)
from dpviz.audit.evidence.null import NullBand, NullDistribution, null_distribution
from dpviz.audit.evidence.smallest import (
    ConditionalParameterBound,
    OrderedFamily,
    dp_sgd_family,
    sensitivity_family,
    smallest,
)
from dpviz.audit.evidence.stream import Checkpoints, Look, Stream
from dpviz.audit.evidence.whole_curve import CurveEvidence, CurveTest, curve_test
from dpviz.audit.experiment import Experiment, ExperimentCounts, play_list
from dpviz.audit.models.aggregate import Aggregate, BothSides, aggregate, both_sides, log_mean_exp
from dpviz.audit.models.fleet import Fleet, FleetBounds, FleetEstimates, FleetModel
from dpviz.audit.models.frontier import Frontier, Landscape, Repeat, Strategy, frontier, repeats
from dpviz.audit.models.retraining import (
    CanaryAudit,
    RetrainingAudit,
    retraining_audit,
    retraining_scores,
)
from dpviz.audit.roc import bands, intervals
from dpviz.audit.roc.area_and_advantage import Advantage, AucInterval, advantage, auc, auc_interval
from dpviz.audit.roc.bands import CurveBand, curve_band
from dpviz.audit.roc.curve import AttackCurve, OperatingPoint
from dpviz.audit.roc.intervals import ratio_interval
from dpviz.audit.roc.tpr_at_fpr import CONVENTIONS, TprAtFpr, tpr_at_fpr, tpr_interval, tpr_table
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.losses import (
    losses_from_logits,
    losses_from_probabilities,
    per_user,
    sequence_losses,
)

__all__ = [
    "CONVENTIONS",
    "Advantage",
    "Aggregate",
    "AttackCurve",
    "AttackRates",
    "AttackScores",
    "AucInterval",
    "BestOf",
    "BinnedScores",
    "Bootstrap",
    "BothSides",
    "CanaryAudit",
    "Certificate",
    "CertifiedProfile",
    "Checkpoints",
    "ClaimTest",
    "ConditionalParameterBound",
    "CurveBand",
    "CurveEvidence",
    "CurveTest",
    "Difference",
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
    "GridEpsilonStar",
    "KsByComponents",
    "Landscape",
    "Look",
    "NullBand",
    "NullDistribution",
    "OperatingPoint",
    "OrderedFamily",
    "PermutationTest",
    "Plan",
    "RatioCurves",
    "RatioNoise",
    "RawEpsilon",
    "Repeat",
    "RetrainingAudit",
    "SimulatedEstimates",
    "Slice",
    "Slices",
    "Strategy",
    "Stream",
    "Stretch",
    "TprAtFpr",
    "TprDifference",
    "advantage",
    "aggregate",
    "auc",
    "auc_difference",
    "auc_interval",
    "bands",
    "best_of",
    "bootstrap",
    "both_sides",
    "bounds",
    "ceiling",
    "certified_profile",
    "certify",
    "claim_test",
    "claim_test_from_counts",
    "curve_band",
    "curve_test",
    "dp_sgd_family",
    "epsilon_star",
    "epsilon_star_of",
    "epsilon_star_of_mixtures",
    "epsilon_star_of_normals",
    "epsilon_star_on_grid",
    "fewest_records",
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
    "lowest_curves",
    "null_distribution",
    "paper_delta",
    "per_user",
    "permutation_test",
    "plan",
    "play_list",
    "ratio_curves",
    "ratio_interval",
    "ratio_noise",
    "raw_epsilon",
    "repeats",
    "retraining_audit",
    "retraining_scores",
    "rounding_gap",
    "sensitivity_family",
    "sequence_losses",
    "slices",
    "smallest",
    "strongest_evidence",
    "tpr_at_fpr",
    "tpr_difference",
    "tpr_interval",
    "tpr_table",
    "transform_losses",
]
