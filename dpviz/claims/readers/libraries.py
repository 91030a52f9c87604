"""Readers of objects and texts of other libraries; the libraries are never imported."""

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.claims.claim import Claim, ClaimReader, adjacency_of_word
from dpviz.number_format import upper
from dpviz.theory import Composed, Stated, SubsampledGaussian, TradeoffFunction, ZeroConcentratedDP
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP, pair_attaining_statements
from dpviz.theory.polyline import largest_height_above_neighbours
from dpviz.theory.tradeoff import Adjacency


def _composition_of_runs(
    listed: str, runs: Any, rule: str, make: Callable[..., TradeoffFunction], names: tuple[str, ...]
) -> TradeoffFunction:
    """Return the composition of the mechanisms that `make` builds, one from each run."""
    if not runs:
        raise ValueError(f"the accountant must have at least one step, got an empty {listed}")
    if any(not isinstance(run, tuple | list) or len(run) != len(names) for run in runs):
        raise checks.fail(f"the accountant's {listed}", rule, runs)
    parts = [make(**dict(zip(names, run, strict=True))) for run in runs]
    return parts[0] if len(parts) == 1 else Composed(parts)


# Opacus: an accountant, or the engine that has one.

GDP_NOTE = 'the "gdp" accountant uses a central limit theorem; this curve is computed without it'

SAMPLER_NOTE = (
    "the history does not say how batches were drawn: Poisson samples are assumed; if they were "
    'shuffled (poisson_sampling=False), less is guaranteed (sampling="shuffled"{epsilon})'
)
DELTA = 1e-5  # at which epsilons are said in a note


def _sampler_note(guarantee: TradeoffFunction) -> str:
    """Return the sampler that is assumed, and what the other one would guarantee."""
    if not isinstance(guarantee, SubsampledGaussian):  # several runs, perhaps of one epoch
        return SAMPLER_NOTE.format(epsilon="")
    shuffled = guarantee.with_parameters(sampling="shuffled").epsilon(DELTA)
    return SAMPLER_NOTE.format(epsilon=f": epsilon {upper(shuffled)} at delta {DELTA:g}")


def _opacus_accountant(source: Any) -> Any:
    """Return the Opacus accountant: `source` or `source.accountant`; None if neither is one."""
    for part in (source, getattr(source, "accountant", None)):
        if isinstance(getattr(part, "history", None), list) and hasattr(part, "mechanism"):
            return part
    return None


def _read_opacus(source: Any) -> Claim:
    accountant = _opacus_accountant(source)
    rule = "a list of runs (noise multiplier, sample rate, steps)"
    names = ("noise_multiplier", "sampling_rate", "steps")
    guarantee = _composition_of_runs("history", accountant.history, rule, SubsampledGaussian, names)
    mechanism = accountant.mechanism()
    origin = f"the history of {type(accountant).__name__} ({mechanism})"
    notes = (*([GDP_NOTE] if mechanism == "gdp" else []), _sampler_note(guarantee))
    return Claim(guarantee=guarantee, source=origin, states_adjacency=True, notes=notes)


OPACUS_READER = ClaimReader(
    name="an Opacus accountant or PrivacyEngine",
    accepts=lambda source: _opacus_accountant(source) is not None,
    read=_read_opacus,
)

# diffprivlib's accountant, and tmlt's budgets of epsilon, delta and rho.


def _is_diffprivlib_accountant(source: Any) -> bool:
    return hasattr(source, "spent_budget") and callable(getattr(source, "total", None))


def _is_tmlt_budget(source: Any) -> bool:
    name = type(source).__name__
    return name.endswith("Budget") and any(hasattr(source, number) for number in ("rho", "epsilon"))


def _read_diffprivlib_or_tmlt(source: Any) -> Claim:
    kind = type(source).__name__
    if not _is_diffprivlib_accountant(source):
        budget = _guarantee_of_tmlt_budget(source)
        return Claim(guarantee=budget, source=f"the {kind}", states_adjacency=False)
    spent, pairs, names = list(source.spent_budget), "pairs (epsilon, delta)", ("epsilon", "delta")
    guarantee = _composition_of_runs("spent_budget", spent, pairs, ApproximateDP, names)
    origin = f"the budgets that a {kind} has spent, {len(spent)} in all"
    notes = ("the exact composition of these budgets; the slack of the accountant is not needed",)
    return Claim(guarantee=guarantee, source=origin, states_adjacency=False, notes=notes)


