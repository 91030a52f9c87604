"""Random numbers are chosen as in SciPy: by `rng`, and their amount by `n_resamples`."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpviz import audit, check_inputs
from dpviz.audit.epsilon_star.resampling import bootstrap, gamma_simulation, permutation_test
from dpviz.audit.evidence.null import null_distribution
from tests.audit.public import PUBLIC

MADE = np.random.default_rng(1)
PAIR = MADE.normal(0, 1, 40), MADE.normal(1, 1, 50)
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "permutation_test": lambda **given: permutation_test(PAIR, delta=0.1, **given).permuted,
    "bootstrap": lambda **given: bootstrap(PAIR, delta=0.1, **given).resampled,
    "null_distribution": lambda **given: null_distribution(PAIR, delta=0.1, **given).simulated,
    "auc_interval": lambda **given: audit.auc_interval(PAIR, method="bootstrap", **given),
    "gamma_simulation": lambda **given: gamma_simulation(sizes=[50], shifts=[1], **given),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_generator_gives_new_random_numbers_at_each_call(name: str) -> None:
    """Two generators of the same seed give the same; the second call of one gives another."""
    function, number = FUNCTIONS[name], {"n_resamples": 50}
    one, other = np.random.default_rng(7), np.random.default_rng(7)
    first = repr(function(rng=one, **number))
    assert first == repr(function(rng=other, **number))
    assert first != repr(function(rng=one, **number))
    assert repr(function(rng=3, **number)) == repr(function(rng=3, **number))
    with pytest.raises(ValueError, match="rng must be a whole number of at least 0, got -1"):
        function(rng=-1, **number)


def test_a_bound_names_the_seed_that_a_generator_drew() -> None:
    rng = np.random.default_rng(7)
    found = audit.lower_bound(PAIR, delta=0.0, method="one_run", rng=rng)
    assert found.seed is not None
    assert audit.lower_bound(PAIR, delta=0.0, method="one_run", rng=found.seed) == found


def test_one_word_for_one_idea() -> None:
    for name, function in PUBLIC.items():
        if inspect.isfunction(function):
            words = {*inspect.signature(function).parameters}
            if name == "canaries":  # a secret, from which no random number is simulated
                words -= {"seed"}
            assert not words & {"seed", "resamples", "permutations", "n_runs"}, name
            assert "runs" not in words or name in ("repeats", "canaries")  # trainings
    assert "rng" in inspect.signature(check_inputs).parameters
