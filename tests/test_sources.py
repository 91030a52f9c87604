"""What the five sources say, item by item: one runnable line each.

S0: "Hypothesis interpretation of differential privacy". S1: "Differential privacy as hypothesis
testing". S2: "Bayesian view on DP". S3: lecture slides, CSCI 699, week 2. S4: Negoescu et al.,
"Epsilon*: privacy metric for machine learning models" (2023). Expected are the sources' own
numbers, closed forms, counts, or the words that a reader is to see.
"""

import math
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, Result, audit, theory
from dpviz.analysis import NAMINGS, Attacks
from dpviz.analysis.claims.menu import ENTRIES, EXAMPLES
from dpviz.analysis.parts.density_ratio import ratio_part
from dpviz.analysis.parts.noise import noise_part
from dpviz.claims.guarantee_state import guarantee_state
from dpviz.pictures.scenes import SCENES
from dpviz.pictures.svg.frame import SvgFrame
from dpviz.theory import calibration, risk
from dpviz.widgets.views.registry import VIEWS

CLAIM = theory.ApproximateDP(epsilon=1.0, delta=1e-5)
GAUSSIAN = theory.GaussianDP(mu=1.0)


class Item(NamedTuple):
    """A row of the table; `run` gives what is expected: a number, a text that holds it, a value."""

    number: int
    source: str
    item: str
    run: Callable[[], Any]
    expected: Any


@cache
def shown(sample: str = "", **spec: Any) -> Result:
    return dpviz.analyze(dpviz.read_sample(sample) if sample else None, **spec)


def said(name: str, sample: str = "", **spec: Any) -> str:
    return shown(sample, **spec).sentences[name]


def drawn(scene: str, sample: str = "", *, show_extra: bool = False, **spec: Any) -> str:
    frame = SvgFrame(SCENES[scene], show_extra=show_extra)
    frame.draw(SCENES[scene].layers(), shown(sample, **spec))
    return frame.svg()


def layers(scene: str) -> set[str]:
    return {type(layer).__name__ for layer in SCENES[scene].layers()}


def star(sample: str = "overfitted", **given: Any) -> float:
    return audit.epsilon_star(dpviz.read_sample(sample), delta=1e-5, **given).value


def models() -> list[AttackScores]:
    samples = (dpviz.read_sample(name) for name in ("overfitted", "regularised"))
    return [each for each in samples if isinstance(each, AttackScores)]


