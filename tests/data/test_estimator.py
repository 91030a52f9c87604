"""Scores of a trained classifier: closed forms, labels, saturation, and what is refused."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import dpviz
from dpviz import AttackScores
from dpviz.data import scores_from_estimator


class Table:
    """A "classifier" whose records are its predictions."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)

    def predict_proba(self, records: Any) -> Any:
        return records


ROWS = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
KNOWN = Table(classes_=np.array(["cat", "dog"]))


def test_losses_are_minus_logits_of_the_true_class_in_order() -> None:
    scores = scores_from_estimator(KNOWN, ROWS, ["cat", "cat", "dog"], ROWS[:2], ["dog", "dog"])
    assert -scores.member == pytest.approx([-math.log(3), math.log(3), 0])
    assert -scores.nonmember == pytest.approx([math.log(3), -math.log(3)])
    assert scores.kind == "loss"
    assert scores.provenance == dpviz.audit.scores.base.Provenance(
        source="Table",
        loader="scores_from_estimator",
        understood="losses -logit(p) of the true class, from predict_proba",
        n_rows=5,
    )
    assert dpviz.analyze(scores, epsilon=1.0).sentences["region"]


@pytest.mark.parametrize(
    ("classes", "labels"),
    [
        ([1, 2], [1, 1, 2]),
        ([1, 2], [1.0, 1.0, 2.0]),
        ([1, 2], pd.Series([1, 1, 2], index=[5, 3, 1], dtype="Int64")),
        ([False, True], [0, 0, 1]),
        ([False, True], np.array([False, False, True])),
        (["cat", "dog"], pd.Categorical(["cat", "cat", "dog"])),
        (["cat", "dog"], pd.Series(["cat", "cat", "dog"], dtype="string")),
        (np.array([1, "dog"], dtype=object), [1, 1, "dog"]),
    ],
)
def test_labels_find_their_column(classes: object, labels: object) -> None:
    scores = scores_from_estimator(Table(classes_=classes), ROWS, labels, ROWS, labels)
    assert -scores.member == pytest.approx([-math.log(3), math.log(3), 0])


def test_without_classes_labels_are_columns() -> None:
    scores = scores_from_estimator(Table(), ROWS, [0, 0, 1], ROWS[:1], [1])
    assert -scores.member == pytest.approx([-math.log(3), math.log(3), 0])
    assert -scores.nonmember == pytest.approx([math.log(3)])


