import numpy as np
import pytest

from dpviz import audit
from dpviz.audit.upper_limits import limit_test


def normal(n: int, shift: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Losses, of which those of members are lower by the shift."""
    rng = np.random.default_rng(seed)
    return rng.normal(-shift, 1, n), rng.normal(0, 1, n)


def test_target_is_shown_if_the_limit_does_not_exceed_it() -> None:
    scores = normal(1500, 0.0, seed=0)
    high = audit.at_most(scores).accuracy.high
    found = limit_test(scores, accuracy=high)
    assert (found.outcome, found.usual, found.limit.high) == ("shown", None, high)
    assert limit_test(scores, accuracy=np.nextafter(high, 0)).outcome != "shown"


def test_so_few_records_cannot_decide() -> None:
    """Not even if the attack knows nothing: simulated medians are the usual limit."""
    found = limit_test(normal(60, 0.0, seed=1), accuracy=0.55)
    limits = [audit.at_most(normal(60, 0.0, seed=i)).accuracy.high for i in range(100)]
    assert found.outcome == "cannot decide"
    # Three standard errors of a median: 3 / (2 sqrt(100)) of the probability on either side.
    low, high = np.quantile(limits, [0.35, 0.65])
    assert low < found.usual < high


def test_an_attack_that_leaks_does_not_show_what_a_useless_one_would() -> None:
    found = limit_test(normal(800, 0.5, seed=2), accuracy=0.6)
    assert found.outcome == "not shown"
    assert found.usual < 0.6 < found.limit.high


def test_a_target_below_the_lower_limit_is_contradicted() -> None:
    scores = normal(800, 1.0, seed=2)
    low = audit.advantage(scores, confidence_level=0.9).low  # of two limits: 95 % each
    for given in ({"advantage": low - 1e-6}, {"accuracy": (1 + low) / 2 - 1e-6}):
        found = limit_test(scores, **given)
        assert (found.outcome, found.usual) == ("contradicted", None)
        assert found.at_least == pytest.approx(next(iter(given.values())), abs=1e-5)
    assert limit_test(scores, advantage=low + 1e-6).outcome == "not shown"
    for given in ({"accuracy": 0.701, "prior": 0.7}, {"tpr": 0.01 + 1e-6}):  # without a lower limit
        found = limit_test(scores, **given)
        assert found.outcome != "contradicted"
        assert found.at_least is None


def test_true_targets_are_seldom_contradicted() -> None:
    """Of a shift of 1 the advantage is 0.383; reversed scores contradict nothing."""
    runs = 60
    found = [limit_test(normal(40, 1.0, seed=i), advantage=0.383).outcome for i in range(runs)]
    assert found.count("contradicted") / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)
    members, others = normal(40, 1.0, seed=3)
    assert limit_test((others, members), advantage=0.01).outcome != "contradicted"


def test_reversed_scores_show_a_limit() -> None:
    """Their best threshold flags nobody: they are no attack."""
    members, others = normal(1500, 1.0, seed=3)
    assert limit_test((others, members), accuracy=0.51).outcome == "shown"


@pytest.mark.parametrize("given", [{"advantage": 0.38}, {"accuracy": 0.69}, {"tpr": 0.25}])
def test_targets_below_the_true_number_are_seldom_shown(given: dict[str, float]) -> None:
    """Of a shift of 1: 2 Phi(1/2) - 1 = 0.383, half of it above 1/2, and 1 - Phi(z - 1) = 0.259."""
    runs = 100
    found = [limit_test(normal(40, 1.0, seed=i), **given, fpr=0.05).outcome for i in range(runs)]
    assert found.count("shown") / runs <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / runs)
