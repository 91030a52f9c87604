"""Ctrl-C in every long computation: it ends, no thread is left, the next call is right."""

import pytest

from tests.faults.process import answer_of

CODE = r"""
import json, os, signal, tempfile, threading, time
import numpy as np
import dpviz
from dpviz import audit, theory
from dpviz.audit.epsilon_star import gamma_simulation
from dpviz.testing import check_mechanism

# A shell without job control has its background processes ignore Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)
MANY = 10**7
rng = np.random.default_rng(0)
scores = dpviz.AttackScores(
    member=rng.normal(1, 1, 3000), nonmember=rng.normal(0, 1, 3000),
    member_groups=np.arange(3000) % 7, nonmember_groups=np.arange(3000) % 7,
)
claim = theory.ApproximateDP(epsilon=1.0, delta=1e-5)
steps = theory.LaplaceMechanism(epsilon=0.1)
sizes = {"n_members": 1000, "n_nonmembers": 1000}
included = rng.random((400, 3)) < 0.5
trained = audit.retraining_scores(rng.laplace(included, 1), included, kind="score")
file = b"loss,member\n" + b"0.5,1\n0.7,0\n" * 10**5
folder = tempfile.TemporaryDirectory()
page = os.path.join(folder.name, "report.html")

pair = [(0.0, 1.0)]


def add_noise(value):
    return rng.laplace(value, 10.0)


calls = {
    "bootstrap": lambda: audit.bootstrap(scores, delta=1e-5, n_resamples=MANY),
    "permutation_test": lambda: audit.permutation_test(scores, delta=1e-5, n_resamples=MANY),
    "null_distribution": lambda: audit.null_distribution(scores, delta=1e-5, n_resamples=MANY),
    "auc_interval": lambda: audit.auc_interval(scores, method="bootstrap", n_resamples=MANY),
    "gamma_simulation": lambda: gamma_simulation(n_resamples=MANY),
    "slices": lambda: [audit.slices(scores, delta=1e-5) for _ in range(MANY)],
    "lower_bound": lambda: [audit.lower_bound(scores, delta=1e-5) for _ in range(MANY)],
    "claim_test": lambda: [audit.claim_test(scores, claim) for _ in range(MANY)],
    "curve_test": lambda: [audit.curve_test(scores, claim) for _ in range(MANY)],
    "epsilon_star": lambda: [audit.epsilon_star(scores, delta=1e-5) for _ in range(MANY)],
    "analyze": lambda: [dpviz.analyze(scores) for _ in range(MANY)],
    "smallest": lambda: [audit.smallest("laplace", scores) for _ in range(MANY)],
    "certify": lambda: [audit.certify(auc=0.6, **sizes) for _ in range(MANY)],
    "plan": lambda: [audit.plan(scores, epsilon=0.1, delta=0.0) for _ in range(MANY)],
    "retraining_audit": lambda: [
        audit.retraining_audit(trained, claim=claim, delta=1e-5) for _ in range(MANY)
    ],
    "compose": lambda: [theory.Composed([steps] * (50 + i)).delta(1.0) for i in range(MANY)],
    "read_scores": lambda: [  # without a bar, whose library leaves a thread of its own
        dpviz.read_scores(file, memory_limit=0, progress=iter) for _ in range(MANY)
    ],
    "check_mechanism": lambda: [check_mechanism(add_noise, pair, steps) for _ in range(MANY)],
    "report": lambda: [dpviz.report(dpviz.analyze(scores), page) for _ in range(MANY)],
}
before = audit.lower_bound(scores, delta=1e-5).low
# Loads the libraries of readers: Python cannot load again what was interrupted while it loaded.
dpviz.read_scores(file, memory_limit=0, progress=iter)
ends = {}


def press(ended):
    wait = 0.1
    while not ended.wait(wait):
        os.kill(os.getpid(), signal.SIGINT)
        wait = 30  # Python loses an interrupt that comes in a finalizer: then the keys again


def left():
    # Threads that run on after a minute; those that read wait for the next file. One that hashes a
    # file ends after its piece, and one that is about to begin cannot be joined yet.
    until = time.monotonic() + 60
    while others := [
        each.name for each in threading.enumerate()[1:] if not each.name.startswith("dpviz-read")
    ]:
        if time.monotonic() > until:
            break
        time.sleep(0.01)
    return others


for name, call in calls.items():
    ended = threading.Event()
    keys = threading.Thread(target=press, args=(ended,))
    try:
        keys.start()
        call()
        ends[name] = "ended by itself"
    except KeyboardInterrupt:
        ended.set()
        keys.join()
        ends[name] = "interrupted" if not left() else "left threads"
assert dpviz.read_scores(file).n_members == 10**5
ends["the next call"] = before == audit.lower_bound(scores, delta=1e-5).low
print(json.dumps(ends))
"""


@pytest.fixture(scope="module")
def ends() -> dict[str, str]:
    return answer_of(CODE)


@pytest.mark.slow
def test_every_long_computation_ends_at_once(ends: dict[str, str]) -> None:
    assert set(ends.values()) - {True} == {"interrupted"}, ends


@pytest.mark.slow  # at each change, test_kernel.py interrupts an audit
def test_the_next_call_is_right(ends: dict[str, str]) -> None:
    assert ends["the next call"] is True
