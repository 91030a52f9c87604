"""`check_mechanism`: a test of a privacy claim on the code of a mechanism."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.checks import Rng
from dpviz.claims.read import read_guarantee
from dpviz.testing.betting import DominatingPair, PairBetting, fewest_draws, growing_blocks
from dpviz.testing.counterexample import best_set, counterexample
from dpviz.testing.outputs import OutputPair, OutputSampler, constant_output_text
from dpviz.testing.result import MechanismTest, Outcome, save_page

Pair = tuple[Any, Any]
Pairs = Iterable[Pair] | Mapping[str, Pair]
COUNTEREXAMPLE_DRAWS = 2000  # that count a counterexample, unless `n_resamples` is less
DEFAULT_DELTA = 1e-5  # for epsilons where the claim has no delta of its own


def check_mechanism(
    mechanism: Callable[..., Any],
    neighbours: Pairs,
    claim: Any,
    *,
    n_resamples: int = 10_000,
    confidence_level: float = 0.999,
    features: Callable[[Any], Any] | None = None,
    low_bits: bool = True,
    batched: bool = False,
    delta: float | None = None,
    rng: Rng = 0,
    progress: bool = False,
    page: str | Path | None = None,
) -> MechanismTest:
    """Return a test of whether the outputs of a mechanism contradict its privacy claim.

    The test draws outputs on both data sets of each pair, in growing blocks. After each block a
    classifier learns from the earlier outputs on which data set an output was made, and a capital
    is bet against the claim on the next block. If the claim is true for all pairs and the draws are
    independent, the capital ever reaches ``1 / (1 - confidence_level)`` with probability at most
    ``1 - confidence_level``; so the test may stop as soon as it does, and test any number of pairs.

    Parameters
    ----------
    mechanism : callable
        ``mechanism(data)`` returns one output, independent of others: a number, an array, a text,
        None, or lists, tuples, dicts of these. A parameter `rng` is given a NumPy generator.
    neighbours : list of pairs, or dict of pairs by name
        Pairs ``(data, neighbour)`` for which the claim should hold, in both directions.
    claim : trade-off function, or what `dpviz.read_claim` reads; its adjacency is that of the pairs
    n_resamples : int, at least 64; the most outputs drawn of each data set
    confidence_level : float, in [0.5, 1); by default at most one in 1000 correct mechanisms fails
    features : callable, optional, of one output: what the test looks at in its place
    low_bits : bool
        Whether to look at the low bits of floats, too (Mironov, 2012). Most mechanisms that add
        `numpy.random` noise and do not round the sum fail that. A claim that values contradict
        within `n_resamples` is reported by values, whatever the low bits show.
    batched : bool, ``mechanism(data, size)`` returns `size` outputs at once
    delta : float in [0, 1], optional, for epsilons; left out, that of the claim, or 1e-5
    rng : int or Generator, which seeds the generator that the mechanism is given
    progress : bool, show a bar
    page : str or path, optional, HTML file with an audit of the classifier's scores

    Raises
    ------
    ValueError, if an argument is out of range, the claim allows every mechanism, or all outputs are
        the same, such as None where a ``return`` is missing: that would show nothing

    References
    ----------
    Ville, "Étude critique de la notion de collectif" (1939); Grünwald, de Heide and Koolen, "Safe
    testing" (2024); Dong, Roth and Su, "Gaussian differential privacy" (2022), theorem 2.10.

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> def mean(data, rng):  # forgets that a record may change the sum by 2, not 1
    ...     return round(sum(data) + rng.laplace(), 6)
    >>> print(check_mechanism(mean, {"one voter": ([1, 1, -1], [1, 1, 1])}, "1.0,0"))
    The claim DP ε = 1, δ = 0 is contradicted after 546 draws on each data set (99.9 % confidence).
    Counterexample (one voter): output ≥ 1.491
      first data set:  586 of 2000 draws
      second data set: 1771 of 2000 draws
      With 586 on the first, the claim allows at most 1479 on the second.
      These counts certify ε ≥ 1.57 (99.9 % confidence).
    """
    from tqdm import tqdm  # slow to import, and needed only here

    guarantee = read_guarantee("claim", claim)
    if guarantee.tpr(0.0) >= 1:
        raise checks.fail("claim", "one that forbids the perfect attack (FPR 0, FNR 0)", claim)
    pairs = _named_pairs(neighbours)
    draws, seed = checks.whole("n_resamples", n_resamples, 64), checks.seed(rng)
    level = checks.confidence_level(confidence_level)
    # Epsilons are stated at the claim's own delta, or at 0 if its epsilon there is finite.
    own_delta = guarantee.parameters.get("delta", 0.0 if guarantee.epsilon(0.0) < np.inf else None)
    at_delta = DEFAULT_DELTA if own_delta is None else own_delta
    at_delta = checks.real("delta", at_delta if delta is None else delta, 0, 1)
    sampler = OutputSampler(mechanism, features, is_batched=batched, seed=seed)
    worst, enough = DominatingPair.of(guarantee), 1 / (1 - level)
    bets = {name: PairBetting(worst, low_bits=low_bits) for name in pairs}
    # Bet on block after block of all pairs, until their mean capital contradicts the claim.
    drawn, capital, by_low_bits = 0, 1.0, None
    # A bar that is disabled leaves a thread, too.
    with tqdm(total=draws, unit="draw") if progress else nullcontext() as bar:
        for begin, end in growing_blocks(draws):
            for name, pair in pairs.items():
                bets[name].bet_on(*sampler.draw(pair, end - begin))
            drawn, capital = end, _mean_capital(bets)
            if bar is not None:
                bar.set_postfix_str(f"capital {capital:.3g}", refresh=False)
                bar.update(end - begin)
            if capital >= enough and any(each.looks_at_low_bits for each in bets.values()):
                # Values may contradict the claim, too, which is worse: from here on they alone
                # are looked at. Either capital keeps to the level by itself.
                by_low_bits = bets, drawn, capital
                bets = {name: each.ignoring_low_bits() for name, each in bets.items()}
                capital = _mean_capital(bets)
            if capital >= enough:
                break
    low_bits_only = by_low_bits is not None and capital < enough
    if by_low_bits is not None and low_bits_only:
        bets, drawn, capital = by_low_bits
    contradicted = capital >= enough
    if not contradicted:
        _refuse_constant_outputs([each.outputs() for each in bets.values()], drawn)
    # A set of outputs that shows why, counted in draws that were not used to choose it.
    name = max(bets, key=lambda each: bets[each].capital)
    earlier, low_bits, counts = bets[name].outputs(), bets[name].low_bits, None
    stated = {"delta": at_delta, "confidence_level": level}
    if contradicted:
        outputs = best_set(worst, earlier, low_bits=low_bits, low_bits_only=low_bits_only)
        later = sampler.draw(pairs[name], min(max(drawn, COUNTEREXAMPLE_DRAWS), draws))
        counts = counterexample(guarantee, name, outputs, earlier, later, **stated)
    is_decidable = drawn >= fewest_draws(worst, len(pairs) * enough)
    undecided: Outcome = "not contradicted" if is_decidable else "cannot decide"
    test = MechanismTest(
        claim=guarantee,
        outcome="contradicted" if contradicted else undecided,
        n_resamples=drawn,
        pairs=tuple(pairs),
        capital=capital,
        counterexample=counts,
        low_bits_only=low_bits_only,
        seed=seed if sampler.takes_rng else None,
        **stated,
    )
    if page is not None:
        save_page(page, test, name, earlier, low_bits=low_bits)
    return test


def _mean_capital(bets: Mapping[str, PairBetting]) -> float:
    return sum(each.capital for each in bets.values()) / len(bets)


def _refuse_constant_outputs(pairs: Iterable[OutputPair], draws: int) -> None:
    """Raise ValueError if all outputs on each pair are equal; such a test shows nothing."""
    outputs = [constant_output_text(tables) for tables in pairs]
    if all(outputs):
        got = f"got {outputs[0]} in each of {draws} draws"
        if outputs[0] == "None":
            raise ValueError(f"mechanism must return its output, {got}: is a return missing?")
        raise ValueError(f"mechanism must return outputs that differ between draws, {got}")


def _named_pairs(neighbours: Any) -> dict[str, Pair]:
    """Return pairs of data sets by name; the pairs of a list are named by their numbers."""
    if isinstance(neighbours, Mapping):
        named = dict(neighbours)
    elif isinstance(neighbours, Iterable) and not isinstance(neighbours, tuple | str):
        named = {f"pair {i}": pair for i, pair in enumerate(neighbours)}
    else:
        raise checks.fail("neighbours", "a list or dict of pairs (data, neighbour)", neighbours)
    if not named:
        raise checks.fail("neighbours", "at least one pair", neighbours)
    for pair in named.values():
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            raise checks.fail("neighbours", "pairs (data, neighbour)", pair)
    return {str(name): (pair[0], pair[1]) for name, pair in named.items()}
