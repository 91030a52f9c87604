"""Which neighbouring data sets a result compares, and the claim as it is compared there.

A claim for add/remove adjacency is converted to replace-one only where the comparison is one of a
record with its replacement. A number such as (epsilon, delta) does not say which adjacency it is
for: `other_reading` is what it would claim here under the other one.
"""

from dataclasses import replace

from dpviz.analysis.spec import Spec
from dpviz.theory import ApproximateDP, GaussianDP, PureDP, TotalVariation, TradeoffFunction
from dpviz.theory.tradeoff import Adjacency

# Guarantees that are numbers and no mechanism: they mean the same under either adjacency
BARE = (ApproximateDP, PureDP, TotalVariation, GaussianDP)


def neighbours_of(spec: Spec, *, with_scores: bool) -> Adjacency:
    """Return what the compared data sets differ in.

    That is `Spec.neighbours`; where it is None, losses of one model compare a record with its
    replacement, and everything else is about what the claim is about. A replace-one claim implies
    nothing about adding or removing a record: it is compared as it stands.
    """
    if spec.claim.adjacency == "replace_one":
        return "replace_one"
    if spec.neighbours is not None:
        return spec.neighbours
    if with_scores:
        return "replace_one" if spec.applies_to == "instance" else "add_remove"
    # Guarantees that are only compared with one another need one adjacency for all.
    is_one = all(overlay.adjacency == "add_remove" for overlay in spec.overlays)
    return "add_remove" if is_one else "replace_one"


def as_compared(claim: TradeoffFunction, neighbours: Adjacency) -> TradeoffFunction:
    """Return a guarantee for these neighbours where it implies one, else as it is."""
    return claim.to_replace_one() if neighbours == "replace_one" else claim


def other_reading(spec: Spec, *, with_scores: bool) -> TradeoffFunction | None:
    """Return the claim as it would be compared under the other adjacency.

    None for a mechanism, which says itself what it is for, and where both readings are the same.
    """
    if type(spec.claim) not in BARE:
        return None
    other: Adjacency = "add_remove" if spec.claim.adjacency == "replace_one" else "replace_one"
    given, read = (
        as_compared(each.claim, neighbours_of(each, with_scores=with_scores))
        for each in (spec, replace(spec, claim=spec.claim.with_parameters(adjacency=other)))
    )
    return None if read.parameters == given.parameters else read
