"""S0: "Hypothesis interpretation of differential privacy"."""

import math
from itertools import combinations

import numpy as np
import pytest

from dpviz import AttackScores, audit, theory
from tests.sources.item import Item, approx_rows, drawn, said, shown
from tests.sources.outputs import ALL_TESTS, FOUR_OUTPUTS

CLAIM = theory.ApproximateDP(epsilon=1.0, delta=1e-5)
TURN = 1 / (1 + math.e)  # where both slopes of ε = 1 meet
RADIUS = math.sqrt(math.log(2 / 0.05) / (2 * 50))  # of a DKW band of 50 models, 95 % for both
DKW_BOUND = math.log((1 - RADIUS) / RADIUS)  # of an attack that is always right
# Under ε-DP each of 100 guesses is right with probability e^ε / (1 + e^ε) at most, so that all are
# with less than 5 % for a smaller ε than this one: no valid bound at 95 % is above it.
ALL_RIGHT = math.log(0.05 ** (1 / 100) / (1 - 0.05 ** (1 / 100)))


def retrained(claim: theory.TradeoffFunction) -> audit.models.RetrainingAudit:
    """Of 50 models trained with a canary and 50 without, which the attack tells apart."""
    scores = audit.retraining_scores([2, 3, 0, 1] * 25, [1, 1, 0, 0] * 25, kind="score")
    return audit.retraining_audit(scores, claim=claim, delta=0.0)


def lowest_chord(fpr: np.ndarray, fnr: np.ndarray, *, at: float) -> float:
    """The lowest FNR at an FPR on a line between two points."""
    points = sorted(zip(fpr.tolist(), fnr.tolist(), strict=True))
    heights = (
        low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0])
        for low, high in combinations(points, 2)
        if low[0] <= at <= high[0] and low[0] < high[0]
    )
    return min(heights)


ITEMS = (
    Item(
        *(1, "S0", "(ε, δ)-DP, both orders"),
        lambda: CLAIM.inverse().epsilon(1e-5),
        CLAIM.epsilon(1e-5),
    ),
    Item(
        *(2, "S0", "H0 and H1: the same null in DP and in membership inference"),
        lambda: said("naming", naming="hypothesis"),
        "H0: M is not trained on x. H1: M is trained on x.",
    ),
    Item(
        *(3, "S0", "type I = α = FPR"),
        lambda: drawn("tradeoff", naming="hypothesis"),
        "non-members wrongly accused (type I error α)",
    ),
    Item(
        *(4, "S0", "type II = β, power 1 - β"),
        lambda: said("naming", naming="hypothesis"),
        "The type II error β is the FNR. The power is 1 - β.",
    ),
    Item(
        *(5, "S0", "four constraints, the one that the source leaves out too"),
        lambda: theory.PrivacyRegion(epsilon=1.0, delta=0.0).contains(fpr=0.8, fnr=0.7),
        False,
    ),
    Item(
        *(6, "S0", "proof by complements: flip the answers"),
        lambda: drawn("region", show_extra=True),
        "answers flipped",
    ),
    Item(
        *(7, "S0", "the region R(ε, δ)"),
        lambda: shown(epsilon=1.0, delta=0.0).claim.region.tolist(),
        approx_rows([(0, 1), (TURN, TURN), (1, 0), (1 - TURN, 1 - TURN), (0, 1)]),
    ),
    Item(
        *(8, "S0", "R(M, D0, D1) is the convex hull over all rejection regions S"),
        lambda: [FOUR_OUTPUTS.beta(fpr) for fpr in (0.05, 0.25, 0.65)],
        pytest.approx([lowest_chord(*ALL_TESTS.T, at=fpr) for fpr in (0.05, 0.25, 0.65)]),
    ),
    Item(
        *(9, "S0", "member is positive: a low loss says member"),
        lambda: audit.auc(AttackScores.from_losses(member=[0.1], nonmember=[0.9])),
        1.0,
    ),
    Item(
        *(10, "S0", "table of TPR, FPR, FNR, TNR beside 1 - β, α, β, 1 - α"),
        lambda: shown("overfitted", naming="hypothesis", fpr=0.01).tables["counts"].rows,
        [
            ("H1: M is trained on x", "5 (1 - β = 1.67 %)", "295 (β = 98.3 %)"),
            ("H0: M is not trained on x", "14 (α = 0.935 %)", "1483 (1 - α = 99.1 %)"),
        ],
    ),
    Item(
        *(11, "S0", "equations 13 to 16: implied ε"),
        lambda: float(theory.implied_epsilons(fpr=0.1, fnr=0.1, delta=1e-4).max()),
        pytest.approx(math.log((0.9 - 1e-4) / 0.1)),
    ),
    Item(
        *(12, "S0", "14 and 16 are the same"),
        lambda: said("same_inequality"),
        "1 - FNR ≤ e^ε × FPR + δ. Papers also write this inequality as e^ε × FPR + FNR ≥ 1 - δ",
    ),
    Item(
        *(13, "S0", "audit: lower bounds over retrained models"),
        lambda: DKW_BOUND < retrained(theory.PureDP(epsilon=1.0)).certified_epsilon <= ALL_RIGHT,
        True,
    ),
    Item(
        *(14, "S0", "the app: ε, δ, TPR and FPR, a point inside or outside"),
        lambda: said("region_lead", epsilon=2.5, delta=1e-4, fpr=0.1, tpr=0.9),
        "lies inside the region of the claim",
    ),
    Item(
        *(15, "S0", "smaller ε, smaller region"),
        lambda: theory.PrivacyRegion(epsilon=2.5, delta=1e-4).area,
        pytest.approx(0.848, abs=5e-4),
    ),
    Item(
        *(16, "S0", "ε = 2.5, FPR 10 %, TPR 90 %: inside; at ε = 2 outside"),
        lambda: [
            theory.PrivacyRegion(epsilon=e, delta=1e-4).contains(fpr=0.1, fnr=0.1)
            for e in (2.5, 2.0)
        ],
        [True, False],
    ),
    Item(
        *(17, "S0", "how sure are we? n matters"),
        lambda: [
            audit.lower_bound_from_counts(
                false_positives=n // 10,
                n_nonmembers=n,
                false_negatives=n // 10,
                n_members=n,
                delta=1e-4,
            ).low
            for n in (10, 100, 1000)
        ],
        pytest.approx([0.22, 1.54, 1.99], abs=0.01),
    ),
    Item(
        *(18, "S0", "Clopper-Pearson interval of a rate"),
        lambda: audit.roc.intervals.clopper_pearson(0, 10, confidence_level=0.95, side="upper"),
        pytest.approx(1 - 0.05 ** (1 / 10)),
    ),
    Item(
        *(19, "S0", "how well DP is implemented: what is certified over what is claimed"),
        lambda: DKW_BOUND / 2 < retrained(theory.PureDP(epsilon=2.0)).tightness <= ALL_RIGHT / 2,
        True,
    ),
)
