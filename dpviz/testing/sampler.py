"""Outputs of a mechanism on two data sets."""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.testing.outputs import Outputs


class Sampler:
    """Calls a mechanism, on both data sets of a pair in turn.

    Parameters
    ----------
    mechanism : callable of the data; given `rng` and `size`, if it takes and needs them
    features : callable or None, applied to each output
    is_batched : bool, whether a call returns `size` outputs
    seed : int, of the generator `rng`
    """

    def __init__(
        self,
        mechanism: Callable[..., Any],
        features: Callable[[Any], Any] | None,
        *,
        is_batched: bool,
        seed: int,
    ) -> None:
        self._mechanism, self._features, self._is_batched = mechanism, features, is_batched
        self.takes_rng = _takes_rng(mechanism)
        self._given = {"rng": np.random.default_rng(seed)} if self.takes_rng else {}

    def outputs(self, pair: tuple[Any, Any], size: int) -> tuple[Outputs, Outputs]:
        """New outputs, `size` on each data set."""
        if self._is_batched:
            first, second = (self._batch(data, size) for data in pair)
        else:
            drawn = [self._mechanism(data, **self._given) for _ in range(size) for data in pair]
            first, second = drawn[::2], drawn[1::2]
        if self._features is not None:
            first, second = ([self._features(x) for x in drawn] for drawn in (first, second))
        return Outputs.of(first), Outputs.of(second)

    def _batch(self, data: Any, size: int) -> Any:
        drawn = self._mechanism(data, size=size, **self._given)
        if len(drawn) != size:
            raise checks.fail("mechanism", f"of {size} outputs for this size", len(drawn))
        return drawn


def _takes_rng(mechanism: Callable[..., Any]) -> bool:
    try:
        return "rng" in signature(mechanism).parameters
    except ValueError:  # some functions that are not written in Python
        return False
