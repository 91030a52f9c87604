"""The probability that the best guess among several candidates for a secret is right.

If a guess without the output is right with probability kappa, there are candidates of prior kappa,
as many as fit, and one with the remaining prior. Any two candidates give neighbouring data sets:

* noise: the mechanism publishes one noisy number for each candidate, and that of the secret is
  larger. A change of the secret moves two numbers, each by ``1 / sqrt(2)`` (Gaussian, L2) or
  ``1 / 2`` (Laplace, L1) of the sensitivity;
* (epsilon, delta)-DP: with probability delta the mechanism reveals the secret, otherwise it names a
  candidate by randomized response.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import log_ndtr

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.claims import ApproximateDP, PureDP
from dpviz.theory.mechanisms.gaussian import GaussianDP
from dpviz.theory.mechanisms.laplace import LaplaceMechanism
from dpviz.theory.outputs import DiscreteOutputs, OutputLaws
from dpviz.theory.tradeoff import Floats, TradeoffFunction, checked_tradeoff


def baseline_prior(baseline: Floats | None, candidates: int | None) -> Floats | float:
    """Return `baseline` or 1 / `candidates`; raise ValueError unless exactly one is given."""
    if (baseline is None) == (candidates is None):
        given = "neither" if baseline is None else "both"
        raise ValueError(f"exactly one of baseline and candidates must be given, got {given}")
    return 1 / checks.whole("candidates", candidates, 2) if baseline is None else baseline


WHOLE_TOLERANCE = 1e-9  # relative rounding of 1 / baseline, so that 1 / 0.1 gives 10 candidates
NODES = np.arange(-9.0, 9.0, 1 / 32)  # of the trapezoidal rule, exact for a Normal density
PANELS = 2048  # of Simpson's rule
QUADRATURE_ERROR = 1e-12
LARGEST_SHIFT = 40.0  # a Laplace loss of 40 reveals the secret, up to e^-40 per candidate


@dataclass(frozen=True)
class Candidates:
    """Candidates for a secret: `n` candidates of prior `prior`, and a last one of prior `rest`."""

    n: int
    prior: float
    rest: float

    @classmethod
    def for_baseline(cls, baseline: float) -> "Candidates":
        """Return floor(1 / baseline) candidates of equal prior, and one of the remaining prior."""
        kappa = checks.between_0_and_1("baseline", baseline)
        checks.positive("1 / baseline", 1 / kappa)  # finite
        n = int(np.floor(1 / kappa + WHOLE_TOLERANCE))
        rest = max(0.0, 1 - n * kappa)
        return cls(n, kappa, rest if rest > WHOLE_TOLERANCE * kappa else 0.0)

    @property
    def n_candidates(self) -> int:
        """The number of candidates: `n`, and the last one if its prior is above 0."""
        return self.n + (self.rest > 0)

    @property
    def priors(self) -> FloatArray:
        """The prior of each candidate; ValueError if there are more than 10^6 candidates."""
        checks.whole("number of candidates", self.n_candidates, 1, 10**6)
        return np.array([self.prior] * self.n + [self.rest] * (self.rest > 0))


def best_guess(
    claim: TradeoffFunction, *, baseline: float | None = None, candidates: int | None = None
) -> float | None:
    """Return the success probability of the best guess under a mechanism with this guarantee.

    Exact up to quadrature (relative error below 1e-6 for up to 10^4 candidates). The mechanisms are
    those of this module; with others that have the same guarantee a guess may succeed more often,
    up to the bound `dpviz.theory.risk.reconstruction` (Kulynych et al., 2025, arXiv 2507.06969).
    The answer is None if the claim is neither (epsilon, delta)-DP, nor Gaussian, nor Laplace noise.

    Parameters
    ----------
    claim : TradeoffFunction, for replace-one adjacency
    baseline, candidates : float and int, one of the two, as in `dpviz.theory.risk.reconstruction`

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, best_guess
    >>> round(best_guess(GaussianDP(mu=1.0), candidates=10), 4)
    0.2533
    """
    checked_tradeoff("claim", claim)
    secrets = Candidates.for_baseline(baseline_prior(baseline, candidates))
    if isinstance(claim, ApproximateDP):
        return _approximate_dp_success_probability(claim, secrets)
    # A change of the secret moves two numbers, each by less than the whole sensitivity.
    match claim:
        case GaussianDP(mu=mu):
            return _gaussian_success_probability(mu / np.sqrt(2), secrets)
        case LaplaceMechanism(claimed_epsilon=epsilon):
            return _laplace_success_probability(epsilon / 2, secrets)
    return None


def output_distributions_for_one_candidate(
    claim: TradeoffFunction, candidates: int
) -> OutputLaws | None:
    """Return output distributions for a wrong candidate (P) and for the true secret (Q)."""
    match claim:
        case GaussianDP(mu=np.inf) | LaplaceMechanism(claimed_epsilon=np.inf):  # no noise
            return output_distributions_for_one_candidate(PureDP(epsilon=np.inf), candidates)
        case GaussianDP(mu=mu):
            return GaussianDP(mu=mu / np.sqrt(2)).outputs()
        case LaplaceMechanism(claimed_epsilon=epsilon):
            return LaplaceMechanism(epsilon=epsilon / 2).outputs()
        case ApproximateDP():
            return _outputs_naming_a_candidate(claim, checks.whole("candidates", candidates, 2))
    return None


def _outputs_naming_a_candidate(claim: ApproximateDP, candidates: int) -> DiscreteOutputs:
    """Return distributions (P, Q) of an (epsilon, delta)-DP output that is a candidate's name."""
    delta = 1.0 if claim.is_vacuous else claim.claimed_delta
    wrong = float(np.exp(-claim.claimed_epsilon))  # relative to the secret
    right = (1 - delta) / (1 + (candidates - 1) * wrong)
    wrong *= right
    p = np.array([delta, right + (candidates - 2) * wrong, wrong, 0.0])
    q = np.array([0.0, (candidates - 1) * wrong, right, delta])
    labels: tuple[str, ...] = ("proof: another", "another", "this one", "proof: this one")
    bars = slice(None) if delta > 0 else slice(1, 3)
    return DiscreteOutputs.of("candidate that is named", labels[bars], p[bars], q[bars])


