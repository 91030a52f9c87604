"""Permute-and-flip from its definition, over all orders of its candidates."""

from itertools import permutations, product

import numpy as np
import pytest

from dpviz.theory import PermuteAndFlip


def chances(scaled: np.ndarray) -> np.ndarray:
    """Of each candidate: qualities are in units in which the loss of a coin is their distance."""
    takes = np.exp(scaled - scaled.max())
    found = np.zeros(len(scaled))
    orders = list(permutations(range(len(scaled))))
    for order in orders:
        left = 1.0
        for candidate in order:
            found[candidate] += left * takes[candidate] / len(orders)
            left *= 1 - takes[candidate]
    return found


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_no_choice_among_four_shows_more(epsilon: float) -> None:
    rng, f = np.random.default_rng(5), PermuteAndFlip(epsilon=epsilon)
    nearest = np.inf
    for _ in range(60):
        qualities = rng.exponential(epsilon, 4)
        # The sensitivity of each quality is epsilon / 2 in these units.
        moved = qualities + rng.choice([-0.5, 0.5], 4) * epsilon
        p, q = chances(qualities), chances(moved)
        assert np.isclose(p.sum(), 1)
        assert np.isclose(q.sum(), 1)
        for chosen in product([False, True], repeat=4):
            fpr, tpr = p[list(chosen)].sum(), q[list(chosen)].sum()
            room = f.tpr(min(fpr, 1.0)) - tpr
            assert room >= -1e-12
            nearest = min(nearest, room) if 0.02 < fpr < 0.9 else nearest
    assert nearest < 0.1  # the bound is about such choices


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_two_candidates_attain_every_point(epsilon: float) -> None:
    gaps = np.linspace(-2 * epsilon - 2, 2 * epsilon + 2, 41)
    rates = [
        (chances(np.array([0.0, gap]))[1], chances(np.array([-epsilon / 2, gap + epsilon / 2]))[1])
        for gap in gaps
    ]
    fpr, tpr = np.array(rates).T
    np.testing.assert_allclose(tpr, PermuteAndFlip(epsilon=epsilon).tpr(fpr), rtol=1e-12)
