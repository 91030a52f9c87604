"""The exact probability that a useless attack's counts stay in a set of outcomes at all thresholds.

A useless attack gives members and non-members scores from one distribution. If no scores are tied,
every order of the n + m records is equally likely. So from the highest score down, the numbers
(x, y) of members and non-members passed are a path: the next record is a member with probability
``(n - x) / (n + m - x - y)``. The probabilities of the paths that have stayed in the set are summed
record by record, for x within `REACH` standard deviations of its mean; other paths count as outside
the set, and have a probability below 1e-15.
"""

import numpy as np

from dpviz.audit.upper_limits.outcomes import Outcomes

REACH = 9.0  # standard deviations


def chance_to_stay(outcomes: Outcomes) -> float:
    """Return the probability that all (x, y) of a useless attack without ties are in the set."""
    n, m, most = outcomes.n_members, outcomes.n_nonmembers, outcomes.most
    if most[0] < 0:
        return 0.0  # no threshold above all records
    total = n + m
    half = int(REACH * np.sqrt(n * m / (4.0 * (total - 1)))) + 4
    width = min(2 * half + 1, n + 1)
    # `chance[i]` belongs to x = first + i; `first` never falls, and rises by at most 1.
    first, numbers = 0, np.arange(width)
    chance = np.zeros(width)
    chance[0] = 1.0
    for passed in range(total):
        x = first + numbers
        to_member = chance * np.clip((n - x) / (total - passed), 0.0, 1.0)
        chance = chance - to_member
        next_first = min(max((passed + 1) * n // total - half, 0), n + 1 - width)
        if next_first > first:
            chance = np.append(chance[1:], 0.0) + to_member
        else:
            chance[1:] += to_member[:-1]
        first = next_first
        x = first + numbers
        y = passed + 1 - x
        is_inside = (y >= 0) & (y <= m)
        is_inside &= x <= most[np.clip(y, 0, m)]
        chance *= is_inside
    return float(chance[n - first])