def _approximate_dp_success_probability(claim: ApproximateDP, candidates: Candidates) -> float:
    """Return the success probability of the best guess for an (epsilon, delta) claim."""
    if claim.is_vacuous:
        return 1.0
    delta, n, prior, rest = claim.claimed_delta, candidates.n, candidates.prior, candidates.rest
    wrong = np.exp(-claim.claimed_epsilon)  # relative to the secret
    # If the candidate of prior `rest` is named, the best guess may still be one of larger prior.
    guessed = n * prior + max(rest, (rest > 0) * prior * wrong)
    return float(delta + (1 - delta) * guessed / (1 + (candidates.n_candidates - 1) * wrong))


def _gaussian_success_probability(mu: float, candidates: Candidates) -> float:
    """Return the success probability of the best guess for Gaussian noise with this mu."""
    if mu == 0 or np.isinf(mu):
        return candidates.prior if mu == 0 else 1.0
    with np.errstate(divide="ignore"):
        gap = np.inf if candidates.rest == 0 else np.log(candidates.prior / candidates.rest) / mu
    # With noise z on the secret's number, another candidate's number is smaller with probability
    # ``Phi(z + mu)``; with another prior the threshold moves by `gap`. Then the mean over z.
    density = np.exp(-(NODES**2) / 2) / np.sqrt(2 * np.pi)
    step = NODES[1] - NODES[0]

    def max_cdf(threshold: FloatArray, n: int) -> FloatArray:
        return np.exp(n * log_ndtr(threshold)) if n else np.ones_like(threshold)

    own = max_cdf(NODES + mu, candidates.n - 1) * max_cdf(NODES + mu + gap, candidates.rest > 0)
    right = candidates.n * candidates.prior * float(density @ own) * step
    if candidates.rest > 0:
        right += candidates.rest * float(density @ max_cdf(NODES + mu - gap, candidates.n)) * step
    return 1.0 if right > 1 - QUADRATURE_ERROR else float(right)


def _laplace_success_probability(epsilon: float, candidates: Candidates) -> float:
    """Return the success probability of the best guess for Laplace noise with this epsilon."""
    # E[max prior e^loss], the integral of ``1 - prod_j F(log t - log prior_j)`` over t >= 0, where
    # F is the distribution function of the loss, from -epsilon to epsilon; by Simpson's rule.
    if epsilon == 0 or np.isinf(epsilon):
        return candidates.prior if epsilon == 0 else 1.0
    epsilon = min(epsilon, LARGEST_SHIFT)
    # Divided at the kink beyond which the last candidate, of a smaller prior, cannot win.
    gap = float(np.log(candidates.prior / candidates.rest)) if candidates.rest > 0 else np.inf
    ends = [-epsilon, *([epsilon - gap] if gap < 2 * epsilon else []), epsilon]
    weights = np.tile([2.0, 4.0], PANELS // 2 + 1)[:-1]
    weights[[0, -1]] = 1.0

    def log_cdf(loss: FloatArray) -> FloatArray:
        return np.log1p(-np.exp(-(loss + epsilon) / 2) / 2)

    total = float(np.exp(-epsilon))  # the integrand is 1 up to here
    for low, high in pairwise(ends):
        loss = np.linspace(low, high, PANELS + 1)
        other = log_cdf(loss + gap) if high + gap <= epsilon * (1 + WHOLE_TOLERANCE) else 0.0
        more = -np.expm1(candidates.n * log_cdf(loss) + other)
        total += float(weights @ (more * np.exp(loss))) * (high - low) / PANELS / 3
    right = candidates.prior * total
    return 1.0 if right > 1 - QUADRATURE_ERROR else right
