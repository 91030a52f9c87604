"""The outcome of a test of a mechanism: sentences, an HTML page, the detectable epsilon.

The smallest epsilon that a test finds is estimated by simulation: noise of scale 1 is added to a
number that the second data set shifts, and a perfect classifier tells outputs apart by their value.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr

from dpviz.analysis import Analysis, Spec
from dpviz.analysis.state.json_state import fingerprint
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.topics.registry import SCENES, text_names
from dpviz.audit import AttackScores
from dpviz.number_format import lower, percent, short
from dpviz.pictures.page import SavedPicture, ScoreSource, saved_page_html
from dpviz.replace_file import replace_file
from dpviz.testing import betting
from dpviz.testing.betting import SMALLEST_BINS, Counts, DominatingPair, growing_blocks
from dpviz.testing.outputs import OutputPair
from dpviz.theory import GaussianDP, TradeoffFunction
from dpviz.theory.mechanisms.laplace import LAPLACE_NOISE
from dpviz.value_object import ValueObject

Outcome = Literal["contradicted", "not contradicted", "cannot decide"]
FLOATING_POINT = (
    "Only the low bits of the floats contradict the claim, not their values (floating point: "
    "Mironov 2012). low_bits=False tests the real-valued mechanism; noise on a grid, as in OpenDP, "
    "has no such bits."
)

# Simulation of what a test finds.
RUNS = 30  # simulated tests at each shift
ENOUGH_POWER = 0.8  # share of the simulated tests that contradict the claim
TRIED_SHIFTS = 0.02 * 2.0 ** np.arange(0, 11, 0.125)  # of the second output distribution
RAREST_BIN = 1e-12  # smallest probability of a bin
CDF_GRID = np.linspace(-40, 120, 32_001)  # where distribution functions are tabulated

# The page.
PICTURES = ("tradeoff", "scores")
CONFIDENCE = 0.95  # of the band in the pictures
EXPLANATION = (
    "A classifier is trained on half of the outputs. The pictures audit its scores on the other "
    "half. Members are outputs on the second data set, non-members are outputs on the first."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Counterexample(ValueObject):
    """A set of outputs whose counts contradict the claim.

    The counts on two data sets differ by more than the claim allows.

    Parameters
    ----------
    pair : str, name of the pair of data sets
    outputs : str, the set in words
    first_count, second_count : int, draws in the set on each data set; the set was chosen before
    draws : int, on each data set
    allowed : int, most draws in the set, on average, that the claim allows given the smaller count
    epsilon : float, lower bound on epsilon at `delta` from these counts (Clopper-Pearson)
    delta, confidence_level : float

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> found = check_mechanism(lambda data: sum(data), [([1, 2], [1])], "1.0,0")
    >>> found.counterexample.outputs, found.counterexample.first_count
    ('output = 1', 0)
    """

    pair: str
    outputs: str
    first_count: int
    second_count: int
    draws: int
    allowed: int
    epsilon: float
    delta: float
    confidence_level: float

    def __str__(self) -> str:
        at_delta = f" at δ = {short(self.delta)}" if self.delta else ""
        counts = (self.first_count, "first"), (self.second_count, "second")
        (fewer, one), (_, rest) = sorted(counts)
        return (
            f"Counterexample ({self.pair}): {self.outputs}\n"
            f"  first data set:  {self.first_count} of {self.draws} draws\n"
            f"  second data set: {self.second_count} of {self.draws} draws\n"
            f"  With {fewer} on the {one}, the claim allows at most {self.allowed} on the {rest}.\n"
            f"  These counts certify ε ≥ {short(lower(self.epsilon))}{at_delta} "
            f"({percent(self.confidence_level)} confidence)."
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MechanismTest(ValueObject):
    """The result of a test of a mechanism by `check_mechanism`.

    The outcome "not contradicted" does not confirm the claim. A test has no truth value
    (TypeError): compare its `outcome`.

    Parameters
    ----------
    claim : TradeoffFunction
    outcome : {"contradicted", "not contradicted", "cannot decide"}
        A true claim is "contradicted" with probability at most ``1 - confidence_level`` in all.
        "cannot decide": this many draws would not do so even if outputs named their data set.
    n_resamples : int, outputs drawn of each data set, without those that the counterexample counts
    pairs : tuple of str, names of the pairs of data sets
    confidence_level : float
    delta : float, at which epsilons are stated
    capital : float
        What a stake of 1 against the claim has become; ``1 / (1 - confidence_level)`` contradicts.
    counterexample : Counterexample or None
    low_bits_only : bool, whether the low bits of floats contradict the claim and values do not
    seed : int or None, seed of the generator that the mechanism was given; None if it takes none

    Examples
    --------
    >>> from dpviz.testing import check_mechanism
    >>> def mean(data, rng):
    ...     return round(sum(data) / 10 + rng.laplace(scale=0.1), 6)
    >>> found = check_mechanism(mean, [([1] * 10, [1] * 9 + [0])], "1.0,0", n_resamples=1000)
    >>> print(found)
    The claim DP ε = 1, δ = 0 is not contradicted after 1000 draws on each data set ...
    """

    claim: TradeoffFunction
    outcome: Outcome
    n_resamples: int
    pairs: tuple[str, ...]
    confidence_level: float
    delta: float
    capital: float
    counterexample: Counterexample | None
    low_bits_only: bool
    seed: int | None

    def __bool__(self) -> bool:
        way_out = 'compare its outcome, as in: assert test.outcome == "not contradicted", test'
        raise TypeError(f"a MechanismTest is neither true nor false; {way_out}")

    @cached_property
    def fewest_draws(self) -> float:
        """The fewest draws per data set with which the largest leak contradicts the claim."""
        capital = len(self.pairs) / (1 - self.confidence_level)
        return betting.fewest_draws(DominatingPair.of(self.claim), capital)

    @cached_property
    def detectable(self) -> float:
        """The smallest true epsilon detected by 80 % of simulated tests of `n_resamples` draws.

        Simulated with Laplace noise (if `delta` is 0) or Gaussian noise on one pair of data sets.
        """
        level = (1 - self.confidence_level) / len(self.pairs)
        return detectable_epsilon(self.claim, draws=self.n_resamples, delta=self.delta, level=level)

    @property
    def headline(self) -> str:
        """The outcome in one sentence."""
        decided = "contradicted" if self.outcome == "contradicted" else "not contradicted"
        return (
            f"The claim {short_name(self.claim)} is {decided} after {self.n_resamples} draws on "
            f"each data set ({percent(self.confidence_level)} confidence)."
        )

    @property
    def power(self) -> str:
        """A sentence on the smallest epsilon that 80 % of simulated tests detect."""
        noise = "Gaussian" if self.delta else "Laplace"
        at_delta = f" at δ = {short(self.delta)}" if self.delta else ""
        found = "would have been found with 80 % probability (simulated)."
        return f"{noise} noise with ε = {short(self.detectable)}{at_delta} {found}"

    def __str__(self) -> str:
        if self.counterexample is not None:
            why = [FLOATING_POINT] if self.low_bits_only else []
            return "\n".join([self.headline, str(self.counterexample), *why])
        if self.outcome == "cannot decide":
            few = f"no leak contradicts the claim with fewer than n_resamples={self.fewest_draws}"
            return f"{self.headline} These few draws cannot decide: {few}."
        return f"{self.headline} That does not confirm it. {self.power}"


def save_page(
    path: str | Path, test: MechanismTest, pair: str, outputs: OutputPair, *, low_bits: bool
) -> None:
    """Write an HTML page about a test, with pictures that compare the outputs of a pair."""
    classifier, later = betting.train_on_first_half(outputs, low_bits=low_bits)
    first, second = map(classifier.score, later)
    scores = AttackScores(member=second, nonmember=first)
    chosen: dict[str, Any] = {"claim": test.claim}
    if "delta" not in test.claim.parameters:
        chosen["delta"] = test.delta
    analysis = Analysis(scores)
    result = analysis.result(
        Spec.of(**chosen, confidence_level=CONFIDENCE, sampling="independent_trainings")
    )
    pictures = []
    for name in PICTURES:
        scene = SCENES[name]
        sentences = [result.sentences.get(each, "") for each in text_names(scene)]
        pictures.append(SavedPicture(scene, result, name, [text for text in sentences if text]))
    origin = ScoreSource(source=f"draws of a mechanism ({pair})", sha256=fingerprint(scores))
    headline = [*str(test).splitlines(), EXPLANATION]
    page = saved_page_html(result, pictures, origin=origin, headline=headline)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, page.encode())


@cache
def detectable_epsilon(claim: TradeoffFunction, *, draws: int, delta: float, level: float) -> float:
    """Return the least epsilon that 80 % of simulated tests at error rate `level` detect."""
    pair, is_laplace = DominatingPair.of(claim), delta == 0
    for shift in TRIED_SHIFTS.tolist():  # in ascending order
        if simulated_power(pair, shift, draws, level, is_laplace=is_laplace) >= ENOUGH_POWER:
            return shift if is_laplace else GaussianDP(mu=shift).epsilon(delta)
    return np.inf


def simulated_power(
    pair: DominatingPair, shift: float, draws: int, level: float, *, is_laplace: bool
) -> float:
    """Return the share of simulated tests at error rate `level` that contradict the claim."""
    # The output is noise, plus `shift` on the second data set.
    cdf = LAPLACE_NOISE.cdf if is_laplace else ndtr
    cdfs = [cdf(CDF_GRID - by) for by in (0.0, shift)]
    # Bins at quantiles of both distributions' mean: a half, a quarter, ... from either end.
    tails = 0.5 ** np.arange(1, _number_of_halvings(draws, min(SMALLEST_BINS)) + 1)
    at = np.interp(np.unique([tails, 1 - tails]), (cdfs[0] + cdfs[1]) / 2, CDF_GRID)
    below = [np.interp(at, CDF_GRID, values) for values in cdfs]
    p, q = (np.maximum(np.diff(x, prepend=0, append=1), RAREST_BIN) for x in below)
    # Not even bets by the true probabilities would gain enough.
    b, a = pair.log_bets(p, q)
    if draws * float(p @ b + q @ a) < -np.log(level):
        return 0.0
    rng = np.random.default_rng(0)
    last = [end for _, end in growing_blocks(draws)]
    ends = sorted({0, *last, *(end // 2 for end in last)})
    sizes = np.diff(ends)[:, None]
    # Counts in the bins up to each end or half of a block, shape (ends, runs, bins).
    upto = []
    for masses in (p, q):
        drawn = rng.multinomial(sizes, masses / masses.sum(), (sizes.size, RUNS)).cumsum(axis=0)
        upto.append(np.concatenate([np.zeros_like(drawn[:1]), drawn]))
    # Bets by the second half of earlier draws, as `PairBetting` makes them.
    logs = np.zeros((len(SMALLEST_BINS), RUNS))  # of the capitals
    reached = np.zeros(RUNS, bool)
    for begin, end in growing_blocks(draws):
        if not begin:
            continue
        half, now, then = (ends.index(at) for at in (begin // 2, begin, end))
        for way, smallest in enumerate(SMALLEST_BINS):
            n_side = _number_of_halvings(2 * (begin - begin // 2), smallest)
            past = [_pool_tails(counts[now] - counts[half], n_side) for counts in upto]
            b, a = pair.log_bets(*betting.bin_probabilities(*past))
            first, second = (_pool_tails(counts[then] - counts[now], n_side) for counts in upto)
            logs[way] += (first * b + second * a).sum(axis=1)
        reached |= np.exp(np.minimum(logs, betting.LARGEST_LOG)).mean(axis=0) >= 1 / level
    return float(reached.mean())


def _number_of_halvings(size: int, smallest: int) -> int:
    """Return how often `size` can be halved without falling below `smallest`, or 1 if never."""
    return max((size // smallest).bit_length() - 1, 1)


def _pool_tails(counts: Counts, kept_per_side: int) -> Counts:
    """Merge the outermost columns of counts until `kept_per_side` columns per side remain."""
    beyond = counts.shape[1] // 2 - kept_per_side
    inner = counts[:, beyond : counts.shape[1] - beyond].copy()
    inner[:, 0] += counts[:, :beyond].sum(axis=1)
    inner[:, -1] += counts[:, counts.shape[1] - beyond :].sum(axis=1)
    return inner
