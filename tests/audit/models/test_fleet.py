"""Many models at once: each answer is the one of the model alone, and none is lost."""

import dataclasses
import math
from collections.abc import Iterator
from concurrent import futures
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from dpviz.audit import AttackScores, epsilon_star, lower_bound
from dpviz.audit.bounds import DEFAULT
from dpviz.audit.models.aggregate import aggregate
from dpviz.audit.models.fleet import Fleet, FleetEstimates, FleetModel
from tests.slow import parametrize


def normal_scores(seed: int, *, shift: float = 1, n: int = 80, m: int = 60) -> AttackScores:
    rng = np.random.default_rng(seed)
    return AttackScores.from_losses(member=rng.normal(-shift, 1, n), nonmember=rng.normal(0, 1, m))


def fleet(n: int = 6, **about: Any) -> Fleet:
    models = [
        FleetModel(name=f"m{i}", scores=normal_scores(i, shift=i / 2), **about) for i in range(n)
    ]
    return Fleet(models=tuple(models))


def read_saved(path: Path) -> AttackScores:
    member, nonmember = np.load(path)
    return AttackScores(member=member, nonmember=nonmember)


@pytest.mark.parametrize("form", [{}, {"method": "normal", "clip": None}])
def test_an_estimate_is_the_one_of_the_model_alone(form: dict[str, Any]) -> None:
    found = fleet().estimates(delta=0.01, **form)
    alone = [epsilon_star(normal_scores(i, shift=i / 2), delta=0.01, **form) for i in range(6)]
    assert found.estimates == tuple(alone)
    assert found.values.tolist() == [star.value for star in alone]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "processes"), [(DEFAULT, 1), ("one_run", 2), ("e_process", 1)])
def test_a_bound_is_the_one_of_the_model_alone(method: str, processes: int) -> None:
    # At delta 0.01 the penalty of "one_run" exceeds the level: it certifies nothing of 140 records.
    question = {"delta": 1e-3, "confidence_level": 0.9, "method": method}
    found = fleet().bounds(**question, rng=2, processes=processes)
    alone = [lower_bound(normal_scores(i, shift=i / 2), **question, rng=2) for i in range(6)]
    assert found.bounds == tuple(alone)
    assert found.bounds[-1].low > 0


def test_bounds_that_hold_together_are_those_at_a_divided_level() -> None:
    found = fleet().bounds(delta=0.0, together=True)
    each = 1 - 0.05 / 6
    for i, bound in enumerate(found.bounds):
        scores = normal_scores(i, shift=i / 2)
        assert bound == lower_bound(scores, delta=0.0, confidence_level=each)
    assert found.confidence_level == 0.95
    assert found.worst == ("m5", found.bounds[5])


def without_a_leak(run: int) -> Fleet:
    seeds = range(100 * run, 100 * run + 20)
    return Fleet(
        models=tuple(FleetModel(name=str(s), scores=normal_scores(s, shift=0)) for s in seeds)
    )


@pytest.mark.slow
@parametrize("method", [DEFAULT, "one_run"], slow_but=["one_run"])
def test_of_models_without_a_leak_one_fleet_in_twenty_raises_an_alarm_together(method: str) -> None:
    runs, given = 60, {"delta": 0.0, "together": True, "method": method}
    together = [without_a_leak(run).bounds(**given) for run in range(runs)]
    alarms = sum(each.worst is not None for each in together)
    assert alarms <= binom.ppf(0.999, runs, 0.05)


@pytest.mark.slow
def test_of_models_without_a_leak_a_bound_alone_is_false_in_most_fleets() -> None:
    # Each alone is at 95 %, and a fleet has twenty.
    alone = [without_a_leak(run).bounds(delta=0.0) for run in range(30)]
    assert sum(any(b.low > 0 for b in each.bounds) for each in alone) > binom.ppf(0.9999, 30, 0.05)


def test_reversed_models_show_nothing() -> None:
    models = tuple(FleetModel(name=str(s), scores=normal_scores(s, shift=-2)) for s in range(5))
    found = Fleet(models=models).bounds(delta=0.0, together=True)
    assert found.worst is None
    assert [bound.low for bound in found.bounds] == [0] * 5


def test_the_largest_of_bounds_that_hold_alone_is_no_bound() -> None:
    found = fleet(2).bounds(delta=0.0)
    with pytest.raises(ValueError, match="together=True"):
        _ = found.worst


