"""Power of the audit of one training run, with canaries whose scores have a known curve."""

from dataclasses import dataclass

import numpy as np

from dpviz.audit.bounds.one_run_limit import sharp_limit
from dpviz.audit.bounds.power import Estimate, RocPolyline, members_before, share_and_error
from dpviz.audit.bounds.rank_guesses import Guesses, guesses
from dpviz.audit.scores.ordered_sample import Counts


@dataclass(frozen=True, kw_only=True, eq=False)
class OneRunPower:
    """The power of `one_run_curve_bound` with canaries of one training run, by simulation.

    Half of the canaries are included, and their scores are drawn independently.
    """

    curve: RocPolyline
    epsilon: float
    delta: float
    confidence_level: float
    seed: int

    def __call__(self, n: int, m: int, runs: int) -> Estimate:
        """Power with n canaries included and m left out, from `runs` data sets."""
        tried = guesses(n, m, delta=0.0, level=1.0, odds=0.0)
        needed = self._needed(tried)
        if np.all(needed > tried.top + tried.bottom):
            return 0.0, 0.0  # a perfect attack does not reach it
        rng = np.random.default_rng([self.seed, n, m, runs])
        right = tried.right(members_before(self.curve, n, m, tried.cuts, runs, rng))
        return share_and_error(np.any(right >= needed[:, None], axis=0))

    def _needed(self, tried: Guesses) -> Counts:
        """Right guesses that refute epsilon; more than all guesses where none does."""
        level = (1 - self.confidence_level) / tried.top.size
        canaries, enough = tried.n_members + tried.n_nonmembers, tried.top + tried.bottom + 1
        for i, guessed in enumerate((tried.top + tried.bottom).tolist()):
            few = 0
            while enough[i] - few > 1:
                middle = int(few + enough[i]) // 2
                counts = {"canaries": canaries, "guesses": guessed, "correct": middle}
                if sharp_limit(self.epsilon, **counts, delta=self.delta) <= level:
                    enough[i] = middle
                else:
                    few = middle
        return enough
