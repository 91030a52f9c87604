"""Statements (epsilon, delta) at once: the curve of all of them, and what it may miss."""

import math

import numpy as np
import pytest

from dpviz.theory import RenyiDP, Stated, ZeroConcentratedDP
from dpviz.theory.atoms import FinitelyManyLosses
from dpviz.theory.mechanisms.claims import equivalent_statements, pair_attaining_statements
from dpviz.theory.polyline import largest_height_above_neighbours


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_what_one_statement_may_miss(epsilon: float) -> None:
    # Between (0, 0) and (1, 1) the lines meet at FPR 1 / (1 + e^epsilon): tanh(epsilon / 2) above
    # the diagonal, which touches both as well.
    atoms = pair_attaining_statements(np.array([epsilon]), np.array([0.0]))
    missed = largest_height_above_neighbours(atoms.fpr, atoms.tpr)
    assert missed == pytest.approx(math.tanh(epsilon / 2), rel=1e-12)


def test_a_mass_at_fpr_0_may_be_missed() -> None:
    # All of delta, if nothing else is missed more.
    atoms = pair_attaining_statements(np.array([0.1]), np.array([0.6]))
    missed = largest_height_above_neighbours(atoms.fpr, atoms.tpr)
    assert missed == pytest.approx(0.6, rel=1e-12)


def test_statements_that_are_equal_up_to_rounding_count_once() -> None:
    # Epsilons and deltas of a group of five in both orders, some an ulp or two apart.
    epsilon = np.array([1.0000000000000009, 1.0, 0.6000000000000001, 0.6000000000000001, 0.2])
    delta = np.array([0.07760887184684362, 0.0776, 0.23477613654159205, 0.23477613654159216, 0.37])
    delta[1] = np.nextafter(delta[0], 1)
    x = np.linspace(0, 0.3, 31)
    found = Stated(list(zip(epsilon, delta, strict=True))).beta(x)
    lines = [1 - d - math.exp(e) * x for e, d in zip(epsilon, delta, strict=True)]
    lines += [(1 - d - x) * math.exp(-e) for e, d in zip(epsilon, delta, strict=True)]
    assert found == pytest.approx(np.maximum(np.max(lines, axis=0), 0), abs=1e-12)


@pytest.mark.parametrize(
    "f",
    [
        Stated([(1.0, 1e-5), (0.5, 0.01)]),
        Stated([(3.0, 1e-6), (0.0, 0.1)]),
        Stated([(0.0, 0.0)]),
        ZeroConcentratedDP(rho=0.5),
        RenyiDP(orders=[2.0, 8.0], epsilons=[0.2, 1.0]),
    ],
)
def test_the_strictest_statements_are_the_guarantee_again(f: FinitelyManyLosses) -> None:
    rows = equivalent_statements(f)
    assert np.all(np.diff(rows[:, 0]) < 0)
    assert np.all(rows[:, 1] >= 0)
    x = np.concatenate([np.geomspace(1e-12, 1e-3, 50), np.linspace(0, 1, 401)])
    np.testing.assert_allclose(Stated(rows).tpr(x), f.tpr(x), rtol=1e-11)
