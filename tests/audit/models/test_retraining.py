"""Models trained with and without canaries, beside a claim."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.stats import beta, binom, norm

from dpviz.audit import AttackScores, lower_bound, lower_bound_from_counts
from dpviz.audit.models.retraining import retraining_audit, retraining_scores
from dpviz.theory import ApproximateDP, GaussianDP, PiecewiseLinear, PureDP, TotalVariation

DELTA = 1e-5


def trained(seed: int, *, mu: float = 2.0, models: int = 200, canaries: int = 5) -> AttackScores:
    """Canary scores N(mu, 1) with the canary and N(0, 1) without; inclusion by fair coins."""
    rng = np.random.default_rng(seed)
    included = rng.random((models, canaries)) < 0.5
    return retraining_scores(rng.normal(mu * included, 1), included, kind="score")


def nine_of_ten(kind: str = "score") -> AttackScores:
    """Ten models with the record and ten without; at 0.5 the attack is wrong about one of each."""
    values = np.array([1.0] * 9 + [0.0] + [0.0] * 9 + [1.0])
    included = np.repeat([True, False], 10)
    return retraining_scores(values if kind == "score" else -values, included, kind=kind)


def test_a_table_becomes_one_group_per_canary() -> None:
    table = np.array([[1, 10], [2, 20], [3, 30]])
    included = [[True, False], [False, True], [True, True]]
    scores = retraining_scores(table, included, kind="score")
    assert scores.groups == ("canary 1", "canary 2")
    assert scores.group("canary 1").member.tolist() == [1, 3]
    assert scores.group("canary 1").nonmember.tolist() == [2]
    assert scores.group("canary 2").member.tolist() == [20, 30]
    assert scores.group("canary 2").nonmember.tolist() == [10]
    named = retraining_scores(table, np.array(included, int), kind="loss", canaries=["b", "a"])
    assert (named.kind, named.group("b").member.tolist()) == ("loss", [-1, -3])


def test_one_record_needs_one_dimension() -> None:
    for table, included in (([5, 6, 7], [1, 0, 1]), ([[5], [6], [7]], [[1], [0], [1]])):
        scores = retraining_scores(table, included, kind="score", canaries=["me"])
        assert (scores.groups, scores.member.tolist()) == (("me",), [5, 7])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"included": [1, 0]}, r"included must be of the shape of scores, \(3, 2\), got \(2,\)"),
        ({"included": np.ones((2, 3))}, r"included must be of the shape .*, got \(2, 3\)"),
        ({"included": [[1, 0], [0, 2], [1, 1]]}, r"included must be true/false or 1/0, got 2.0"),
        ({"included": [[1, 0], [0, -1], [1, 1]]}, "included must be true/false or 1/0, got -1.0"),
        ({"included": [[1, 0], [0, np.nan], [1, 1]]}, "included must be true/false or 1/0, got n"),
        ({"included": [["in", "out"]] * 3}, "included must be numbers, got 'in'"),
        (
            {"included": [[1, 1], [0, 1], [1, 1]]},
            "models with and without 'canary 2', got 3 with and 0 without",
        ),
        (
            {"included": [[0, 1], [0, 0], [0, 1]]},
            "models with and without 'canary 1', got 0 with and 3 without",
        ),
        ({"canaries": ["a"]}, r"canaries must be 2 different names, got \['a'\]"),
        ({"canaries": ["a", "a"]}, r"canaries must be 2 different names, got \['a', 'a'\]"),
        ({"canaries": ["a", None]}, "canaries must be text or whole numbers, none missing"),
        ({"scores": [[1, 2], [3, np.nan], [5, 6]]}, "scores must be finite, got 1 NaN"),
        ({"scores": [[1, 2], [3, 4], [5]]}, "scores must be an array of numbers"),
        ({"scores": 3.0}, r"scores must be of shape \(models, canaries\) or \(models,\), got \(\)"),
        ({"scores": []}, r"scores must be of shape"),
        ({"kind": "llr"}, "kind must be one of 'loss', 'score', got 'llr'"),
    ],
)
def test_refused_tables(changes: dict[str, Any], message: str) -> None:
    good = {
        "scores": [[1, 2], [3, 4], [5, 6]],
        "included": [[1, 0], [0, 1], [1, 1]],
        "kind": "score",
    }
    with pytest.raises(ValueError, match=message):
        retraining_scores(**{**good, **changes})


def cp(x: int, n: int, each: float) -> tuple[float, float]:
    """Clopper-Pearson limits, each missed with probability `each`, by quantiles of Beta laws."""
    return float(beta.ppf(each, x, n - x + 1)), float(beta.ppf(1 - each, x + 1, n - x))


@pytest.mark.parametrize("kind", ["score", "loss"])
def test_an_attack_right_nine_times_in_ten_has_a_point_and_a_box(kind: str) -> None:
    threshold = 0.5 if kind == "score" else -0.5
    found = retraining_audit(nine_of_ten(kind), claim=PureDP(epsilon=1), threshold=threshold)
    (row,) = found.rows
    assert (row.point.fpr, row.point.fnr, row.point.tpr) == (0.1, 0.1, 0.9)
    assert (row.point.original_threshold, row.chosen_here) == (threshold, False)
    assert (row.canary, row.n_in, row.n_out) == ("canary 1", 10, 10)
    low, high = cp(1, 10, 0.05 / 4)
    assert row.box is not None
    assert (row.box.fpr_low, row.box.fpr_high) == pytest.approx((low, high))
    assert (row.box.fnr_low, row.box.fnr_high) == pytest.approx((low, high))
    counts = lower_bound_from_counts(
        false_positives=1,
        n_nonmembers=10,
        false_negatives=1,
        n_members=10,
        delta=0.0,
        sampling="independent_trainings",
    )
    assert row.bound_at_threshold == counts
    # By hand: TPR at least 1 - u, FPR at most u, where u is the limit at 0.05 / 2.
    u = cp(1, 10, 0.025)[1]
    assert counts.low == pytest.approx(np.log((1 - u) / u))


def test_several_canaries_divide_the_level_of_boxes_and_bounds() -> None:
    scores = trained(1, canaries=3, models=120)
    found = retraining_audit(
        scores, claim=GaussianDP(mu=2), delta=DELTA, threshold=1.0, confidence_level=0.9
    )
    for row in found.rows:
        of_one = scores.group(row.canary)
        false_positives = int(np.sum(of_one.nonmember >= 1.0))
        missed = int(np.sum(of_one.member < 1.0))
        assert (row.n_in, row.n_out) == (of_one.n_members, of_one.n_nonmembers)
        assert (row.point.false_positives, row.n_in - row.point.true_positives) == (
            false_positives,
            missed,
        )
        each = 0.1 / 3
        assert row.box is not None
        limits = (row.box.fpr_low, row.box.fpr_high, row.box.fnr_low, row.box.fnr_high)
        assert limits == pytest.approx(
            (*cp(false_positives, row.n_out, each / 4), *cp(missed, row.n_in, each / 4))
        )
        level = {"delta": DELTA, "confidence_level": 1 - each, "sampling": "independent_trainings"}
        assert row.bound == lower_bound(of_one, **level)
        assert row.bound_at_threshold == lower_bound_from_counts(
            false_positives=false_positives,
            n_nonmembers=row.n_out,
            false_negatives=missed,
            n_members=row.n_in,
            **level,
        )


def test_without_a_threshold_the_point_is_called_chosen_and_has_no_box() -> None:
    (row,) = retraining_audit(nine_of_ten(), claim=PureDP(epsilon=1)).rows
    assert (row.chosen_here, row.box, row.bound_at_threshold) == (True, None, None)
    assert row.point.tpr - row.point.fpr == pytest.approx(0.8)


@pytest.mark.slow
def test_boxes_hold_the_true_rates_of_all_canaries_at_once() -> None:
    runs, canaries, missed = 200, 4, 0
    included = np.repeat([1, 0], 20)[:, None].repeat(canaries, axis=1)
    for run in range(runs):
        says = np.random.default_rng(run).random((40, canaries)) < np.where(included, 0.7, 0.2)
        scores = retraining_scores(says.astype(float), included, kind="score")
        found = retraining_audit(scores, claim=PureDP(epsilon=1), threshold=0.5)
        boxes = [row.box for row in found.rows]
        missed += not all(
            box and box.fpr_low <= 0.2 <= box.fpr_high and box.fnr_low <= 0.3 <= box.fnr_high
            for box in boxes
        )
    # More would happen by chance with probability below 0.001 if 5 % is the truth.
    assert missed <= binom.ppf(0.999, runs, 0.05)


RUNS = 200


@pytest.mark.slow
@pytest.mark.parametrize(("method", "runs"), [("rank_exact", 40)])
def test_the_truth_is_not_refuted_and_something_is_certified(method: str, runs: int) -> None:
    claim = GaussianDP(mu=2)
    found = [
        retraining_audit(trained(run), claim=claim, delta=DELTA, method=method)
        for run in range(runs)
    ]
    claimed = found[0].claimed_epsilon
    # Delta of mu = 2 in closed form.
    delta = norm.cdf(1 - claimed / 2) - np.exp(claimed) * norm.cdf(-1 - claimed / 2)
    assert delta == pytest.approx(DELTA, rel=1e-9)
    tightness = [audit.tightness for audit in found]
    refuted = sum(t is None or t > 1 for t in tightness)
    assert refuted <= binom.ppf(0.999, runs, 0.05)
    assert all(t and t > 0.05 for t in tightness)
    for audit in found:
        assert audit.worst is audit.rows[0]
        assert audit.certified_epsilon == max(row.bound.low for row in audit.rows)
        assert audit.tightness == audit.certified_epsilon / audit.claimed_epsilon
        assert {row.bound.applies_to for row in audit.rows} == {"mechanism"}


@pytest.mark.slow
@pytest.mark.parametrize("reverse", [False, True])
def test_the_worst_of_five_bounds_is_false_in_one_run_of_twenty(reverse: bool) -> None:
    # Randomized response with epsilon 1, for which bounds come near the truth.
    false, q = 0, 1 / (1 + np.exp(-1))
    for run in range(RUNS):
        rng = np.random.default_rng(run)
        included = rng.random((200, 5)) < 0.5
        says = rng.random((200, 5)) < np.where(included, q, 1 - q)
        scores = retraining_scores(says * 1.0, included ^ reverse, kind="score")
        found = retraining_audit(scores, claim=PureDP(epsilon=1))
        assert found.tightness is not None
        false += found.tightness > (0 if reverse else 1)
        if reverse:
            assert found.worst is None
    assert false <= binom.ppf(0.999, RUNS, 0.05)


@pytest.mark.slow
def test_a_mechanism_that_ignores_its_data_certifies_nothing() -> None:
    alarms = sum(
        retraining_audit(trained(run, mu=0.0, models=60), claim=PureDP(epsilon=1)).certified_epsilon
        > 0
        for run in range(60)
    )
    assert alarms <= binom.ppf(0.999, 60, 0.05)


@pytest.mark.slow
def likelihood_ratios(x: np.ndarray, included: np.ndarray, *, leave_one_out: bool) -> np.ndarray:
    """Log likelihood ratio of each model's x, of Normal laws fitted to all models or all others."""
    logs = []
    for own in (included, ~included):
        weights = np.tile(own.astype(float), (x.size, 1))
        weights[np.diag_indices(x.size)] *= not leave_one_out
        weights /= weights.sum(axis=1, keepdims=True)
        mean = weights @ x
        logs.append(norm.logpdf(x, mean, np.sqrt(weights @ x**2 - mean**2)))
    return logs[0] - logs[1]


