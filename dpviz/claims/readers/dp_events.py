"""Readers of dp-accounting: trees of DpEvents, and accountants whose ledger is such a tree."""

from collections.abc import Callable
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.claims.claim import Claim, ClaimReader
from dpviz.theory import Composed, GaussianMechanism, LaplaceMechanism, PureDP, RandomizedResponse
from dpviz.theory.mechanisms.renyi import ZeroConcentratedDP
from dpviz.theory.mechanisms.subsampled import Subsampled
from dpviz.theory.mechanisms.subsampled_gaussian import SubsampledGaussian
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction

MOST_LISTED_REPETITIONS = 10_000  # of an event whose composition has no closed formula
RELATIONS: dict[str, Adjacency] = {
    "ADD_OR_REMOVE_ONE": "add_remove",
    "REPLACE_ONE": "replace_one",
    "REPLACE_SPECIAL": "add_remove",
}
# The kind of sampling implies which data sets are neighbours.
SAMPLINGS: dict[str, Adjacency] = {
    "PoissonSampledDpEvent": "add_remove",
    "SampledWithoutReplacementDpEvent": "replace_one",
}
# Guarantees whose numbers hold for any change of one record, and are not relative to a sum.
ABOUT_A_RECORD = (PureDP, RandomizedResponse, ZeroConcentratedDP)
TWICE_NOTE = "noise is relative to what one record adds; a replacement moves a sum by twice that"
BLANK_NOTE = "REPLACE_SPECIAL: a record is replaced by a blank one, read as added or removed"


def _is_event_or_accountant(source: Any) -> bool:
    has_ledger = _is_event(getattr(source, "ledger", None)) and _neighbouring_relation(source) != ""
    return _is_event(source) or has_ledger


def _read(source: Any) -> Claim:
    name = f"dp-accounting {type(source).__name__}"
    if _is_event(source):
        origin = f"a {name}"
        if _adjacency_of_sampling(source) == "replace_one":
            fixed = _guarantee(source, "replace_one")
            return Claim(guarantee=fixed, source=origin, states_adjacency=True)
        guarantee, replaced = _guarantee(source, "add_remove"), _guarantee_if_replaced(source)
        return Claim(guarantee=guarantee, source=origin, states_adjacency=False, replaced=replaced)
    relation, event = _neighbouring_relation(source), source.ledger
    stated = RELATIONS[checks.choice("the accountant's neighboring_relation", relation, RELATIONS)]
    # The noise is relative to what one record adds for PLDAccountant, to a replacement for others.
    is_doubled = stated == "replace_one" and hasattr(source, "_pld")
    sampled = _adjacency_of_sampling(event)
    if sampled is not None and sampled != ("add_remove" if is_doubled else stated):
        rule = f"of the accountant's adjacency, {stated}"
        raise checks.fail("the ledger's sampling", rule, f"one for {sampled}")
    notes = (BLANK_NOTE,) if relation == "REPLACE_SPECIAL" else (TWICE_NOTE,) if is_doubled else ()
    guarantee = _guarantee_if_replaced(event) if is_doubled else _guarantee(event, stated)
    origin = f"the ledger of a {name}"
    return Claim(guarantee=guarantee, source=origin, states_adjacency=True, notes=notes)


def _is_event(source: Any) -> bool:
    return type(source).__name__.endswith("DpEvent")


def _neighbouring_relation(accountant: Any) -> str:
    return str(getattr(getattr(accountant, "neighboring_relation", None), "name", ""))


def _adjacency_of_sampling(event: Any) -> Adjacency | None:
    """Return the adjacency that the sampling in an event implies; None if nothing is sampled."""
    adjacencies = {SAMPLINGS[name] for name in _class_names_in_tree(event) if name in SAMPLINGS}
    if len(adjacencies) > 1:
        raise checks.fail("the ledger", "of one adjacency", sorted(adjacencies))
    return next(iter(adjacencies), None)


def _class_names_in_tree(event: Any) -> set[str]:
    # A composed event has `events`, a sampled or repeated one has an `event`.
    parts = [*getattr(event, "events", ()), *([event.event] if hasattr(event, "event") else [])]
    return {type(event).__name__}.union(*map(_class_names_in_tree, parts))


def _guarantee(event: Any, adjacency: Adjacency) -> TradeoffFunction:
    return _composition(_mechanisms(event, 1, adjacency))


def _guarantee_if_replaced(event: Any) -> TradeoffFunction:
    """Return the guarantee when a record is replaced, which moves a sum by twice what it adds."""
    return _composition(
        [
            part.with_parameters(adjacency="replace_one")
            if isinstance(part, ABOUT_A_RECORD)
            else part.to_replace_one()
            for part in _mechanisms(event, 1, "add_remove")
        ]
    )


def _composition(parts: list[TradeoffFunction]) -> TradeoffFunction:
    if not parts:
        raise ValueError("the ledger must have events that see data, got none: no step was taken")
    return parts[0] if len(parts) == 1 else Composed(parts)


