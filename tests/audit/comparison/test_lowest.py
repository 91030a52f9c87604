"""The lowest of several measured curves, against a dense grid of FPRs."""

from itertools import pairwise

import numpy as np
import pytest

from dpviz import AttackScores, audit
from dpviz.audit import AttackCurve, Stretch


def curves(*leaks: tuple[float, float]) -> list[AttackCurve]:
    """Normal scores; members have a mean and a spread."""
    rng = np.random.default_rng(0)
    return [
        AttackCurve.from_scores(
            AttackScores(member=rng.normal(mean, spread, 300), nonmember=rng.normal(size=300))
        )
        for mean, spread in leaks
    ]


def test_every_stretch_has_the_lowest_hull() -> None:
    given = curves((1.0, 1.0), (1.0, 2.0), (0.7, 0.5))
    stretches = audit.lowest_curves(given)
    assert len(stretches) > 1
    assert (stretches[0].start, stretches[-1].end) == (0.0, 1.0)
    grid = np.linspace(0, 1, 5001)[1:-1]
    heights = np.array([np.interp(grid, c.fpr[c.hull], c.fnr[c.hull]) for c in given])
    for before, after in pairwise(stretches):
        assert before.end == after.start
    for each in stretches:
        inside = (grid > each.start) & (grid < each.end)
        assert each.lowest is not None
        assert heights[each.lowest, inside] == pytest.approx(heights[:, inside].min(axis=0))


def test_equal_curves_have_no_lowest() -> None:
    one = curves((1.0, 1.0))[0]
    assert audit.lowest_curves([one, one]) == (Stretch(start=0.0, end=1.0, lowest=None),)
    assert audit.lowest_curves([*curves((0.0, 1.0)), one])[-1].lowest == 1
