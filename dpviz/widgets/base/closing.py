"""A widget and all that belongs to it are closed together; ipywidgets closes one at a time."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import ipywidgets


def close_with_parts(
    widgets: Iterable[ipywidgets.Widget], *, kept: Iterable[ipywidgets.Widget] = ()
) -> None:
    """Close widgets and their children, layouts, styles, marks, axes and scales; all but `kept`.

    Without it the browser and `ipywidgets` keep all of them for as long as the kernel runs.
    """
    waiting, seen = list(widgets), set(map(id, kept))
    while waiting:
        found = waiting.pop()
        if id(found) in seen:
            continue
        seen.add(id(found))
        waiting += [part for name in found.keys for part in _widgets(getattr(found, name))]
        found.close()


def _widgets(value: Any) -> Iterator[ipywidgets.Widget]:
    if isinstance(value, ipywidgets.Widget):
        yield value
    elif isinstance(value, Mapping):
        yield from _all(value.values())
    elif isinstance(value, list | tuple):
        yield from _all(value)


def _all(values: Iterable[Any]) -> Iterator[ipywidgets.Widget]:
    return (each for value in values for each in _widgets(value))
