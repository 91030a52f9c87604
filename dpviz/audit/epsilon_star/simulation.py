"""The simulations of the Epsilon* paper's Appendix B, with the true values beside the estimates.

There the distributions of the losses are known, so estimates can be compared with the true Epsilon*
**over the same thresholds** (the clip is part of the estimand).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.audit.epsilon_star.estimate import empirical_suprema, epsilon_star, paper_delta
from dpviz.audit.epsilon_star.given_laws import LawPair, LawRatios, ratios_of_laws, surviving_window
from dpviz.audit.epsilon_star.laws import FrozenLaw, Normal
from dpviz.audit.epsilon_star.ratio_curves import finite_curves
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.epsilon_star.result import METHODS, Clip, Method, RatioSuprema
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.roc.threshold_search import threshold_blocks
from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Counts
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons

SHAPE, SCALE = 2.0, 5.0  # of the Gamma distribution of training losses in the paper
SMALLEST_SIZE = 3  # losses per class
VERTICES = 500  # of a curve
COUNTS = 60  # numbers of errors, from 1 to all, at which a noisy curve is drawn


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SimulatedEstimates:
    """Estimates of Epsilon* from samples of one pair of distributions, and the true value.

    Parameters
    ----------
    method : {"empirical", "normal", "mixture"}
    n : int, losses per class
    shift : float, shape of the non-members' Gamma distribution, less that of the members'
    values : ndarray, shape (runs,), inf or nan where `epsilon_star` gives that
    log_ratios : ndarray, shape (runs, 4), logs of the largest m1..m4
    exact : LawRatios, the true Epsilon*; `exact.delta` and `exact.clip` are those of the estimates

    Examples
    --------
    >>> from dpviz import audit
    >>> simulation = audit.gamma_simulation(shifts=[1], sizes=[100], runs=2)
    >>> simulation.of(method="normal", n=100, shift=1)
    normal    n = 100    shift = 1: 2.69 ± 0.76, truth 2.63
    """

    method: Method
    n: int
    shift: float
    values: FloatArray
    log_ratios: FloatArray
    exact: LawRatios

    @property
    def truth(self) -> float:
        """The estimand; exact up to `exact.gap`."""
        return self.exact.value

    @property
    def mean(self) -> float:
        """Mean over the runs; inf or nan if one of them is."""
        return float(self.values.mean())

    @property
    def sd(self) -> float:
        """Standard deviation over the runs (ddof = 1); nan for one run, or one that is infinite."""
        if self.values.size == 1 or not np.isfinite(self.values).all():
            return float("nan")
        return float(self.values.std(ddof=1))

    def __repr__(self) -> str:
        spread = f" ± {self.sd:.2f}" if np.isfinite(self.sd) else ""
        return (
            f"{self.method:9s} n = {self.n:<6d} shift = {self.shift:g}: "
            f"{self.mean:.2f}{spread}, truth {self.truth:.2f}"
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class GammaSimulation:
    """Estimates for every method, size and shift.

    Parameters
    ----------
    estimates : tuple of SimulatedEstimates
    runs, seed : int

    Examples
    --------
    >>> from dpviz import audit
    >>> len(audit.gamma_simulation(shifts=[0, 1], sizes=[100], runs=2).estimates)
    4
    """

    estimates: tuple[SimulatedEstimates, ...] = field(repr=False)
    runs: int
    seed: int

    def of(self, *, method: Method, n: int, shift: float) -> SimulatedEstimates:
        """The estimates of one method, size and shift; ValueError if they were not simulated."""
        for found in self.estimates:
            if (found.method, found.n, found.shift) == (method, n, shift):
                return found
        raise checks.fail("method, n and shift", "among those simulated", (method, n, shift))


def gamma_simulation(
    *,
    shifts: Sequence[float] = (0, 1, 2, 3),
    sizes: Sequence[int] = (1000, 10_000, 100_000),
    runs: int = 10,
    delta: float | None = None,
    clip: Clip = 0.001,
    methods: Sequence[Method] = ("empirical", "normal"),
    seed: int = 0,
    progress: Progress = iter,
) -> GammaSimulation:
    """Epsilon* estimates from repeated samples of two Gamma distributions (Figures 4 and 5).

    Members' losses follow Gamma(shape 2, scale 5), non-members' Gamma(2 + shift, 5). All methods
    use the same samples, which depend on the setting and `seed` alone.

    Parameters
    ----------
    shifts : sequence of float, at least 0, finite; nothing leaks at 0
    sizes : sequence of int, losses per class, at least 3
    runs : int, samples per setting, at least 1
    delta : float, optional
        In [0, 1]; left out: ``1 / (n log n)``. The paper does not say which it took.
    clip : float, None or "paper"
        As of `epsilon_star`. One number makes methods comparable; with "paper" each has an estimand
        of its own.
    methods : sequence of {"empirical", "normal", "mixture"}
    seed : int
    progress : callable, wraps the rounds, one for each sample; `tqdm.tqdm` shows a bar

    Returns
    -------
    GammaSimulation

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If mixtures are requested and scikit-learn is not installed.

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.gamma_simulation(shifts=[2], sizes=[100], runs=3).estimates[0]
    empirical n = 100    shift = 2: 3.07 ± 0.28, truth 4.21
    """
    from scipy.stats import gamma  # slow to import

    distinct = np.unique(checks.reals("shifts", checks.finite_vector("shifts", shifts), 0, np.inf))
    given = np.unique(checks.finite_vector("sizes", sizes)).tolist()
    whole_sizes = [checks.whole("sizes", n, SMALLEST_SIZE) for n in given]
    runs = checks.whole("runs", runs, 1)
    seed = checks.whole("seed", seed, 0)
    for method in methods:
        checks.choice("methods", method, METHODS)
    if delta is not None:
        delta = checks.real("delta", delta, 0, 1)
    settings = [(n, shift) for n in whole_sizes for shift in distinct.tolist()]
    found: dict[tuple[Method, int, float], list[RatioSuprema]] = {}
    for k in progress(range(len(settings) * runs)):
        n, shift = settings[k // runs]
        scores = _gamma_losses(n, shift, seed=seed, run=k % runs)
        of_n = paper_delta(n) if delta is None else delta
        for method in dict.fromkeys(methods):
            star = epsilon_star(scores, delta=of_n, method=method, clip=clip, seed=seed)
            found.setdefault((method, n, shift), []).append(star.suprema)
    member = FrozenLaw(gamma(SHAPE, scale=SCALE))
    pairs = {
        shift: LawPair(FrozenLaw(gamma(SHAPE + shift, scale=SCALE)), member)
        for _, shift in settings
    }
    estimates = [
        SimulatedEstimates(
            method=method,
            n=n,
            shift=shift,
            values=checks.read_only(np.array([one.value for one in suprema])),
            log_ratios=checks.read_only(np.array([one.log_ratios for one in suprema])),
            exact=ratios_of_laws(pairs[shift], delta=suprema[0].delta, clip=suprema[0].clip),
        )
        for (method, n, shift), suprema in found.items()
    ]
    return GammaSimulation(estimates=tuple(estimates), runs=runs, seed=seed)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RatioNoise:
    """log m1 and log m2 of two Normal distributions, and of samples of them.

    Parameters
    ----------
    true, counted : tuple of two ndarray, shape (k, 2)
        Columns ``(TPR + FPR) / 2``, ascending, and log ratio; at most 512 vertices, finite. Those
        counted include the maxima, and both sides of jumps in the tails.
    exact : LawRatios, the largest ratios of the distributions over the rates that were kept

    Examples
    --------
    >>> from dpviz import audit
    >>> noise = audit.ratio_noise(n=100)
    >>> [curve.shape[1] for curve in noise.counted]
    [2, 2]
    """

    true: tuple[FloatArray, ...]
    counted: tuple[FloatArray, ...]
    exact: LawRatios


def ratio_noise(
    *,
    n: int = 10_000,
    delta: float = 0.0,
    separation: float = 3.0,
    smallest_rate: float = 1e-9,
    seed: int = 0,
) -> RatioNoise:
    """The first two ratios from true and from measured rates (Figure 3).

    Losses of members follow N(0, 1), of non-members N(separation, 1).

    Parameters
    ----------
    n : int
        Losses per class, at least 1. The paper gives neither it nor `delta`.
    delta : float in [0, 1]
    separation : float, at least 0; 3 in the paper
    smallest_rate : float
        In (0, 0.5). Thresholds with a rate below it, or above 1 less it, are left out, as in the
        paper: at delta 0 the ratios are unbounded.
    seed : int

    Returns
    -------
    RatioNoise

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.ratio_noise(n=100).exact.active
    0
    """
    n = checks.whole("n", n, 1)
    delta = checks.real("delta", delta, 0, 1)
    separation = checks.real("separation", separation, 0, np.inf, closed="left")
    smallest = checks.real("smallest_rate", smallest_rate, 0, 0.5, closed="neither")
    rng = np.random.default_rng(checks.whole("seed", seed, 0))
    pair = LawPair(Normal(mean=separation, sd=1), Normal(mean=0, sd=1))
    low, high = surviving_window(pair, smallest)
    at = np.linspace(low, high, VERTICES if low <= high else 0)
    true = _two_curves(
        fpr=ndtr(at - separation),
        fnr=ndtr(-at),
        tpr=ndtr(at),
        tnr=ndtr(separation - at),
        delta=delta,
    )
    scores = AttackScores.from_losses(
        member=rng.normal(size=n), nonmember=rng.normal(separation, size=n)
    )
    curve = AttackCurve.from_scores(scores)
    counted = empirical_suprema(threshold_blocks(scores), delta=delta, clip=smallest)
    shown = _near_ends(curve, [curve.index_of(fpr=fpr, fnr=fnr) for fpr, fnr in counted.places])
    rates = np.array([curve.fpr[shown], curve.fnr[shown], curve.tpr[shown], curve.tnr[shown]])
    fpr, fnr, tpr, tnr = rates[:, (rates > smallest).all(axis=0)]
    return RatioNoise(
        true=true,
        counted=_two_curves(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta),
        exact=ratios_of_laws(pair, delta=delta, clip=smallest),
    )


def _gamma_losses(n: int, shift: float, *, seed: int, run: int) -> AttackScores:
    rng = np.random.default_rng([seed, run, n, int(np.float64(shift).view(np.uint64))])
    return AttackScores.from_losses(
        member=rng.gamma(SHAPE, SCALE, n), nonmember=rng.gamma(SHAPE + shift, SCALE, n)
    )


def _two_curves(
    *, fpr: FloatArray, fnr: FloatArray, tpr: FloatArray, tnr: FloatArray, delta: float
) -> tuple[FloatArray, ...]:
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    return finite_curves((tpr + fpr) / 2, logs[:, :2])


def _near_ends(curve: AttackCurve, at: Sequence[int]) -> Counts:
    """Indices of thresholds around errors: every one at the ends, geometrically fewer inwards."""
    last = curve.fpr.size - 1
    flagged, missed = curve.false_positives, (curve.n_members - curve.true_positives)[::-1]
    wrong = np.unique(np.geomspace(1, curve.n_members, COUNTS).round())
    begins, ends = np.searchsorted(flagged, wrong), last - np.searchsorted(missed, wrong)
    even = np.linspace(0, last, COUNTS).astype(int)
    picked = np.concatenate([begins, begins - 1, ends, ends + 1, even, np.array(at, int)])
    return np.unique(np.clip(picked, 0, last))
