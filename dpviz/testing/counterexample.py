"""The choice of a set of outputs that contradicts a claim, preferably a set with a description."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpviz.audit.bounds.fixed_threshold import lower_bound_from_counts
from dpviz.checks import FloatArray
from dpviz.number_format import exact
from dpviz.testing import betting
from dpviz.testing.betting import Classifier, DominatingPair
from dpviz.testing.features import Feature, LowestSetBit, Relation
from dpviz.testing.outputs import OutputPair, Outputs
from dpviz.testing.result import Counterexample
from dpviz.theory import TradeoffFunction

SHARE_OF_BEST_GROWTH = 0.5  # of capital, from which on a set in words is preferred
FEWEST_ROWS = 8  # outputs beyond a threshold of the classifier's score
COMPARE: dict[Relation, np.ufunc]
COMPARE = {"at_least": np.greater_equal, "below": np.less, "equal": np.equal}


@dataclass(frozen=True, eq=False)
class OutputSet:
    """A set of outputs; `contains` finds them in a table, and `text` describes them if possible."""

    text: str
    contains: Callable[[Outputs], NDArray[np.bool]]

    @classmethod
    def by_code(cls, feature: Feature, relation: Relation, code: int) -> "OutputSet":
        """Return the outputs whose feature value is at least, below or equal to `code`."""
        compare = COMPARE[relation]
        return cls(feature.text(relation, code), lambda x: compare(feature.codes(x), code))

    @classmethod
    def by_score(cls, classifier: Classifier, least: float) -> "OutputSet":
        """Return the set of outputs to which a classifier gives a score of at least `least`."""
        text = f"outputs to which the classifier gives log odds ≥ {exact(least)}"
        return cls(text, lambda outputs: classifier.score(outputs) >= least)


def best_set(
    worst: DominatingPair, outputs: OutputPair, *, low_bits: bool, low_bits_only: bool
) -> OutputSet:
    """Return the set on which bets gain fastest, or a described set with half that gain or more."""
    classifier, later = betting.train_on_first_half(outputs, low_bits=low_bits)
    scores = np.concatenate([classifier.score(each) for each in later])
    edges = betting.quantile_edges(scores, FEWEST_ROWS).tolist()
    by_score = [OutputSet.by_score(classifier, edge) for edge in edges]
    features = [f for f in classifier.features if isinstance(f, LowestSetBit) or not low_bits_only]
    codes = [(feature, code) for feature in features for code in range(feature.size)]
    sets = (OutputSet.by_code(feature, how, code) for feature, code in codes for how in COMPARE)
    in_words = [each for each in sets if each.text]
    best, growth = _best_set_and_growth(worst, by_score, *later)
    simple, growth_in_words = _best_set_and_growth(worst, in_words, *later)
    return simple if growth_in_words >= SHARE_OF_BEST_GROWTH * growth else best


def counterexample(
    claim: TradeoffFunction,
    pair: str,
    output_set: OutputSet,
    earlier: OutputPair,
    later: OutputPair,
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
    """Return the set on which bets gain fastest, and the growth of log capital per draw."""
    inside = [np.array([s.contains(each).sum() for s in sets]) for each in (first, second)]
    p, q = betting.bin_probabilities(*(np.column_stack([len(first) - n, n]) for n in inside))
    b, a = worst.log_bets(p, q)
    growth: FloatArray = (p * b + q * a).sum(axis=1)
    place = int(np.argmax(growth))
    return sets[place], float(growth[place])
