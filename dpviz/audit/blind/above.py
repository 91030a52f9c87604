"""What an attack on the model shows above a blind baseline, on the same records.

In each half of the records the blind classifier, fitted to the other half, is a fixed function, so
the paired differences of `auc_difference` and `tpr_difference` apply. The limits of both halves are
averaged as those of the blind baseline are, with the same proofs.
"""

from dataclasses import dataclass, replace

from dpviz import checks
from dpviz.audit.blind.baseline import AVERAGED, BlindBaseline, ScoredHalf, mean_of_halves
from dpviz.audit.comparison import Difference, TprDifference, auc_difference, tpr_difference
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, as_scores, require_unbinned
from dpviz.value_object import ValueObject


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class AboveBlind(ValueObject):
    """How far an attack on the model is ahead of the blind baseline; attack minus baseline.

    Parameters
    ----------
    auc : Difference, of the AUCs, with approximate limits and without a p-value
    tpr : TprDifference, of the TPRs at the FPR of the baseline, with limits for every sample size
    blind : BlindBaseline

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, read_sample
    >>> scores, rng = read_sample("overfitted"), np.random.default_rng(0)
    >>> features = (rng.normal(size=n) for n in (scores.n_members, scores.n_nonmembers))
    >>> blind = audit.blind.blind_baseline(*features)
    >>> audit.blind.above_blind(scores, blind).auc.sign
    1
    """

    auc: Difference
    tpr: TprDifference
    blind: BlindBaseline


def above_blind(
    attack_scores: ScoresLike, blind: BlindBaseline, *, confidence_level: float = 0.95
) -> AboveBlind:
    """Return how far an attack is ahead of a blind baseline on the same records.

    Only what an attack shows above the baseline is evidence of what the model reveals. A difference
    near 0 does not show that the model reveals nothing: an attack that does not know the features
    may detect other members than the baseline does.

    Parameters
    ----------
    attack_scores : AttackScores, in the order of the features of the baseline
    blind : BlindBaseline, as made by `blind_baseline`
    confidence_level : float in [0.5, 1), of each difference by itself

    Raises
    ------
    TypeError, if `blind` is no BlindBaseline
    ValueError, if the scores are binned, or are not as many as the rows of features

    References
    ----------
    DeLong, DeLong and Clarke-Pearson, Biometrics 44 (1988) 837, for the AUC of each half; Clopper
    and Pearson, Biometrika 26 (1934) 404, for the TPR.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, AttackScores
    >>> member, nonmember = np.arange(100.0), np.arange(50.0, 150.0)
    >>> blind = audit.blind.blind_baseline(member, nonmember)
    >>> found = audit.blind.above_blind(AttackScores(member=member, nonmember=nonmember), blind)
    >>> round(found.auc.value, 2)
    -0.75
    """
    scores = require_unbinned(as_scores("attack_scores", attack_scores), "a comparison with rows")
    checks.must_be_a("blind", blind, BlindBaseline, "a blind baseline, as made by blind_baseline")
    confidence = checks.confidence_level(confidence_level)
    for label, given, rows in (
        ("members", scores.n_members, blind.n_members),
        ("non-members", scores.n_nonmembers, blind.n_nonmembers),
    ):
        if given != rows:
            raise checks.fail(f"scores of {label}", f"{rows}, one for each row of features", given)
    pairs = [(_of_half(scores, half), half.scores) for half in blind.halves]
    areas = [auc_difference(*pair, confidence_level=confidence, paired=True) for pair in pairs]
    each = 1 - (1 - confidence) / 2  # the union bound over both halves
    tprs = [tpr_difference(*pair, blind.fpr, confidence_level=each, paired=True) for pair in pairs]
    auc, tpr = (mean_of_halves((x.value, x.low, x.high) for x in found) for found in (areas, tprs))
    alone = {name: sum(getattr(x, name) for x in tprs) for name in ("only_first", "only_second")}
    return AboveBlind(
        auc=replace(areas[0], **auc, p_value=None, note=AVERAGED),
        tpr=replace(tprs[0], **tpr, **alone, confidence_level=confidence),
        blind=blind,
    )


def _of_half(scores: AttackScores, half: ScoredHalf) -> AttackScores:
    member, nonmember = scores.member[half.member_rows], scores.nonmember[half.nonmember_rows]
    return AttackScores(member=member, nonmember=nonmember)
