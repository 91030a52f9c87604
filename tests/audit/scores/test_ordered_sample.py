"""Records one by one and values counted, against sorted lists."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpviz.audit.scores.base import CountedSample, OrderedSample, SortedSample

numbers = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=30)


def counted(values: list[float]) -> CountedSample:
    return CountedSample(*np.unique(values, return_counts=True))


def records(values: list[float]) -> SortedSample:
    return SortedSample(np.sort(values))


def listed(sample: OrderedSample) -> list[float]:
    return np.repeat(sample.values, sample.counts.astype(np.intp)).tolist()


@pytest.mark.parametrize("make", [records, counted])
@given(values=numbers, places=st.lists(st.integers(-6, 6).map(float), min_size=1))
def test_counts_ranks_and_moments(
    make: Callable[[list[float]], OrderedSample], values: list[float], places: list[float]
) -> None:
    sample, ordered = make(values), sorted(values)
    assert sample.size == len(values)
    assert listed(sample) == ordered
    assert (sample.smallest, sample.largest) == (ordered[0], ordered[-1])
    assert sample.below(places).tolist() == [sum(x < p for x in values) for p in places]
    assert sample.upto(places).tolist() == [sum(x <= p for x in values) for p in places]
    assert sample.at_least(places).tolist() == [sum(x >= p for x in values) for p in places]
    assert sample.at(np.arange(len(values))).tolist() == ordered
    assert sample.total((sample.values * 2).astype(np.int64)) == sum(int(2 * x) for x in values)
    np.testing.assert_allclose(sample.moments, (np.mean(values), np.std(values)), atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("make", [records, counted])
@given(values=numbers, data=st.data())
def test_what_is_made_of_a_sample(
    make: Callable[[list[float]], OrderedSample], values: list[float], data: st.DataObject
) -> None:
    sample, ordered = make(values), sorted(values)
    assert listed(sample.negated()) == sorted(-x for x in values)
    assert listed(sample.mapped(lambda x: x // 2)) == [x // 2 for x in ordered]
    ranks = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True))
    left = [x for i, x in enumerate(ordered) if i not in ranks]
    assert listed(sample.without(np.array(ranks, np.int64))) == left


@pytest.mark.parametrize("make", [records, counted])
def test_a_bootstrap_draw_is_multinomial(make: Callable[[list[float]], OrderedSample]) -> None:
    sample, rng = make([1.0, 2.0, 2.0, 2.0]), np.random.default_rng(1)
    ones = np.array([sample.drawn(rng)[0] for _ in range(4000)])
    # Binomial(4, 1/4): mean 1, variance 3/4.
    assert ones.mean() == pytest.approx(1, abs=4 * np.sqrt(0.75 / 4000))
    assert ones.var() == pytest.approx(0.75, abs=0.1)


def test_values_of_a_counted_sample_are_mapped() -> None:
    mapped = CountedSample(np.array([1.0, 2.0]), np.array([3, 1])).mapped(lambda x: 10 * x)
    assert (mapped.values.tolist(), mapped.counts.tolist()) == ([10.0, 20.0], [3, 1])


def test_totals_of_whole_numbers_are_exact_however_many() -> None:
    sample = CountedSample(np.array([0.0, 1.0]), np.array([1, 2**40]))
    assert sample.total(np.array([0, 2**40])) == 2**80