def _guarantee_of_tmlt_budget(source: Any) -> TradeoffFunction:
    if hasattr(source, "rho"):
        return ZeroConcentratedDP(rho=_to_float("rho", source.rho))
    epsilon = _to_float("epsilon", source.epsilon)
    if hasattr(source, "delta"):
        return ApproximateDP(epsilon=epsilon, delta=_to_float("delta", source.delta))
    return PureDP(epsilon=epsilon)


def _to_float(name: str, value: Any) -> float:
    """Return the parameter `name` of a privacy budget as a float."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise checks.fail(f"{name} of the budget", "a number", value) from None


BUDGET_READER = ClaimReader(
    name="a diffprivlib accountant or a tmlt budget",
    accepts=lambda source: _is_diffprivlib_accountant(source) or _is_tmlt_budget(source),
    read=_read_diffprivlib_or_tmlt,
)

# TensorFlow Privacy: the statement that compute_dp_sgd_privacy_statement prints.

NUMBER_RE = r"([0-9.]+(?:e[+-]?[0-9]+)?|inf)"
DELTA_RE = re.compile(rf"\b(\w+)-level DP with ([\w-]+) adjacency at delta = {NUMBER_RE}", re.I)
EPOCHS_RE = re.compile(rf"Epsilon with each example occurring once per epoch:\s+{NUMBER_RE}", re.I)
POISSON_RE = re.compile(rf"Epsilon assuming Poisson sampling[^:]{{0,40}}:\s+{NUMBER_RE}", re.I)


def _read_tensorflow_statement(text: str) -> Claim:
    words = " ".join(text.split())
    stated, ordered = DELTA_RE.search(words), EPOCHS_RE.search(words)
    if stated is None:
        rule = 'a text with "...-level DP with ... adjacency at delta = ..."'
        raise checks.fail("the statement", rule, text)
    if ordered is None:
        rule = 'a text with "Epsilon with each example occurring once per epoch: ..."'
        raise checks.fail("the statement", rule, text)
    level, relation, delta = stated.groups()
    adjacency = adjacency_of_word(relation, "adjacency of the statement")
    # The claim is for records in any order; that of Poisson sampling is a note.
    epsilon, sampled = ordered.group(1), POISSON_RE.search(words)
    notes = [f"{level.lower()}-level; records in any order, each once per epoch"]
    if sampled is not None:
        notes.append(
            f"with Poisson sampling, which training seldom does, epsilon is {sampled.group(1)}: "
            f'read_claim(({sampled.group(1)}, {delta}), adjacency="{adjacency}")'
        )
    guarantee = ApproximateDP(epsilon=float(epsilon), delta=float(delta), adjacency=adjacency)
    origin = "a statement of TensorFlow Privacy"
    return Claim(guarantee=guarantee, source=origin, states_adjacency=True, notes=tuple(notes))


TENSORFLOW_READER = ClaimReader(
    name="a statement of TensorFlow Privacy",
    accepts=lambda source: isinstance(source, str) and "DP-SGD performed over" in source,
    read=_read_tensorflow_statement,
)

# Privacy profiles (delta as a function of epsilon), approximated by many pairs (epsilon, delta).

# All epsilons at which a profile may be evaluated.
EPSILONS = np.concatenate([np.linspace(0, 12, 1201), np.geomspace(12, 700, 801)[1:]])

FIRST_PAIRS = 65  # pairs before the first refinement
SMALLEST_CUT = 2e-5  # TPR that a new pair has to cut off for refinements beside it
REFINEMENT_ROUNDS = 4  # in which pairs are added between the first ones
SMALLEST_DELTA = 1e-12  # delta at which the profile ends
PROFILE_TOLERANCE = (1e-9, 1e-5)  # absolute, relative: rounding errors of other libraries
Profile = Callable[[FloatArray], FloatArray]
Indices = NDArray[np.intp]


def guarantee_of_profile(profile: Profile, *, name: str, rounds: int = REFINEMENT_ROUNDS) -> Stated:
    """Return the guarantee implied by points of a profile; each of `rounds` rounds adds points."""

    def deltas_at(indices: Indices) -> FloatArray:
        return checks.reals(f"delta of {name}", profile(EPSILONS[indices]), 0, 1)

    end = EPSILONS[_index_of_profile_end(deltas_at)]
    chosen = np.unique(np.searchsorted(EPSILONS, np.linspace(0.0, end, FIRST_PAIRS)))
    delta, active = deltas_at(chosen), np.arange(len(chosen) - 1)
    # In each round, pairs in the middle of the intervals beside the pairs that were added.
    for _ in range(rounds):
        between = (chosen[active] + chosen[active + 1]) // 2
        active, between = active[between > chosen[active]], between[between > chosen[active]]
        if not active.size:
            break
        new = deltas_at(between)
        cut = _decrease_of_tpr_bound(EPSILONS[chosen], delta, active, EPSILONS[between], new)
        is_worth = np.concatenate([np.zeros(len(chosen), dtype=bool), cut > SMALLEST_CUT])
        chosen, delta = np.append(chosen, between), np.append(delta, new)
        order = np.argsort(chosen)
        chosen, delta, is_worth = chosen[order], delta[order], is_worth[order]
        # The next intervals: on both sides of each pair that cut off enough.
        indices = np.flatnonzero(is_worth)
        active = np.union1d(indices, indices - 1)
    _reject_impossible_profile(EPSILONS[chosen], delta, name)
    return _guarantee_of_pairs(EPSILONS[chosen], delta)


def _guarantee_of_pairs(epsilon: FloatArray, delta: FloatArray) -> Stated:
    """Return the guarantee that several points (epsilon, delta) of one profile imply."""
    pair = pair_attaining_statements(epsilon, delta)
    missed = largest_height_above_neighbours(pair.fpr, pair.tpr)
    return Stated(np.column_stack([epsilon, delta]), error=min(1.0, missed))


def _index_of_profile_end(deltas_at: Callable[[Indices], FloatArray]) -> int:
    """Return an index of `EPSILONS` from which on delta is constant or negligible."""
    last = np.inf
    # Each epsilon is 1.5 times the one before.
    for epsilon in 1.5 ** np.arange(17):
        index = int(np.searchsorted(EPSILONS, epsilon))
        delta = float(deltas_at(np.array([index]))[0])
        if delta <= SMALLEST_DELTA or (delta == last and epsilon > 8):
            return index
        last = delta
    return len(EPSILONS) - 1


def _decrease_of_tpr_bound(
    epsilon: FloatArray, delta: FloatArray, left: Indices, new_epsilon: FloatArray, new: FloatArray
) -> FloatArray:
    """Return how much each new (epsilon, delta) lowers the TPR bound at a corner of the bound."""
    step = np.exp(-epsilon[left + 1]) / -np.expm1(epsilon[left] - epsilon[left + 1])
    x = np.clip((delta[left] - delta[left + 1]) * step, 0.0, 1.0)
    corner = np.minimum(1.0, delta[left] + np.exp(epsilon[left]) * x)  # the TPR there
    return np.asarray(corner - (new + np.exp(new_epsilon) * x))


def _reject_impossible_profile(epsilon: FloatArray, delta: FloatArray, name: str) -> None:
    """Raise ValueError about `name` if delta rises with epsilon or is not convex in e^epsilon."""
    absolute, relative = PROFILE_TOLERANCE
    rises = np.flatnonzero(np.diff(delta) > absolute + relative * delta[:-1])
    if rises.size:
        got = f"an increase over epsilon in {epsilon[rises[0] : rises[0] + 2].tolist()}"
        raise checks.fail(f"delta of {name}", "nonincreasing in epsilon", got)
    # The chord between the neighbours of each pair, straight in e^epsilon.
    step, width = epsilon[2:] - epsilon[1:-1], epsilon[2:] - epsilon[:-2]
    share = np.expm1(-step) / np.expm1(-width)
    chord = share * delta[:-2] + (1 - share) * delta[2:]
    above = np.flatnonzero(delta[1:-1] > chord + absolute + relative * delta[1:-1])
    if above.size:
        got = f"a value above its chord at epsilon = {float(epsilon[above[0] + 1])}"
        raise checks.fail(f"delta of {name}", "convex in e^epsilon", got)


# The methods from epsilon to delta in dp-accounting and OpenDP, and what has such a method.
METHODS = {"get_delta_for_epsilon": "a privacy-loss distribution", "delta": "a privacy profile"}
SUM_TOLERANCE = 1e-9  # relative difference between two sums of the same numbers


def _name_of_epsilon_to_delta_method(source: Any) -> str:
    """Return the name of the method of `source` that computes delta; "" if there is none."""
    has_inverse = hasattr(source, "epsilon") or hasattr(source, "get_epsilon_for_delta")
    names = [name for name in METHODS if callable(getattr(source, name, None))]
    return names[0] if names and has_inverse else ""


def _read_profile(source: Any) -> Claim:
    name = _name_of_epsilon_to_delta_method(source)
    delta = getattr(source, name)
    known = _deltas_of_privacy_loss(source) if name == "get_delta_for_epsilon" else None

    def profile(epsilon: FloatArray) -> FloatArray:
        if known is not None:
            return known[np.searchsorted(EPSILONS, epsilon)]
        return checks.numeric(f"delta of {METHODS[name]}", [delta(e) for e in epsilon.tolist()])

    # Losses of dp-accounting are those of adding or removing a record, unless they were made for
    # another relation. Only for sampled data do those of adding and of removing differ.
    is_sampled = getattr(source, "_symmetric", True) is False
    guarantee = guarantee_of_profile(profile, name=METHODS[name])
    if known is not None:
        guarantee = guarantee.with_parameters(adjacency="add_remove")
    origin = f"{METHODS[name]}, {type(source).__name__}.{name}"
    return Claim(guarantee=guarantee, source=origin, states_adjacency=is_sampled)


def _deltas_of_privacy_loss(pld: Any) -> FloatArray:
    """Return delta of a dp-accounting privacy-loss distribution at each epsilon of `EPSILONS`."""
    # dp-accounting loops over hundreds of thousands of losses in Python. The sums are computed here
    # if the losses are arrays and if both ways give the same delta at epsilon 0.
    try:
        deltas = np.maximum(_deltas_of_loss_pmf(pld._pmf_remove), _deltas_of_loss_pmf(pld._pmf_add))
        at_zero = float(pld.get_delta_for_epsilon(0.0))
        if abs(deltas[0] - at_zero) <= SUM_TOLERANCE * at_zero:
            return np.asarray(deltas)
    except (AttributeError, TypeError):  # of another kind, or of another version
        pass
    return np.asarray(pld.get_delta_for_epsilon(EPSILONS.tolist()), dtype=np.float64)


def _deltas_of_loss_pmf(pmf: Any) -> FloatArray:
    """Return delta = E[max(0, 1 - e^(epsilon - L))] at `EPSILONS` for the PMF of privacy loss L."""
    loss = (pmf._lower_loss + np.arange(len(pmf._probs))) * pmf._discretization
    first = np.searchsorted(loss, 0.0)
    loss, mass = loss[first:], np.asarray(pmf._probs, dtype=np.float64)[first:]
    # Sums from the largest loss down, so that small tail probabilities are added first.
    both = mass, mass * np.exp(-loss)
    mass_above, scaled_above = (np.append(np.cumsum(x[::-1])[::-1], 0.0) for x in both)
    at = np.searchsorted(loss, EPSILONS)
    # Over all losses above epsilon: their mass, less e^epsilon times the sum of p e^-loss.
    beyond = mass_above[at] - np.exp(EPSILONS) * scaled_above[at]
    return np.asarray(np.clip(beyond + pmf._infinity_mass, 0.0, 1.0))


PROFILE_READER = ClaimReader(
    name="a privacy-loss distribution or profile",
    accepts=lambda source: bool(_name_of_epsilon_to_delta_method(source)),
    read=_read_profile,
)

# OpenDP: measurements, by their input metric, output measure and privacy map.

OPENDP_PARTS = ("input_metric", "output_measure", "map")
# Metrics on data sets; a distance of 1 is one record.
METRICS: dict[str, Adjacency] = {
    "SymmetricDistance": "add_remove",
    "InsertDeleteDistance": "add_remove",
    "ChangeOneDistance": "replace_one",
    "HammingDistance": "replace_one",
}


def _read_opendp(source: Any) -> Claim:
    measure, metric = str(source.output_measure), str(source.input_metric).partition("(")[0]
    make = MEASURES[checks.choice("the measurement's output_measure", measure, MEASURES)]
    guarantee, adjacency = make(source.map(1)), METRICS.get(metric)
    of_query = f"for answers at a distance of 1 in {source.input_metric}, not for a record"
    return Claim(
        guarantee=guarantee.with_parameters(adjacency=adjacency) if adjacency else guarantee,
        source=f"an OpenDP measurement, {measure}",
        states_adjacency=adjacency is not None,
        notes=() if adjacency else (of_query,),
    )


MEASURES: dict[str, Callable[[Any], TradeoffFunction]] = {
    "MaxDivergence": lambda epsilon: PureDP(epsilon=epsilon),
    "ZeroConcentratedDivergence": lambda rho: ZeroConcentratedDP(rho=rho),
    "Approximate(MaxDivergence)": lambda pair: ApproximateDP(epsilon=pair[0], delta=pair[1]),
    "SmoothedMaxDivergence": lambda profile: PROFILE_READER.read(profile).guarantee,
}

OPENDP_READER = ClaimReader(
    name="an OpenDP measurement",
    accepts=lambda source: all(hasattr(source, name) for name in OPENDP_PARTS),
    read=_read_opendp,
)

# prv_accountant: an interval for delta at each epsilon, which gives a lower and an upper curve.


def _read_prv_accountant(source: Any) -> Claim:
    steps = [checks.whole("steps of the accountant", n, 0) for n in source.max_self_compositions]
    if not any(steps):
        raise ValueError(f"max_self_compositions must have an entry above 0, got {steps}")
    interval_at = _delta_interval_of(source, steps)

    @cache
    def delta_interval(epsilon: float) -> tuple[float, float]:
        ends = checks.numeric("the interval of delta", interval_at(epsilon))
        if not ends[0] <= ends[1]:
            raise checks.fail("the interval of delta", "in ascending order", ends.tolist())
        low, high = np.clip(ends, 0.0, 1.0).tolist()
        return low, high

    def profile_of_interval_end(index: int) -> Profile:
        return lambda epsilon: np.array([delta_interval(e)[index] for e in epsilon.tolist()])

    safe = guarantee_of_profile(profile_of_interval_end(1), name="the upper end", rounds=1)
    epsilon = np.array([epsilon for epsilon, _ in safe.statements])
    upper = _guarantee_of_pairs(epsilon, profile_of_interval_end(0)(epsilon))
    # The largest distance of the two curves. Between its pairs, the upper curve lies below the
    # highest possible curve.
    x = np.union1d(safe.knots[:, 0], upper.knots[:, 0])
    width = float(np.max(upper.beta(x) - safe.beta(x), initial=0.0))
    # Its noise is relative to what one record adds. Only its mechanisms on Poisson samples are for
    # no other neighbours.
    error = min(1.0, width + upper.error)
    return Claim(
        guarantee=safe.with_parameters(error=error, adjacency="add_remove"),
        source=f"prv_accountant's interval after {steps} steps",
        states_adjacency=any("Poisson" in type(prv).__name__ for prv in source.prvs),
        upper=upper.with_parameters(adjacency="add_remove"),
        notes=(f"the ends of the interval are at most {width:.1g} apart",),
    )


def _delta_interval_of(source: Any, n_runs: list[int]) -> Callable[[float], tuple[float, float]]:
    """Return a function from epsilon to delta's bounds after n_runs[i] runs of each mechanism i."""
    # `compute_delta` composes anew at each epsilon; its parts let one composition serve all.
    needed = ("compute_composition", "eps_error", "delta_error")
    if not all(hasattr(source, name) for name in needed):
        return lambda epsilon: source.compute_delta(epsilon, n_runs)[::2]  # without the estimate
    estimate = source.compute_composition(n_runs).compute_delta_estimate
    aside, above = source.eps_error, source.delta_error
    return lambda epsilon: (estimate(epsilon + aside) - above, estimate(epsilon - aside) + above)


PRV_READER = ClaimReader(
    name="a prv_accountant accountant",
    accepts=lambda of: callable(getattr(of, "compute_delta", None)) and hasattr(of, "prvs"),
    read=_read_prv_accountant,
)
