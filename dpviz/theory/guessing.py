"""Guessing which candidate is the secret: the best attack on a mechanism that attains a claim.

A guess that is right with probability kappa before the output is seen has candidates of prior
kappa, as many as fit, and one with the rest. Any two candidates give neighbouring data sets:

* noise: one noisy number for each candidate, and that of the secret is larger. A change of the
  secret moves two numbers, so each moves by ``1 / sqrt(2)`` (Gaussian, L2) or ``1 / 2`` (Laplace,
  L1) of the sensitivity: with Gaussian noise the candidates are the corners of a regular simplex;
* (epsilon, delta)-DP: the mechanism names the secret with proof with probability delta, and else by
  randomized response among the candidates.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import log_ndtr

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.claims import ApproximateDP
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.laplace import LaplaceMechanism
from dpviz.theory.outputs import Bars, OutputLaws
from dpviz.theory.tradeoff import Floats, TradeoffFunction, checked_tradeoff


def baseline_of(baseline: Floats | None, candidates: int | None) -> Floats | float:
    """Return `baseline`, or 1 / `candidates`; ValueError unless exactly one of them is given."""
    if (baseline is None) == (candidates is None):
        raise ValueError("expected either baseline or candidates, not both and not neither")
    return 1 / checks.whole("candidates", candidates, 2) if baseline is None else baseline


WHOLE_TOLERANCE = 1e-9  # relative rounding of 1 / baseline: 1 / 0.1 counts as ten candidates
NODES = np.arange(-9.0, 9.0, 1 / 32)  # of the trapezoidal rule, which a Normal density makes exact
PANELS = 2048  # of Simpson's rule
QUADRATURE_ERROR = 1e-12
LARGEST_SHIFT = 40.0  # a larger Laplace loss is proof, up to e^-40 per candidate


@dataclass(frozen=True)
class Candidates:
    """Candidates for a secret: `n` of prior `prior`, and one of prior `rest` if that is > 0."""

    n: int
    prior: float
    rest: float

    @classmethod
    def of(cls, baseline: float) -> "Candidates":
        """Return as many candidates of prior `baseline` as sum to at most 1, and the rest."""
        kappa = checks.share("baseline", baseline)
        n = int(np.floor(1 / kappa + WHOLE_TOLERANCE))
        rest = max(0.0, 1 - n * kappa)
        return cls(n, kappa, rest if rest > WHOLE_TOLERANCE * kappa else 0.0)

    @property
    def total(self) -> int:
        """The number of candidates."""
        return self.n + (self.rest > 0)

    @property
    def priors(self) -> FloatArray:
        """The prior of each candidate; ValueError for more than 10^6 candidates."""
        checks.whole("number of candidates", self.total, 1, 10**6)
        return np.array([self.prior] * self.n + [self.rest] * (self.rest > 0))


def best_guess(
    claim: TradeoffFunction, *, baseline: float | None = None, candidates: int | None = None
) -> float | None:
    """Success of the best guess, the largest posterior (MAP), on a mechanism with this guarantee.

    Exact up to quadrature (relative error below 1e-6 for up to 10^4 candidates), and never above
    the bound of `dpviz.theory.risk.reconstruction`. The mechanisms are those of this module; others
    with the same guarantee may give away more, up to that bound.

    Parameters
    ----------
    claim : TradeoffFunction, for replace-one adjacency
    baseline : float, in (0, 1); probability of being right without the output, also called kappa
    candidates : int, at least 2; in place of `baseline`: so many candidates, each equally likely

    Returns
    -------
    float, or None if the claim is neither (epsilon, delta)-DP, nor Gaussian, nor Laplace noise

    Raises
    ------
    ValueError
        If a number leaves its range, or not one of `baseline` and `candidates` is given.

    References
    ----------
    Kulynych et al., Unifying re-identification, attribute inference, and data reconstruction risks
    in differential privacy (NeurIPS 2025), arXiv 2507.06969.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, best_guess
    >>> round(best_guess(GaussianDP(mu=1.0), candidates=10), 4)
    0.2533
    """
    checked_tradeoff("claim", claim)
    among = Candidates.of(baseline_of(baseline, candidates))
    if isinstance(claim, ApproximateDP):
        return _approximate_success(claim, among)
    match claim:
        case GaussianDP(mu=mu):
            return _gaussian_success(mu / np.sqrt(2), among)
        case LaplaceMechanism(claimed_epsilon=epsilon):
            return _laplace_success(epsilon / 2, among)
    return None


def candidate_outputs(claim: TradeoffFunction, candidates: int) -> OutputLaws | None:
    """Output distributions for one candidate, if another is the secret (P) or it is (Q)."""
    match claim:
        case GaussianDP(mu=mu):
            return GaussianDP(mu=mu / np.sqrt(2)).outputs()
        case LaplaceMechanism(claimed_epsilon=epsilon):
            return LaplaceMechanism(epsilon=epsilon / 2).outputs()
        case ApproximateDP():
            return _laws_of_named_candidate(claim, checks.whole("candidates", candidates, 2))
    return None


def _laws_of_named_candidate(claim: ApproximateDP, candidates: int) -> Bars:
    """Distributions of the named candidate, if another is the secret (P) or this one is (Q)."""
    delta = 1.0 if claim.is_vacuous else claim.claimed_delta
    wrong = float(np.exp(-claim.claimed_epsilon))  # relative to the secret
    # The secret is named with this probability, each of the others with a share of it.
    right = (1 - delta) / (1 + (candidates - 1) * wrong)
    wrong *= right
    p = np.array([delta, right + (candidates - 2) * wrong, wrong, 0.0])
    q = np.array([0.0, (candidates - 1) * wrong, right, delta])
    labels: tuple[str, ...] = ("proof: another", "another", "this one", "proof: this one")
    bars = slice(None) if delta > 0 else slice(1, 3)
    return Bars.of("candidate that is named", labels[bars], p[bars], q[bars])


def _approximate_success(claim: ApproximateDP, among: Candidates) -> float:
    """Success probability of the best guess after the mechanism of an (epsilon, delta) claim."""
    # The secret is named e^epsilon times as often as each of the others.
    if claim.is_vacuous:
        return 1.0
    delta, others = claim.claimed_delta, among.total - 1
    wrong = np.exp(-claim.claimed_epsilon)  # relative to the secret
    # If the rest is named: the rest, or a candidate of the larger prior if that is likelier.
    guessed = among.n * among.prior + max(among.rest, (among.rest > 0) * among.prior * wrong)
    return float(delta + (1 - delta) * guessed / (1 + others * wrong))


def _gaussian_success(shift: float, among: Candidates) -> float:
    """Success probability of the best guess, the largest posterior, with Gaussian noise."""
    if shift == 0 or np.isinf(shift):
        return among.prior if shift == 0 else 1.0
    with np.errstate(divide="ignore"):
        gap = np.inf if among.rest == 0 else np.log(among.prior / among.rest) / shift
    # With noise z on the secret's number, another candidate of the same prior has a smaller number
    # with probability ``Phi(z + shift)``; of another prior, the threshold moves by `gap`. The mean
    # over z is a trapezoidal sum.
    density = np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)
    step = NODES[1] - NODES[0]

    def below(threshold: FloatArray, n: int) -> FloatArray:
        return np.exp(n * log_ndtr(threshold)) if n else np.ones_like(threshold)

    own = below(NODES + shift, among.n - 1) * below(NODES + shift + gap, among.rest > 0)
    right = among.n * among.prior * float(density @ own) * step
    if among.rest > 0:
        right += among.rest * float(density @ below(NODES + shift - gap, among.n)) * step
    return _rounded_probability(right)


def _laplace_success(shift: float, among: Candidates) -> float:
    """Success probability with Laplace noise: the mean of the largest ``prior e^loss``."""
    # That is the integral of ``1 - prod_j F(log t - log prior_j)`` over t >= 0, for the cumulative
    # distribution F of the loss, which lies within [-shift, shift]. Simpson's rule integrates over
    # the loss of the first candidate, between the places where a factor jumps.
    if shift == 0 or np.isinf(shift):
        return among.prior if shift == 0 else 1.0
    shift = min(shift, LARGEST_SHIFT)
    gap = float(np.log(among.prior / among.rest)) if among.rest > 0 else np.inf
    ends = [-shift, *([shift - gap] if gap < 2 * shift else []), shift]
    weights = np.tile([2.0, 4.0], PANELS // 2 + 1)[:-1]
    weights[[0, -1]] = 1.0

    def log_cdf(loss: FloatArray) -> FloatArray:
        return np.log1p(-np.exp(-(loss + shift) / 2) / 2)

    total = float(np.exp(-shift))  # below it, at least one candidate has more
    for low, high in pairwise(ends):
        loss = np.linspace(low, high, PANELS + 1)
        other = log_cdf(loss + gap) if high + gap <= shift * (1 + WHOLE_TOLERANCE) else 0.0
        more = -np.expm1(among.n * log_cdf(loss) + other)
        total += float(weights @ (more * np.exp(loss))) * (high - low) / PANELS / 3
    return _rounded_probability(among.prior * total)


def _rounded_probability(quadrature: float) -> float:
    """Return a probability found by quadrature, as exactly 1 if it is nearly 1."""
    return 1.0 if quadrature > 1 - QUADRATURE_ERROR else float(quadrature)
