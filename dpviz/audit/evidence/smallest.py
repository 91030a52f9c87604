"""The smallest guarantee of a family that scores do not contradict.

**Statement.** A family is ordered if a larger parameter allows more: ``f_b <= f_a`` for ``a < b``.
If the attack's curve lies inside the region of f_c, for some c, the returned parameter exceeds c
with probability at most ``1 - confidence_level``.

**Proof.** `curve_test` tests the parameters of a list fixed in advance upwards, until one is not
refuted; the last one refuted is returned. If that exceeds c, the smallest parameter of the list
that is at least c was refuted, too. Its guarantee allows all that f_c allows, so it holds, and it
is refuted with probability at most ``1 - confidence_level``.

That the mechanism is in the family is an assumption. The second statement may contradict it.

**A second statement, two-sided.** If the attack's own curve is that of a member c, then c lies
strictly between two ends with probability at least `confidence_level`: `CurveBand` holds the curve
at every threshold, so a member allows too little if its curve is somewhere above the upper limit,
and too much if it is somewhere below the convex hull of the lower limit. If the ends cross, no
member has the attack's curve: the mechanism is not in the family, or the attack is not the best.

**Both.** A member with the attack's curve also obeys the first statement. So no member has this
curve if the returned parameter is not below the upper end. Each statement fails with probability at
most ``a = 1 - confidence_level``, so this conclusion has the confidence ``1 - 2 a`` (union bound).
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.whole_curve import curve_test
from dpviz.audit.roc.bands import curve_band
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.attack_scores import ScoresLike, without_copies
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray, Rng
from dpviz.theory import GaussianDP, GaussianMechanism, LaplaceMechanism, SubsampledGaussian
from dpviz.theory.polyline import lower_hull
from dpviz.theory.tradeoff import Adjacency, TradeoffFunction
from dpviz.value_object import ValueObject

GuaranteeOfParameter = Callable[[float], TradeoffFunction]
PARAMETERS = np.geomspace(0.05, 20, 200)  # steps of 3 %
INVERSE_NOISE = np.geomspace(0.05, 5, 60)  # inverse noise multipliers of DP-SGD, which takes long
MULTIPLES = np.geomspace(0.1, 10, 60)
CURVE_ROUNDING = 1e-9  # difference of two curves that may be rounding
LAMBDA = "<lambda>"  # what Python calls a function without a name
FPRS_COMPARED = np.concatenate([np.geomspace(1e-6, 0.5, 40), 1 - np.geomspace(0.5, 1e-6, 40)])


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderedFamily:
    """A family of guarantees with one parameter, ordered by leakage.

    A larger parameter allows more leakage.

    Parameters
    ----------
    name : str
    parameter : str, what the parameter is called
    member : callable, from a parameter to a `TradeoffFunction`
    parameters : ndarray, ascending, to be tried

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.evidence.dp_sgd_family(sampling_rate=0.01, steps=100).member(2.0).noise_multiplier
    0.5
    """

    name: str
    parameter: str
    member: GuaranteeOfParameter
    parameters: FloatArray


KINDS: tuple[tuple[str, str, GuaranteeOfParameter], ...] = (
    ("gaussian", "μ", lambda mu: GaussianDP(mu=mu)),
    ("laplace", "ε", lambda epsilon: LaplaceMechanism(epsilon=epsilon)),
)
FAMILIES = {
    name: OrderedFamily(name=name, parameter=parameter, member=member, parameters=PARAMETERS)
    for name, parameter, member in KINDS
}


def dp_sgd_family(
    *, sampling_rate: float, steps: int, adjacency: Adjacency = "add_remove"
) -> OrderedFamily:
    """Return the DP-SGD guarantees of one sampling rate, ordered by 1 / noise multiplier.

    Parameters
    ----------
    sampling_rate : float, in (0, 1]
    steps : int, at least 1
    adjacency : {"add_remove", "replace_one"}

    Examples
    --------
    "The training behaves like a noise multiplier of at most 0.5", if it is DP-SGD:

    >>> import numpy as np
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=np.arange(60, 160), nonmember=np.arange(100))
    >>> family = audit.evidence.dp_sgd_family(sampling_rate=0.5, steps=2)
    >>> audit.smallest(family, scores, parameters=[0.5, 1, 2, 4]).guarantee.noise_multiplier
    0.5
    """

    @cache  # composing one takes a tenth of a second
    def dp_sgd_at(inverse_noise: float) -> SubsampledGaussian:
        return SubsampledGaussian(
            noise_multiplier=1 / checks.positive("parameters", inverse_noise),
            sampling_rate=sampling_rate,
            steps=steps,
            adjacency=adjacency,
        )

    dp_sgd_at(1.0)  # raises ValueError for invalid arguments
    return OrderedFamily(name="DP-SGD", parameter="1/σ", member=dp_sgd_at, parameters=INVERSE_NOISE)


def sensitivity_family(guarantee: TradeoffFunction) -> OrderedFamily:
    """Return a mechanism's guarantees at multiples of the assumed sensitivity.

    Parameters
    ----------
    guarantee : GaussianDP, GaussianMechanism, LaplaceMechanism or SubsampledGaussian

    Raises
    ------
    ValueError, if it is another guarantee, which does not depend on a sensitivity

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> audit.evidence.sensitivity_family(theory.LaplaceMechanism(epsilon=0.5)).member(3.0)
    LaplaceMechanism(epsilon=1.5)
    """
    kinds = SubsampledGaussian | GaussianMechanism | GaussianDP | LaplaceMechanism
    if not isinstance(guarantee, kinds):
        raise checks.fail("guarantee", "Gaussian, Laplace or DP-SGD", guarantee)

    def guarantee_at(multiple: float) -> TradeoffFunction:
        multiple, adjacency = checks.positive("parameters", multiple), guarantee.adjacency
        # A larger sensitivity is less noise, relative to it.
        match guarantee:
            case SubsampledGaussian(noise_multiplier=noise):
                return replace(guarantee, noise_multiplier=noise / multiple)
            case GaussianMechanism(noise_multiplier=noise):
                return GaussianMechanism(noise_multiplier=noise / multiple, adjacency=adjacency)
            case GaussianDP(mu=mu):
                return GaussianDP(mu=multiple * mu, adjacency=adjacency)
            case _:
                epsilon = multiple * guarantee.claimed_epsilon
                return LaplaceMechanism(epsilon=epsilon, adjacency=adjacency)

    return OrderedFamily(
        name="multiples of its sensitivity",
        parameter="a multiple",
        member=guarantee_at,
        parameters=MULTIPLES,
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ConditionalParameterBound(ValueObject):
    """A lower confidence limit of a family's parameter, **if the mechanism is in the family**.

    Parameters
    ----------
    low : float, the largest parameter refuted together with all below it; 0 where none was
    guarantee : TradeoffFunction or None, the member at `low`: the mechanism allows at least as much
    family, parameter : str, their names
    parameters, p_values : ndarray, of the members that were tested
    between : tuple of two floats
        If the attack's own curve is that of a member, the member's parameter lies strictly between
        these. They are 0 and infinity where no parameter of the list is excluded.
    confidence_level : float
    is_last : bool, whether every parameter of the list was refuted, so that `low` may be too small
    n_members, n_nonmembers : int

    Examples
    --------
    >>> from dpviz import audit
    >>> bound = audit.smallest("gaussian", (range(100), range(50, 150)), parameters=[0.5, 1, 2, 4])
    >>> bound.low, bound.guarantee, bound.is_last
    (1.0, GaussianDP(mu=1.0), False)
    """

    low: float
    guarantee: TradeoffFunction | None
    family: str
    parameter: str
    parameters: FloatArray
    p_values: FloatArray
    between: tuple[float, float]
    confidence_level: float
    is_last: bool
    n_members: int
    n_nonmembers: int

    @property
    def fits(self) -> bool:
        """Whether the confidence limits are consistent with some guarantee of the family."""
        return max(self.low, self.between[0]) < self.between[1]

    @property
    def misfit_confidence(self) -> float:
        """The confidence level at which the data reject the whole family of guarantees.

        The result is 0 if the limits are consistent with some guarantee of the family (`fits`).
        """
        if self.fits:
            return 0.0
        if self.between[0] >= self.between[1]:
            return self.confidence_level
        # `low` and the upper end of `between` contradict each other: either may be false.
        return max(0.0, 2 * self.confidence_level - 1)

    @property
    def assumption(self) -> str:
        """The assumption under which `low` is a bound, in words."""
        return f"the mechanism is one of the family {self.family!r}"


def smallest(
    family: str | GuaranteeOfParameter | OrderedFamily,
    scores: ScoresLike,
    *,
    parameters: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    rng: Rng = 0,
    progress: Progress = iter,
) -> ConditionalParameterBound:
    """Return a lower confidence limit of the parameter of a family of guarantees.

    Such a limit says, for example: "if the noise is Gaussian, mu is at least 0.9".

    Parameters
    ----------
    family : {"gaussian", "laplace"}, OrderedFamily or callable
        `dp_sgd_family`, `sensitivity_family`, or a function of the parameter that returns a
        `TradeoffFunction`, and allows more for larger ones: for a noise scale give its inverse.
    scores : AttackScores or BinnedScores, higher = more member-like
    parameters : sequence of float, ascending, **fixed before looking at the scores**
        By default those of the family, else 200 from 0.05 to 20.
    confidence_level : float, in (0, 0.999]
    rng : int or Generator, of ties and simulations
    progress : callable, wraps the parameters; the search stops at the first that is not refuted

    Raises
    ------
    ValueError, if an argument is out of range, or the family is not ordered

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.smallest("gaussian", read_sample("overfitted"), parameters=[0.5, 1, 2, 4]).low
    1.0
    """
    scores = without_copies(scores)
    if isinstance(family, str):
        family = FAMILIES[checks.choice("family", family, FAMILIES)]
    # A bare function becomes a family that has its name.
    elif not isinstance(family, OrderedFamily):
        if not callable(family):
            raise checks.fail("family", "a name, an OrderedFamily or a function", family)
        name = getattr(family, "__name__", LAMBDA)
        family = OrderedFamily(
            name="that was given" if name == LAMBDA else name,
            parameter="parameters",
            member=family,
            parameters=PARAMETERS,
        )
    guarantee_at = _guarantees_with_checked_order(family)
    given = family.parameters if parameters is None else parameters
    tried = checks.vector("parameters", given, finite=True)
    if np.any(np.diff(tried) <= 0):
        raise checks.fail("parameters", "in ascending order without repeats", tried.tolist())
    seed, low, guarantee = checks.seed(rng), 0.0, None
    p_values: list[float] = []
    # The order is fixed and ends at the first guarantee that is not rejected, so each test has the
    # whole level: a true guarantee is rejected only if the first true one is.
    for parameter in progress(tried.tolist()):
        f = guarantee_at(parameter)
        test = curve_test(scores, f, confidence_level=confidence_level, rng=seed)
        p_values.append(test.p_value)
        if not test.rejected:
            break
        low, guarantee = parameter, f
    return ConditionalParameterBound(
        low=low,
        guarantee=guarantee,
        family=family.name,
        parameter=family.parameter,
        parameters=checks.read_only(tried[: len(p_values)]),
        p_values=checks.read_only(np.array(p_values)),
        between=_parameter_interval(scores, guarantee_at, tried.tolist(), confidence_level),
        confidence_level=float(confidence_level),
        is_last=guarantee is not None and bool(low == tried[-1]),
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
    )


def _guarantees_with_checked_order(family: OrderedFamily) -> GuaranteeOfParameter:
    """Return `family.member` with a check that a larger parameter allows more leakage."""
    guarantees: dict[float, TradeoffFunction] = {}

    def guarantee_at(parameter: float) -> TradeoffFunction:
        if parameter in guarantees:
            return guarantees[parameter]
        guarantees[parameter] = f = family.member(parameter)
        if not isinstance(f, TradeoffFunction):
            raise checks.fail("family", "a function that returns a TradeoffFunction", f)
        # A larger parameter must allow more: compare with the nearest ones on both sides.
        ordered = sorted(guarantees)
        place = ordered.index(parameter)
        for less, more in pairwise(ordered[max(place - 1, 0) : place + 2]):
            a, b = guarantees[less], guarantees[more]
            if np.any(b.beta(FPRS_COMPARED) > a.beta(FPRS_COMPARED) + a.error + CURVE_ROUNDING):
                condition = f"ordered by leakage (parameter {more:g} allows less than {less:g})"
                raise checks.fail("family", condition, family.name)
        return f

    return guarantee_at


def _parameter_interval(
    scores: Scores, guarantee_at: GuaranteeOfParameter, grid: list[float], confidence_level: float
) -> tuple[float, float]:
    """Return the range (low, high) of the parameters whose curves a confidence band allows."""
    # What the confidence band, without any family, says about the parameter.
    band = curve_band(AttackCurve.from_scores(scores), confidence_level=confidence_level)
    hull = lower_hull(band.lower).T
    places = np.concatenate([FPRS_COMPARED, hull[0]])  # the last are the FPRs of the hull's corners
    lowest = np.interp(places, *hull)

    def is_nowhere_above_band(parameter: float) -> bool:
        return band.gap(guarantee_at(parameter)).margin <= CURVE_ROUNDING

    def is_somewhere_below_band(parameter: float) -> bool:
        f = guarantee_at(parameter)
        return bool(np.any(f.beta(places) + f.error < lowest - CURVE_ROUNDING))

    # In an ordered family both conditions, once true, stay true as the parameter grows.
    first = bisect_left(grid, True, key=is_nowhere_above_band)
    last = bisect_left(grid, True, key=is_somewhere_below_band)
    return (grid[first - 1] if first else 0.0, grid[last] if last < len(grid) else float("inf"))
