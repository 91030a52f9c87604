"""Checks of arguments: each check returns the converted value or raises an error.

A message reads ``{name} must be {condition}, got {value!r}``: it has the argument, the rule and the
value. Errors are :class:`ValueError`, but :class:`TypeError` for an object of the wrong class.
"""

import json
import sys
import warnings
from collections.abc import Collection, Iterator, MappingView, Set
from contextlib import contextmanager
from difflib import get_close_matches
from types import UnionType
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

Closed = Literal["both", "neither", "left", "right"]
FloatArray = NDArray[np.float64]
Rng = int | np.random.Generator  # what the argument `rng` takes: a seed, or a generator
GIVEN_IN_PERCENT = ("confidence_level", "fpr", "prior")  # by mistake
SHOWN_LENGTH = 200  # characters of a value in an error message


class ConditionError(ValueError):
    """The error that an argument does not meet a condition.

    The message is "`argument` must be `condition`, got `value`". Its three parts are attributes.

    Examples
    --------
    >>> import dpviz
    >>> try:
    ...     dpviz.Spec.of(prior=2)
    ... except dpviz.ConditionError as error:
    ...     print(error.argument, error.value)
    prior 2.0
    """

    argument: str
    condition: str
    value: object


def fail(name: str, condition: str, value: object, way_out: str = "") -> ConditionError:
    """Return an error to raise: "`name` must be `condition`, got `value`; `way_out`"."""
    plain = value.item() if isinstance(value, np.generic) else value
    text = shortened_repr(plain)
    advice = f"; {way_out}" if way_out else ""
    error = ConditionError(f"{name} must be {condition}, got {text}{advice}")
    error.argument, error.condition = name, condition
    error.value = text if len(text) > SHOWN_LENGTH else plain  # no reference to a large value
    return error


def shortened_repr(value: object) -> str:
    """Return the repr of a value on one line, cut after `SHOWN_LENGTH` characters."""
    try:
        text = repr(value)
        text = " ".join(text.split()) if "\n" in text else text
    except Exception:  # an int of more digits than Python writes, or an error of the object
        text = f"a {type(value).__name__}"
    return text if len(text) <= SHOWN_LENGTH else text[:SHOWN_LENGTH] + "..."


def check_version(name: str, value: object, readable_version: int | str) -> None:
    """Raise ValueError unless `value`, the version of a format, equals `readable_version`."""
    if type(value) is not type(readable_version) or value != readable_version:
        raise fail(name, f"{readable_version!r}, the only version that this release reads", value)


def must_be_a(name: str, value: object, expected: type | UnionType, condition: str) -> None:
    """Raise TypeError, "`name` must be `condition`", unless `value` has the type `expected`."""
    if not isinstance(value, expected):
        raise TypeError(f"{name} must be {condition}, got {shortened_repr(value)}")


def real(
    name: str, value: Any, low: float = -np.inf, high: float = np.inf, *, closed: Closed = "both"
) -> float:
    """Return `value` as a float; raise ValueError unless it is a number from `low` to `high`."""
    array = reals(name, value, low, high, closed=closed)
    if array.ndim != 0:
        raise fail(name, "a single number", value)
    return float(array)


def positive(name: str, value: Any) -> float:
    """Return `value` as a float; raise ValueError unless it is above 0 and below infinity."""
    return real(name, value, 0, np.inf, closed="neither")


def between_0_and_1(name: str, value: Any) -> float:
    """Return `value` as a float; raise ValueError unless it is above 0 and below 1."""
    return real(name, value, 0, 1, closed="neither")


def confidence_level(value: Any) -> float:
    """Return a confidence level as a float; raise ValueError unless it is in [0.5, 1)."""
    if isinstance(value, float | int) and 0 < value < 0.5:
        way_out = f"give {1 - value:g} for an error of {100 * value:g} %"
        raise fail("confidence_level", "in [0.5, 1)", value, way_out)
    return real("confidence_level", value, 0.5, 1, closed="left")


def interval_text(low: float, high: float, closed: Closed = "both") -> str:
    """Return an interval as text, such as "in [0, 1)"; `closed` names the ends that it contains."""
    opening = "[" if closed in ("both", "left") else "("
    closing = "]" if closed in ("both", "right") else ")"
    return f"in {opening}{low:g}, {high:g}{closing}"