def aggregate() -> audit.Aggregate:
    stars = [audit.epsilon_star(each, delta=1e-5) for each in models()]
    return audit.aggregate(stars)


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
        "the type II error β is the FNR; 1 - β is the power",
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
    Item(*(7, "S0", "the region is drawn, live"), lambda: "ClaimRegion" in layers("region"), True),
    Item(
        *(8, "S0", "R(M, D0, D1) is the convex hull"),
        lambda: theory.DiscretePair([0.5, 0.5], [0.2, 0.8]).beta(0.25),
        0.6,  # half way between (0, 1) and (0.5, 0.2)
    ),
    Item(
        *(9, "S0", "member is positive"),
        lambda: AttackScores.from_losses(member=[0.1], nonmember=[0.9]).kind,
        "loss",
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
        "e^ε FPR + FNR ≥ 1 - δ says the same as 1 - FNR ≤ e^ε FPR + δ",
    ),
    Item(
        *(13, "S0", "audit: lower bounds over retrained models"),
        lambda: "retraining" in VIEWS and callable(audit.retraining_audit),
        True,
    ),
    Item(
        *(14, "S0", "the app: ε, δ, TPR and FPR, a point inside or outside"),
        lambda: said("region_lead", epsilon=2.5, delta=1e-4, fpr=0.1, tpr=0.9),
        "lies inside what the claim allows",
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
        lambda: audit.intervals.clopper_pearson(0, 10, confidence_level=0.95, side="upper"),
        pytest.approx(1 - 0.05 ** (1 / 10)),
    ),
    Item(
        *(20, "S1", "pure ε-DP"),
        lambda: theory.PureDP(epsilon=1.0).beta(0.1),
        pytest.approx(1 - 0.1 * math.e),
    ),
    Item(*(23, "S1", "the adversarial game"), lambda: "experiment" in VIEWS, True),
    Item(
        *(24, "S1", "H0: O from M(D1), H1: O from M(D2)"),
        lambda: said("naming", naming="testing"),
        "H0: the output comes from M(D1). H1: it comes from M(D2).",
    ),
    Item(
        *(25, "S1", "the confusion table, unscrambled"),
        lambda: shown("overfitted", naming="testing", fpr=0.01).tables["counts"].rows[1][1],
        "14 (FPR 0.935 %)",
    ),
    Item(
        *(26, "S1", "FNR + e^ε FPR ≥ 1 and its mirror"),
        lambda: theory.PrivacyRegion(epsilon=1.0, delta=0.0).margins(fpr=0.1, fnr=0.1)[:2],
        pytest.approx([0.1 + 0.1 * math.e - 1] * 2),
    ),
    Item(
        *(27, "S1", "regions for several ε in one plot"),
        lambda: len(shown(overlays=(theory.PureDP(epsilon=2.0),) * 6).overlays),
        6,
    ),
    Item(
        *(28, "S1", "a larger ε admits lower pairs"),
        lambda: theory.PureDP(epsilon=2.0).beta(0.1) < theory.PureDP(epsilon=1.0).beta(0.1),
        True,
    ),
    Item(
        *(29, "S1", "δ as a rare catastrophic failure"),
        lambda: theory.output_laws(theory.ApproximateDP(epsilon=1.0, delta=0.05)).labels[0],
        "proof",
    ),
    Item(
        *(30, "S1", "pairs (ε, δ) in one plot"),
        lambda: shown(overlays=(theory.ApproximateDP(epsilon=2.0, delta=0.1),)).overlays[0].given,
        theory.ApproximateDP(epsilon=2.0, delta=0.1),
    ),
    Item(*(31, "S1", "the band of δ alone"), lambda: "DeltaBand" in layers("region"), True),
    Item(
        *(32, "S1", "δ must remain small"),
        lambda: said("large_delta", "overfitted", delta=0.05),
        "δ = 0.05 is not below 1/300: publishing one of 300 training records in full",
    ),
    Item(
        *(33, "S2", "balanced against skewed prior"),
        lambda: said("risk_lead", prior=0.01),
        "If 1 % of the candidates are members, at most 2.68 % of those flagged",
    ),
    Item(*(34, "S2", "experiment 4.1"), lambda: callable(audit.Experiment), True),
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
        "The bound rises to 100 % as the FPR goes to 0",
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
        *(47, "S2", "δ and the whole profile"),
        lambda: GAUSSIAN.delta(1.0),
        pytest.approx(0.12693673750664),
    ),
    Item(
        *(50, "S3", "composition"),
        lambda: theory.Composed([GAUSSIAN] * 4).epsilon(1e-5),
        pytest.approx(theory.GaussianDP(mu=2.0).epsilon(1e-5)),
    ),
    Item(*(51, "S3", "two worlds, one unknown bit"), lambda: "mechanism" in VIEWS, True),
    Item(*(53, "S3", "many runs: a point"), lambda: "SettlingCloud" in layers("experiment"), True),
    Item(
        *(54, "S3", "two algorithms, one point each: which leaks more?"),
        lambda: said(
            "pinned_point", epsilon=2.5, delta=0.0, fpr=0.05, fnr=0.5, pinned_point=(0.1, 0.1)
        ),
        "needs ε ≥ 2.19, this one ε ≥ 2.3 at δ = 0: this one leaks more",  # log 9 and log 10
    ),
    Item(
        *(56, "S3", "the curve depends on the strategy: one uniformly above"),
        lambda: said(
            "lowest",
            "regularised",
            compare=Attacks({"strategy 2": dpviz.read_sample("overfitted")}),
        ),
        "strategy 2 has the lowest measured curve: at every FPR no other catches more.",
    ),
    Item(
        *(57, "S3", "optimal test, Neyman-Pearson"),
        lambda: GAUSSIAN.outputs().test(fpr=0.1).fnr,
        pytest.approx(GAUSSIAN.beta(0.1)),
    ),
    Item(
        *(58, "S3", "tests bound from below, theory from above"),
        lambda: {"ClaimAcrossBars"} <= layers("evidence"),
        True,
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
        *(64, "S3", "neighbouring: k records"),
        lambda: guarantee_state(theory.GroupPrivacy(theory.PureDP(epsilon=1.0), size=3))["type"],
        "group",
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
        lambda: [*theory.ZoomLevels(regions=[1, 50, 2500]).epsilons, theory.ZoomLevels().epsilon],
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
        lambda: EXAMPLES["example: release one record of 100"].delta(0.0),
        pytest.approx(1 / 100),
    ),
    Item(
        *(79, "S3", "standard deviation or variance?"),
        lambda: ENTRIES["gaussian"].parameters["noise_multiplier"].help,
        "deviation / L2 sensitivity",
    ),
    Item(
        *(80, "S4", "black box, no retraining"),
        lambda: dpviz.losses_from_logits([[2.0, 0.0]], [0]),
        pytest.approx([-2.0]),
    ),
    Item(
        *(81, "S4", "half-lines and their complements"),
        lambda: (
            audit.epsilon_star(
                AttackScores.from_losses(member=[0] * 99 + [1], nonmember=[0] * 90 + [1] * 10),
                delta=0.0,
                clip=None,
            ).value
        ),
        pytest.approx(math.log(10)),  # half-lines alone give log 1.1
    ),
    Item(
        *(82, "S4", "equation 7, exact over all thresholds"),
        lambda: star("gamma"),
        pytest.approx(4.217, abs=5e-4),
    ),
    Item(
        *(83, "S4", "chosen quantiles t1, ..., tk"),
        lambda: audit.epsilon_star_on_grid(models()[0], delta=1e-5, grid=[0.01, 0.5]).grid.tolist(),
        [0.01, 0.5],
    ),
    Item(
        *(84, "S4", "four ratios over t"),
        lambda: len(audit.ratio_curves(models()[0], delta=1e-5).curves),
        4,
    ),
    Item(
        *(85, "S4", "δ = 1/(n log n)"),
        lambda: audit.paper_delta(300),
        pytest.approx(1 / (300 * math.log(300))),
    ),
    Item(
        *(87, "S4", "Theorem 2 with its conditions"),
        lambda: {each.name: each.met for each in aggregate().conditions}["exact rates"],
        False,
    ),
    Item(
        *(88, "S4", "both sides of Theorem 2, equation 19"),
        lambda: (
            (sides := audit.both_sides(models(), delta=1e-5, grid=[0.01, 0.1, 0.5])).left
            <= sides.right
        ),
        True,
    ),
    Item(
        *(90, "S4", "parametric Epsilon*, exact supremum"),
        lambda: [star("gamma", method="normal"), star("gamma", method="normal", clip=None)],
        pytest.approx([7.706, 17.14], abs=5e-3),
    ),
    Item(
        *(91, "S4", "footnote 1: losses, binary and multi-class"),
        lambda: dpviz.losses_from_probabilities([[0.1, 0.9], [0.3, 0.7]], [1, 1]),
        pytest.approx([-2.197, -0.847], abs=5e-4),
    ),
    Item(
        *(92, "S4", "footnote 2: the clip"),
        lambda: said("epsilon_star", "overfitted"),
        "so it cannot exceed 6.91",
    ),
    Item(
        *(93, "S4", "utility against Epsilon*"), lambda: "FrontierLine" in layers("landscape"), True
    ),
    Item(*(96, "S4", "stages"), lambda: "EpsilonOverStages" in layers("timeline"), True),
    Item(
        *(97, "S4", "figure 3: N(0, 1) against N(3, 1)"),
        lambda: audit.epsilon_star_of_normals(nonmember=(3, 1), member=(0, 1), delta=1e-5).value,
        pytest.approx(16.67549440282816),
    ),
    Item(
        *(98, "S4", "the transform of appendix B"),
        lambda: np.concatenate(
            audit.transform_losses(member=[0.0, 1.0], nonmember=[0.5, 1.0])
        ).min(),
        pytest.approx(-1.854587, abs=1e-6),
    ),
    Item(
        *(99, "S4", "KS tests of the fit"),
        lambda: audit.goodness_of_fit(dpviz.read_sample("gamma")).rejected is not None,
        True,
    ),
    Item(
        *(101, "S4", "DP-SGD accountant"),
        lambda: theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=1.0, steps=1).epsilon(
            1e-5
        ),
        pytest.approx(4.377178095681221, abs=1e-3),
    ),
)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.number}-{item.source}")
def test_item(item: Item) -> None:
    found = item.run()
    if isinstance(item.expected, str):
        assert item.expected in found
    else:
        assert found == item.expected


def test_items_are_in_the_order_of_the_sources() -> None:
    numbers = [item.number for item in ITEMS]
    assert numbers == sorted(set(numbers))
    assert set(NAMINGS) == {
        *("words", "statistics", "hypothesis", "testing"),
        *("bayesian", "lecture", "epsilon_star"),
    }
