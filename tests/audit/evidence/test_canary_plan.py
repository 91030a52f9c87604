"""Canaries by fair coins: plans, receipts, joins by identifier, and whole pipelines to a bound."""

import hashlib
import json
import secrets
from collections.abc import Callable, Iterable
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.audit.evidence import CanaryPlan

SEED = 10**40
NAMES = [f"person {i}" for i in range(60)]
TRIES = range(100)


def seed_of(run: int) -> int:
    """A seed as long as a secret one, but the same at each test."""
    return int.from_bytes(hashlib.sha256(f"test {run}".encode()).digest())


def plan_of(n: int = 40, **choices: Any) -> CanaryPlan:
    return dpviz.canaries(n, **{"among": NAMES, "seed": SEED, **choices})


def scores_of(plan: CanaryPlan) -> dict[Any, float]:
    rng = np.random.default_rng(0)
    return dict(zip(plan.canaries, rng.normal(size=len(plan.canaries)).tolist(), strict=True))


def test_each_canary_is_in_or_out_and_all_others_are_in() -> None:
    plan = plan_of()
    members, held_out = set(plan.members()), set(plan.held_out())
    assert len(plan.canaries) == 40 == len(members) + len(held_out)
    assert members | held_out == set(plan.canaries) < set(NAMES)
    assert list(plan.training_set()) == [name for name in NAMES if name not in held_out]


def test_without_a_seed_no_two_plans_agree() -> None:
    one, other = (dpviz.canaries(40, among=NAMES) for _ in range(2))
    assert one.seed.bit_length() == other.seed.bit_length() == 256
    assert one.members() != other.members()


@pytest.mark.parametrize("other", [NAMES[::-1], pd.Series(NAMES), np.array(NAMES), iter(NAMES)])
def test_coins_follow_from_seed_and_identifier_alone(other: Any) -> None:
    plan, again = plan_of(), plan_of(among=other)
    assert set(plan.members()) == set(again.members())
    assert set(plan.held_out()) == set(again.held_out())
    assert set(plan.members()) != set(plan_of(seed=SEED + 1).members())


def test_coins_are_fair_and_independent() -> None:
    plans = [plan_of(8, among=range(16), runs=2, seed=seed_of(run)) for run in range(1000)]
    chosen = np.array([[i in plan.canaries for i in range(16)] for plan in plans])
    # Each of 16 records is a canary in half of the plans.
    assert np.all(np.abs(chosen.mean(axis=0) - 0.5) < 4 * 0.5 / 1000**0.5)
    signs = np.array(
        [
            [2.0 * (name in plan.members(run)) - 1 for run in (1, 2) for name in plan.canaries]
            for plan in plans
        ]
    )
    # Coins of 8 canaries in two runs: means and all products of two have mean 0.
    products = signs.T @ signs / 1000
    moments = np.concatenate([signs.mean(axis=0), products[np.triu_indices(16, 1)]])
    assert np.abs(moments).max() < 4.5 / 1000**0.5
    # The numbers of members are binomial: goodness of fit in 9 cells, at the 0.001 quantile.
    counts = np.bincount([len(plan.members()) for plan in plans], minlength=9)
    expected = np.array([comb(8, k) for k in range(9)]) * 1000 / 2**8
    assert np.sum((counts - expected) ** 2 / expected) < 26.12


def test_identifiers_keep_their_kind() -> None:
    assert {*map(type, plan_of(among=np.arange(50)).canaries)} == {int}
    assert {*map(type, plan_of(among=[*map(str, range(50))]).canaries)} == {str}
    numbers = plan_of(among=range(50))
    assert numbers.members() == tuple(map(int, plan_of(among=map(str, range(50))).members()))


def joined(plan: CanaryPlan, given: dict[Any, float]) -> tuple[list[float], list[float]]:
    return [given[each] for each in plan.members()], [given[each] for each in plan.held_out()]


@pytest.mark.parametrize(
    "form",
    [
        lambda names, values: dict(zip(names, values, strict=True)),
        lambda names, values: pd.Series(values, index=names),
        lambda names, values: zip(names, values, strict=True),
        lambda names, values: [[name, value] for name, value in zip(names, values, strict=True)],
    ],
)
def test_scores_are_joined_by_identifier_in_any_order(form: Callable[[Any, Any], Any]) -> None:
    plan, rng = plan_of(), np.random.default_rng(1)
    given = scores_of(plan)
    member, nonmember = joined(plan, given)
    for _ in range(20):
        names = rng.permutation(list(given)).tolist()
        found = plan.scores(form(names, [given[name] for name in names]))
        assert (found.member.tolist(), found.nonmember.tolist()) == (member, nonmember)
    assert (found.sampling, found.kind) == ("fair_coins", "score")


