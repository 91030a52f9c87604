"""The epsilon of every case, computed again from probabilities that SciPy knows."""

from math import e, exp
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, dlaplace, laplace, norm

from dpviz import AttackScores
from dpviz.testing.auditors.cases import CASES, KnownCase, error_counts, guess_counts

WHOLE = np.arange(-200, 202)
# Probabilities of all scores, or of classes of scores that tell as much: of members, of others.
DISCRETE = {
    "null, ties": ([0.25] * 4, [0.25] * 4),
    "randomized response": ([e / (1 + e), 1 / (1 + e)], [1 / (1 + e), e / (1 + e)]),
    "rare alarms": ([0.985, 0.015], [0.0044, 0.9956]),
    "Laplace on integers": (dlaplace.pmf(WHOLE - 1, 0.5), dlaplace.pmf(WHOLE, 0.5)),
    "leaks at both ends": (
        [0.05, 0.95 * e / (1 + e), 0.95 / (1 + e), 0],
        [0, 0.95 / (1 + e), 0.95 * e / (1 + e), 0.05],
    ),
    "leak at the top": ([0.05, 0.95], [0, 1]),
}
# Noise, shift, and where the ratio of both densities is e^epsilon.
SHIFTED = {
    "weak Laplace": (laplace, 0.2, lambda epsilon: (epsilon + 0.2) / 2),
    "Laplace": (laplace, 1.0, lambda epsilon: (epsilon + 1) / 2),
    "Laplace, reversed": (laplace, 1.0, lambda epsilon: (epsilon + 1) / 2),
    "Gaussian": (norm, 1.0, lambda epsilon: epsilon + 0.5),
    "Gaussian, 30 + 1000": (norm, 1.0, lambda epsilon: epsilon + 0.5),
}


def delta_of(name: str, epsilon: float) -> float:
    """The larger of both directions' hockey-stick divergences."""
    if name in DISCRETE:
        p, q = map(np.array, DISCRETE[name])
        return max(np.clip(x - exp(epsilon) * y, 0, None).sum() for x, y in ((p, q), (q, p)))
    # By symmetry one direction is enough; the ratio rises, so the best set is above a threshold.
    noise, shift, place = SHIFTED[name]
    at = place(epsilon)
    return float(noise.sf(at - shift) - exp(epsilon) * noise.sf(at))


@pytest.mark.parametrize("name", CASES)
def test_epsilon_is_exact(name: str) -> None:
    case = CASES[name]
    if name.startswith("null") and name not in DISCRETE:
        assert case.epsilon == 0
        return
    if case.epsilon == 0 or name == "leaks at both ends":
        # No smaller epsilon has this delta, up to rounding.
        assert delta_of(name, case.epsilon) == pytest.approx(case.delta if case.delta > 1e-5 else 0)
        assert case.epsilon == 0 or delta_of(name, case.epsilon - 1e-3) > case.delta
        return
    found = brentq(lambda x: delta_of(name, x) - case.delta, 0, 8, xtol=1e-12)
    assert case.epsilon == pytest.approx(found, rel=2e-5)


EXACT_RATES = {  # of scores at the threshold or above: of members, of others
    "null": (norm.sf(1), norm.sf(1)),
    "null, ties": (0.25, 0.25),
    "randomized response": (e / (1 + e), 1 / (1 + e)),
    "rare alarms": (0.985, 0.0044),
    "Laplace": (0.5, exp(-1) / 2),
    "Laplace, reversed": (exp(-2) / 2, exp(-1) / 2),
    "weak Laplace": (exp(-0.8) / 2, exp(-1) / 2),
    "Laplace on integers": (dlaplace.sf(-1, 0.5), dlaplace.sf(0, 0.5)),
    "Gaussian": (norm.sf(1), norm.sf(2)),
    "leaks at both ends": (0.05 + 0.95 * e / (1 + e), 0.95 / (1 + e)),
    "leak at the top": (0.05, 0.0),
}


@pytest.mark.parametrize("name", EXACT_RATES)
def test_scores_have_the_stated_distribution(name: str) -> None:
    case, size = CASES[name], 40_000
    for is_member, rate in zip((True, False), EXACT_RATES[name], strict=True):
        rng = np.random.default_rng([1, is_member])
        count = int(np.sum(case.draw(rng, size, is_member) >= case.threshold))
        low, high = binom.interval(0.9999, size, rate) if rate else (0, 0)
        assert low <= count <= high


def test_a_sample_depends_on_its_run_alone_and_has_both_classes() -> None:
    case = CASES["null, 40 records"]
    samples = [case.scores(case.generator(0, run)) for run in (4, 5, 4)]
    assert np.array_equal(samples[0].member, samples[2].member)
    assert not np.array_equal(samples[0].member[:5], samples[1].member[:5])
    sizes = [case.scores(case.generator(0, run)).n_members for run in range(400)]
    assert 0 < min(sizes) < 20 < max(sizes) < 40
    unequal = CASES["null, 30 + 1000"]
    assert {unequal.scores(unequal.generator(0, run)).n_members for run in range(5)} == {30}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"epsilon": -1.0}, r"epsilon must be in \[0, inf\], got -1"),
        ({"epsilon": np.nan}, "epsilon must be"),
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2"),
        ({"n_members": 0}, "n_members must be"),
        ({"n_nonmembers": 2.5}, "n_nonmembers must be"),
        (
            {"draw": lambda rng, size, is_member: rng.random(3)},
            "draw must be a function whose scores have",
        ),
    ],
)
def test_a_case_states_what_its_numbers_must_be(wrong: dict[str, Any], message: str) -> None:
    given = {"name": "mine", "draw": CASES["null"].draw, "epsilon": 0.0, "delta": 0.0}
    with pytest.raises(ValueError, match=message):
        KnownCase(**{**given, **wrong}).scores(np.random.default_rng(0))


def test_counts_and_guesses() -> None:
    scores = AttackScores(member=[5.0, 4.0, 3.0, -1.0], nonmember=[4.5, 2.0, 1.0, 0.0, -2.0, -3.0])
    assert error_counts(scores, 3.0) == {
        "false_positives": 1,
        "n_nonmembers": 6,
        "false_negatives": 1,
        "n_members": 4,
    }
    rng = np.random.default_rng(0)
    assert guess_counts(scores, rng) == {"right": 2, "guesses": 2, "records": 10}
    tied = AttackScores(member=np.zeros(50), nonmember=np.zeros(50))
    found = [guess_counts(tied, rng)["right"] for _ in range(300)]
    assert np.mean(found) == pytest.approx(10, abs=0.5)  # five standard errors
