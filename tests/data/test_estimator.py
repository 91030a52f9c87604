"""Scores of a trained classifier: closed forms, labels, saturation, and what is refused."""

import math
import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import dpviz
from dpviz import AttackScores, losses_from_logits
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


@pytest.mark.parametrize(("dtype", "suits"), [(np.float32, r"2\*\*-24"), (np.float64, r"2\*\*-53")])
def test_certainty_is_refused_with_its_remedy(dtype: type, suits: str) -> None:
    counts = "got 0 or 1 for 2 of 3 members and 1 of 2 non-members"
    certain = CERTAIN.astype(dtype)
    with pytest.raises(ValueError, match=rf"{counts}.*logit_clip={suits}"):
        scores_from_estimator(Table(), certain, [0, 0, 0], certain[1:], [0, 0])


def test_the_advised_clip_ties_no_more_than_it_must() -> None:
    """Two sure records, right and wrong, and two whose probabilities nearly saturate."""
    sure = np.array([[1.0, 0.0], [1e-40, 1.0], [0.0, 1.0], [0.5, 0.5]])
    with pytest.raises(ValueError, match=r"logit_clip=2\*\*-133 bounds them") as refused:
        scores_from_estimator(Table(), sure, [0] * 4, sure, [0] * 4)
    clip = 2.0 ** int(re.findall(r"2\*\*(-\d+)", str(refused.value))[0])
    assert clip <= 1e-40 < 2 * clip
    with pytest.warns(UserWarning, match="moved 2 of 4 members"):
        scores = scores_from_estimator(Table(), sure, [0] * 4, sure, [0] * 4, logit_clip=clip)
    assert np.unique(scores.member).size == 4


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
    (Table(), ROWS, [0, 1], "y_nonmembers must be one label per row of X_nonmembers, 3, got 2"),
    (Table(), ROWS, [[0], [1], [0]], r"y_nonmembers must be one-dimensional, got \(3, 1\)"),
    (
        Table(),
        [ROWS, ROWS],
        [0, 1, 0],
        r"X_nonmembers\) must be one array, got 2: .* several outputs",
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
    ("estimator", "there"),
    [
        (SimpleNamespace(predict=len), "a SimpleNamespace that has predict"),
        (SimpleNamespace(predict=len, decision_function=len), "predict and decision_function"),
        (7, "a int that has no other prediction either"),
    ],
)
def test_without_predict_proba(estimator: object, there: str) -> None:
    message = f"estimator must have a method predict_proba, got .*{there}"
    with pytest.raises(TypeError, match=message):
        scores_from_estimator(estimator, ROWS, [0, 1, 0], ROWS, [0, 1, 0])


def test_the_advice_without_predict_proba_works() -> None:
    """A linear classifier by squared loss has no probabilities."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = (x[:, 0] > 0).astype(int)
    model = RidgeClassifier().fit(x, y)
    with pytest.raises(TypeError, match=r"decision_function\(X\), become losses by losses_"):
        scores_from_estimator(model, x, y, x, y)
    numbers = model.decision_function(x)
    losses = losses_from_logits(numbers, y)
    scores = AttackScores.from_losses(member=losses[:20], nonmember=losses[20:])
    np.testing.assert_allclose(scores.member, (np.where(y == 1, 1, -1) * numbers)[:20])
