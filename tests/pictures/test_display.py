"""The display in scikit-learn's manner, beside scikit-learn's own ROC curve."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import TradeoffDisplay


@pytest.fixture
def pyplot() -> Iterator[Any]:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def test_predictions_as_scikit_learn_takes_them(pyplot: Any) -> None:
    rng = np.random.default_rng(2)
    y_true = rng.permutation([0, 1] * 100)
    y_score = rng.normal(y_true, 1).round(2)
    _, ax = pyplot.subplots()
    display = TradeoffDisplay.from_predictions(y_true, y_score, epsilon=1.0, delta=0.0, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    expected = dpviz.AttackScores(member=y_score[y_true == 1], nonmember=y_score[y_true == 0])
    assert display.result.lower_bound == dpviz.audit.lower_bound(expected, delta=0.0)
    metrics = pytest.importorskip("sklearn.metrics")
    assert display.result.sample is not None
    auc = display.result.sample.rates.auc.value
    assert auc == pytest.approx(metrics.roc_auc_score(y_true, y_score), rel=1e-12)
    words = np.where(y_true, "in", "out")
    named = TradeoffDisplay.from_predictions(words, y_score, pos_label="in", epsilon=1.0, delta=0.0)
    assert named.result == display.result


def test_without_a_claim_none_is_tested(pyplot: Any) -> None:
    display = TradeoffDisplay.from_predictions([1, 1, 0, 0], [3.0, 2.0, 1.0, 0.0])
    assert display.result.outcome == "no claim"
    assert not [text for text in display.ax_.texts if "limit of the claim" in text.get_text()]


class Even:
    """A classifier whose probability of class 1 is the record itself."""

    def predict_proba(self, x: np.ndarray) -> np.ndarray:
        return np.column_stack([1 - x, x])


def test_an_estimator_and_its_records(pyplot: Any) -> None:
    members, others = np.array([0.9, 0.8]), np.array([0.4, 0.3, 0.2])
    display = TradeoffDisplay.from_estimator(Even(), members, [1, 1], others, [1, 1, 1])
    assert display.result.sample is not None
    scores = display.result.sample.scores
    assert (scores.n_members, scores.n_nonmembers, scores.kind) == (2, 3, "loss")
    assert scores.members.largest == pytest.approx(math.log(0.9 / 0.1))


def test_labels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(
        ValueError, match=r"y_true must be of the shape of y_score, \(2,\), got \(3,\)"
    ):
        TradeoffDisplay.from_predictions([0, 1, 1], [0.1, 0.2])
    with pytest.raises(ValueError, match="pos_label must be given for labels other than 0 and 1"):
        TradeoffDisplay.from_predictions(["in", "out"], [0.1, 0.2])
    with pytest.raises(ValueError, match="member scores must not be empty"):
        TradeoffDisplay.from_predictions([0, 0], [0.1, 0.2])
    with pytest.raises(TypeError, match="result must be a Result, as analyze returns, got 1"):
        TradeoffDisplay(1)  # type: ignore[arg-type]
