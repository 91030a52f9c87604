"""Bounds from one training run, against the worst of all mechanisms, by linear programmes.

A mechanism is what it says of the members: their posterior distribution, by rank. All posteriors
that a claim allows are the feasible set, and the probability that a true claim is refuted is linear
in them. A statistic that knows only how many members are in each of some blocks of ranks is the
same for all orders within blocks; so is the mean of a posterior over these orders, which the claim
allows, too. So a state is the numbers of members in the blocks.
"""

from collections.abc import Callable
from itertools import product
from math import comb, exp, prod
from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_matrix, hstack, identity, vstack

from dpviz import AttackScores, Spec, analyze, audit
from dpviz.audit.bounds.rank import exact_test_and_leaks, guess_sets
from dpviz.checks import ConditionError
from dpviz.theory import ApproximateDP, GaussianDP, PureDP

MOST_VALUES = 3  # of a statistic that are tried: the small p-values
States = np.ndarray  # numbers of members in each block, shape (states, blocks)


def states_of(blocks: list[int], n: int | None = None) -> States:
    """Return all numbers of members in blocks of these sizes; with `n`, those that add up to n."""
    found = np.array(list(product(*(range(size + 1) for size in blocks))))
    return found if n is None else found[found.sum(axis=1) == n]


def orders(state: list[int], blocks: list[int]) -> int:
    """Return the number of orders of a state."""
    return prod(comb(size, members) for size, members in zip(blocks, state, strict=True))


def neighbours(states: States, blocks: list[int], *, exchange: bool) -> np.ndarray:
    """Return rows (state, other state, number of ways) for one record that is exchanged for another
    of another block, or else for one that is added or removed.
    """
    rows, index = [], {tuple(state): i for i, state in enumerate(states.tolist())}
    for i, state in enumerate(states.tolist()):
        out = [(u, -1, state[u]) for u in range(len(blocks))]
        into = [(v, 1, blocks[v] - state[v]) for v in range(len(blocks))]
        changes = product(out, into) if exchange else ((one,) for one in out + into)
        for change in changes:
            other, ways = list(state), prod(number for *_, number in change)
            for block, step, _ in change:
                other[block] += step
            if ways and other != state:
                rows.append((i, index[tuple(other)], ways))
    return np.array(rows)


def largest_probability(
    refuted: np.ndarray, blocks: list[int], states: States, epsilon: float, excess: float = 0.0
) -> float:
    """Return the largest P(refuted) that a mechanism reaches in one training run; `excess` is the
    sum of all ``p(order) - e^epsilon p(neighbour)`` above 0. Records are exchanged if n is fixed.
    """
    exchange = len(set(states.sum(axis=1).tolist())) == 1
    here, there, ways = neighbours(states, blocks, exchange=exchange).T
    size = np.array([orders(state, blocks) for state in states.tolist()], float)
    rows, ones = np.arange(len(here)), np.ones(len(here))
    shape = (len(here), len(states))
    # In terms of p(state): each limit is multiplied by the number of orders here.
    limits = csr_matrix((ones, (rows, here)), shape)
    limits -= csr_matrix((exp(epsilon) * size[here] / size[there], (rows, there)), shape)
    cost, total = -refuted.astype(float), np.ones((1, len(states)))
    bounds = np.zeros(len(here))
    if excess:
        budget = csr_matrix(np.concatenate([np.zeros(len(states)), ways]))
        limits = vstack([hstack([limits, -identity(len(here))]), budget])
        bounds = np.append(bounds, excess)
        cost, total = np.append(cost, 0 * ones), np.append(total, 0 * ones[None], axis=1)
    found = linprog(cost, limits.tocsr(), bounds, total, [1.0], method="highs")
    assert found.status == 0
    return float(-found.fun)


def refutes(
    states: States, blocks: list[int], refuted_by: Callable[[AttackScores], bool]
) -> np.ndarray:
    """Return for each state whether its scores, by rank, refute the claim."""
    found = []
    for state in states.tolist():
        each = [[1] * k + [0] * (size - k) for size, k in zip(blocks, state, strict=True)]
        label, score = np.concatenate(each), np.arange(sum(blocks), 0.0, -1)
        both = 0 < label.sum() < label.size  # without one class there is no bound
        given = {"member": score[label == 1], "nonmember": score[label == 0]}
        found.append(both and refuted_by(AttackScores(**given)))
    return np.array(found)


