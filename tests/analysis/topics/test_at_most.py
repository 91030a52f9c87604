"""What is said of limits from above: never more than the limits, and about no other attack."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, audit
from dpviz.analysis.topics.answer import RULER, Answer, ruler_sentence
from dpviz.analysis.topics.at_most import limit_test_sentence
from dpviz.audit.upper_limits import LimitTest, UpperLimit
from dpviz.drawing.svg import SvgFrame

SILENT = "This says nothing about other attacks, nor about the mechanism."
RNG = np.random.default_rng(8)
SCORES = AttackScores(member=RNG.normal(0.3, 1, 80), nonmember=RNG.normal(0, 1, 90))


def test_the_sentences_have_the_limits_rounded_up() -> None:
    said = dpviz.analyze(SCORES, epsilon=1.0, delta=1e-5).sentences
    found = audit.at_most(SCORES)
    assert said["at_most"].endswith(SILENT)
    shown = float(re.search(r"accuracy is at most ([\d.]+) %", said["at_most"])[1]) / 100
    assert found.accuracy.high <= shown < found.accuracy.high + 0.002
    others = {"advantage": found.advantage, "AUC": found.auc}
    for name, limit in others.items():
        shown = float(re.search(rf"{name} (is )?at most ([\d.]+)", said["at_most_others"])[2])
        assert limit.high <= shown < limit.high + 0.002
    least = float(re.search(r"only for δ above ([\d.]+)\.", said["at_most_others"])[1])
    assert found.finite_from <= least < found.finite_from + 0.002


def test_an_epsilon_with_a_finite_limit_is_on_the_ruler() -> None:
    leak = AttackScores(member=RNG.normal(1.0, 1, 80), nonmember=RNG.normal(0, 1, 90))
    result = dpviz.analyze(leak, epsilon=1.0, delta=0.3)
    limit = audit.at_most(leak, delta=0.3).epsilon.high
    assert 0 < result.answer.at_most == limit < np.inf
    shown = re.search(r"this attack reaches at most ([\d.]+)\.", ruler_sentence(result))[1]
    assert limit <= float(shown) < limit + 0.01
    assert f"this attack ≤ {shown}<" in result.svg("ruler")
    assert dpviz.analyze(SCORES, epsilon=1.0, delta=1e-5).answer.at_most is None


@pytest.mark.parametrize("at_most", [3.0, 5.5, 6.6])
def test_the_bracket_reaches_from_the_end_of_the_ruler_to_the_limit(at_most: float) -> None:
    found = {"certified": 2.7, "chance": 2.0, "estimate": 4.6, "ceiling": 6.4}
    answer = Answer(state="contradicted", delta=0.1, claimed=1.0, at_most=at_most, **found)
    frame, layers = SvgFrame(RULER), RULER.layers()
    frame.add_layers(layers)
    for layer in layers:
        layer.draw(SimpleNamespace(answer=answer))
    texts = [each.label.text for each, _ in frame.placed_labels()]
    assert f"this attack ≤ {at_most:g}" in texts
    assert len(texts) == 6


def test_scores_of_one_training_run_have_no_limit() -> None:
    result = dpviz.analyze(SCORES, epsilon=1.0, delta=0.0, sampling="fixed_split")
    assert result.sample.audit.at_most is None
    assert "depend on each other" in result.sentences["at_most"]
    assert result.sentences["at_most_others"] == ""


def made(outcome: Any, **changes: Any) -> str:
    numbers: dict[str, Any] = {
        "limit": UpperLimit(high=0.5204, measured=0.51, confidence_level=0.95, method=""),
        **{
            "quantity": "accuracy",
            "target": 0.525,
            "prior": 0.5,
            "fpr": 0.01,
            "usual": None,
            "at_least": 0.5,
        },
        **{"n_members": 60, "n_nonmembers": 60},
    }
    return limit_test_sentence(LimitTest(outcome=outcome, **{**numbers, **changes}))


def test_each_outcome_is_one_sentence_with_the_caution() -> None:
    high = UpperLimit(high=0.6611, measured=0.6, confidence_level=0.95, method="")
    assert made("shown") == (
        "Shown: accuracy at most 52.5 %. If half of the records are members, this attack's "
        f"accuracy is at most 52.1 % (95 % confidence). {SILENT}"
    )
    assert made("not shown", limit=high) == (
        "Not shown: accuracy at most 52.5 %. If half of the records are members, this attack's "
        f"accuracy is at most 66.2 % (95 % confidence). {SILENT}"
    )
    assert made("contradicted", limit=high, at_least=0.5313) == (
        "Contradicted: accuracy at most 52.5 %. If half of the records are members, this attack's "
        f"accuracy is at least 53.1 % (95 % confidence). {SILENT}"
    )
    assert made("cannot decide", limit=high, usual=0.57) == (
        "Not shown: accuracy at most 52.5 %. If half of the records are members, this attack's "
        "accuracy is at most 66.2 % (95 % confidence). These records are too few: even an attack "
        f"that knows nothing has a limit above 57 % in half of all samples. {SILENT}"
    )
    assert "52.5 %. This attack's TPR at FPR 1 % is at most" in made("shown", quantity="tpr")
    assert "If 20 % of the records are members, this" in made("shown", prior=0.2)
