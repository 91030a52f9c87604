"""Attack scores: checked once, oriented once, never changed."""

import dataclasses
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest

from dpviz import audit, theory
from dpviz.audit import AttackCurve, AttackScores, BinnedScores
from dpviz.audit.comparison import tpr_difference
from dpviz.audit.epsilon_star import transform_losses


def test_losses_are_turned_once_and_remembered_as_losses() -> None:
    scores = AttackScores.from_losses(member=[0.5, 3.0], nonmember=[1.0, -2.0, 7.0])
    assert scores.member.tolist() == [-0.5, -3.0]
    assert scores.nonmember.tolist() == [-1.0, 2.0, -7.0]
    assert scores.sorted_nonmember.tolist() == [-7.0, -1.0, 2.0]
    assert (scores.kind, scores.n_members, scores.n_nonmembers) == ("loss", 2, 3)
    assert AttackScores(member=[1], nonmember=[0]).kind == "score"


def test_losses_are_no_scores_and_a_copy_of_them_is_not_turned_again() -> None:
    losses = {"member": [1.0, 2.0], "nonmember": [3.0]}
    with pytest.raises(ValueError, match=r"kind must be 'score', got 'loss'; .*from_losses takes"):
        AttackScores(**losses, kind="loss")
    scores = AttackScores.from_losses(**losses)
    copy = scores.replaced(nonmember=[-5.0])
    assert (copy.kind, copy.member.tolist(), copy.nonmember.tolist()) == ("loss", [-1, -2], [-5])
    with pytest.raises(ValueError, match="from_losses takes losses"):
        dataclasses.replace(scores, member_groups=None)


def test_low_losses_and_high_scores_mean_member() -> None:
    losses = AttackScores.from_losses(member=[0.0, 0.1], nonmember=[1.0, 2.0])
    raw = AttackScores(member=[0.0, 0.1], nonmember=[1.0, 2.0])
    assert AttackCurve.from_scores(losses).at_fpr(0.0).tpr == 1
    assert AttackCurve.from_scores(raw).at_fpr(0.0).tpr == 0


def test_nothing_can_be_changed_and_the_source_stays_free() -> None:
    mine = np.array([1.0, 2.0])
    scores = AttackScores(member=mine, nonmember=mine)
    with pytest.raises(dataclasses.FrozenInstanceError):
        scores.member = mine
    for array in (scores.member, scores.sorted_member, scores.nonmember, scores.sorted_nonmember):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
    mine[0] = 99.0
    assert scores.member.tolist() == [1.0, 2.0]
    assert "n_members=2, n_nonmembers=2" in repr(scores)


@pytest.mark.parametrize("kind", [np.float32, np.int64, np.uint8, np.float64])
def test_any_kind_of_number_becomes_float64(kind: type) -> None:
    scores = AttackScores(member=np.array([1, 2], kind), nonmember=(1, 2))
    assert scores.member.dtype == scores.nonmember.dtype == np.float64


@pytest.mark.slow
def test_anything_that_can_be_an_array_is_welcome_without_its_library() -> None:
    class Tensor:
        def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
            return np.array([1.0, 2.0])

    assert AttackScores(member=Tensor(), nonmember=Tensor()).member.tolist() == [1.0, 2.0]
    code = "import sys, dpviz; print({'torch', 'tensorflow', 'jax'} & set(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "set()"


REFUSED = [
    ([], "must not be empty, got 0 values"),
    ([[1.0, 2.0]], r"must be one-dimensional, of shape \(n,\), got \(1, 2\)"),
    (3.0, r"must be one-dimensional, of shape \(n,\), got \(\)"),
    ([1.0, np.nan, np.inf, -np.inf], r"must be numbers, got 1 NaN among 4 .*missing='drop'"),
    ([1.0, -2e300], r"must be in \[-1e\+300, 1e\+300\] or inf, got -2e\+300$"),
    (
        (x for x in [1.0, 2.0]),
        r"must be an array or a list, got a generator; list\(...\) converts it$",
    ),
    ({1.0, 2.0}, r"must be an array or a list, got a set; .* converts it, but repeated values are"),
    ({"a": 1.0}.values(), "must be an array or a list, got a dict_values; list"),
    (["0.1"], "must be numbers, got '0.1'"),
    ([True, False], "must be numbers, got True"),
    ([None, 1.0], "must be numbers, got None"),
    ([1 + 2j], r"must be numbers, got \(1\+2j\)"),
    (
        np.ma.masked_greater([1.0, 99.0, 99.0], 9),
        r"must have no masked values, got 2 among 3 values; .compressed\(\) removes the",
    ),
]


