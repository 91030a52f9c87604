"""S2: "Bayesian view on DP"."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import dpviz
from dpviz import AttackScores, audit, theory
from dpviz.theory import risk
from tests.sources.item import Item, said

CLAIM = theory.ApproximateDP(epsilon=1.0, delta=1e-5)
GAUSSIAN = theory.GaussianDP(mu=1.0)


def checked_with_covariates(member: np.ndarray, nonmember: np.ndarray) -> str:
    """What the checks of inputs say of two populations."""
    scores = AttackScores(member=np.zeros(len(member)), nonmember=np.zeros(len(nonmember)))
    return str(dpviz.check_inputs(scores, covariates=(member, nonmember)))


def rounds_right(claim: theory.TradeoffFunction, n: int) -> int:
    """How many of n rounds the best attack without false alarms wins."""
    game = audit.experiment.Experiment(claim, prior=0.5, fpr=0.0)
    counts = game.counts(np.random.default_rng(0), rounds=n)
    return counts.true_positives + counts.true_negatives


ITEMS = (
    Item(
        *(33, "S2", "balanced against skewed prior"),
        lambda: said("risk_lead", prior=0.01),
        "If 1 % of candidates are members, at most 2.68 % of the records flagged",
    ),
    Item(
        *(34, "S2", "experiment 4.1: without noise the attack wins every round"),
        lambda: rounds_right(theory.PureDP(epsilon=math.inf), 1000),
        1000,
    ),
    Item(
        *(35, "S2", "the hospital: one in ten thousand has been there"),
        lambda: risk.ppv(theory.PureDP(epsilon=1.0), fpr=0.01, prior=1e-4),
        pytest.approx(1 / (1 + 9999 / math.e)),
    ),
    Item(
        *(36, "S2", "Adv(α) ≤ 1 - f(α) - α"),
        lambda: risk.advantage(CLAIM, fpr=0.01),
        pytest.approx(0.01719, abs=5e-6),
    ),
    Item(
        *(37, "S2", "the same with the curve of a mechanism"),
        lambda: risk.advantage(theory.LaplaceMechanism(epsilon=1.0), fpr=0.01),
        pytest.approx(0.01 * (math.e - 1)),
    ),
    Item(
        *(38, "S2", "the supremum over α"),
        lambda: risk.advantage(GAUSSIAN),
        pytest.approx(0.38292, abs=5e-6),
    ),
    Item(
        *(39, "S2", "the advantage does not depend on p"),
        lambda: said("advantage_prior"),
        "The advantage TPR - FPR does not depend on the prior",
    ),
    Item(
        *(40, "S2", "PPV bound with γ = (1 - p)/p"),
        lambda: [risk.ppv(CLAIM, fpr=a, prior=0.01) for a in (0, 1e-6, 1e-4, 1e-2)],
        pytest.approx([1, 0.1138, 0.0277, 0.0267], abs=5e-5),
    ),
    Item(
        *(41, "S2", "why? whole people"),
        lambda: said("population_counts", prior=0.01),
        "Of 10 000 people, 100 are members (prior 1 %)",
    ),
    Item(
        *(42, "S2", "the PPV bound goes to 1 as α goes to 0"),
        lambda: said("risk"),
        "The PPV limit rises to 100 % as the FPR falls to 0",
    ),
    Item(
        *(43, "S2", "posterior under a prior"),
        lambda: risk.posterior_bounds(epsilon=1.0, prior=0.1),
        pytest.approx((0.0393, 0.2320), abs=5e-5),
    ),
    Item(
        *(44, "S2", "comparing mechanisms"),
        lambda: said("comparison", overlays=(GAUSSIAN,)),
        "cross",
    ),
    Item(
        *(45, "S2", "an adversary who values true positives more: a false alarm weighs γ = 1/10"),
        lambda: theory.best_attack(GAUSSIAN, prior=0.5, cost_miss=10.0).fpr,
        pytest.approx(norm.cdf(math.log(10) - 0.5)),
    ),
    Item(
        *(46, "S2", "an adversary with a data distribution of his own"),
        lambda: checked_with_covariates(member=np.arange(50.0), nonmember=np.arange(100.0, 150.0)),
        "reaches an AUC of 1.000 on fresh records",
    ),
    Item(
        *(47, "S2", "δ and the whole profile"),
        lambda: GAUSSIAN.delta(1.0),
        pytest.approx(0.12693673750664),
    ),
)
