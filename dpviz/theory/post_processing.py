"""Post-processing, which never lowers the curve, and clamped noise, which may lower it."""

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.outputs import DiscreteOutputs, NoisyQuery
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

N_CELLS = 256  # into which an output with a density, or a curve without outputs, is divided
LARGEST_SPREAD = 1e6  # in the unit of the output
SPREADS_IN_CELLS = 4  # multiples of `spread` by which the cells reach beyond the output's span


def post_processed(
    claim: TradeoffFunction, *, merged: int = 1, replaced: float = 0.0
) -> DiscretePair:
    """Return the output distributions after outputs are replaced at random and then merged.

    The outputs are those of :func:`output_laws`, in order; an output with a density, or a guarantee
    without outputs, is rounded to 256 cells first. The curve is nowhere below that of the claim
    (Dong, Roth and Su, 2022, lemma 2.9). It rises with `replaced`, and if `merged` is multiplied by
    a whole number.

    Parameters
    ----------
    claim : TradeoffFunction
    merged : int, at least 1, the number of neighbouring cells that become one cell
    replaced : float, in [0, 1], probability that a uniformly random output replaces the output

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.theory.post_processing import post_processed
    >>> claim = GaussianDP(mu=1.0)
    >>> [round(post_processed(claim, merged=m).tpr(0.1), 3) for m in (1, 64, 256)]
    [0.389, 0.247, 0.1]
    """
    pair = discretised_outputs(claim)
    k = len(pair.member)
    size = min(checks.whole("merged", merged, 1), k)
    share = checks.real("replaced", replaced, 0, 1)
    new = np.arange(k) // size
    # Replaced first, so that a coarser rounding is post-processing of a finer one.
    noisy = (1 - share) * np.eye(k) + share / k
    return pair.through(noisy).through(np.eye(new[-1] + 1)[new])


def discretised_outputs(claim: TradeoffFunction) -> DiscretePair:
    """Return the output distributions of a guarantee, discretised to finitely many outputs."""
    laws = checked_tradeoff("claim", claim).outputs()
    if laws is None:  # one output for each chord of the curve
        curve = claim.draw(N_CELLS + 1)[::-1]  # chords, from the smallest loss to the largest
        p, q = -np.diff(curve[:, 0]), np.diff(curve[:, 1])
        # If the curve begins below FNR 1, an output has mass under Q only; likewise at FNR 0.
        p, q = np.append(p, curve[-1, 0]), np.append(q, 1 - curve[-1, 1])
        return _normalised_pair(p, q, claim)
    if isinstance(laws, DiscreteOutputs):
        return _normalised_pair(laws.p, laws.q, claim)
    edges = np.linspace(*laws.span, N_CELLS + 1)[1:-1]
    p, q = (_cell_masses(laws.cdf(edges, member=member)) for member in (False, True))
    return _normalised_pair(p, q, claim)


def outputs_clamped_to_inner_cells(claim: TradeoffFunction, *, share: float) -> DiscretePair:
    """Return the output distributions after the outermost `share` of outputs is clamped."""
    pair = discretised_outputs(claim)
    k = len(pair.member)
    cut = int(checks.real("share", share, 0, 1) * k / 2)
    new = np.clip(np.arange(k), cut, max(k - 1 - cut, cut))
    return pair.through(np.eye(k)[new])


def outputs_with_clamped_noise(claim: TradeoffFunction, *, share: float) -> DiscretePair | None:
    """Return the output distributions with noise clamped to the inner 1 - `share` of its range."""
    # No post-processing: the curve falls below the guarantee. Noise at its limit c gives the output
    # ``query + c`` with positive probability, which a neighbour's query hardly ever gives.
    laws = checked_tradeoff("claim", claim).outputs()
    if not isinstance(laws, NoisyQuery):
        return None
    noise, shift = laws.noise, laws.shift
    limit = noise.reach * (1 - checks.real("share", share, 0, 1))
    if share == 0:
        return discretised_outputs(claim)
    ends = [-limit, limit, shift - limit, shift + limit]
    edges = np.union1d(np.linspace(*laws.span, N_CELLS + 1), ends)

    def output_masses(centre: float) -> FloatArray:
        inside = np.clip(edges, centre - limit, centre + limit)
        between = np.diff(noise.cdf(inside - centre))
        at_limit = float(noise.cdf(np.array(-limit)))
        # Noise at its limits gives two outputs of this query, and two others of the other query.
        own = np.array([[at_limit, at_limit, 0, 0], [0, 0, at_limit, at_limit]])
        return np.append(between, own[int(centre != 0)] if shift else own[0])

    return _normalised_pair(output_masses(0.0), output_masses(shift), claim)


def outputs_of_redrawn_data(claim: TradeoffFunction, *, spread: float) -> DiscretePair | None:
    """Return the output distributions of a query if other records add N(0, spread^2) noise."""
    # A guarantee is for fixed data: the attacker may know all records but one. Here the others move
    # the query by an independent number from N(0, spread^2), which is post-processing.
    laws = checked_tradeoff("claim", claim).outputs()
    if not isinstance(laws, NoisyQuery):
        return None
    if checks.real("spread", spread, 0, LARGEST_SPREAD) == 0:
        return discretised_outputs(claim)
    (low, high), room = laws.span, SPREADS_IN_CELLS * spread
    edges = np.linspace(low - room, high + room, N_CELLS + 1)
    p, q = (_cell_masses(laws.cdf(edges[1:-1], member=member)) for member in (False, True))
    centres = (edges[:-1] + edges[1:]) / 2
    with np.errstate(over="ignore"):  # a tiny spread moves nothing to another cell
        moved = ndtr((edges[1:-1] - centres[:, None]) / spread)  # rows: from each cell
    # Each row has the chances of moving from one cell to every other one.
    cumulative = np.hstack([np.zeros((N_CELLS, 1)), moved, np.ones((N_CELLS, 1))])
    return _normalised_pair(p, q, claim).through(np.diff(cumulative))


def outputs_with_side_information(claim: TradeoffFunction, *, epsilon: float) -> DiscretePair:
    """Return the joint distributions of the output and a randomized response about the record."""
    # With curve f of the output and g of that response, the curve is at least ``f(1 - g(a))``.
    pair = discretised_outputs(claim)
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    right = 1 / (1 + np.exp(-epsilon))
    no, yes = np.array([right, 1 - right]), np.array([1 - right, right])
    return _normalised_pair(np.kron(pair.nonmember, no), np.kron(pair.member, yes), claim)


def _cell_masses(cdf_at_edges: FloatArray) -> FloatArray:
    """Return the masses of cells, from the cumulative probabilities at the edges between cells."""
    return np.diff(np.concatenate([[0.0], cdf_at_edges, [1.0]]))


def _normalised_pair(p: FloatArray, q: FloatArray, claim: TradeoffFunction) -> DiscretePair:
    """Return p and q, each scaled to sum 1, as a pair that has the claim's adjacency and error."""
    p, q = np.maximum(p, 0.0), np.maximum(q, 0.0)
    return DiscretePair(p / p.sum(), q / q.sum(), adjacency=claim.adjacency, error=claim.error)
