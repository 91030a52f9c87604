"""The view that compares ways of drawing batches."""

import pytest

from dpviz.analysis.topics.as_trained import TrainingQuestion, ways_of_training
from dpviz.theory import GaussianDP, PureDP, SubsampledGaussian
from dpviz.widgets import AsTrainedView
from tests.widgets.words import words

DP_SGD = SubsampledGaussian(noise_multiplier=0.5, sampling_rate=0.1, steps=10)


def test_an_attack_on_shuffled_batches_is_beside_the_claim() -> None:
    view = AsTrainedView(claim=DP_SGD, fpr=0.001)
    assert "Press “Compare”" in words(view)
    view.compute()
    rows = {row.way: row for row in view.answer.rows}
    # At worst one of the batches has the record, which is known: mu = 1 / 0.5.
    assert rows["shuffled"].tpr == pytest.approx(GaussianDP(mu=2.0).tpr(0.001), rel=1e-9)
    assert rows["poisson"].tpr < rows["attack"].tpr <= rows["shuffled"].tpr
    assert rows["sampled"].tpr == 1
    assert "an attack reaches" in words(view)
    assert "at least" in view.table.value
    assert view.table.value.count("attack") == 1


def test_ways_without_such_numbers_are_left_out() -> None:
    short = SubsampledGaussian(noise_multiplier=1.0, sampling_rate=0.1, steps=3)
    ways = [row.way for row in ways_of_training(TrainingQuestion(claim=short, fpr=0.01)).rows]
    assert ways == ["poisson", "random_allocation", "shuffled", "full_batch", "sampled"]
    replaced = short.with_parameters(adjacency="replace_one")
    part = ways_of_training(TrainingQuestion(claim=replaced, fpr=0.01))
    assert part.row("fixed_size") is not None


def test_other_claims_have_no_batches() -> None:
    view = AsTrainedView(claim=PureDP(epsilon=1.0))
    view.compute()
    assert "The claim is not about DP-SGD." in words(view)
    assert view.error == ""
