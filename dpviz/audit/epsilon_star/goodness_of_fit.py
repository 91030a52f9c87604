"""Goodness of fit: tests of fitted distributions on held-out losses, quantiles, extreme losses.

Kolmogorov-Smirnov tests are sensitive in the middle of a distribution, Epsilon* depends on its
tails. A large p-value means that so many losses do not show a difference, not that the fit is
right: compare the quantiles, too.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.fits import (
    FIT_METHODS,
    Components,
    FitMethod,
    checked_components,
    fit_laws,
)
from dpviz.audit.epsilon_star.laws import Law
from dpviz.audit.epsilon_star.transform import TRANSFORMS, Transform, TransformedScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import OrderedSample
from dpviz.checks import FloatArray

REJECTED = 0.05  # level of the tests
INFLUENTIAL = 0.2  # fraction of the range added by one loss, from which it is worth a warning
SMALLEST_CLASS = 4  # losses that are enough for a split
TAIL_QUANTILES = 60  # of either tail


@dataclass(frozen=True, kw_only=True)
class ClassFit:
    """Kolmogorov-Smirnov tests of the fit to members, or to non-members, on held-out losses."""

    n_held_out: int
    distance: float  # of the one-sample test against the fitted CDF
    p_value: float  # of that test; exact distribution
    two_sample_p_value: float  # the paper's test, against as many draws from the fit


@dataclass(frozen=True, kw_only=True)
class GoodnessOfFit:
    """Tests of both fits on held-out losses; `member`, `nonmember` are None without enough losses.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.goodness_of_fit(read_sample("gamma")).rejected
    ('members', 'non-members')
    """

    member: ClassFit | None
    nonmember: ClassFit | None

    @property
    def rejected(self) -> tuple[str, ...]:
        """The classes whose fit the one-sample test rejects at 0.05."""
        both = (("members", self.member), ("non-members", self.nonmember))
        return tuple(name for name, fit in both if fit and fit.p_value <= REJECTED)


def goodness_of_fit(
    scores: Scores,
    *,
    method: FitMethod = "normal",
    transform: Transform = "paper",
    components: Components = "bic",
    held_out: int = 1000,
    seed: int = 0,
) -> GoodnessOfFit:
    """Kolmogorov-Smirnov tests of fits on held-out losses (Appendix B of the Epsilon* paper).

    The number of components is chosen on the fitted part alone. The ends of the transform come from
    all losses.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    method, transform, components : as of `epsilon_star`, without "empirical"
    held_out : int
        Losses per class to test on, at least 2; never more than half of the class. The paper has
        100 to 1000: more losses show smaller differences.
    seed : int, of the split and of the draws

    Returns
    -------
    GoodnessOfFit

    Raises
    ------
    ValueError
        If an argument leaves its range.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> fit = audit.goodness_of_fit(read_sample("overfitted"), held_out=100).member
    >>> fit.n_held_out, round(fit.p_value, 2)
    (100, 0.38)
    """
    checks.choice("method", method, FIT_METHODS)
    checks.choice("transform", transform, TRANSFORMS)
    checked_components(components)
    held_out = checks.whole("held_out", held_out, 2)
    seed = checks.whole("seed", seed, 0)
    sample = TransformedScores.of(scores, transform)
    if min(sample.member.size, sample.nonmember.size) < SMALLEST_CLASS:
        return GoodnessOfFit(member=None, nonmember=None)
    rng = np.random.default_rng(seed)
    parts = [_split(x, held_out, rng) for x in (sample.member, sample.nonmember)]
    (fitting_member, tested_member), (fitting_nonmember, tested_nonmember) = parts
    fitting = TransformedScores(
        member=fitting_member,
        nonmember=fitting_nonmember,
        transform=sample.transform,
        scores=scores,
    )
    fits = fit_laws(fitting, method=method, components=components, seed=seed)
    if fits.pair is None:
        return GoodnessOfFit(member=None, nonmember=None)
    return GoodnessOfFit(
        member=_tested(tested_member, fits.pair.member, rng),
        nonmember=_tested(tested_nonmember, fits.pair.nonmember, rng),
    )


@dataclass(frozen=True, kw_only=True)
class RangeEnd:
    """The loss without which the pooled range of the data would be shortest."""

    loss: float  # on the original scale
    share: float  # of the range that it adds

    @property
    def is_influential(self) -> bool:
        """Whether it adds enough to be worth a warning: the paper normalises by the range."""
        return self.share >= INFLUENTIAL


def range_end(scores: Scores) -> RangeEnd:
    """The extreme score whose removal would shorten the pooled range most."""
    classes = (scores.members, scores.nonmembers)
    low = np.sort(np.concatenate([x.at(np.arange(min(2, x.size))) for x in classes]))
    high = np.sort(np.concatenate([x.at(x.size - 1 - np.arange(min(2, x.size))) for x in classes]))[
        ::-1
    ]
    spread = float(high[0] - low[0])
    gaps = [float(low[1] - low[0]), float(high[0] - high[1])]
    side = int(np.argmax(gaps))
    loss = float((low, high)[side][0])
    return RangeEnd(
        loss=-loss if scores.kind == "loss" else loss,
        share=gaps[side] / spread if spread > 0 else 0.0,
    )


def quantile_pairs(x: OrderedSample, law: Law) -> FloatArray:
    """Quantiles of a distribution and of data (columns), in the data's standard units.

    At most 120 rows: the most extreme records of either tail, then ranks in geometric steps.
    """
    n = x.size
    ranks = np.unique(np.geomspace(1, (n + 1) // 2, min(TAIL_QUANTILES, n)).round().astype(int))
    p = (ranks - 0.5) / n
    theory = np.concatenate([law.quantile(p), law.upper_quantile(p)[::-1]])
    data = np.concatenate([x.at(ranks - 1), x.at(n - ranks)[::-1]])
    mean, sd = x.moments
    return np.column_stack([(theory - mean) / sd, (data - mean) / sd])


def _split(
    x: OrderedSample, held_out: int, rng: np.random.Generator
) -> tuple[OrderedSample, FloatArray]:
    tested = np.sort(rng.choice(x.size, min(held_out, x.size // 2), replace=False))
    return x.without(tested), x.at(tested)


def _tested(x: FloatArray, law: Law, rng: np.random.Generator) -> ClassFit:
    from scipy.stats import ks_1samp, ks_2samp  # slow to import

    def cdf(at: Any) -> Any:
        return np.exp(law.log_cdf(at))

    one = ks_1samp(x, cdf)
    drawn = law.quantile(rng.uniform(size=x.size))
    return ClassFit(
        n_held_out=x.size,
        distance=float(one.statistic),
        p_value=float(one.pvalue),
        two_sample_p_value=float(ks_2samp(x, drawn).pvalue),
    )
