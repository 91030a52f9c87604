"""The published libraries themselves, where they are installed: `.ci/prove auditors` does so."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, fisher_exact

from benchmarks.auditors import adapters, measure
from benchmarks.auditors.methods import FEW_RUNS, METHODS, Method
from benchmarks.auditors.packages import installed, stand_in_for_torch
from dpviz import AttackScores
from dpviz.testing import check_auditor

LIBRARIES = sorted({method.library for method in METHODS.values()})
if not all(map(installed, LIBRARIES)):
    reason = f"needs {', '.join(LIBRARIES)}: .ci/prove auditors"
    pytest.skip(reason, allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("ignore")  # of the libraries
CHANCE = 1e-6  # that a test of one case fails by chance

RNG = np.random.default_rng(0)
SCORES = AttackScores(member=RNG.normal(1.5, 1, 300), nonmember=RNG.normal(0, 1, 300))
STATED: dict[str, Any] = {"delta": 1e-5, "confidence_level": 0.95}


def fitting(method: Method) -> list[str]:
    from dpviz.testing.auditors.cases import CASES

    return [name for name in method.cases if method.fits(CASES[name])]


@pytest.mark.parametrize("key", METHODS)
def test_a_library_is_false_as_often_as_measured(key: str) -> None:
    told = json.loads(measure.FILE.read_text("utf-8"))["methods"].get(key)
    if told is None:
        pytest.skip("not measured yet")
    method = METHODS[key]
    assert installed(method.library) == told["version"] or method.library == "dpviz"
    is_slow = method.runs <= FEW_RUNS
    chosen = fitting(method)[:1] if is_slow else fitting(method)
    checked = check_auditor(
        method.auditor,
        takes=method.takes,
        cases=chosen,
        n_runs=3 if is_slow else 40,
        n_compared=0,
        rng=measure.SEED + 1,
    )
    rows = {row["case"]: row for row in told["cases"]}
    for case in checked.outcomes:
        row = rows[case.name]
        counts = [(case.n_false, case.n_judged), (row["n_false"], row["n_judged"])]
        table = [(n_false, n_judged - n_false) for n_false, n_judged in counts]
        assert fisher_exact(table).pvalue > CHANCE
        assert (case.n_raised > 0) == (row["n_raised"] > 0)


def test_a_bound_of_counts_is_by_clopper_and_pearson() -> None:
    counts = {"false_positives": 7, "n_nonmembers": 250, "false_negatives": 100, "n_members": 250}
    fpr, fnr = beta.ppf(0.975, 8, 243), beta.ppf(0.975, 101, 150)
    expected = max(np.log((1 - fnr) / fpr), np.log((1 - fpr) / fnr))
    found = adapters.PrivacyEstimates("beta")(**counts, delta=0.0, confidence_level=0.95)
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_number_of_right_guesses_is_tested_exactly() -> None:
    low = beta.ppf(0.05, 70, 31)
    counts = {"right": 70, "guesses": 100, "records": 500}
    found = adapters.memaudit(**counts, delta=0.0, confidence_level=0.95)
    assert found == pytest.approx(np.log(low / (1 - low)), abs=1e-6)


def test_a_fixed_threshold_of_opake_has_an_exact_test() -> None:
    # Of 40 records half are members; a guess is right with probability 1/2.
    errors = np.arange(41)
    bounds = [
        METHODS["opake fixed"].auditor(
            false_positives=max(0, u - 20),
            n_nonmembers=20,
            false_negatives=min(u, 20),
            n_members=20,
            **STATED,
        )
        for u in errors
    ]
    level = binom.pmf(errors, 40, 0.5)[np.array(bounds) > 0].sum()
    assert level == pytest.approx(0.0403, abs=1e-4)


def test_the_smallest_number_of_privacyguard_is_returned_for_guesses_at_random() -> None:
    counts = {"right": 4, "guesses": 8, "records": 40}
    found = adapters.privacy_guard_one_run(**counts, **STATED)
    assert found == pytest.approx(METHODS["PrivacyGuard one run"].least, abs=1e-3)


def test_the_stand_in_for_torch_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = pytest.importorskip("torch")
    if not hasattr(torch, "__version__"):
        pytest.skip("torch is not installed")
    from privacy_guard.analysis.mia import mia_results

    with_torch = adapters.privacy_guard(SCORES, **STATED)
    stand_in = stand_in_for_torch()
    monkeypatch.setattr(mia_results, "torch", stand_in)
    monkeypatch.setattr(adapters, "provide_torch", lambda: stand_in)
    assert adapters.privacy_guard(SCORES, **STATED) == with_torch
