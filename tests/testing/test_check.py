"""Claims are contradicted where they are false, and at most at the level where they are true."""

import math
import re
from functools import partial

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.testing import check_mechanism
from dpviz.testing.gallery import BUGS, Bug
from dpviz.testing.result import detectable_epsilon
from dpviz.theory import GaussianDP, PureDP

ODDS = math.exp(1.0)


def randomized_response(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """Epsilon is exactly 1."""
    lies = rng.random(size) < 1 / (1 + ODDS)
    return np.where(lies, 1 - data, data)


def noisy_answers(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
    """Three coordinates, two of them of noise alone; epsilon is exactly 1."""
    return (np.array([data, 0, 0]) + rng.laplace(size=(size, 3))).round(6)


@pytest.mark.parametrize("mechanism", [randomized_response, noisy_answers])
def test_a_true_claim_is_contradicted_at_most_at_the_level(mechanism) -> None:
    level, runs = 0.3, 10
    found = sum(
        check_mechanism(
            mechanism, [(0, 1)], "1.0,0", n_resamples=150, confidence_level=1 - level, batched=True,
            rng=seed,
        ).outcome
        == "contradicted"
        for seed in range(runs)
    )  # fmt: skip
    assert binom.sf(found - 1, runs, level) > 0.01, found


@pytest.mark.parametrize("pair", [(0, 1), (1, 0)])
def test_both_directions_are_tested(pair) -> None:
    """Half a claim is false in whichever order the data sets are given; the draws stop early."""
    test = check_mechanism(randomized_response, [pair], "0.5,0", batched=True)
    assert test.outcome == "contradicted"
    assert test.n_resamples < 10_000
    found = test.counterexample
    # About 73 % and 27 % of the draws.
    assert sorted([found.first_count, found.second_count]) == pytest.approx(
        [found.draws / (1 + ODDS), found.draws * ODDS / (1 + ODDS)], rel=0.15
    )
    assert 0.5 < found.epsilon < 1
    low = min(found.first_count, found.second_count)
    # The nearer of the two straight pieces of the claim's curve at epsilon 1/2.
    most = min(math.exp(0.5) * low, found.draws - math.exp(-0.5) * (found.draws - low))
    assert found.allowed == int(most)


def test_a_claim_that_is_any_curve() -> None:
    def noisy(data: float, rng: np.random.Generator, size: int) -> np.ndarray:
        return (data + rng.normal(size=size)).round(6)

    def outcome(claim: object) -> str:
        return check_mechanism(noisy, [(0.0, 1.0)], claim, n_resamples=1500, batched=True).outcome

    assert outcome(GaussianDP(mu=1.0)) == "not contradicted"
    assert outcome("gaussian_dp:mu=0.5") == "contradicted"
    assert outcome("0.5,1e-5") == "contradicted"


# Some seconds each: their leaks are rare, and take some ten thousand draws.
SLOW = {f"sparse_vector_{i}": pytest.mark.slow for i in (3, 4, 6)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "bug",
    [pytest.param(bug, id=name, marks=SLOW.get(name, ())) for name, bug in BUGS.items()],
)
def test_the_gallery(bug: Bug) -> None:
    assert (
        check_mechanism(bug.wrong, bug.pairs, bug.claim, n_resamples=30_000).outcome
        == "contradicted"
    )
    right = check_mechanism(bug.right, bug.pairs, bug.claim, n_resamples=150)
    assert right.outcome == "not contradicted"


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (1.5, math.nan, "output is NaN"),
        ("a", None, "output is "),
        ({"x": 1, "y": [0, 0]}, {"x": 1, "y": [0, 2]}, "output['y'][1]"),
        ([1, 2], [1, 2, 3], "len(output) = "),
        (math.inf, -math.inf, "output"),
        (True, False, "output"),
        (10**400, 1j, "output"),
        (np.zeros((2, 2)), np.eye(2), "output[0][0]"),
    ],
)
def test_outputs_of_any_kind(first: object, second: object, words: str) -> None:
    """Each data set gives one of the outputs seven times in eight."""

    def mechanism(data: int, rng: np.random.Generator) -> object:
        return (first, second)[data if rng.random() < 0.875 else 1 - data]

    test = check_mechanism(mechanism, [(0, 1)], (1.0, 0.0), n_resamples=1000)
    assert test.outcome == "contradicted"
    assert test.counterexample.outputs.startswith(words)
    assert test.counterexample.epsilon < math.log(7)


