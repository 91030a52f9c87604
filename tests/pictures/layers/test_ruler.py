"""The ruler: every number at its place, no label on another, bounds rounded to the safe side."""

import math
import re

import numpy as np
import pytest

import dpviz
from dpviz import Result, pictures, read_sample, theory
from dpviz.analysis.topics.answer import Answer, Label, placed, reach, ruler
from tests.pictures.reading import parse, vertices

LETTER = 7.0  # pixels of a bold letter of 12 px, as measured in Chromium, on average


@pytest.fixture(scope="module")
def result() -> Result:
    return dpviz.analyze(read_sample("overfitted"), epsilon=1.0, delta=1e-5)


def boxes(labels: list[Label], width: float) -> list[tuple[int, float, float]]:
    """Row, left and right end of each label on an axis of this many pixels."""
    found = []
    for each in labels:
        x, long = each.share * width, 10 + LETTER * len(each.text)
        found.append((each.row, x - long, x) if each.to_the_left else (each.row, x, x + long))
    return found


@pytest.mark.parametrize("width", [284.0, 444.0, 700.0, 864.0])
def test_no_label_covers_another_or_leaves_the_picture(width: float) -> None:
    rng = np.random.default_rng(1)
    texts = [
        "claimed 1.25",
        "certified ≥ 2.71",
        "chance: up to 2.02",
        "Epsilon* ≈ 4.63",
        "ceiling 6",
    ]
    for _ in range(500):
        shares = rng.random(5) * rng.choice([1.0, 0.1])
        found = boxes(
            placed([Label(t, float(s)) for t, s in zip(texts, shares, strict=True)]), width
        )
        for i, (row, left, right) in enumerate(found):
            assert left >= -18
            assert right <= width + 18
            assert row <= 4
            assert all(row != r or right <= a or b <= left for r, a, b in found[:i])


def test_the_bar_ends_at_the_bound_and_the_tick_stands_at_the_claim(result: Result) -> None:
    root = parse(pictures.picture(result, "ruler"))
    bound = result.sample.audit.bound.low
    end = 1.08 * result.sample.audit.ceiling
    left, width = 18, 480 - 36
    bar = vertices(root, "ruler-ruler-1")
    assert bar[:, 0].max() == pytest.approx(left + width * bound / end, abs=0.01)
    claimed = vertices(root, "ruler-claimed_tick-0")
    assert claimed[:, 0] == pytest.approx([left + width / end] * 2, abs=0.01)
    text = pictures.picture(result, "ruler")
    shown = float(re.search(r"certified ≥ ([\d.]+)<", text)[1])
    assert bound - 0.01 < shown <= bound
    most = float(re.search(r"ceiling ([\d.]+)<", text)[1])
    assert result.answer.ceiling <= most < result.answer.ceiling + 0.01
    assert "Epsilon* ≈ 4.63<" in text


def test_the_level_of_chance_has_the_mark_of_the_number_that_chance_reaches(result: Result) -> None:
    """An open diamond, as Epsilon* has: it is no level of the bound."""
    root = parse(pictures.picture(result, "ruler"))
    stars = [each for each in root.iter() if each.get("d", "").endswith("z")]
    assert [each.get("fill") for each in stars] == ["none", "none"]
    assert stars[0].get("stroke") != stars[1].get("stroke")


def test_where_nothing_is_claimed_there_is_no_tick_of_a_claim() -> None:
    for scores, found in ((read_sample("overfitted"), "Epsilon* ≈ 4.63<"), (None, "ε at δ")):
        without = dpviz.analyze(scores, epsilon=math.inf)
        text = pictures.picture(without, "ruler")
        assert "claimed " not in text
        assert ruler(without).startswith("ε at δ = 1e-5: nothing claimed")
        assert found in text
    # At its delta of 0 the claim gives no finite epsilon; it is a claim all the same.
    gaussian = dpviz.analyze(claim=theory.GaussianDP(mu=1.0), delta=0.0)
    assert "claimed ∞" in pictures.picture(gaussian, "ruler")


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 40.0])
def test_any_claim_has_its_place(result: Result, epsilon: float) -> None:
    text = pictures.picture(dpviz.analyze(epsilon=epsilon), "ruler")
    assert "claimed" in text
    answer = Answer(state="promise", delta=0.0, claimed=epsilon, estimate=2.0)
    assert 2.0 < reach(answer) <= 8.7
