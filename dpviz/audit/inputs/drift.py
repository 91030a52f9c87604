"""Drift: whether a classifier tells members from non-members without any attack."""

import numpy as np
from scipy.special import expit, ndtr

from dpviz.audit.inputs.finding import Finding, Inputs
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.mann_whitney import auc
from dpviz.checks import FloatArray

LEVEL = 0.01  # of the test
MOST_RECORDS = 20_000  # of each class
FEWEST = 10  # records of a class that can be split
RIDGE = 1e-2  # penalty of standardised coefficients, per record
STEPS = 25  # of Newton's method, at most


def drift(inputs: Inputs) -> list[Finding]:
    """A classifier two-sample test (Lopez-Paz and Oquab, 2017) on the covariates.

    A logistic regression on the covariates and their squares learns on one half of the records; on
    the other half, its area under the curve is tested against 1/2.
    """
    if inputs.covariates is None or min(map(len, inputs.covariates)) < FEWEST:
        return []
    rng = np.random.default_rng(inputs.seed)
    member, nonmember = (
        rows[rng.permutation(len(rows))[:MOST_RECORDS]] for rows in inputs.covariates
    )
    train = _stacked(member[::2], nonmember[::2])
    centre, spread = train[0].mean(axis=0), train[0].std(axis=0)
    scale = np.where(spread > 0, spread, 1.0)
    weights = _logistic(_features(train[0], centre, scale), train[1])
    of_member, of_nonmember = (
        _features(rows[1::2], centre, scale) @ weights for rows in (member, nonmember)
    )
    area = auc(AttackScores(member=of_member, nonmember=of_nonmember))
    p_value = area_p_value(area, of_member.size, of_nonmember.size)
    is_notable = p_value < LEVEL
    reached = auc(inputs.scores)
    if is_notable:
        text = (
            "Covariates alone tell members from non-members: a classifier that never saw the model "
            f"reaches an AUC of {area:.3f} on fresh records (p = {p_value:.2g}), this attack "
            f"{reached:.3f}. The sets differ in more than membership: its FPR and "
            "FNR, its PPV, Epsilon* and the ε that it shows then measure that difference, too, of "
            "which a claim says nothing."
        )
    else:
        text = (
            "A classifier does not tell members from non-members by their covariates (AUC "
            f"{area:.3f}, p = {p_value:.2g}); that does not show that the populations are the same."
        )
    return [
        Finding(
            question="population",
            is_notable=is_notable,
            sentence=text,
            numbers=(("blind_auc", area), ("p_value", p_value), ("attack_auc", reached)),
        )
    ]


def area_p_value(area: float, n: int, m: int) -> float:
    """One-sided p-value of an area under the curve above 1/2, by the normal approximation.

    Ties only make the true variance smaller.
    """
    return float(ndtr(-(area - 0.5) / np.sqrt((n + m + 1) / (12 * n * m))))


def _stacked(member: FloatArray, nonmember: FloatArray) -> tuple[FloatArray, FloatArray]:
    labels = np.concatenate([np.ones(len(member)), np.zeros(len(nonmember))])
    return np.concatenate([member, nonmember]), labels


def _features(rows: FloatArray, centre: FloatArray, scale: FloatArray) -> FloatArray:
    """Intercept, standardised covariates and their squares; outliers are cut at 10."""
    z = np.clip((rows - centre) / scale, -10, 10)
    return np.column_stack([np.ones(len(z)), z, z * z])


def _logistic(features: FloatArray, labels: FloatArray) -> FloatArray:
    """Coefficients of a logistic regression with a ridge penalty and classes of equal weight."""
    weight = np.where(labels > 0, 0.5 / labels.mean(), 0.5 / (1 - labels.mean()))
    penalty = RIDGE * len(labels) * np.eye(features.shape[1])
    penalty[0, 0] = 0.0  # not the intercept
    found = np.zeros(features.shape[1])
    for _ in range(STEPS):
        expected = expit(features @ found)
        slope = features.T @ (weight * (labels - expected)) - penalty @ found
        curvature = (features.T * (weight * expected * (1 - expected))) @ features + penalty
        step = np.linalg.solve(curvature, slope)
        found += step
        if np.abs(step).max() < 1e-6:
            break
    return found
