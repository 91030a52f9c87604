"""Ctrl-C in every long computation: it ends, no thread is left, the next call is right."""

import pytest

from tests.faults.process import answer_of

CODE = """
import json, os, signal, threading
import numpy as np
import dpviz
from dpviz import audit, theory

MANY = 10**7
rng = np.random.default_rng(0)
scores = dpviz.AttackScores(
    member=rng.normal(1, 1, 3000), nonmember=rng.normal(0, 1, 3000),
    member_groups=np.arange(3000) % 7, nonmember_groups=np.arange(3000) % 7,
)
claim = theory.ApproximateDP(epsilon=1.0, delta=1e-5)
calls = {
    "bootstrap": lambda: audit.bootstrap(scores, delta=1e-5, resamples=MANY),
    "permutation_test": lambda: audit.permutation_test(scores, delta=1e-5, permutations=MANY),
    "null_distribution": lambda: audit.null_distribution(scores, delta=1e-5, runs=MANY),
    "auc_interval": lambda: audit.auc_interval(scores, method="bootstrap", resamples=MANY),
    "gamma_simulation": lambda: audit.gamma_simulation(runs=MANY),
    "slices": lambda: [audit.slices(scores, delta=1e-5) for _ in range(MANY)],
    "lower_bound": lambda: [audit.lower_bound(scores, delta=1e-5) for _ in range(MANY)],
    "claim_test": lambda: [audit.claim_test(scores, claim) for _ in range(MANY)],
    "curve_test": lambda: [audit.curve_test(scores, claim) for _ in range(MANY)],
    "epsilon_star": lambda: [audit.epsilon_star(scores, delta=1e-5) for _ in range(MANY)],
    "analyze": lambda: [dpviz.analyze(scores) for _ in range(MANY)],
}
before = audit.lower_bound(scores, delta=1e-5).low
ends = {}
for name, call in calls.items():
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        call()
        ends[name] = "ended by itself"
    except KeyboardInterrupt:
        timer.join()
        ends[name] = "interrupted" if threading.active_count() == 1 else "left threads"
ends["the next call"] = before == audit.lower_bound(scores, delta=1e-5).low
print(json.dumps(ends))
"""


@pytest.fixture(scope="module")
def ends() -> dict[str, str]:
    return answer_of(CODE)


def test_every_long_computation_ends_at_once(ends: dict[str, str]) -> None:
    assert set(ends.values()) - {True} == {"interrupted"}, ends


def test_the_next_call_is_right(ends: dict[str, str]) -> None:
    assert ends["the next call"] is True