@pytest.mark.parametrize(("values", "message"), REFUSED)
@pytest.mark.parametrize("broken", ["member", "nonmember"])
@pytest.mark.parametrize(
    ("build", "unit"), [(AttackScores, "scores"), (AttackScores.from_losses, "losses")]
)
def test_refused_values_name_their_class(
    build: type, unit: str, broken: str, values: object, message: str
) -> None:
    good = [0.0, 1.0]
    arguments = {"member": good, "nonmember": good, broken: values}
    with pytest.raises(ValueError, match=f"^{broken} {unit} {message}"):
        build(**arguments)


def test_a_mask_that_hides_nothing_is_as_none() -> None:
    values = np.ma.masked_array([2.0, 1.0])
    scores = AttackScores(
        member=values,
        nonmember=[0.0],
        member_groups=np.ma.array(["a", "b"]),
        nonmember_groups=["a"],
    )
    assert scores.member.tolist() == [2, 1]
    assert type(scores.member) is np.ndarray


def test_masked_values_are_refused_wherever_numbers_are_taken() -> None:
    hidden = np.ma.masked_array([[0.5, 0.5], [0.9, 0.1]], [[False, False], [True, True]])
    calls: list[Callable[[], object]] = [
        lambda: audit.losses_from_probabilities(hidden, [0, 1]),
        lambda: transform_losses(member=hidden[1], nonmember=[0]),
        lambda: audit.retraining_scores(hidden, [[1, 0], [0, 1]], kind="score"),
        lambda: audit.Stream((1, 0)).update(member=hidden[1]),
        lambda: audit.per_user(
            AttackScores(member=[1, 2], nonmember=[0]),
            member_users=np.ma.masked_array([1, 2], [True, False]),
            nonmember_users=[1],
        ),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="must have no masked values, got"):
            call()


def test_members_come_first_and_all_else_has_a_name() -> None:
    assert AttackScores([1, 2], [0]).member.tolist() == [1, 2]
    assert AttackScores.from_losses([1, 2], [0]).member.tolist() == [-1, -2]
    with pytest.raises(TypeError, match="positional"):
        AttackScores([1], [0], "loss")  # type: ignore[misc]


def test_tensors_are_taken_without_their_gradient() -> None:
    class Tensor:
        """What PyTorch does with a tensor on a device that requires a gradient."""

        def __init__(self, values: np.ndarray, attached: bool = True) -> None:
            self._values, self._attached = values, attached

        def detach(self) -> "Tensor":
            return Tensor(self._values, False)

        def cpu(self) -> "Tensor":
            return self

        def numpy(self) -> np.ndarray:
            if self._attached:
                raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
            return self._values

        __array__ = numpy

    member, nonmember = Tensor(np.array([0.5, 1.0])), Tensor(np.array([2.0]))
    assert AttackScores.from_losses(member, nonmember).member.tolist() == [-0.5, -1.0]
    logits, labels = Tensor(np.array([[3.0, 0.0], [-1.0, 1.0]])), Tensor(np.array([0, 1]))
    assert audit.losses_from_logits(logits, labels).tolist() == [-3, -2]


def test_an_unknown_kind_lists_the_kinds() -> None:
    with pytest.raises(ValueError, match="kind must be one of 'loss', 'score', got 'losses'"):
        AttackScores(member=[1.0], nonmember=[1.0], kind="losses")


def grouped(member: object, nonmember: object, **changed: object) -> AttackScores:
    """Scores 0, 1, 2, ... of members and 10, 11, ... of non-members, with these labels."""
    arguments = {
        "member": np.arange(len(member)),  # type: ignore[arg-type]
        "nonmember": 10 + np.arange(len(nonmember)),  # type: ignore[arg-type]
        "member_groups": member,
        "nonmember_groups": nonmember,
    }
    return AttackScores(**{**arguments, **changed})


def test_a_group_is_the_scores_with_its_label_in_their_order() -> None:
    scores = grouped(["b", "a", "b", "b"], ["a", "b", "a"])
    assert scores.groups == ("a", "b")
    assert (scores.group("a").member.tolist(), scores.group("a").nonmember.tolist()) == (
        [1],
        [10, 12],
    )
    assert (scores.group("b").member.tolist(), scores.group("b").nonmember.tolist()) == (
        [0, 2, 3],
        [11],
    )
    assert (scores.group_sizes("b"), scores.group_sizes("a")) == ((3, 1), (1, 2))
    assert scores.group("a").groups == ()
    assert repr(scores) == "AttackScores(n_members=4, n_nonmembers=3, kind='score')"


def test_groups_of_losses_stay_losses() -> None:
    scores = AttackScores.from_losses(
        member=[1.0, 2.0], nonmember=[3.0, 4.0], member_groups=[7, 8], nonmember_groups=[8, 7]
    )
    group = scores.group(8)
    assert (group.kind, group.member.tolist(), group.nonmember.tolist()) == ("loss", [-2], [-3])


