"""The rank bound: its least favourable law by records, its proof by enumeration, its size."""

import math
from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.bounds import EpsilonBound, RankEvidence, rank

Labels = tuple[int, ...]


def bound_of(scores: AttackScores, *, delta: float = 0.0, seed: int = 0) -> EpsilonBound:
    return lower_bound(scores, delta=delta, seed=seed)


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
    return np.asarray(np.cumsum(ranked < n, axis=1)[:, cuts - 1].T)


def as_attack(scores: np.ndarray, n: int) -> AttackScores:
    return AttackScores(member=scores[:n], nonmember=scores[n:])


def of_labels(labels: np.ndarray) -> AttackScores:
    """Scores whose descending order has these labels, 1 for members."""
    scores = np.arange(labels.size, 0, -1.0)
    return AttackScores(member=scores[labels == 1], nonmember=scores[labels == 0])


def laplace(seed: int, n: int, m: int, *, gap: float = 1.0) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores(member=rng.laplace(gap, 1, n), nonmember=rng.laplace(0, 1, m))


@pytest.mark.parametrize(("n", "m"), [(20, 20), (7, 30), (33, 6), (1, 4)])
@pytest.mark.parametrize("epsilon", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("delta", [0.0, 0.05])
def test_simulated_counts_have_the_law_of_records(
    n: int, m: int, epsilon: float, delta: float
) -> None:
    runs = 8000
    design = rank._Design(n, m)
    rng = np.random.default_rng(30)
    counts = design.simulated(np.full(runs, epsilon), delta, rng)
    scores = least_favourable(rng, n, m, epsilon=epsilon, delta=delta, runs=runs)
    records = members_in_first(scores, n, design.cuts)
    assert counts.shape == records.shape == (design.cuts.size, runs)
    # Each count, and each number of members between two cuts: the joint law, pair by pair.
    places = list(combinations(range(design.cuts.size), 2))
    both = [
        np.concatenate([found, [found[j] - found[i] for i, j in places]]) if places else found
        for found in (counts, records)
    ]
    for found, expected in zip(*both, strict=True):
        squares = [(x - expected.mean()) ** 2 for x in (found, expected)]
        for a, b in ((found, expected), squares):
            error = math.sqrt((np.var(a) + np.var(b)) / runs)
            assert abs(np.mean(a) - np.mean(b)) <= 4.5 * error + 1e-12
    for i in range(0, design.cuts.size, 2):
        tables = Counter(counts[i].tolist()), Counter(records[i].tolist())
        common = [x for x in tables[0] | tables[1] if tables[0][x] + tables[1][x] >= 20]
        if len(common) > 1:
            table = [[found[x] for x in common] for found in tables]
            assert chi2_contingency(table).pvalue > 1e-5


def test_whole_ranges_may_be_leaked() -> None:
    design = rank._Design(12, 9)
    found = design.simulated(np.ones(50), 1.0, np.random.default_rng(0))
    expected = np.minimum(design.cuts, 12)[:, None]
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


@pytest.mark.parametrize(("n", "m"), [(30, 30), (12, 50), (50, 9)])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 3.0])
def test_what_is_unusual_never_gets_usual_when_a_member_moves_up(
    n: int, m: int, epsilon: float
) -> None:
    design, rng = rank._Design(n, m), np.random.default_rng(31)
    for _ in range(40):
        labels = rng.permutation(np.repeat([1, 0], [n, m]))
        path = [labels.copy()]
        for _ in range(60):
            up = np.flatnonzero((labels[:-1] == 0) & (labels[1:] == 1))
            if up.size == 0:
                break
            i = int(rng.choice(up))
            labels[[i, i + 1]] = labels[[i + 1, i]]
            path.append(labels.copy())
        counts = np.cumsum(path, axis=1)[:, design.cuts - 1].T
        unusual, _ = design.most_unusual(counts, np.full(len(path), epsilon))
        assert np.all(np.diff(unusual) <= 1e-12)


