"""A bound without simulation for records that were included by fair coins.

**Statement.** Every record is a member with probability 1/2, independently of all others; at
delta > 0 the scores of different records are independent, too. If (epsilon, delta) holds for each,
the returned bound exceeds epsilon with probability at most ``1 - confidence_level``.

**Why.** Given all scores, membership is a matter of coins again, and the odds of any record are at
most e^epsilon to 1: a guess about it is right with probability at most
``q = e^epsilon / (1 + e^epsilon)``, whatever was said of the others. In the ranking, guess "member"
of the first records and "non-member" of the last. Three paths of right guesses, over depths k: of
the first k and the last k records together, of the first alone, of the last alone. At all depths at
once, each path is stochastically at most a sum of independent guesses that are right with
probability q. At delta > 0, records leak their membership with probability delta each, and the
guesses about them are right; the path is at most what it is when the leaking records come first.

For each path the largest epsilon that a single depth would refute is the statistic, as in
`dpviz.audit.bounds.rank`; how likely the sum of independent guesses reaches as far at some depth is
computed by following its distribution from depth to depth, and rises with epsilon: the epsilon at
which it is the path's share of the level is what the path refutes. Within a path nothing is lost,
between paths the level is shared. In one training run with fair coins this holds at delta = 0 too
(Steinke, Nasr and Jagielski, 2023), although scores of one model depend on each other.
"""

from dataclasses import replace

import numpy as np

from dpviz.audit.binned_scores import Scores
from dpviz.audit.bounds.bound import Found
from dpviz.audit.bounds.guesses import guesses
from dpviz.audit.bounds.paths import Paths
from dpviz.audit.bounds.ranks import members_in_first

SHARES = (0.6, 0.2, 0.2)
"""Of the level: both ends, the top, the bottom."""
LOCAL_SHARE = 0.3
"""The level of one depth alone, of the path's; what it is hardly matters."""


def three_paths(scores: Scores, *, delta: float, confidence_level: float, seed: int) -> Found:
    """The largest epsilon that one of the paths refutes. The seed ranks ties, nothing else."""
    level, total = 1 - confidence_level, scores.n_members + scores.n_nonmembers
    tried = guesses(
        scores.n_members,
        scores.n_nonmembers,
        delta=delta,
        level=level * LOCAL_SHARE,
        odds=0.0,
    )
    rng = np.random.default_rng(seed)
    members = members_in_first(scores, tried.cuts, rng)[:, 0]
    right = tried.right(members)
    of_both, of_top = (tried.top > 0) & (tried.bottom > 0), tried.bottom == 0
    found = Found(low=0.0)
    for share, path in zip(SHARES, (of_both, of_top, tried.top == 0), strict=True):
        levels = np.full(right.size, level * share * LOCAL_SHARE)
        refuted = np.where(path, tried.refuted(right, levels), -np.inf)
        best = int(np.argmax(refuted))
        if refuted[best] <= found.low:
            continue
        needed = tried.needed(float(refuted[best]), levels)
        # Only leaks of members help at the top, of non-members at the bottom: half of them.
        leak = delta if path is of_both else delta / 2
        paths = Paths((tried.top + tried.bottom)[path], needed[path], records=total, leak=leak)
        if paths.chance(found.low) > level * share:
            continue  # not refuted where the best so far was
        low = paths.epsilon_at(level * share, float(refuted[best]))
        if low > found.low:
            found = Found(low=low, evidence=(tried.evidence(best, members),))
    tied = np.isin(scores.members.values, scores.nonmembers.values).any()
    return replace(found, seed_spread=None) if tied else found
