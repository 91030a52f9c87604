"""One picture, whoever shows it: its axes, its layers, and the sentences that go with it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layer import Layer

MARGINS = {"top": 12, "bottom": 46, "left": 62, "right": 18}
"""Pixels around the axes."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """What one picture shows.

    Parameters
    ----------
    title : str
    x, y : AxisSpec
    layers : callable
        Makes the layers, from back to front: each picture has its own.
    sentences : tuple of str
        Names of the result's sentences that say what the picture shows.
    left : int
        Pixels left of the y axis, for its ticks.
    label_offset : str, optional
        How far from the y axis its name stands, where ticks are long.
    """

    title: str = ""
    x: AxisSpec
    y: AxisSpec
    layers: Callable[[], Sequence[Layer]]
    sentences: tuple[str, ...] = ()
    left: int = MARGINS["left"]
    label_offset: str | None = None