@pytest.mark.slow
@pytest.mark.parametrize("models", [32])
def test_a_ratio_that_is_fitted_to_the_models_it_scores_is_false_too_often(models: int) -> None:
    rng, runs, included = np.random.default_rng(11), 400, np.arange(models) % 2 == 0
    false = np.zeros(2)
    for _ in range(runs):
        x = rng.permutation(rng.standard_normal(models))
        for i, leave_one_out in enumerate((True, False)):
            scores = likelihood_ratios(x, included, leave_one_out=leave_one_out)
            both = AttackScores(member=scores[included], nonmember=scores[~included])
            false[i] += lower_bound(both, delta=0, sampling="independent_trainings").low > 0
    right, wrong = false / runs
    assert right <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / runs) < wrong


@pytest.mark.slow
def test_a_claim_that_promises_too_much_is_refuted() -> None:
    found = retraining_audit(trained(3), claim=ApproximateDP(epsilon=0.2, delta=DELTA))
    assert found.tightness is not None
    assert found.tightness > 1
    assert found.note == ""


def test_delta_is_that_of_the_claim_or_has_to_be_given() -> None:
    scores = nine_of_ten()
    assert retraining_audit(scores, claim=ApproximateDP(epsilon=1, delta=0.01)).delta == 0.01
    assert retraining_audit(scores, claim=PureDP(epsilon=1)).delta == 0
    moved = retraining_audit(scores, claim=ApproximateDP(epsilon=1, delta=0.01), delta=0.02)
    assert moved.delta == moved.rows[0].bound.delta == 0.02
    assert moved.claimed_epsilon < 1
    with pytest.raises(ValueError, match=r"delta must be given for GaussianDP\(mu=1"):
        retraining_audit(scores, claim=GaussianDP(mu=1))


