"""The fewest records with which an epsilon can be certified: by the bounds of perfect attacks."""

from math import inf

import pytest

from dpviz.audit import ceiling, fewest_records
from dpviz.audit.bounds import DEFAULT
from dpviz.audit.bounds import ceiling as fewest


@pytest.mark.parametrize(
    ("epsilon", "delta", "level", "ratio"),
    [
        (1.0, 0.0, 0.95, 3.0),
        (1.0, 0.0, 0.95, 1.5),
        (0.0, 0.0, 0.95, 1.0),
        (1.0, 1e-5, 0.95, 1.0),
        (0.5, 0.0, 0.8, 0.25),
        (0.2, 0.0, 0.9999, 3.0),
        (0.0, 0.0, 0.45, 1.0),  # one of each
        (0.3, 0.1, 0.6, 0.5),
    ],
)
def test_no_fewer_records_have_such_a_ceiling(
    epsilon: float, delta: float, level: float, ratio: float
) -> None:
    found = fewest_records(epsilon=epsilon, delta=delta, confidence_level=level, ratio=ratio)
    assert found is not None
    for larger in range(1, max(found) + 1):
        smaller = max(1, round(larger * min(ratio, 1 / ratio)))
        n, m = (larger, smaller) if ratio >= 1 else (smaller, larger)
        most = ceiling(
            n_members=n, n_nonmembers=m, delta=delta, confidence_level=level, method=DEFAULT
        )
        assert ((n, m) == found) == (most > 0 and most >= epsilon - 0.002)
    assert (n, m) == found


@pytest.mark.parametrize("ratio", [1.0, 0.4])
@pytest.mark.parametrize("one_by_one", [1, 2])
def test_the_search_by_halving_ends_at_the_same_sizes(
    ratio: float, one_by_one: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {"epsilon": 1.5, "delta": 0.0, "ratio": ratio}
    found = fewest_records(**given)
    assert found is not None
    monkeypatch.setattr(fewest, "ONE_BY_ONE", one_by_one)
    assert fewest_records(**given) == found
    monkeypatch.setattr(fewest, "LARGEST", max(found))
    assert fewest_records(**given) == found
    monkeypatch.setattr(fewest, "LARGEST", max(found) - 1)
    assert fewest_records(**given) is None


@pytest.mark.parametrize(
    # A perfect ranking is rare from 3 + 3 on: 1/2^6 < 1/20 < 1/2^4, and 0.6^6 < 1/20 < 0.6^4.
    "delta",
    [0.0, 0.2],
)
def test_sizes_are_tried_from_where_perfection_is_rare_in_turn_then_doubled_then_halved(
    delta: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def suffices(n: int, m: int, *_: float) -> bool:
        tried.append(n)
        return n >= 50

    monkeypatch.setattr(fewest, "suffice", suffices)
    monkeypatch.setattr(fewest, "ONE_BY_ONE", 3)
    assert fewest_records(delta=delta) == (50, 50)
    assert tried == [3, 4, 5, 10, 20, 40, 80, 60, 50, 45, 47, 48, 49]


def test_by_default_anything_is_to_be_certified_of_classes_of_one_size() -> None:
    assert fewest_records(delta=0.1) == fewest_records(epsilon=0, delta=0.1, ratio=1)
    assert fewest_records(delta=0, epsilon=2) == fewest_records(epsilon=2, delta=0, ratio=1)


def test_more_records_certify_no_less() -> None:
    # With the cut-offs 8 and 5 alone, 12 members and 4 non-members certified less than 11 and 4.
    sizes = [(n, max(1, round(n / 3))) for n in range(4, 16)]
    lows = [ceiling(n_members=n, n_nonmembers=m, delta=0, method=DEFAULT) for n, m in sizes]
    assert lows == sorted(lows)


def test_what_takes_too_many_records_has_no_number() -> None:
    assert fewest_records(epsilon=9, delta=0) is None
    assert fewest_records(delta=1) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"epsilon": -1, "delta": 0}, r"epsilon must be in \[0, inf\], got -1"),
        ({"delta": 2}, r"delta must be in \[0, 1\], got 2"),
        ({"delta": 0, "confidence_level": 1}, r"confidence_level must be in \(0, 1\), got 1"),
        ({"delta": 0, "ratio": inf}, r"ratio must be in \[0.001, 1000\], got inf"),
    ],
)
def test_bad_arguments_are_named(given: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fewest_records(**given)
