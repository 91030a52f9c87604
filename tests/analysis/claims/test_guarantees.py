"""Any registered guarantee can be the claim: numbers, sentences and the epsilon it implies."""

from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, Spec, analyze
from dpviz.theory import (
    MECHANISMS,
    GaussianDP,
    LaplaceMechanism,
    SubsampledGaussian,
    TradeoffFunction,
)
from tests.laws.examples import EXAMPLES
from tests.slow import parametrize

SCORES = AttackScores.from_losses(member=[0.1, 0.3, 0.9, 1.0], nonmember=[0.2, 0.8, 1.1, 2.0, 3.0])


@parametrize("scores", [None, SCORES], slow_but=[SCORES], ids=["claim alone", "with scores"])
@pytest.mark.parametrize(
    "claim",
    [pytest.param(kind(**EXAMPLES[key][-1]), id=key) for key, kind in MECHANISMS.items()],
)
def test_every_guarantee_gives_a_picture_and_sentences(
    claim: TradeoffFunction, scores: Any
) -> None:
    result = analyze(scores, claim=claim, fpr=0.1)
    compared = "replace_one" if scores else claim.adjacency  # alone, a claim stands as it is
    assert result.claim.claim.adjacency == compared
    assert np.all(np.isfinite(result.claim.curve))
    assert np.all(np.isfinite(result.risk.ppv))
    for sentence in result.sentences.values():
        assert "nan" not in sentence
    assert result.claim.converted == (claim.adjacency != compared)
    told = "converted to replace-one" in result.sentences["tradeoff"]
    assert told == result.claim.converted


def test_the_error_of_a_computed_curve_is_said() -> None:
    claim = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.05, steps=50)
    assert "nowhere above the exact curve" in analyze(claim=claim).sentences["tradeoff"]
    assert "computed" not in analyze(claim=GaussianDP(mu=1.0)).sentences["tradeoff"]


def test_a_ppv_without_bound_says_so() -> None:
    warned = "PPV limit rises to 100 %"
    assert warned in analyze(claim=GaussianDP(mu=0.1)).sentences["risk"]
    assert warned not in analyze(claim=LaplaceMechanism(epsilon=3.0)).sentences["risk"]


def test_an_implied_epsilon_can_be_handed_back_but_not_changed() -> None:
    spec = Spec.of(claim=GaussianDP(mu=1.0))
    assert not spec.can_change("epsilon")
    assert spec.changed(epsilon=spec.epsilon) == spec
    with pytest.raises(
        ValueError, match=r"epsilon must be left out for GaussianDP\(mu=1.0\), .*, got 2"
    ):
        spec.changed(epsilon=2.0)
    editable = Spec.of(claim=LaplaceMechanism(epsilon=1.0))
    assert editable.can_change("epsilon")
    assert editable.changed(epsilon=2.0).claim == LaplaceMechanism(epsilon=2.0)