def _mechanisms(event: Any, n_runs: int, adjacency: Adjacency) -> list[TradeoffFunction]:
    """Return the mechanisms whose composition is an event run `n_runs` times."""
    kind = type(event).__name__
    if kind == "NoOpDpEvent":
        return []
    if kind == "ComposedDpEvent":
        parts = [part for inner in event.events for part in _mechanisms(inner, 1, adjacency)]
        return parts * _checked_n_runs(n_runs) if n_runs > 1 else parts
    if kind == "SelfComposedDpEvent":
        # The counts of repetitions inside one another multiply.
        times = checks.whole("count of an event", event.count, 0)
        return _mechanisms(event.event, n_runs * times, adjacency) if times else []
    if kind in REPEATED:
        return [REPEATED[kind](event, n_runs, adjacency)]
    if kind not in SINGLE:
        known = ", ".join([*SINGLE, *REPEATED])
        raise checks.fail("an event", f"one of {known} (or read the accountant's PLD)", kind)
    return [SINGLE[kind](event, adjacency)] * _checked_n_runs(n_runs)


def _checked_n_runs(n_runs: int) -> int:
    """Return `n_runs`; ValueError if they are too many to list a mechanism once per run."""
    return checks.whole("count of an event without a formula", n_runs, 1, MOST_LISTED_REPETITIONS)


def _gaussian(event: Any, n_runs: int, adjacency: Adjacency) -> TradeoffFunction:
    noise = _noise_multiplier(event)
    if noise == 0:
        return PureDP(epsilon=np.inf, adjacency=adjacency)
    return GaussianMechanism(noise_multiplier=noise / np.sqrt(n_runs), adjacency=adjacency)


def _noise_multiplier(event: Any) -> float:
    return checks.real(f"noise_multiplier of a {type(event).__name__}", event.noise_multiplier, 0)


def _zcdp(event: Any, n_runs: int, adjacency: Adjacency) -> TradeoffFunction:
    if event.xi != 0:
        raise checks.fail("xi of a ZCDpEvent", "0", event.xi)
    return ZeroConcentratedDP(rho=n_runs * event.rho, adjacency=adjacency)


def _poisson_sampling(event: Any, n_runs: int, adjacency: Adjacency) -> TradeoffFunction:
    return _subsampled(event.event, event.sampling_probability, n_runs, adjacency)


def _fixed_size_sampling(event: Any, n_runs: int, adjacency: Adjacency) -> TradeoffFunction:
    of = checks.whole("source_dataset_size of an event", event.source_dataset_size, 1)
    rate = checks.whole("sample_size of an event", event.sample_size, 0, of) / of
    return _subsampled(event.event, rate, n_runs, adjacency)


def _subsampled(event: Any, rate: float, n_runs: int, adjacency: Adjacency) -> TradeoffFunction:
    # Gaussian noise on samples is DP-SGD, whose composition takes the number of runs.
    if type(event).__name__ == "GaussianDpEvent" and _noise_multiplier(event) > 0:
        noise = event.noise_multiplier
        return SubsampledGaussian(
            noise_multiplier=noise, sampling_rate=rate, steps=n_runs, adjacency=adjacency
        )
    one = Subsampled(base=_guarantee(event, adjacency), sampling_rate=rate, adjacency=adjacency)
    return Composed([one] * _checked_n_runs(n_runs)) if n_runs > 1 else one


def _laplace(event: Any, adjacency: Adjacency) -> TradeoffFunction:
    noise = _noise_multiplier(event)
    return LaplaceMechanism(epsilon=1 / noise if noise else np.inf, adjacency=adjacency)


def _randomized_response(event: Any, adjacency: Adjacency) -> TradeoffFunction:
    """Return the randomized response whose answer is random with probability `noise_parameter`."""
    noise = checks.real("noise_parameter of an event", event.noise_parameter, 0, 1)
    buckets = checks.whole("num_buckets of an event", event.num_buckets, 1)
    if buckets == 1 or noise == 1:
        return PureDP(epsilon=0.0, adjacency=adjacency)
    # The true answer has probability 1 - noise + noise / buckets, any other noise / buckets.
    epsilon = float(np.log1p((1 - noise) * buckets / noise)) if noise else np.inf
    return RandomizedResponse(epsilon=epsilon, categories=buckets, adjacency=adjacency)


# Events whose repetitions have a formula, and events whose repetitions are listed.
REPEATED: dict[str, Callable[[Any, int, Adjacency], TradeoffFunction]] = {
    "GaussianDpEvent": _gaussian,
    "ZCDpEvent": _zcdp,
    "PoissonSampledDpEvent": _poisson_sampling,
    "SampledWithoutReplacementDpEvent": _fixed_size_sampling,
}
SINGLE: dict[str, Callable[[Any, Adjacency], TradeoffFunction]] = {
    "LaplaceDpEvent": _laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "NonPrivateDpEvent": lambda _, adjacency: PureDP(epsilon=np.inf, adjacency=adjacency),
}

EVENT_READER = ClaimReader(
    name="a dp-accounting event or accountant", accepts=_is_event_or_accountant, read=_read
)
