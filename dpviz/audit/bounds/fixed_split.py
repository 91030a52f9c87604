"""The rank test for one training run whose members are drawn at random, in a fixed number.

**Statement.** Of n + m records, n are drawn at random, every choice equally likely; a model is
trained on them, and perhaps on others that are fixed. It satisfies (epsilon, delta) where one
record is replaced. From the output, an attack ranks all records; their scores may depend on each
other in any way. The p-value at delta = 0 of `dpviz.audit.bounds.rank`, for any statistic h that
does not fall when a member changes places with a non-member above, is at most a with probability
at most ``a + n m delta / (1 + e^epsilon)``.

**Proof.** Fix the output, so the order. Let p(S) be its probability together with the split S. For
two splits that differ by one exchange, let ``[p(S) - e^epsilon p(S')]_+`` be the excess. Over all
outputs, splits and their n m exchanges, the excesses add up to at most n m delta.

1. *One place.* Reveal who is a member at some places, among them a members and b non-members; then
   at one more place i. Let P1 and P0 be the probabilities p that i is a member and is not.
   Exchange i with each of the m - b other non-members: a split with a member at i becomes one with
   a non-member there, and each of these is reached n - a times. So ``(m - b) P1 <= e^epsilon
   (n - a) P0`` plus excesses, and likewise for P0. Let ``r = (n - a) / (m - b)``, the odds of the
   draw alone. Without excesses, the odds of a member at i lie from r / e^epsilon to r e^epsilon.
2. *The least favourable case, one record after the other.* In step 4 of the proof in `rank`, at
   delta = 0, let records arrive in random order. A record is a member with odds r, and says
   "member" with probability q if it is one, else 1 - q. Those that say so fill the places from the
   top, all others from the bottom. So, given which of these is next, its place has a member with
   odds r e^epsilon, or r / e^epsilon.
3. *Coupling.* Reveal the split at the same places in the same order: which of both ends is next is
   drawn given what is revealed of the case. Let x be the members that the case has more than the
   split among the places from the top, and y those that it has fewer among the places from the
   bottom. At a top place with ``x <= y``, the case has no more members in all, so its r is no
   smaller, and its odds are at least those of the split: draw both such that the case has a member
   if the split has. With ``x > y``, x is at least 1, and may fall by 1. So x is never negative; nor
   is y, by the same argument with both classes exchanged.
4. At the end, the case has no fewer members than the split before each place: h is no smaller. So
   ``P(h >= c)`` is at most that of the case, the p-value.
5. *Excesses.* Step 3 fails at a place with at most the probability by which the split's exceeds
   that of the case: the excess there, over ``e^epsilon (n - a) + m - b`` at the top and likewise
   at the bottom. Where there is an excess, both classes are left, so this is ``1 + e^epsilon`` or
   more. An exchange counts once, at the first of its two places. With the sum of all, P(failure) is
   at most ``n m delta / (1 + e^epsilon)``.

At delta = 0 nothing is lost: with n = m = 1 an output reaches the p-value. The price of delta is
small only if ``n m delta`` is; that no smaller price would do is not shown. For add/remove epsilon
the statement is false: convert such a claim first. Fair coins, given the number of members, are
such a split.
"""

from dataclasses import replace

from dpviz import checks
from dpviz.audit.bounds.result import BoundRequest


def request_at_delta_zero(request: BoundRequest, n_members: int, n_nonmembers: int) -> BoundRequest:
    """Return a request at delta 0 with more confidence, whose bound is valid for `request`."""
    level = 1 - request.confidence_level
    most = level / (n_members * n_nonmembers)
    if request.delta > most:
        condition = f"at most {most:.2g} for this fixed split and confidence level"
        way_out = "a larger delta needs sampling='fair_coins' or 'independent_trainings'"
        raise checks.fail("delta", condition, request.delta, way_out)
    # The price of delta, by the statement at epsilon 0 or above: at most half of the level.
    price = n_members * n_nonmembers * request.delta / 2
    return replace(request, delta=0.0, confidence_level=request.confidence_level + price)
