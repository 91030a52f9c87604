"""How well features tell members from non-members without the model: a blind baseline.

The records are split at random into two halves. A classifier that is fitted to one half scores the
records of the other half, so no record is scored by a classifier that has seen it. Given one half,
the scores of the other are those of a fixed function of its records. So all statements about
attacks hold for each half.

**Means of both halves.** The reported AUC is the mean of both halves, an estimate of the mean of
the true AUCs of both classifiers; the TPR is a mean, too. The halves are not independent.

- *AUC.* The standard error of a mean of two numbers is at most the mean of their standard errors,
  whatever their correlation (Cauchy-Schwarz). So the limits are the means of both halves' limits,
  and approximate: `benchmarks/blind.py` measures how often they miss.
- *TPR.* Each half's limits miss with at most half of the level. By the union bound both hold, and
  then the mean of the lower limits is at most the mean of the true TPRs, and likewise above. These
  limits hold at every sample size.

An AUC of all records together, with a standard error as of independent records, would be too sure:
where nothing tells the classes apart, both halves' AUCs rise and fall together, and the variance
is up to twice as large as this error says.

**p-value.** If members and non-members are exchangeable, so are the labels of one half's records,
given their scores. So a permutation test of each half's AUC is exact (`null_distribution`). Twice
the smaller one of two p-values is a p-value, whatever their dependence (Bonferroni's inequality).
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.blind.classifier import Classifier, fit_classifier
from dpviz.audit.blind.features import Column, columns_of_both, numeric_matrix
from dpviz.audit.comparison import AT_EVERY_SIZE
from dpviz.audit.evidence.null import null_distribution
from dpviz.audit.roc.area_and_advantage import FOR_LARGE, auc_interval
from dpviz.audit.roc.tpr_at_fpr import tpr_at_fpr
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Rows
from dpviz.checks import Rng
from dpviz.value_object import ValueObject

FEWEST = 10  # records of a class
MOST_TRAINED = 20_000  # records of a class, of each half, that a classifier is fitted to
MOST_NUMBERS = 10**7  # in the matrix that a classifier is fitted to
AVERAGED = f"{FOR_LARGE} (mean of two halves' limits)"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MeanOfHalves(ValueObject):
    """A rate of blind classifiers, with its confidence limits.

    Each half of the records has a classifier, fitted to the other half. The limits are those of
    the mean of both true rates.

    Parameters
    ----------
    value : float in [0, 1], an estimate
    low, high : float in [0, 1], limits
    confidence_level : float
    note : str, whether the limits are approximate

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.blind.blind_baseline(range(100), range(50, 150)).tpr.note
    'holds at every sample size'
    """

    value: float
    low: float
    high: float
    confidence_level: float
    note: str


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredHalf:
    """The rows of one half in the given tables, and their scores by the other half's classifier."""

    member_rows: Rows
    nonmember_rows: Rows
    scores: AttackScores
    classifier: Classifier


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BlindBaseline(ValueObject):
    """The rates of a classifier that knows the records' features but not the model.

    Parameters
    ----------
    auc : MeanOfHalves, 1/2 where features tell nothing
    tpr : MeanOfHalves, at the FPR `fpr`
    fpr : float
    p_value : float, of exchangeable members and non-members, valid at every sample size
    n_members, n_nonmembers, n_features : int, records of each class, columns of the tables
    n_resamples : int, permutations; the p-value is at least ``2 / (n_resamples + 1)``
    seed : int, of the split and the permutations
    halves : pair of ScoredHalf, which `above_blind` compares with an attack

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.blind.blind_baseline(range(100), range(50, 150))
    >>> round(found.auc.low, 2), round(found.auc.value, 2), found.p_value
    (0.79, 0.88, 0.002)
    """

    auc: MeanOfHalves
    tpr: MeanOfHalves
    fpr: float
    p_value: float
    n_members: int
    n_nonmembers: int
    n_features: int
    n_resamples: int
    seed: int
    halves: tuple[ScoredHalf, ScoredHalf] = field(repr=False)


