"""What users type first: `dpviz` itself, its signatures, and the message for a slip."""

import inspect
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import dpviz
from docs.objects import PAGES, objects
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
    for name in ("prior", "fpr", "confidence_level", "sampling", "neighbours"):
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
    with pytest.raises(ValueError, match=r"got 'kind'; pass dpviz.read_scores\(source, kind"):
        explore([1, 2], [3, 4], kind="score")


def test_an_error_probability_is_no_confidence_level() -> None:
    message = (
        r"^confidence_level must be in \[0\.5, 1\), got 0\.05; give 0\.95 for an error of 5 %$"
    )
    calls: list[Callable[[], object]] = [
        lambda: analyze(MEMBER, NONMEMBER, confidence_level=0.05),
        lambda: dpviz.audit.lower_bound((MEMBER, NONMEMBER), delta=0.0, confidence_level=0.05),
        lambda: dpviz.audit.auc_interval((MEMBER, NONMEMBER), confidence_level=0.05),
        lambda: dpviz.Spec.of(confidence_level=0.05),
    ]
    for call in calls:
        with pytest.raises(ValueError, match=message):
            call()


ROOMS = (
    *("analysis", "audit", "claims", "data", "pictures", "reports", "teach", "testing"),
    *("theory", "widgets"),
)


def test_completion_shows_the_rooms_and_the_names_and_nothing_else() -> None:
    assert {*dir(dpviz)} == {*dpviz.__all__, *ROOMS, "__version__"}
    for room in ROOMS:
        assert getattr(dpviz, room) is import_module(f"dpviz.{room}")
    for module in ("theory.risk", "theory.calibration", "theory.profile", "audit.roc.bands"):
        names = dir(import_module(f"dpviz.{module}"))
        assert not {"np", "checks", "Callable", "cleandoc", "signature"} & {*names}, module


def test_the_faces_have_at_most_150_names() -> None:
    rooms = [import_module(f"dpviz.{room}") for room in ROOMS]
    assert len({name for room in (dpviz, *rooms) for name in room.__all__}) <= 150
    assert all(hasattr(room, name) for room in (dpviz, *rooms) for name in room.__all__)


def test_the_error_about_an_argument_is_public() -> None:
    with pytest.raises(dpviz.ConditionError) as caught:
        dpviz.Spec.of(prior=2)
    assert (caught.value.argument, caught.value.value) == ("prior", 2)


def test_every_documented_name_can_be_imported_as_documented() -> None:
    for full_name in objects():
        module, _, name = full_name.rpartition(".")
        made: dict[str, object] = {}
        exec(f"from {module} import {name}", made)
        assert name in made
    names = {name.rpartition(".")[2] for name in objects()}
    assert {"GammaSimulation", "clopper_pearson", "ZoomLevels", "Duel", "lower_bound"} <= names
    for room in (dpviz, *(import_module(f"dpviz.{room}") for room in ROOMS)):
        page = (PAGES / f"{room.__name__.removeprefix('dpviz.')}.md").read_text("utf-8")
        for name in {*room.__all__} - names - {"audit", "theory"}:  # modules and dictionaries
            assert f"room:: {room.__name__}.{name}\n" in page or f"`{name}`" in page, name


def test_signatures_are_short() -> None:
    for name, thing in objects().items():
        with suppress(ValueError):  # no signature
            assert "_SupportsArray" not in str(inspect.signature(thing)), name
