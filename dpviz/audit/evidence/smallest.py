"""The smallest member of a family of guarantees that scores do not contradict.

**Statement.** A family is ordered if a larger parameter allows more: ``f_b <= f_a`` for ``a < b``.
If the attack's curve lies inside the region of f_c, for one c, the returned parameter exceeds c
with probability at most ``1 - confidence_level``.

**Proof.** Parameters of a list fixed in advance are tested upwards, by `curve_test`, until one is
not refuted; the last one refuted is returned. If it exceeds c, so does the first parameter of the
list that is not below c, and was refuted; but what it allows contains what f_c allows, so this has
a probability of at most the level.

That the mechanism is in the family is an assumption: a leak of another shape may be no smaller than
any of its members, or need a much larger one.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.evidence.whole_curve import curve_test
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.theory import GaussianDP, LaplaceMechanism, TradeoffFunction

Family = Callable[[float], TradeoffFunction]
FAMILIES: dict[str, Family] = {
    "gaussian": lambda mu: GaussianDP(mu=mu),
    "laplace": lambda epsilon: LaplaceMechanism(epsilon=epsilon),
}
PARAMETERS = np.geomspace(0.05, 20, 200)  # steps of 3 %
PLACES = np.concatenate([np.geomspace(1e-6, 0.5, 40), 1 - np.geomspace(0.5, 1e-6, 40)])
SLACK = 1e-9  # of the comparison of two curves


@dataclass(frozen=True, kw_only=True, eq=False)
class ConditionalParameterBound:
    """A lower confidence limit of a family's parameter, **if the mechanism is in the family**.

    Parameters
    ----------
    low : float
        The largest parameter refuted, as all below it were; 0 where none was.
    guarantee : TradeoffFunction or None
        The family's member with parameter `low`: the mechanism allows at least as much.
    family : str
    parameters, p_values : ndarray, of the members that were tested
    confidence_level : float
    is_last : bool, whether every parameter of the list was refuted, so that `low` may be too small
    n_members, n_nonmembers : int

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100))
    >>> bound = audit.smallest("gaussian", scores, parameters=[0.5, 1, 2, 4])
    >>> bound.low, bound.guarantee, bound.is_last
    (1.0, GaussianDP(mu=1.0), False)
    """

    low: float
    guarantee: TradeoffFunction | None
    family: str
    parameters: FloatArray
    p_values: FloatArray
    confidence_level: float
    is_last: bool
    n_members: int
    n_nonmembers: int

    @property
    def assumption(self) -> str:
        """The condition of the statement."""
        return f"the mechanism is one of the family {self.family!r}"


def smallest(
    family: str | Family,
    scores: Scores,
    *,
    parameters: Sequence[float] | None = None,
    confidence_level: float = 0.95,
    seed: int = 0,
    progress: Progress = iter,
) -> ConditionalParameterBound:
    """What an ordered family must at least allow: "if it is Gaussian, mu is at least 0.9".

    Parameters
    ----------
    family : {"gaussian", "laplace"} or callable
        A function of the parameter that returns a `TradeoffFunction`, and allows more for larger
        ones: for a noise multiplier give its inverse.
    scores : AttackScores or BinnedScores, higher = more member-like
    parameters : sequence of float
        Ascending, **fixed before looking at the scores**; by default 200 from 0.05 to 20.
    confidence_level : float, in (0, 0.999]
    seed : int, of ties and simulations
    progress : callable, wraps the parameters to test; the search ends before

    Returns
    -------
    ConditionalParameterBound

    Raises
    ------
    ValueError
        If an argument is out of range, or the family is not ordered.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.smallest("gaussian", read_sample("overfitted"), parameters=[0.5, 1, 2, 4]).low
    1.0
    """
    if isinstance(family, str):
        name, make = family, FAMILIES[checks.choice("family", family, FAMILIES)]
    else:
        name, make = getattr(family, "__name__", "family"), family
    tried = checks.finite_vector("parameters", PARAMETERS if parameters is None else parameters)
    if np.any(np.diff(tried) <= 0):
        raise checks.fail("parameters", "ascending", tried.tolist())
    low, guarantee, before = 0.0, None, np.full(PLACES.size, np.inf)
    p_values: list[float] = []
    is_last = True
    for parameter in progress(tried.tolist()):
        f = make(parameter)
        if not isinstance(f, TradeoffFunction):
            raise checks.fail("family", "a function that returns a TradeoffFunction", f)
        curve = np.array([f.beta(place) for place in PLACES])
        if np.any(curve > before + SLACK):
            condition = f"ordered (less is allowed at {parameter:g} than before)"
            raise checks.fail("family", condition, name)
        before = curve
        test = curve_test(scores, f, confidence_level=confidence_level, seed=seed)
        p_values.append(test.p_value)
        if not test.rejected:
            is_last = False
            break
        low, guarantee = parameter, f
    return ConditionalParameterBound(
        low=low,
        guarantee=guarantee,
        family=name,
        parameters=checks.read_only(tried[: len(p_values)]),
        p_values=checks.read_only(np.array(p_values)),
        confidence_level=float(confidence_level),
        is_last=is_last,
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
    )
