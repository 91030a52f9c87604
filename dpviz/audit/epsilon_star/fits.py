"""Distributions fitted to losses, and tests of these fits on held-out losses.

Losses are transformed as in the paper (Appendix B), then Normal distributions or mixtures of them
(extra ``mixture``) are fitted to each class. Kolmogorov-Smirnov tests are sensitive in the middle
of a distribution, but Epsilon* depends on its tails. So a large p-value does not mean that the fit
is right: compare the quantiles, too.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpviz import checks
from dpviz.audit.epsilon_star.laws import Law, Mixture, Normal
from dpviz.audit.epsilon_star.suprema import LawPair
from dpviz.audit.scores.attack_scores import ScoresLike, as_scores
from dpviz.audit.scores.base import OrderedSample, Scores, negated_if_loss
from dpviz.checks import FloatArray, Rng
from dpviz.value_object import ValueObject

Transform = Literal["paper", "none"]
TRANSFORMS = ("paper", "none")
FitMethod = Literal["normal", "mixture"]
FIT_METHODS = ("normal", "mixture")
Components = int | Literal["bic", "ks"]
MOST_COMPONENTS = 20  # of a mixture
FITTED_AT_MOST = 10_000  # losses per class for a mixture; of more, these are drawn at random
LEAST_SPREAD = 1e-12  # smaller standard deviations of transformed losses are rounding errors
COMPARED_AT_MOST = 1000  # losses in the paper's rule for the number of components
TEST_LEVEL = 0.05  # of the tests of fits
INFLUENTIAL_RANGE_SHARE = 0.2  # share of the range due to one loss from which to warn
SMALLEST_CLASS = 4  # losses that can be split in two
TAIL_QUANTILES = 60  # of either tail


@dataclass(frozen=True, kw_only=True)
class FittedLossTransform:
    """A transform of losses, applied before distributions are fitted to the losses.
    With `form` "paper" it is ``phi = -log(expm1(1 + u))`` with ``u = (loss - low) / (high - low)``.
    `phi` **decreases** in the loss, is nearly affine and lies in [-1.8546, -0.5413]. One extreme
    loss changes all values. With "none" it is `u`, which fits the losses themselves.
    """

    low: float  # the smallest finite loss of both classes
    high: float  # the largest
    form: Transform = "paper"

    def phi(self, losses: FloatArray) -> FloatArray:
        """Return the paper's transform phi of each loss, scaled by the range of the fitted data."""
        return -np.log(np.expm1(1 + self._rescaled(losses)))

    def __call__(self, losses: FloatArray) -> FloatArray:
        """Return ``-phi`` or, if `form` is "none", rescaled losses; low values suggest members."""
        return self._rescaled(losses) if self.form == "none" else -self.phi(losses)

    def loss_at(self, x: float) -> float:
        """Return the loss whose transform is `x`; it may be outside the range of the data."""
        if not np.isfinite(x):
            return x
        u = x if self.form == "none" else np.logaddexp(0, x) - 1
        return float(self.low + u * (self.high - self.low))

    def _rescaled(self, losses: FloatArray) -> FloatArray:
        """Return u: losses rescaled so that the range of the data is [0, 1]."""
        spread = self.high - self.low
        # Infinite losses, to which nothing is fitted, are drawn at the ends.
        inside = np.clip(losses, self.low, self.high)
        return (inside - self.low) / spread if spread > 0 else np.zeros_like(losses)


@dataclass(frozen=True, kw_only=True, eq=False)
class TransformedLosses:
    """The transformed losses of both classes, ascending; **low losses suggest members**."""

    member: OrderedSample  # of losses (-score for scores); binned ones are at the mean of their bin
    nonmember: OrderedSample
    transform: FittedLossTransform
    scores: Scores  # before the transform

    @classmethod
    def of(cls, scores: ScoresLike, form: Transform = "paper") -> TransformedLosses:
        """Return the transformed losses of both classes; the range of all losses sets the scale."""
        scores = as_scores("scores", scores)
        member, nonmember = (sample.negated() for sample in scores.samples_for_fits())
        finite = [f for x in (member, nonmember) if (f := x.finite_scores).size] or [np.zeros(1)]
        low, high = float(min(x[0] for x in finite)), float(max(x[-1] for x in finite))
        transform = FittedLossTransform(low=low, high=high, form=form)
        member, nonmember = member.mapped(transform), nonmember.mapped(transform)
        return cls(member=member, nonmember=nonmember, transform=transform, scores=scores)

    def original_threshold(self, x: float) -> float:
        """Convert a threshold `x` on transformed losses to the original scale of the scores."""
        return negated_if_loss(-self.transform.loss_at(x), self.scores.kind)