def least_favourable(states: States, blocks: list[int], n: int, epsilon: float) -> np.ndarray:
    """Return the probability of each state under randomized response, record by record."""
    q, records, found = exp(epsilon) / (1 + exp(epsilon)), sum(blocks), np.zeros(len(states))
    m, ends = records - n, np.cumsum(blocks)
    # j members and k non-members say "member", and rank first, at random among themselves.
    for j, k in product(range(n + 1), range(m + 1)):
        chance = comb(n, j) * q**j * (1 - q) ** (n - j) * comb(m, k) * (1 - q) ** k * q ** (m - k)
        chance /= comb(j + k, j) * comb(records - j - k, n - j)
        cut = int(np.searchsorted(ends, j + k))  # the block that the last of them is in
        first = j + k - int(ends[cut]) + blocks[cut]  # how many of its records they are
        for i, state in enumerate(states.tolist()):
            members = j - sum(state[:cut])  # among these
            if 0 <= members <= min(first, state[cut]):
                inside = comb(first, members) * comb(blocks[cut] - first, state[cut] - members)
                found[i] += chance * orders(state, blocks) / comb(blocks[cut], state[cut]) * inside
    return found


def blocks_between(cuts: np.ndarray, records: int) -> list[int]:
    """Return the sizes of the blocks of ranks between cut-offs."""
    return np.diff(np.union1d(cuts, [0, records])).tolist()


def check_theorem(n: int, m: int, epsilon: float, delta: float) -> None:
    """Compare P(h >= c) of all mechanisms with the limit, for the largest values c of h."""
    test, _ = exact_test_and_leaks(n, m, delta=0.0, level=0.2)
    cuts = test.guesses.cuts
    blocks = blocks_between(cuts, n + m)
    states = states_of(blocks, n)
    law = least_favourable(states, blocks, n, epsilon)
    assert law.sum() == pytest.approx(1)
    above = np.pad(np.cumsum(states, axis=1), [(0, 0), (1, 0)])
    above = above[:, np.searchsorted(np.cumsum([0, *blocks]), cuts)]
    h = np.array([test.refuted_epsilons(row).max() for row in above])
    for c in np.unique(h)[1:][-MOST_VALUES:]:
        most = largest_probability(h >= c, blocks, states, epsilon, n * m * delta)
        limit = law[h >= c].sum() + n * m * delta / (1 + exp(epsilon))
        assert most <= limit + 1e-7, (n, m, epsilon, delta, c)


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (3, 3), (2, 5)])
def test_no_mechanism_exceeds_the_p_value(n: int, m: int) -> None:
    check_theorem(n, m, 0.5, 0.0)
    check_theorem(n, m, 1.0, 1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 3), (6, 6), (4, 9), (10, 3), (8, 8)])
def test_no_mechanism_exceeds_the_p_value_of_more_records(n: int, m: int) -> None:
    for epsilon, delta in ((0.0, 0.0), (0.7, 0.0), (2.0, 0.0), (1.0, 1e-3)):
        check_theorem(n, m, epsilon, delta)


def test_one_pair_reaches_the_p_value_and_add_remove_would_exceed_it() -> None:
    def worst_and_p_value(n: int, epsilon: float) -> tuple[float, float]:
        blocks, states = [n, n], states_of([n, n], n)
        perfect, law = states[:, 0] == n, least_favourable(states, [n, n], n, 1.0)
        return largest_probability(perfect, blocks, states, epsilon), law[perfect].sum()

    worst, p_value = worst_and_p_value(1, 1.0)
    assert worst == pytest.approx(p_value)
    worst, p_value = worst_and_p_value(4, 1.0)
    assert worst < p_value
    # An add/remove epsilon of 1 allows e^2 an exchange.
    assert worst_and_p_value(4, 2.0)[0] > 1.8 * p_value


Cell = tuple[Any, ...]  # numbers of records, epsilon, delta, confidence level
CELLS = [(3, 3, 0.3, 0.0, 0.7), (4, 4, 0.5, 0.0, 0.8), (4, 4, 0.2, 5e-3, 0.8)]
MORE = [(8, 8, 0.3, 0.0, 0.8), (8, 8, 1.0, 0.0, 0.9), (8, 8, 0.3, 1e-3, 0.8)]
MORE += [(5, 10, 1.0, 0.0, 0.8), (2, 6, 0.4, 0.0, 0.6)]
CELLS_OF_COINS = [(7, 0.4, 0.0, 0.5), (7, 0.2, 1e-3, 0.5)]
MORE_OF_COINS = [(16, 0.5, 0.0, 0.8), (16, 0.2, 1e-3, 0.7), (12, 1.0, 1e-2, 0.5)]