def test_text_and_numbers_are_the_same_identifiers() -> None:
    plan = plan_of(among=range(60))
    given = scores_of(plan)
    as_json = json.loads(json.dumps(given))  # whose keys are text
    assert plan.scores(as_json) == plan.scores(given)


def test_losses_are_low_for_members() -> None:
    plan = plan_of()
    given = scores_of(plan)
    losses = plan.scores({name: -value for name, value in given.items()}, kind="loss")
    assert (losses.kind, losses.member.tolist()) == ("loss", joined(plan, given)[0])


@pytest.mark.parametrize("run", [*TRIES])
def test_wrong_identifiers_are_errors(run: int) -> None:
    plan, rng = plan_of(seed=seed_of(run)), np.random.default_rng(run)
    given = scores_of(plan)
    names, values = [*given], [*given.values()]
    one, other = rng.permutation(40)[:2].tolist()
    way_out = r"must be scores by identifier, such as \{identifier: score\}"
    permuted = rng.permutation(values)
    for bare in (permuted, permuted.tolist(), np.column_stack([permuted, permuted])):
        with pytest.raises(ValueError, match=way_out):
            plan.scores(bare)
    # Permuted rows of a table that lost its identifiers are numbered 0, 1, ...
    with pytest.raises(ValueError, match=r"40 missing, such as .* 40 that are no canaries of this"):
        plan.scores(pd.Series(permuted))
    dropped = {name: value for name, value in given.items() if name != names[one]}
    with pytest.raises(ValueError, match=f"for each of 40 canaries, got 1 missing, .*{names[one]}"):
        plan.scores(dropped)
    with pytest.raises(ValueError, match=f"got 1 repeated, such as '{names[one]}'$"):
        plan.scores([*given.items(), (names[one], 0.0)])
    doubled = [names[other] if i == one else name for i, name in enumerate(names)]
    with pytest.raises(ValueError, match=f"1 missing, such as '{names[one]}'; 1 repeated"):
        plan.scores(zip(doubled, values, strict=True))
    stranger = next(name for name in rng.permutation(NAMES) if name not in given)
    with pytest.raises(ValueError, match=f"1 that are no canaries of this plan, .*{stranger}"):
        plan.scores({**given, stranger: 0.0})
    another = plan_of(seed=seed_of(run + len(TRIES)))
    with pytest.raises(ValueError, match=r"missing, such as .* that are no canaries of this plan"):
        plan.scores(scores_of(another))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 1}, "n must be a whole number from 2 to 60, got 1"),
        ({"n": 61}, "n must be a whole number from 2 to 60, got 61"),
        ({"runs": 0}, "runs must be a whole number of at least 1, got 0"),
        ({"seed": 1}, r"seed must be a whole number of at least 2\^100, such as secrets"),
        ({"seed": 1e40}, r"seed must be a whole number of at least 2\^100, such as secrets"),
        ({"seed": True}, "seed must be a whole number"),
        ({"among": [*NAMES, NAMES[3]]}, "among must have distinct identifiers, got 1 repeated, "),
        ({"among": [1, "1", 2]}, "among must have distinct identifiers, got 1 repeated, such as"),
        ({"among": "persons"}, "among must be a sequence of identifiers, got 'persons'"),
        ({"among": 5}, "among must be a sequence of identifiers, got 5"),
        ({"among": [*NAMES, ""]}, "among must be labels of at least one character"),
        ({"among": [*NAMES, None]}, "among must be text or whole numbers, none missing, got None"),
        ({"among": [0.5, 1.5]}, "among must be text or whole numbers"),
        ({"groups": ["a", "b"]}, "groups must be 60 labels, one for each record, got 2"),
        ({"groups": ["a"] * 30 + ["b"] * 30}, "n must be a whole number from 2 to 2, got 40"),
    ],
)
def test_bad_plans_are_errors(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        plan_of(**change)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda plan, x: plan.scores(), "by_identifier must be given once for each of 1 runs"),
        (lambda plan, x: plan.scores(x, x), "by_identifier must be given once for each of 1 runs"),
        (lambda plan, x: plan.scores(None), "by_identifier must be scores by identifier, .* None"),
        (lambda plan, x: plan.scores("ab"), "by_identifier must be scores by identifier, .* 'ab'"),
        (lambda plan, x: plan.scores(x, kind="p"), "kind must be one of 'loss', 'score', got 'p'"),
        (lambda plan, x: plan.scores({**x, [*x][5]: np.nan}), "got 1 without a number, such as"),
        (lambda plan, x: plan.scores({**x, [*x][5]: "high"}), "by_identifier must be numbers"),
        (
            lambda plan, x: plan.scores(x, receipt="f" * 64),
            "receipt must be '.*', that of this plan",
        ),
        (lambda plan, x: plan.members(2), "run must be a whole number from 1 to 1, got 2"),
    ],
)
def test_bad_calls_are_errors(call: Callable[[CanaryPlan, Any], Any], message: str) -> None:
    plan = plan_of()
    with pytest.raises(ValueError, match=message):
        call(plan, scores_of(plan))


