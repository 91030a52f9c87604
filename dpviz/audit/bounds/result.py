"""What every lower bound on epsilon says, and on what it rests."""

from dataclasses import dataclass
from typing import Literal

from dpviz import checks

AppliesTo = Literal["instance", "mechanism"]
Direction = Literal["attack", "reversed"]
APPLIES_TO = ("instance", "mechanism")


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """The counts a bound rests on: an attack that says "member" of some records.

    Parameters
    ----------
    threshold : float or None
        In the unit the scores came in; None where counts were given.
    false_positives, n_nonmembers, false_negatives, n_members : int
        Of the records that the statement is made with; with a split sample, of its second part.
    fpr_upper, fnr_upper : float
        The limits of both rates that were used.
    """

    threshold: float | None
    false_positives: int
    n_nonmembers: int
    false_negatives: int
    n_members: int
    fpr_upper: float
    fnr_upper: float


@dataclass(frozen=True, kw_only=True)
class RankEvidence:
    """Guesses that a bound rests on: "member" for the top ranks, "non-member" for the last."""

    top: int
    members_in_top: int
    bottom: int
    nonmembers_in_bottom: int


@dataclass(frozen=True, kw_only=True)
class WealthEvidence:
    """Bets that a bound rests on: against its epsilon, a stake of 1 had grown to `wealth`.

    `pairs` of one member and one non-member had been looked at by then, in their order of arrival.
    """

    pairs: int
    wealth: float


AnyEvidence = Evidence | RankEvidence | WealthEvidence


@dataclass(frozen=True, kw_only=True)
class Found:
    """What one method says of one set of scores.

    `seed_spread` as in `EpsilonBound`; `notes` are warnings of the method's own.
    """

    low: float
    evidence: tuple[AnyEvidence, ...] = ()
    seed_spread: float | None = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class EpsilonBound:
    """With probability `confidence_level` over the sample, epsilon is at least `low`.

    Parameters
    ----------
    low : float
        In [0, inf]: the smallest epsilon that the data admit at `delta`.
    delta, confidence_level : float
    method : str
        A key of `BOUNDS`.
    evidence : tuple of Evidence, RankEvidence or WealthEvidence
        What the number rests on; empty where nothing was found.
    n_members, n_nonmembers : int
        All records, those used to choose a threshold among them.
    assumption : str
        What has to hold besides the sampling, for the statement to be one; empty where nothing.
    sampling : str
        How the records have to have been drawn.
    applies_to : {"instance", "mechanism"}
        Whose epsilon: of the pair of laws of this one model instance's scores, or of the mechanism
        that was run. Said by the caller, who knows how members were chosen.
    direction : {"attack", "reversed"}
        "reversed" where both directions were asked for and members turned out on the other side.
    warnings : tuple of str
    seed_spread : float or None
        Estimated standard deviation of `low` over seeds, for these records: 0 where no chance is
        involved, None where it was not estimated. The statement holds for a seed that was fixed
        beforehand; the largest of several is no bound.
    """

    low: float
    delta: float
    confidence_level: float
    method: str
    evidence: tuple[AnyEvidence, ...]
    n_members: int
    n_nonmembers: int
    assumption: str
    sampling: str
    applies_to: AppliesTo
    direction: Direction = "attack"
    warnings: tuple[str, ...] = ()
    seed_spread: float | None = 0.0

    def __post_init__(self) -> None:
        checks.choice("applies_to", self.applies_to, APPLIES_TO)


@dataclass(frozen=True, kw_only=True)
class ConditionalEpsilonBound(EpsilonBound):
    """A bound only where its `assumption` holds, too: without it `low` may exceed epsilon at will.

    Parameters as of `EpsilonBound`.
    """


def type_of(assumption: str) -> type[EpsilonBound]:
    """Which of both a method's statements are."""
    return ConditionalEpsilonBound if assumption else EpsilonBound


INDEPENDENT = "members independent draws of one law, non-members of another; sizes fixed"
