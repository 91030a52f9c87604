"""A classifier that detects members by their features: a penalised logistic regression.

Its columns are the features and their squares, so that it sees shifts of means and of spreads. Both
classes have the same weight. Infrequent values cannot dominate: standardised features are clipped.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz.checks import FloatArray

RIDGE = 1e-2  # penalty of standardised coefficients, per record
STEPS = 25  # of Newton's method, at most
CLIP = 10.0  # standard deviations
ROWS_AT_ONCE = 20_000  # that are scored together, which limits memory


@dataclass(frozen=True, kw_only=True, eq=False)
class Classifier:
    """A function of features that is high for records like the members it was fitted to."""

    centre: FloatArray
    scale: FloatArray
    coefficients: FloatArray

    def scores(self, rows: FloatArray) -> FloatArray:
        """Return a score for each row."""
        starts = range(0, len(rows), ROWS_AT_ONCE)
        parts = (rows[start : start + ROWS_AT_ONCE] for start in starts)
        found = [_columns(part, self.centre, self.scale) @ self.coefficients for part in parts]
        return np.concatenate(found) if found else np.empty(0)


def fit_classifier(member: FloatArray, nonmember: FloatArray) -> Classifier:
    """Return the classifier that these rows of features give."""
    rows = np.concatenate([member, nonmember])
    labels = (np.arange(len(rows)) < len(member)).astype(float)
    centre, spread = rows.mean(axis=0), rows.std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    coefficients = _logistic_coefficients(_columns(rows, centre, scale), labels)
    return Classifier(centre=centre, scale=scale, coefficients=coefficients)


def _columns(rows: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Return regression columns: 1, standardised features clipped to +-10, and their squares."""
    z = np.clip((rows - centre) / scale, -CLIP, CLIP)
    return np.column_stack([np.ones(len(z)), z, z * z])


def _logistic_coefficients(columns: FloatArray, labels: FloatArray) -> FloatArray:
    """Return coefficients of a ridge-penalised logistic regression with equal class weights."""
    weight = np.where(labels > 0, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    penalty = RIDGE * len(labels) * np.eye(columns.shape[1])
    penalty[0, 0] = 0.0  # not the intercept
    coefficients = np.zeros(columns.shape[1])
    # Newton's method on the penalised likelihood.
    for _ in range(STEPS):
        expected = expit(columns @ coefficients)
        slope = columns.T @ (weight * (labels - expected)) - penalty @ coefficients
        curvature = (columns.T * (weight * expected * (1 - expected))) @ columns + penalty
        step = np.linalg.solve(curvature, slope)
        coefficients += step
        if np.abs(step).max() < 1e-6:
            break
    return coefficients
