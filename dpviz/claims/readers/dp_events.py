"""Readers of the events and accountants of dp-accounting."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from dpviz import checks
from dpviz.claims.claim import Claim, ClaimReader
from dpviz.claims.readers.libraries import PROFILE_READER
from dpviz.theory import (
    Composed,
    DiscreteLaplaceMechanism,
    GaussianMechanism,
    LaplaceMechanism,
    PureDP,
    RandomizedResponse,
    RenyiDP,
)
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.mechanisms.gaussian import SHIFTS
from dpviz.theory.mechanisms.renyi import ZeroConcentratedDP
from dpviz.theory.mechanisms.subsampled import Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import Sampling, SubsampledGaussian
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction

MOST_LISTED_REPETITIONS = 10_000  # of an event whose composition has no closed formula
BUILDER = "DpEventBuilder"


class Neighbours(NamedTuple):
    """An adjacency; `shift` is the largest change of a sum between two neighbouring data sets."""

    adjacency: Adjacency
    shift: float = 1.0  # in the unit of the noise multiplier
    has_blank: bool = False  # a record is replaced by a blank one, which adds 0


ADDED = Neighbours("add_remove")
BLANKED = Neighbours("add_remove", has_blank=True)
REPLACED = Neighbours("replace_one", SHIFTS["replace_one"])
# RdpAccountant, which alone reads samples of a fixed size: noise relative to a replacement.
REPLACED_IN_RDP = Neighbours("replace_one")
RELATIONS = {"ADD_OR_REMOVE_ONE": ADDED, "REPLACE_ONE": REPLACED, "REPLACE_SPECIAL": BLANKED}
# The kind of sampling implies which data sets are neighbours.
SAMPLINGS: dict[str, Adjacency] = {
    "PoissonSampledDpEvent": "add_remove",
    "SampledWithoutReplacementDpEvent": "replace_one",
}
TWICE_NOTE = "noise is relative to one added record; a replaced record moves a sum twice as far"
RDP_NOTE = "noise is relative to a replaced record in the source, but to an added record in dpviz"
BLANK_NOTE = "REPLACE_SPECIAL: a record is replaced by a blank record, read as added or removed"
OWN_NOTE = "computed by the accountant: dpviz has no formula for {kind}"
NOTES = {ADDED: (), BLANKED: (BLANK_NOTE,), REPLACED: (TWICE_NOTE,), REPLACED_IN_RDP: (RDP_NOTE,)}


def _is_readable(source: Any) -> bool:
    has_ledger = _is_event(getattr(source, "ledger", None)) and _neighbouring_relation(source) != ""
    return _is_event(source) or type(source).__name__ == BUILDER or has_ledger


def _read_claim(source: Any) -> Claim:
    name = f"dp-accounting {type(source).__name__}"
    event = source.build() if type(source).__name__ == BUILDER else source
    if _is_event(event):
        return _read_event(event, f"a {name}")
    relation, origin = _neighbouring_relation(source), f"the ledger of a {name}"
    checks.choice("the accountant's neighboring_relation", relation, RELATIONS)
    # The RDP accountant states noise relative to a replacement, the others to an addition.
    is_rdp = relation == "REPLACE_ONE" and not hasattr(source, "_pld")
    neighbours = REPLACED_IN_RDP if is_rdp else RELATIONS[relation]
    sampled = _adjacency_of_sampling(source.ledger)
    if sampled not in (None, "add_remove" if neighbours is REPLACED else neighbours.adjacency):
        rule = f"{neighbours.adjacency!r}, the accountant's adjacency"
        raise checks.fail("the adjacency of the ledger's sampling", rule, sampled)
    notes = NOTES[neighbours]
    # An event without a formula here: the accountant's own curve, if it has one.
    foreign = _class_names_in_tree(source.ledger) - KNOWN
    curve = _guarantee_computed_by(source) if foreign else None
    if curve is not None:
        guarantee = curve.with_parameters(adjacency=neighbours.adjacency)
        notes = (*notes[: neighbours.has_blank], OWN_NOTE.format(kind=", ".join(sorted(foreign))))
    else:
        guarantee = _guarantee_of_event(source.ledger, neighbours)
    return Claim(guarantee=guarantee, source=origin, states_adjacency=True, notes=notes)


def _read_event(event: Any, origin: str) -> Claim:
    if _adjacency_of_sampling(event) == "replace_one":
        fixed, notes = _guarantee_of_event(event, REPLACED_IN_RDP), NOTES[REPLACED_IN_RDP]
        return Claim(guarantee=fixed, source=origin, states_adjacency=True, notes=notes)
    guarantee, replaced = _guarantee_of_event(event, ADDED), _guarantee_of_event(event, REPLACED)
    return Claim(guarantee=guarantee, source=origin, states_adjacency=False, replaced=replaced)


def _is_event(source: Any) -> bool:
    return type(source).__name__.endswith("DpEvent")


def _neighbouring_relation(accountant: Any) -> str:
    return str(getattr(getattr(accountant, "neighboring_relation", None), "name", ""))


def _guarantee_computed_by(accountant: Any) -> TradeoffFunction | None:
    """Return the guarantee that an accountant has stored as a PLD or as RDP bounds, else None."""
    if hasattr(accountant, "_pld"):
        return PROFILE_READER.read(accountant._pld).guarantee
    if hasattr(accountant, "_rdp"):
        orders, bounds = np.asarray(accountant._orders), np.asarray(accountant._rdp)
        known = np.isfinite(orders) & np.isfinite(bounds) & (orders > 1)
        return RenyiDP(orders=orders[known], epsilons=bounds[known])
    return None


def _adjacency_of_sampling(event: Any) -> Adjacency | None:
    """Return the adjacency that the sampling in an event implies; None if nothing is sampled."""
    adjacencies = {SAMPLINGS[name] for name in _class_names_in_tree(event) if name in SAMPLINGS}
    if len(adjacencies) > 1:
        raise checks.fail("all sampling in the ledger", "for one adjacency", sorted(adjacencies))
    return next(iter(adjacencies), None)


def _class_names_in_tree(event: Any) -> set[str]:
    # A composed event has `events`, a sampled or repeated one has an `event`.
    parts = [*getattr(event, "events", ()), *([event.event] if hasattr(event, "event") else [])]
    return {type(event).__name__}.union(*map(_class_names_in_tree, parts))


def _guarantee_of_event(event: Any, neighbours: Neighbours) -> TradeoffFunction:
    parts = _mechanisms(event, 1, neighbours)
    if not parts:
        raise ValueError("the ledger must have an event with a mechanism, got no such event")
    return parts[0] if len(parts) == 1 else Composed(parts)


def _mechanisms(event: Any, n_runs: int, neighbours: Neighbours) -> list[TradeoffFunction]:
    """Return the mechanisms whose composition equals `n_runs` runs of an event."""
    kind = type(event).__name__
    if kind == "NoOpDpEvent":
        return []
    if kind == "ComposedDpEvent":
        parts = [part for inner in event.events for part in _mechanisms(inner, 1, neighbours)]
        return parts * _checked_n_runs(n_runs) if n_runs > 1 else parts
    if kind == "SelfComposedDpEvent":
        # The counts of repetitions inside one another multiply.
        times = checks.whole("count of an event", event.count, 0)
        return _mechanisms(event.event, n_runs * times, neighbours) if times else []
    if kind in REPEATED:
        return [REPEATED[kind](event, n_runs, neighbours)]
    if kind not in SINGLE:
        way_out = "compose it into an accountant of dp-accounting, and read the accountant"
        raise checks.fail("an event", "of a class for which dpviz has a formula", kind, way_out)
    return [SINGLE[kind](event, neighbours)] * _checked_n_runs(n_runs)


def _checked_n_runs(n_runs: int) -> int:
    """Return `n_runs`; raise ValueError if it is above `MOST_LISTED_REPETITIONS`."""
    return checks.whole("count of an event without a formula", n_runs, 1, MOST_LISTED_REPETITIONS)


def _noise_multiplier(event: Any, neighbours: Neighbours = ADDED) -> float:
    """Return an event's noise scale as a multiple of the largest contribution of one record."""
    name = f"noise_multiplier of a {type(event).__name__}"
    factor = SHIFTS[neighbours.adjacency] / neighbours.shift
    return factor * checks.real(name, event.noise_multiplier, 0)


