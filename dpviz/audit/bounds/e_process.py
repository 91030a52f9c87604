"""An anytime-valid bound, from bets against values of epsilon on records in order of arrival.

**Statement.** Members are independent draws of a law Q, non-members of a law P, and arrive one
after another; (P, Q) is (epsilon, delta)-indistinguishable. Compute the bound after as many records
as you like, as often as you like, and stop for any reason: the chance that any of these bounds
exceeds epsilon is at most ``1 - confidence_level``.

**Proof.**

1. Let T and B, a top and a bottom set of scores, be chosen from the past; either may be empty.
   Guess "member" of a record in T, "non-member" of a record in B. By indistinguishability,
   ``Q(T) <= e^epsilon P(T) + delta`` and ``P(B) <= e^epsilon Q(B) + delta``.
2. Bet on each record: a capital is multiplied by ``1 + a (right - e^epsilon wrong - delta)``, where
   "right" and "wrong" say whether a guess was made and what it was, and
   ``0 <= a <= 1 / (e^epsilon + delta)`` keeps the factor from being negative. Write 1 + u for the
   mean factor of a member and 1 + v for that of a non-member. By 1,
   ``u + v = a (Q(T) - e^epsilon P(T) - delta + P(B) - e^epsilon Q(B) - delta) <= 0``.
3. A member and a non-member are independent: over a pair the capital is multiplied by
   ``(1 + u) (1 + v)`` in the mean, and that is at most ``(1 + (u + v) / 2)^2 <= 1``: a geometric
   mean is no larger than an arithmetic one. So the capital is a nonnegative supermartingale over
   pairs, and so is the mean capital (wealth) of many players.
4. From a stake of 1, such a capital ever reaches ``1 / (1 - confidence_level)`` with probability at
   most ``1 - confidence_level`` (Ville, 1939).
5. Epsilons of a fixed grid are tested upwards from 0 until one is not rejected: the capital against
   it never got there. A false bound needs the rejection of the first grid point that is not below
   the true epsilon.

**The players.** Each keeps to one rank cut-off (a fraction of the records), one kind of guess (both
ends, top, bottom) and one stake (a fraction of the largest a). Thresholds are ranks among the
records seen before the block; blocks grow in proportion. Capitals are computed where blocks end.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from dpviz.audit.bounds.result import BoundMethod, BoundRequest, MethodResult, WealthEvidence
from dpviz.audit.scores.attack_scores import AttackScores, require_unbinned
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray

FIRST_PAIRS = 8  # pairs seen before the first bet
GROWTH = 1.5  # of the pairs seen, from the end of one block to the end of the next
CUTS = 0.5 / 1.5 ** np.arange(24)  # fractions of the records
SMALLEST_CUT = 2  # records; players whose cut-off has fewer do not bet yet
KIND_WEIGHTS = np.array([0.6, 0.2, 0.2])  # guesses at both ends, at the top, at the bottom
STAKES = 0.9 / 3.0 ** np.arange(6)  # shares of a capital; below 1: no guess ruins
# Epsilons to test: steps of 0.01 up to 1, then of 1 %, up to 54.
EPSILONS_TESTED = np.concatenate([np.arange(100) * 0.01, np.exp(np.arange(400) * 0.01)])
BATCH = 25  # epsilons tested together
LARGEST_LOG = 500.0  # capitals beyond e^500 count as e^500, which keeps a supermartingale
LEAST_CHANCE_OF_SORTED = 1e-9  # a sorted class less probable than this is not in order of arrival


def e_process(scores: Scores, request: BoundRequest) -> MethodResult:
    """Return the largest epsilon of a grid such that bets refute it and all smaller ones, or 0."""
    scores = require_unbinned(scores, "method 'e_process'")
    unit = "losses" if scores.kind == "loss" else "scores"
    for name, values in (("member", scores.member), ("nonmember", scores.nonmember)):
        if _is_sorted_beyond_chance(values):
            raise ValueError(f"{name} must be in order of arrival, got sorted {unit}")
    # Epsilons are tested upwards, some at a time, until the capital against one stays below goal.
    pairs, counts = pairs_and_guess_counts_after_blocks(scores)
    goal = 1 / (1 - request.confidence_level)
    best = MethodResult(low=0.0)
    for epsilons in np.split(EPSILONS_TESTED, np.arange(BATCH, EPSILONS_TESTED.size, BATCH)):
        capitals = wealth_after_blocks(counts, epsilons, request.delta)
        for epsilon, history in zip(epsilons, capitals.T, strict=True):
            rejects = history >= goal
            if not rejects.any():
                return best
            look = int(np.argmax(rejects))
            evidence = WealthEvidence(pairs=pairs[look], wealth=float(history[look]))
            best = MethodResult(low=float(epsilon), evidence=(evidence,))
    return best


def pairs_and_guess_counts_after_blocks(scores: AttackScores) -> tuple[list[int], FloatArray]:
    """Return numbers of pairs and of guesses (by kind, cut-off, outcome) up to each block's end."""
    last = min(scores.n_members, scores.n_nonmembers)
    pairs = [min(FIRST_PAIRS, last)]
    while pairs[-1] < last:
        pairs.append(min(next_block_end(pairs[-1]), last))
    # The first look is before any bet, with totals of 0.
    counts: list[FloatArray] = [np.zeros((KIND_WEIGHTS.size, CUTS.size, 3))]
    # Thresholds come from what was seen before the block.
    for begin, end in pairwise(pairs):
        cuts = BlockThresholds.of(np.concatenate([scores.member[:begin], scores.nonmember[:begin]]))
        pairs_in_block = scores.member[begin:end], scores.nonmember[begin:end]
        counts.append(counts[-1] + cuts.count_right_wrong_omitted(*pairs_in_block))
    return pairs, np.array(counts)


