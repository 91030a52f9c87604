"""The simulations of the Epsilon* paper's Appendix B, with the true values beside the estimates.

There the laws of the losses are known, so what an estimate is worth can be seen: how far it is from
the Epsilon* of the laws themselves **over the same thresholds** (the clip is part of what is
estimated), and which ratio it takes for the leak.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.audit.ascending import Counts
from dpviz.audit.blocks import threshold_blocks
from dpviz.audit.curve import AttackCurve
from dpviz.audit.empirical import empirical_suprema
from dpviz.audit.epsilon_star import epsilon_star
from dpviz.audit.law_ratios import LawPair
from dpviz.audit.laws import FrozenLaw, Normal
from dpviz.audit.parametric import LawRatios, ratios_of_laws, surviving_window
from dpviz.audit.ratios import METHODS, Clip, Method, RatioSuprema
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import AttackScores
from dpviz.checks import FloatArray
from dpviz.theory.region import implied_epsilons

SHAPE, SCALE = 2.0, 5.0
"""Of the Gamma law of training losses in the paper."""
SMALLEST_SIZE = 3
VERTICES = 500
COUNTS = 60
"""Of wrong answers, from 1 to all, at which a noisy curve is drawn."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SimulatedEstimates:
    """Estimates of Epsilon* from samples of one pair of laws, and the true value.

    Parameters
    ----------
    method : {"empirical", "normal", "mixture"}
    n : int
        Losses per class.
    shift : float
        How much larger the shape of the non-members' Gamma law is.
    values : ndarray, shape (runs,)
        Inf or nan where `epsilon_star` gives that.
    log_ratios : ndarray, shape (runs, 4)
        Logs of the largest m1..m4.
    exact : LawRatios
        Epsilon* of the laws themselves; `exact.delta` and `exact.clip` are those of the estimates.
    """

    method: Method
    n: int
    shift: float
    values: FloatArray
    log_ratios: FloatArray
    exact: LawRatios

    @property
    def truth(self) -> float:
        """What is estimated; exact up to `exact.gap`."""
        return self.exact.value

    @property
    def mean(self) -> float:
        """Mean over the runs; inf or nan as soon as one run is."""
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
    """Estimates for every method, size and shift; `repr` of one says mean ± sd and the truth."""

    estimates: tuple[SimulatedEstimates, ...] = field(repr=False)
    runs: int
    seed: int

    def of(self, *, method: Method, n: int, shift: float) -> SimulatedEstimates:
        """The estimates of one method at one size and shift.

        Raises
        ------
        ValueError
            If they were not simulated.
        """
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
    """Estimate Epsilon* from samples of two Gamma laws, again and again (Figures 4 and 5).

    Members' losses follow Gamma(shape 2, scale 5), non-members' Gamma(2 + shift, 5). All methods
    see the same samples, and a setting's samples depend on `seed` and on nothing else asked for.

    Parameters
    ----------
    shifts : sequence of float
        At least 0, finite; nothing leaks at 0.
    sizes : sequence of int
        Losses per class, at least 3.
    runs : int
        Samples per setting, at least 1.
    delta : float, optional
        In [0, 1]; left out: ``1 / (n log n)``. The paper does not say which it took.
    clip : float, None or "paper"
        As in `epsilon_star`. One number makes methods comparable; with "paper" each estimates
        something else, and has a truth of its own.
    methods : sequence of {"empirical", "normal", "mixture"}
    seed : int
    progress : callable
        Wraps the rounds, one for each sample; `tqdm.tqdm` shows a bar.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If mixtures are asked for and scikit-learn is not installed.
    """
    from scipy.stats import gamma

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
        of_n = 1 / (n * np.log(n)) if delta is None else delta
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
    """log m1 and log m2 of two Normal laws, and of a sample of them.

    Parameters
    ----------
    true, counted : tuple of two ndarray, shape (k, 2)
        Columns ``(TPR + FPR) / 2``, ascending, and log ratio; at most 512 vertices, finite. Those
        counted hold the maxima, and the places just before and after a further wrong answer.
    exact : LawRatios
        The largest ratios of the laws over the rates that were kept.
    """

    true: tuple[FloatArray, FloatArray]
    counted: tuple[FloatArray, FloatArray]
    exact: LawRatios


def ratio_noise(
    *,
    n: int = 10_000,
    delta: float = 0.0,
    separation: float = 3.0,
    smallest_rate: float = 1e-9,
    seed: int = 0,
) -> RatioNoise:
    """The first two ratios from true and from counted rates (Figure 3).

    Losses of members follow N(0, 1), of non-members N(separation, 1).

    Parameters
    ----------
    n : int
        Losses per class, at least 1. Neither it nor `delta` is in the paper.
    delta : float
        In [0, 1].
    separation : float
        At least 0; 3 in the paper.
    smallest_rate : float
        In (0, 0.5). Thresholds with a rate below it, or above 1 less it, are left out, as in the
        paper. That caps the curves: at delta 0 the ratios of the laws have no limit.
    seed : int

    Raises
    ------
    ValueError
        If an argument leaves its range.
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
) -> tuple[FloatArray, FloatArray]:
    logs = implied_epsilons(fpr=fpr, fnr=fnr, tpr=tpr, tnr=tnr, delta=delta)
    middle = (tpr + fpr) / 2
    first, second = (
        checks.read_only(np.column_stack([middle, values])[np.isfinite(values)])
        for values in logs.T[:2]
    )
    return first, second


def _near_ends(curve: AttackCurve, at: Sequence[int]) -> Counts:
    """Indices of thresholds around every wrong answer at the ends, of fewer and fewer inwards."""
    last = curve.fpr.size - 1
    accused, missed = curve.false_positives, (curve.n_members - curve.true_positives)[::-1]
    wrong = np.unique(np.geomspace(1, curve.n_members, COUNTS).round())
    begins, ends = np.searchsorted(accused, wrong), last - np.searchsorted(missed, wrong)
    even = np.linspace(0, last, COUNTS).astype(int)
    picked = np.concatenate([begins, begins - 1, ends, ends + 1, even, np.array(at, int)])
    return np.unique(np.clip(picked, 0, last))
