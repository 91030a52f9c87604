"""`FrozenMapping`, the base of the settings of a spec that are things by name."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

T = TypeVar("T")


class FrozenMapping(Mapping[str, T]):
    """Things by name, hashable, and equal only to the same things of the same class."""

    def __init__(self, items: Mapping[str, T]) -> None:
        self._items = dict(items)

    def __getitem__(self, name: str) -> T:
        return self._items[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __hash__(self) -> int:
        return hash(tuple(self._items.items()))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and [*self.items()] == [*other.items()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.plain()})"

    def plain(self) -> dict[str, Any]:
        """Return the entries as a dict, from which an equal mapping can be made."""
        return dict(self)
