"""The least favourable of all (epsilon, delta)-indistinguishable laws, seen through ranks.

Leaky randomized response: in the ranking, members that leak come first, then the records that say
"member", those that say "non-member", and last the non-members that leak; in random order within
each class.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from dpviz.audit.ascending import Counts
from dpviz.checks import FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class LeastFavourable:
    """The law of the members among the first `cuts` records (ascending) of n + m."""

    n_members: int
    n_nonmembers: int
    delta: float
    cuts: Counts

    def draw(self, epsilons: FloatArray, rng: np.random.Generator) -> Counts:
        """Members among the first records, shape (cuts, runs): one run per epsilon.

        By class sizes and hypergeometric steps from cut to cut; the time does not depend on the
        number of records.
        """
        n, m, size = self.n_members, self.n_nonmembers, epsilons.size
        first, last = rng.binomial(n, self.delta, size), rng.binomial(m, self.delta, size)
        upper = rng.binomial(n - first, expit(epsilons))
        upper_nonmembers = rng.binomial(m - last, expit(-epsilons))
        classes = [(upper, upper_nonmembers), (n - first - upper, m - last - upper_nonmembers)]
        found, begin = np.minimum(self.cuts[:, None], first), first
        for members, nonmembers in classes:
            end = begin + members + nonmembers
            left, drawn = members, np.zeros(size, np.int64)
            taken = np.zeros(size, np.int64)
            for i, cut in enumerate(self.cuts):
                until = np.clip(cut, begin, end) - begin
                if (until > taken).any():
                    step = rng.hypergeometric(left, end - begin - taken - left, until - taken)
                    drawn, left, taken = drawn + step, left - step, until
                found[i] += drawn
            begin = end
        return np.asarray(found)
