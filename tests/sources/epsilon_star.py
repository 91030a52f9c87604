"""S4: Negoescu et al., "Epsilon*: Privacy metric for machine learning models" (2023)."""

import math
from functools import cache

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import kstest, norm

import dpviz
from dpviz import AttackScores, audit, theory
from dpviz.audit.epsilon_star import (
    epsilon_star_of_normals,
    epsilon_star_on_grid,
    paper_delta,
    ratio_curves,
    transform_losses,
)
from dpviz.reports.write import report_as
from tests.sources.item import Item, drawn, said, shown

STRATEGIES = [(2.5, 0.94), (4.0, 0.96), (4.5, 0.96), (1.6, 0.66), (1.5, 0.91), (1.2, 0.92)]
RNG = np.random.default_rng(0)
GAMMA = {"members": RNG.gamma(2.0, size=4000), "non-members": RNG.gamma(3.0, size=4000)}


def star(sample: str = "overfitted", **given: object) -> float:
    return audit.epsilon_star(dpviz.read_sample(sample), delta=1e-5, **given).value


def losses_of(n: int) -> AttackScores:
    """Of n members and n non-members, of which 60 % and 20 % have the low loss."""
    return AttackScores.from_losses(
        member=np.repeat([0.0, 1.0], [n * 3 // 5, n * 2 // 5]),
        nonmember=np.repeat([0.0, 1.0], [n // 5, n * 4 // 5]),
    )


def stages(*given: float) -> tuple[audit.models.Strategy, ...]:
    """The timeline of a training with the same losses at each stage."""
    models = [
        audit.models.FleetModel(name=f"after {stage:g}", scores=losses_of(10), stage=stage)
        for stage in given
    ]
    return audit.Fleet(models=models).estimates(delta=0.0, clip=None).timeline()


def batch_sizes(*given: int) -> tuple[audit.models.Strategy, ...]:
    """The strategies of models that differ in nothing but their batch size."""
    models = [
        audit.models.FleetModel(
            name=str(i),
            scores=losses_of(10),
            strategy="DP-SGD",
            hyperparameters={"batch size": size},
        )
        for i, size in enumerate(given)
    ]
    return audit.Fleet(models=models).estimates(delta=0.0, clip=None).landscape().strategies


def undominated(points: list[tuple[float, float]]) -> set[int]:
    """Those that no other one beats in one coordinate without losing in the other."""
    return {
        i
        for i, (loss, utility) in enumerate(points)
        if not any(a <= loss and u >= utility and (a, u) != (loss, utility) for a, u in points)
    }


def both_sides_of_theorem_2() -> tuple[float, float]:
    """Of two models with FNR 0.25 and 0.75 at FPR 0.5: ratios 0.4 / 0.25, and 0.4 / 0.25 mirrored.

    Averaged, the FNR is 0.5 and no ratio exceeds 1.
    """
    models = [
        AttackScores.from_losses(member=member, nonmember=[1, 3])
        for member in ([0, 0, 0, 4], [0, 4, 4, 4])
    ]
    sides = audit.models.both_sides(models, delta=0.1, grid=[0.5])
    return sides.left, sides.right


@cache
def epsilon_star_of_adult() -> list[float]:
    """Of networks trained for 1, 5, 10 and 20 epochs, by the paper's Normal form at its delta."""
    fleet = dpviz.read_sample_fleet("adult")
    found = fleet.estimates(delta=paper_delta(fleet.models[0].read().n_members), method="normal")
    return [each.epsilon for each in found.landscape().strategies]


def without_the_clip(clipped: float, *, delta: float) -> float:
    """Epsilon* of two Normal distributions of one variance, of which the clipped one is known."""

    def of(shift: float, clip: float | None) -> float:
        laws = {"nonmember": (shift, 1.0), "member": (0.0, 1.0)}
        return epsilon_star_of_normals(**laws, delta=delta, clip=clip).value

    return of(brentq(lambda shift: of(shift, delta) - clipped, 0.5, 5.0), None)


def classes_without_normal_phi(losses: dict[str, np.ndarray]) -> tuple[str, ...]:
    """Whose transformed losses a Kolmogorov-Smirnov test tells from the Normal with their moments.

    The transform is the paper's: losses between 1 and 2, p = e^-loss, log p / (1 - p).
    """
    together = np.concatenate([*losses.values()])
    found = []
    for name, each in losses.items():
        p = np.exp(-1 - (each - together.min()) / np.ptp(together))
        phi = np.log(p / (1 - p))
        if kstest(phi, norm(phi.mean(), phi.std()).cdf).pvalue < 0.05:
            found.append(name)
    return tuple(found)


ITEMS = (
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
        lambda: epsilon_star_on_grid(
            dpviz.read_sample("overfitted"), delta=1e-5, grid=[0.01, 0.5]
        ).grid.tolist(),
        [0.01, 0.5],
    ),
    Item(
        *(84, "S4", "four ratios over t"),
        lambda: len(ratio_curves(dpviz.read_sample("overfitted"), delta=1e-5).curves),
        4,
    ),
    Item(
        *(85, "S4", "δ = 1/(n log n)"),
        lambda: paper_delta(300),
        pytest.approx(1 / (300 * math.log(300))),
    ),
    Item(
        *(86, "S4", "limits at t = 0 and 1: 0/0 is no constraint"),
        lambda: [theory.implied_epsilons(fpr=t, fnr=1 - t, delta=0.0).max() for t in (0.0, 1.0)],
        [0.0, 0.0],
    ),
    Item(
        *(87, "S4", "Theorem 2 with its conditions: which are not met where rates are counted"),
        lambda: [
            each.name
            for each in audit.models.both_sides([losses_of(10)], delta=0.1, grid=[0.5]).conditions
            if each.met is False
        ],
        ["exact rates"],
    ),
    Item(
        *(88, "S4", "both sides of Theorem 2, equation 19: averages of rates, and of e^ε*"),
        both_sides_of_theorem_2,
        pytest.approx((0.0, math.log(1.6))),
    ),
    Item(
        *(89, "S4", "deterministic training has an Epsilon* but no bound of a mechanism"),
        lambda: said("answer_limits", "overfitted"),
        "The result is about this trained model, not about the training method.",
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
        "so Epsilon* cannot exceed 6.91",
    ),
    Item(
        *(93, "S4", "utility against Epsilon*: the strategies that no other beats"),
        lambda: set(audit.models.frontier(STRATEGIES).indices.tolist()),
        undominated(STRATEGIES),
    ),
    Item(
        *(94, "S4", "Adult: below 0.3, growing with the epochs; Purchase-100: 7.79 clipped, 10.25"),
        lambda: (
            max(epsilon_star_of_adult()) < 0.3,
            epsilon_star_of_adult() == sorted(epsilon_star_of_adult()),
            without_the_clip(7.79, delta=3.9e-7),  # if the variances are equal
        ),
        (True, True, pytest.approx(10.25, abs=5e-3)),
    ),
    Item(
        *(95, "S4", "hyper-parameters per point: means over models that share them"),
        lambda: [(each.hyperparameters, each.n) for each in batch_sizes(64, 64, 512)],
        [((("batch size", "64"),), 2), ((("batch size", "512"),), 1)],
    ),
    Item(
        *(96, "S4", "stages: one Epsilon* for each, in their order"),
        lambda: [(each.stage, each.epsilon) for each in stages(20.0, 5.0)],
        [(5.0, pytest.approx(math.log(3))), (20.0, pytest.approx(math.log(3)))],
    ),
    Item(
        *(97, "S4", "figure 3: N(0, 1) against N(3, 1)"),
        lambda: epsilon_star_of_normals(nonmember=(3, 1), member=(0, 1), delta=1e-5).value,
        pytest.approx(16.67549440282816),
    ),
    Item(
        *(98, "S4", "the transform of appendix B"),
        lambda: np.concatenate(transform_losses(member=[0.0, 1.0], nonmember=[0.5, 1.0])).min(),
        pytest.approx(-1.854587, abs=1e-6),
    ),
    Item(
        *(99, "S4", "KS tests of the fit: the transform of a Gamma is no Normal"),
        lambda: (
            audit.goodness_of_fit(
                AttackScores.from_losses(member=GAMMA["members"], nonmember=GAMMA["non-members"])
            ).rejected
        ),
        classes_without_normal_phi(GAMMA),
    ),
    Item(
        *(100, "S4", "two million points, exactly"),
        lambda: audit.epsilon_star(losses_of(10**6), delta=0.0, clip=None).value,
        pytest.approx(math.log(3)),
    ),
    Item(
        *(101, "S4", "DP-SGD accountant: a step with sampling has δ(log(1 + q(e^ε - 1))) = q δ(ε)"),
        lambda: theory.SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.01, steps=1).delta(
            math.log1p(0.01 * (math.e - 1))
        ),
        pytest.approx(0.01 * (norm.cdf(-0.5) - math.e * norm.cdf(-1.5))),
    ),
    Item(
        *(102, "S4", "attribute inference as the same test"),
        lambda: said("answer", naming="attribute"),
        "catch at most 2.72 % of the records with the attribute",
    ),
    Item(
        *(103, "S4", "auditors independent of owners: a document that says who audited"),
        lambda: report_as(
            ".md", shown("overfitted"), about={"auditor": {"organisation": "An Institute"}}
        ).decode(),
        "An Institute",
    ),
    Item(
        *(104, "S4", "Epsilon* beside the bound on ε, side by side and not the same"),
        lambda: [
            text in drawn("evidence", "overfitted")
            for text in ("lower bound (rank test)", "Epsilon*: an estimate")
        ],
        [True, True],
    ),
)