@pytest.mark.parametrize("seed", range(5))
def test_groups_agree_with_a_look_at_every_record(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = [rng.integers(0, 12, 50), rng.integers(5, 15, 40)]
    scores = grouped(*labels)
    assert scores.groups == tuple(str(i) for i in sorted({*labels[0], *labels[1]}))
    for label in scores.groups:
        member = [i for i in range(50) if labels[0][i] == int(label)]
        nonmember = [10 + i for i in range(40) if labels[1][i] == int(label)]
        assert scores.group_sizes(label) == (len(member), len(nonmember))
        if member and nonmember:
            assert scores.group(label).member.tolist() == member
            assert scores.group(label).nonmember.tolist() == nonmember


def test_without_labels_there_are_no_groups() -> None:
    scores = AttackScores(member=[1.0], nonmember=[0.0])
    assert (scores.groups, scores.member_groups, scores.nonmember_groups) == ((), None, None)
    dealt = AttackScores.of_sorted(scores.member, scores.nonmember, kind="score")
    assert (dealt.groups, dealt.member_groups) == ((), None)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["x", "y"], ["x", "y"]),
        ([3, 10], ["3", "10"]),
        ([3.0, 10.0], ["3", "10"]),
        (np.array([3.0, 10.0]), ["3", "10"]),
        (np.array([3, 10], np.uint8), ["3", "10"]),
        (np.array([-1, 10**12]), ["-1", "1000000000000"]),
        (np.array(["x", "yyy"]), ["x", "yyy"]),
        (np.array(["x", 3], object), ["x", "3"]),
        ((True, False), ["True", "False"]),
        (["3", 3], ["3", "3"]),
        (["x ", "X"], ["x ", "X"]),
    ],
)
def test_labels_become_text(labels: object, expected: list[str]) -> None:
    scores = grouped(labels, labels)
    for kept in (scores.member_groups, scores.nonmember_groups):
        assert kept is not None
        assert kept.tolist() == expected
        assert set(map(type, kept.tolist())) == {str}
        with pytest.raises(ValueError, match="read-only"):
            kept[0] = "z"


def test_numbers_in_labels_sort_as_numbers() -> None:
    scores = grouped(["canary 10", "canary 9", "10", "9"], ["a", "B", "canary 1b", "09", "1", "01"])
    same, others = ("01", "1", "09", "9", "10"), ("B", "a", "canary 1b", "canary 9", "canary 10")
    assert scores.groups == same + others


def test_the_source_of_labels_stays_free() -> None:
    mine = np.array(["x", "y"])
    scores = grouped(mine, mine)
    mine[0] = "z"
    assert scores.groups == ("x", "y")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([None, "a"], "must be text or whole numbers, none missing, got None"),
        (["a", np.nan], "must be text or whole numbers, none missing, got nan"),
        (np.array([np.nan, 1.0]), "must be text or whole numbers, none missing, got nan"),
        ([0.5, 1], "must be text or whole numbers, none missing, got 0.5"),
        ([b"a", "b"], "must be text or whole numbers, none missing, got b'a'"),
        ([["a"], ["b"]], r"must be one-dimensional, of shape \(n,\), got \(2, 1\)"),
        ("ab", r"must be one-dimensional, of shape \(n,\), got \(\)"),
        (["a", ""], "must be labels of at least one character, got ''"),
        (np.array(["a", ""]), "must be labels of at least one character, got ''"),
        (np.array([1, 2], "M8[ns]"), r"must be text or whole numbers, got 'datetime64\[ns\]'"),
        (
            np.ma.masked_array(["a", "b"], [False, True]),
            r"must have no masked values, got 1 among 2 values; .* removes the masked values",
        ),
        (["a"], "must be 2 labels, one per score, got 1"),
        (["a", "b", "c"], "must be 2 labels, one per score, got 3"),
    ],
)
@pytest.mark.parametrize("broken", ["member", "nonmember"])
def test_refused_labels_name_their_class(broken: str, labels: object, message: str) -> None:
    arguments = {"member_groups": ["a", "b"], "nonmember_groups": ["a", "b"]}
    arguments[f"{broken}_groups"] = labels  # type: ignore[assignment]
    for build in (AttackScores, AttackScores.from_losses):
        with pytest.raises(ValueError, match=f"^{broken}_groups {message}$"):
            build(member=[1.0, 2.0], nonmember=[0.0, 3.0], **arguments)


@pytest.mark.parametrize("name", ["member_groups", "nonmember_groups"])
def test_labels_of_one_class_alone_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be given together"):
        AttackScores(member=[1.0], nonmember=[0.0], **{name: ["a"]})


