"""The least favourable law: simulated as by records, least favourable by enumeration."""

import math
from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

from dpviz.audit.bounds.rank import LeastFavourable

Labels = tuple[int, ...]


def least_favourable(
    rng: np.random.Generator, n: int, m: int, *, epsilon: float, delta: float, runs: int
) -> np.ndarray:
    """Scores of n members, then m non-members, record by record, from the statement of the law.

    Classes from the top: 3 revealed members, 2 and 1 the told bit, 0 revealed non-members; random
    order within each.
    """
    truth = 1 / (1 + math.exp(-epsilon))
    member = np.where(rng.random((runs, n)) < truth, 2, 1)
    member[rng.random((runs, n)) < delta] = 3
    nonmember = np.where(rng.random((runs, m)) < truth, 1, 2)
    nonmember[rng.random((runs, m)) < delta] = 0
    return np.concatenate([member, nonmember], axis=1) + rng.random((runs, n + m)) / 2


def members_in_first(scores: np.ndarray, n: int, cuts: np.ndarray) -> np.ndarray:
    """Counts, shape (cuts, runs), by sorting all records of each run."""
    ranked = np.argsort(-scores, axis=1)
    found = np.cumsum(ranked < n, axis=1)
    return np.asarray(np.pad(found, ((0, 0), (1, 0)))[:, cuts].T)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(20, 20), (7, 30), (33, 6), (1, 4)])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_simulated_counts_have_the_law_of_records(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    runs = 8000
    cuts = np.unique(np.linspace(0, n + m, 9).astype(int))
    law = LeastFavourable(n_members=n, n_nonmembers=m, delta=delta, cuts=cuts)
    rng = np.random.default_rng(30)
    counts = law.draw(np.full(runs, epsilon), rng)
    scores = least_favourable(rng, n, m, epsilon=epsilon, delta=delta, runs=runs)
    records = members_in_first(scores, n, cuts)
    assert counts.shape == records.shape == (cuts.size, runs)
    # Each count, and each number of members between two cuts: the joint law, pair by pair.
    places = list(combinations(range(cuts.size), 2))
    both = [
        np.concatenate([found, [found[j] - found[i] for i, j in places]]) if places else found
        for found in (counts, records)
    ]
    for found, expected in zip(*both, strict=True):
        squares = [(x - expected.mean()) ** 2 for x in (found, expected)]
        for a, b in ((found, expected), squares):
            error = math.sqrt((np.var(a) + np.var(b)) / runs)
            assert abs(np.mean(a) - np.mean(b)) <= 4.5 * error + 1e-12
    for i in range(0, cuts.size, 2):
        tables = Counter(counts[i].tolist()), Counter(records[i].tolist())
        common = [x for x in tables[0] | tables[1] if tables[0][x] + tables[1][x] >= 20]
        if len(common) > 1:
            table = [[found[x] for x in common] for found in tables]
            assert chi2_contingency(table).pvalue > 1e-5


def test_whole_ranges_may_be_leaked() -> None:
    cuts = np.arange(22)
    law = LeastFavourable(n_members=12, n_nonmembers=9, delta=1.0, cuts=cuts)
    found = law.draw(np.ones(50), np.random.default_rng(0))
    expected = np.minimum(cuts, 12)[:, None]
    np.testing.assert_array_equal(found, np.broadcast_to(expected, found.shape))


def law_of_labels(classes: Labels, n: int, epsilon: float) -> dict[Labels, float]:
    """Labels from the top, given the classes from the top: 3 and 0 reveal, 2 and 1 are told bits.

    The rest are the more likely the more labels agree with the bit, and have n members in all.
    """
    law = {}
    for labels in product((0, 1), repeat=len(classes)):
        revealed = all(
            label == (c == 3) for label, c in zip(labels, classes, strict=True) if c in (0, 3)
        )
        if sum(labels) == n and revealed:
            agree = sum(
                label == (c == 2) for label, c in zip(labels, classes, strict=True) if c in (1, 2)
            )
            law[labels] = math.exp(epsilon * agree)
    total = sum(law.values())
    return {labels: weight / total for labels, weight in law.items()}


def increasing_events(size: int, n: int) -> list[frozenset[Labels]]:
    """All sets of labellings that a labelling never leaves when a member moves up."""

    def above(labels: Labels) -> list[Labels]:
        found = []
        for i in range(size - 1):
            if labels[i : i + 2] == (0, 1):
                found.append((*labels[:i], 1, 0, *labels[i + 2 :]))
        return found

    everything = [x for x in product((0, 1), repeat=size) if sum(x) == n]
    # From the top of the order down: a labelling may join when all above it have.
    everything.sort(key=lambda x: sum(i for i, label in enumerate(x) if label))
    events: list[frozenset[Labels]] = [frozenset()]
    for labels in everything:
        events += [event | {labels} for event in events if event.issuperset(above(labels))]
    return events


@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 3), (2, 2)])
@pytest.mark.parametrize("epsilon", [0.0, 0.7, 2.0])
def test_no_order_of_the_classes_makes_any_increasing_event_likelier(
    n: int, m: int, epsilon: float
) -> None:
    events = increasing_events(n + m, n)
    assert len(events) >= 8
    contains = np.array(
        [[x in event for x in product((0, 1), repeat=n + m) if sum(x) == n] for event in events]
    )
    labellings = [x for x in product((0, 1), repeat=n + m) if sum(x) == n]
    for leaks in ((0, 0), (1, 0), (1, 1), (2, 1)):
        told = n + m - sum(leaks)
        for ones in range(told + 1):
            worst = (3,) * leaks[0] + (2,) * ones + (1,) * (told - ones) + (0,) * leaks[1]
            largest: np.ndarray | None = None
            for classes in [worst, *set(permutations(worst))]:
                law = law_of_labels(classes, n, epsilon)
                chances = contains @ np.array([law.get(x, 0.0) for x in labellings])
                largest = chances if largest is None else largest
                assert np.all(chances <= largest + 1e-12)