def refuted_too_often_by_a_fixed_split(
    n: int, m: int, epsilon: float, delta: float, confidence: float
) -> float:
    """Return how much more often than allowed the worst mechanism's true claim is refuted."""

    def is_refuted(scores: AttackScores) -> bool:
        given = {"sampling": "fixed_split", "confidence_level": confidence}
        claim = ApproximateDP(epsilon=epsilon, delta=delta)
        return audit.claim_test(scores, claim, **given).outcome == "contradicted"  # type: ignore[arg-type]

    test, _ = exact_test_and_leaks(n, m, delta=0.0, level=1 - confidence)
    blocks = blocks_between(test.guesses.cuts, n + m)
    states = states_of(blocks, n)
    found = refutes(states, blocks, is_refuted)
    assert found.any()
    return largest_probability(found, blocks, states, epsilon, n * m * delta) - (1 - confidence)


def refuted_too_often_by_fair_coins(
    records: int, epsilon: float, delta: float, confidence: float
) -> float:
    """Return how much more often than allowed the worst mechanism's true claim is refuted."""

    def is_refuted(scores: AttackScores) -> bool:
        given = {"delta": delta, "confidence_level": confidence}
        return audit.lower_bound(scores, **given, sampling="fair_coins").low > epsilon

    cuts = guess_sets(records - 1, 1, delta=0.0, level=1.0).cuts
    blocks = blocks_between(cuts, records)
    states = states_of(blocks)
    found = refutes(states, blocks, is_refuted)
    assert found.any()
    return largest_probability(found, blocks, states, epsilon, records * delta) - (1 - confidence)


@pytest.mark.parametrize("cell", CELLS)
def test_a_true_claim_is_refuted_at_most_at_the_level_by_a_fixed_split(cell: Cell) -> None:
    assert refuted_too_often_by_a_fixed_split(*cell) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("cell", MORE)
def test_a_true_claim_is_refuted_at_most_at_the_level_by_more_records(cell: Cell) -> None:
    assert refuted_too_often_by_a_fixed_split(*cell) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "level", "worst"), [(8, 8, 0.1, 0.1295), (5, 10, 0.2, 0.2695)])
def test_an_add_remove_claim_has_to_be_converted(
    n: int, m: int, level: float, worst: float
) -> None:
    test, _ = exact_test_and_leaks(n, m, delta=0.0, level=level)
    blocks = blocks_between(test.guesses.cuts, n + m)
    states = states_of(blocks, n)
    given: dict[str, Any] = {"sampling": "fixed_split", "confidence_level": 1 - level, "delta": 0.0}
    found = refutes(states, blocks, lambda scores: audit.lower_bound(scores, **given).low > 1)
    # If one record more or less costs e, an exchange of two costs e^2.
    assert largest_probability(found, blocks, states, 1.0) < level
    assert largest_probability(found, blocks, states, 2.0) == pytest.approx(worst, abs=1e-4)


@pytest.mark.parametrize("cell", CELLS_OF_COINS)
def test_a_true_claim_is_refuted_at_most_at_the_level_by_fair_coins(cell: Cell) -> None:
    assert refuted_too_often_by_fair_coins(*cell) <= 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("cell", MORE_OF_COINS)
def test_a_true_claim_is_refuted_at_most_at_the_level_by_more_coins(cell: Cell) -> None:
    assert refuted_too_often_by_fair_coins(*cell) <= 1e-9


def test_without_its_price_delta_would_exceed_the_level() -> None:
    blocks, states, level = [1] * 4, states_of([1] * 4, 2), 1 / 6 + 1e-3

    def refuted(delta: float) -> np.ndarray:
        given = {"sampling": "fixed_split", "confidence_level": 1 - level, "delta": delta}
        return refutes(states, blocks, lambda x: audit.lower_bound(x, **given).low > 0)  # type: ignore[arg-type]

    # A perfect ranking of 2 + 2 has a p-value of 1 / 6 at epsilon 0 and delta 0.
    assert largest_probability(refuted(0.0), blocks, states, 0.0) < level
    assert largest_probability(refuted(0.0), blocks, states, 0.0, 4 * 0.01) > level
    assert not refuted(0.01).any()


SEPARATED = AttackScores(member=np.arange(50.0, 90), nonmember=np.arange(40.0))
ADD_REMOVE = ApproximateDP(epsilon=1.0, delta=0.0, adjacency="add_remove")