def blind_baseline(
    features_members: Any,
    features_nonmembers: Any,
    *,
    fpr: float = 0.01,
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    rng: Rng = 0,
) -> BlindBaseline:
    """Return how well features alone tell members from non-members, without the model.

    An attack on a model is evidence of what the model reveals only as far as it does more than such
    a classifier: compare them by `above_blind`. The classifier is a logistic regression on features
    and their squares. Another one may do better: an AUC near 1/2 and a large p-value do not show
    that both sets have one distribution.

    Parameters
    ----------
    features_members, features_nonmembers : array, list of rows or DataFrame
        One row for each record, in the order of the scores of the attack: what is known of the
        record without the model. Columns of text are categories; a single feature may be an array
        of shape (n,). Records must be independent, without copies.
    fpr : float in [0, 1], at which the TPR is reported
    confidence_level : float in [0.5, 1), of the limits of each number by itself
    n_resamples : int, permutations of the labels of each half
    rng : int or Generator, of the split and the permutations, chosen before looking at results

    Raises
    ------
    ValueError, if columns differ, a value is missing or infinite, or a class has under 10 records

    References
    ----------
    Das, Zhang and Tramèr (2024), "Blind baselines beat membership inference attacks for foundation
    models", arXiv:2406.16201; Lopez-Paz and Oquab (2017), "Revisiting classifier two-sample tests",
    ICLR; Chernozhukov et al., Econometrics Journal 21 (2018) C1, for cross-fitting.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit
    >>> rng = np.random.default_rng(0)
    >>> ages, places = rng.normal(50, 9, 400), rng.choice(["north", "south"], 400)
    >>> table = [*zip(ages, places)]
    >>> audit.blind.blind_baseline(table[:200], table[200:]).p_value > 0.05
    True
    """
    fpr = checks.real("fpr", fpr, 0, 1)
    confidence = checks.confidence_level(confidence_level)
    n_resamples, seed = checks.whole("n_resamples", n_resamples, 1), checks.seed(rng)
    given = {"features_members": features_members, "features_nonmembers": features_nonmembers}
    n, m = (_checked_size(name, table) for name, table in given.items())
    table = columns_of_both("features", *given.values())
    random = np.random.default_rng(seed)
    halves = _scored_halves(table, n, m, random)
    runs: dict[str, Any] = {"n_resamples": n_resamples, "rng": random}
    nulls = [null_distribution(half.scores, delta=0, clip=None, **runs) for half in halves]
    each = 1 - (1 - confidence) / 2  # the union bound over both halves
    areas = [auc_interval(half.scores, confidence_level=confidence) for half in halves]
    tprs = [tpr_at_fpr(half.scores, fpr, confidence_level=each) for half in halves]
    auc = mean_of_halves((x.value, x.low, x.high) for x in areas)
    tpr = mean_of_halves((x.value, *x.interval) for x in tprs)
    return BlindBaseline(
        auc=MeanOfHalves(**auc, confidence_level=confidence, note=AVERAGED),
        tpr=MeanOfHalves(**tpr, confidence_level=confidence, note=AT_EVERY_SIZE),
        fpr=fpr,
        p_value=min(1.0, *(2 * null.p_value("auc") for null in nulls)),
        n_members=n,
        n_nonmembers=m,
        n_features=len(table),
        n_resamples=n_resamples,
        seed=seed,
        halves=halves,
    )


def _checked_size(name: str, table: Any) -> int:
    checks.must_be_a(name, table, Iterable, "an array, a list of rows or a DataFrame")
    size = len(table) if getattr(table, "ndim", 1) and hasattr(table, "__len__") else 0
    if size < FEWEST:
        raise checks.fail(f"records in {name}", f"at least {FEWEST}", size)
    return size


def _scored_halves(
    table: dict[str, Column], n: int, m: int, rng: np.random.Generator
) -> tuple[ScoredHalf, ScoredHalf]:
    """Return both random halves, each scored by a classifier that was fitted to the other."""
    members, nonmembers = rng.permutation(n), rng.permutation(m)
    first, second = ((members[i::2], nonmembers[i::2]) for i in range(2))
    return _scored_half(table, n, second, first), _scored_half(table, n, first, second)


def _scored_half(
    table: dict[str, Column], n: int, fitted: tuple[Rows, Rows], scored: tuple[Rows, Rows]
) -> ScoredHalf:
    # The frequent categories, too, are those of the half that the classifier is fitted to.
    matrix = numeric_matrix(table, counted=np.concatenate([fitted[0], n + fitted[1]]))
    most = max(FEWEST, min(MOST_TRAINED, MOST_NUMBERS // (4 * matrix.shape[1])))
    classifier = fit_classifier(matrix[fitted[0][:most]], matrix[n + fitted[1][:most]])
    member, nonmember = (classifier.scores(matrix[at]) for at in (scored[0], n + scored[1]))
    scores = AttackScores(member=member, nonmember=nonmember)
    rows = {"member_rows": scored[0], "nonmember_rows": scored[1]}
    return ScoredHalf(**rows, scores=scores, classifier=classifier)


def mean_of_halves(found: Iterable[tuple[float, float, float]]) -> dict[str, Any]:
    """Return the means over both halves of a value and of its limits, by name."""
    return dict(zip(("value", "low", "high"), np.mean([*found], axis=0).tolist(), strict=True))
