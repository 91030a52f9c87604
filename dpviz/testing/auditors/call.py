"""One call of an auditor: what it returned, within its time, with random states restored."""

import random
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from inspect import signature
from typing import Any, Literal, NamedTuple

import numpy as np

from dpviz import checks

AnswerKind = Literal["number", "negative", "infinite", "NaN", "raised", "timed out"]


class Answer(NamedTuple):
    """What one call of an auditor gave."""

    kind: AnswerKind
    bound: float = np.nan  # where it is a number, a negative one or infinite
    message: str = ""  # where the auditor raised, or returned no number
    used_global_state: bool = False  # the random state of Python or NumPy


class TimeIsUp(BaseException):
    """Interrupts an auditor; no Exception, which an auditor might handle."""


def takes_rng(auditor: Callable[..., Any]) -> bool:
    """Return whether a function has a parameter `rng`."""
    try:
        return "rng" in signature(auditor).parameters
    except (TypeError, ValueError):  # some functions that are not written in Python
        return False


def call_auditor(
    auditor: Callable[..., Any],
    data: tuple[Any, ...],
    named: Mapping[str, Any],
    *,
    seed: int,
    time_limit: float,
) -> Answer:
    """Return the answer of one call.

    Where a signal can interrupt the call (the main thread, not on Windows), it ends after
    `time_limit` seconds, or when compiled code returns. Elsewhere it counts as timed out when it
    returns. Its warnings are not shown; NumPy's handling of errors is restored.
    """
    begin = time.monotonic()
    with _global_random_state(seed) as was_used, warnings.catch_warnings(), np.errstate():
        warnings.simplefilter("ignore")
        try:
            with _interrupted_after(time_limit):
                returned = auditor(*data, **named)
            answer = _judged(returned)
        except TimeIsUp:
            answer = Answer("timed out")
        except (Exception, SystemExit) as error:
            answer = Answer("raised", message=f"{type(error).__name__}: {checks.reason(error)}")
        used = was_used()
    if time.monotonic() - begin > time_limit:
        answer = Answer("timed out")
    return answer._replace(used_global_state=used)


def _judged(returned: Any) -> Answer:
    """Return the answer that a returned value is: a number, or an object with a number `low`."""
    value = getattr(returned, "low", returned)
    array = checks.as_array(value)
    if array.size != 1 or array.dtype.kind not in "iuf":
        return Answer("raised", message=f"no number: {checks.shortened_repr(returned)}")
    bound = float(array.reshape(()).item())
    if np.isnan(bound):
        return Answer("NaN")
    if bound < 0:  # an infinite one, too: that states nothing
        return Answer("negative", bound)
    return Answer("infinite" if np.isinf(bound) else "number", bound)


@contextmanager
def _global_random_state(seed: int) -> Iterator[Callable[[], bool]]:
    """Seed the global random states of Python and NumPy, and restore both in the end."""
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - the state of other code
    random.seed(seed)
    np.random.seed(seed % 2**32)  # noqa: NPY002
    given = random.getstate(), _numpy_state()
    try:
        yield lambda: (random.getstate(), _numpy_state()) != given
    finally:
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002


def _numpy_state() -> tuple[object, ...]:
    """Return the global random state of NumPy as values that compare."""
    name, words, *rest = np.random.get_state()  # noqa: NPY002
    return name, np.asarray(words).tobytes(), *rest


@contextmanager
def _interrupted_after(seconds: float) -> Iterator[None]:
    """Raise `TimeIsUp` in the block after so many seconds, where a signal can do so."""
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer") or seconds == np.inf:
        yield
        return

    def stop(*_: object) -> None:
        raise TimeIsUp

    before = signal.signal(signal.SIGALRM, stop)
    try:
        timer = signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, *timer)
    finally:
        signal.signal(signal.SIGALRM, before)