def test_a_model_without_a_value_stays_with_its_reason() -> None:
    far = FleetModel(name="far", scores=normal_scores(0, shift=100), strategy="s", utility=1.0)
    near = FleetModel(name="near", scores=normal_scores(1), strategy="s", utility=0.5)
    found = Fleet(models=(far, near)).estimates(delta=0.01)
    assert math.isnan(found.values[0])
    assert found.estimates[0].reason
    (strategy,) = found.landscape().strategies
    assert (strategy.epsilon, strategy.n, strategy.without_epsilon) == (None, 2, 1)
    with pytest.raises(ValueError, match=r"epsilon_stars\[0\] must be in \[0, inf\], got nan"):
        found.aggregate()


def test_scores_are_read_when_asked_for_and_not_kept() -> None:
    read: list[int] = []

    def reader(i: int) -> AttackScores:
        read.append(i)
        return normal_scores(i)

    models = tuple(FleetModel(name=str(i), scores=partial(reader, i)) for i in range(3))
    lazy = Fleet(models=models)
    assert read == []
    found = lazy.estimates(delta=0.01)
    assert read == [0, 1, 2]
    assert found.estimates == tuple(epsilon_star(normal_scores(i), delta=0.01) for i in range(3))
    lazy.bounds(delta=0.01, method="e_process")
    assert read == [0, 1, 2] * 2


def test_what_is_sorted_for_an_answer_is_not_kept_with_the_model() -> None:
    models = fleet(1)
    models.estimates(delta=0.01)
    models.bounds(delta=0.01)
    scores = models.models[0].scores
    assert isinstance(scores, AttackScores)
    assert not scores.was_sorted


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_progress_is_told_of_each_model_and_may_stop_it(processes: int) -> None:
    seen: list[int] = []

    def watched(rounds: range) -> Iterator[int]:
        for i in rounds:
            seen.append(i)
            if i == 2:
                raise KeyboardInterrupt
            yield i

    with pytest.raises(KeyboardInterrupt):
        fleet(6).estimates(delta=0.01, processes=processes, progress=watched)
    assert seen == [0, 1, 2]


@pytest.mark.slow
def test_an_error_in_another_process_is_the_error_of_the_model(tmp_path: Path) -> None:
    gone = FleetModel(name="gone", scores=partial(read_saved, tmp_path / "gone.npy"))
    with pytest.raises(FileNotFoundError, match=r"gone\.npy"):
        Fleet(models=(*fleet(2).models, gone)).estimates(delta=0.01, processes=2)


def with_strategies() -> FleetEstimates:
    """Two strategies of two repeats, a model on its own, one without a utility."""
    rows = [
        ("a1", "a", 0.5, 0.6, 5),
        ("b1", "b", 3.0, 0.9, 2),
        ("a2", "a", 0.0, 0.8, 5),
        ("alone", "", 4.0, 0.1, 9),
        ("b2", "b", 2.5, 0.7, 2),
        ("b early", "b", 1.0, 0.5, 1),
        ("blind", "c", 0.0, None, None),
    ]
    models = tuple(
        FleetModel(
            name=name,
            scores=normal_scores(i, shift=shift),
            strategy=strategy,
            utility=utility,
            stage=stage,
        )
        for i, (name, strategy, shift, utility, stage) in enumerate(rows)
    )
    return Fleet(models=models).estimates(delta=0.01)


def test_a_landscape_has_one_point_per_strategy_and_stage() -> None:
    found = with_strategies()
    landscape = found.landscape()
    assert [(s.name, s.stage, s.n) for s in landscape.strategies] == [
        ("a", 5, 2),
        ("b", 2, 2),
        ("alone", 9, 1),
        ("b", 1, 1),
        ("c", None, 1),
    ]
    a = landscape.strategies[0]
    assert a.epsilon == pytest.approx((found.values[0] + found.values[2]) / 2)
    assert a.utility == pytest.approx(0.7)
    assert [s.name for s in landscape.left_out] == ["c"]
    assert landscape.frontier is not None
    assert [landscape.placed[i].name for i in landscape.frontier.indices] == ["a", "b"]


