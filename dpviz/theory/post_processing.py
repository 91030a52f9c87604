"""Post-processing: channels that nobody learns more from, and what only looks like one."""

import numpy as np
from scipy.special import ndtr

from dpviz import checks
from dpviz.checks import FloatArray
from dpviz.theory.mechanisms.discrete_pair import DiscretePair
from dpviz.theory.outputs import Bars, NoisyQuery
from dpviz.theory.tradeoff import TradeoffFunction, checked_tradeoff

N_CELLS = 256  # of an output with a density, and of a curve without outputs
LARGEST_SPREAD = 1e6  # in the unit of the output
SPREADS_IN_CELLS = 4  # standard deviations of the other records' part that have cells of their own


def post_processed(
    claim: TradeoffFunction, *, merged: int = 1, replaced: float = 0.0
) -> DiscretePair:
    """What a guarantee's output gives away after random replacement and rounding.

    The outputs are those of :func:`output_laws`, in order; an output with a density, and a
    guarantee that names no outputs, is cut into 256 cells first, which is a rounding as well. The
    curve lies nowhere below that of the guarantee, and rises with either argument.

    Parameters
    ----------
    claim : TradeoffFunction
    merged : int, at least 1; so many neighbouring cells become one; multiples give more privacy
    replaced : float, in [0, 1], probability of a random output in its place, each equally likely

    Returns
    -------
    DiscretePair

    Raises
    ------
    ValueError
        If `claim` is no trade-off function or a number leaves its range.

    References
    ----------
    Dong, Roth & Su, Gaussian differential privacy, JRSS B 84 (2022), lemma 2.9.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP, post_processed
    >>> claim = GaussianDP(mu=1.0)
    >>> [round(post_processed(claim, merged=m).tpr(0.1), 3) for m in (1, 64, 256)]
    [0.389, 0.247, 0.1]
    """
    pair = output_cells(claim)
    k = len(pair.member)
    size = min(checks.whole("merged", merged, 1), k)
    share = checks.real("replaced", replaced, 0, 1)
    new = np.arange(k) // size
    # Replaced first, then merged: so a coarser rounding is one of the finer.
    noisy = (1 - share) * np.eye(k) + share / k
    return pair.through(noisy).through(np.eye(new[-1] + 1)[new])


def output_cells(claim: TradeoffFunction) -> DiscretePair:
    """Return the output distributions of a guarantee as the masses of finitely many cells."""
    laws = checked_tradeoff("claim", claim).outputs()
    # Without named outputs: one for each chord of the curve.
    if laws is None:
        curve = claim.draw(N_CELLS + 1)[::-1]  # chords, from the smallest loss to the largest
        p, q = -np.diff(curve[:, 0]), np.diff(curve[:, 1])
        # A curve that begins below FNR 1 has an output without mass under P, and so at its end.
        p, q = np.append(p, curve[-1, 0]), np.append(q, 1 - curve[-1, 1])
        return _normalised_pair(p, q, claim)
    if isinstance(laws, Bars):
        return _normalised_pair(laws.p, laws.q, claim)
    # Outputs with a density: cells of equal width.
    edges = np.linspace(*laws.span, N_CELLS + 1)[1:-1]
    p, q = (_cell_masses(laws.cdf(edges, member=member)) for member in (False, True))
    return _normalised_pair(p, q, claim)


def clamped_output(claim: TradeoffFunction, *, share: float) -> DiscretePair:
    """Output distributions after clamping, which cuts `share` / 2 of the range off each end."""
    # Outputs beyond the ends become the ends: a rounding, so the curve only rises.
    pair = output_cells(claim)
    k = len(pair.member)
    cut = int(checks.real("share", share, 0, 1) * k / 2)
    new = np.clip(np.arange(k), cut, max(k - 1 - cut, cut))
    return pair.through(np.eye(k)[new])


