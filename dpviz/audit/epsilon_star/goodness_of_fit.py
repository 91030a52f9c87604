"""How well fitted laws describe losses they have not seen, and what one extreme loss decides.

Kolmogorov-Smirnov tests look at the middle of a law; Epsilon* lives in its tails. A p-value above
0.05 says that this many losses did not show the difference, not that the fit is right: look at the
quantiles beside it.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz import checks
from dpviz.audit.ascending import Ascending
from dpviz.audit.binned_scores import Scores
from dpviz.audit.fits import (
    FIT_METHODS,
    Components,
    FitMethod,
    checked_components,
    fit_laws,
)
from dpviz.audit.laws import Law
from dpviz.audit.transform import TRANSFORMS, Transform, TransformedScores
from dpviz.checks import FloatArray

REJECTED = 0.05
INFLUENTIAL = 0.2
"""Share of the range that one loss adds, from which it is worth a warning."""
SMALLEST_CLASS = 4
TAIL_QUANTILES = 60


@dataclass(frozen=True, kw_only=True)
class ClassFit:
    """Tests of one class's law against held-out losses of that class.

    Parameters
    ----------
    n_held_out : int
    distance, p_value : float
        One-sample Kolmogorov-Smirnov test against the law's CDF; exact distribution.
    two_sample_p_value : float
        The paper's test, against as many draws from the law: it also carries their noise.
    """

    n_held_out: int
    distance: float
    p_value: float
    two_sample_p_value: float


@dataclass(frozen=True, kw_only=True)
class GoodnessOfFit:
    """Tests of both laws, fitted to the rest, on held-out losses; None without enough losses."""

    member: ClassFit | None
    nonmember: ClassFit | None

    @property
    def rejected(self) -> tuple[str, ...]:
        """The classes whose law the one-sample test rejects at 0.05."""
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
    """Fit laws to some of the losses and test them on the others (Appendix B of the paper).

    The number of components is found on the first part alone, so that the test is fresh. The ends
    of the transform come from all losses.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    method, transform, components
        As in `epsilon_star`, without "empirical".
    held_out : int
        Losses per class to test on, at least 2; never more than half of the class. The paper varied
        it from 100 to 1000: with more of them, smaller differences show.
    seed : int
        Of the split and of the draws.

    Raises
    ------
    ValueError
        If an argument leaves its range.
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
    """The loss that adds most to the pooled range of the data, alone.

    Parameters
    ----------
    loss : float
        In the unit the numbers came in.
    share : float
        Of the range; without this loss it would be that much shorter.
    """

    loss: float
    share: float

    @property
    def is_influential(self) -> bool:
        """Whether it adds enough to be worth a warning: it sets the paper's normalisation."""
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


def quantile_pairs(x: Ascending, law: Law) -> FloatArray:
    """Quantiles of a law beside those of data, both in the data's standard units.

    Returns
    -------
    ndarray, shape (k, 2)
        Columns law and data, k at most 120: the most extreme records of either tail one by one,
        then at ranks that grow geometrically.
    """
    n = x.size
    ranks = np.unique(np.geomspace(1, (n + 1) // 2, min(TAIL_QUANTILES, n)).round().astype(int))
    p = (ranks - 0.5) / n
    theory = np.concatenate([law.quantile(p), law.upper_quantile(p)[::-1]])
    data = np.concatenate([x.at(ranks - 1), x.at(n - ranks)[::-1]])
    mean, sd = x.moments
    return np.column_stack([(theory - mean) / sd, (data - mean) / sd])


def _split(x: Ascending, held_out: int, rng: np.random.Generator) -> tuple[Ascending, FloatArray]:
    """Data to fit to, and to test on."""
    tested = np.sort(rng.choice(x.size, min(held_out, x.size // 2), replace=False))
    return x.without(tested), x.at(tested)


def _tested(x: FloatArray, law: Law, rng: np.random.Generator) -> ClassFit:
    from scipy.stats import ks_1samp, ks_2samp

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
