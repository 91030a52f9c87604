"""Errors beside a box: name, rule and value as people say them; numbers as people type them."""

import copy
import math
import pickle

import pytest

from dpviz import Spec, checks
from dpviz.analysis.claims.text_fields import number_or_text
from dpviz.analysis.words import range_condition_in_words, typed_value_error_text

TYPED = {
    ("prior", "0"): "Prior p must be more than 0 and less than 1 (you typed 0).",
    ("epsilon", "-1"): "ε must be 0 or more (you typed -1).",
    ("epsilon", "1,5"): "Write 1.5 with a point.",
    ("fpr", "0,5 %"): "Write 0.5 % with a point.",
    ("delta", "150 %"): "δ must be from 0 to 1 (you typed 1.5).",
    ("fpr", "much"): "FPR must be a number (you typed much).",
    ("fpr", " "): "FPR must be a number (you typed nothing).",
}


@pytest.mark.parametrize(("field", "text"), TYPED)
def test_an_error_is_said_as_people_say_it(field: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"{field} must be") as caught:
        Spec.of(**{field: number_or_text(text)})
    assert typed_value_error_text(caught.value) == TYPED[field, text]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5 %", 0.05),
        ("5%", 0.05),
        ("2.72 %", 0.0272),
        ("1e-3 %", 1e-5),
        ("1e-5", 1e-5),
        ("0.05", 0.05),
        ("inf", math.inf),
        (" ∞ ", math.inf),
        ("1,5", "1,5"),
        ("five", "five"),
        ("%", "%"),
        ("1e-99999999999999999999 %", "1e-99999999999999999999 %"),
    ],
)
def test_numbers_are_read_as_they_are_typed(text: str, value: float | str) -> None:
    assert number_or_text(text) == value


@pytest.mark.parametrize(
    ("closed", "words"),
    [
        ("both", "from 0 to 0.5"),
        ("left", "at least 0 and less than 0.5"),
        ("right", "more than 0 and at most 0.5"),
        ("neither", "more than 0 and less than 0.5"),
    ],
)
def test_an_interval_has_no_brackets(closed: checks.Closed, words: str) -> None:
    assert range_condition_in_words(checks.interval_text(0, 0.5, closed)) == words


def test_other_errors_keep_their_words() -> None:
    assert typed_value_error_text(OSError("a.csv is gone")) == "a.csv is gone"
    assert typed_value_error_text(ValueError("rounds must be few")) == "rounds must be few"


def test_the_parts_of_an_error_survive_a_copy() -> None:
    error = checks.fail("prior", "in (0, 1)", 0.0)
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert (str(other), other.argument, other.value) == (str(error), "prior", 0.0)
