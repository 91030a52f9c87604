"""A bug of a mechanism, with everything that a test of it needs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Mechanism = Callable[[Any, np.random.Generator], Any]


@dataclass(frozen=True, kw_only=True)
class Bug:
    """Two programs with the same claim, of which one breaks it.

    Parameters
    ----------
    title : str, what is wrong
    claim : str, of both programs
    pair : tuple of two neighbouring data sets on which the bug shows
    wrong, right : callable of the data and a generator

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> from dpviz.testing.gallery import BUGS
    >>> bug = BUGS["sensitivity"]
    >>> check_mechanism(bug.wrong, [bug.pair], bug.claim).outcome
    'contradicted'
    """

    title: str
    claim: str
    pair: tuple[Any, Any]
    wrong: Mechanism
    right: Mechanism

    @property
    def pairs(self) -> list[tuple[Any, Any]]:
        """The argument `neighbours` of a test."""
        return [self.pair]