def test_a_pipeline_on_a_data_frame() -> None:
    rng = np.random.default_rng(0)
    records = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    labels = pd.Series(np.where(records["a"] + rng.normal(size=400) > 0, "yes", "no"))
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(records[:200], labels[:200])
    scores = scores_from_estimator(model, records[:200], labels[:200], records[200:], labels[200:])
    # Of a logistic regression the decision function is the logit of the second class, "yes".
    logits = model.decision_function(records) * np.where(labels == "yes", 1, -1)
    np.testing.assert_allclose(scores.member, logits[:200], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(scores.nonmember, logits[200:], rtol=1e-12, atol=1e-12)
    assert scores.provenance is not None
    assert scores.provenance.source == "Pipeline"


CERTAIN = np.array([[1.0, 0.0], [0.0, 1.0], [0.75, 0.25]])


def test_certainty_is_an_end_of_the_ranking() -> None:
    """Right and sure is the most member-like loss, wrong and sure the least; NaN is refused."""
    scores = scores_from_estimator(Table(), CERTAIN, [0, 0, 0], CERTAIN[1:], [0, 0])
    assert -scores.member == pytest.approx([-math.inf, math.inf, -math.log(3)])
    assert -scores.nonmember == pytest.approx([math.inf, -math.log(3)])
    assert "3 of 5 losses are infinite: tied at the ends" in str(scores)


MODELS = [
    RandomForestClassifier(20, random_state=0),
    KNeighborsClassifier(),
    GaussianNB(),
    DecisionTreeClassifier(random_state=0),
    LogisticRegression(C=1e9, max_iter=5000),
    SGDClassifier(random_state=0),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: type(model).__name__)
def test_every_classifier_gives_a_bound_at_the_first_call(model: Any) -> None:
    """The bound is that of the same ranks with ends that are finite."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(600, 4))
    y = (x[:, 0] + rng.normal(size=600) > 0).astype(int)
    model.fit(x[:300], y[:300])
    scores = scores_from_estimator(model, x[:300], y[:300], x[300:], y[300:])
    finite = [np.clip(values, -1e9, 1e9) for values in (scores.member, scores.nonmember)]
    of_finite = dpviz.audit.lower_bound(AttackScores(*finite), delta=1e-5)
    result = dpviz.analyze(scores, epsilon=1.0, delta=1e-5)
    assert result.sample is not None
    assert result.sample.audit is not None
    assert result.sample.audit.bound.low == of_finite.low


def test_what_logit_clip_moves_is_counted() -> None:
    moved = "logit_clip=0.01 moved 2 of 3 members and 1 of 2 non-members"
    with pytest.warns(UserWarning, match=moved) as warned:
        scores = scores_from_estimator(
            Table(), CERTAIN, [0, 0, 0], CERTAIN[1:], [0, 0], logit_clip=0.01
        )
    assert [warning.filename for warning in warned] == [__file__]
    assert -scores.member == pytest.approx([-math.log(99), math.log(99), -math.log(3)])
    assert -scores.nonmember == pytest.approx([math.log(99), -math.log(3)])
    assert scores.provenance is not None
    assert scores.provenance.understood.endswith(moved)
    silent = scores_from_estimator(Table(), ROWS, [0, 0, 0], ROWS, [0, 0, 0], logit_clip=0.01)
    assert -silent.member == pytest.approx([-math.log(3), math.log(3), 0])


REFUSED = [
    (Table(), ROWS, [0, 1, 2], r"y_nonmembers, row 2, must be .* knows \(0, 1\), got 2"),
    (Table(), ROWS, [0, 0.5, 1], r"y_nonmembers, row 1, .*got 0.5"),
    (Table(), ROWS, [0, math.nan, 1], r"y_nonmembers, row 1, .*got nan"),
    (Table(), ROWS, ["0", 1, 0], r"y_nonmembers, row 0, .*got '0'"),
    (Table(), ROWS, [0, 1], "y_nonmembers must be 3 labels, one per row of X_nonmembers, got 2"),
    (
        Table(),
        np.array([0, 1]),
        ROWS[:2],
        "X_nonmembers, y_nonmembers must be .* in reversed order",
    ),
    (
        Table(),
        ROWS,
        [[0], [1], [0]],
        r"y_nonmembers must be one-dimensional, of shape \(n,\), got \(3, 1\)",
    ),
    (
        Table(),
        [ROWS, ROWS],
        [0, 1, 0],
        r"X_nonmembers\) must be one array, got 2 arrays for several outputs",
    ),
    (Table(), ROWS[:, :1], [0, 0, 0], r"predict_proba\(X_nonmembers\) must be .*got \(3, 1\)"),
    (Table(), ROWS[:, 0], [0, 0, 0], r"predict_proba\(X_nonmembers\) must be .*got \(3,\)"),
    (Table(), ROWS * 0.9, [0, 0, 0], r"predict_proba\(X_nonmembers\): probabilities, row 0, .*0.9"),
    (Table(), ROWS * math.nan, [0, 0, 0], r"predict_proba\(X_nonmembers\): .*got nan"),
    (Table(), ROWS[:0], [], "nonmember losses must not be empty"),
]


@pytest.mark.parametrize(("estimator", "rows", "labels", "message"), REFUSED)
def test_what_is_refused_is_named(estimator: Any, rows: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        scores_from_estimator(estimator, ROWS[:1], [0], rows, labels)


def test_columns_and_classes_must_be_as_many() -> None:
    wrong = Table(classes_=[0, 1, 2])
    with pytest.raises(ValueError, match=r"X_members\) must be .* 3 classes .*got \(3, 2\)"):
        scores_from_estimator(wrong, ROWS, [0, 1, 0], ROWS, [0, 1, 0])


def test_a_long_list_of_classes_is_shortened() -> None:
    many = Table(classes_=list(range(20)))
    rows = np.full((1, 20), 0.05)
    with pytest.raises(ValueError, match=r"row 0, .* 7, 8, 9, \.\.\.\), got 20"):
        scores_from_estimator(many, rows, [20], rows, [0])


@pytest.mark.parametrize(
    "estimator", [SimpleNamespace(predict=len), SimpleNamespace(decision_function=len), 7]
)
def test_without_numbers_for_each_class(estimator: object) -> None:
    message = "estimator must have predict_proba, or .*pass losses that you compute to Attack.*$"
    with pytest.raises(TypeError, match=message):
        scores_from_estimator(estimator, ROWS, [0, 1, 0], ROWS, [0, 1, 0])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_without_probabilities_the_loss_is_minus_the_margin(n_classes: int) -> None:
    """Crammer and Singer's margin: the true class's decision minus the largest other one."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.digitize(x[:, 0], [-0.4, 0.4][: n_classes - 1])
    model = make_pipeline(StandardScaler(), LinearSVC()).fit(x, y)
    decisions = model.decision_function(x)
    if n_classes == 2:
        margins = np.where(y == 1, decisions, -decisions)
    else:
        margins = np.array([d[c] - max(np.delete(d, c)) for d, c in zip(decisions, y, strict=True)])
    scores = scores_from_estimator(model, x[:40], y[:40], x[40:], y[40:])
    assert scores.member.tolist() == margins[:40].tolist()
    assert scores.nonmember.tolist() == margins[40:].tolist()
    assert scores.provenance is not None
    assert scores.provenance.understood.endswith(
        "-margin of the true class, from decision_function"
    )
    with pytest.raises(
        ValueError, match="logit_clip must be left out if estimator has no predict_proba"
    ):
        scores_from_estimator(model, x, y, x, y, logit_clip=0.1)


def test_decisions_between_pairs_of_classes_are_no_margins() -> None:
    """An SVC that compares pairs has three columns for three classes, which are pairs."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    y = np.digitize(x[:, 0], [-0.4, 0.4])
    model = make_pipeline(SVC(decision_function_shape="ovo")).fit(x, y)
    with pytest.raises(TypeError, match="a decision_function with a column per class, got a Pipe"):
        scores_from_estimator(model, x, y, x, y)
    both = np.flatnonzero(y < 2)
    model.fit(x[both], y[both])
    scores = scores_from_estimator(model, x[both], y[both], x[both], y[both])
    assert scores.member.tolist() == scores.nonmember.tolist()


def test_an_error_of_the_estimator_is_one_line() -> None:
    class Broken:
        def predict_proba(self, records: Any) -> Any:
            raise RuntimeError("line one\nline two")

    with pytest.raises(ValueError, match=r"^predict_proba\(X_members\) failed: line one line two$"):
        scores_from_estimator(Broken(), ROWS, [0, 1, 0], ROWS, [0, 1, 0])