def next_block_end(pairs_before: int) -> int:
    """Return the number of pairs at the end of the block that begins after `pairs_before` pairs."""
    return int(pairs_before * GROWTH)


@dataclass(frozen=True, kw_only=True, eq=False)
class BlockThresholds:
    """Thresholds of a block: guess "member" if score >= `top`, "non-member" if score < `below`."""

    top: FloatArray  # shape (cut-offs,), as all three
    below: FloatArray
    bets: NDArray[np.bool]  # false at cut-offs where players do not guess yet: too few scores

    @classmethod
    def of(cls, past_scores: FloatArray) -> "BlockThresholds":
        """Return a block's thresholds, computed from the `past_scores` before that block."""
        past = np.sort(past_scores)
        cut = (past.size * CUTS).astype(np.int64)
        rank = np.maximum(cut, 1)
        top = past[-rank]
        below = np.minimum(np.nextafter(past[rank - 1], np.inf), top)  # no record at both ends
        return cls(top=top, below=below, bets=cut >= SMALLEST_CUT)

    def right_wrong_omitted(self, scores: FloatArray, *, are_members: bool) -> NDArray[np.bool]:
        """Return flags of right, wrong and omitted guesses; shape (records, kinds, cut-offs, 3)."""
        top, bottom = scores[:, None] >= self.top, scores[:, None] < self.below
        no = np.zeros_like(top)
        at_top, at_bottom = np.stack([top, top, no], 1), np.stack([bottom, no, bottom], 1)
        right, wrong = (at_top, at_bottom) if are_members else (at_bottom, at_top)
        return np.stack([right, wrong, ~(right | wrong)], axis=-1)

    def count_right_wrong_omitted(self, member: FloatArray, nonmember: FloatArray) -> FloatArray:
        """Count right, wrong and omitted guesses; shape (kinds of guesses, cut-offs, 3)."""
        # Numbers of scores beyond each threshold, by binary search in the sorted classes.
        classes = (np.sort(values) for values in (member, nonmember))
        (top_right, bottom_wrong), (top_wrong, bottom_right) = (
            (member.size - np.searchsorted(values, self.top), np.searchsorted(values, self.below))
            for values in classes
        )
        right = np.array([top_right + bottom_right, top_right, bottom_right])
        wrong = np.array([top_wrong + bottom_wrong, top_wrong, bottom_wrong])
        made = np.stack([right, wrong, 2 * member.size - right - wrong], axis=-1)
        return np.asarray(made * self.bets[:, None])


def wealth_after_blocks(counts: FloatArray, epsilons: FloatArray, delta: float) -> FloatArray:
    """Return the mean wealth of all players after each block; shape (blocks, epsilons)."""
    log_factors = np.log1p(wealth_gains_by_outcome(epsilons, delta))
    return mean_wealth(np.einsum("lkdo,ose->lkdse", counts, log_factors))


def mean_wealth(log_wealth_of_players: FloatArray) -> FloatArray:
    """Return the players' weighted mean wealth over kinds of guesses, cut-offs and stakes."""
    # Smaller cut-offs and smaller stakes have smaller shares, in proportion to 1, 1/2, 1/3, ...
    falling = 1 / np.arange(1, max(CUTS.size, STAKES.size) + 1)
    shares = np.einsum("k,d,s->kds", KIND_WEIGHTS, falling[: CUTS.size], falling[: STAKES.size])
    capped = np.minimum(log_wealth_of_players, LARGEST_LOG)
    capitals = np.exp(capped, out=capped)
    return np.asarray(np.einsum("kds,lkdse->le", shares / shares.sum(), capitals))


def wealth_gains_by_outcome(epsilons: FloatArray, delta: float) -> FloatArray:
    """Return relative gains of right, wrong and omitted guesses; shape (3, stakes, epsilons)."""
    # Stakes are shares of the largest a of step 2, so no factor is negative.
    with np.errstate(over="ignore"):  # then nothing can be won
        a = STAKES[:, None] / (np.exp(epsilons) + delta)
    # A wrong guess costs a (e^epsilon + delta), which is the stake's share itself.
    wrong = np.broadcast_to(-STAKES[:, None], a.shape)
    return np.array([a * (1 - delta), wrong, -a * delta])


def _is_sorted_beyond_chance(values: FloatArray) -> bool:
    """Return whether values are sorted, and too many for a sorted order by chance."""
    if not (np.all(values[1:] >= values[:-1]) or np.all(values[1:] <= values[:-1])):
        return False
    # All distinct orders of the values are equally likely, and two of them are sorted.
    ties = np.unique(values, return_counts=True)[1]
    log_orders = gammaln(values.size + 1) - gammaln(ties + 1).sum()
    return bool(np.log(2) - log_orders < np.log(LEAST_CHANCE_OF_SORTED))


METHOD = BoundMethod(
    label="betting (anytime-valid)",
    rule=e_process,
    further="in the order they arrived, whenever one stops",
    separated=lambda n, m: AttackScores(member=np.ones(n), nonmember=np.full(m, -1.0)),
)
