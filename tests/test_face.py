"""What users type first: `dpviz` itself, its signatures, and the message for a slip."""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, analyze, explore

MEMBER, NONMEMBER = np.array([0.1, 0.4, 0.2]), [0.3, 0.9, 0.8, 0.7]


@pytest.mark.parametrize("call", [analyze, explore])
def test_two_arrays_are_the_losses_of_members_and_of_nonmembers(call: Callable[..., Any]) -> None:
    made = call(MEMBER, NONMEMBER, epsilon=2.0)
    result = made if call is analyze else made.result
    expected = AttackScores.from_losses(member=MEMBER, nonmember=NONMEMBER)
    assert result.sample.scores.member.tolist() == expected.member.tolist()
    assert result.sample.scores.nonmember.tolist() == expected.nonmember.tolist()
    assert result.spec.epsilon == 2.0
    with pytest.raises(TypeError, match="positional arguments"):
        call(MEMBER, NONMEMBER, NONMEMBER)


@pytest.mark.parametrize("call", [analyze, explore])
def test_the_signature_has_the_defaults_of_the_spec(call: Callable[..., Any]) -> None:
    parameters = inspect.signature(call).parameters
    assert list(parameters)[:5] == ["scores", "nonmember", "epsilon", "delta", "claim"]
    for name in ("prior", "fpr", "confidence_level", "applies_to", "neighbours"):
        assert parameters[name].default == getattr(dpviz.Spec(), name)
        assert f"{name} " in explore.__doc__ + analyze.__doc__


SLIPS = [
    ({"eps": 3.0}, "epsilon"),
    ({"confidence": 0.9}, "confidence_level"),
    ({"neighbors": "add_remove"}, "neighbours"),
    ({"priors": 0.1}, "prior"),
]


@pytest.mark.parametrize(("slip", "meant"), SLIPS)
@pytest.mark.parametrize("call", [analyze, explore, dpviz.Spec.of])
def test_a_misspelt_argument_names_the_one_that_was_meant(
    call: Callable[..., Any], slip: dict[str, object], meant: str
) -> None:
    with pytest.raises(ValueError, match=rf", got '{next(iter(slip))}'; did you mean '{meant}'\?$"):
        call(**slip)


def test_a_misspelt_argument_of_a_view_names_the_one_that_was_meant() -> None:
    with pytest.raises(ValueError, match=r"got 'layuot'; did you mean 'layout'\?$"):
        explore(layuot="all")
    with pytest.raises(ValueError, match=r"got 'qqq'; help\(dpviz\.Spec\) lists the fields$"):
        explore(qqq=1)


def test_an_error_probability_is_no_confidence_level() -> None:
    message = r"^confidence_level must be in \[0\.5, 1\), got 0\.05; 0\.95 if 5 % is the error$"
    calls: list[Callable[[], object]] = [
        lambda: analyze(MEMBER, NONMEMBER, confidence_level=0.05),
        lambda: dpviz.audit.lower_bound((MEMBER, NONMEMBER), delta=0.0, confidence_level=0.05),
        lambda: dpviz.audit.auc_interval((MEMBER, NONMEMBER), confidence_level=0.05),
        lambda: dpviz.Spec.of(confidence_level=0.05),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()