def test_a_group_without_a_class_and_an_unknown_one_are_refused() -> None:
    scores = grouped(["a", "b"], ["a", "a", "a"])
    said = "group 'b' must have members and non-members, got 1 members and 0 non-members"
    with pytest.raises(ValueError, match=said):
        scores.group("b")
    for label in ("c", 3):
        with pytest.raises(ValueError, match=f"label must be one of the 2 groups, got {label!r}"):
            scores.group(label)
    with pytest.raises(ValueError, match="label must be one of the 0 groups, got 'a'"):
        AttackScores(member=[1.0], nonmember=[0.0]).group("a")


def test_reversed_scores_keep_their_groups() -> None:
    given = AttackScores(
        member=[0.1, 0.9], nonmember=[0.4], member_groups=["a", "b"], nonmember_groups=["a"]
    )
    turned = given.reversed()
    assert turned.kind == "loss"
    assert turned.member.tolist() == [-0.1, -0.9]
    groups = (turned.member_groups, turned.nonmember_groups)
    assert [None if each is None else list(each) for each in groups] == [["a", "b"], ["a"]]


def ranked_ends(kind: str = "loss") -> tuple[AttackScores, AttackScores]:
    """Scores with infinite ones, and scores of the same ranks with finite ends."""
    rng = np.random.default_rng(7)
    member, nonmember = rng.normal(0.8, 1, 300), rng.normal(0, 1, 200)
    member[:40], nonmember[:6] = np.inf, np.inf  # more than half of the highest are members
    member[40:45], nonmember[6:30] = -np.inf, -np.inf
    sides = (member, nonmember), (np.clip(member, -99, 99), np.clip(nonmember, -99, 99))
    of_sides = [AttackScores(*side).shown_as(kind) for side in sides]
    return of_sides[0], of_sides[1]


@pytest.mark.parametrize("binned", [False, True])
def test_infinite_scores_are_the_ends_of_the_ranking(binned: bool) -> None:
    """All that depends on ranks is that of scores with the same ranks and finite ends."""
    pair = [BinnedScores.of(each, bits=32) if binned else each for each in ranked_ends()]
    infinite, finite = pair
    assert (infinite.n_infinite, finite.n_infinite) == (75, 0)
    for ranked in (
        lambda scores: audit.auc(scores),
        lambda scores: audit.lower_bound(scores, delta=1e-5).low,
        lambda scores: audit.epsilon_star(scores, delta=1e-5).value,
        lambda scores: (
            audit.null_distribution(scores, delta=1e-5, n_resamples=49).simulated["auc"].tolist()
        ),
        lambda scores: audit.curve_band(audit.AttackCurve.from_scores(scores)).fnr_high.tolist(),
        lambda scores: audit.claim_test(scores, theory.GaussianDP(mu=0.5)).p_value,
    ):
        assert ranked(infinite) == ranked(finite)
    one, other = (audit.AttackCurve.from_scores(each) for each in pair)
    assert one.false_positives.tolist() == other.false_positives.tolist()
    assert one.true_positives.tolist() == other.true_positives.tolist()
    # The first threshold flags nobody, the second one the scores of infinity.
    assert one.thresholds[[0, 1, -1]].tolist() == [np.inf, np.inf, -np.inf]
    assert (one.at_threshold(np.inf).true_positives, one.at_threshold(99).true_positives) == (
        40,
        40,
    )
    assert infinite.count_at_least(np.inf) == (40, 6)


def test_attacks_with_infinite_scores_are_compared_by_rank() -> None:
    """A threshold that flags nobody does not flag the members of infinite score."""
    infinite, finite = ranked_ends()
    for fpr in (0.001, 0.01, 0.2):
        one = tpr_difference(infinite, infinite.reversed(), fpr, paired=True)
        other = tpr_difference(finite, finite.reversed(), fpr, paired=True)
        assert (one.value, one.low, one.high) == (other.value, other.low, other.high)


def test_nothing_is_fitted_to_infinite_losses_and_that_is_said() -> None:
    infinite, _ = ranked_ends()
    star = audit.epsilon_star(infinite, delta=1e-5, method="normal", clip=0.001)
    assert star.value == audit.epsilon_star(infinite, delta=1e-5).value
    assert star.notes == (
        "75 losses are infinite (a logit_clip makes them finite): counted, not fitted",
    )
    with pytest.raises(ValueError, match="scores must be finite for a fit: 75 losses are infin"):
        audit.goodness_of_fit(infinite)
    with pytest.raises(
        ValueError, match=r"losses must be finite: 1 loss is infinite \(a logit_clip"
    ):
        transform_losses(member=[np.inf], nonmember=[0.0])
