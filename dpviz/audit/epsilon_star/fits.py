"""Distributions fitted to transformed losses: Normal, or mixtures of them (extra ``mixture``)."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.certified_suprema import LawPair
from dpviz.audit.epsilon_star.laws import Mixture, Normal
from dpviz.audit.epsilon_star.transform import TransformedScores
from dpviz.audit.scores.ordered_sample import OrderedSample
from dpviz.checks import FloatArray

FitMethod = Literal["normal", "mixture"]
FIT_METHODS = ("normal", "mixture")
Components = int | Literal["bic", "ks"]
MOST_COMPONENTS = 20  # of a mixture
FITTED_AT_MOST = 10_000  # losses of a class for a mixture, drawn at random where there are more
LEAST_SPREAD = 1e-12  # standard deviation, where the data's range is about 1, that is no rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedLaws:
    """A distribution for each class, fitted to the transformed losses.

    `pair` is None where a class has no spread to fit; `notes` say so, and how a mixture was found.
    """

    pair: LawPair | None
    sample: TransformedScores
    method: FitMethod
    notes: tuple[str, ...]


def fit_laws(
    sample: TransformedScores,
    *,
    method: FitMethod = "normal",
    components: Components = "bic",
    seed: int = 0,
) -> FittedLaws:
    """A distribution fitted to the transformed losses of each class.

    "normal": maximum likelihood. "mixture": expectation maximisation by scikit-learn, on at most
    10,000 losses per class; ImportError if it is not installed. `components`, 1 to 20, is a number,
    or for each class the one with the smallest BIC ("bic"), or the smallest one that the paper's
    two-sample Kolmogorov-Smirnov test does not reject at 0.05, fitted to one half of the losses and
    compared with the other ("ks").
    """
    checks.choice("method", method, FIT_METHODS)
    checked_components(components)
    seed = checks.whole("seed", seed, 0)
    note = _without_spread(sample)
    if note:
        return FittedLaws(pair=None, sample=sample, method=method, notes=(note,))
    if method == "normal":
        normals = [
            Normal(mean=mean, sd=sd)
            for mean, sd in (sample.nonmember.moments, sample.member.moments)
        ]
        return FittedLaws(pair=LawPair(*normals), sample=sample, method=method, notes=())
    rng = np.random.default_rng(seed)
    mixtures = [_fit_mixture(x, components, rng) for x in (sample.nonmember, sample.member)]
    n_nonmember, n_member = (len(law.components) for law in mixtures)
    notes = [f"components: {n_member} for members, {n_nonmember} for non-members"]
    if max(sample.member.size, sample.nonmember.size) > FITTED_AT_MOST:
        source = " from the binned ones" if sample.scores.is_binned else ""
        notes.append(f"fitted to {FITTED_AT_MOST} losses per class drawn at random{source}")
    # One component is a Normal distribution, whose suprema are exact.
    laws = [m.components[0] if len(m.components) == 1 else m for m in mixtures]
    pair = LawPair(*laws)
    return FittedLaws(pair=pair, sample=sample, method=method, notes=tuple(notes))


def checked_components(components: Any) -> Components:
    """The number of components, or the rule that finds it."""
    if isinstance(components, str):
        checks.choice("components", components, ("bic", "ks"))
        return "bic" if components == "bic" else "ks"
    return checks.whole("components", components, 1, MOST_COMPONENTS)


def _without_spread(sample: TransformedScores) -> str:
    """Why there is nothing to fit; empty where both classes have spread."""
    flat = {
        name: x.smallest == x.largest or x.moments[1] <= LEAST_SPREAD
        for name, x in (("members", sample.member), ("non-members", sample.nonmember))
    }
    if sample.transform.low == sample.transform.high:
        which = "all losses"
    elif all(flat.values()):
        which = "in each class all losses"
    elif any(flat.values()):
        which = f"all losses of the {next(name for name, is_flat in flat.items() if is_flat)}"
    else:
        return ""
    return f"{which} are equal: counted, not fitted"


def _fit_mixture(
    sample: OrderedSample, components: Components, rng: np.random.Generator
) -> Mixture:
    ranks = np.arange(min(sample.size, FITTED_AT_MOST))
    if sample.size > FITTED_AT_MOST:
        ranks = rng.choice(sample.size, FITTED_AT_MOST, replace=False)
    x = sample.at(ranks)
    # At most one component for two distinct losses, so that none rests on a single record.
    most = min(MOST_COMPONENTS, max(1, np.unique(x).size // 2))
    seed = int(rng.integers(2**31))
    if isinstance(components, int):
        number = min(components, most)
    elif components == "bic":
        scaled = _scaled(x)
        fits = [_expectation_maximisation(scaled, k, seed) for k in range(1, most + 1)]
        number = 1 + int(np.argmin([fit.bic(scaled[:, None]) for fit in fits]))
    else:
        number = _smallest_not_rejected(rng.permutation(x), most, rng)
    fit = _expectation_maximisation(_scaled(x), number, seed)
    means = x.mean() + x.std() * fit.means_[:, 0]
    sds = x.std() * np.sqrt(fit.covariances_[:, 0, 0])
    return Mixture(fit.weights_ / fit.weights_.sum(), means, sds)


def _smallest_not_rejected(x: FloatArray, most: int, rng: np.random.Generator) -> int:
    """The paper's rule; where all are rejected, the number with the largest p-value."""
    from scipy.stats import ks_2samp  # slow to import

    half = x.size // 2
    if half < 2:
        return 1
    scaled = _scaled(x)
    fitting, comparing = scaled[:half], scaled[half : half + 1000]
    most = min(most, max(1, np.unique(fitting).size // 2))
    p_values = []
    for k in range(1, most + 1):
        fit = _expectation_maximisation(fitting, k, int(rng.integers(2**31)))
        drawn = fit.sample(comparing.size)[0][:, 0]
        p_values.append(ks_2samp(comparing, drawn).pvalue)
        if p_values[-1] > 0.05:
            break
    return 1 + int(np.argmax(p_values))


def _scaled(x: FloatArray) -> FloatArray:
    """Mean 0 and standard deviation 1: scikit-learn's regularisation is in absolute units."""
    return np.asarray((x - x.mean()) / x.std())


def _expectation_maximisation(scaled: FloatArray, components: int, seed: int) -> Any:
    try:  # optional
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise ImportError("mixtures need scikit-learn: pip install 'dpviz[mixture]'") from error
    fit = GaussianMixture(components, random_state=seed, max_iter=200)
    # On so few columns, threads of the linear algebra cost more than they gain.
    with threadpool_limits(1), warnings.catch_warnings():
        # An ascent that is cut short is a fit good enough for an estimate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit.fit(scaled[:, None])
