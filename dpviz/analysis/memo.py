"""`Memo` keeps the latest results of functions."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

MOST_KEPT = 16  # results kept for each function


class Memo:
    """The 16 last used results of each function, by arguments, which must be hashable."""

    # A method is told apart by its function alone: a memo is for the methods of one object, to
    # which it has no reference.

    def __init__(self) -> None:
        self._stores: dict[Callable[..., Any], OrderedDict[Any, Any]] = {}
        self._lock = Lock()  # slow results are computed in threads of their own

    def __call__(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return function(*args, **kwargs), which is kept, or the result kept before."""
        key = (args, tuple(sorted(kwargs.items())))
        with self._lock:
            store = self._store(function)
            if key in store:
                store.move_to_end(key)
                return store[key]
        # The lock is not held here, so that a slow result does not block other threads.
        result = function(*args, **kwargs)
        with self._lock:
            result = store.setdefault(key, result)  # that of another thread, if it was faster
            if len(store) > MOST_KEPT:
                store.popitem(last=False)
        return result

    def known(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T | None:
        """Return the kept result of a function for these arguments; None if there is none."""
        with self._lock:
            return self._store(function).get((args, tuple(sorted(kwargs.items()))))

    def _store(self, function: Callable[..., T]) -> OrderedDict[Any, T]:
        return self._stores.setdefault(getattr(function, "__func__", function), OrderedDict())
