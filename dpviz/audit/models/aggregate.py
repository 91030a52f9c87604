"""The mean of e^Epsilon* over models of one method, and Theorem 2 of Negoescu et al. (2023).

**Statement**, with its conditions. Epsilon* is the log of the largest of four ratios of FPR, FNR
and delta. Let each model theta have Epsilon*(theta) from the exact FNR at thresholds that are the
same quantiles t of the population's losses for every model, without a clip, and ``epsilon_bar`` be
the same at FNRs averaged over models (equation 19). Each ratio is convex in the FNR at fixed t
where it exceeds 1, so by Jensen

    ``epsilon_bar <= log E[e^Epsilon*(theta)]``.

The left side is at most the epsilon of the training method. The right side (`aggregate`) is an
**upper** bound of the left side, and bounds the epsilon of the method in neither direction. Here
the mean is over the given models, and each Epsilon* is an estimate, so the result is an estimate.
`both_sides` estimates both sides at FPRs t1, ..., tk that are the same for every model.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import EpsilonStar
from dpviz.audit.epsilon_star.ratio_curves import (
    FPR_GRID,
    GridEpsilonStar,
    checked_fpr_grid,
    fnr_on_grid,
    grid_epsilon_star,
)
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.checks import FloatArray
from dpviz.value_object import ValueObject

FEW_MODELS = 20  # with fewer models, an unseen one may dominate the mean
LARGE_SHARE = 0.5  # fraction of the sum above which one model dominates the sum


@dataclass(frozen=True)
class AggregationCondition:
    """A condition of Theorem 2 of Negoescu et al. (2023); `met` is None if it cannot be checked."""

    name: str
    met: bool | None
    text: str


OF_ONE_MECHANISM = AggregationCondition(
    "independent models of one mechanism",
    None,
    "only those who trained the models know: same data, same training, fresh randomness",
)
SAME_GRID = AggregationCondition(
    "same threshold grid",
    True,
    "every model has the FPRs t1, ..., tk, by a random choice between two thresholds where its "
    "counts reach none exactly",
)
NO_CLIP = AggregationCondition(
    "no model-dependent clipping", True, "no clip: the grid is fixed beforehand"
)
NOISY = "the largest of noisy ratios is biased upwards"
EXACT_RATES = AggregationCondition("exact rates", False, f"rates are counted on samples: {NOISY}")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Aggregate(ValueObject):
    """An estimate of log E[e^Epsilon*] over models.

    The estimate is no bound on the epsilon of the mechanism.

    Parameters
    ----------
    n : int, models
    log_mean_exp : float, log of the mean of e^Epsilon*, in [0, inf]; inf if one Epsilon* is inf
    mean : float, mean of Epsilon*: never larger than `log_mean_exp`, and not an upper bound
    standard_error : float or None, of `log_mean_exp`, by the delta method; None for 1 model or inf
    interval : tuple of two floats, or None, at `confidence_level`, on a log scale: **approximate**
        From the normal limit of the mean, which is poor while few models dominate.
    guaranteed_upper : float or None, upper confidence limit of the log mean over all models
        For any distribution of the clipped estimates, if models are independent (Maurer and Pontil,
        2009). None without a clip that all models share.
    dominated_by : float, share of the largest e^Epsilon* in the sum; infinite ones share equally
    confidence_level : float
    conditions : tuple of AggregationCondition, those of Theorem 2, and whether they are met
    warnings : tuple of str

    Examples
    --------
    >>> from dpviz import audit
    >>> found = audit.models.aggregate([0.5, 1.0, 2.0])
    >>> round(found.log_mean_exp, 3), round(found.mean, 3), round(found.dominated_by, 2)
    (1.366, 1.167, 0.63)
    """

    n: int
    log_mean_exp: float
    mean: float
    standard_error: float | None
    interval: tuple[float, float] | None
    guaranteed_upper: float | None
    dominated_by: float
    confidence_level: float
    conditions: tuple[AggregationCondition, ...]
    warnings: tuple[str, ...]

    @property
    def statement(self) -> str:
        """The result and its meaning as a sentence."""
        error = self.standard_error
        spread = "" if error is None else f", standard error {error:.3g} over models"
        return (
            f"The log of the mean of e^ε* over {self.n} model{'' if self.n == 1 else 's'} is "
            f"{self.log_mean_exp:.3g} (an estimate{spread}). Under the conditions of Theorem 2 it "
            "estimates an upper limit of ε-bar, the ε of error rates averaged over models. It does "
            "not bound the mechanism's ε, from above or from below."
        )


def log_mean_exp(values: ArrayLike) -> float:
    """Return the log of the mean of ``e^value``, without overflow.

    Parameters
    ----------
    values : array of float, in [-inf, inf], not empty

    Raises
    ------
    ValueError, if there are none, or one is not a number

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.models.log_mean_exp([1000, 1000])
    1000.0
    """
    numbers = checks.reals("values", values).ravel()
    if numbers.size == 0:
        raise ValueError("values must not be empty, got 0 values")
    largest = float(numbers.max())
    if np.isinf(largest):
        return largest
    return float(largest + np.log(np.exp(numbers - largest).mean()))


def aggregate(
    epsilon_stars: Iterable[EpsilonStar] | ArrayLike, *, confidence_level: float = 0.95
) -> Aggregate:
    """Return the log of the mean of e^Epsilon* over models of one mechanism (Theorem 2).

    It estimates an upper bound of Epsilon* at the averaged FNRs (`BothSides.left`) if `conditions`
    hold, and bounds the mechanism's epsilon in neither direction. Source: Theorem 2 of Negoescu et
    al., "Epsilon*: Privacy metric for machine learning models" (2023).

    Parameters
    ----------
    epsilon_stars : sequence of EpsilonStar, or of float in [0, inf], whose conditions are unknown
    confidence_level : float, in [0.5, 1), of `Aggregate.interval` and `guaranteed_upper`, each

    Raises
    ------
    ValueError, if there are none, one is nan or negative, or they are at different deltas

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.models.aggregate([0.5, 1.0, 2.0]).warnings
    ('dominated by one model: the largest of 3 has 63% of the sum of e^ε*',)
    """
    level = checks.confidence_level(confidence_level)
    values, stars = _checked_epsilon_stars(epsilon_stars)
    log_mean, k = log_mean_exp(values), values.size
    n_infinite = int(np.isinf(values).sum())
    error = interval = None
    if n_infinite:
        share = 1 / n_infinite
    else:
        # Fractions of the largest e^value cannot overflow, and have the same ratios.
        weights = np.exp(values - values.max())
        share = float(1 / weights.sum())
        if k > 1:
            error = float(weights.std(ddof=1) / (np.sqrt(k) * weights.mean()))  # delta method
            margin = float(ndtri((1 + level) / 2)) * error
            interval = (max(0.0, log_mean - margin), log_mean + margin)
    return Aggregate(
        n=k,
        log_mean_exp=log_mean,
        mean=float(values.mean()),
        standard_error=error,
        interval=interval,
        guaranteed_upper=_bernstein_limit(values, stars, level),
        dominated_by=share,
        confidence_level=level,
        conditions=_aggregation_conditions(stars),
        warnings=_warnings_about_mean(k, share, n_infinite),
    )


def _checked_epsilon_stars(epsilon_stars: object) -> tuple[FloatArray, tuple[EpsilonStar, ...]]:
    """Return each model's Epsilon*, and the EpsilonStar objects (none if numbers were given)."""
    if not isinstance(epsilon_stars, Iterable) or isinstance(epsilon_stars, str):
        condition = "a sequence of EpsilonStar or of numbers"
        raise checks.fail("epsilon_stars", condition, epsilon_stars)
    entries = list(epsilon_stars)
    if not entries:
        raise ValueError("epsilon_stars must not be empty, got 0 models")
    # Estimates know their delta and clip, which numbers do not: both together are no sample.
    stars = tuple(entry for entry in entries if isinstance(entry, EpsilonStar))
    if not stars:
        values = checks.numeric("epsilon_stars", entries)
        if values.ndim != 1:
            raise checks.fail("epsilon_stars", "one number per model", values.shape)
    elif len(stars) < len(entries):
        mixed = f"{len(stars)} EpsilonStar among {len(entries)}"
        raise ValueError(f"epsilon_stars must be all EpsilonStar or all numbers, got {mixed}")
    else:
        values = np.array([star.value for star in stars])
    # The first value that is no Epsilon*, with the reason if it is nan.
    for i in np.flatnonzero(~(values >= 0))[:1].tolist():
        reason = f" ({stars[i].reason})" if stars and stars[i].reason else ""
        raise ValueError(f"epsilon_stars[{i}] must be in [0, inf], got {values[i]}{reason}")
    deltas = sorted({star.suprema.delta for star in stars})
    if len(deltas) > 1:
        both = f"{deltas[0]:g} and {deltas[-1]:g}"
        raise ValueError(f"epsilon_stars must have the same delta, got {both}")
    return values, stars


