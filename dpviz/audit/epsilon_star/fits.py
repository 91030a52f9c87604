"""Laws fitted to transformed losses: Normal, or mixtures of Normal laws (extra ``mixture``)."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpviz import checks
from dpviz.audit.ascending import Ascending
from dpviz.audit.binned_scores import BinnedScores
from dpviz.audit.law_ratios import LawPair
from dpviz.audit.laws import Mixture, Normal
from dpviz.audit.transform import TransformedScores
from dpviz.checks import FloatArray

FitMethod = Literal["normal", "mixture"]
FIT_METHODS = ("normal", "mixture")
Components = int | Literal["bic", "ks"]
MOST_COMPONENTS = 20
FITTED_AT_MOST = 10_000
"""Losses of a class that a mixture is fitted to, drawn at random where there are more."""
LEAST_SPREAD = 1e-12
"""Standard deviation, in a unit where all data fit in about 1, below which it is rounding."""


@dataclass(frozen=True, kw_only=True, eq=False)
class FittedLaws:
    """A law for each class, fitted to the transformed losses.

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
    """Fit a law to each class.

    Parameters
    ----------
    sample : TransformedScores
    method : {"normal", "mixture"}
        Normal: maximum likelihood, standard deviation with ddof = 0. Mixture: expectation
        maximisation by scikit-learn, on at most 10,000 losses per class.
    components : int, "bic" or "ks"
        Components of a mixture, 1 to 20: a number, or for each class the number with the smallest
        BIC, or the smallest number that the paper's two-sample Kolmogorov-Smirnov test does not
        reject at 0.05 (fitted to one half of the losses, compared with the other).
    seed : int
        What is random in a mixture follows from it.

    Raises
    ------
    ValueError
        If an argument leaves its range.
    ImportError
        If a mixture is asked for and scikit-learn is not installed.
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
        source = " from the binned ones" if isinstance(sample.scores, BinnedScores) else ""
        notes.append(f"fitted to {FITTED_AT_MOST} losses per class drawn at random{source}")
    # One component is a Normal law, whose suprema are exact.
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
    """What to say where a class has nothing to fit; empty where both have."""
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


def _fit_mixture(sample: Ascending, components: Components, rng: np.random.Generator) -> Mixture:
    ranks = np.arange(min(sample.size, FITTED_AT_MOST))
    if sample.size > FITTED_AT_MOST:
        ranks = rng.choice(sample.size, FITTED_AT_MOST, replace=False)
    x = sample.at(ranks)
    # More components than every second distinct loss would stand on single records.
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
    """The paper's rule; where all are rejected, the number that comes nearest to not being so."""
    from scipy.stats import ks_2samp

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
    """Mean 0 and standard deviation 1, so that scikit-learn's constants mean the same always."""
    return np.asarray((x - x.mean()) / x.std())


def _expectation_maximisation(scaled: FloatArray, components: int, seed: int) -> Any:
    try:
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.mixture import GaussianMixture
        from threadpoolctl import threadpool_limits
    except ImportError as error:
        raise ImportError("mixtures need scikit-learn: pip install 'dpviz[mixture]'") from error
    fit = GaussianMixture(components, random_state=seed, max_iter=200)
    # Threads of the linear algebra wait for one another longer than they work on so few columns.
    with threadpool_limits(1), warnings.catch_warnings():
        # The last step of a slow ascent is a fit as good as any for an estimate.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit.fit(scaled[:, None])
