"""One item of a source, and the ways to show it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import pytest

import dpviz
from dpviz import Result
from dpviz.analysis.topics.registry import SCENES
from dpviz.drawing.svg import SvgFrame


class Item(NamedTuple):
    """A row of the table; `run` gives what is expected: a number, a text that holds it, a value."""

    number: int
    source: str
    item: str
    run: Callable[[], Any]
    expected: Any


@cache
def shown(sample: str = "", **spec: Any) -> Result:
    """The result for a packaged sample."""
    return dpviz.analyze(dpviz.read_sample(sample) if sample else None, **spec)


def said(name: str, sample: str = "", **spec: Any) -> str:
    """A sentence of it."""
    return shown(sample, **spec).sentences[name]


def drawn(scene: str, sample: str = "", *, show_extra: bool = False, **spec: Any) -> str:
    """A picture of it, as SVG."""
    frame = SvgFrame(SCENES[scene], show_extra=show_extra)
    frame.draw_layers(SCENES[scene].layers(), shown(sample, **spec))
    return frame.svg()


def approx_rows(rows: Sequence[Sequence[float]]) -> list[Any]:
    """Rows of numbers, up to rounding."""
    return [pytest.approx(list(row)) for row in rows]
