"""S3: lecture slides, CSCI 699, week 2."""

import math

import numpy as np
import pytest
from scipy.stats import norm

import dpviz
from dpviz import AttackScores, audit, theory
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES
from dpviz.analysis.topics.density_ratio import ratio_part
from dpviz.analysis.topics.guess import posterior_part
from dpviz.analysis.topics.noise import noise_part
from dpviz.claims.guarantee_state import guarantee_to_dict
from dpviz.theory import calibration, risk
from dpviz.theory.post_processing import outputs_of_redrawn_data
from dpviz.theory.zoom_levels import ZoomLevels
from dpviz.widgets.views.guess import COST_PRESETS
from tests.sources.item import Item, drawn, said, shown

GAUSSIAN = theory.GaussianDP(mu=1.0)
LAPLACE = theory.LaplaceMechanism(epsilon=1.0)  # Lap(0, 1) and Lap(1, 1)


# Three people in one group without names, with two diagnoses each time: 3-anonymous, 2-diverse. The
# diagnoses of the others are known: of one person either is possible, and the tables differ.
OTHERS = ("cancer", "flu")
TABLES = [tuple(sorted((*OTHERS, own))) for own in OTHERS]
ANONYMOUS = theory.DiscretePair(*([float(t == table) for table in TABLES] for t in TABLES))


def played(claim: theory.TradeoffFunction, n: int, *, fpr: float) -> tuple[float, float]:
    """FPR and FNR that n rounds of the game show."""
    game = audit.experiment.Experiment(claim, prior=0.5, fpr=fpr)
    counts = game.counts(np.random.default_rng(0), rounds=n)
    return counts.fpr.value, 1 - counts.tpr.value


def flipped_again(right: float, kept: float) -> theory.DiscretePair:
    """Randomized response through a channel that keeps the answer with some probability."""
    pair = theory.DiscretePair([right, 1 - right], [1 - right, right])
    return pair.through([[kept, 1 - kept], [1 - kept, kept]])


def certified(mu: float, n: int) -> float:
    """The lower bound on ε at δ = 1e-5 from n scores of each of two Normal distributions."""
    rng = np.random.default_rng(1)
    scores = AttackScores(member=rng.normal(mu, 1, n), nonmember=rng.normal(0, 1, n))
    return audit.lower_bound(scores, delta=1e-5).low


def posterior_of_named() -> list[float]:
    """Of ten candidates, after randomized response with ε = 1 named the first."""
    part = posterior_part(shown(epsilon=1.0, delta=0.0, kappa=0.1).guess, None, 0)
    assert part is not None
    return part.posterior.tolist()