def test_a_training_set_that_differs_from_the_coins_is_an_error() -> None:
    plan = plan_of()
    members, held_out, right = plan.members(), plan.held_out(), plan.training_set()
    plan.check_training_set(right)
    plan.check_training_set(members)  # what else was included is free
    for used, message in (
        (
            right[:-1] if right[-1] in members else (*set(right) - {members[0]},),
            "1 members missing",
        ),
        ((*right, members[2]), f"1 members repeated, such as '{members[2]}'$"),
        ((*right, held_out[0]), f"1 held-out canaries included, such as '{held_out[0]}'$"),
        (NAMES, f"got {len(held_out)} held-out canaries included"),
        (held_out, f"got {len(members)} members missing, .* {len(held_out)} held-out"),
    ):
        with pytest.raises(ValueError, match=message):
            plan.check_training_set(used)


# ----- receipts and files


def test_a_plan_is_saved_and_loaded(tmp_path: Path) -> None:
    for plan in (plan_of(), plan_of(20, runs=3, groups=[i // 2 for i in range(60)])):
        plan.save(tmp_path / "plan.json")
        again = CanaryPlan.load(tmp_path / "plan.json", receipt=plan.receipt)
        assert again == plan
        assert (again.members(), again.receipt) == (plan.members(), plan.receipt)


def test_the_receipt_is_the_hash_of_the_file(tmp_path: Path) -> None:
    plan = plan_of()
    plan.save(tmp_path / "plan.json")
    content = json.loads((tmp_path / "plan.json").read_text())
    assert content.pop("receipt") == plan.receipt
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"))
    assert plan.receipt == hashlib.sha256(canonical.encode()).hexdigest()
    assert content["members"] == [list(plan.members())]


def test_the_receipt_hides_the_coins() -> None:
    # Two plans with the same coins have different receipts: coins alone cannot be tried.
    plans = [plan_of(2, among=["a", "b"], seed=seed_of(run)) for run in range(40)]
    coins = {plan.members() for plan in plans}
    assert coins == {(), ("a",), ("b",), ("a", "b")}
    assert len({plan.receipt for plan in plans}) == len(plans)
    # Nor does what a plan shows contain its seed.
    secret = plan_of(seed=secrets.randbits(256) | 2**255)
    for shown in (repr(secret), str(secret.to_dict()), secret.receipt):
        assert str(secret.seed) not in shown
        assert f"{secret.seed:x}" not in shown


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"members": [NAMES[:20]]}, "members must be as seed and records say, got "),
        ({"members": []}, "members must be as seed and records say, got "),
        ({"seed": f"{SEED + 1:x}"}, "members must be as seed and records say, got "),
        ({"seed": "1"}, r"seed must be a whole number of at least 2\^100"),
        ({"seed": f"0{SEED:x}"}, "seed must be as seed and records say"),
        ({"seed": "coin"}, "seed must be a hexadecimal number, got 'coin'"),
        ({"n": 39}, "members must be as seed and records say"),
        ({"n": "40"}, "n must be a number"),
        ({"runs": 2}, "members must be as seed and records say"),
        ({"identifiers": NAMES[1:]}, "receipt must be as seed and records say"),
        ({"receipt": "f" * 64}, "receipt must be as seed and records say"),
        ({"identifiers": [*NAMES, *NAMES]}, "among must have distinct identifiers"),
        ({"groups": ["a"] * 60}, "n must be a whole number from 2 to 1"),
        ({"schema": "dpviz/canaries/2"}, "schema of plan.json must be 'dpviz/canaries/1'"),
    ],
)
def test_a_changed_file_is_an_error(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    plan, path = plan_of(), tmp_path / "plan.json"
    plan.save(path)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(ValueError, match=message):
        CanaryPlan.load(path)


def test_a_consistent_plan_with_other_coins_is_not_that_of_the_receipt(tmp_path: Path) -> None:
    before, after = plan_of(), plan_of(seed=SEED + 1)
    after.save(tmp_path / "plan.json")
    with pytest.raises(ValueError, match=f"receipt must be '{after.receipt}', that of "):
        CanaryPlan.load(tmp_path / "plan.json", receipt=before.receipt)
    with pytest.raises(ValueError, match="receipt must be"):
        after.scores(scores_of(after), receipt=before.receipt)
    assert after.scores(scores_of(after), receipt=after.receipt).n_members == len(after.members())


def test_other_files_are_no_plans(tmp_path: Path) -> None:
    path = tmp_path / "plan.json"
    for content in ("[]", "{}", '{"schema": "dpviz/canaries/1"}', '{"schema": 1}'):
        path.write_text(content)
        with pytest.raises(ValueError, match=r"schema"):
            CanaryPlan.load(path)


# ----- groups and several runs


def test_records_of_a_group_share_a_coin() -> None:
    users = [f"user {i // 3}" for i in range(60)]
    plan = plan_of(10, groups=users)
    user_of: dict[Any, str] = dict(zip(NAMES, users, strict=True))
    members, held_out = ({user_of[i] for i in each} for each in (plan.members(), plan.held_out()))
    assert not members & held_out
    assert len(members | held_out) == 10
    assert len(plan.canaries) == 30
    given = scores_of(plan)
    found = plan.scores(given, how="max")
    best = {user: max(given[i] for i in plan.canaries if user_of[i] == user) for user in members}
    assert sorted(found.member.tolist()) == sorted(best.values())
    # Whose epsilon it is stands with every bound.
    remark = "epsilon is that of including a whole group of 3 records"
    for bound in (
        audit.lower_bound(found, delta=0.0),
        audit.lower_bound(found.reversed(), delta=0),
    ):
        assert remark in bound.warnings
    assert remark in str(found)
    assert dpviz.analyze(found).sample.audit.bound.warnings[0] == remark  # type: ignore[union-attr]


def test_each_run_has_coins_of_its_own() -> None:
    plan = plan_of(runs=3)
    assert len({plan.members(run) for run in (1, 2, 3)}) == 3
    assert plan.members(1) == plan_of().members()
    given = [scores_of(plan) for _ in range(3)]
    given[1] = {name: value + 10 for name, value in given[1].items()}
    found = plan.scores(*given)
    expected = [given[run - 1][name] for run in (1, 2, 3) for name in plan.members(run)]
    assert found.member.tolist() == expected
    assert "the coins of 3 runs are pooled" in found.remarks[0]
    with pytest.raises(ValueError, match="by_identifier of run 3 must have one score for each of"):
        plan.scores(given[0], given[1], {})


# ----- what bounds and tests make of scores with fair coins


def test_bounds_take_the_methods_for_fair_coins_by_themselves() -> None:
    plan = plan_of(60)
    scores = plan.scores(scores_of(plan))
    plain = audit.AttackScores(member=scores.member, nonmember=scores.nonmember)
    given: dict[str, Any] = {"delta": 1e-5}
    bound = audit.lower_bound(scores, **given)
    assert bound == audit.lower_bound(plain, **given, sampling="fair_coins")
    assert (bound.method, bound.applies_to) == ("one_run_curve", "mechanism")
    # What the caller says goes first, where both can be true.
    for sampling in ("fair_coins", "fixed_split"):
        how: dict[str, Any] = {"delta": 0.0, "sampling": sampling}
        assert audit.lower_bound(scores, **how) == audit.lower_bound(plain, **how)
    own = audit.lower_bound(scores, **given, applies_to="instance")
    assert own == audit.lower_bound(plain, **given)
    with pytest.raises(ValueError, match="sampling must be 'fair_coins', as these scores declare"):
        audit.lower_bound(scores, **given, sampling="independent_trainings")
    claim = theory.ApproximateDP(1.0, 1e-5, adjacency="add_remove")
    test = audit.claim_test(scores, claim)
    assert test.bound == bound
    with pytest.raises(ValueError, match="sampling must be 'independent_trainings' or None"):
        audit.certified_profile(scores)
    best = audit.best_of({"a": scores, "b": scores.reversed()}, **given)
    assert {each.method for each in best.bounds.values()} == {"one_run_curve"}


def test_an_analysis_begins_with_fair_coins_and_can_leave_them() -> None:
    plan = plan_of(60)
    scores = plan.scores(scores_of(plan))
    result = dpviz.analyze(scores)
    assert (result.spec.sampling, result.sample.audit.bound.method) == (  # type: ignore[union-attr]
        "fair_coins",
        "one_run_curve",
    )
    explorer = dpviz.explore(scores)
    assert explorer.result.spec.sampling == "fair_coins"
    assert explorer.result.spec.claim.adjacency == "add_remove"
    own = dpviz.analyze(scores, applies_to="instance")
    assert own.spec.sampling is None
    assert own.sample.audit.bound.method == "rank_exact"  # type: ignore[union-attr]


# ----- whole pipelines: coins, training set, a cheap model, scores, bound

Training = Callable[[Iterable[Any], np.random.Generator], dict[Any, float]]


def laplace(epsilon: float) -> Training:
    """Counts of all records with Laplace noise: epsilon of adding or removing one record."""

    def train(training_set: Iterable[Any], rng: np.random.Generator) -> dict[Any, float]:
        inside = set(training_set)
        noise = rng.laplace(scale=1 / epsilon, size=len(NAMES)).tolist()
        return {name: (name in inside) + each for name, each in zip(NAMES, noise, strict=True)}

    return train


def randomized_response(epsilon: float) -> Training:
    """Each record's membership, told with the largest probability that epsilon allows."""
    truth = np.exp(epsilon) / (1 + np.exp(epsilon))

    def train(training_set: Iterable[Any], rng: np.random.Generator) -> dict[Any, float]:
        inside = set(training_set)
        told, tie = (rng.random(len(NAMES)) for _ in range(2))
        return {
            name: float((name in inside) == (told[i] < truth)) + tie[i] / 2
            for i, name in enumerate(NAMES)
        }

    return train


def nothing(training_set: Iterable[Any], rng: np.random.Generator) -> dict[Any, float]:
    """A model that depends on no record, but all scores depend on one another."""
    shared = rng.normal()
    return {name: shared * (i % 3) + rng.normal() for i, name in enumerate(NAMES)}


def low_of(
    train: Training, run: int, *, reverse: bool = False, runs: int = 1, size: int = 1
) -> float:
    """The lower bound at the end of a pipeline with 60 / size coins in each run."""
    rng = np.random.default_rng([run, 5])
    groups = None if size == 1 else [i // size for i in range(60)]
    plan = plan_of(60 // size, runs=runs, groups=groups, seed=seed_of(run))
    models = []
    for k in range(1, runs + 1):
        plan.check_training_set(used := plan.training_set(k), k)
        model = train(used, rng)
        order = rng.permutation(plan.canaries).tolist()
        models.append({name: -model[name] if reverse else model[name] for name in order})
    return audit.lower_bound(plan.scores(*models), delta=0.0, confidence_level=0.9).low


PIPELINES: dict[str, tuple[Training, float, dict[str, Any]]] = {
    "null": (nothing, 0.0, {}),
    "Laplace": (laplace(1.0), 1.0, {}),
    "randomized response": (randomized_response(1.0), 1.0, {}),
    "randomized response, three runs": (randomized_response(1.0), 1.0, {"runs": 3}),
    "randomized response of pairs": (randomized_response(0.5), 1.0, {"size": 2}),
    "reversed": (randomized_response(1.0), 1.0, {"reverse": True}),
}


def false_bounds(name: str, n: int) -> int:
    train, epsilon, how = PIPELINES[name]
    return sum(low_of(train, run, **how) > epsilon for run in range(n))


def most_of(n: int, share: float) -> float:
    """A number that a binomial count of `n` trials exceeds with a probability below 0.001."""
    return share * n + 3.3 * (n * share * (1 - share)) ** 0.5


@pytest.mark.parametrize("name", PIPELINES)
def test_a_true_epsilon_is_seldom_refuted(name: str) -> None:
    assert false_bounds(name, 150) <= most_of(150, 0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", PIPELINES)
def test_a_true_epsilon_is_seldom_refuted_in_3000_pipelines(name: str) -> None:
    assert false_bounds(name, 3000) <= most_of(3000, 0.1)


def test_coins_that_the_attack_saw_would_be_noticed() -> None:
    """The same count for a model that leaks more than it says is far above the level."""
    leaks = sum(low_of(randomized_response(2.5), run) > 1.0 for run in range(40))
    assert leaks > 30 > most_of(40, 0.1)
