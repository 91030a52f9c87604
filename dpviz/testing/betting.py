"""Betting on outputs against a claim; the capital rarely gets large if the claim is true.

**Statement.** A pair of output distributions (P, Q) that obeys the claim gives outputs x and y,
independent of each other and of the past. Outputs fall into finitely many bins. If

    ``sum over bins of P(bin) b(bin) + Q(bin) a(bin) <= 2``

for every pair (P, Q) that the claim allows, then a capital multiplied by ``b(bin of x)
a(bin of y)`` has at most its old value in expectation.

Proof: the expectation of the factor is the product of two sums, ``B = sum P b`` and
``A = sum Q a``, because x and y are independent; and ``A B <= ((A + B) / 2)^2 <= 1``.

So a capital that starts at 1 and is bet so, with bins and factors chosen from earlier outputs
only, is a nonnegative supermartingale: it ever reaches 1 / level with probability at most `level`
(Ville, 1939), whenever one looks and stops. The average of several such capitals has the property,
too: of several ways to bet, and of several pairs of data sets.

**What the claim allows.** The pairs (P, Q) with a trade-off curve nowhere below f are those that a
randomized function makes of one dominating pair, whose curve is f (Blackwell, 1953; Dong, Roth and
Su, 2022, theorem 2.10). If its outputs are finitely many with masses p and q, the largest sum
is ``sum over outputs of max over bins of p b + q a``: each goes to the bin that pays most. It is
computed exactly for whatever factors, and they are divided by half of it.

**Which factors.** Let (P1, Q1) be bin probabilities estimated from earlier outputs. The capital
grows fastest with ``b = P1 / P0, a = Q1 / Q0``, where (P0, Q0) is the pair allowed by the claim
with the smallest Kullback-Leibler divergence from (P1, Q1) (the reverse information projection:
Grünwald, de Heide and Koolen, 2024): a mixture of the dominating pair's masses, approached by EM.

**How outputs are told apart.** One half of the earlier outputs trains a classifier: gradient
boosting of the logistic loss by small trees on binned features (Friedman, 2001), with Newton steps
in the leaves. Splits are found from sums over the values of a feature. Bins are intervals of the
classifier's scores; the other half of the outputs gives the bins' probabilities on both data sets.
The next outputs are drawn after the bets on them were chosen.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.testing.features import Codes, LowestSetBit, features_of
from dpviz.testing.outputs import OutputPair, Outputs, joined_tables
from dpviz.theory import TradeoffFunction

Counts = NDArray[np.intp]

# Bets.
EM_STEPS = 100  # of the EM algorithm; more gain little, and the factors are valid after any number
MOST_ATOMS = 100  # most outputs of a dominating pair that is used unchanged
N_SUPPORTING_LINES = 65  # supporting lines of a curve that has more pieces

# Boosted trees.
N_TREES = 30
TREE_LEVELS = 3  # of splits in a tree
LEARNING_RATE = 0.3
LEAF_PENALTY = 1.0  # on the square of a leaf's value

# Bins of scores.
SMALLEST_BINS = (4, 16)  # outputs in the smallest bins, for two ways to bet
MOST_ROWS = 3000  # latest outputs of each data set that a classifier learns from
PRIOR_OUTPUTS = 2.0  # outputs per bin that count as equally probable on both data sets

# Blocks of draws.
FIRST_DRAWS = 32  # draws before the first bet
BLOCK_GROWTH = 1.5  # of the draws, from the end of one block to the end of the next
MOST_DRAWS = 10**12  # beyond which nobody draws
LARGEST_LOG = 500.0  # capital beyond e^500 counts as e^500, which keeps a supermartingale


@dataclass(frozen=True, eq=False)
class DominatingPair:
    """The two output distributions that a claim allows and that are easiest to tell apart."""

    p: FloatArray
    q: FloatArray

    @classmethod
    def of(cls, claim: TradeoffFunction) -> "DominatingPair":
        """Return the dominating pair of a claim that holds for both orders of the data sets."""
        claim = claim.min_symmetrized()
        atoms = claim.atoms()
        if atoms is not None and atoms.p.size <= MOST_ATOMS:
            return cls(atoms.p, atoms.q)
        # A curve of more pieces is replaced by supporting lines, which lie below it, so the claim
        # implies what is tested: at losses up to `reach`, beyond which delta hardly falls.
        end = claim.delta(100.0)
        doubled = 2.0 ** np.arange(-6, 7, 0.25)
        reach = next(loss for loss in doubled if claim.delta(loss) <= end + 1e-6)
        losses = np.linspace(-reach, reach, N_SUPPORTING_LINES)
        height, slope = 1 - claim.delta(losses), np.exp(losses)
        # Neighbouring lines cross at the corners of the largest curve below all of them.
        fpr = np.diff(height) / np.diff(slope)
        fpr = np.concatenate([[0.0], fpr[::-1], [height[0] / slope[0], 1.0]])
        fpr = np.clip(np.maximum.accumulate(fpr), 0, 1)
        fnr = np.maximum((height - np.multiply.outer(fpr, slope)).max(axis=1), 0.0)
        # The pieces between the corners are the outputs of the pair.
        p, q = np.append(0.0, np.diff(fpr)), np.append(1 - fnr[0], -np.diff(fnr))
        kept = (p > 0) | (q > 0)
        return cls(p[kept], np.maximum(q[kept], 0.0))

    def log_bets(self, p: FloatArray, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return log factors of the capital in each bin; `p` and `q` estimate bin probabilities."""
        # An output in a bin multiplies the capital by b on the first data set, by a on the second.
        # `p` and `q`, shape (..., bins), are the estimated probabilities of the bins there.
        # EM algorithm: the pair that the claim allows, as shares of this pair's outputs in
        # the bins, with the smallest divergence from the expected one. The bets are the ratios.
        shares = np.repeat(((p + q) / 2)[..., None, :], self.p.size, axis=-2)
        for step in range(EM_STEPS + 1):
            b, a = p / (self.p @ shares), q / (self.q @ shares)
            paid = self.p[:, None] * b[..., None, :] + self.q[:, None] * a[..., None, :]
            if step < EM_STEPS:
                shares *= paid
                shares /= shares.sum(axis=-1, keepdims=True)
        # No pair that the claim allows gains by these factors, after any number of steps.
        most = np.log(paid.max(axis=-1).sum(axis=-1, keepdims=True) / 2)
        log_b, log_a = np.log(b) - most, np.log(a) - most
        # Without expected growth nothing is bet: all factors are 1.
        grows = (p * log_b + q * log_a).sum(axis=-1, keepdims=True) > 0
        return log_b * grows, log_a * grows


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree: from node i, values below the split go to child 2 i, others to 2 i + 1."""

    features: list[NDArray[np.intp]]
    splits: list[NDArray[np.intp]]
    values: FloatArray

    def value(self, codes: Codes) -> FloatArray:
        """Return for each row of feature values the value of the leaf that the row reaches."""
        node, rows = np.zeros(len(codes), np.intp), np.arange(len(codes))
        for features, splits in zip(self.features, self.splits, strict=True):
            node = 2 * node + (codes[rows, features[node]] >= splits[node])
        return np.asarray(self.values[node])


def boosted_trees(codes: Codes, is_second: NDArray[np.bool]) -> list[Tree]:
    """Return trees whose sum estimates the log odds that an output is from the second data set."""
    trees: list[Tree] = []
    log_odds = np.zeros(len(codes))
    for _ in range(N_TREES):
        # A tree fits residuals and curvature of the logistic loss at the present log odds.
        chance = expit(log_odds)
        trees.append(_fitted_tree(codes, is_second - chance, chance * (1 - chance)))
        log_odds += trees[-1].value(codes)
    return trees


def _fitted_tree(codes: Codes, gradient: FloatArray, curvature: FloatArray) -> Tree:
    """Fit a tree to a loss, given the negative gradient and the curvature at each row."""
    rows, n_features = codes.shape
    bins = int(codes.max()) + 2
    node = np.zeros(rows, np.intp)
    # The place of each value in a node's histograms, which stand one after another.
    place = np.arange(n_features) * bins + codes
    all_features, all_splits = [], []
    for level in range(TREE_LEVELS):
        nodes = 2**level
        # Histograms of both derivatives over the values of each feature in each node.
        at = (place + (node * n_features * bins)[:, None]).ravel()
        shape = (nodes, n_features, bins)
        weights = [np.repeat(values, n_features) for values in (gradient, curvature)]
        sums = [np.bincount(at, each, math.prod(shape)).reshape(shape) for each in weights]
        # Left of a split at value v are the values below v.
        left = [np.cumsum(each, axis=2) - each for each in sums]
        total = [each.sum(axis=2, keepdims=True) for each in sums]
        gain = _newton_gain(*left) + _newton_gain(total[0] - left[0], total[1] - left[1])
        best = gain.reshape(nodes, -1).argmax(axis=1)
        features, splits = np.divmod(best, bins)
        all_features.append(features)
        all_splits.append(splits)
        node = 2 * node + (codes[np.arange(rows), features[node]] >= splits[node])
    leaf_sums = [np.bincount(node, values, 2**TREE_LEVELS) for values in (gradient, curvature)]
    values = LEARNING_RATE * leaf_sums[0] / (leaf_sums[1] + LEAF_PENALTY)
    return Tree(all_features, all_splits, values)


def _newton_gain(gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    """Return twice the amount by which one Newton step decreases the loss of a node."""
    return np.asarray(gradient**2 / (curvature + LEAF_PENALTY))


class Classifier:
    """A classifier of outputs: a high score means that an output is from the second data set."""

    def __init__(self, first: Outputs, second: Outputs, *, low_bits: bool) -> None:
        outputs = joined_tables([each.rows(slice(-MOST_ROWS, None)) for each in (first, second)])
        is_second = np.arange(len(outputs)) >= len(outputs) // 2
        self.features = features_of(outputs, is_second, low_bits=low_bits)
        self._trees = boosted_trees(self._feature_codes(outputs), is_second)

    def score(self, outputs: Outputs) -> FloatArray:
        """Return the rounded log odds that each output is from the second data set."""
        codes = self._feature_codes(outputs)
        log_odds = np.zeros(len(codes))
        for tree in self._trees:
            log_odds += tree.value(codes)
        return np.round(log_odds, 9)

    def _feature_codes(self, outputs: Outputs) -> NDArray[np.uint8]:
        return np.column_stack([feature.codes(outputs) for feature in self.features])


def train_on_first_half(outputs: OutputPair, *, low_bits: bool) -> tuple[Classifier, OutputPair]:
    """Return a classifier trained on the first half of the outputs, and the second half."""
    half = len(outputs[0]) // 2
    classifier = Classifier(*(each.rows(slice(half)) for each in outputs), low_bits=low_bits)
    first, second = (each.rows(slice(half, None)) for each in outputs)
    return classifier, (first, second)


def quantile_edges(scores: FloatArray, fewest_scores: int) -> FloatArray:
    """Return quantiles 1/2, 1/4, 3/4, ... that have at least `fewest_scores` on either side."""
    size = scores.size
    halvings = size // 2 ** np.arange(1, max(size, 2).bit_length())
    ranks = halvings[halvings >= fewest_scores]
    return np.unique(np.sort(scores)[np.concatenate([ranks, size - ranks])])


def counts_between(edges: FloatArray, scores: FloatArray) -> Counts:
    """Return the numbers of scores below the first edge, between edges, and above the last."""
    bins = np.searchsorted(edges, scores, side="right")
    return np.bincount(bins, minlength=edges.size + 1)


def bin_probabilities(first: Counts, second: Counts) -> tuple[FloatArray, FloatArray]:
    """Estimate the bin probabilities on both data sets, shrunk towards the pooled estimates."""
    both = first + second + 1.0
    # The prior has `PRIOR_OUTPUTS` a bin, spread as the outputs of both data sets together.
    prior = PRIOR_OUTPUTS * both.shape[-1] * both / both.sum(axis=-1, keepdims=True)
    p, q = (counts + prior for counts in (first, second))
    return p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)


def growing_blocks(draws: int) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of growing blocks of draws; bets change only between blocks."""
    begin, end = 0, min(FIRST_DRAWS, draws)
    while begin < end:
        yield begin, end
        begin, end = end, min(int(end * BLOCK_GROWTH), draws)