def transform_losses(*, member: ArrayLike, nonmember: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the losses of members and non-members after the paper's transform.

    It scales by the range of all losses and decreases; it is -0.5413 if all losses are equal.

    Parameters
    ----------
    member, nonmember : array, one-dimensional, finite losses

    Raises
    ------
    ValueError, if losses are not finite

    Examples
    --------
    >>> from dpviz.audit.epsilon_star import transform_losses
    >>> member, nonmember = transform_losses(member=[0, 1], nonmember=[1, 2])
    >>> member.round(4), nonmember.round(4)
    (array([-0.5413, -1.2475]), array([-1.2475, -1.8546]))
    """
    members = checks.vector("member losses", member)
    nonmembers = checks.vector("nonmember losses", nonmember)
    ends = np.concatenate([members, nonmembers])
    if n := int(np.isinf(ends).sum()):
        raise ValueError(f"losses must be finite: {infinite_losses_text(n)}")
    transform = FittedLossTransform(low=float(ends.min()), high=float(ends.max()))
    return transform.phi(members), transform.phi(nonmembers)


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedLaws:
    """A distribution for each class, fitted to the transformed losses."""

    pair: LawPair | None  # None where all losses of a class are equal
    sample: TransformedLosses
    method: FitMethod
    notes: tuple[str, ...]  # why there is no fit, or the numbers of components


def fit_laws(
    sample: TransformedLosses,
    *,
    method: FitMethod = "normal",
    components: Components = "bic",
    seed: int = 0,
) -> FittedLaws:
    """Fit a distribution to the transformed losses of each class.
    `components` is their number, or a rule: "bic" takes the smallest BIC, "ks" the smallest number
    that a Kolmogorov-Smirnov test allows. ImportError for a mixture without scikit-learn.
    """
    checks.choice("method", method, FIT_METHODS)
    checked_components(components)
    seed = checks.whole("seed", seed, 0)
    if note := _no_fit_note(sample):
        return FittedLaws(pair=None, sample=sample, method=method, notes=(note,))
    classes = (sample.nonmember, sample.member)
    # Moments alone decide a Normal distribution; a mixture is fitted by EM.
    if method == "normal":
        normals = [Normal(mean=mean, sd=sd) for mean, sd in (x.mean_and_sd for x in classes)]
        return FittedLaws(pair=LawPair(*normals), sample=sample, method=method, notes=())
    rng = np.random.default_rng(seed)
    mixtures = [_fit_mixture(x, components, rng) for x in classes]
    n_nonmember, n_member = (len(law.components) for law in mixtures)
    notes = [f"components: {n_member} for members, {n_nonmember} for non-members"]
    if max(x.size for x in classes) > FITTED_AT_MOST:
        source = " from the binned ones" if sample.scores.is_binned else ""
        notes.append(f"fitted to {FITTED_AT_MOST} losses per class drawn at random{source}")
    # One component is a Normal distribution, whose suprema are exact.
    pair = LawPair(*(m.components[0] if len(m.components) == 1 else m for m in mixtures))
    return FittedLaws(pair=pair, sample=sample, method=method, notes=tuple(notes))


def infinite_losses_text(n: int) -> str:
    """Return the message that `n` losses are infinite, with a way to make them finite."""
    return f"{n} {'loss is' if n == 1 else 'losses are'} infinite (a logit_clip makes them finite)"


def checked_components(components: Any) -> Components:
    """Return `components`, a number or the rule "bic" or "ks"; ValueError for anything else."""
    if isinstance(components, str):
        checks.choice("components", components, ("bic", "ks"))
        return "bic" if components == "bic" else "ks"
    return checks.whole("components", components, 1, MOST_COMPONENTS)


def _no_fit_note(sample: TransformedLosses) -> str:
    """Return a note on why no distribution can be fitted, or "" if one can."""
    if n := sample.scores.n_infinite:
        return f"{infinite_losses_text(n)}: counted, not fitted"
    flat = [
        name
        for name, x in (("members", sample.member), ("non-members", sample.nonmember))
        if x.smallest == x.largest or x.mean_and_sd[1] <= LEAST_SPREAD
    ]
    if sample.transform.low == sample.transform.high:
        return "all losses are equal: counted, not fitted"
    if len(flat) == 2:
        return "in each class all losses are equal: counted, not fitted"
    return f"all losses of the {flat[0]} are equal: counted, not fitted" if flat else ""


def _fit_mixture(
    sample: OrderedSample, components: Components, rng: np.random.Generator
) -> Mixture:
    """Fit a mixture to the losses of one class; `components` is their number, or "bic" or "ks"."""
    ranks = np.arange(min(sample.size, FITTED_AT_MOST))
    if sample.size > FITTED_AT_MOST:
        ranks = rng.choice(sample.size, FITTED_AT_MOST, replace=False)
    x = sample.at_ranks(ranks)
    # At most one component for two distinct losses, so that none rests on a single record.
    most = min(MOST_COMPONENTS, max(1, np.unique(x).size // 2))
    seed = int(rng.integers(2**31))
    if isinstance(components, int):
        number = min(components, most)
    elif components == "bic":
        scaled = _standardise(x)
        fits = [_fit_by_expectation_maximisation(scaled, k, seed) for k in range(1, most + 1)]
        number = 1 + int(np.argmin([fit.bic(scaled[:, None]) for fit in fits]))
    else:
        number = _component_count_by_ks(rng.permutation(x), most, rng)
    # The fit is to standardised losses: means and standard deviations are rescaled.
    fit = _fit_by_expectation_maximisation(_standardise(x), number, seed)
    means = x.mean() + x.std() * fit.means_[:, 0]
    sds = x.std() * np.sqrt(fit.covariances_[:, 0, 0])
    return Mixture(fit.weights_ / fit.weights_.sum(), means, sds)


def _component_count_by_ks(x: FloatArray, most: int, rng: np.random.Generator) -> int:
    """Return the fewest components whose fit to half of `x` passes a KS test on the other half."""
    # If all are rejected: that with the largest p-value.
    from scipy.stats import ks_2samp  # slow to import

    half = x.size // 2
    if half < 2:
        return 1
    scaled = _standardise(x)
    fitting, comparing = scaled[:half], scaled[half : half + COMPARED_AT_MOST]
    most = min(most, max(1, np.unique(fitting).size // 2))
    # As many draws from each fit as there are losses to compare them with.
    p_values = []
    for k in range(1, most + 1):
        fit = _fit_by_expectation_maximisation(fitting, k, int(rng.integers(2**31)))
        drawn = fit.sample(comparing.size)[0][:, 0]
        p_values.append(ks_2samp(comparing, drawn).pvalue)
        if p_values[-1] > TEST_LEVEL:
            break
    return 1 + int(np.argmax(p_values))


def _standardise(x: FloatArray) -> FloatArray:
    """Scale losses to mean 0 and sd 1, because scikit-learn regularises in absolute units."""
    return np.asarray((x - x.mean()) / x.std())


def _fit_by_expectation_maximisation(scaled: FloatArray, components: int, seed: int) -> Any:
    """Fit a mixture of Normal distributions; ImportError if scikit-learn is not installed."""
    try:  # optional
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise ImportError("mixtures need scikit-learn: pip install 'dpviz[mixture]'") from error
    fit = GaussianMixture(components, random_state=seed, max_iter=200)
    # With one column, threads of the linear algebra cost more than they gain.
    with threadpool_limits(1), warnings.catch_warnings():
        # An ascent that is cut short is a fit good enough for an estimate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit.fit(scaled[:, None])


@dataclass(frozen=True)
class ClassFitTests:
    """Kolmogorov-Smirnov tests, on held-out losses, of the fit to one class."""

    n_held_out: int
    distance: float  # of the one-sample test against the fitted CDF
    p_value: float  # of that test; exact distribution
    two_sample_p_value: float  # the paper's test, against as many draws from the fit


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GoodnessOfFit(ValueObject):
    """Goodness-of-fit tests of both classes on held-out losses.

    The tests `member` and `nonmember` are None without a fit.

    Examples
    --------
    >>> from dpviz import audit, read_sample
    >>> audit.goodness_of_fit(read_sample("gamma")).rejected
    ('members', 'non-members')
    """

    member: ClassFitTests | None
    nonmember: ClassFitTests | None

    @property
    def rejected(self) -> tuple[str, ...]:
        """The names of the classes whose fit the one-sample test rejects at level 0.05."""
        both = (("members", self.member), ("non-members", self.nonmember))
        return tuple(name for name, fit in both if fit and fit.p_value <= TEST_LEVEL)


def goodness_of_fit(
    scores: ScoresLike,
    *,
    method: FitMethod = "normal",
    transform: Transform = "paper",
    components: Components = "bic",
    held_out: int = 1000,
    rng: Rng = 0,
) -> GoodnessOfFit:
    """Return Kolmogorov-Smirnov tests of fits on held-out losses (Epsilon* paper, Appendix B).

    The held-out losses are used by the transform, but not for the number of components.

    Parameters
    ----------
    scores : AttackScores or BinnedScores
    method, transform, components : as of `epsilon_star`, without "empirical"
    held_out : int, losses per class to test on, at least 2; never more than half of the class
    rng : int or Generator, of the split and of the draws

    Raises
    ------
    ValueError, if an argument leaves its range, or a loss is infinite

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
    seed = checks.seed(rng)
    sample = TransformedLosses.of(scores, transform)
    if n := sample.scores.n_infinite:
        raise ValueError(f"scores must be finite for a fit: {infinite_losses_text(n)}")
    if min(sample.member.size, sample.nonmember.size) < SMALLEST_CLASS:
        return GoodnessOfFit(member=None, nonmember=None)
    # One split for fit and test, so that a test never sees the losses of its fit.
    rng = np.random.default_rng(seed)
    member, tested_member = _split_off_test_set(sample.member, held_out, rng)
    nonmember, tested_nonmember = _split_off_test_set(sample.nonmember, held_out, rng)
    fitting = replace(sample, member=member, nonmember=nonmember)
    pair = fit_laws(fitting, method=method, components=components, seed=seed).pair
    if pair is None:
        return GoodnessOfFit(member=None, nonmember=None)
    of_member = _test_fit(tested_member, pair.member, rng)
    of_nonmember = _test_fit(tested_nonmember, pair.nonmember, rng)
    return GoodnessOfFit(member=of_member, nonmember=of_nonmember)


def _split_off_test_set(
    x: OrderedSample, held_out: int, rng: np.random.Generator
) -> tuple[OrderedSample, FloatArray]:
    tested = np.sort(rng.choice(x.size, min(held_out, x.size // 2), replace=False))
    return x.without_ranks(tested), x.at_ranks(tested)


def _test_fit(x: FloatArray, law: Law, rng: np.random.Generator) -> ClassFitTests:
    """Return KS tests of held-out losses: against the CDF of `law` and against draws from it."""
    from scipy.stats import ks_1samp, ks_2samp  # slow to import

    def cdf(at: Any) -> Any:
        return np.exp(law.log_cdf(at))

    # The one-sample test against the fitted CDF, and the paper's test against draws from it.
    one, two = ks_1samp(x, cdf), ks_2samp(x, law.quantile(rng.uniform(size=x.size)))
    return ClassFitTests(x.size, *map(float, (one.statistic, one.pvalue, two.pvalue)))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class KsByComponents(ValueObject):
    """P-values of Kolmogorov-Smirnov tests of mixtures with 1, 2, ... components.

    All tests share one set of held-out losses. With few losses a large p-value does not indicate a
    right fit, and the largest of many even less so. The paper (Appendix B) accepts if a p-value
    exceeds 0.05 for any of 20 mixtures. `joint_p_values` corrects for the number of tests.

    Parameters
    ----------
    p_values, two_sample_p_values : ndarray, shape (k, 2), of members and non-members
        Row i: i + 1 components, against the fitted CDF or, as in the paper, as many draws from it.
    n_held_out : tuple of int, of members and of non-members

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz.audit.epsilon_star import KsByComponents
    >>> p = np.array([[0.01, 0.2], [0.3, 0.6]])
    >>> KsByComponents(p_values=p, two_sample_p_values=p, n_held_out=(100, 100)).joint_p_values
    array([0.02, 0.4 ])
    """

    p_values: FloatArray
    two_sample_p_values: FloatArray
    n_held_out: tuple[int, int]

    @property
    def components(self) -> NDArray[np.int64]:
        """The numbers of components that were tested: 1, 2, ..."""
        return np.arange(1, len(self.p_values) + 1)

    @property
    def largest_p_values(self) -> FloatArray:
        """The largest two-sample p-value of the fits of each class.

        The paper compares these p-values with 0.05.
        """
        return np.asarray(self.two_sample_p_values.max(axis=0))

    @property
    def joint_p_values(self) -> FloatArray:
        """For each class, a Bonferroni p-value of the hypothesis that all fits are right."""
        return np.asarray(np.minimum(1.0, len(self.p_values) * self.p_values.min(axis=0)))


def ks_by_components(
    scores: ScoresLike, *, most: int = MOST_COMPONENTS, held_out: int = 1000, rng: Rng = 0
) -> KsByComponents:
    """Return tests of mixtures of 1 to `most` Normals on held-out losses (paper, Figure 6).

    Parameters
    ----------
    scores : AttackScores or BinnedScores, at least 4 losses per class, not all equal
    most : int from 1 to 20
    held_out : int, as of `goodness_of_fit`
    rng : int or Generator

    Raises
    ------
    ImportError, if scikit-learn is not installed

    Examples
    --------
    >>> from dpviz import read_sample
    >>> from dpviz.audit.epsilon_star import ks_by_components
    >>> ks_by_components(read_sample("gamma"), most=2, held_out=100).p_values.shape
    (2, 2)
    """
    scores = as_scores("scores", scores)
    most = checks.whole("most", most, 1, MOST_COMPONENTS)
    given: dict[str, Any] = {"method": "mixture", "held_out": held_out, "rng": checks.seed(rng)}
    rows = []
    # The same seed splits each class in the same way for every number of components.
    for k in range(1, most + 1):
        fit = goodness_of_fit(scores, components=k, **given)
        if fit.member is None or fit.nonmember is None:
            sizes = (scores.n_members, scores.n_nonmembers)
            raise checks.fail("scores", "at least 4 per class, at least 2 of them distinct", sizes)
        rows.append((fit.member, fit.nonmember))
    return KsByComponents(
        p_values=checks.read_only(np.array([[x.p_value for x in row] for row in rows])),
        two_sample_p_values=checks.read_only(
            np.array([[x.two_sample_p_value for x in row] for row in rows])
        ),
        n_held_out=(rows[-1][0].n_held_out, rows[-1][1].n_held_out),
    )


@dataclass(frozen=True, kw_only=True)
class ExtremeLoss:
    """The smallest or the largest loss: the loss whose removal shortens the range more."""

    loss: float  # on the original scale
    share: float  # by which its removal would shorten the range

    @property
    def is_influential(self) -> bool:
        """Whether this loss stretches the range so much that it distorts the paper's transform."""
        return self.share >= INFLUENTIAL_RANGE_SHARE


def extreme_loss(scores: Scores) -> ExtremeLoss:
    """Return the smallest or the largest score: the score whose removal shortens the range more."""
    classes = (scores.members, scores.nonmembers)
    two = [(x, np.arange(min(2, x.size))) for x in classes]
    low = np.sort(np.concatenate([x.at_ranks(i) for x, i in two]))
    high = np.sort(np.concatenate([x.at_ranks(x.size - 1 - i) for x, i in two]))
    ends = np.array([low[:2], high[-1:-3:-1]])
    gaps = np.abs(ends[:, 1] - ends[:, 0])
    side, spread = int(np.argmax(gaps)), float(high[-1] - low[0])
    share = float(gaps[side]) / spread if spread > 0 else 0.0
    return ExtremeLoss(loss=negated_if_loss(float(ends[side, 0]), scores.kind), share=share)


def quantile_pairs(x: OrderedSample, law: Law) -> FloatArray:
    """Return fitted and observed quantiles (columns), standardised by the data's mean and sd."""
    n = x.size
    # Ranks in geometric steps from either end, with plotting positions (rank - 1/2) / n.
    ranks = np.unique(np.geomspace(1, (n + 1) // 2, min(TAIL_QUANTILES, n)).round().astype(int))
    p = (ranks - 0.5) / n
    theory = np.concatenate([law.quantile(p), law.upper_quantile(p)[::-1]])
    data = np.concatenate([x.at_ranks(ranks - 1), x.at_ranks(n - ranks)[::-1]])
    # In units of the data, so that the line of a perfect fit is the diagonal.
    mean, sd = x.mean_and_sd
    return np.column_stack([(theory - mean) / sd, (data - mean) / sd])
