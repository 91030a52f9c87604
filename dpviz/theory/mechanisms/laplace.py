"""Laplace noise and uniform noise on a query."""

from dataclasses import KW_ONLY, dataclass

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.atoms import Atoms, FinitelyManyLosses
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.outputs import NoiseDistribution, OutputLaws, noisy_query
from dpviz.theory.profile import exp_above_tangent, times_exp
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction


def _laplace_cdf(x: FloatArray) -> FloatArray:
    below = np.exp(-np.abs(x)) / 2
    return np.where(x <= 0, below, 1 - below)


def _laplace_quantile(probability: float) -> float:
    with np.errstate(divide="ignore"):
        small = np.log(2 * np.minimum(probability, 1 - probability))
    return float(small if probability <= 0.5 else -small)


LAPLACE_NOISE = NoiseDistribution(  # in units of its scale
    density=lambda x: np.exp(-np.abs(x)) / 2,
    cdf=_laplace_cdf,
    quantile=_laplace_quantile,
    loss=lambda x, shift: np.clip(2 * x - shift, -shift, shift),
    draw=lambda rng, n: rng.laplace(0.0, 1.0, n),
    reach=5.5,
    corners=(0.0,),
)


@dataclass(frozen=True, init=False, repr=False)
class PureDPMechanism(TradeoffFunction):
    """A mechanism whose only parameter is the least epsilon for which it is epsilon-DP."""

    claimed_epsilon: float  # `epsilon` is a method of every trade-off function
    adjacency: Adjacency
    _group_factor = "epsilon", 2

    def __init__(self, epsilon: float, *, adjacency: Adjacency = "replace_one") -> None:
        largest = checks.real("epsilon", epsilon, 0, np.inf)
        self._set_fields(claimed_epsilon=largest, adjacency=adjacency)

    def atoms(self) -> Atoms | None:
        """Return the privacy losses with their masses if epsilon is 0 or inf; None otherwise."""
        epsilon = self.claimed_epsilon
        return PureDP(epsilon=epsilon).atoms() if epsilon in (0, np.inf) else None


