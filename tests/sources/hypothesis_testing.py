"""S1: "Differential privacy as hypothesis testing"."""

import math

import pytest
from scipy.stats import norm

from dpviz import audit, theory
from dpviz.theory.outputs import output_laws
from dpviz.theory.post_processing import outputs_with_side_information
from tests.sources.item import Item, said, shown
from tests.sources.outputs import ALL_TESTS, FOUR_OUTPUTS

GAUSSIAN = theory.GaussianDP(mu=1.0)

ITEMS = (
    Item(
        *(20, "S1", "pure ε-DP"),
        lambda: theory.PureDP(epsilon=1.0).beta(0.1),
        pytest.approx(1 - 0.1 * math.e),
    ),
    Item(
        *(21, "S1", "unlimited auxiliary information: it composes with the output"),
        lambda: outputs_with_side_information(theory.PureDP(epsilon=1.0), epsilon=2.0).epsilon(0.0),
        pytest.approx(3.0),
    ),
    Item(
        *(22, "S1", "against all adversaries: no test of the output lies below the curve"),
        lambda: float(min(fnr - FOUR_OUTPUTS.beta(fpr) for fpr, fnr in ALL_TESTS)),
        pytest.approx(0.0, abs=1e-12),
    ),
    Item(
        *(23, "S1", "the adversarial game: which of the two gave this output?"),
        lambda: audit.experiment.Experiment(GAUSSIAN, prior=0.5, fpr=0.1).tpr,
        pytest.approx(norm.cdf(norm.ppf(0.1) + 1)),
    ),
    Item(
        *(24, "S1", "H0: O from M(D1), H1: O from M(D2)"),
        lambda: said("naming", naming="testing"),
        "H0: the output comes from M(D1). H1: the output comes from M(D2).",
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
        lambda: output_laws(theory.ApproximateDP(epsilon=1.0, delta=0.05)).labels[0],
        "proof",
    ),
    Item(
        *(30, "S1", "pairs (ε, δ) in one plot"),
        lambda: (
            shown(overlays=(theory.ApproximateDP(epsilon=2.0, delta=0.1),)).overlays[0].original
        ),
        theory.ApproximateDP(epsilon=2.0, delta=0.1),
    ),
    Item(
        *(31, "S1", "the band of δ alone"),
        lambda: theory.ApproximateDP(epsilon=0.0, delta=0.05).beta(0.1),
        pytest.approx(0.85),
    ),
    Item(
        *(32, "S1", "δ must remain small"),
        lambda: said("large_delta", "overfitted", delta=0.05),
        "For 300 members, δ should be below 1/300. A mechanism that publishes one random record of "
        "the 300",
    ),
)