def clamped_noise(claim: TradeoffFunction, *, share: float) -> DiscretePair | None:
    """Output distributions if the noise is clamped before it is added; None without noise."""
    # Another mechanism, no post-processing: its curve falls below the guarantee.
    # Noise at its limit c gives ``query + c`` with positive probability, and the query of the
    # neighbour hardly ever gives that output. Outputs beyond the reach of one query are proof.
    laws = checked_tradeoff("claim", claim).outputs()
    if not isinstance(laws, NoisyQuery):
        return None
    noise, shift = laws.noise, laws.shift
    limit = noise.reach * (1 - checks.real("share", share, 0, 1))
    if share == 0:
        return output_cells(claim)
    ends = [-limit, limit, shift - limit, shift + limit]
    edges = np.union1d(np.linspace(*laws.span, N_CELLS + 1), ends)

    def masses(centre: float) -> FloatArray:
        inside = np.clip(edges, centre - limit, centre + limit)
        between = np.diff(noise.cdf(inside - centre))
        at_limit = float(noise.cdf(np.array(-limit)))
        # Four outputs that only noise at its limit gives: two of either query.
        own = np.array([[at_limit, at_limit, 0, 0], [0, 0, at_limit, at_limit]])
        return np.append(between, own[int(centre != 0)] if shift else own[0])

    return _normalised_pair(masses(0.0), masses(shift), claim)


def redrawn_data(claim: TradeoffFunction, *, spread: float) -> DiscretePair | None:
    """Output distributions if random other records add N(0, spread^2); None without noise."""
    # A guarantee's probabilities are over the noise alone: the data are fixed, and the attacker may
    # know all records but one. Here the others move the query by a Normal number of this standard
    # deviation, which does not depend on the record. It is post-processing: the curve only rises.
    laws = checked_tradeoff("claim", claim).outputs()
    if not isinstance(laws, NoisyQuery):
        return None
    if checks.real("spread", spread, 0, LARGEST_SPREAD) == 0:
        return output_cells(claim)
    (low, high), room = laws.span, SPREADS_IN_CELLS * spread
    edges = np.linspace(low - room, high + room, N_CELLS + 1)
    p, q = (_cell_masses(laws.cdf(edges[1:-1], member=member)) for member in (False, True))
    # The channel that moves the output of a cell, taken at its centre, by a Normal number.
    centres = (edges[:-1] + edges[1:]) / 2
    with np.errstate(over="ignore"):  # a tiny spread moves nothing to another cell
        moved = ndtr((edges[1:-1] - centres[:, None]) / spread)  # rows: from each cell
    cumulative = np.hstack([np.zeros((N_CELLS, 1)), moved, np.ones((N_CELLS, 1))])
    return _normalised_pair(p, q, claim).through(np.diff(cumulative))


def with_side_information(claim: TradeoffFunction, *, epsilon: float) -> DiscretePair:
    """Joint distributions of the output and of a randomized response about the record."""
    # The attacker may know the answer from elsewhere. The curve is at least ``f(1 - g(a))`` for the
    # curve g of that answer alone: f bounds what the output adds to any chance without it.
    pair = output_cells(claim)
    epsilon = checks.real("epsilon", epsilon, 0, np.inf)
    right = 1 / (1 + np.exp(-epsilon))
    no, yes = np.array([right, 1 - right]), np.array([1 - right, right])
    return _normalised_pair(np.kron(pair.nonmember, no), np.kron(pair.member, yes), claim)


def _cell_masses(cdf: FloatArray) -> FloatArray:
    """Masses of cells, from the cumulative probabilities at the edges between them."""
    return np.diff(np.concatenate([[0.0], cdf, [1.0]]))


def _normalised_pair(p: FloatArray, q: FloatArray, claim: TradeoffFunction) -> DiscretePair:
    """The pair with these masses, scaled to sum 1, with the adjacency and error of the claim."""
    p, q = np.maximum(p, 0.0), np.maximum(q, 0.0)
    return DiscretePair(p / p.sum(), q / q.sum(), adjacency=claim.adjacency, error=claim.error)