@pytest.mark.parametrize(
    ("n", "m", "epsilon", "delta"),
    [(60, 60, 0.0, 0.0), (60, 60, 1.0, 0.05), (20, 90, 0.5, 0.01)],
)
def test_the_size_at_the_least_favourable_law(
    monkeypatch: pytest.MonkeyPatch, n: int, m: int, epsilon: float, delta: float
) -> None:
    # Only the true epsilon is tested, with fewer simulations: exact with any number of them.
    monkeypatch.setattr(rank, "GRID", np.array([epsilon]))
    monkeypatch.setattr(rank, "EXPECTED", 15.0)
    runs = 300
    drawn = least_favourable(
        np.random.default_rng(32), n, m, epsilon=epsilon, delta=delta, runs=runs
    )
    rejected = [
        bool(bound_of(as_attack(scores, n), delta=delta, seed=run).evidence)
        for run, scores in enumerate(drawn)
    ]
    assert np.mean(rejected) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)
    assert np.mean(rejected) >= 0.01  # nothing is given away at this law but discreteness


def test_all_epsilons_of_the_grid_are_tested_in_order() -> None:
    assert rank.GRID[0] == 0
    steps = np.diff(rank.GRID)
    assert np.all(steps > 0)
    assert np.all(steps <= 0.0101 * np.maximum(1, rank.GRID[:-1]))
    assert rank.GRID[-1] > 50


def test_the_bound_exceeds_epsilon_at_most_as_often_as_said() -> None:
    runs, n, m, epsilon = 40, 20, 50, 0.02
    drawn = least_favourable(np.random.default_rng(33), n, m, epsilon=epsilon, delta=0.0, runs=runs)
    lows = [bound_of(as_attack(s, n), seed=run).low for run, s in enumerate(drawn)]
    assert np.mean(np.array(lows) > epsilon) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


def test_the_median_bound_of_a_laplace_leak_keeps_its_power() -> None:
    lows = [bound_of(laplace(seed, 500, 500)).low for seed in range(15)]
    assert np.median(lows) >= 0.75


def test_a_one_sided_leak_is_found() -> None:
    for seed in range(1):
        rng = np.random.default_rng(seed)
        member = rng.normal(size=500) + 6 * (rng.random(500) < 0.05)
        bound = bound_of(AttackScores(member=member, nonmember=rng.normal(size=500)), seed=seed)
        (evidence,) = bound.evidence
        assert isinstance(evidence, RankEvidence)
        assert evidence.bottom == 0
        assert bound.low > 0.4


def test_nothing_is_found_in_equal_laws_and_in_reversed_scores() -> None:
    lows = np.array([bound_of(laplace(seed, 100, 100, gap=0), seed=seed).low for seed in range(40)])
    assert np.median(lows) == 0
    assert np.mean(lows > 0) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / lows.size)
    for seed in range(3):
        bound = bound_of(laplace(seed, 150, 100, gap=-2))
        assert (bound.low, bound.evidence) == (0, ())


def test_ties_are_ranked_at_random_not_by_membership() -> None:
    scores = AttackScores(member=np.ones(50), nonmember=np.ones(50))
    lows = np.array([bound_of(scores, seed=seed).low for seed in range(50)])
    assert np.mean(lows == 0) >= 0.9
    two_values = AttackScores(member=np.repeat([1.0, 0.0], 40), nonmember=np.repeat([1.0, 0.0], 40))
    lows = np.array([bound_of(two_values, seed=seed).low for seed in range(10)])
    assert np.mean(lows == 0) >= 0.8


def test_the_same_seed_gives_the_same_bound_and_others_nearly_the_same() -> None:
    scores = laplace(40, 120, 120, gap=1.3)
    bounds = [bound_of(scores, seed=seed) for seed in (1, 1, 2)]
    assert bounds[0] == bounds[1]
    lows = [bound.low for bound in bounds]
    assert max(lows) - min(lows) <= 0.06
    assert min(lows) > 0.3


def test_only_the_order_of_the_scores_matters() -> None:
    scores = laplace(41, 80, 60)
    expected = bound_of(scores)
    for turn in (np.exp, lambda x: 5 * x - 1e6):
        found = bound_of(AttackScores(member=turn(scores.member), nonmember=turn(scores.nonmember)))
        assert found == expected
    losses = AttackScores.from_losses(member=-scores.member, nonmember=-scores.nonmember)
    assert bound_of(losses).low == expected.low


