"""Where nothing is claimed, no picture and no sentence speaks of a claim."""

import re

import pytest

import dpviz
from dpviz import theory
from dpviz.analysis.topics.registry import SCENES, SENTENCES
from dpviz.drawing.svg import SvgFrame
from dpviz.pictures.page import saved_page_html

LOSSES = ([0.1, 0.4, 0.2, 0.3, 0.15], [0.9, 0.8, 0.25, 0.7, 1.0])
OF_A_CLAIM = re.compile(r"the claim|claimed ε|requires|under this|∞|\binf\b")
PICTURES = ("region", "tradeoff", "roc", "tail", "profile", "people", "population", "risk")
NONE = [theory.ApproximateDP(epsilon=float("inf"), delta=1e-5), theory.TotalVariation(delta=1.0)]


def labels(name: str, result: dpviz.analysis.Result) -> list[str]:
    frame = SvgFrame(SCENES[name], show_extra=True)
    frame.draw_layers(SCENES[name].layers(), result)
    return [label.label.text for label in frame.labels()]


@pytest.mark.parametrize("scores", [None, LOSSES], ids=["no scores", "scores"])
@pytest.mark.parametrize("claim", NONE, ids=["infinite", "delta 1"])
def test_nothing_is_said_of_a_claim(claim: theory.TradeoffFunction, scores: object) -> None:
    result = dpviz.analyze(scores, claim=claim)
    claimed = dpviz.analyze(scores, epsilon=1.0)
    assert claimed.is_claimed
    assert not result.is_claimed
    leads = 0
    for name, each in SENTENCES.items():
        if each.about_claim and name in result.sentences:
            assert not OF_A_CLAIM.search(result.sentences[name]), name
            leads += bool(each.lead and result.sentences[name])
    assert leads >= 8  # a picture still has its sentence
    for name in PICTURES:
        title = SCENES[name].title_of(result)
        found = [text for text in (title, *labels(name, result)) if OF_A_CLAIM.search(text)]
        assert found == ([] if title != "What does the claim allow?" else [title]), name
    assert any(OF_A_CLAIM.search(text) for text in labels("region", claimed))
    footer = saved_page_html(result, []).partition("<footer>")[2]
    assert "Nothing is claimed. Saved at " in footer
    assert "ε = " not in footer
