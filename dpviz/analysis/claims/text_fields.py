"""Parameters of guarantees that are typed: numbers, vectors and points as text, and back."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import isfinite
from typing import Any

from dpviz import checks
from dpviz.number_format import exact
from dpviz.theory import TradeoffFunction

MOST_TIMES = 10_000  # that a mechanism may be repeated


@dataclass(frozen=True, kw_only=True)
class Typed:
    """A box for one parameter, or for some that only change together.

    `write` gives the text of a guarantee's parameters; `read` turns a text into changes of them. A
    text that is no number is passed on, for the error to quote.
    """

    label: str
    help: str
    write: Callable[[TradeoffFunction], str]
    read: Callable[[TradeoffFunction, str], dict[str, Any]]


def number(name: str, label: str, explanation: str) -> Typed:
    """One number."""
    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: exact(claim.parameters[name]),
        read=lambda _, text: {name: number_or_text(text)},
    )


def word(name: str, label: str, explanation: str) -> Typed:
    """One word."""
    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: str(getattr(claim, name)),
        read=lambda _, text: {name: text.strip()},
    )


def vector(name: str, label: str, explanation: str) -> Typed:
    """Numbers with commas between: "0.1, 0.2"."""
    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: _joined(claim.parameters[name]),
        read=lambda _, text: {name: _numbers(text.split(","))},
    )


def points(name: str, label: str, explanation: str) -> Typed:
    """Pairs with commas between: "0 1, 1 0"."""
    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: _pairs(claim.parameters[name]),
        read=lambda _, text: {name: _rows(label, text)},
    )


def columns(first: str, second: str, label: str, explanation: str) -> Typed:
    """Two vectors of equal length, typed as pairs, so that their length can change."""

    def read(_: TradeoffFunction, text: str) -> dict[str, Any]:
        rows = _rows(label, text)
        return {first: tuple(a for a, _ in rows), second: tuple(b for _, b in rows)}

    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: _pairs(
            zip(claim.parameters[first], claim.parameters[second], strict=True)
        ),
        read=read,
    )


def times(name: str, label: str, explanation: str) -> Typed:
    """How often a sequence of guarantees repeats itself."""

    def read(claim: TradeoffFunction, text: str) -> dict[str, Any]:
        count = checks.whole(label, number_or_text(text), 1, MOST_TIMES)
        sequence = claim.parameters[name]
        return {name: sequence[: period(sequence)] * count}

    return Typed(
        label=label,
        help=explanation,
        write=lambda claim: str(len(claim.parameters[name]) // period(claim.parameters[name])),
        read=read,
    )


def period(sequence: Sequence[object]) -> int:
    """Length of the shortest beginning that, repeated, gives the sequence."""
    n = len(sequence)
    return next(k for k in range(1, n + 1) if n % k == 0 and sequence[k:] == sequence[: n - k])


def number_or_text(text: str) -> float | str:
    """What was typed: a number where it reads as one (0.05, 5 %, 1e-5, ∞), else the text."""
    trimmed = text.strip()
    is_percent = trimmed.endswith("%")
    number = trimmed.removesuffix("%").rstrip().replace("∞", "inf")
    try:
        value = float(number)
        # Shifted as decimals: 2.72 / 100 is not the float nearest to 0.0272.
        return float(Decimal(number).scaleb(-2)) if is_percent and isfinite(value) else value
    except ValueError:
        return text


def _numbers(pieces: Iterable[str]) -> tuple[float | str, ...]:
    return tuple(number_or_text(piece.strip()) for piece in pieces)


def _rows(label: str, text: str) -> tuple[tuple[float | str, ...], ...]:
    rows = tuple(_numbers(piece.split()) for piece in text.split(","))
    if any(len(row) != 2 for row in rows):
        raise checks.fail(label, 'pairs with commas between, as in "0 1, 1 0"', text)
    return rows


def _joined(values: Iterable[float]) -> str:
    return ", ".join(map(exact, values))


def _pairs(rows: Iterable[tuple[float, float]]) -> str:
    return ", ".join(f"{exact(a)} {exact(b)}" for a, b in rows)
