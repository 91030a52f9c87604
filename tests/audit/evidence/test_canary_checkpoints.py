"""A joint test of a claim by canaries at the checkpoints of one training."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.audit.evidence import CanaryCheckpoints, CanaryPlan
from tests.audit.evidence.test_canary_plan import most_of, seed_of

CLAIM = theory.ApproximateDP(1.0, 0.0, adjacency="add_remove")
PLAN = dpviz.canaries(n=60, among=range(100), seed=10**40)


def leak(plan: CanaryPlan, shift: float, rng: np.random.Generator) -> dict[Any, float]:
    members = set(plan.members())
    return {each: rng.normal(shift * (each in members)) for each in plan.canaries}


@pytest.mark.parametrize(("planned", "shares"), [(4, [1 / 4] * 4), (None, [1 / 2, 1 / 6, 1 / 12])])
def test_each_checkpoint_has_its_share_of_the_error(planned: Any, shares: list[float]) -> None:
    test, rng = CanaryCheckpoints(PLAN, CLAIM, planned=planned), np.random.default_rng(1)
    for k, share in enumerate(shares):
        given = leak(PLAN, 1.0 + k, rng)
        found = test.update(f"epoch {k}", given)
        bound = audit.lower_bound(PLAN.scores(given), delta=0.0, confidence_level=1 - 0.05 * share)
        assert found.bound is not None
        assert (found.bound.low, found.bound.method) == (bound.low, "one_run_curve")
    assert [*test.tests] == [f"epoch {k}" for k in range(len(shares))]
    assert test.low == max(each.bound.low for each in test.tests.values() if each.bound)
    above = [name for name, each in test.tests.items() if each.bound and each.bound.low > 1]
    assert above == [*test.contradicted] != []
    assert test.verdict == "contradicted"


def test_nothing_is_contradicted_before_the_first_checkpoint() -> None:
    test = CanaryCheckpoints(PLAN, "1.0,0", neighbours="replace_one")
    assert (test.verdict, test.low, test.contradicted) == ("not contradicted", 0.0, ())
    assert "verdict='not contradicted'" in repr(test)


def false_trainings(n: int) -> int:
    """Trainings of true epsilon 1 that one of four checkpoints, alike or not, contradicts."""
    count, truth = 0, np.e / (1 + np.e)
    for run in range(n):
        rng = np.random.default_rng([run, 6])
        plan = dpviz.canaries(n=40, among=range(40), seed=seed_of(run))
        test = CanaryCheckpoints(plan, CLAIM, planned=4, confidence_level=0.8)
        members = set(plan.members())
        told = [(i in members) == (rng.random() < truth) for i in range(40)]
        for k in range(4):
            # Each checkpoint is a function of one output, so all are as private as it is.
            test.update(str(k), {i: told[i] + rng.random() * 2 * (k % 2) for i in range(40)})
        count += test.verdict == "contradicted"
    return count


def test_a_true_claim_is_seldom_contradicted_at_any_checkpoint() -> None:
    assert false_trainings(20) <= most_of(20, 0.2)


@pytest.mark.slow
def test_a_true_claim_is_seldom_contradicted_in_500_trainings() -> None:
    assert false_trainings(500) <= most_of(500, 0.2)


def test_bad_input_is_named() -> None:
    rng = np.random.default_rng(2)
    with pytest.raises(TypeError, match=r"plan must be a plan, as dpviz.canaries makes it, got 3"):
        CanaryCheckpoints(3, CLAIM)  # type: ignore[arg-type]
    two = dpviz.canaries(n=60, among=range(100), runs=2)
    with pytest.raises(ValueError, match="plan must be of one run"):
        CanaryCheckpoints(two, CLAIM)
    with pytest.raises(ValueError, match="claim must be for add_remove adjacency, got"):
        CanaryCheckpoints(PLAN, theory.ApproximateDP(1.0, 0.0))
    with pytest.raises(ValueError, match=r"claim must be an \(epsilon, delta\) claim, got"):
        CanaryCheckpoints(PLAN, theory.GaussianDP(mu=1.0))
    with pytest.raises(ValueError, match="planned must be a whole number of at least 1, got 0"):
        CanaryCheckpoints(PLAN, CLAIM, planned=0)
    test = CanaryCheckpoints(PLAN, CLAIM, planned=1)
    with pytest.raises(ValueError, match="by_identifier must have one score for each of 60"):
        test.update("one", {})
    assert not test.tests
    test.update("one", leak(PLAN, 0.0, rng))
    with pytest.raises(ValueError, match="checkpoint must be a new one: each is tested once"):
        test.update("one", leak(PLAN, 0.0, rng))
    with pytest.raises(ValueError, match="checkpoint must be one of the 1 planned ones, got 'two'"):
        test.update("two", leak(PLAN, 0.0, rng))


def test_a_saved_test_goes_on(tmp_path: Path) -> None:
    shifts = {"a": -1.0, "b": -3.0, "c": -2.0}  # of losses
    given = {k: leak(PLAN, x, np.random.default_rng(i)) for i, (k, x) in enumerate(shifts.items())}
    whole = CanaryCheckpoints(PLAN, CLAIM, confidence_level=0.9, kind="loss")
    for name in "ab":
        whole.update(name, zip(*zip(*given[name].items(), strict=True), strict=True))  # seen once
    whole.save(tmp_path / "test.json")
    assert f"{PLAN.seed:x}" not in (tmp_path / "test.json").read_text()
    resumed = CanaryCheckpoints.resume(tmp_path / "test.json", PLAN)
    for test in (whole, resumed):
        test.update("c", given["c"])
    lows = {name: each.bound.low for name, each in whole.tests.items() if each.bound}
    assert lows == {name: each.bound.low for name, each in resumed.tests.items() if each.bound}
    assert len({*lows.values()}) == 3
    assert resumed.contradicted == whole.contradicted != ()
    with pytest.raises(ValueError, match="checkpoint must be a new one"):
        resumed.update("a", given["a"])


def test_infinite_scores_and_identifiers_of_text_are_saved(tmp_path: Path) -> None:
    plan = dpviz.canaries(n=8, among=[*"abcdefghij"], seed=10**40)
    test = CanaryCheckpoints(plan, CLAIM, planned=1)
    test.update(
        "1", {each: np.inf if each in plan.members() else -np.inf for each in plan.canaries}
    )
    test.save(tmp_path / "test.json")
    resumed = CanaryCheckpoints.resume(tmp_path / "test.json", plan)
    assert (resumed.low, resumed.planned, resumed.state) == (test.low, 1, test.state)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilon": 9.0}, "hash must be that of the other entries, got .*; the file was changed"),
        ({"planned": None}, "hash must be that of the other entries"),
        ({"scores": []}, "hash must be that of the other entries"),
        ({"hash": 3}, "hash must be that of the other entries, got 3"),
        ({"schema": "dpviz/checkpoints/1"}, "schema of test.json must be"),
        ({"seed": 1}, "path"),
    ],
)
def test_a_changed_file_is_refused(change: Any, message: str, tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    test = CanaryCheckpoints(PLAN, CLAIM, planned=2)
    test.update("a", leak(PLAN, 1.0, np.random.default_rng(3)))
    test.save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match=message):
        CanaryCheckpoints.resume(path, PLAN)


def test_one_changed_score_and_another_plan_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    test = CanaryCheckpoints(PLAN, CLAIM)
    test.update("a", leak(PLAN, 1.0, np.random.default_rng(3)))
    test.save(path)
    other = dpviz.canaries(n=60, among=range(100), seed=10**41)
    with pytest.raises(ValueError, match=r"plan must be that with the receipt .* of the file, got"):
        CanaryCheckpoints.resume(path, other)
    state = json.loads(path.read_text())
    (_, scores), *_ = state["scores"]
    scores[next(iter(scores))] += "1"  # a digit that changes no bound
    path.write_text(json.dumps(state))
    with pytest.raises(ValueError, match="hash must be that of the other entries"):
        CanaryCheckpoints.resume(path, PLAN)
    path.write_text("[]")
    with pytest.raises(
        ValueError, match="path must be a file of schema dpviz/canary_checkpoints/1"
    ):
        CanaryCheckpoints.resume(path, PLAN)