def exact_law(n: int, m: int, epsilon: float, delta: float) -> dict[Labels, float]:
    """Of the labels from the top: binomial class sizes, all orders within a class alike."""
    q = 1 / (1 + math.exp(-epsilon))
    law = {x: 0.0 for x in product((0, 1), repeat=n + m) if sum(x) == n}
    for first, last in product(range(n + 1), range(m + 1)):
        for a, b in product(range(n - first + 1), range(m - last + 1)):
            chance = binom.pmf(first, n, delta) * binom.pmf(last, m, delta)
            chance *= binom.pmf(a, n - first, q) * binom.pmf(b, m - last, 1 - q)
            upper = list(combinations(range(a + b), a))
            rest = n - first - a, m - last - b
            lower = list(combinations(range(sum(rest)), rest[0]))
            for up, low in product(upper, lower):
                of_upper = (int(i in up) for i in range(a + b))
                of_lower = (int(i in low) for i in range(sum(rest)))
                labels = (*[1] * first, *of_upper, *of_lower, *[0] * last)
                law[labels] += float(chance) / len(upper) / len(lower)
    return law


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(3, 3), (2, 4), (4, 1)])
@pytest.mark.parametrize("delta", [0.0, 0.1])
def test_no_increasing_event_gets_less_likely_as_epsilon_grows(
    n: int, m: int, delta: float
) -> None:
    events = increasing_events(n + m, n)
    before = np.zeros(len(events))
    for epsilon in (0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 30.0):
        law = exact_law(n, m, epsilon, delta)
        assert math.fsum(law.values()) == pytest.approx(1, abs=1e-12)
        chances = np.array([math.fsum(law[x] for x in event) for event in events])
        assert np.all(chances >= before - 1e-12)
        before = chances


@pytest.mark.parametrize("delta", [0.0, 0.2])
def test_all_counts_together_have_the_exact_law(delta: float) -> None:
    runs, cuts = 20_000, np.arange(7)
    law = LeastFavourable(n_members=3, n_nonmembers=3, delta=delta, cuts=cuts)
    drawn = law.draw(np.full(runs, 0.8), np.random.default_rng(35))
    found = Counter(tuple(np.diff(column).tolist()) for column in drawn.T)
    exact = exact_law(3, 3, 0.8, delta)
    assert set(found) <= set(exact)
    for labels, chance in exact.items():
        error = math.sqrt(chance * (1 - chance) / runs)
        assert abs(found[labels] / runs - chance) <= 4.5 * error


def test_each_run_has_an_epsilon_of_its_own() -> None:
    law = LeastFavourable(n_members=50, n_nonmembers=50, delta=0.0, cuts=np.array([50]))
    found = law.draw(np.repeat([0.0, 40.0], 200), np.random.default_rng(36))[0]
    assert np.all(found[200:] == 50)
    assert abs(found[:200].mean() - 25) < 1
