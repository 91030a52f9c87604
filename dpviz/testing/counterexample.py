"""A set of outputs that shows why a claim is contradicted, in words if possible."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.bounds.fixed_threshold import lower_bound_from_counts
from dpviz.checks import FloatArray
from dpviz.number_format import exact
from dpviz.testing.betting import Classifier, DominatingPair, ScoreBins, bin_probabilities
from dpviz.testing.features import Feature, LastBit, Relation
from dpviz.testing.outputs import Outputs
from dpviz.testing.result import Counterexample
from dpviz.theory import TradeoffFunction

SHARE_OF_BEST_GROWTH = 0.5  # of capital, from which on a set in words is preferred
FEWEST_ROWS = 8  # outputs beyond a threshold of the classifier's score


@dataclass(frozen=True, eq=False)
class SetByFeature:
    """The outputs for which a feature has a value >=, < or = `code`; `relation` says which."""

    feature: Feature
    relation: Relation
    code: int

    @property
    def text(self) -> str:
        """The set in words, or "" if no words describe it."""
        return self.feature.text(self.relation, self.code)

    def contains(self, outputs: Outputs) -> NDArray[np.bool]:
        """Whether each output is in the set."""
        compare = {"at_least": np.greater_equal, "below": np.less, "equal": np.equal}
        return np.asarray(compare[self.relation](self.feature.codes(outputs), self.code))


@dataclass(frozen=True, eq=False)
class SetByScore:
    """The outputs to which a classifier gives a score of at least `threshold`."""

    classifier: Classifier
    threshold: float

    @property
    def text(self) -> str:
        """The set in words, which refer to the classifier."""
        return f"outputs to which the classifier gives log odds ≥ {exact(self.threshold)}"

    def contains(self, outputs: Outputs) -> NDArray[np.bool]:
        """Whether each output is in the set."""
        return np.asarray(self.classifier.score(outputs) >= self.threshold)


OutputSet = SetByFeature | SetByScore


def best_set(
    worst: DominatingPair,
    first: Outputs,
    second: Outputs,
    *,
    low_bits: bool,
    low_bits_only: bool = False,
) -> OutputSet:
    """Return the set on which bets gain fastest, or a describable set that gains half as fast."""
    # One half trains a classifier, the other half says how fast capital would grow.
    half = len(first) // 2
    classifier = Classifier(first.rows(slice(half)), second.rows(slice(half)), low_bits=low_bits)
    later = first.rows(slice(half, None)), second.rows(slice(half, None))
    scores = np.concatenate([classifier.score(outputs) for outputs in later])
    by_score = [SetByScore(classifier, x) for x in ScoreBins.of(scores, FEWEST_ROWS).edges.tolist()]
    features = [f for f in classifier.features if isinstance(f, LastBit) or not low_bits_only]
    codes = [(feature, code) for feature in features for code in range(feature.size)]
    sets = (SetByFeature(feature, by, code) for feature, code in codes for by in get_args(Relation))
    in_words = [outputs for outputs in sets if outputs.text]
    best, growth = _best_set_and_growth(worst, by_score, *later)
    simple, growth_in_words = _best_set_and_growth(worst, in_words, *later)
    # A set in words is preferred unless the other one makes capital grow much faster.
    return simple if growth_in_words >= SHARE_OF_BEST_GROWTH * growth else best


def counterexample(
    claim: TradeoffFunction,
    pair: str,
    output_set: OutputSet,
    earlier: tuple[Outputs, Outputs],
    later: tuple[Outputs, Outputs],
    *,
    delta: float,
    confidence_level: float,
) -> Counterexample:
    """Return a `Counterexample` with counts of `output_set` in the `later` outputs."""
    before, inside = ([int(output_set.contains(x).sum()) for x in two] for two in (earlier, later))
    draws = len(later[0])
    # Earlier outputs decide the direction: counts that chose it would be biased.
    rare, common = inside if before[0] < before[1] else inside[::-1]
    # The data set with fewer outputs inside has the non-members: these are false positives.
    bound = lower_bound_from_counts(
        false_positives=rare,
        n_nonmembers=draws,
        false_negatives=draws - common,
        n_members=draws,
        delta=delta,
        confidence_level=confidence_level,
    )
    return Counterexample(
        pair=pair,
        outputs=output_set.text,
        first_count=inside[0],
        second_count=inside[1],
        draws=draws,
        allowed=int(claim.min_symmetrized().tpr(rare / draws) * draws),
        epsilon=bound.low,
        delta=delta,
        confidence_level=confidence_level,
    )


def _best_set_and_growth(
    worst: DominatingPair, sets: Sequence[OutputSet], first: Outputs, second: Outputs
) -> tuple[OutputSet, float]:
    """Return the one of `sets` on which bets gain fastest, and its growth of log capital a draw."""
    inside = [np.array([s.contains(each).sum() for s in sets]) for each in (first, second)]
    p, q = bin_probabilities(*(np.column_stack([len(first) - n, n]) for n in inside))
    b, a = worst.log_bets(p, q)
    growth: FloatArray = (p * b + q * a).sum(axis=1)
    place = int(np.argmax(growth))
    return sets[place], float(growth[place])
