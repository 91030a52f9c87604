"""`memoised`: a method keeps its latest results on the instance."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Self = TypeVar("Self")
P = ParamSpec("P")
T = TypeVar("T")

MOST_KEPT = 16  # results remembered per method
MEMO_LOCK = Lock()  # slow results are computed in threads of their own


def memoised(method: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    """Make a method keep its latest results; its arguments must be hashable.

    Equal arguments give the very same object, so `is` tells whether a part of a result has changed.
    """

    @wraps(method)
    def remembered(self: Self, *args: P.args, **kwargs: P.kwargs) -> T:
        stores: dict[str, OrderedDict[Any, T]] = self.__dict__.setdefault("_memo", {})
        store = stores.setdefault(method.__name__, OrderedDict())
        key = (args, tuple(sorted(kwargs.items())))
        with MEMO_LOCK:
            if key in store:
                store.move_to_end(key)
                return store[key]
        # Computed without the lock: a slow result must not keep other threads waiting.
        result = method(self, *args, **kwargs)
        # If another thread was faster, its object stays the only one.
        with MEMO_LOCK:
            result = store.setdefault(key, result)
            # The result that was not used for the longest time is dropped.
            if len(store) > MOST_KEPT:
                store.popitem(last=False)
        return result

    return cast(Callable[Concatenate[Self, P], T], remembered)


def stored_result(method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return the stored result of a memoised method for these arguments; None if there is none."""
    owner, name = cast(Any, method).__self__, cast(Any, method).__name__
    with MEMO_LOCK:
        store: OrderedDict[Any, T] = owner.__dict__.get("_memo", {}).get(name, OrderedDict())
        return store.get((args, tuple(sorted(kwargs.items()))))
