"""The largest median that any valid lower bound can have, and its page."""

import importlib
import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize
from scipy.special import expit
from scipy.stats import binom

from dpviz.audit import AttackScores, lower_bound


@pytest.fixture(scope="module")
def benchmark() -> Any:
    return importlib.import_module("benchmarks.limit")


@pytest.mark.parametrize(("n", "right"), [(100, 0.8), (500, 0.99)])
def test_limit_of_two_answers_is_a_binomial_test(benchmark: Any, n: int, right: float) -> None:
    # By symmetry the closest pair is randomized response, and the number of right answers decides.
    counts, middle = np.arange(2 * n + 1), int(binom.median(2 * n, right))
    above = binom.sf(middle, 2 * n, right)

    def excess(epsilon: float) -> float:
        at = binom.pmf(counts, 2 * n, expit(epsilon))
        part = (0.5 - above) / binom.pmf(middle, 2 * n, right)
        return float(at[middle + 1 :].sum() + part * at[middle] - 0.05)

    member = np.array([right, 1 - right])
    assert benchmark.limit(member, 1 - member, n, n) == pytest.approx(
        brentq(excess, 0, 9), abs=1e-3
    )


def test_closest_pair_is_the_closest_of_all_that_epsilon_allows(benchmark: Any) -> None:
    rng = np.random.default_rng(3)
    member, nonmember = rng.dirichlet(np.ones(4)), rng.dirichlet(np.ones(4))
    n, m, epsilon = 30, 70, 0.4

    def divergence(pair: np.ndarray) -> float:
        q, p = pair.reshape(2, 4)
        return float(n * member @ np.log(member / q) + m * nonmember @ np.log(nonmember / p))

    found = np.concatenate(benchmark.closest_pair(member, nonmember, n, m, epsilon))
    q, p = found.reshape(2, 4)
    assert (q.sum(), p.sum()) == pytest.approx((1, 1))
    assert np.max(np.abs(np.log(q / p))) <= epsilon * (1 + 1e-9)
    allowed = [
        {"type": "eq", "fun": lambda x: x.reshape(2, 4).sum(axis=1) - 1},
        {"type": "ineq", "fun": lambda x: np.exp(epsilon) * x[4:] - x[:4]},
        {"type": "ineq", "fun": lambda x: np.exp(epsilon) * x[:4] - x[4:]},
    ]
    even = np.full(8, 0.25)
    best = minimize(divergence, even, constraints=allowed, bounds=[(1e-3, 1)] * 8, tol=1e-9)
    assert best.success
    assert divergence(found) == pytest.approx(best.fun, abs=1e-5)


def test_level_is_that_of_simulated_likelihood_ratio_tests(benchmark: Any) -> None:
    member, nonmember = np.array([0.3, 0.25, 0.45]), np.array([0.2, 0.5, 0.3])
    n, m, epsilon, runs = 150, 60, 0.2, 200_000
    q, p = benchmark.closest_pair(member, nonmember, n, m, epsilon)
    rng = np.random.default_rng(4)

    def drawn(of_members: np.ndarray, of_others: np.ndarray) -> np.ndarray:
        counts = rng.multinomial(n, of_members, runs), rng.multinomial(m, of_others, runs)
        return counts[0] @ np.log(member / q) + counts[1] @ np.log(nonmember / p)

    simulated = np.mean(drawn(q, p) > np.median(drawn(member, nonmember)))
    level = benchmark.level_at_half_power(member, nonmember, n, m, epsilon)
    # Standard errors: 0.0005 of the share, 0.0008 because the median is one of a sample.
    assert level == pytest.approx(simulated, abs=0.004)


def test_limit_rises_with_the_leak_and_with_the_records_and_is_0_without(benchmark: Any) -> None:
    cells = {mu: benchmark.LAWS[f"Gaussian {mu:g}"].cells() for mu in (0.5, 1)}
    limits = [benchmark.limit(*cells[mu], n, n) for mu, n in ((0.5, 100), (1, 100), (1, 400))]
    assert 0 < limits[0] < limits[1] < limits[2]
    assert benchmark.limit(cells[1][1], cells[1][1], 100, 100) == 0


def test_no_finer_cells_change_a_limit(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    law = benchmark.LAWS["LiRA-like"]
    coarse = benchmark.limit(*law.cells(), 250, 250)
    assert coarse == pytest.approx(benchmark.load()["LiRA-like", 250, 250][0], abs=1e-4)
    monkeypatch.setattr(benchmark, "CELLS", 2 * benchmark.CELLS)
    monkeypatch.setattr(benchmark, "LATTICE", 2 * benchmark.LATTICE)
    assert benchmark.limit(*law.cells(), 250, 250) == pytest.approx(coarse, abs=1e-3)


def test_no_measured_median_is_above_its_limit(benchmark: Any) -> None:
    rows = benchmark.load()
    assert [*rows] == benchmark.CASES + benchmark.HELD_OUT
    for most, median, low, high in rows.values():
        assert 0 < low <= median <= high
        assert median < most


def test_median_is_that_of_the_bounds(benchmark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark, "RUNS", 9)
    law, lows = benchmark.LAWS["Gaussian 2"], []
    for run in range(9):
        rng = np.random.default_rng([run, 12, 15, [*benchmark.LAWS].index("Gaussian 2")])
        member, nonmember = law.member.sample(12, rng), law.nonmember.sample(15, rng)
        scores = AttackScores(member=member, nonmember=nonmember)
        lows.append(lower_bound(scores, delta=1e-5).low)
    # Of nine the second and the eighth are 95 % limits: 1 - 2 (1 + 9) / 512.
    expected = np.sort(lows)[[4, 1, 7]]
    assert benchmark.median(("Gaussian 2", 12, 15)) == pytest.approx(expected, abs=1e-4)


def test_page_has_the_table_of_the_file(benchmark: Any) -> None:
    text = benchmark.PAGE.read_text("utf-8")
    table = "\n".join(benchmark.table(benchmark.load()))
    assert f"<!-- limit: begin -->\n{table}\n<!-- limit: end -->" in text
    assert json.loads(benchmark.FILE.read_text("utf-8"))["columns"] == list(benchmark.COLUMNS)
