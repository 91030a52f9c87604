"""What a reader of claims is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpviz.claims.claim import Claim


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads one kind of source.

    `name` is what messages call the source. `accepts` knows it by its shape, without importing the
    tool that made it; `read` raises ValueError if something is missing, and says what.
    """

    name: str
    accepts: Callable[[Any], bool]
    read: Callable[[Any], Claim]
