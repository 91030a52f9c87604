"""A rank bound whose statistic does not know delta: one test for all (epsilon, delta) at once.

**Statement.** As of `dpviz.audit.bounds.rank`, and for all deltas together: let epsilon(delta) be
the smallest epsilon of the two distributions of scores, in the attack's direction. The probability
that the returned bound exceeds epsilon(delta) *for any delta* is at most ``1 - confidence_level``.

**Proof.** Let h be a function of the ranking, not of epsilon or delta, that does not fall when a
member changes places with a non-member above it; let ``p(epsilon, delta)`` be the probability under
leaky randomized response of an h at least as large as the data's. By the proof in
`dpviz.audit.bounds.rank`, where (epsilon, delta) holds, ``p(epsilon, delta)`` is at most a with
probability at most a. Two facts are added.

1. *It does not fall with epsilon or delta.* The boundary L of the region rises with both, so by
   step 3 of that proof h is stochastically larger. So the bound never rises with delta.
2. *All deltas at once.* If the bound at delta exceeds epsilon(delta), then by fact 1
   ``p(epsilon(delta), delta)`` is at most the level: h is at least some number c(delta), which has
   a probability of at most the level. Of the events ``h >= c(delta)``, one of any two contains the
   other, and there are finitely many of them, because there are finitely many rankings. So the
   bound is false for some delta only if the largest of these events happens; that is one of them,
   and its probability is at most the level. Nothing is paid for looking at many deltas.

Ties are ranked at random once, the same for all deltas. p-values must be exact or upper bounds:
with simulations of its own for each delta, fact 2 would not hold. `audit.certified_profile`
computes them so.

**The statistic** has the form of that in `dpviz.audit.bounds.rank`: the largest epsilon that some
count of right guesses refutes alone. It was chosen by power. Cut-offs are denser, so that a run of
right guesses is used nearly to its end. Where a model leaks much about few records they are the
first of all: guesses at one end are given the same level at every cut-off, and guesses at both ends
less the fewer they are. No records are set aside for leaks. So it is made for deltas well below one
over the number of records: for larger ones the first records tell nothing, and method "rank", which
knows delta, shows more.
"""

import numpy as np

from dpviz.audit.bounds.rank_guesses import Guesses, cut_offs, guesses
from dpviz.checks import FloatArray

RATIO = 1.12  # of a cut-off to the next smaller one
# Levels at which counts refute alone, as fractions of the whole level.
HALVES = 1.0  # every record is guessed: what tells most of distributions that leak everywhere
BOTH_ENDS = 0.5  # times the share of the records that is guessed, to the power FEWER
FEWER = 0.3
ONE_END = 0.05


def at_all_deltas(
    n_members: int, n_nonmembers: int, *, delta: float, level: float
) -> tuple[Guesses, FloatArray]:
    """The statistic: its guesses, and the level at which each refutes alone; `delta` is ignored."""
    del delta
    cuts = cut_offs(n_members + n_nonmembers, ratio=RATIO)
    tried = guesses(n_members, n_nonmembers, delta=0.0, level=level, cuts=cuts)
    both = (tried.top > 0) & (tried.bottom > 0)
    share = (tried.top + tried.bottom) / (n_members + n_nonmembers)
    halves = tried.top == tried.top.max()
    of_both = np.where(halves, HALVES, BOTH_ENDS * share**FEWER)
    return tried, level * np.where(both, of_both, ONE_END)
