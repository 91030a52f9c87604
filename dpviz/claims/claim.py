"""Guarantees with the text they were read from, and the interface of readers of claims."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpviz.theory import TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES

ADJACENCY_NAMES = {
    "replace_one": "one record replaced",
    "add_remove": "one record added or removed",
}


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A guarantee as `read_claim` understood it; printing it says so in a few lines.

    Parameters
    ----------
    guarantee : TradeoffFunction
    source : str, what it was read from
    states_adjacency : bool, whether the source says which data sets are neighbours
    notes : tuple of str, what the source also says, or leaves open
    upper : TradeoffFunction or None
        If the source gives an interval, the highest possible curve; `guarantee` is the lowest one.

    Examples
    --------
    >>> import dpviz
    >>> claim = dpviz.read_claim("gaussian_dp:mu=1.2,adjacency=add_remove")
    >>> print(claim)
    GaussianDP(mu=1.2, adjacency='add_remove')
    read from: text "NAME:PARAMETER=NUMBER,..."
    adjacency: one record added or removed
    """

    guarantee: TradeoffFunction
    source: str
    states_adjacency: bool
    notes: tuple[str, ...] = ()
    upper: TradeoffFunction | None = None

    @property
    def error(self) -> float:
        """Largest amount, in FNR, by which the guarantee's curve is below the exact one."""
        return self.guarantee.error

    def __str__(self) -> str:
        lines = [repr(self.guarantee), f"read from: {self.source}", f"adjacency: {self._adjacency}"]
        if self.error:
            lines.append(f"curve: from below, at most {self.error:.1g} under the exact one")
        if self.upper is not None:
            lines.append("interval: the source gives one; this is its safe end, .upper the other")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    @property
    def _adjacency(self) -> str:
        read = self.guarantee.adjacency
        if self.states_adjacency:
            return ADJACENCY_NAMES[read]
        (other,) = (adjacency for adjacency in ADJACENCIES if adjacency != read)
        return (
            f"not stated, read as {ADJACENCY_NAMES[read]}; if the claim is about "
            f'{ADJACENCY_NAMES[other]}: read_claim(..., adjacency="{other}")'
        )


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Reads claims from the objects that it `accepts`; `name` describes them in errors."""

    name: str
    accepts: Callable[[Any], bool]
    read: Callable[[Any], Claim]
