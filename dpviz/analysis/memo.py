"""`memoised` makes a method keep its latest results on the instance."""

from collections import OrderedDict
from collections.abc import Callable
from functools import wraps
from threading import Lock
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

Self = TypeVar("Self")
P = ParamSpec("P")
T = TypeVar("T")

MOST_KEPT = 16  # results kept for each method
MEMO_LOCK = Lock()  # slow results are computed in threads of their own


def memoised(method: Callable[Concatenate[Self, P], T]) -> Callable[Concatenate[Self, P], T]:
    """Make a method cache the 16 last used results on its instance; arguments must be hashable."""

    @wraps(method)
    def cached_method(self: Self, *args: P.args, **kwargs: P.kwargs) -> T:
        stores: dict[str, OrderedDict[Any, T]] = self.__dict__.setdefault("_memo", {})
        store = stores.setdefault(method.__name__, OrderedDict())
        key = (args, tuple(sorted(kwargs.items())))
        with MEMO_LOCK:
            if key in store:
                store.move_to_end(key)
                return store[key]
        # The lock is not held here, so that a slow result does not block other threads.
        result = method(self, *args, **kwargs)
        # If another thread was faster, its result is used.
        with MEMO_LOCK:
            result = store.setdefault(key, result)
            # The least recently used result is dropped.
            if len(store) > MOST_KEPT:
                store.popitem(last=False)
        return result

    return cast(Callable[Concatenate[Self, P], T], cached_method)


def cached_result_or_none(method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
    """Return the cached result of a memoised method for these arguments; None if not cached."""
    owner, name = cast(Any, method).__self__, cast(Any, method).__name__
    with MEMO_LOCK:
        store: OrderedDict[Any, T] = owner.__dict__.get("_memo", {}).get(name, OrderedDict())
        return store.get((args, tuple(sorted(kwargs.items()))))