@dataclass(frozen=True, init=False, repr=False)
class LaplaceMechanism(PureDPMechanism):
    """Laplace noise on a query of bounded L1 sensitivity.

    With scale b and sensitivity D, ``epsilon = D / b``. The curve (Dong, Roth and Su, 2022, section
    2) is that of epsilon-DP but higher in the middle.

    Parameters
    ----------
    epsilon : float, in [0, inf]: sensitivity divided by scale

    Examples
    --------
    >>> from dpviz.theory import LaplaceMechanism, PureDP
    >>> round(LaplaceMechanism(epsilon=1.0).tpr(0.3), 4), round(PureDP(epsilon=1.0).tpr(0.3), 4)
    (0.6934, 0.7425)
    """

    @property
    def kinks(self) -> tuple[float, ...]:
        """The FPRs at which the formula of the curve changes.

        The slope is continuous there.
        """
        return tuple(sorted({x for x in (self._first_kink, 0.5) if 0 < x < 1}))

    @property
    def _first_kink(self) -> float:
        """The FPR ``e^-epsilon / 2``, up to which the curve is straight."""
        return float(np.exp(-self.claimed_epsilon) / 2)

    def outputs(self) -> OutputLaws:
        """Return Laplace distributions of scale 1 about 0 (P) and about epsilon (Q)."""
        return noisy_query("output (unit: scale of the noise)", LAPLACE_NOISE, self.claimed_epsilon)

    def _beta(self, alpha: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.zeros_like(alpha)
        with np.errstate(divide="ignore", over="ignore"):
            middle = np.exp(-s - np.log(4 * alpha))
        shallow = np.exp(-s) * (1 - alpha)
        steep = 1 - times_exp(s, alpha)
        return np.where(alpha <= self._first_kink, steep, np.where(alpha <= 0.5, middle, shallow))

    def _tpr(self, fpr: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.ones_like(fpr)
        with np.errstate(divide="ignore", over="ignore"):
            middle = -np.expm1(-s - np.log(4 * fpr))
        shallow = -np.expm1(-s) + np.exp(-s) * fpr
        steep = times_exp(s, fpr)
        return np.where(fpr <= self._first_kink, steep, np.where(fpr <= 0.5, middle, shallow))

    def _advantage(self, fpr: FloatArray) -> FloatArray:
        if np.isinf(self.claimed_epsilon):
            return 1 - fpr
        gain = -np.expm1(-self.claimed_epsilon)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            # Two forms of 1 - a - e^-s / (4 a); each one is accurate where the other cancels.
            far = 1 - fpr - np.exp(-self.claimed_epsilon) / (4 * fpr)
            near = (gain / 4 - (fpr - 0.5) ** 2) / fpr
            middle = far if self.claimed_epsilon > 1 else near
        steep = gain * times_exp(self.claimed_epsilon, fpr)
        upper = np.where(fpr <= 0.5, middle, gain * (1 - fpr))
        return np.asarray(np.where(fpr <= self._first_kink, steep, upper))

    def _delta(self, epsilon: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.ones_like(epsilon)
        inside = -np.expm1(np.minimum((epsilon - s) / 2, 0.0))
        return np.where(epsilon > -s, inside, -np.expm1(np.minimum(epsilon, 0.0)))

    def _epsilon(self, delta: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            log_rest = np.log1p(-delta)
        if np.isinf(self.claimed_epsilon):
            return np.where(delta == 1, 0.0, np.inf)
        return np.maximum(0.0, self.claimed_epsilon + 2 * log_rest)

    def _fpr_of_loss(self, epsilon: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        if np.isinf(s):
            return np.where(np.isneginf(epsilon), 1.0, 0.0)
        middle = np.exp(-(s + np.clip(epsilon, -s, s)) / 2) / 2
        return np.where(epsilon > s, 0.0, np.where(epsilon <= -s, 1.0, middle))

    def _renyi_bounds(self, orders: FloatArray) -> FloatArray:
        s, excess = self.claimed_epsilon, orders - 1
        if np.isinf(s):
            return np.full_like(orders, np.inf)
        with np.errstate(divide="ignore", invalid="ignore"):
            # Mironov (2017), proposition 6; the second form is accurate where the log is near 0
            ahead, back = orders / (2 * orders - 1), excess / (2 * orders - 1)
            large = np.logaddexp(np.log(ahead) + excess * s, np.log(back) - orders * s)
            rise = np.minimum(excess * s, 1.0)
            small = ahead * exp_above_tangent(rise) + back * exp_above_tangent(-orders * s)
            divergence = np.where(excess * s < 1, np.log1p(small), large) / excess
        return np.where(excess == 0, exp_above_tangent(np.array(-s)), divergence)

    def _loss_at(self, fpr: FloatArray) -> FloatArray:
        s = self.claimed_epsilon
        middle = -s - 2 * np.log(2 * fpr)
        return np.where(fpr < self._first_kink, s, np.where(fpr < 0.5, middle, -s))


# Uniform noise: the loss is 0 or infinite.


UNIFORM_NOISE = NoiseDistribution(  # in units of its width
    density=lambda x: (np.abs(x) <= 0.5).astype(np.float64),
    cdf=lambda x: np.clip(x + 0.5, 0.0, 1.0),
    quantile=lambda probability: probability - 0.5,
    loss=lambda x, shift: np.where(x < shift - 0.5, -np.inf, np.where(x > 0.5, np.inf, 0.0)),
    draw=lambda rng, n: rng.uniform(-0.5, 0.5, n),
    reach=0.75,
    corners=(-0.5, 0.5),
)


@dataclass(frozen=True, repr=False)
class UniformMechanism(FinitelyManyLosses):
    """Uniform noise on an interval of a given width.

    The mechanism is exactly (0, delta)-DP with ``delta = min(1, sensitivity / width)``. No epsilon
    has a smaller delta: an output outside the intervals' overlap reveals the data set.

    Parameters
    ----------
    width : float, length of the interval, in (0, inf]
    sensitivity : float, largest change of the query, in [0, inf)

    Examples
    --------
    >>> from dpviz.theory import UniformMechanism
    >>> UniformMechanism(width=4.0, sensitivity=1.0).delta(10.0)
    0.25
    """

    width: float
    sensitivity: float = 1.0
    _: KW_ONLY
    adjacency: Adjacency = "replace_one"
    _group_factor = "sensitivity", 2

    def __post_init__(self) -> None:
        width = checks.real("width", self.width, 0, np.inf, closed="right")
        shift = checks.real("sensitivity", self.sensitivity, 0, np.inf, closed="left")
        self._set_fields(width=width, sensitivity=shift)

    def outputs(self) -> OutputLaws:
        """Return the output distributions, in units of the noise's width.

        P is centred at 0, Q at sensitivity / width.
        """
        shift = self.sensitivity / self.width
        return noisy_query("output (unit: width of the noise)", UNIFORM_NOISE, shift)

    def _compute_atoms(self) -> Atoms:
        revealed = min(1.0, self.sensitivity / self.width)
        return ApproximateDP(epsilon=0, delta=revealed).atoms()