def test_all_pairs_are_paid_for_and_the_false_one_is_named() -> None:
    def mechanism(data: str, rng: np.random.Generator, size: int) -> np.ndarray:
        return rng.random(size) < (0.8 if data == "leaks" else 0.5)

    pairs = {"harmless": ("a", "b"), "harmful": ("a", "leaks"), "same": ("c", "c")}
    test = check_mechanism(mechanism, pairs, "0.1,0", batched=True)
    assert test.counterexample.pair == "harmful"
    assert f"({test.counterexample.pair})" in str(test)


def test_a_counterexample_is_counted_on_draws_of_its_own() -> None:
    calls = []

    def mechanism(data: int) -> int:
        calls.append(data)
        return data

    test = check_mechanism(mechanism, [(0, 1)], "1.0,0", n_resamples=200)
    assert (test.counterexample.first_count, test.counterexample.second_count) in [
        (0, 200),
        (200, 0),
    ]
    assert len(calls) == 2 * (test.n_resamples + test.counterexample.draws)
    assert test.seed is None


@pytest.mark.slow
def test_the_same_seed_gives_the_same_test() -> None:
    bug = BUGS["sampling"]
    seeds = (1, 1, 2, np.random.default_rng(3), np.random.default_rng(3))
    one, same, other, drawn, drawn_again = (
        check_mechanism(bug.wrong, bug.pairs, bug.claim, rng=rng) for rng in seeds
    )
    assert one == same != other
    assert drawn == drawn_again != one


def test_features_and_low_bits() -> None:
    bug = BUGS["floating_point"]
    blind = check_mechanism(bug.wrong, bug.pairs, bug.claim, n_resamples=1000, low_bits=False)
    assert blind.outcome == "not contradicted"
    on_grid = check_mechanism(
        bug.wrong, bug.pairs, bug.claim, low_bits=False, features=lambda x: x * 2**53 % 1 == 0
    )
    assert on_grid.outcome == "contradicted"


def clipped_sum(data: list[float], rng: np.random.Generator, size: int, scale: float) -> np.ndarray:
    """Return sums of values clipped to [0, 10], of sensitivity 10, in plain floats."""
    return np.clip(data, 0, 10).sum() + rng.laplace(scale=scale, size=size)


DROPPED = {"the largest": ([10.0, 3.0, 0.0], [3.0, 0.0])}


def test_low_bits_do_not_hide_a_wrong_sensitivity() -> None:
    """The noise is for a sensitivity of 7: epsilon is 10/7 in values, much more in low bits."""
    test = check_mechanism(partial(clipped_sum, scale=7.0), DROPPED, "1.0,0", batched=True)
    assert test.outcome == "contradicted"
    assert not test.low_bits_only
    assert re.match("output [≥<] ", test.counterexample.outputs)
    assert 1 < test.counterexample.epsilon < 10 / 7
    assert "low bits" not in str(test)


