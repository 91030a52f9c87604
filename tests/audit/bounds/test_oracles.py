"""Values that other libraries give for the same counts, each with its version.

Left out is what says something else: limits that do not cover (Katz, Bailey and their like) and
bounds that suppose Gaussian scores from all thresholds at once.
"""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from benchmarks.methods.from_counts import jeffreys
from benchmarks.methods.joint_posterior import joint_beta_cdf, joint_beta_epsilon
from dpviz.audit import lower_bound_from_counts
from dpviz.audit.bounds import one_run_epsilon, one_run_p_value
from dpviz.audit.bounds.fixed_threshold import ErrorCounts, attack_epsilon_interval
from dpviz.audit.roc import intervals

COUNTS: dict[str, Any] = {
    "false_positives": 100,
    "n_nonmembers": 1000,
    "false_negatives": 500,
    "n_members": 1000,
}


def low(*, delta: float) -> float:
    return lower_bound_from_counts(**COUNTS, delta=delta).low


def test_exact_limits() -> None:
    # privacy-estimates 0.1.0.post1 compute_eps_lo (beta), jax-privacy 2.0.0 Explicit(.5)
    assert low(delta=1e-5) == pytest.approx(1.3597313721461444, rel=1e-14)
    # jax-privacy 2.0.0; tensorflow-privacy at 03035d5, RatioBound (CLOPPER_PEARSON)
    assert low(delta=0.0) == pytest.approx(1.3597527148510107, rel=1e-14)
    assert low(delta=0.0) == pytest.approx(1.3597527149, abs=1e-10)
    # scipy 1.17.1
    limits = [
        intervals.clopper_pearson(100, 1000, confidence_level=0.975, side="upper"),
        intervals.clopper_pearson(500, 1000, confidence_level=0.975, side="lower"),
    ]
    assert limits == pytest.approx([0.12028793651869263, 0.46854917297179194], rel=1e-14)


def test_exact_limits_that_show_nothing() -> None:
    # tensorflow-privacy at 03035d5, RatioBound(90, 60, 1000, 1000): below 0, where ours stops
    ratio = intervals.clopper_pearson(90, 1000, confidence_level=0.975, side="lower")
    ratio /= intervals.clopper_pearson(60, 1000, confidence_level=0.975, side="upper")
    assert math.log(ratio) == pytest.approx(-0.0477523165, abs=1e-10)
    bound = lower_bound_from_counts(
        false_positives=60, n_nonmembers=1000, false_negatives=910, n_members=1000, delta=0.0
    )
    assert bound.low == 0


def test_credible_limits() -> None:
    # privacy-estimates 0.1.0.post1 (jeffreys)
    for delta, expected in ((0.0, 1.3653126154340829), (1e-5, 1.3652912954141154)):
        found = jeffreys(ErrorCounts(**COUNTS), delta, 0.95)
        assert found == pytest.approx(expected, rel=1e-13)


def test_both_ends_of_exact_limits() -> None:
    # privacy-estimates 0.1.0.post1 compute_eps_lo_hi (beta)
    found = attack_epsilon_interval(**COUNTS, delta=1e-5)
    expected = 1.3256869604201003, 1.9049144674259677
    assert (found.low, found.high) == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize(
    ("counts", "epsilon", "share"),
    [
        ((100, 900, 500, 500), 1.4484913712800975, 0.05),
        ((512, 1, 0, 487), 0.1451636845, 0.05),
        ((512, 1, 0, 487), 6.3987287408, 0.95),
    ],
)
def test_posterior(counts: tuple[int, int, int, int], epsilon: float, share: float) -> None:
    # privacy-estimates 0.1.0.post1 (joint-beta), whose search stops early: the posterior at its
    # answers is what it asked for to three digits, the answers themselves are to one or two.
    names = ("false_positives", "true_negatives", "false_negatives", "true_positives")
    arguments: Any = dict(zip(names, counts, strict=True))
    assert joint_beta_cdf(epsilon, **arguments, delta=1e-5) == pytest.approx(share, abs=1e-3)
    found = joint_beta_epsilon(**arguments, delta=1e-5, confidence_level=1 - share)
    assert found == pytest.approx(epsilon, abs=0.02)


def test_one_run() -> None:
    # the program of Steinke, Nasr and Jagielski (2023); its search stops at 1e-5
    guesses = {"canaries": 1000, "guesses": 200, "correct": 160}
    p = one_run_p_value(1.0, **guesses, delta=1e-5)
    assert p == pytest.approx(0.015877417338020495, rel=1e-11)
    for delta, expected in ((1e-5, 1.0850296), (0.0, 1.0866470)):
        found = one_run_epsilon(**guesses, delta=delta, confidence_level=0.95)
        assert found == pytest.approx(expected, abs=1e-5)
    # jax-privacy 2.0.0 epsilon_one_run, Explicit(.5): "member" for scores above, no other guess.
    # Its epsilon_one_run_fdp supposes a family of mechanisms; there is no such method here.
    found = one_run_epsilon(
        canaries=2000, guesses=600, correct=500, delta=1e-5, confidence_level=0.95
    )
    assert found == pytest.approx(1.4246227127715991, abs=1e-8)


def hull() -> list[tuple[int, int]]:
    """Corners of the ROC of two normal samples one apart, as false and true positives."""
    scores = norm.ppf((np.arange(1000) + 0.5) / 1000)
    thresholds = np.unique(np.concatenate([scores, scores + 1, [np.inf]]))
    points = sorted({(int(np.sum(scores >= t)), int(np.sum(scores + 1 >= t))) for t in thresholds})
    corners: list[tuple[int, int]] = []
    for x, y in points:
        while len(corners) >= 2:
            (x0, y0), (x1, y1) = corners[-2:]
            if (x1 - x0) * (y - y0) < (y1 - y0) * (x - x0):
                break
            corners.pop()
        corners.append((x, y))
    return corners


def test_one_threshold_of_normal_scores() -> None:
    # jax-privacy 2.0.0 epsilon_clopper_pearson, Explicit(2.0)
    bound = lower_bound_from_counts(
        false_positives=23, n_nonmembers=1000, false_negatives=841, n_members=1000, delta=0.0
    )
    assert bound.low == pytest.approx(1.3834951104147641, rel=1e-14)


def test_many_thresholds_of_normal_scores() -> None:
    # jax-privacy 2.0.0 shares the level among the corners of the ROC's hull, which it takes from
    # the same records; "bonferroni" here shares it among all records. Its numbers come from ours
    # for one threshold and one list of guesses, at that level.
    corners = hull()
    assert len(corners) == 76
    level = 1 - 0.05 / 76
    for delta, expected in ((0.0, 1.0497220039319926), (1e-5, 1.049646651907958)):
        bounds = [
            lower_bound_from_counts(
                false_positives=fp,
                n_nonmembers=1000,
                false_negatives=1000 - tp,
                n_members=1000,
                delta=delta,
                confidence_level=level,
            )
            for fp, tp in corners
        ]
        assert max(bound.low for bound in bounds) == pytest.approx(expected, rel=1e-13)
    lows = [
        one_run_epsilon(
            canaries=2000, guesses=fp + tp, correct=tp, delta=1e-5, confidence_level=level
        )
        for fp, tp in corners
    ]
    assert max(lows) == pytest.approx(0.8938429738607501, abs=1e-7)
