"""The benchmark that judges bounds by a test of the truth finds the false bounds of the package."""

import importlib
from typing import Any

import numpy as np
import pytest

from dpviz.audit import lower_bound

RUNS = 40


@pytest.fixture(scope="module")
def truth() -> Any:
    return importlib.import_module("benchmarks.statements.at_the_truth")


def public(truth: Any, method: str, setting: Any, *, fair_coins: bool = False) -> list[int]:
    """False bounds of the public function, by confidence level."""
    found = np.zeros(len(truth.LEVELS), int)
    for run in range(RUNS):
        scores = setting.draw(np.random.default_rng([run, 1]), fair_coins=fair_coins)
        for i, level in enumerate(truth.LEVELS):
            given = {"delta": setting.delta, "confidence_level": level}
            low = lower_bound(scores, method=method, threshold=truth.THRESHOLD, **given).low
            found[i] += low > truth.EPSILON * (1 + 1e-9)
    return found.tolist()


@pytest.mark.parametrize("law", ["ties", "least favourable"])
@pytest.mark.parametrize("method", ["local_levels", "dkw", "bonferroni", "clopper_pearson"])
def test_methods_by_limits_of_both_rates(truth: Any, method: str, law: str) -> None:
    upper = {**truth.SCANS, "clopper_pearson": truth.upper_rates}[method]
    flagged = truth.at_threshold if method == "clopper_pearson" else truth.at_all_thresholds
    setting = truth.Setting(law, 30, 90, 0.01)
    found = truth.scanned(method, upper, setting, flagged).false(RUNS)
    assert found == public(truth, method, setting)


def test_bets_reach_the_truth_where_the_bound_exceeds_it(truth: Any) -> None:
    setting = truth.Setting("ties", 60, 60, 0.0)
    p_values = np.array([truth.betting(setting)(run) for run in range(RUNS)])
    for level, false in zip(truth.LEVELS, public(truth, "e_process", setting), strict=True):
        # A bound is a place of a grid, so it may stop short of the truth.
        assert false <= np.sum(p_values <= (1 - level) * (1 + 1e-9)) <= false + 1


@pytest.mark.parametrize("method", ["one_run", "one_run_curve"])
def test_guesses_about_canaries(truth: Any, method: str) -> None:
    setting = truth.Setting("least favourable", 40, 40, 0.0)  # with delta, it takes long
    p_value = truth.one_run_p_value if method == "one_run" else truth.sharp_limit
    p_values = np.array([truth.best_guess(p_value, setting)(run) for run in range(RUNS)])
    expected = public(truth, method, setting, fair_coins=True)
    assert [int(np.sum(p_values <= 1 - level)) for level in truth.LEVELS] == expected


def test_a_test_that_sees_too_much_is_found_out(truth: Any) -> None:
    # The same judgement of limits without any margin.
    setting = truth.Setting("ties", 100, 100, 0.0)
    found = truth.scanned("none", lambda errors, n, _: errors / n, setting).false(200)
    assert min(found) > 80