def reals(
    name: str,
    values: Any,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    closed: Closed = "both",
    way_out: str = "",
) -> FloatArray:
    """Return `values` as a float64 array; raise ValueError unless all are from `low` to `high`."""
    array = numeric(name, values)
    above = array >= low if closed in ("both", "left") else array > low
    below = array <= high if closed in ("both", "right") else array < high
    legal = above & below
    if not legal.all():
        bad = array[~legal].flat[0]
        # A level of 95 is mostly meant as 95 %.
        if name in GIVEN_IN_PERCENT and bad in range(2, 101):
            way_out = f"give {bad / 100:g} for {bad:g} %"
        raise fail(name, interval_text(low, high, closed), bad, way_out)
    return array


def whole(name: str, value: Any, low: int, high: int | None = None) -> int:
    """Return `value` as an int; raise ValueError unless it is an integer from `low` to `high`."""
    array = numeric(name, value)
    if array.ndim != 0:
        raise fail(name, "a single number", value)
    number = float(array)
    whole_number = number == np.floor(number) and np.isfinite(number)
    if not whole_number or number < low or (high is not None and number > high):
        limits = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise fail(name, f"a whole number {limits}", value)
    return int(number)


def seed(rng: Any) -> int:
    """Return `rng` if it is a whole number; draw a seed from `rng` if it is a NumPy generator."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**53))  # exact as a float, too
    return whole("rng", rng, 0)


def whole_numbers(name: str, values: ArrayLike, low: int) -> FloatArray:
    """Return `values` as a float64 array; raise ValueError unless all are integers >= `low`."""
    array = numeric(name, values)
    bad = ~((array >= low) & (array == np.floor(array)) & np.isfinite(array))
    if bad.any():
        raise fail(name, f"whole numbers of at least {low}", array[bad].flat[0])
    return array


@contextmanager
def naming_foreign_errors(name: str, value: object) -> Iterator[None]:
    """Return a context manager that turns an error of another library into a ValueError."""
    try:
        yield
    # What dpviz raises itself, and errors of the system, stay as they are.
    except (ValueError, OSError, ImportError, MemoryError, RecursionError):
        raise
    except (Exception, SystemExit) as error:  # such as of a property
        got = f"a {type(value).__name__} that raised {type(error).__name__}: {reason(error)}"
        raise ValueError(f"{name} must be an object that dpviz can read, got {got}") from error


def numeric(name: str, values: ArrayLike) -> FloatArray:
    """Return `values` as a float64 array; raise ValueError if an entry is not a number."""
    with naming_foreign_errors(name, values):
        reject_masked(name, values)
        try:
            array = as_array(values)
        except ValueError as error:  # rows of unequal length
            got = "rows of different lengths" if "inhomogeneous" in str(error) else reason(error)
            raise ValueError(f"{name} must be an array of numbers, got {got}") from error
        if array.dtype.kind in "iuf":
            return as_float64(array)
        # Entry by entry, since NumPy would turn text and truth values into numbers.
        entries = [values] if array.ndim == 0 else array.ravel().tolist()
        for entry in entries:
            if isinstance(entry, str | bytes | bool | np.bool) or not _converts_to_float(entry):
                is_text = isinstance(entry, str) and _converts_to_float(entry)
                condition = "a number" if array.ndim == 0 else "numbers"
                condition += " up to 1.8e308" if type(entry) is int else ""
                advice = "numpy.asarray(..., float) converts text" if is_text else ""
                raise fail(name, condition, entry, advice)
        return array.astype(np.float64)


def as_array(values: Any) -> NDArray[Any]:
    """Convert an array-like or a tensor to an array; a tensor is detached and moved to the CPU."""
    if callable(getattr(values, "detach", None)):
        tensor = values.detach().cpu()
        try:
            values = tensor.numpy()
        except TypeError:  # a type unknown to numpy, such as bfloat16
            values = tensor.float().numpy()
    return np.asarray(values)


def as_float64(numbers: NDArray[Any]) -> FloatArray:
    """Return a float64 copy; finite numbers too large for float64 become the largest float64."""
    with np.errstate(over="ignore", invalid="ignore"):
        values = numbers.astype(np.float64)
    if numbers.dtype.itemsize > values.dtype.itemsize:
        beyond = np.isinf(values) & np.isfinite(numbers)
        values[beyond] = np.copysign(np.finfo(np.float64).max, values[beyond])
    return values


def reject_masked(name: str, values: object) -> None:
    """Raise ValueError if `values` has masked entries, which NumPy would treat as numbers."""
    is_plain = type(values) is np.ndarray  # a check that does not import numpy.ma
    if not is_plain and isinstance(values, np.ndarray) and np.ma.is_masked(values):
        masked = np.count_nonzero(np.ma.getmask(values))
        got = f"{masked} among {values.size} values; .compressed() removes the masked values"
        raise ValueError(f"{name} must have no masked values, got {got}")


def vector(name: str, values: ArrayLike, *, finite: bool = False) -> FloatArray:
    """Return `values` as a float64 vector; raise ValueError if it is empty or contains NaN."""
    with naming_foreign_errors(name, values):
        # Sets have no order, and iterators are used up by one reading.
        is_no_sequence = isinstance(values, Iterator | Set | MappingView)
    if is_no_sequence:
        got = f"a {type(values).__name__}; list(...) converts it"
        lost = ", but repeated values are lost" if isinstance(values, Set) else ""
        raise ValueError(f"{name} must be an array or a list, got {got}{lost}")
    array = numeric(name, values)
    if array.ndim != 1:
        raise fail(name, "one-dimensional, of shape (n,)", array.shape)
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got 0 values")
    n_nan = np.count_nonzero(np.isnan(array))
    n_infinite = np.count_nonzero(np.isinf(array)) if finite else 0
    if finite and n_nan + n_infinite:
        got = f"{n_nan} NaN and {n_infinite} infinite among {array.size} values"
        raise ValueError(f"{name} must be finite, got {got}")
    if n_nan:
        got = f"{n_nan} NaN among {array.size} values; read_scores(..., missing='drop') drops NaN"
        raise ValueError(f"{name} must be numbers, got {got}")
    return array


def pmf(name: str, values: ArrayLike) -> FloatArray:
    """Return `values` as a vector; raise ValueError unless they are probabilities with sum 1."""
    masses = reals(name, values, 0, 1)
    if masses.ndim != 1 or masses.size == 0:
        raise fail(name, "a non-empty vector", masses.shape)
    total = float(masses.sum())
    if abs(total - 1) > 1e-9:
        raise fail(name, "probabilities that sum to 1", total)
    return masses


def reason(error: BaseException, length: int = SHOWN_LENGTH) -> str:
    """Return another library's error message on one line, cut after `length` characters."""
    try:
        text = str(error)
    except Exception:  # the error has no readable message
        text = ""
    line = " ".join(text[: 10 * length].split())  # a message may be a megabyte long
    line = line if line.isprintable() else json.dumps(line)
    return line if len(line) <= length else f"{line[:length]}..."


def choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return `value` if it is one of `choices`; else raise a ValueError that lists `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise fail(name, "one of " + ", ".join(repr(c) for c in choices), value)
    return value


def did_you_mean(name: str, names: Collection[str]) -> str:
    """Return the text "did you mean ...?" if one of `names` is similar to `name`, else ""."""
    similar = get_close_matches(name, names, n=1)
    return f"did you mean {similar[0]!r}?" if similar else ""


def float_if_scalar(array: FloatArray) -> Any:
    """Convert a zero-dimensional array to a float; return any other array unchanged."""
    return float(array) if array.ndim == 0 else array


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """Make `array` read-only and return it."""
    array.setflags(write=False)
    return array


def _converts_to_float(entry: Any) -> bool:
    try:
        # A decimal number beyond all floats would become infinite.
        return float(entry) == entry or not np.isinf(float(entry))
    except (Exception, SystemExit):  # any error of another library's object
        return False


def warn_caller(message: str) -> None:
    """Emit a UserWarning at the line of the user's code that called dpviz."""
    # The nearest frame that is not of dpviz is the caller's; code that `exec` runs has no module.
    level, frame = 1, sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == "dpviz":
        level, frame = level + 1, frame.f_back
    warnings.warn(message, UserWarning, stacklevel=level)
