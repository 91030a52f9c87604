"""The same scores in eight threads at once, and in a forked process."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dpviz
from tests.faults.process import answer_of

RNG = np.random.default_rng(3)
SCORES = dpviz.AttackScores(member=RNG.normal(1, 1, 60), nonmember=RNG.normal(0, 1, 40))


def said(epsilon: float) -> dict[str, str]:
    return dict(dpviz.analyze(SCORES, epsilon=epsilon).sentences)


@pytest.mark.slow
def test_eight_threads_say_what_one_says() -> None:
    epsilons = [0.25 * i for i in range(8)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(said, epsilons))
    assert together == [said(epsilon) for epsilon in epsilons]


@pytest.mark.slow
def test_a_forked_process_says_what_its_parent_says() -> None:
    code = """
import json, os
import numpy as np
import dpviz
rng = np.random.default_rng(3)
scores = dpviz.AttackScores(member=rng.normal(1, 1, 60), nonmember=rng.normal(0, 1, 40))
first = dict(dpviz.analyze(scores).sentences)
child = os.fork()
if child == 0:
    os._exit(0 if dict(dpviz.analyze(scores).sentences) == first else 1)
_, status = os.waitpid(child, 0)
print(json.dumps(os.waitstatus_to_exitcode(status)))
"""
    assert answer_of(code) == 0