@pytest.mark.parametrize(("n", "m"), [(80, 700), (700, 80)])
def test_classes_of_unequal_size(n: int, m: int) -> None:
    lows = [bound_of(laplace(seed, n, m)).low for seed in range(1)]
    assert 0.3 <= np.median(lows) <= 1
    assert bound_of(laplace(0, n, m, gap=0)).low <= 0.1


@pytest.mark.parametrize(("n", "m"), [(1, 1), (1, 3), (3, 1), (1, 60), (2, 2)])
def test_very_few_records_show_next_to_nothing(n: int, m: int) -> None:
    scores = AttackScores(member=np.arange(n) + 10.0, nonmember=-np.arange(m) * 1.0)
    bound = bound_of(scores)
    assert bound.low == 0 or (n, m) == (1, 60)
    if n + m <= 6:
        # With chances of at least 1 / 6 no order at all is unusual.
        assert bound.evidence == ()


@pytest.mark.parametrize(("n", "m"), [(3, 3), (10, 10), (40, 40)])
def test_separated_classes_are_no_more_unusual_than_they_are(n: int, m: int) -> None:
    bound = bound_of(AttackScores(member=np.ones(n) + np.arange(n), nonmember=-np.arange(m) * 1.0))
    # P(separated) of randomized response, by the number of records told to be members.
    grid = np.linspace(0, 12, 1201)
    q = 1 / (1 + np.exp(-grid))
    chance = np.zeros_like(grid)
    for a, b in product(range(n + 1), range(m + 1)):
        # a members and b non-members in the upper class; separated only by luck within classes.
        upper, lower = (a, b), (n - a, m - b)
        if b > 0 and lower[0] > 0:
            continue
        luck = 1 / math.comb(sum(upper), a) / math.comb(sum(lower), lower[0])
        chance += (
            luck
            * math.comb(n, a)
            * q**a
            * (1 - q) ** (n - a)
            * math.comb(m, b)
            * (1 - q) ** b
            * q ** (m - b)
        )
    refuted = grid[chance <= 0.05]
    limit = 0.0 if refuted.size == 0 else float(refuted.max())
    # Events that hold the separated order are likelier than it is: never above, up to simulation.
    assert bound.low <= limit + 0.05 * max(1, limit)
    assert bound.low >= 0.6 * limit - 0.5


@pytest.mark.parametrize("seed", range(2))
def test_the_evidence_is_counted_in_the_ranking(seed: int) -> None:
    scores = laplace(seed, 150, 130)
    bound = bound_of(scores)
    (evidence,) = bound.evidence
    assert isinstance(evidence, RankEvidence)
    ranked = np.argsort(-np.concatenate([scores.member, scores.nonmember])) < 150
    assert evidence.members_in_top == ranked[: evidence.top].sum()
    assert evidence.nonmembers_in_bottom == np.sum(~ranked[280 - evidence.bottom :])
    assert evidence.top in (0, evidence.bottom) or evidence.bottom == 0
    assert max(evidence.top, evidence.bottom) >= 4
    # Guesses that are right more often than this epsilon allows on average.
    q = 1 / (1 + math.exp(-bound.low))
    right = evidence.members_in_top + evidence.nonmembers_in_bottom
    assert right / (evidence.top + evidence.bottom) > q - 0.05


def test_more_delta_explains_more() -> None:
    scores = laplace(42, 300, 300, gap=2)
    lows = [bound_of(scores, delta=delta).low for delta in (0.0, 0.02, 0.2, 1.0)]
    assert np.all(np.diff(lows) < 0)
    assert lows[-1] == 0


def test_the_order_of_all_labels_gives_the_bound() -> None:
    rng = np.random.default_rng(43)
    labels = (rng.random(200) < np.linspace(0.9, 0.1, 200)).astype(int)
    assert bound_of(of_labels(labels)).low > 0.3
    assert bound_of(of_labels(labels[::-1])).low == 0


def test_a_confidence_beyond_what_is_simulated_is_refused() -> None:
    scores = laplace(0, 20, 20)
    with pytest.raises(
        ValueError, match=r"confidence_level must be at most 0\.999 .*, got 0\.9999"
    ):
        lower_bound(scores, delta=0.0, confidence_level=0.9999)
