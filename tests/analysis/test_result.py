"""A result at hand: its outcome, bound and p-value; what a prompt, a notebook and data show."""

import json
import math
import pickle
import re
from base64 import b64decode
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, Result, Spec, audit, theory
from dpviz.analysis.topics.registry import SCENES
from tests.pictures.reading import assert_sound, parse, texts
from tests.test_value_object import LINES, lines_on_a_terminal

EVIL = "<script>alert(1)</script>&"


@pytest.fixture(scope="module")
def scores() -> dpviz.AttackScores:
    rng = np.random.default_rng(3)
    losses = {"member": rng.normal(0, 1, 80), "nonmember": rng.normal(2, 1, 80)}
    return dpviz.AttackScores.from_losses(**losses)


@pytest.fixture(scope="module")
def result(scores: dpviz.AttackScores) -> Result:
    return dpviz.analyze(scores, epsilon=0.5, delta=1e-5)


def test_the_numbers_at_hand_are_those_of_the_audit(
    scores: dpviz.AttackScores, result: Result
) -> None:
    assert result.lower_bound == audit.lower_bound(scores, delta=1e-5)
    assert (result.outcome, result.p_value) == ("contradicted", None)
    claim = theory.GaussianDP(mu=0.1)
    of_gaussian, test = dpviz.analyze(scores, claim=claim), audit.claim_test(scores, claim)
    assert (of_gaussian.outcome, of_gaussian.p_value) == (test.outcome, test.p_value)
    assert of_gaussian.p_value is not None
    assert dpviz.analyze(scores, epsilon=2.4, delta=1e-5).outcome == "not contradicted"
    # Whatever so few records show, it is less than 8.
    assert dpviz.analyze(scores, epsilon=8.0, delta=1e-5).outcome == "cannot decide"


def test_what_was_not_tested_has_no_outcome(scores: dpviz.AttackScores) -> None:
    assert dpviz.analyze(scores, epsilon=math.inf, delta=1e-5).outcome == "no claim"
    promise = dpviz.analyze(epsilon=1.0, delta=1e-5)
    assert (promise.outcome, promise.lower_bound, promise.p_value) == (None, None, None)
    unfinished = dpviz.Analysis(scores).result(dpviz.Spec.of(epsilon=1.0))
    assert (unfinished.outcome, unfinished.lower_bound) == (None, None)


def test_a_result_prints_its_answer(result: Result) -> None:
    lines = repr(result).split("\n")
    assert str(result) == repr(result)
    assert lines_on_a_terminal(repr(result)) <= LINES
    assert lines[0] == f"Result: {result.sentences['answer']}"
    bound = result.lower_bound
    assert bound is not None
    assert "(95 % confidence, δ = 1e-5)" in lines[1]
    assert f"lower_bound.low={bound.low:.6g}" in lines[2]
    assert "outcome='contradicted'" in lines[2]
    assert "n_members=80, n_nonmembers=80" in lines[3]
    for part in (result.claim, result.sample, result.point, dpviz.analyze(epsilon=1.0)):
        assert lines_on_a_terminal(repr(part)) <= LINES


def test_a_result_equals_its_copy_after_its_texts_were_read(
    scores: dpviz.AttackScores, result: Result
) -> None:
    assert result.sentences["answer"]
    assert result.tables["rates"].rows
    other = pickle.loads(pickle.dumps(result))
    assert other == result
    assert hash(other) == hash(result)
    assert other.sentences["answer"] == result.sentences["answer"]
    assert dpviz.analyze(scores, epsilon=0.5, delta=1e-5) == result
    assert dpviz.analyze(scores, epsilon=0.6, delta=1e-5) != result


def test_a_result_as_data(result: Result) -> None:
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert (plain["outcome"], plain["claimed_epsilon"]) == ("contradicted", 0.5)
    assert plain["claim"] == "ApproximateDP(epsilon=0.5, delta=1e-05)"
    assert plain["answer"] == result.sentences["answer"]
    assert plain["lower_bound"]["confidence_level"] == 0.95
    assert (plain["n_members"], plain["n_nonmembers"], plain["kind"]) == (80, 80, "loss")
    frame = result.to_frame()
    assert frame.shape[0] == 1
    assert frame["lower_bound.low"].item() == plain["lower_bound"]["low"]
    promise = dpviz.analyze(epsilon=1.0).to_dict()
    assert (promise["outcome"], promise["lower_bound"], promise["auc"]) == (None, None, None)


class Elements(HTMLParser):
    """The elements, texts and attributes of a piece of HTML."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.words = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.words += data + " "


def test_a_notebook_shows_answer_ruler_and_numbers(result: Result) -> None:
    page = Elements(result._repr_html_())
    assert set(page.tags) == {"div", "p", "strong", "img", "table", "tr", "th", "td"}
    for name in ("answer", "answer_detail", "reading", "answer_limits"):
        assert result.sentences[name] in page.words
    assert "lower bound, 95 % confidence" in page.words
    assert "estimate, not a bound" in page.words
    assert not [name for name, _ in page.attributes if name in ("id", "style") or name[:2] == "on"]
    (image,) = re.findall('src="data:image/svg.xml;base64,([^"]+)"', result._repr_html_())
    root = assert_sound(b64decode(image).decode())
    assert any(text.startswith("certified ≥") for text in texts(root))


def test_texts_of_users_are_escaped(scores: dpviz.AttackScores) -> None:
    shown = dpviz.analyze(scores, epsilon=0.5, delta=1e-5, compare={EVIL: scores})._repr_html_()
    assert "<script" not in shown
    assert EVIL in Elements(shown).words + str(Elements(shown).attributes)


def test_pictures_by_name(result: Result) -> None:
    one, two = parse(result.svg("tradeoff")), parse(result.svg("region", "tradeoff"))
    assert [len(root.findall(".//*[@role='img']")) for root in (one, two)] == [1, 2]
    full = [name for name, scene in SCENES.items() if scene.needs in ("", "scores")]
    assert len(parse(result.svg()).findall(".//*[@role='img']")) == len(full)
    with pytest.raises(ValueError, match=r"name must be one of .*did you mean 'tradeoff'\?"):
        result.svg("trade-off")
    with pytest.raises(ValueError, match="got 'epsilon_star'; the result has no scores"):
        dpviz.analyze(epsilon=1.0).svg("epsilon_star")
    with pytest.raises(
        ValueError, match=r"the result has no answer 'plan', which .with_answer adds"
    ):
        result.svg("plan")


def test_a_result_without_scores_shows_the_claim() -> None:
    shown: Any = Elements(dpviz.analyze(epsilon=1.0)._repr_html_())
    assert "claimed" in shown.words
    assert "lower bound" not in shown.words


def test_log_odds_axes_show_one_false_positive_among_many() -> None:
    many = dpviz.AttackScores(member=np.arange(200.0), nonmember=np.arange(12_000.0))
    decades = Analysis(many).result(Spec()).odds_decades
    assert 10.0**-decades <= 1 / 11_999 < 10.0 ** (1 - decades)  # the odds of 1 of 12 000


def test_log_odds_axes_reach_the_selected_fpr() -> None:
    for fpr, decades in ((1e-2, 4), (1e-4, 4), (1e-5, 5), (1e-6, 6), (0.0, 6)):
        assert dpviz.analyze(epsilon=1.0, delta=1e-5, fpr=fpr).odds_decades == decades
