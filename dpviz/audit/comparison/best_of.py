"""The certified bound of the best of several attacks: the choice among them is paid for.

**Statement.** Each of k attacks certifies a lower bound of the epsilon of its own distributions of
scores, with error probability at most a / k where ``a = 1 - confidence_level``. The epsilon of the
model is at least that of every attack on it. So the largest of the bounds exceeds it only if one of
the k bounds is false, with probability at most ``k a / k = a`` by the union bound: whatever the
attacks, however they depend on each other, and whichever of them is chosen afterwards.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from dpviz import checks
from dpviz.audit.bounds.lower_bound import lower_bound
from dpviz.audit.bounds.registry import DEFAULT
from dpviz.audit.bounds.result import AppliesTo, EpsilonBound
from dpviz.audit.scores.base import Scores, require_scores


@dataclass(frozen=True, kw_only=True, eq=False)
class BestOf:
    """The lower bounds of several attacks, which hold at once.

    Parameters
    ----------
    bounds : mapping of str to EpsilonBound
        One for each attack, at confidence ``1 - (1 - confidence_level) / k``.
    confidence_level : float
        That all of them hold, and hence `low`.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> scores = read_sample("overfitted")
    >>> attacks = {"low loss": scores, "high loss": scores.reversed()}
    >>> found = audit.best_of(attacks, delta=1e-5, method="local_levels")
    >>> found.name, found.each
    ('low loss', 0.975)
    """

    bounds: Mapping[str, EpsilonBound]
    confidence_level: float

    @property
    def name(self) -> str:
        """The attack with the largest bound; of equal ones the first."""
        return max(self.bounds, key=lambda name: self.bounds[name].low)

    @property
    def low(self) -> float:
        """The largest bound: a lower limit of the model's epsilon at `confidence_level`."""
        return self.bounds[self.name].low

    @property
    def each(self) -> float:
        """The confidence level of every single bound."""
        return self.bounds[self.name].confidence_level


def best_of(
    attacks: Mapping[str, Scores],
    *,
    delta: float,
    confidence_level: float = 0.95,
    method: str = DEFAULT,
    applies_to: AppliesTo = "instance",
    seed: int = 0,
) -> BestOf:
    """A lower confidence limit of epsilon from the best of several attacks on one model.

    Parameters
    ----------
    attacks : mapping of str to AttackScores or BinnedScores
        One at least: every attack that was tried, not only those that did well.
    delta, confidence_level, method, applies_to, seed
        As of `lower_bound`; the confidence is that of all bounds together.

    Returns
    -------
    BestOf

    Raises
    ------
    ValueError
        If there is no attack, or as of `lower_bound`.

    References
    ----------
    Bonferroni's inequality; Dunn, JASA 56 (1961) 52.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> scores = read_sample("overfitted")
    >>> attacks = {"low loss": scores, "high loss": scores.reversed()}
    >>> round(audit.best_of(attacks, delta=1e-5, method="local_levels").low, 2)
    2.31
    """
    checks.instance("attacks", attacks, Mapping, "a mapping of names to attack scores")
    for name, scores in attacks.items():
        require_scores(f"attacks[{name!r}]", scores)
    if not attacks:
        raise ValueError("attacks must have one attack at least, got none")
    level = checks.real("confidence_level", confidence_level, 0, 1, closed="neither")
    each = 1 - (1 - level) / len(attacks)
    bounds = {
        name: lower_bound(
            scores,
            delta=delta,
            confidence_level=each,
            method=method,
            applies_to=applies_to,
            seed=seed,
        )
        for name, scores in attacks.items()
    }
    return BestOf(bounds=bounds, confidence_level=level)
