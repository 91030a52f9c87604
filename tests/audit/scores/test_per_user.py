"""One score per user."""

import statistics

import numpy as np
import pytest

from dpviz.audit import AttackScores, lower_bound
from dpviz.audit.scores.losses import USER_STATISTICS as HOWS
from dpviz.audit.scores.losses import per_user

SLOW = {"mean": statistics.mean, "max": max, "min": min, "sum": sum, "median": statistics.median}


@pytest.mark.parametrize("how", HOWS)
@pytest.mark.parametrize("users_are", ["int", "str", "list of int"])
def test_scores_of_users_agree_with_a_look_at_each(how: str, users_are: str) -> None:
    rng = np.random.default_rng(1)
    n, m = 80, 60
    # Few distinct values, so that ties within a user are the rule.
    member, nonmember = rng.integers(-3, 4, n) / 4, rng.integers(-3, 4, m) / 4
    users = [rng.integers(0, 25, n), rng.integers(100, 120, m)]
    given = {
        "int": users,
        "str": [u.astype(str) for u in users],
        "list of int": [u.tolist() for u in users],
    }[users_are]
    scores = AttackScores(member=member, nonmember=nonmember)
    found = per_user(scores, member_users=given[0], nonmember_users=given[1], how=how)
    for values, names, got in (
        (member, users[0], found.member),
        (nonmember, users[1], found.nonmember),
    ):
        in_order = list(dict.fromkeys(names.tolist()))
        expected = [SLOW[how](values[names == user].tolist()) for user in in_order]
        assert got == pytest.approx(expected, abs=1e-12)
    assert (found.kind, found.groups) == ("score", ())


def test_max_of_losses_is_the_most_member_like_record() -> None:
    losses = AttackScores.from_losses(member=[0.1, 5.0], nonmember=[2.0, 4.0])
    found = per_user(losses, member_users=["a", "a"], nonmember_users=["b", "b"], how="max")
    assert (found.kind, found.member.tolist(), found.nonmember.tolist()) == ("loss", [-0.1], [-2])


def test_the_number_of_records_becomes_that_of_users() -> None:
    # Ten copies of each user's score: as records they would certify too much.
    rng = np.random.default_rng(2)
    member, nonmember = rng.normal(1, 1, 40), rng.normal(0, 1, 40)
    copies = AttackScores(member=np.repeat(member, 10), nonmember=np.repeat(nonmember, 10))
    found = per_user(
        copies,
        member_users=np.repeat(np.arange(40), 10),
        nonmember_users=np.repeat(np.arange(40, 80), 10),
    )
    assert (found.n_members, found.n_nonmembers) == (40, 40)
    assert found.member == pytest.approx(member)
    once = lower_bound(AttackScores(member=member, nonmember=nonmember), delta=0.0)
    of_users = lower_bound(per_user(copies, **_repeated(40, 10), how="max"), delta=0.0)
    assert of_users == once
    assert lower_bound(copies, delta=0.0).low > once.low


def _repeated(n: int, times: int) -> dict[str, np.ndarray]:
    return {
        "member_users": np.repeat(np.arange(n), times),
        "nonmember_users": np.repeat(np.arange(n, 2 * n), times),
    }


def test_one_record_per_user_changes_nothing() -> None:
    scores = AttackScores(
        member=[3.0, 1.0, 2.0],
        nonmember=[0.0, 5.0],
        member_groups=["x", "y", "x"],
        nonmember_groups=["y", "x"],
    )
    for how in HOWS:
        same = per_user(scores, member_users=[9, 2, 5], nonmember_users=[1, 7], how=how)
        assert same.member.tolist() == [3, 1, 2]
        assert same.nonmember.tolist() == [0, 5]
        assert same.group("x").member.tolist() == [3, 2]


def test_groups_of_users_are_kept() -> None:
    scores = AttackScores(
        member=[1.0, 2.0, 3.0],
        nonmember=[0.0, 1.0],
        member_groups=["old", "new", "old"],
        nonmember_groups=["new", "new"],
    )
    found = per_user(scores, member_users=["a", "b", "a"], nonmember_users=["c", "c"])
    assert found.member_groups is not None
    assert found.nonmember_groups is not None
    assert (found.member.tolist(), found.member_groups.tolist()) == ([2, 2], ["old", "new"])
    assert (found.nonmember.tolist(), found.nonmember_groups.tolist()) == ([0.5], ["new"])


def test_groups_that_divide_a_user_are_refused() -> None:
    scores = AttackScores(
        member=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        nonmember=[0.0],
        member_groups=["x", "y", "x", "x", "x", "y"],
        nonmember_groups=["x"],
    )
    said = (
        "member_groups must be the same for all records of a user, got 2 users with several, such "
        "as 'b'"
    )
    with pytest.raises(ValueError, match=said):
        per_user(scores, member_users=["a", "b", "a", "b", "c", "c"], nonmember_users=["z"])


@pytest.mark.parametrize("numbers", [False, True])
def test_a_user_in_both_classes_is_neither(numbers: bool) -> None:
    scores = AttackScores(member=[1.0, 2.0, 3.0], nonmember=[0.0, 1.0])
    users = ([3, 4, 5], [5, 4]) if numbers else (["3", "4", "5"], ["5", "4"])
    as_arrays = [np.array(u) for u in users]
    for member_users, nonmember_users in (users, as_arrays):
        with pytest.raises(ValueError, match="no user in common, got 2 in both, such as '4'"):
            per_user(scores, member_users=member_users, nonmember_users=nonmember_users)


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (["a"], "member_users must be as many as the scores, 2, got 1"),
        (np.array([1, 2, 3]), "member_users must be as many as the scores, 2, got 3"),
        (np.array([[1], [2]]), r"member_users must be one-dimensional, got \(2, 1\)"),
        (["a", None], "member_users must be text or whole numbers, none missing, got None"),
        (np.array([1.0, np.nan]), "member_users must be text or whole numbers, none missing"),
    ],
)
def test_users_that_cannot_be_told_are_refused(users: object, message: str) -> None:
    scores = AttackScores(member=[1.0, 2.0], nonmember=[0.0])
    with pytest.raises(ValueError, match=f"^{message}"):
        per_user(scores, member_users=users, nonmember_users=["z"])
    with pytest.raises(ValueError, match=r"how must be one of 'mean', 'max', .* got 'mode'"):
        per_user(scores, member_users=["a", "b"], nonmember_users=["z"], how="mode")
