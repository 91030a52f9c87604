"""What the scores of an attack show about a model: pure functions and immutable objects.

Where scores are expected, a pair of arrays (member_losses, nonmember_losses) may be given, too.
"""

from dpviz.audit import blind as blind
from dpviz.audit.bounds import lower_bound, lower_bound_from_counts
from dpviz.audit.bounds.certified_profile import certified_profile
from dpviz.audit.bounds.certify import certify
from dpviz.audit.bounds.lower_bound import ceiling
from dpviz.audit.bounds.slices import slices
from dpviz.audit.comparison import auc_difference, best_of, tpr_difference
from dpviz.audit.epsilon_star.estimate import epsilon_star
from dpviz.audit.epsilon_star.fits import goodness_of_fit
from dpviz.audit.epsilon_star.resampling import bootstrap, permutation_test
from dpviz.audit.evidence.canary_plan import canaries
from dpviz.audit.evidence.claim import claim_test, claim_test_from_counts
from dpviz.audit.evidence.null import null_distribution
from dpviz.audit.evidence.plan import plan
from dpviz.audit.evidence.smallest import smallest
from dpviz.audit.evidence.stream import Stream
from dpviz.audit.evidence.whole_curve import curve_test
from dpviz.audit.models.fleet import Fleet
from dpviz.audit.models.retraining import retraining_audit, retraining_scores
from dpviz.audit.roc.area_and_advantage import advantage, auc, auc_interval
from dpviz.audit.roc.bands import curve_band
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.tpr_at_fpr import tpr_at_fpr, tpr_table
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.losses import (
    losses_from_logits,
    losses_from_probabilities,
    per_user,
    sequence_losses,
)
from dpviz.audit.upper_limits.at_most import at_most

__all__ = ["AttackCurve", "AttackScores", "BinnedScores", "Fleet", "Stream", "advantage", "at_most"]
__all__ += ["auc", "auc_difference", "auc_interval", "best_of", "bootstrap", "canaries", "ceiling"]
__all__ += ["certified_profile", "certify", "claim_test", "claim_test_from_counts", "curve_band"]
__all__ += ["curve_test", "epsilon_star", "goodness_of_fit", "losses_from_logits"]
__all__ += ["losses_from_probabilities", "lower_bound", "lower_bound_from_counts"]
__all__ += ["null_distribution", "per_user", "permutation_test", "plan", "retraining_audit"]
__all__ += ["retraining_scores", "sequence_losses", "slices", "smallest", "tpr_at_fpr"]
__all__ += ["tpr_difference", "tpr_table"]
