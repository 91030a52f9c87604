"""Numbers of members ranked above selected non-members: their distribution, and in the data.

Places run from 0, the top of the ranking, to 1; those of non-members are uniform. A member's place
is at most t with probability ``1 - f(t)``, for a trade-off function f. Instead of f, a polyline is
simulated that is nowhere above f and touches it at `KNOTS` places, so that the time does not depend
on f: scores that obey f obey the polyline. Between two knots a convex function lies above the lines
through its neighbouring pieces, so isolated corners are exact. Places are float64, whose rounding
is far smaller than one record.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.ordered_sample import Counts
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction

RATIO = 1.5  # of neighbouring rank cut-offs
KNOTS = 4000  # of the polyline
REACH = 9.0  # log-odds by which knots go beyond FPR 1 / m, at either end


def rank_grid(f: TradeoffFunction, m: int) -> Counts:
    """Rank cut-offs among non-members, counted from the top, shape (2, k): upper, and mirrored.

    The upper ones grow geometrically from 1 up to FPR = FNR. The fraction of members that `f`
    allows below an upper one is the place of its mirror image: for a symmetric pair of
    distributions, both ends of the ranking are treated alike.
    """
    upper, last = [1], (m + 1) // 2
    while upper[-1] < last:
        upper.append(min(int(np.ceil(upper[-1] * RATIO)), last))
    above = np.array(upper, np.int64)
    mirror = np.rint((m + 1) * np.asarray(f.beta(above / (m + 1)))).astype(np.int64)
    kept = (mirror >= above) | (above == 1)
    return np.stack([above, np.clip(mirror, above, m)])[:, kept]


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveLaw:
    """The distribution of the numbers of members above selected non-members, for a given curve.

    `grid` are the selected non-members, counted from the top, ascending. `fpr` (ascending from 0 to
    1) and `fnr` (falling to 0) are corners of the curve.
    """

    n_members: int
    n_nonmembers: int
    grid: Counts
    fpr: FloatArray = field(default_factory=lambda: np.array([0.0, 1.0]))
    fnr: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0]))

    @classmethod
    def least_favourable(
        cls, f: TradeoffFunction, *, n_members: int, n_nonmembers: int, grid: Counts
    ) -> "CurveLaw":
        """The distribution for the polyline below `f`."""
        fpr, fnr = polyline_below(f, reach=float(np.log(n_nonmembers)) + REACH)
        return cls(n_members=n_members, n_nonmembers=n_nonmembers, grid=grid, fpr=fpr, fnr=fnr)

    def draw(self, runs: int, rng: np.random.Generator) -> Counts:
        """Members above each of the selected non-members, shape (k, runs).

        Places of non-members are order statistics of m uniforms, drawn by gamma spacings; members
        between them by binomial steps. The time does not depend on the number of records.
        """
        spacings = np.diff(self.grid, prepend=0, append=self.n_nonmembers + 1)
        sums = np.cumsum(rng.standard_gamma(spacings[:, None], (spacings.size, runs)), axis=0)
        left = np.stack([_interpolated(row, self.fpr, self.fnr) for row in sums[:-1] / sums[-1]])
        left = np.minimum.accumulate(left, axis=0)  # interpolation may round upwards
        before = np.concatenate([np.ones((1, runs)), left[:-1]])
        share = np.divide(before - left, before, out=np.zeros_like(left), where=before > 0)
        found = np.empty(left.shape, np.int64)
        above = np.zeros(runs, np.int64)
        for i in range(self.grid.size):
            above = above + rng.binomial(self.n_members - above, share[i])
            found[i] = above
        return found


def _interpolated(at: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """`np.interp`, ten times as fast: it finds its way from one place to the next one if sorted."""
    order = np.argsort(at)
    found = np.empty_like(at)
    found[order] = np.interp(at[order], x, y)
    return found


def polyline_below(f: TradeoffFunction, *, reach: float) -> tuple[FloatArray, FloatArray]:
    """Corners of a polyline nowhere above `f`, touching it at FPRs of log-odds up to +-`reach`.

    Between two knots, the lines through both neighbouring pieces are followed until they meet.
    """
    x = np.concatenate([[0.0], expit(np.linspace(-reach, reach, KNOTS)), [1.0]])
    y = np.minimum.accumulate(f.beta(x))
    slope, width = np.diff(y) / np.diff(x), np.diff(x)
    # At 0 the curve may jump, so only the line from the right is used. Beyond 1 it is flat.
    before, after = np.append(0.0, slope[:-1]), np.append(slope[1:], 0.0)
    rise = after - before
    part = np.divide(after - slope, rise, out=np.zeros_like(rise), where=rise > 0)
    part = np.clip(part, 0.0, 1.0)  # any place is valid: the lower line is taken
    met = np.minimum(y[:-1] + before * part * width, y[1:] - after * (1 - part) * width)
    fpr = np.column_stack([x[:-1] + part * width, x[1:]]).ravel()
    fnr = np.column_stack([np.maximum(met, 0.0), y[1:]]).ravel()
    return fpr, np.minimum.accumulate(fnr)


def members_above(scores: Scores, grid: Counts, rng: np.random.Generator) -> Counts:
    """Members of the data above each of the selected non-members; ties are ranked at random."""
    member, nonmember = scores.members, scores.nonmembers
    at = nonmember.at(nonmember.size - grid)
    upto = member.upto(at)
    found = member.size - upto
    tied = upto - member.below(at)
    for value in np.unique(at[tied > 0]):
        group = np.flatnonzero(at == value)
        begin, end = nonmember.below(value), nonmember.upto(value)
        law = CurveLaw(
            n_members=int(tied[group[0]]),
            n_nonmembers=int(end - begin),
            grid=grid[group] - (nonmember.size - end),
        )
        found[group] += law.draw(1, rng)[:, 0]
    return found