ITEMS = (
    Item(
        *(48, "S3", "k-anonymity, l-diversity: a table without noise may give a secret away"),
        lambda: (
            *(ANONYMOUS.tpr(0.0), ANONYMOUS.epsilon(0.5)),
            *(
                theory.risk.reconstruction(ANONYMOUS, baseline=0.1),
                said("guess_lead", claim=ANONYMOUS),
            ),
        ),
        (1.0, math.inf, 1.0, "Nothing is claimed: every attack is allowed."),
    ),
    Item(
        *(49, "S3", "post-processing: an answer that is flipped once more"),
        lambda: flipped_again(0.75, 0.9).epsilon(0.0),
        pytest.approx(math.log(0.7 / 0.3)),  # right with 0.75 * 0.9 + 0.25 * 0.1
    ),
    Item(
        *(50, "S3", "composition: four times μ = 1 is μ = 2; a Gaussian and a Laplace mechanism"),
        lambda: (
            theory.Composed([GAUSSIAN] * 4).delta(1.0),
            theory.Composed([GAUSSIAN, LAPLACE]).epsilon(1e-5),
        ),
        (
            pytest.approx(norm.cdf(0.5) - math.e * norm.cdf(-1.5)),
            pytest.approx(5.236, abs=5e-4),
        ),
    ),
    Item(
        *(51, "S3", "two worlds, one unknown bit: Lap(0, 1) and Lap(1, 1)"),
        lambda: [float(LAPLACE.outputs().cdf(np.array(0.0), member=b)) for b in (False, True)],
        pytest.approx([0.5, 0.5 / math.e]),
    ),
    Item(
        *(52, "S3", "a deterministic algorithm is never private, unless it is constant"),
        lambda: [
            EXAMPLES[name].epsilon(0.0)
            for name in (
                "no noise: a deterministic mechanism",
                "perfect privacy: a constant output",
            )
        ],
        [math.inf, 0.0],
    ),
    Item(
        *(53, "S3", "many runs: a point"),
        lambda: played(GAUSSIAN, 10**5, fpr=0.1),
        pytest.approx((0.1, norm.cdf(norm.ppf(0.9) - 1)), abs=0.01),  # five standard deviations
    ),
    Item(
        *(54, "S3", "two algorithms, one point each: which leaks more?"),
        lambda: said(
            "pinned_point", epsilon=2.5, delta=0.0, fpr=0.05, fnr=0.5, pinned_point=(0.1, 0.1)
        ),
        "needs ε ≥ 2.19. The current point needs ε ≥ 2.3: the current point leaks more",
        # log 9 and log 10
    ),
    Item(
        *(55, "S3", "coverage (cat ads) against precision (crime)"),
        lambda: [
            theory.best_attack(GAUSSIAN, prior=0.5, cost_false_alarm=alarm, cost_miss=miss).fpr
            for alarm, miss in COST_PRESETS.values()
        ],
        pytest.approx([norm.cdf(-0.5 - log) for log in (-math.log(10), math.log(10), 0.0)]),
    ),
    Item(
        *(56, "S3", "the curve depends on the strategy: one uniformly above"),
        lambda: said(
            "lowest",
            "regularised",
            compare=Attacks({"strategy 2": dpviz.read_sample("overfitted")}),
        ),
        "strategy 2 has the lowest measured curve. If each attack may choose between two "
        "thresholds at random, no other compared attack catches more members at any FPR",
    ),
    Item(
        *(57, "S3", "optimal test, Neyman-Pearson"),
        lambda: GAUSSIAN.outputs().test(fpr=0.1).fnr,
        pytest.approx(GAUSSIAN.beta(0.1)),
    ),
    Item(
        *(58, "S3", "tests bound from below, theory from above"),
        lambda: 1.0 < certified(1.0, 1000) < GAUSSIAN.epsilon(1e-5),
        True,
    ),
    Item(
        *(59, "S3", "threat model: Pr[D | Y], here of ten candidates"),
        posterior_of_named,
        pytest.approx([math.e / (math.e + 9), *[1 / (math.e + 9)] * 9]),
    ),
    Item(
        *(60, "S3", "Pr[x' | Y]: blind .100, MAP, bound .389; MAP of two candidates"),
        lambda: (
            risk.reconstruction(GAUSSIAN, candidates=10),
            theory.best_guess(GAUSSIAN, candidates=2),
        ),
        pytest.approx((norm.cdf(norm.ppf(0.1) + 1), norm.cdf(0.5))),
    ),
    Item(
        *(61, "S3", "perfect indistinguishability"),
        lambda: theory.PureDP(epsilon=0.0).beta(0.3),
        pytest.approx(0.7),
    ),
    Item(
        *(62, "S3", "the ratio of densities stays below e^ε"),
        lambda: ratio_part(theory.LaplaceMechanism(epsilon=1.0), 1.0).curve[:, 1].max(),
        pytest.approx(1.0),
    ),
    Item(
        *(63, "S3", "neighbouring: replace one, add or remove one"),
        lambda: theory.PureDP(epsilon=1.0, adjacency="add_remove").to_replace_one().epsilon(0.0),
        pytest.approx(2.0),
    ),
    Item(
        *(64, "S3", "neighbouring: k records, all of a person: user-level against event-level"),
        lambda: [
            guarantee_to_dict(theory.GroupPrivacy(theory.PureDP(epsilon=1.0), size=3))["type"],
            ZoomLevels(per_person=3).epsilon / ZoomLevels().epsilon,
        ],
        ["group", pytest.approx(3.0)],
    ),
    Item(
        *(65, "S3", "over whose randomness: of the algorithm, not of the data, which hides more"),
        lambda: [
            "over the randomness of the mechanism alone. The two neighbouring data sets are fixed"
            in said("randomness"),
            outputs_of_redrawn_data(GAUSSIAN, spread=3.0).tpr(0.1),
        ],
        [True, pytest.approx(norm.cdf(norm.ppf(0.1) + 1 / math.sqrt(10)), abs=3e-3)],
    ),
    Item(
        *(66, "S3", "we observe Y = 1: the odds of H1 are e^ε"),
        lambda: float(LAPLACE.outputs().log_ratio(np.array(1.0))),
        pytest.approx(1.0),
    ),
    Item(
        *(67, "S3", "the theorem's slopes -e^ε and -e^-ε"),
        lambda: [
            text in drawn("tradeoff", show_extra=True) for text in ("slope -e^ε", "slope -e^-ε")
        ],
        [True, True],
    ),
    Item(*(68, "S3", "which ε?"), lambda: GAUSSIAN.epsilon(1e-5), pytest.approx(4.377178095681221)),
    Item(
        *(69, "S3", "the list experiment is not private"),
        lambda: theory.ListExperiment(support=[0.5]).epsilon(0.0),
        math.inf,
    ),
    Item(
        *(70, "S3", "Laplace mechanism"),
        lambda: theory.LaplaceMechanism(epsilon=1.0).epsilon(0.0),
        pytest.approx(1.0),
    ),
    Item(
        *(71, "S3", "incomes at zoom levels, all with Lap(0, 1)"),
        lambda: [*ZoomLevels(regions=[1, 50, 2500]).epsilons, ZoomLevels().epsilon],
        pytest.approx([0.002, 0.1, 5.0, 5.102]),
    ),
    Item(
        *(72, "S3", "L1, L2, Linf: factors d and √d"),
        lambda: [
            calibration.laplace_scale(epsilon=1, sensitivity=1, norm=norm, dimension=10)
            for norm in ("l1", "l2", "linf")
        ],
        pytest.approx([1, math.sqrt(10), 10]),
    ),
    Item(
        *(73, "S3", "Laplace for small L1, Gaussian independent of d"),
        lambda: noise_part(1.0, 1e-5).crossing,
        math.ceil(3.730631634816**2 / 2),
    ),
    Item(
        *(74, "S3", "Gaussian: no pure ε"),
        lambda: GAUSSIAN.epsilon(0.0),
        math.inf,
    ),
    Item(
        *(75, "S3", "flat pieces of length δ"),
        lambda: theory.PrivacyRegion(epsilon=1.0, delta=0.1).vertices[:1].tolist(),
        [[0.0, pytest.approx(0.9)]],
    ),
    Item(
        *(76, "S3", "P(L ≥ ε) ≤ δ is enough, not needed"),
        lambda: (
            theory.PrivacyLoss(theory.LaplaceMechanism(epsilon=1.0)).tail(1.0),
            theory.LaplaceMechanism(epsilon=1.0).delta(1.0),
        ),
        pytest.approx((0.5, 0.0), abs=1e-12),
    ),
    Item(
        *(77, "S3", "derivation of σ from the tail"),
        lambda: [
            calibration.gaussian_noise(epsilon=0.9, delta=1e-5, sensitivity=1, method=method)
            for method in ("tail", "analytic")
        ],
        pytest.approx([4.853, 4.107], abs=5e-4),
    ),
    Item(
        *(78, "S3", "release one record: (0, 1/n)"),
        lambda: [
            EXAMPLES["example: release one record of 100"].delta(0.0),
            "publishes one of 100 records in full"
            in said("implies", claim=EXAMPLES["example: release one record of 100"]),
        ],
        [pytest.approx(1 / 100), True],
    ),
    Item(
        *(79, "S3", "standard deviation or variance?"),
        lambda: ENTRIES["gaussian"].parameters["noise_multiplier"].help,
        "standard deviation / largest L2 contribution of a record",
    ),
)
