"""What is given instead of scores is refused in one sentence, by every function that takes some."""

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

import numpy as np
import pytest

from dpviz import audit, theory
from dpviz.audit.scores.attack_scores import ScoresLike
from dpviz.audit.scores.base import Scores
from tests.audit.public import PUBLIC

SCORES = audit.AttackScores(member=[1, 2, 3], nonmember=[0, 1, 2])
MADE_BY = (
    "attack scores, as made by AttackScores, AttackScores.from_losses, BinnedScores.of or "
    "read_scores, or a pair (member_losses, nonmember_losses)"
)
# The other arguments that functions need.
NEEDED: dict[str, object] = {
    "scores": SCORES, "one": SCORES, "other": SCORES, "delta": 0.1, "fpr": 0.1,
    "claim": theory.PureDP(epsilon=1), "f": theory.PureDP(epsilon=1), "family": "gaussian",
    "member_users": [1, 2, 3], "nonmember_users": [4, 5, 6],
    "blind": audit.blind.blind_baseline(range(10), range(10)),
}  # fmt: skip
NO_SCORES = [None, [1, 2], "scores.csv", np.array([1.0, 2.0]), {"member": [1], "nonmember": [0]}]
OF_SCORES = (Scores, ScoresLike, audit.BinnedScores, ScoresLike | audit.AttackCurve)
OF_SEVERAL = (Mapping[str, ScoresLike], Sequence[ScoresLike])


def taking_scores() -> list[tuple[str, str]]:
    """Every public function of the audit that takes scores, with the argument; several or one."""
    return [
        (name, argument)
        for name, function in PUBLIC.items()
        if inspect.isfunction(function)
        for argument, hint in get_type_hints(function).items()
        if argument != "return" and hint in {*OF_SCORES, *OF_SEVERAL}
    ]


def call(name: str, argument: str, given: object) -> object:
    function: Callable[..., Any] = PUBLIC[name]
    hint = get_type_hints(function)[argument]
    if hint == OF_SEVERAL[0]:
        given = {"an attack": SCORES, "another": given}
    elif hint == OF_SEVERAL[1]:
        given = [SCORES, given]
    required = {
        each.name
        for each in inspect.signature(function).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    }
    return function(**{each: NEEDED[each] for each in required - {argument}}, **{argument: given})


def test_the_functions_are_found() -> None:
    found = taking_scores()
    assert len(found) > 25
    assert {("auc", "scores"), ("auc_difference", "other"), ("best_of", "attacks")} < {*found}
    assert {"both_sides", "lower_bound", "bootstrap", "tpr_at_fpr"} < {name for name, _ in found}


@pytest.mark.parametrize(("name", "argument"), taking_scores())
@pytest.mark.parametrize("given", NO_SCORES, ids=repr)
def test_what_is_not_scores_is_refused(name: str, argument: str, given: object) -> None:
    shown = {"attacks": "attacks['another']", "models": "models[1]"}.get(argument, argument)
    message = f"{shown} must be {MADE_BY}, got {given!r}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        call(name, argument, given)


@pytest.mark.parametrize(
    ("name", "argument"), [each for each in taking_scores() if each[0] != "rounding_gap"]
)
@pytest.mark.parametrize(
    "pair",
    [
        (np.array([0.1, 0.4, 0.2]), [0.3, 0.9]),
        pytest.param([[0.1, 0.4], (2, 3)], marks=pytest.mark.slow),
    ],
)
def test_a_pair_is_losses(name: str, argument: str, pair: Any) -> None:
    def outcome(given: object) -> str:
        try:
            return re.sub(" at 0x\\w+", "", repr(call(name, argument, given)))
        except ValueError as error:  # about groups, or too few records
            return str(error)

    member, nonmember = pair
    losses = audit.AttackScores.from_losses(member=member, nonmember=nonmember)
    assert outcome(pair) == outcome(losses)


def test_the_values_of_an_array_are_shown_on_one_line() -> None:
    with pytest.raises(TypeError) as refused:
        audit.auc(np.zeros((9, 3)))  # type: ignore[arg-type]
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "given", "condition"),
    [
        ("attacks", [SCORES], "a mapping of names to attack scores"),
        ("models", SCORES, "a sequence of attack scores"),
    ],
)
def test_several_are_given_together(name: str, given: object, condition: str) -> None:
    function: Any = {"attacks": audit.best_of, "models": audit.models.both_sides}[name]
    with pytest.raises(TypeError, match=rf"^{name} must be {condition}, got "):
        function(given, delta=0.1)


@pytest.mark.parametrize("given", [None, SCORES])
def test_what_is_no_curve_is_refused(given: Any) -> None:
    made_by = "an AttackCurve, as made by AttackCurve.from_scores, got "
    with pytest.raises(TypeError, match=f"^curve must be {made_by}"):
        audit.curve_band(given)
    with pytest.raises(TypeError, match=rf"^curves\[0\] must be {made_by}"):
        audit.comparison.lowest_curves([given])


def test_counts_are_made_of_records_and_merged_with_counts() -> None:
    counted = audit.BinnedScores.of(SCORES)
    with pytest.raises(TypeError, match=r"^scores must be AttackScores, got BinnedScores\("):
        audit.BinnedScores.of(counted)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^other must be BinnedScores, got AttackScores\("):
        counted.merged(SCORES)  # type: ignore[arg-type]


def test_only_the_beginning_of_a_long_value_is_shown() -> None:
    with pytest.raises(TypeError, match=r", got \[0, 1, 2, .{190}\.\.\.$"):
        audit.auc(list(range(1000)))  # type: ignore[arg-type]
