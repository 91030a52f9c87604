"""Members above some non-members of the ranking: their law for a given curve, and in the data.

Places run from 0, the top of the ranking, to 1; those of non-members are uniform. A member's place
is at most t with probability ``1 - f(t)``. What is simulated is not f itself but a polyline that is
nowhere above it and touches it at `KNOTS` places, so that slow curves take no longer: scores that
obey f obey the polyline. Between two knots a convex function lies above the lines through its
neighbouring pieces, so corners that are not crowded come out exactly. Places are float64: what is
lost there is far less than one record.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.special import expit

from dpviz.audit.ascending import Counts
from dpviz.audit.binned_scores import Scores
from dpviz.checks import FloatArray
from dpviz.theory.tradeoff import TradeoffFunction

RATIO = 1.5
"""From one picked non-member to the next."""
KNOTS = 4000
REACH = 9.0
"""How far knots go beyond FPR 1 / m, and as far from 1, in log-odds."""


def picks(f: TradeoffFunction, m: int) -> Counts:
    """Non-members to look at, counted from the top, shape (2, k): above, and below what mirrors it.

    The upper ones grow geometrically from 1 up to FPR = FNR. The share of members that `f` lets
    miss an upper pick is the place of its mirror: of a symmetric pair of laws, both ends of the
    ranking then are alike.
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
    """The law of the members above some non-members, when places have a given curve.

    Parameters
    ----------
    n_members, n_nonmembers : int
    picks : ndarray of int
        Which non-members, counted from the top, ascending.
    fpr, fnr : ndarray
        Corners of the curve: `fpr` ascending from 0 to 1, `fnr` falling to 0.
    """

    n_members: int
    n_nonmembers: int
    picks: Counts
    fpr: FloatArray = field(default_factory=lambda: np.array([0.0, 1.0]))
    fnr: FloatArray = field(default_factory=lambda: np.array([1.0, 0.0]))

    @classmethod
    def least_favourable(
        cls, f: TradeoffFunction, *, n_members: int, n_nonmembers: int, picks: Counts
    ) -> "CurveLaw":
        """The law with the polyline below `f`."""
        fpr, fnr = polyline_below(f, reach=float(np.log(n_nonmembers)) + REACH)
        return cls(n_members=n_members, n_nonmembers=n_nonmembers, picks=picks, fpr=fpr, fnr=fnr)

    def draw(self, runs: int, rng: np.random.Generator) -> Counts:
        """Members above each of the picked non-members, shape (picks, runs).

        Order statistics of m uniforms by gamma spacings, then members between them by binomial
        steps: the time does not depend on the number of records.
        """
        spacings = np.diff(self.picks, prepend=0, append=self.n_nonmembers + 1)
        sums = np.cumsum(rng.standard_gamma(spacings[:, None], (spacings.size, runs)), axis=0)
        left = np.interp(sums[:-1] / sums[-1], self.fpr, self.fnr)
        left = np.minimum.accumulate(left, axis=0)  # interpolation may round upwards
        before = np.concatenate([np.ones((1, runs)), left[:-1]])
        share = np.divide(before - left, before, out=np.zeros_like(left), where=before > 0)
        found = np.empty(left.shape, np.int64)
        above = np.zeros(runs, np.int64)
        for i in range(self.picks.size):
            above = above + rng.binomial(self.n_members - above, share[i])
            found[i] = above
        return found


def polyline_below(f: TradeoffFunction, *, reach: float) -> tuple[FloatArray, FloatArray]:
    """Corners of a polyline nowhere above `f`, which it touches at FPRs of log-odds to +-`reach`.

    Between two knots run the lines through both neighbouring pieces, up to where they meet.
    """
    x = np.concatenate([[0.0], expit(np.linspace(-reach, reach, KNOTS)), [1.0]])
    y = np.minimum.accumulate(f.beta(x))
    slope, width = np.diff(y) / np.diff(x), np.diff(x)
    # At 0 the curve may jump: only the line from the right counts there. From 1 on it is flat.
    before, after = np.append(0.0, slope[:-1]), np.append(slope[1:], 0.0)
    rise = after - before
    part = np.divide(after - slope, rise, out=np.zeros_like(rise), where=rise > 0)
    part = np.clip(part, 0.0, 1.0)  # any place will do: the lower line is taken
    met = np.minimum(y[:-1] + before * part * width, y[1:] - after * (1 - part) * width)
    fpr = np.column_stack([x[:-1] + part * width, x[1:]]).ravel()
    fnr = np.column_stack([np.maximum(met, 0.0), y[1:]]).ravel()
    return fpr, np.minimum.accumulate(fnr)


def members_above(scores: Scores, picks: Counts, rng: np.random.Generator) -> Counts:
    """Members of the data above each of the picked non-members; ties are ranked at random."""
    member, nonmember = scores.members, scores.nonmembers
    at = nonmember.at(nonmember.size - picks)
    upto = member.upto(at)
    found = member.size - upto
    tied = upto - member.below(at)
    for value in np.unique(at[tied > 0]):
        group = np.flatnonzero(at == value)
        begin, end = nonmember.below(value), nonmember.upto(value)
        law = CurveLaw(
            n_members=int(tied[group[0]]),
            n_nonmembers=int(end - begin),
            picks=picks[group] - (nonmember.size - end),
        )
        found[group] += law.draw(1, rng)[:, 0]
    return found
