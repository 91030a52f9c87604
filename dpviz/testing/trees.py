"""A classifier for outputs: boosted trees on binned features.

Gradient boosting of the logistic loss by small trees (Friedman, 2001), with Newton steps in the
leaves; splits are found from sums over the values of a feature.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpviz.checks import FloatArray
from dpviz.testing.features import Codes

ROUNDS = 30
LEVELS = 3  # of splits in a tree
RATE = 0.3
PENALTY = 1.0  # on the square of a leaf's value


@dataclass(frozen=True, eq=False)
class Tree:
    """Splits by level; node i has the children 2 i (values below the split) and 2 i + 1."""

    features: list[NDArray[np.intp]]
    splits: list[NDArray[np.intp]]
    values: FloatArray

    def leaves(self, codes: Codes) -> NDArray[np.intp]:
        """The leaf of each row."""
        node, rows = np.zeros(len(codes), np.intp), np.arange(len(codes))
        for features, splits in zip(self.features, self.splits, strict=True):
            node = 2 * node + (codes[rows, features[node]] >= splits[node])
        return node


class BoostedTrees:
    """Log odds that an output is one of the second data set."""

    def __init__(self, codes: Codes, is_second: NDArray[np.bool]) -> None:
        target = is_second.astype(np.float64)
        self.trees: list[Tree] = []
        log_odds = np.zeros(len(codes))
        for _ in range(ROUNDS):
            chance = expit(log_odds)
            tree = _grown(codes, target - chance, chance * (1 - chance))
            log_odds += tree.values[tree.leaves(codes)]
            self.trees.append(tree)

    def log_odds(self, codes: Codes) -> FloatArray:
        """Scores of outputs: the larger, the more they look like the second data set's."""
        found = np.zeros(len(codes))
        for tree in self.trees:
            found += tree.values[tree.leaves(codes)]
        return found


def _grown(codes: Codes, gradient: FloatArray, curvature: FloatArray) -> Tree:
    rows, n_features = codes.shape
    bins = int(codes.max()) + 2
    node = np.zeros(rows, np.intp)
    place = np.arange(n_features) * bins + codes  # of each cell in a node's histogram
    all_features, all_splits = [], []
    for level in range(LEVELS):
        nodes = 2**level
        at = (place + (node * n_features * bins)[:, None]).ravel()
        shape = (nodes, n_features, bins)
        size = nodes * n_features * bins
        sums = [
            np.bincount(at, np.repeat(values, n_features), size).reshape(shape)
            for values in (gradient, curvature)
        ]
        # Left of a split at value v are the values below v.
        left = [np.cumsum(each, axis=2) - each for each in sums]
        total = [each.sum(axis=2, keepdims=True) for each in sums]
        gain = _gain(*left) + _gain(total[0] - left[0], total[1] - left[1])
        best = gain.reshape(nodes, -1).argmax(axis=1)
        features, splits = np.divmod(best, bins)
        all_features.append(features)
        all_splits.append(splits)
        node = 2 * node + (codes[np.arange(rows), features[node]] >= splits[node])
    leaf_sums = [np.bincount(node, values, 2**LEVELS) for values in (gradient, curvature)]
    values = RATE * leaf_sums[0] / (leaf_sums[1] + PENALTY)
    return Tree(all_features, all_splits, values)


def _gain(gradient: FloatArray, curvature: FloatArray) -> FloatArray:
    return np.asarray(gradient**2 / (curvature + PENALTY))