def test_a_time_line_is_by_strategy_and_then_by_stage() -> None:
    found = with_strategies().timeline()
    assert [(s.name, s.stage, s.n) for s in found] == [
        ("a", 5, 2),
        ("b", 1, 1),
        ("b", 2, 2),
        ("", 9, 1),
    ]


def test_an_aggregate_is_of_the_models_of_one_strategy() -> None:
    found = with_strategies()
    chosen = [found.estimates[i] for i in (1, 4, 5)]
    assert found.aggregate(strategy="b", confidence_level=0.9) == aggregate(
        chosen, confidence_level=0.9
    )
    assert found.aggregate().n == 7
    with pytest.raises(ValueError, match="strategy must be one of 'a', 'b', '', 'c', got 'd'"):
        found.aggregate(strategy="d")


@pytest.mark.parametrize(
    ("about", "said"),
    [
        ({"name": ""}, "name must be a non-empty str, got ''"),
        ({"name": 3}, "name must be a non-empty str, got 3"),
        ({"strategy": None}, "strategy must be a str, got None"),
        ({"scores": [1.0]}, "scores must be AttackScores, or a callable that reads them"),
        ({"utility": math.nan}, r"utility must be in \(-inf, inf\), got nan"),
        ({"utility": math.inf}, r"utility must be in \(-inf, inf\), got inf"),
        ({"epsilon": -1.0}, r"epsilon must be in \[0, inf\], got -1.0"),
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"repeat": 1.5}, "repeat must be a whole number of at least 0, got 1.5"),
        ({"stage": math.nan}, r"stage must be in \(-inf, inf\), got nan"),
    ],
)
def test_what_a_model_cannot_be(about: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        FleetModel(**{"name": "m", "scores": normal_scores(0), **about})


def test_what_a_fleet_cannot_be() -> None:
    a, b = fleet(2).models
    with pytest.raises(ValueError, match="models must not be empty"):
        Fleet(models=())
    with pytest.raises(ValueError, match="models must have distinct names, got 'm0' twice"):
        Fleet(models=(a, b, a))
    with pytest.raises(ValueError, match="model 'm0' must have a strategy"):
        Fleet(models=(a, dataclasses.replace(b, strategy="m0")))
    wrong = FleetModel(name="w", scores=lambda: [1.0])  # type: ignore[arg-type, return-value]
    with pytest.raises(ValueError, match="scores of model 'w' must be AttackScores, got a list"):
        Fleet(models=(wrong,)).estimates(delta=0.0)


def test_what_cannot_be_asked() -> None:
    models = fleet(2)
    for arguments, said in (
        ({"delta": 2.0}, r"delta must be in \[0, 1\], got 2.0"),
        ({"method": "magic"}, "method must be one of 'empirical'"),
        ({"clip": 0.7}, r"clip must be in \[0, 0.5\)"),
        ({"processes": 0}, "processes must be a whole number of at least 1, got 0"),
    ):
        with pytest.raises(ValueError, match=said):
            models.estimates(**{"delta": 0.0, **arguments})
    for arguments, said in (
        ({"delta": -1.0}, r"delta must be in \[0, 1\], got -1.0"),
        ({"confidence_level": 1.0}, r"confidence_level must be in \[0.5, 1\), got 1.0"),
        ({"method": "magic"}, "method must be one of 'rank_exact'"),
        ({"method": "clopper_pearson"}, "threshold must be given"),
        ({"rng": -1}, "rng must be a whole number"),
    ):
        with pytest.raises(ValueError, match=said):
            models.bounds(**{"delta": 0.0, **arguments})


def test_a_delta_beyond_its_range_is_named_before_any_model_is_read() -> None:
    for delta in (-0.1, 1.5, math.nan):
        with pytest.raises(ValueError, match=r"^delta must be in \[0, 1\], got"):
            fleet(2).estimates(delta=delta)


def test_there_are_no_more_processes_than_asked_for_and_than_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun = []

    class Threads(futures.ThreadPoolExecutor):
        def __init__(self, max_workers: int, mp_context: Any) -> None:
            begun.append(max_workers)
            super().__init__(max_workers)

    monkeypatch.setattr(futures, "ProcessPoolExecutor", Threads)
    alone = fleet().estimates(delta=0.01).values
    for processes in (2, 9):
        assert fleet().estimates(delta=0.01, processes=processes).values.tolist() == alone.tolist()
    assert begun == [2, 6]
