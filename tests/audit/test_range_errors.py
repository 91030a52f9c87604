"""Refused arguments of the audit: the message names the argument, the condition and the value."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpviz import audit
from dpviz.audit.epsilon_star import epsilon_star_of, epsilon_star_of_normals, gamma_simulation

RNG = np.random.default_rng(0)
SCORES = audit.AttackScores(member=RNG.normal(1, 1, 40), nonmember=RNG.normal(0, 1, 40))
LAWS: dict[str, Any] = {"nonmember": (0, 1), "member": (1, 1)}
NORMALS = epsilon_star_of_normals(**LAWS, delta=0.1)


@pytest.mark.parametrize(
    "call",
    [
        lambda delta: audit.epsilon_star(SCORES, delta=delta),
        lambda delta: epsilon_star_of_normals(**LAWS, delta=delta),
        lambda delta: audit.bootstrap(SCORES, delta=delta),
        lambda delta: audit.permutation_test(SCORES, delta=delta),
        lambda delta: gamma_simulation(delta=delta),
        lambda delta: audit.lower_bound(SCORES, delta=delta),
    ],
)
@pytest.mark.parametrize("delta", [-0.5, 1.5])
def test_delta_is_a_probability(call: Callable[[float], object], delta: float) -> None:
    with pytest.raises(ValueError, match=rf"^delta must be in \[0, 1\], got {delta}$"):
        call(delta)


@pytest.mark.parametrize("law", [(1,), (1, 1, 1), 1.0])
def test_a_law_has_a_parameter_for_each_name(law: Any) -> None:
    with pytest.raises(ValueError, match=r"^member must be a tuple \(mean, sd\), got "):
        epsilon_star_of_normals(nonmember=(0, 1), member=law, delta=0.1)


def test_one_record_has_a_standard_error_and_none_has_not() -> None:
    one, nine = (NORMALS.standard_error(n_members=n, n_nonmembers=n) for n in (1, 9))
    assert one == pytest.approx(3 * (nine or 0))
    for name in ("n_members", "n_nonmembers"):
        with pytest.raises(ValueError, match=rf"^{name} must be a whole number of at least 1, "):
            NORMALS.standard_error(**{"n_members": 9, "n_nonmembers": 9, name: 0})


@pytest.mark.parametrize(
    ("delta", "reason"),
    [
        (0.1, "one distribution has a share above delta where the other has none"),
        (0.0, "at delta = 0 the ratio of the two distributions grows without limit"),
    ],
)
def test_an_infinite_value_has_a_reason(delta: float, reason: str) -> None:
    laws = {"nonmember": stats.uniform(0, 1), "member": stats.uniform(0.5, 1)}
    assert epsilon_star_of(**laws, delta=delta).reason == reason