def test_a_right_sensitivity_fails_by_the_low_bits_alone_and_says_so() -> None:
    right = partial(clipped_sum, scale=10.0)
    test = check_mechanism(right, DROPPED, "1.0,0", batched=True, n_resamples=2000)
    assert (test.outcome, test.low_bits_only) == ("contradicted", True)
    assert "floating point: Mironov 2012" in str(test)
    assert "low_bits=False tests the real-valued mechanism" in str(test)
    real = check_mechanism(right, DROPPED, "1.0,0", batched=True, n_resamples=2000, low_bits=False)
    assert (real.outcome, real.low_bits_only) == ("not contradicted", False)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        (None, "mechanism must return its output, got None in each of 100 draws: is a return miss"),
        (
            math.nan,
            "must return outputs that differ between draws, got nan in each of 100 draws",
        ),
        (7, "must return outputs that differ between draws, got 7.0 in each of 100 draws"),
        (
            [1, "a"],
            r"must return outputs that differ between draws, got \(1.0, 'a'\) in each of 100 draws",
        ),
    ],
)
def test_a_mechanism_that_always_returns_the_same_is_refused(output: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_mechanism(lambda data: output, [(0, 1), (2, 3)], "1.0,0", n_resamples=100)


def test_a_test_is_neither_true_nor_false() -> None:
    test = check_mechanism(randomized_response, [(0, 1)], "1.0,0", batched=True, n_resamples=100)
    with pytest.raises(TypeError, match="neither true nor false; compare its outcome"):
        assert test


def test_few_draws_cannot_decide_about_a_weak_claim() -> None:
    """What names the data set is contradicted from the fewest draws on, and not before."""

    def tell(data: int, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.full(size, data)

    enough = check_mechanism(tell, [(0, 1)], "3.0,0", batched=True)
    least = enough.fewest_draws
    assert enough.outcome == "contradicted"
    # Draws are judged at the ends of blocks: the last but one was at two thirds of the draws.
    assert enough.n_resamples / 1.5 - 1 <= least <= enough.n_resamples
    exact = check_mechanism(tell, [(0, 1)], "3.0,0", batched=True, n_resamples=least)
    assert exact.outcome == "contradicted"
    assert exact.capital == pytest.approx(1000, rel=0.05)
    fewer = check_mechanism(tell, [(0, 1)], "3.0,0", batched=True, n_resamples=least - 1)
    assert fewer.outcome == "cannot decide"
    assert f"no leak contradicts the claim with fewer than n_resamples={least}." in str(fewer)
    assert fewer.headline.startswith("The claim DP ε = 3, δ = 0 is not contradicted after")


@pytest.mark.slow
def test_more_draws_find_less() -> None:
    """The simulation agrees with tests: noise of the epsilon it names is found four times in five.

    Fewer than 2 of 5 would be found with probability 0.007.
    """
    claim = PureDP(epsilon=1.0)
    few, many = (detectable_epsilon(claim, draws=n, delta=0.0, level=0.001) for n in (300, 1000))
    assert 1 < many < few
    found = sum(
        check_mechanism(
            lambda data, rng, size: (data + rng.laplace(scale=1 / few, size=size)).round(6),
            [(0, 1)], claim, n_resamples=300, batched=True, rng=seed,
        ).outcome
        == "contradicted"
        for seed in range(5)
    )  # fmt: skip
    assert found >= 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"neighbours": (0, 1)}, "neighbours must be a list or dict of pairs"),
        ({"neighbours": []}, "neighbours must be at least one pair"),
        ({"neighbours": [1, 2]}, r"neighbours must be pairs \(data, neighbour\), got 1"),
        ({"claim": "inf,0"}, "claim must be one that forbids the perfect attack"),
        ({"n_resamples": 10}, "n_resamples must be a whole number of at least 64"),
        ({"confidence_level": 1.0}, "confidence_level must be in"),
        (
            {"mechanism": lambda data, size: [data], "batched": True},
            r"len\(mechanism\(data, size=size\)\) must be size=32, got 1",
        ),
    ],
)
def test_wrong_arguments(given: dict[str, object], message: str) -> None:
    usual = {"mechanism": lambda data: data, "neighbours": [(0, 1)], "claim": "1.0,0"}
    with pytest.raises(ValueError, match=message):
        check_mechanism(**{**usual, **given})


def test_a_page_is_saved(tmp_path) -> None:
    bug, path = BUGS["sensitivity"], tmp_path / "new" / "page.html"
    pairs = {"<script>one voter": bug.pair}
    test = check_mechanism(bug.wrong, pairs, bug.claim, page=path)
    text = path.read_text()
    assert f"<h1>{test.headline}</h1>" in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "&lt;script&gt;one voter" in text
    assert "<script>one voter" not in text