def test_a_mechanism_needs_to_know_how_membership_was_drawn() -> None:
    missing = (
        r"sampling must be one of 'independent_trainings', 'fair_coins', 'fixed_split' for "
        r"applies_to='mechanism', got None; a bound for the mechanism needs random membership, "
        r"not a split somebody chose"
    )
    counts = {"false_positives": 0, "n_nonmembers": 40, "false_negatives": 0, "n_members": 40}
    paths: list[Callable[[], object]] = [
        lambda: audit.lower_bound(SEPARATED, delta=0.0, applies_to="mechanism"),
        lambda: audit.claim_test(SEPARATED, PureDP(epsilon=1.0), applies_to="mechanism"),
        lambda: audit.lower_bound_from_counts(**counts, delta=0.0, applies_to="mechanism"),
        lambda: audit.certified_profile(SEPARATED, applies_to="mechanism"),
        lambda: audit.best_of({"a": SEPARATED}, delta=0.0, applies_to="mechanism"),
        lambda: audit.Stream(PureDP(epsilon=1.0), applies_to="mechanism"),
        lambda: Spec.of(applies_to="mechanism"),
        lambda: analyze(SEPARATED, epsilon=1.0, applies_to="mechanism"),
    ]
    for path in paths:
        with pytest.raises(ConditionError, match=missing):
            path()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"sampling": "fair_coins", "method": "rank_exact"},
            "method must be 'one_run' or 'one_run_curve' for sampling='fair_coins', "
            "got 'rank_exact'",
        ),
        (
            {"sampling": "fixed_split", "method": "e_process"},
            "method must be 'rank_exact' for sampling='fixed_split', got 'e_process'",
        ),
        (
            {"sampling": "fixed_split", "delta": 1e-4},
            "delta must be at most 3.1e-05 for this fixed split and confidence level, "
            "got 0.0001; a larger delta needs sampling='fair_coins' or 'independent_trainings'",
        ),
        (
            {"sampling": "fair_coins", "applies_to": "instance"},
            "sampling must be None for applies_to='instance', got 'fair_coins'",
        ),
    ],
)
def test_what_is_not_valid_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ConditionError) as error:
        audit.lower_bound(SEPARATED, **{"delta": 0.0, **given})  # type: ignore[arg-type]
    assert str(error.value) == message


def test_five_members_among_505_records_are_no_fair_coins() -> None:
    few = AttackScores(member=range(500, 505), nonmember=range(500))
    with pytest.raises(ValueError, match=r"as many members as .* got 5 members among 505"):
        audit.lower_bound(few, delta=0.0, sampling="fair_coins")


def test_a_claim_is_about_the_neighbours_of_the_sampling() -> None:
    test = audit.claim_test
    with pytest.raises(ValueError, match=r"for replace_one adjacency.*to_replace_one"):
        test(SEPARATED, ADD_REMOVE, sampling="fixed_split")
    with pytest.raises(ValueError, match="neighbours must be 'replace_one' or None"):
        test(SEPARATED, ADD_REMOVE, sampling="fixed_split", neighbours="add_remove")
    with pytest.raises(ValueError, match=r"for add_remove adjacency.*sampling='fixed_split'"):
        test(SEPARATED, PureDP(epsilon=1.0), sampling="fair_coins")
    with pytest.raises(ValueError, match=r"an .epsilon, delta. claim for sampling='fixed_split'"):
        test(SEPARATED, GaussianDP(mu=1.0), sampling="fixed_split")
    assert test(SEPARATED, ADD_REMOVE, sampling="fair_coins").outcome == "contradicted"


def test_an_analysis_converts_the_claim_and_says_how_membership_was_drawn() -> None:
    split = analyze(SEPARATED, claim=ADD_REMOVE, sampling="fixed_split")
    assert split.claim.claim == ADD_REMOVE.to_replace_one()
    assert split.spec.applies_to == "mechanism"
    assert split.lower_bound == audit.lower_bound(SEPARATED, delta=0.0, sampling="fixed_split")
    assert "(one training run, fixed split; 95 % confidence" in split.sentences["answer_detail"]
    coins = analyze(SEPARATED, claim=ADD_REMOVE, sampling="fair_coins")
    assert coins.claim.claim == ADD_REMOVE
    assert coins.lower_bound == audit.lower_bound(SEPARATED, delta=0.0, sampling="fair_coins")
    assert coins.outcome == "contradicted"
    assert "one-run audit, whole curve" in coins.sentences["ceiling"]
    for found, how in ((split, "fixed split"), (coins, "fair coins")):
        for name in ("bound", "answer_limits"):
            assert f"one training run, {how}: " in found.sentences[name]
        # The band and its sentences suppose independent scores.
        assert "contradicts no claim here" in found.sentences["band"]
        assert found.sentences["consistent"] == ""
        assert "confidence band" not in found.sentences["against"]
    assert coins.sentences["reading"].endswith("tested under add/remove adjacency.")
    with pytest.raises(ValueError, match=r"for add_remove adjacency.*give the claim adjacency="):
        analyze(SEPARATED, epsilon=1.0, sampling="fair_coins")
    back = coins.spec.changed(applies_to="instance")
    assert (back.applies_to, back.sampling) == ("instance", None)
