"""Tests of which only some cases run at each change."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from hypothesis import settings


def parametrize(
    names: str | tuple[str, ...], values: Iterable[Any], *, slow_but: Collection[Any], **given: Any
) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize`, with all values marked `slow` but some."""
    several = not isinstance(names, str) or "," in names
    cases, kept = [], 0
    for value in values:
        keep = value in slow_but
        kept += keep
        marks = () if keep else (pytest.mark.slow,)
        cases.append(pytest.param(*(value if several else [value]), marks=marks))
    assert kept >= len(slow_but), "a value in slow_but is none of the values"
    return pytest.mark.parametrize(names, cases, **given)


def examples(times: float) -> settings:
    """So many times the examples of the profile, which are fewer in `make test`."""
    return settings(max_examples=round(times * settings().max_examples))
