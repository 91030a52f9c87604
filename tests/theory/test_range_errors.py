"""Every refused number: the message names the argument, the condition and the value."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from dpviz import checks
from dpviz.theory import (
    ApproximateDP,
    PrivacyRegion,
    PureDP,
    delta_at,
    epsilon_at,
    implied_epsilons,
    risk,
)

F = ApproximateDP(epsilon=1.0, delta=0.1)
R = PrivacyRegion(epsilon=1.0, delta=0.1)
UNIT, POSITIVE, OPEN = "in [0, 1]", "in [0, inf]", "in (0, 1)"

# name, condition, call, illegal numbers
ARGUMENTS: list[tuple[str, str, Callable[[Any], object], tuple[float, ...]]] = [
    ("epsilon", POSITIVE, lambda v: ApproximateDP(epsilon=v, delta=0), (-1e-9, -np.inf)),
    ("delta", UNIT, lambda v: ApproximateDP(epsilon=1, delta=v), (-1e-300, 2.0)),
    ("epsilon", POSITIVE, lambda v: PureDP(epsilon=v), (-1.0,)),
    ("epsilon", POSITIVE, lambda v: PrivacyRegion(epsilon=v, delta=0), (-1.0,)),
    ("delta", UNIT, lambda v: PrivacyRegion(epsilon=1, delta=v), (2.0, np.inf)),
    ("delta", UNIT, lambda v: F.with_parameters(delta=v), (2.0,)),
    ("alpha", UNIT, F.beta, (-0.1, 1.1)),
    ("fpr", UNIT, F.tpr, (-0.1, 1.1)),
    ("fpr", UNIT, F.advantage, (-0.1, 1.1)),
    ("epsilon", "in [-inf, inf]", F.delta, ()),
    ("delta", UNIT, F.epsilon, (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: F.admits(fpr=v, fnr=0.5), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: F.admits(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: R.contains(fpr=v, fnr=0.5), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: R.margins(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fnr", UNIT, lambda v: R.distances(fpr=0.5, fnr=v), (-0.1, 1.1)),
    ("fpr", UNIT, lambda v: implied_epsilons(fpr=v, fnr=0.5, delta=0), (-0.1, 1.1)),
    ("tpr", UNIT, lambda v: implied_epsilons(fpr=0.1, fnr=0.5, tpr=v, delta=0), (1.1,)),
    ("tnr", UNIT, lambda v: implied_epsilons(fpr=0.1, fnr=0.5, tnr=v, delta=0), (1.1,)),
    ("delta", UNIT, lambda v: epsilon_at(fpr=0.1, fnr=0.5, delta=v), (-0.1, 1.1)),
    ("epsilon", POSITIVE, lambda v: delta_at(fpr=0.1, fnr=0.5, epsilon=v), (-0.1,)),
    ("fpr", UNIT, lambda v: risk.ppv(F, fpr=v, prior=0.5), (-0.1, 1.1)),
    ("prior", OPEN, lambda v: risk.ppv(F, fpr=0.1, prior=v), (0.0, 1.0, -0.1)),
    ("prior", OPEN, lambda v: risk.ppv_limit(F, prior=v), (0.0, 1.0)),
    ("fpr", UNIT, lambda v: risk.advantage(F, fpr=v), (-0.1, 1.1)),
]
IDS = [f"{i}-{name}" for i, (name, *_) in enumerate(ARGUMENTS)]


def message(call: Callable[[Any], object], value: object) -> str:
    with pytest.raises(ValueError, match="must be") as caught:
        call(value)
    return str(caught.value)


@pytest.mark.parametrize(("name", "condition", "call", "illegal"), ARGUMENTS, ids=IDS)
def test_a_number_out_of_range(
    name: str, condition: str, call: Callable[[Any], object], illegal: tuple[float, ...]
) -> None:
    for value in (*illegal, float("nan")):
        assert message(call, value) == f"{name} must be {condition}, got {value!r}"


@pytest.mark.parametrize(("name", "condition", "call", "illegal"), ARGUMENTS, ids=IDS)
@pytest.mark.parametrize("value", ["0.5", "abc", True, np.True_, b"1", 1 + 0j])
def test_what_is_no_number(
    name: str, condition: str, call: Callable[[Any], object], illegal: object, value: object
) -> None:
    shown = value.item() if isinstance(value, np.generic) else value
    assert message(call, value) == f"{name} must be a number, got {shown!r}"


def test_the_entry_at_fault_is_shown() -> None:
    assert message(F.beta, [0.1, 1.5, 0.2]) == "alpha must be in [0, 1], got 1.5"
    assert message(F.beta, ["0.1"]) == "alpha must be numbers, got '0.1'"
    assert message(F.beta, [True, False]) == "alpha must be numbers, got True"
    assert (
        message(lambda v: PureDP(epsilon=v), [1.0]) == "epsilon must be a single number, got [1.0]"
    )


def test_an_unknown_choice_lists_the_choices() -> None:
    expected = "adjacency must be one of 'replace_one', 'add_remove', got 'swap'"
    assert message(lambda v: PureDP(epsilon=1, adjacency=v), "swap") == expected


def test_an_integer_beyond_the_largest_float_is_a_value_error() -> None:
    assert message(lambda v: checks.real("epsilon", v), 10**400).startswith("epsilon must be")


def test_rows_of_unequal_length_are_named() -> None:
    with pytest.raises(ValueError, match=re.escape("alpha must be")):
        F.beta([[0.1], [0.1, 0.2]])