def _bernstein_limit(
    values: FloatArray, stars: Sequence[EpsilonStar], confidence_level: float
) -> float | None:
    """Return an upper confidence limit of log E[e^Epsilon*]; None unless models share a finite cap.
    Maurer and Pontil, "Empirical Bernstein bounds and sample variance penalization" (2009),
    Theorem 4, for e^Epsilon* in [1, e^cap].
    """
    caps = {star.suprema.cap for star in stars}
    cap = caps.pop() if len(caps) == 1 else np.inf
    if cap == np.inf:
        return None
    if values.size == 1:
        return cap
    # Fractions of e^cap cannot overflow.
    weights, k, log_term = np.exp(values - cap), values.size, np.log(2 / (1 - confidence_level))
    limit = weights.mean() + np.sqrt(2 * weights.var(ddof=1) * log_term / k)
    limit -= 7 * np.expm1(-cap) * log_term / (3 * (k - 1))
    return float(min(cap, cap + np.log(limit)))


def _warnings_about_mean(k: int, top_share: float, n_infinite: int) -> tuple[str, ...]:
    """Return warnings about a mean of e^Epsilon*; its largest term is `top_share` of the sum."""
    warnings = []
    if n_infinite:
        warnings.append(f"{n_infinite} of {k} models have an infinite ε*, and so has the mean")
    if top_share > LARGE_SHARE:
        warnings.append(
            f"dominated by one model: the largest of {k} has {top_share:.0%} of the sum of e^ε*"
        )
    elif k < FEW_MODELS:
        warnings.append(f"easily dominated by one model: there are {k}, fewer than {FEW_MODELS}")
    return tuple(warnings)


