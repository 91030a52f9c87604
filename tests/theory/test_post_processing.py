"""Post-processing only raises the curve, and what it merges is merged exactly."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import norm

from dpviz.theory import (
    ApproximateDP,
    DiscretePair,
    GaussianDP,
    LaplaceMechanism,
    PureDP,
    RandomizedResponse,
    Subsampled,
    TradeoffFunction,
    UniformMechanism,
)
from dpviz.theory.post_processing import (
    outputs_clamped_to_inner_cells,
    outputs_of_redrawn_data,
    outputs_with_clamped_noise,
    outputs_with_side_information,
    post_processed,
)

RATES = np.linspace(0, 1, 101)
WEIGHTS = st.floats(0.01, 1)


@given(
    pair=arrays(float, (2, 5), elements=WEIGHTS),
    channel=arrays(float, (5, 3), elements=st.floats(0, 1)),
    error=st.sampled_from([0.0, 1e-3]),
)
def test_the_curve_never_falls(pair: np.ndarray, channel: np.ndarray, error: float) -> None:
    p, q = pair / pair.sum(axis=1, keepdims=True)
    channel = (channel + 1e-3) / (channel + 1e-3).sum(axis=1, keepdims=True)
    before = DiscretePair(p, q, adjacency="add_remove", error=error)
    after = before.through(channel)
    assert (after.beta(RATES) >= before.beta(RATES) - 1e-12).all()
    assert (after.adjacency, after.error) == ("add_remove", error)


def test_relabelling_changes_nothing() -> None:
    pair = DiscretePair([0.7, 0.2, 0.1], [0.1, 0.2, 0.7])
    turned = pair.through(np.eye(3)[[2, 0, 1]])
    assert turned.beta(RATES) == pytest.approx(pair.beta(RATES), abs=1e-15)


def test_one_output_for_all_tells_nothing() -> None:
    blind = DiscretePair([0.7, 0.3], [0.1, 0.9]).through([[1], [1]])
    assert blind.beta(RATES) == pytest.approx(1 - RATES)


def test_a_noisy_channel_after_a_noisy_answer() -> None:
    """Two flips with probability 1/4 each are one with probability 3/8: e^epsilon = 5/3."""
    once = DiscretePair([0.75, 0.25], [0.25, 0.75])
    twice = once.through([[0.75, 0.25], [0.25, 0.75]])
    answer = RandomizedResponse(epsilon=np.log(5 / 3))
    assert twice.beta(RATES) == pytest.approx(answer.beta(RATES), abs=1e-15)


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        ([[1, 0]], r"channel must be a table with 2 rows, one per output, got \(1, 2\)"),
        ([1, 0], r"channel must be a table with 2 rows, one per output, got \(2,\)"),
        ([[1, 0], [1, 0.1]], "row 1 of channel must be probabilities that sum to 1, got 1.1"),
        ([[1, 0], [-1, 2]], r"row 1 of channel must be in \[0, 1\], got -1.0"),
        ([[1, 0], [float("nan"), 1]], "row 1 of channel"),
    ],
)
def test_what_is_no_channel(channel: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DiscretePair([0.5, 0.5], [0.5, 0.5]).through(channel)


CLAIMS = (
    GaussianDP(mu=1.0),
    LaplaceMechanism(epsilon=2.0),
    ApproximateDP(epsilon=1.0, delta=0.05),
    PureDP(epsilon=0.0),
    UniformMechanism(width=4.0, sensitivity=1.0),
    GaussianDP(mu=1.0).max_symmetrized(),
    Subsampled(base=PureDP(epsilon=1.0), sampling_rate=0.2),
)


@given(
    claim=st.sampled_from(CLAIMS),
    merged=st.integers(1, 300),
    times=st.integers(1, 8),
    replaced=st.floats(0, 1),
    more=st.floats(0, 1),
)
def test_what_is_done_to_an_output_only_raises_the_curve(
    claim: TradeoffFunction, merged: int, times: int, replaced: float, more: float
) -> None:
    once = post_processed(claim, merged=merged, replaced=replaced)
    assert (once.beta(RATES) >= claim.beta(RATES) - 1e-9).all()
    coarser = post_processed(claim, merged=merged * times, replaced=replaced)
    noisier = post_processed(claim, merged=merged, replaced=max(replaced, more))
    for after in (coarser, noisier):
        assert (after.beta(RATES) >= once.beta(RATES) - 1e-9).all()
    clamped = outputs_clamped_to_inner_cells(claim, share=replaced)
    assert (clamped.beta(RATES) >= claim.beta(RATES) - 1e-9).all()


@pytest.mark.parametrize("claim", CLAIMS)
def test_nothing_done_changes_nearly_nothing(claim: TradeoffFunction) -> None:
    assert post_processed(claim).beta(RATES) == pytest.approx(claim.beta(RATES), abs=2e-3)


def test_clamped_noise_is_proof_where_a_clamped_output_is_none() -> None:
    """Harvard CS 2080, PS3.1: outputs that only one of two neighbours can give are proof."""
    limit = 2.0  # half of the four standard deviations that are drawn
    # Noise of at least c - 1; and noise at -c, which gives 1 - c, as no other noise does exactly.
    proof = norm.sf(limit - 1) + norm.cdf(-limit)
    clamped = outputs_with_clamped_noise(GaussianDP(mu=1.0), share=0.5)
    assert clamped is not None
    assert clamped.tpr(0.0) == pytest.approx(proof, abs=1e-12)
    assert clamped.epsilon(0.01) == np.inf
    assert outputs_clamped_to_inner_cells(GaussianDP(mu=1.0), share=0.5).epsilon(0.01) < 3
    assert outputs_with_clamped_noise(PureDP(epsilon=1.0), share=0.5) is None


@given(claim=st.sampled_from(CLAIMS), spread=st.floats(0, 10))
def test_other_records_that_are_redrawn_only_hide(claim: TradeoffFunction, spread: float) -> None:
    found = outputs_of_redrawn_data(claim, spread=spread)
    assert found is None or (found.beta(RATES) >= claim.beta(RATES) - 1e-9).all()


@pytest.mark.parametrize("spread", [0.5, 1.0, 3.0])
def test_redrawn_records_are_further_noise(spread: float) -> None:
    """N(0, 1) and N(mu, 1) plus N(0, s^2): a shift of mu / sqrt(1 + s^2) deviations."""
    found = outputs_of_redrawn_data(GaussianDP(mu=1.0), spread=spread)
    weaker = GaussianDP(mu=1 / np.hypot(1, spread))
    assert found is not None
    assert found.beta(RATES) == pytest.approx(weaker.beta(RATES), abs=3e-3)
    assert outputs_of_redrawn_data(PureDP(epsilon=1.0), spread=spread) is None


@given(claim=st.sampled_from(CLAIMS), epsilon=st.floats(0, 5))
def test_side_information_is_part_of_the_chance_without_the_output(
    claim: TradeoffFunction, epsilon: float
) -> None:
    """``f (x) g >= f(1 - g)``: what the output adds to any chance is bounded by f alone."""
    both = outputs_with_side_information(claim, epsilon=epsilon)
    alone = PureDP(epsilon=epsilon).tpr(RATES)
    assert (both.beta(RATES) >= claim.beta(alone) - 1e-9).all()
    assert (both.beta(RATES) <= PureDP(epsilon=epsilon).beta(RATES) + 1e-9).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: post_processed(CLAIMS[0], merged=0), "merged must be a whole number of at least"),
        (lambda: post_processed(CLAIMS[0], replaced=1.1), r"replaced must be in \[0, 1\], got 1.1"),
        (
            lambda: outputs_clamped_to_inner_cells(CLAIMS[0], share=-1),
            r"share must be in \[0, 1\], got -1",
        ),
        (
            lambda: outputs_of_redrawn_data(CLAIMS[0], spread=-1),
            r"spread must be in \[0, 1e\+06\], got -1",
        ),
        (
            lambda: outputs_with_clamped_noise(CLAIMS[0], share=2),
            r"share must be in \[0, 1\], got 2",
        ),
    ],
)
def test_what_is_no_step(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_numbers_of_gaussian_noise() -> None:
    claim = GaussianDP(mu=1.0)
    pairs = [
        outputs_clamped_to_inner_cells(claim, share=0.9),
        outputs_of_redrawn_data(claim, spread=1.0),  # about mu = 1 / sqrt(2)
        outputs_with_side_information(claim, epsilon=1.0),
    ]
    assert [pair and round(pair.tpr(0.1), 3) for pair in pairs] == [0.298, 0.283, 0.556]
    clamped = outputs_with_clamped_noise(claim, share=0.5)  # at two standard deviations
    assert clamped is not None
    assert round(clamped.tpr(0.0), 3) == 0.181  # proof, without any false alarm