def test_a_ratio_without_meaning_is_none_and_says_why() -> None:
    nothing = retraining_audit(nine_of_ten(), claim=TotalVariation(delta=0.3))
    assert (nothing.claimed_epsilon, nothing.tightness) == (0, None)
    assert nothing.note == (
        "the claim's epsilon at this delta is 0: any bound above 0 contradicts it"
    )
    everything = retraining_audit(nine_of_ten(), claim=GaussianDP(mu=1), delta=0.0)
    assert (everything.claimed_epsilon, everything.tightness) == (np.inf, None)
    assert everything.note == "the claim has no epsilon at this delta"


def test_a_claim_counts_for_both_orders_of_the_pair() -> None:
    # TPR at most 2 FPR, but a non-member may be sure to be one: the other order has no epsilon.
    lopsided = PiecewiseLinear([(0.0, 1.0), (0.5, 0.0), (1.0, 0.0)])
    assert lopsided.epsilon(0.0) == pytest.approx(np.log(2))
    for claim in (lopsided, lopsided.inverse()):
        found = retraining_audit(nine_of_ten(), claim=claim, delta=0.0)
        assert found.claimed_epsilon == np.inf


def test_a_claim_about_adding_a_record_is_taken_as_it_is() -> None:
    claim = PureDP(epsilon=1, adjacency="add_remove")
    assert retraining_audit(nine_of_ten(), claim=claim).claimed_epsilon == 1


