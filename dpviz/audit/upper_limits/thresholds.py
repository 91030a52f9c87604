"""The counts of all thresholds, and why a search over them costs an upper limit nothing.

**Statement.** Let x(t) and y(t) be the numbers of members and non-members with ``score >= t``, and
U(x, y) an upper limit of a quantity r(t) of the true rates at t. If U covers r(t) with a
probability of at least 1 - a at every *fixed* threshold, then the largest U(x(t), y(t)) over all t
covers the largest r(t) with a probability of at least 1 - a.

**Proof.**

1. *The best threshold is a fixed number.* r(t) is a continuous function of the two true rates, so
   it depends on the distributions alone. Of any sequence of thresholds some part rises or falls to
   a limit s, or to infinity, and the events ``score >= t`` become ``score >= s`` if it rises, and
   ``score > s`` if it falls; so do their probabilities. Hence r is largest at an event of one of
   these two forms, E. It does not depend on the sample.
2. *The limit at E covers.* Given E, the numbers x and y of records in E are independent and
   binomial. So ``U(x, y) < r(E)`` has a probability of at most a.
3. *The sample has seen E.* E is an upper set of scores, so its counts are (x(t), y(t)) for some t:
   for ``score > s``, any t above s and up to the next score of a record. Whether E lies at a score
   of some records (a tie), between two of them, above all, with the counts (0, 0), or below all,
   with (n, m), its counts are among those of `reached_counts`. So the largest U over all of these
   is at least U at E.

A lower limit has no such argument: there the largest of many limits is the one that errs most.
Several quantities at once, such as both directions of a privacy profile, are the same: the true
maximum is reached by one of them, which is fixed.

**Scores rounded down to cells.** A threshold of the original scores may lie inside a cell, where
counts are unknown. Then x is at most the number at the lower edge, and y at least the number at the
upper one. Where U rises with x and falls with y, U of these two numbers is no smaller.
"""

from dataclasses import dataclass, replace

import numpy as np

from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.base import Counts, Scores


@dataclass(frozen=True, kw_only=True, eq=False)
class ReachedCounts:
    """True and false positives at all thresholds, and the class sizes."""

    x: Counts
    y: Counts
    n_members: int
    n_nonmembers: int
    n_inside_cells: int = 0  # counts at the end that the sample itself may not have

    def of_sample(self) -> "ReachedCounts":
        """Return the counts without those that thresholds inside cells may have."""
        kept = slice(0, self.x.size - self.n_inside_cells)
        return replace(self, x=self.x[kept], y=self.y[kept], n_inside_cells=0)

    def exchanged(self) -> "ReachedCounts":
        """Return the counts of the attack that flags non-members: rejected non-members first."""
        return ReachedCounts(
            x=self.n_nonmembers - self.y,
            y=self.n_members - self.x,
            n_members=self.n_nonmembers,
            n_nonmembers=self.n_members,
            n_inside_cells=self.n_inside_cells,
        )


def reached_counts(scores: Scores) -> ReachedCounts:
    """Return the counts at all thresholds; inside cells of rounded scores, the most favourable."""
    curve = AttackCurve.from_scores(scores)
    x, y = curve.true_positives, curve.false_positives
    # Descending, as thresholds are; the first vertex lies above all records.
    inside = np.flatnonzero(scores.may_be_rounded[::-1]) + 1 if scores.is_rounded else x[:0]
    return ReachedCounts(
        x=np.append(x, x[inside]),
        y=np.append(y, y[inside - 1]),
        n_members=scores.n_members,
        n_nonmembers=scores.n_nonmembers,
        n_inside_cells=inside.size,
    )