def fewest_draws(worst: DominatingPair, capital: float) -> float:
    """Return the number of draws needed to reach `capital` if each output reveals its data set."""
    # Fewer draws do not contradict the claim, but by chance: no leak is larger.
    log_capital = 0.0
    for begin, end in growing_blocks(MOST_DRAWS):
        known = begin - begin // 2  # outputs of each data set that give the bins' probabilities
        p, q = bin_probabilities(np.array([0, known, 0]), np.array([0, 0, known]))
        b, a = worst.log_bets(p, q)
        growth = float(b[1] + a[2]) if begin else 0.0
        if log_capital + growth * (end - begin) >= math.log(capital):
            return begin + math.ceil((math.log(capital) - log_capital) / growth)
        log_capital += growth * (end - begin)
    return math.inf


class PairBetting:
    """Bets against a claim on one pair of data sets; each of several strategies has a capital."""

    def __init__(self, worst: DominatingPair, *, low_bits: bool) -> None:
        self._worst, self.low_bits = worst, low_bits
        self._first: list[Outputs] = []
        self._second: list[Outputs] = []
        self._logs = np.zeros(len(SMALLEST_BINS))  # of the capitals
        self._classifier: Classifier | None = None
        self._bets: list[tuple[FloatArray, FloatArray, FloatArray]] = []

    @property
    def capital(self) -> float:
        """The mean capital of the strategies, each of which started with 1."""
        return float(np.exp(np.minimum(self._logs, LARGEST_LOG)).mean())

    @property
    def looks_at_low_bits(self) -> bool:
        """Whether the present classifier has a feature of the low bits of floats."""
        now = self._classifier
        return now is not None and any(isinstance(f, LowestSetBit) for f in now.features)

    def ignoring_low_bits(self) -> "PairBetting":
        """Repeat the bets on the same outputs without the low bits of floats."""
        bets = PairBetting(self._worst, low_bits=False)
        for outputs in zip(self._first, self._second, strict=True):
            bets.bet_on(*outputs)
        return bets

    def outputs(self) -> OutputPair:
        """Return all outputs so far on the first data set, and on the second."""
        return joined_tables(self._first), joined_tables(self._second)

    def bet_on(self, first: Outputs, second: Outputs) -> None:
        """Bet on new outputs, equally many on both data sets; then choose the next bets."""
        # Nothing is bet on the first block, from which no classifier has learned yet.
        if self._classifier is not None:
            scores = [self._classifier.score(outputs) for outputs in (first, second)]
            for i, (edges, b, a) in enumerate(self._bets):
                counts = [counts_between(edges, each) for each in scores]
                self._logs[i] += counts[0] @ b + counts[1] @ a
        self._first.append(first)
        self._second.append(second)
        self._classifier, later = train_on_first_half(self.outputs(), low_bits=self.low_bits)
        scores = [self._classifier.score(outputs) for outputs in later]
        self._bets = []
        for smallest in SMALLEST_BINS:
            edges = quantile_edges(np.concatenate(scores), smallest)
            p, q = bin_probabilities(*(counts_between(edges, each) for each in scores))
            self._bets.append((edges, *self._worst.log_bets(p, q)))