def test_what_cannot_be_audited() -> None:
    one_sided = AttackScores(
        member=[1.0, 2.0], nonmember=[0.0], member_groups=["a", "b"], nonmember_groups=["a"]
    )
    ungrouped = AttackScores(member=[1.0], nonmember=[0.0])
    for changes, said in (
        ({"scores": one_sided}, "models with and without 'b', got 1 with and 0 without"),
        ({"scores": ungrouped}, "scores must have groups, got none"),
        ({"claim": 1.0}, "claim must be a trade-off function"),
        ({"threshold": np.nan}, "threshold must be in"),
        ({"threshold": np.inf}, "threshold must be in"),
        ({"delta": -1.0}, r"delta must be in \[0, 1\], got -1.0"),
        ({"confidence_level": 0.0}, r"confidence_level must be in \[0.5, 1\), got 0.0"),
        ({"method": "clopper_pearson"}, "threshold must be given"),
    ):
        with pytest.raises(ValueError, match=said):
            retraining_audit(**{"scores": nine_of_ten(), "claim": PureDP(epsilon=1), **changes})
    with pytest.raises(dataclasses.FrozenInstanceError):
        retraining_audit(nine_of_ten(), claim=PureDP(epsilon=1)).delta = 0.5  # type: ignore[misc]


def test_progress_is_told_of_each_canary() -> None:
    seen: list[int] = []

    def watched(rounds: range) -> Iterator[int]:
        for i in rounds:
            seen.append(i)
            yield i

    retraining_audit(trained(4, mu=0), claim=PureDP(epsilon=1), progress=watched)
    assert seen == [0, 1, 2, 3, 4]
