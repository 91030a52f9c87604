"""Laws of arbitrary discrete pairs, against brute force over all sets of outputs."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.theory import Composed, DiscretePair, PublicMixture, Subsampled

WEIGHTS = st.lists(st.integers(0, 20), min_size=2, max_size=5).filter(any)


@st.composite
def pairs(draw: st.DrawFn) -> DiscretePair:
    p = np.array(draw(WEIGHTS), float)
    size = len(p)
    q = np.array(
        draw(st.lists(st.integers(0, 20), min_size=size, max_size=size).filter(any)), float
    )
    return DiscretePair(p / p.sum(), q / q.sum())


def every_test(f: DiscretePair) -> np.ndarray:
    """FPR and FNR of every deterministic test: every set of outputs that says "member"."""
    sets = np.array(list(product([0, 1], repeat=len(f.member))))
    return np.column_stack([sets @ f.nonmember, 1 - sets @ f.member])


@given(pairs())
def test_no_set_of_outputs_is_below_the_curve_and_the_corners_are_sets(f: DiscretePair) -> None:
    reached = every_test(f)
    x, y = reached.T
    assert np.all(f.beta(np.clip(x, 0, 1)) <= y + 1e-12)
    for corner in f.knots[:-1]:
        assert np.min(np.abs(reached - corner).max(axis=1)) < 1e-12


@given(pairs(), st.floats(-3, 3))
def test_delta_is_the_worst_set(f: DiscretePair, epsilon: float) -> None:
    x, y = every_test(f).T
    assert f.delta(epsilon) == pytest.approx(np.max(1 - y - np.exp(epsilon) * x), abs=1e-12)
    back = np.max(x - np.exp(epsilon) * (1 - y))
    assert f.inverse().delta(epsilon) == pytest.approx(back, abs=1e-12)


@given(pairs(), pairs(), st.floats(-2, 2))
def test_composition_is_the_product_of_the_pairs(
    f: DiscretePair, g: DiscretePair, epsilon: float
) -> None:
    p, q = np.outer(f.nonmember, g.nonmember).ravel(), np.outer(f.member, g.member).ravel()
    expected = np.maximum(q - np.exp(epsilon) * p, 0).sum()
    assert Composed([f, g]).delta(epsilon) == pytest.approx(expected, abs=1e-12)
    assert Composed([g, f]).delta(epsilon) == pytest.approx(expected, abs=1e-12)


@given(pairs(), pairs(), st.floats(0, 1), st.floats(0, 1))
def test_a_public_mixture_spends_its_fpr_where_it_pays(
    f: DiscretePair, g: DiscretePair, weight: float, alpha: float
) -> None:
    mixed = PublicMixture([f, g], weights=[weight, 1 - weight])
    least = mixed.beta(alpha)
    assert least <= weight * f.beta(alpha) + (1 - weight) * g.beta(alpha) + 1e-12
    if 0 < weight < 1:
        for a in np.linspace(0, 1, 21):  # every split of alpha is a test of the mixture
            b = (alpha - weight * a) / (1 - weight)
            if 0 <= b <= 1:
                assert least <= weight * f.beta(float(a)) + (1 - weight) * g.beta(b) + 1e-12


@given(pairs(), st.floats(0.01, 1), st.floats(0, 1))
def test_symmetrising_and_subsampling_in_either_order(
    f: DiscretePair, rate: float, alpha: float
) -> None:
    either = f.min_symmetrized()
    assert either.is_symmetric
    assert either.beta(alpha) <= min(f.beta(alpha), f.inverse().beta(alpha)) + 1e-12
    assert f.max_symmetrized().beta(alpha) == pytest.approx(
        max(f.beta(alpha), f.inverse().beta(alpha)), abs=1e-12
    )
    sampled = Subsampled(base=either, sampling_rate=rate)
    diluted = rate * either.beta(alpha) + (1 - rate) * (1 - alpha)
    assert either.beta(alpha) - 1e-9 <= sampled.beta(alpha) <= diluted + 1e-9
