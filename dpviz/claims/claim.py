"""Privacy claims with a description of their source, and the interface of claim readers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dpviz import checks
from dpviz.theory import TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES, Adjacency
from dpviz.value_object import ValueObject

ADJACENCY_NAMES = {
    "replace_one": "one record replaced",
    "add_remove": "one record added or removed",
}
# Words for an adjacency, beside its name; "-", "/" and a space count as "_".
ADJACENCY_WORDS: dict[str, Adjacency] = {
    **dict.fromkeys(
        ("add_remove", "add_or_remove", "add_or_remove_one", "unbounded"), "add_remove"
    ),
    **dict.fromkeys(("replace_one", "replace", "bounded"), "replace_one"),
}


def lookup_key(word: str) -> str:
    """Return a word in lower case, with "_" for hyphens, slashes and spaces."""
    return "_".join(word.lower().replace("-", " ").replace("/", " ").replace("_", " ").split())


def adjacency_of_word(word: object, name: str = "adjacency") -> Adjacency:
    """Return the adjacency that a word such as "add/remove" names."""
    known = ADJACENCY_WORDS.get(lookup_key(word)) if isinstance(word, str) else None
    if known is None:
        raise checks.fail(name, f"one of {', '.join(map(repr, ADJACENCIES))}", word)
    return known


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Claim(ValueObject):
    """A privacy guarantee with a description of its source.

    Parameters
    ----------
    guarantee : TradeoffFunction
    source : str, a description of the source of the guarantee
    states_adjacency : bool, whether the source says which data sets are neighbours
    notes : tuple of str, remarks on what else the source states or leaves open
    upper : TradeoffFunction or None, the upper end of an interval whose lower end is `guarantee`
    replaced : TradeoffFunction or None, the guarantee of an add/remove source for a replaced record

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
    replaced: TradeoffFunction | None = None

    @property
    def other_reading(self) -> TradeoffFunction | None:
        """The guarantee under the other adjacency.

        The result is None if the source states its adjacency.
        """
        if self.states_adjacency:
            return None
        (other,) = {*ADJACENCIES} - {self.guarantee.adjacency}
        return self.replaced or self.guarantee.with_parameters(adjacency=other)

    @property
    def error(self) -> float:
        """The most by which the exact FNR can exceed the curve's FNR, at any FPR."""
        return self.guarantee.error

    def __str__(self) -> str:
        lines = [repr(self.guarantee), f"read from: {self.source}", f"adjacency: {self._adjacency}"]
        if self.error:
            lines.append(f"curve: a lower bound, at most {self.error:.1g} below the exact curve")
        if self.upper is not None:
            lines.append("interval: this curve is the lower end, .upper is the upper end")
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])

    @property
    def _adjacency(self) -> str:
        read, other = ADJACENCY_NAMES[self.guarantee.adjacency], self.other_reading
        if other is None:
            return read
        cure = f'{ADJACENCY_NAMES[other.adjacency]}: read_claim(..., adjacency="{other.adjacency}")'
        return f"not stated, read as {read}; if the claim is about {cure}"


@dataclass(frozen=True, kw_only=True)
class ClaimReader:
    """A reader of one kind of source, with functions that recognise and read such a source."""

    name: str
    accepts: Callable[[Any], bool]
    read: Callable[[Any], Claim]