def _aggregation_conditions(stars: Sequence[EpsilonStar]) -> tuple[AggregationCondition, ...]:
    unknown = (None, "not checkable from numbers")
    answers = {name: rule(stars) if stars else unknown for name, rule in CONDITION_RULES.items()}
    conditions = (AggregationCondition(name, *answer) for name, answer in answers.items())
    return (*conditions, OF_ONE_MECHANISM)


def _settings_agree_and_why(stars: Sequence[EpsilonStar]) -> tuple[bool | None, str]:
    """Return whether all models share method, clip and class sizes, and an explanation."""
    kinds: dict[str, set[object]] = {
        "method": {star.method for star in stars},
        "clip": {star.suprema.clip for star in stars},
        "numbers of records": {(star.n_members, star.n_nonmembers) for star in stars},
    }
    differ = [name for name, of_models in kinds.items() if len(of_models) > 1]
    if differ:
        return False, f"the models differ in {' and '.join(differ)}"
    return True, "one method, clip, delta and number of records"


def _fpr_grids_agree_and_why(stars: Sequence[EpsilonStar]) -> tuple[bool | None, str]:
    """Return whether all models have thresholds at the same FPRs (None: unknown), and a reason."""
    fitted = "fitted distributions have a threshold at every FPR"
    if all(star.method == "normal" and not star.notes for star in stars):
        return True, fitted
    if all(star.method != "empirical" for star in stars):
        return None, f"{fitted}; the notes list losses that were not fitted"
    if len({star.n_nonmembers for star in stars}) > 1 or len({star.method for star in stars}) > 1:
        return False, "the models have different FPRs"
    return None, "the same number of non-members, so the same FPRs unless losses are tied"


