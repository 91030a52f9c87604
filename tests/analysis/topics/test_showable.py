"""What so many records can show: by simulation of useless attacks, and a perfect attack."""

import numpy as np
import pytest

import dpviz
from dpviz import audit
from dpviz.analysis.topics import showable
from dpviz.analysis.topics.registry import TABLES
from dpviz.analysis.topics.showable import ShowableQuestion, showable_part


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showable, "SIZES", (10, 40))


def test_a_useless_attack_shows_its_limit_with_the_probability(few: None) -> None:
    part = showable_part(ShowableQuestion(power=0.5))
    rng, runs = np.random.default_rng(3), 200
    limits = [audit.at_most(tuple(rng.random((2, 40)))).accuracy.high for _ in range(runs)]
    # Three standard errors of a median: 3 / (2 sqrt(200)) of the probability on either side.
    low, high = np.quantile(limits, [0.39, 0.61])
    assert low < part.at_most[1] < high


def test_a_perfect_attack_shows_its_limit(few: None) -> None:
    part = showable_part(ShowableQuestion())
    for n, least in zip((10, 40), part.at_least, strict=True):
        perfect = np.zeros(n), np.ones(n)
        assert least == (1 + audit.advantage(perfect).low) / 2 > 0.5


def test_sentences_and_table_have_both_sides(few: None) -> None:
    part = showable_part(ShowableQuestion(confidence_level=0.9))
    result = dpviz.analyze(epsilon=1.0).with_answer("showable", part)
    assert "With 40 members and 40 non-members" in result.sentences["showable_lead"]
    assert "90 % confidence" in result.sentences["showable"]
    assert "says nothing about other attacks" in result.sentences["showable"]
    assert len(result.sentences["showable_lead"].split()) <= 25
    assert [row[0] for row in TABLES["showable"](result).rows] == ["10", "40"]


@pytest.mark.parametrize("power", [0.0, 1.0, 2.0])
def test_power_out_of_range(power: float) -> None:
    with pytest.raises(ValueError, match="power must be"):
        ShowableQuestion(power=power)
