"""Other attacks beside the first: their curves and bands, each told apart by dash and name."""

import numpy as np

from dpviz.analysis import Result
from dpviz.analysis.attacks import MOST_COMPARED
from dpviz.analysis.parts.attacks import AttackPart, ComparedAttack
from dpviz.analysis.parts.log_log import on_axes
from dpviz.checks import FloatArray
from dpviz.pictures import theme
from dpviz.pictures.layer import Layer
from dpviz.pictures.layers.bands import OnAxes, as_it_is
from dpviz.pictures.layers.named_lines import NamedLines, at_height
from dpviz.pictures.marks import Area


class ComparedAttacks(NamedLines[AttackPart]):
    """The measured curves of the attacks that are compared with the first one."""

    styles = tuple((theme.ATTACK, dash, width) for dash, width in theme.ATTACKS)

    def parts(self, result: Result) -> tuple[object, ...]:
        return tuple(part for _, part in self.named(result))

    def named(self, result: Result) -> list[tuple[str, AttackPart]]:
        return [(each.name, each.attack) for each in _compared(result)]


class ComparedBands(Layer):
    """The confidence band of each compared attack; all but the first only among all marks."""

    def __init__(self, on_axes: OnAxes = as_it_is) -> None:
        self._on_axes = on_axes

    def add_marks(self) -> None:
        marks = [
            Area(color=theme.ATTACK, opacity=0.1, outline=False, extra=i > 0)
            for i in range(MOST_COMPARED)
        ]
        self._areas = self.add_each("band", *marks)

    def parts(self, result: Result) -> tuple[object, ...]:
        return tuple(each.band for each in _compared(result))

    def draw(self, result: Result) -> None:
        bands = [each.band for each in _compared(result)]
        for area in self._areas[len(bands) :]:
            area.hide()
        for area, band in zip(self._areas, bands, strict=False):
            limits = self._on_axes(band.lower), self._on_axes(band.upper)[::-1]
            area.draw(np.vstack(limits))


def on_attack(attack: AttackPart, i: int) -> tuple[float, float]:
    """Place of the i-th name: on the curve, from FNR 0.45 downwards."""
    return at_height(attack.curve, 0.45 - 0.08 * i)


def on_attack_roc(attack: AttackPart, i: int) -> tuple[float, float]:
    """The same with the members that are detected."""
    fpr, fnr = on_attack(attack, i)
    return fpr, 1 - fnr


def attack_tail(attack: AttackPart) -> FloatArray:
    """The steps of an attack on logarithmic axes."""
    return on_axes(attack.tail)


def on_steps(attack: AttackPart, i: int) -> tuple[float, float]:
    """Place of the i-th name on logarithmic axes: at a corner, from FPR 0.1 to the left."""
    corners = attack_tail(attack)
    at = int(np.searchsorted(corners[:, 0], 10.0 ** (-1 - 0.4 * i), side="right")) - 1
    return float(corners[max(at, 0), 0]), float(corners[max(at, 0), 1])


def _compared(result: Result) -> tuple[ComparedAttack, ...]:
    sample = result.sample
    return () if sample is None or sample.attacks is None else sample.attacks.compared
