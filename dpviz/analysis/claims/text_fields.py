"""Text boxes for parameters of guarantees, which convert numbers and vectors to text and back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from math import isfinite, isinf
from typing import Any

from dpviz import checks
from dpviz.number_format import exact
from dpviz.theory import TradeoffFunction

MOST_REPETITIONS = 10_000


@dataclass(frozen=True)
class TextField:
    """A text box for one parameter of a guarantee, or for several parameters at the same time."""

    label: str
    help: str
    write: Callable[[TradeoffFunction], str]  # returns the parameter as text
    # Returns new parameters by name. Text that is no number stays, for the error to quote it.
    read: Callable[[TradeoffFunction, str], dict[str, Any]]


def is_number_too_large(text: str) -> bool:
    """Return whether a text in digits states a number that no float can hold, such as 1e400."""
    try:
        return any(map(str.isdigit, text)) and isinf(float(text.strip().removesuffix("%")))
    except ValueError:
        return False


def number_or_text(text: str) -> float | str:
    """Parse "0.05", "5 %", "1e-5" or "∞"; return other text and too large numbers unchanged."""
    trimmed = text.strip()
    is_percent = trimmed.endswith("%")
    number = trimmed.removesuffix("%").rstrip().replace("∞", "inf")
    try:
        value = float(number)
        if is_number_too_large(number):
            return text
        # The percent is divided as a decimal: 2.72 / 100 is not the float nearest to 0.0272.
        return float(Decimal(number).scaleb(-2)) if is_percent and isfinite(value) else value
    except (ValueError, InvalidOperation):  # the latter for an exponent of many digits
        return text


def number_field(
    name: str,
    label: str,
    explanation: str,
    write: Callable[[Any], str] = exact,
    read: Callable[[str], Any] = number_or_text,
) -> TextField:
    """Return the text box of a parameter; `write` and `read` convert its value to text and back."""
    return TextField(
        label,
        explanation,
        lambda claim: write(getattr(claim, name)),
        lambda _, text: {name: read(text)},
    )


def word_field(name: str, label: str, explanation: str) -> TextField:
    """Return the text box of a parameter that is a word."""
    return number_field(name, label, explanation, str, str.strip)


def vector_field(name: str, label: str, explanation: str) -> TextField:
    """Return the text box of a parameter that is a sequence of numbers: "0.1, 0.2"."""

    def write(numbers: Iterable[float]) -> str:
        return ", ".join(map(exact, numbers))

    return number_field(name, label, explanation, write, lambda text: _as_numbers(text.split(",")))


def pairs_field(name: str, label: str, explanation: str) -> TextField:
    """Return the text box of a parameter that is a sequence of pairs: "0 1, 1 0"."""
    return number_field(name, label, explanation, _pairs_as_text, partial(_parsed_pairs, label))


def vector_pairs_field(first: str, second: str, label: str, explanation: str) -> TextField:
    """Return the text box of two equally long sequences, typed as pairs: "P1 Q1, P2 Q2"."""

    def write(claim: TradeoffFunction) -> str:
        return _pairs_as_text(zip(claim.parameters[first], claim.parameters[second], strict=True))

    def read(_: TradeoffFunction, text: str) -> dict[str, Any]:
        rows = _parsed_pairs(label, text)
        return {first: tuple(a for a, _ in rows), second: tuple(b for _, b in rows)}

    return TextField(label, explanation, write, read)


def repetitions_field(name: str, label: str, explanation: str) -> TextField:
    """Return the text box for the number of times that a composition repeats its guarantees."""

    def write(claim: TradeoffFunction) -> str:
        sequence = claim.parameters[name]
        return str(len(sequence) // shortest_period(sequence))

    def read(claim: TradeoffFunction, text: str) -> dict[str, Any]:
        count = checks.whole(label, number_or_text(text), 1, MOST_REPETITIONS)
        sequence = claim.parameters[name]
        return {name: sequence[: shortest_period(sequence)] * count}

    return TextField(label, explanation, write, read)


def shortest_period(sequence: Sequence[object]) -> int:
    """Return the length of the shortest sequence whose repetition gives `sequence`."""
    n = len(sequence)
    # A sequence repeats its first k elements if it equals itself shifted by k.
    return next(k for k in range(1, n + 1) if n % k == 0 and sequence[k:] == sequence[: n - k])


def _as_numbers(pieces: Iterable[str]) -> tuple[float | str, ...]:
    return tuple(number_or_text(piece.strip()) for piece in pieces)


def _parsed_pairs(label: str, text: str) -> tuple[tuple[float | str, ...], ...]:
    rows = tuple(_as_numbers(piece.split()) for piece in text.split(","))
    if any(len(row) != 2 for row in rows):
        raise checks.fail(label, 'pairs separated by commas, as in "0 1, 1 0"', text)
    return rows


def _pairs_as_text(rows: Iterable[tuple[float, float]]) -> str:
    return ", ".join(f"{exact(a)} {exact(b)}" for a, b in rows)