def _gaussian(event: Any, n_runs: int, neighbours: Neighbours) -> TradeoffFunction:
    noise, adjacency = _noise_multiplier(event, neighbours), neighbours.adjacency
    if noise == 0:
        return PureDP(epsilon=np.inf, adjacency=adjacency)
    return GaussianMechanism(noise_multiplier=noise / np.sqrt(n_runs), adjacency=adjacency)


def _tree_aggregation(event: Any, n_runs: int, neighbours: Neighbours) -> TradeoffFunction:
    # A record is in as many sums as the largest tree has levels; each has independent noise.
    counts = checks.whole_numbers("step_counts of an event", event.step_counts, 1)
    levels = int(np.max(counts)).bit_length()
    return _gaussian(event, n_runs * levels, neighbours)


def _zcdp(event: Any, n_runs: int, neighbours: Neighbours) -> TradeoffFunction:
    if event.xi != 0:
        raise checks.fail("xi of a ZCDpEvent", "0", event.xi)
    return ZeroConcentratedDP(rho=n_runs * event.rho, adjacency=neighbours.adjacency)


def _subsampled(event: Any, n_runs: int, neighbours: Neighbours) -> TradeoffFunction:
    sampling: Sampling = "poisson"
    if type(event).__name__ == "PoissonSampledDpEvent":
        rate = event.sampling_probability
    else:
        of = checks.whole("source_dataset_size of an event", event.source_dataset_size, 1)
        rate = checks.whole("sample_size of an event", event.sample_size, 0, of) / of
        sampling = "fixed_size"
    # Gaussian noise on samples is DP-SGD, whose composition takes the number of runs.
    inner, adjacency = event.event, neighbours.adjacency
    if type(inner).__name__ == "GaussianDpEvent" and _noise_multiplier(inner) > 0:
        return SubsampledGaussian(
            noise_multiplier=_noise_multiplier(inner, neighbours),
            sampling_rate=rate,
            steps=n_runs,
            adjacency=adjacency,
            sampling=sampling,
        )
    # On Poisson samples, to replace a record is to remove one and to add one.
    is_removed_and_added = sampling == "poisson" and adjacency == "replace_one"
    each = ADDED if is_removed_and_added else neighbours
    base = _guarantee_of_event(inner, each)
    one = Subsampled(base=base, sampling_rate=rate, adjacency=each.adjacency)
    made = Composed([one] * _checked_n_runs(n_runs)) if n_runs > 1 else one
    return made.to_replace_one() if is_removed_and_added else made


