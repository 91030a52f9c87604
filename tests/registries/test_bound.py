"""A bound from another package, registered by one line, shows wherever bounds are listed."""

import importlib
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

import dpviz
from dpviz import AttackScores, audit
from dpviz.analysis.topics.bounds import BoundsQuestion, lower_bounds
from dpviz.audit.bounds import BOUNDS
from dpviz.widgets import BoundsView
from tests.widgets.base.test_job import apart

LABEL = "three thresholds, Bonferroni"
SOURCE = f'''
"""Exact limits at thresholds fixed in advance, the level divided among them."""

from dpviz.audit.bounds.fixed_threshold import ErrorCounts, bound_from_rate_limits
from dpviz.audit.bounds.result import BoundMethod, MethodResult

THRESHOLDS = (0.0, 0.5, 1.0)

def best(scores, request):
    level = 1 - (1 - request.confidence_level) / len(THRESHOLDS)
    limits = [ErrorCounts.at(scores, threshold).upper_limits(level) for threshold in THRESHOLDS]
    best = max(limits, key=lambda each: bound_from_rate_limits(each, request.delta))
    return MethodResult(low=bound_from_rate_limits(best, request.delta), evidence=(best,))

METHOD = BoundMethod(label="{LABEL}", rule=best)
'''


@pytest.fixture
def scores() -> AttackScores:
    rng = np.random.default_rng(3)
    return AttackScores(member=rng.normal(2, 1, 300), nonmember=rng.normal(0, 1, 200))


@pytest.fixture(autouse=True)
def extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package with a bound, registered by one line."""
    (tmp_path / "extra_bounds").mkdir()
    (tmp_path / "extra_bounds" / "__init__.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(tmp_path)
    package = importlib.import_module("extra_bounds")
    monkeypatch.setitem(BOUNDS, "presets", package.METHOD)
    return package


def exact(scores: AttackScores, delta: float, level: float) -> float:
    """The bound by quantiles of beta distributions."""
    n, m, each, found = scores.n_members, scores.n_nonmembers, (1 - level) / 6, [0.0]
    for threshold in (0.0, 0.5, 1.0):
        fp, fn = (scores.nonmember >= threshold).sum(), (scores.member < threshold).sum()
        fpr, fnr = beta.ppf(1 - each, [fp + 1, fn + 1], [m - fp, n - fn])
        found += [np.log((1 - delta - fnr) / fpr), np.log((1 - delta - fpr) / fnr)]
    return float(max(found))


def test_the_audit_knows_it(scores: AttackScores) -> None:
    bound = audit.lower_bound(scores, delta=1e-5, method="presets", confidence_level=0.9)
    assert bound.low == pytest.approx(exact(scores, 1e-5, 0.9), rel=1e-9)
    assert bound.method == "presets"
    separated = AttackScores(member=np.full(50, 2.0), nonmember=np.full(40, -2.0))
    most = audit.ceiling(n_members=50, n_nonmembers=40, delta=0, method="presets")
    assert most == pytest.approx(exact(separated, 0, 0.95), rel=1e-9)
    with pytest.raises(ValueError, match="'presets', got 'preset'"):
        audit.lower_bound(scores, delta=0, method="preset")


def test_groups_and_fleets_know_it(scores: AttackScores) -> None:
    half = ["a", "b"] * 150
    grouped = AttackScores(
        member=scores.member,
        nonmember=scores.nonmember,
        member_groups=half,
        nonmember_groups=half[:200],
    )
    found = audit.slices(grouped, delta=0, method="presets").rows[0]
    of_group = grouped.group(found.group)
    assert found.bound is not None
    assert found.bound.low == pytest.approx(exact(of_group, 0, 0.975), rel=1e-9)
    fleet = audit.Fleet(models=(audit.models.FleetModel(name="model", scores=scores),))
    (bound,) = fleet.bounds(delta=0, method="presets").bounds
    assert bound.low == pytest.approx(exact(scores, 0, 0.95), rel=1e-9)


def test_the_table_of_a_result_has_it(scores: AttackScores) -> None:
    part = lower_bounds(scores, BoundsQuestion())
    assert "presets" in part.question.methods
    result = dpviz.analyze(scores).with_answer("bounds", part)
    row = next(row for row in result.tables["bounds"].rows if row[0] == LABEL)
    expected = exact(scores, 1e-5, 0.95)
    assert expected - 0.01 < float(row[1]) <= expected
    assert row[2:] == ("none", "this trained model", "not measured")


def test_the_view_and_its_saved_page_have_it(scores: AttackScores, tmp_path: Path) -> None:
    view: Any = BoundsView(scores=scores)
    assert LABEL in view.pictures[0].frame.y.ticks.values()
    apart(view.button.click)
    assert f"<td>{LABEL}</td>" in view.table.value
    view.save_html(tmp_path / "page.html")
    assert LABEL in unescape((tmp_path / "page.html").read_text("utf-8"))


def test_the_benchmark_measures_it(monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark = importlib.import_module("benchmarks.coverage")
    assert ("laplace 1", 100, 0.0, "presets") in set(benchmark.keys(100))
    monkeypatch.setattr(benchmark, "CHUNK", 5)
    lows = benchmark.chunk((("laplace 1", 100, 0.0, "presets"), 0, None))
    assert len(lows) == 5
    assert 0 < max(lows) < 1.5