def _is_unclipped_and_why(stars: Sequence[EpsilonStar]) -> tuple[bool | None, str]:
    clips = sorted({star.suprema.clip for star in stars if star.suprema.clip})
    if clips:
        return False, f"clip {clips[0]:g}: it leaves out thresholds by the FNR of each model"
    return True, "no clip"


def _are_rates_exact_and_why(stars: Sequence[EpsilonStar]) -> tuple[bool, str]:
    """Return False and the reason: rates are counted or fitted, so they are never exact."""
    counted = any(star.method == "empirical" for star in stars)
    how = "counted on samples" if counted else "from fitted distributions"
    return False, f"rates are {how}: {NOISY}"


CONDITION_RULES = {
    "one quantity": _settings_agree_and_why,
    "same threshold grid": _fpr_grids_agree_and_why,
    "no model-dependent clipping": _is_unclipped_and_why,
    "exact rates": _are_rates_exact_and_why,
}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BothSides(ValueObject):
    """Estimates, without a confidence level, of both sides of Theorem 2 (Negoescu et al., 2023).

    Parameters
    ----------
    averaged : GridEpsilonStar, of the FNRs averaged over models; its `value` is the left side
    models : tuple of GridEpsilonStar
    right : float, log of the mean of e^Epsilon* over the models
    conditions : tuple of AggregationCondition, of the theorem, and whether they are met

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> sides = audit.models.both_sides([read_sample("null")], delta=1e-5, grid=[0.1, 0.5])
    >>> [each.name for each in sides.conditions if each.met is False]
    ['exact rates']
    """

    averaged: GridEpsilonStar
    models: tuple[GridEpsilonStar, ...]
    right: float
    conditions: tuple[AggregationCondition, ...]

    @property
    def left(self) -> float:
        """The left side of Theorem 2: Epsilon* of the mean FNR over models."""
        return self.averaged.value


def both_sides(
    models: Sequence[ScoresLike], *, delta: float, grid: ArrayLike | Sequence[float] = FPR_GRID
) -> BothSides:
    """Return both sides of the inequality of Theorem 2, estimated from models.

    The models are of one method, and have rates on one grid of FPRs.

    Source: Theorem 2 and equation 19 of the paper on Epsilon*, see `aggregate`.

    Parameters
    ----------
    models : sequence of AttackScores or BinnedScores, one per model, at least one
    delta : float in [0, 1]
    grid : sequence of float, the FPRs t1, ..., tk, ascending, inside (0, 1), at most 10 000

    Raises
    ------
    ValueError, if there are no models, or an argument leaves its range

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> models = [read_sample("overfitted"), read_sample("regularised")]
    >>> sides = audit.models.both_sides(models, delta=1e-5, grid=[0.01, 0.1, 0.5])
    >>> round(sides.left, 2), round(sides.right, 2)
    (0.29, 0.37)
    """
    checks.must_be_a("models", models, Sequence, "a sequence of attack scores")
    given = [as_scores(f"models[{i}]", scores) for i, scores in enumerate(models)]
    delta, fprs = checks.real("delta", delta, 0, 1), checked_fpr_grid(grid)
    if not given:
        raise ValueError("models must not be empty, got 0 models")
    # Left: Epsilon* of the averaged FNRs. Right: the average of e^Epsilon* of each model's FNRs.
    rates = np.array([fnr_on_grid(scores, fprs) for scores in given])
    of_models = tuple(grid_epsilon_star(fprs, fnr, delta=delta) for fnr in rates)
    right = log_mean_exp([star.value for star in of_models])
    text = "the right side is infinite if a model misses nobody at some t < 1 - δ"
    finite = AggregationCondition("no FNR of 0", bool(np.isfinite(right)), text)
    conditions = (SAME_GRID, NO_CLIP, finite, EXACT_RATES, OF_ONE_MECHANISM)
    averaged = grid_epsilon_star(fprs, rates.mean(axis=0), delta=delta)
    return BothSides(averaged=averaged, models=of_models, right=right, conditions=conditions)