def _laplace(event: Any, neighbours: Neighbours) -> TradeoffFunction:
    noise = _noise_multiplier(event)
    epsilon = neighbours.shift / noise if noise else np.inf
    return LaplaceMechanism(epsilon=epsilon, adjacency=neighbours.adjacency)


def _discrete_laplace(event: Any, neighbours: Neighbours) -> TradeoffFunction:
    inverse = checks.positive("noise_parameter of an event", event.noise_parameter)
    moved = checks.whole("sensitivity of an event", event.sensitivity, 1) * int(neighbours.shift)
    adjacency = neighbours.adjacency
    return DiscreteLaplaceMechanism(scale=1 / inverse, sensitivity=moved, adjacency=adjacency)


def _randomized_response(event: Any, neighbours: Neighbours) -> TradeoffFunction:
    """Return the guarantee of the randomized response that an event describes."""
    noise = checks.real("noise_parameter of an event", event.noise_parameter, 0, 1)
    buckets = checks.whole("num_buckets of an event", event.num_buckets, 1)
    adjacency = neighbours.adjacency
    if buckets == 1 or noise == 1:
        return PureDP(epsilon=0.0, adjacency=adjacency)
    true = 1 - noise + noise / buckets  # probability of the true answer
    if neighbours.has_blank:  # a blank record answers at random
        answers = [1 / buckets, 1 - 1 / buckets], [true, 1 - true]
        return DiscretePair(*answers, adjacency=adjacency).min_symmetrized()
    epsilon = float(np.log1p((1 - noise) * buckets / noise)) if noise else np.inf
    return RandomizedResponse(epsilon=epsilon, categories=buckets, adjacency=adjacency)


# Events whose repetitions have a formula, and events whose repetitions are listed.
REPEATED: dict[str, Callable[[Any, int, Neighbours], TradeoffFunction]] = {
    "GaussianDpEvent": _gaussian,
    "ZCDpEvent": _zcdp,
    "PoissonSampledDpEvent": _subsampled,
    "SampledWithoutReplacementDpEvent": _subsampled,
    "SingleEpochTreeAggregationDpEvent": _tree_aggregation,
}
SINGLE: dict[str, Callable[[Any, Neighbours], TradeoffFunction]] = {
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "NonPrivateDpEvent": lambda _, each: PureDP(epsilon=np.inf, adjacency=each.adjacency),
}
KNOWN = {"NoOpDpEvent", "ComposedDpEvent", "SelfComposedDpEvent", *REPEATED, *SINGLE}

EVENT_READER = ClaimReader(
    name="a dp-accounting event or accountant", accepts=_is_readable, read=_read_claim
)
