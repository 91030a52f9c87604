"""Ordered families of guarantees: the larger the parameter, the more is allowed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory import (
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    SubsampledGaussian,
    TradeoffFunction,
)
from dpviz.theory.tradeoff import Adjacency

Member = Callable[[float], TradeoffFunction]
PARAMETERS = np.geomspace(0.05, 20, 200)  # steps of 3 %
OF_NOISE = np.geomspace(0.05, 5, 60)  # inverse noise multipliers of DP-SGD, which takes long
MULTIPLES = np.geomspace(0.1, 10, 60)
ERROR = 1e-9  # of the comparison of two curves
PLACES = np.concatenate([np.geomspace(1e-6, 0.5, 40), 1 - np.geomspace(0.5, 1e-6, 40)])


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderedFamily:
    """Guarantees with one parameter, of which a larger one allows more.

    Parameters
    ----------
    name : str
    parameter : str, what the parameter is called
    member : callable, from a parameter to a `TradeoffFunction`
    parameters : ndarray, ascending, to be tried

    Examples
    --------
    >>> from dpviz import audit
    >>> audit.dp_sgd_family(sampling_rate=0.01, steps=100).member(2.0).noise_multiplier
    0.5
    """

    name: str
    parameter: str
    member: Member
    parameters: FloatArray


GAUSSIAN = OrderedFamily(
    name="gaussian", parameter="μ", member=lambda mu: GaussianDP(mu=mu), parameters=PARAMETERS
)
LAPLACE = OrderedFamily(
    name="laplace",
    parameter="ε",
    member=lambda epsilon: LaplaceMechanism(epsilon=epsilon),
    parameters=PARAMETERS,
)
FAMILIES = {family.name: family for family in (GAUSSIAN, LAPLACE)}


def dp_sgd_family(
    *, sampling_rate: float, steps: int, adjacency: Adjacency = "add_remove"
) -> OrderedFamily:
    """DP-SGD with a given sampling rate and number of steps; the parameter is 1 / noise multiplier.

    Parameters
    ----------
    sampling_rate : float, in (0, 1]
    steps : int, at least 1
    adjacency : {"add_remove", "replace_one"}

    Returns
    -------
    OrderedFamily

    Raises
    ------
    ValueError
        If an argument, or later a parameter, is out of range.

    Examples
    --------
    "The training behaves like a noise multiplier of at most 0.5", if it is DP-SGD:

    >>> import numpy as np
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=np.arange(60, 160), nonmember=np.arange(100))
    >>> family = audit.dp_sgd_family(sampling_rate=0.5, steps=2)
    >>> audit.smallest(family, scores, parameters=[0.5, 1, 2, 4]).guarantee.noise_multiplier
    0.5
    """

    @cache  # composing one takes a tenth of a second; other scores need the same ones
    def member(inverse: float) -> SubsampledGaussian:
        return SubsampledGaussian(
            noise_multiplier=1 / _above_0(inverse),
            sampling_rate=sampling_rate,
            steps=steps,
            adjacency=adjacency,
        )

    member(1.0)  # raises what is wrong with the arguments
    return OrderedFamily(name="DP-SGD", parameter="1/σ", member=member, parameters=OF_NOISE)


def sensitivity_family(guarantee: TradeoffFunction) -> OrderedFamily:
    """What a mechanism allows if its sensitivity is so many times the one it was calibrated to.

    Parameters
    ----------
    guarantee : GaussianDP, GaussianMechanism, LaplaceMechanism or SubsampledGaussian

    Returns
    -------
    OrderedFamily

    Raises
    ------
    ValueError
        If it is another guarantee, for which the sensitivity is not a parameter.

    Examples
    --------
    >>> from dpviz import audit, theory
    >>> audit.sensitivity_family(theory.LaplaceMechanism(epsilon=0.5)).member(3.0)
    LaplaceMechanism(epsilon=1.5)
    """
    member: Member
    match guarantee:
        case SubsampledGaussian(noise_multiplier=noise) as trained:

            def member(multiple: float) -> TradeoffFunction:
                return replace(trained, noise_multiplier=noise / _above_0(multiple))
        case GaussianMechanism(noise_multiplier=noise, adjacency=adjacency):

            def member(multiple: float) -> TradeoffFunction:
                return GaussianMechanism(
                    noise_multiplier=noise / _above_0(multiple), adjacency=adjacency
                )
        case GaussianDP(mu=mu, adjacency=adjacency):

            def member(multiple: float) -> TradeoffFunction:
                return GaussianDP(mu=_above_0(multiple) * mu, adjacency=adjacency)
        case LaplaceMechanism(claimed_epsilon=epsilon, adjacency=adjacency):

            def member(multiple: float) -> TradeoffFunction:
                return LaplaceMechanism(epsilon=_above_0(multiple) * epsilon, adjacency=adjacency)
        case _:
            condition = "Gaussian, Laplace or DP-SGD: others have no sensitivity"
            raise checks.fail("guarantee", condition, guarantee)
    return OrderedFamily(
        name="multiples of its sensitivity",
        parameter="a multiple",
        member=member,
        parameters=MULTIPLES,
    )


def _above_0(parameter: float) -> float:
    """The parameter, which divides or scales a noise."""
    return checks.real("parameters", parameter, 0, closed="neither")
