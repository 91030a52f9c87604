"""Random variation of Epsilon* over resampled and over simulated losses.

A permutation test of no leakage, a bootstrap, and the simulations of the paper's Appendix B. These
compare estimates with the true Epsilon* **over the same thresholds** (with the same clip).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.audit.epsilon_star import estimate, suprema
from dpviz.audit.epsilon_star.estimate import (
    Clip,
    Method,
    empirical_suprema,
    epsilon_star,
    resolved_clip,
)
from dpviz.audit.epsilon_star.laws import Normal, ScipyLaw
from dpviz.audit.epsilon_star.ratio_curves import curves_of_finite_points
from dpviz.audit.epsilon_star.suprema import LawPair, LawSuprema, RatioSuprema
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.threshold_search import score_blocks
from dpviz.audit.scores.attack_scores import AttackScores, ScoresLike, as_scores
from dpviz.audit.scores.base import Counts, Scores
from dpviz.checks import FloatArray, Rng
from dpviz.theory.region import implied_epsilons
from dpviz.value_object import ValueObject

SHAPE, SCALE = 2.0, 5.0  # of the Gamma distribution of training losses in the paper
SMALLEST_SIZE = 3  # simulated losses per class
VERTICES = 500  # of a true curve
ERROR_COUNTS_DRAWN = 60  # numbers of errors, from 1 to all, at which a measured curve has vertices
# A function around the range of a loop: `tqdm.tqdm` shows a bar; a function that raises cancels.
Progress = Callable[[range], Iterable[int]]
BOOTSTRAP_WARNING = (
    "the spread of a resampled maximum, not a confidence interval: if nothing leaks, it misses the "
    "truth in every run (0 of 60 intervals contained 0), because the maximum is biased upwards"
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PermutationTest(ValueObject):
    """Epsilon* of the data, and Epsilon* under random permutations of the membership labels.

    Parameters
    ----------
    observed : float, of the true labels; nan, if no threshold survives the clip, counts as largest
    permuted : ndarray, Epsilon* of each permutation, ascending, nan last
    p_value : float, share of permutations, the data included, with Epsilon* at least as large

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.permutation_test((range(50), range(50, 100)), delta=0.01, n_resamples=19).p_value
    0.05
    """

    observed: float
    permuted: FloatArray = field(repr=False)
    p_value: float


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Bootstrap(ValueObject):
    """The spread of Epsilon* over bootstrap samples.

    The range from `low` to `high` is not a confidence interval, see `warning`.

    Parameters
    ----------
    observed : float, Epsilon* of the data
    resampled : ndarray, Epsilon* of each bootstrap sample, ascending, nan last
    low, high : float, ends of the central fraction `confidence_level` of `resampled`
    confidence_level : float

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.bootstrap((range(50), range(50, 100)), delta=0.01, n_resamples=9).resampled.size
    9
    """

    observed: float
    resampled: FloatArray = field(repr=False)
    low: float
    high: float
    confidence_level: float

    @property
    def warning(self) -> str:
        """A sentence that says why `low` and `high` are not a confidence interval."""
        return BOOTSTRAP_WARNING


def permutation_test(
    scores: ScoresLike,
    *,
    delta: float,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress = iter,
    **form: Any,
) -> PermutationTest:
    """Return a permutation test of the hypothesis that scores do not depend on membership.

    The statistic is Epsilon*, including the choice of components. The test is exact for all
    distributions of losses if members and non-members are exchangeable where nothing leaks.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    delta : float in [0, 1]
    n_resamples : int, permutations, at least 1; the smallest p-value is 1 / (n_resamples + 1)
    rng : int or Generator, of the permutations
    progress : callable, wraps ``range(n_resamples)``; `tqdm.tqdm` shows a bar
    **form : further arguments of `epsilon_star`

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.permutation_test(read_sample("overfitted"), delta=1e-5, n_resamples=19).p_value
    0.05
    """
    scores = as_scores("scores", scores)
    n_resamples = checks.whole("n_resamples", n_resamples, 1)
    seed = checks.seed(rng)
    observed = epsilon_star(scores, delta=delta, **form).value
    permute_labels = scores.label_permuter(np.random.default_rng(seed))
    samples = (permute_labels() for _ in progress(range(n_resamples)))
    values = [_epsilon_star_value(sample, delta=delta, **form) for sample in samples]
    # nan (no threshold survives the clip) means the largest separation.
    at_least = np.nan_to_num(values, nan=np.inf) >= np.nan_to_num(observed, nan=np.inf)
    # The data's own labels count as one permutation, which makes the p-value valid.
    p_value = (1 + int(at_least.sum())) / (1 + len(values))
    permuted = checks.read_only(np.sort(values))
    return PermutationTest(observed=observed, permuted=permuted, p_value=p_value)


def bootstrap(
    scores: ScoresLike,
    *,
    delta: float,
    confidence_level: float = 0.95,
    n_resamples: int = 999,
    rng: Rng = 0,
    progress: Progress = iter,
    **form: Any,
) -> Bootstrap:
    """Return the spread of Epsilon* over bootstrap samples of members and non-members.

    **Not a confidence interval**, and no lower bound: see `Bootstrap.warning`.

    Parameters
    ----------
    scores, delta, rng, progress, **form : as of `permutation_test`
    confidence_level : float, in [0.5, 1): the fraction of values between `low` and `high`
    n_resamples : int, at least 1

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> found = audit.bootstrap(read_sample("overfitted"), delta=1e-5, n_resamples=19)
    >>> found.low <= found.high
    True
    """
    scores = as_scores("scores", scores)
    level = checks.confidence_level(confidence_level)
    n_resamples = checks.whole("n_resamples", n_resamples, 1)
    seed = checks.seed(rng)
    observed = epsilon_star(scores, delta=delta, **form).value
    rng = np.random.default_rng(seed)
    # Members and non-members are drawn separately, so class sizes stay.
    samples = (scores.bootstrap_sample(rng) for _ in progress(range(n_resamples)))
    values = [_epsilon_star_value(sample, delta=delta, **form) for sample in samples]
    ascending = np.sort(values)
    # Order statistics, not np.quantile, so that a few nan at the end do not change the others.
    low, high = (
        ascending[max(0, int(np.ceil(share * ascending.size)) - 1)]
        for share in ((1 - level) / 2, (1 + level) / 2)
    )
    return Bootstrap(
        observed=observed,
        resampled=checks.read_only(ascending),
        low=float(low),
        high=float(high),
        confidence_level=level,
    )


def _epsilon_star_value(
    scores: Scores, *, delta: float, method: Method = "empirical", clip: Clip = "paper", **fit: Any
) -> float:
    """Return Epsilon* without the other results of `epsilon_star`, as a number."""
    if method != "empirical":
        return epsilon_star(scores, delta=delta, method=method, clip=clip, **fit).value
    delta = checks.real("delta", delta, 0, 1)
    number = resolved_clip(clip, method=method, delta=delta)
    return empirical_suprema(score_blocks(scores), delta=delta, clip=number).value


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SimulatedEstimates(ValueObject):
    """Estimates of Epsilon* from repeated samples of two Gamma distributions, and the true value.

    Parameters
    ----------
    method : {"empirical", "normal", "mixture"}
    n : int, losses per class
    shift : float, shape of the non-members' Gamma distribution, less that of the members'
    values : ndarray, shape (n_resamples,), the estimates; may be inf or nan
    log_ratios : ndarray, shape (n_resamples, 4), logs of the largest m1 to m4
    exact : LawSuprema, the true Epsilon*; `exact.delta` and `exact.clip` are those of the estimates

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import gamma_simulation
    >>> simulation = gamma_simulation(shifts=[1], sizes=[100], n_resamples=2)
    >>> simulation.of(method="normal", n=100, shift=1)
    normal    n = 100    shift = 1: 2.69 ± 0.76, truth 2.63
    """

    method: Method
    n: int
    shift: float
    values: FloatArray
    log_ratios: FloatArray
    exact: LawSuprema

    @property
    def truth(self) -> float:
        """The true Epsilon* at the delta and clip of the estimates, exact up to `exact.gap`."""
        return self.exact.value

    @property
    def mean(self) -> float:
        """The mean of the estimates.

        The result is inf or nan if an estimate is inf or nan.
        """
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """The sample standard deviation of the estimates.

        The result is nan if there is only one estimate, or if an estimate is inf or nan.
        """
        if self.values.size == 1 or not np.isfinite(self.values).all():
            return float("nan")
        return float(self.values.std(ddof=1))

    def __repr__(self) -> str:
        spread = f" ± {self.sd:.2f}" if np.isfinite(self.sd) else ""
        return (
            f"{self.method:9s} n = {self.n:<6d} shift = {self.shift:g}: "
            f"{self.mean:.2f}{spread}, truth {self.truth:.2f}"
        )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GammaSimulation(ValueObject):
    """Estimates of Epsilon* for every method, sample size and shift of a Gamma distribution.

    Parameters
    ----------
    estimates : tuple of SimulatedEstimates
    n_resamples, seed : int

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import gamma_simulation
    >>> len(gamma_simulation(shifts=[0, 1], sizes=[100], n_resamples=2).estimates)
    4
    """

    estimates: tuple[SimulatedEstimates, ...] = field(repr=False)
    n_resamples: int
    seed: int

    def of(self, *, method: Method, n: int, shift: float) -> SimulatedEstimates:
        """Return the estimates for one method, sample size and shift.

        Raises ValueError if this case was not simulated.
        """
        for found in self.estimates:
            if (found.method, found.n, found.shift) == (method, n, shift):
                return found
        raise checks.fail(
            "method, n and shift", "a case that the package has simulated", (method, n, shift)
        )


def gamma_simulation(
    *,
    shifts: Sequence[float] = (0, 1, 2, 3),
    sizes: Sequence[int] = (1000, 10_000, 100_000),
    n_resamples: int = 10,
    delta: float | None = None,
    clip: Clip = 0.001,
    methods: Sequence[Method] = ("empirical", "normal"),
    rng: Rng = 0,
    progress: Progress = iter,
) -> GammaSimulation:
    """Return estimates of Epsilon* from samples of two Gamma distributions (Figures 4 and 5).

    Members' losses follow Gamma(shape 2, scale 5), non-members' Gamma(2 + shift, 5). All methods
    use the same samples, which depend only on size, shift and `rng`.

    Parameters
    ----------
    shifts : sequence of float, at least 0, finite; nothing leaks at 0
    sizes : sequence of int, losses per class, at least 3
    n_resamples : int, samples per setting, at least 1
    delta : float in [0, 1], optional, by default ``1 / (n log n)``; the paper does not say
    clip : float, None or "paper", as of `epsilon_star`; one number makes methods comparable
    methods : sequence of {"empirical", "normal", "mixture"}
    rng : int or Generator
    progress : callable, wraps the loop over samples; `tqdm.tqdm` shows a bar

    Raises
    ------
    ImportError, if mixtures are requested and scikit-learn is not installed

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import gamma_simulation
    >>> gamma_simulation(shifts=[2], sizes=[100], n_resamples=3).estimates[0]
    empirical n = 100    shift = 2: 3.07 ± 0.28, truth 4.21
    """
    from scipy.stats import gamma  # slow to import

    all_shifts = checks.reals("shifts", checks.vector("shifts", shifts, finite=True), 0, np.inf)
    all_sizes = np.unique(checks.vector("sizes", sizes, finite=True)).tolist()
    all_sizes = [checks.whole("sizes", n, SMALLEST_SIZE) for n in all_sizes]
    n_resamples = checks.whole("n_resamples", n_resamples, 1)
    seed = checks.seed(rng)
    for method in methods:
        checks.choice("methods", method, estimate.METHODS)
    delta = None if delta is None else checks.real("delta", delta, 0, 1)
    # Every method on the same samples of each setting.
    settings = [(n, shift) for n in all_sizes for shift in np.unique(all_shifts).tolist()]
    suprema_of: dict[tuple[Method, int, float], list[RatioSuprema]] = {}
    for k in progress(range(len(settings) * n_resamples)):
        n, shift = settings[k // n_resamples]
        # The bits of the shift are part of the seed: every setting has draws of its own.
        bits = int(np.float64(shift).view(np.uint64))
        draws = np.random.default_rng([seed, k % n_resamples, n, bits])
        losses = {"member": draws.gamma(SHAPE, SCALE, n)}
        losses["nonmember"] = draws.gamma(SHAPE + shift, SCALE, n)
        scores = AttackScores.from_losses(**losses)
        # The paper's delta depends on the sample size.
        of_n = estimate.paper_delta(n) if delta is None else delta
        for method in dict.fromkeys(methods):
            star = epsilon_star(scores, delta=of_n, method=method, clip=clip, rng=seed)
            suprema_of.setdefault((method, n, shift), []).append(star.suprema)
    # The true values, with the delta and the clip of the estimates.
    member = ScipyLaw(gamma(SHAPE, scale=SCALE))
    laws = {shift: ScipyLaw(gamma(SHAPE + shift, scale=SCALE)) for _, shift in settings}
    pairs = {shift: LawPair(law, member) for shift, law in laws.items()}
    estimates = [
        SimulatedEstimates(
            method=method,
            n=n,
            shift=shift,
            values=checks.read_only(np.array([one.value for one in found])),
            log_ratios=checks.read_only(np.array([one.log_ratios for one in found])),
            exact=suprema.suprema_of_laws(pairs[shift], delta=found[0].delta, clip=found[0].clip),
        )
        for (method, n, shift), found in suprema_of.items()
    ]
    return GammaSimulation(estimates=tuple(estimates), n_resamples=n_resamples, seed=seed)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatioNoise(ValueObject):
    """True and measured curves of the log ratios m1 and m2.

    The losses of each class have a Normal distribution.

    Parameters
    ----------
    true, counted : tuple of two ndarray, shape (k, 2), at most 512 vertices, finite
        Columns ``(TPR + FPR) / 2``, ascending, and log ratio; `counted` includes the maxima.
    exact : LawSuprema, the largest ratios of the distributions over the same thresholds

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import ratio_noise
    >>> [curve.shape[1] for curve in ratio_noise(n=100).counted]
    [2, 2]
    """

    true: tuple[FloatArray, ...]
    counted: tuple[FloatArray, ...]
    exact: LawSuprema


def ratio_noise(
    *,
    n: int = 10_000,
    delta: float = 0.0,
    separation: float = 3.0,
    smallest_rate: float = 1e-9,
    rng: Rng = 0,
) -> RatioNoise:
    """Return the Epsilon* paper's ratios m1 and m2, from true and from measured rates.

    Figure 3 there plots them. Losses of members follow N(0, 1), of non-members N(separation, 1).

    Parameters
    ----------
    n : int, losses per class, at least 1; the paper gives neither it nor `delta`
    delta : float in [0, 1]
    separation : float, at least 0; 3 in the paper
    smallest_rate : float in (0, 0.5), thresholds with smaller FPR, FNR, TPR or TNR are left out
    rng : int or Generator

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import ratio_noise
    >>> ratio_noise(n=100).exact.index_of_largest
    0
    """
    n = checks.whole("n", n, 1)
    delta = checks.real("delta", delta, 0, 1)
    separation = checks.real("separation", separation, 0, np.inf, closed="left")
    smallest = checks.real("smallest_rate", smallest_rate, 0, 0.5, closed="neither")
    rng = np.random.default_rng(checks.seed(rng))
    pair = LawPair(Normal(mean=separation, sd=1), Normal(mean=0, sd=1))
    low, high = suprema.threshold_range_inside_clip(pair, smallest)
    # True curves over the thresholds whose rates are all large enough.
    x = np.linspace(low, high, VERTICES if low <= high else 0)
    true = _m1_m2_curves(ndtr(x - separation), ndtr(-x), ndtr(x), ndtr(separation - x), delta=delta)
    member, nonmember = rng.normal(size=n), rng.normal(separation, size=n)
    scores = AttackScores.from_losses(member=member, nonmember=nonmember)
    # Measured curves, with the vertices at which the ratios are largest.
    curve = AttackCurve.from_scores(scores)
    maxima = empirical_suprema(score_blocks(scores), delta=delta, clip=smallest).rates_at_maxima
    vertices = _end_dense_indices(curve, [curve.index_of(fpr=fpr, fnr=fnr) for fpr, fnr in maxima])
    measured = np.array([rate[vertices] for rate in (curve.fpr, curve.fnr, curve.tpr, curve.tnr)])
    counted = _m1_m2_curves(*measured[:, (measured > smallest).all(axis=0)], delta=delta)
    exact = suprema.suprema_of_laws(pair, delta=delta, clip=smallest)
    return RatioNoise(true=true, counted=counted, exact=exact)


def _m1_m2_curves(
    fpr: FloatArray, fnr: FloatArray, tpr: FloatArray, tnr: FloatArray, *, delta: float
) -> tuple[FloatArray, ...]:
    """Return the log ratios m1 and m2 (see `estimate`) as functions of ``(TPR + FPR) / 2``."""
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    return curves_of_finite_points((tpr + fpr) / 2, logs[:, :2])


def _end_dense_indices(curve: AttackCurve, also_at: Sequence[int]) -> Counts:
    """Return ascending indices of vertices, dense near a curve's ends, with those in `also_at`."""
    last = curve.fpr.size - 1
    flagged, missed = curve.false_positives, (curve.n_members - curve.true_positives)[::-1]
    wrong = np.unique(np.geomspace(1, curve.n_members, ERROR_COUNTS_DRAWN).round())
    # Both sides of the thresholds with these numbers of errors: a measured curve jumps there.
    begins, ends = np.searchsorted(flagged, wrong), last - np.searchsorted(missed, wrong)
    even = np.linspace(0, last, ERROR_COUNTS_DRAWN).astype(int)
    picked = np.concatenate([begins, begins - 1, ends, ends + 1, even, np.array(also_at, int)])
    return np.unique(np.clip(picked, 0, last))
