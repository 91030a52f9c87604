"""The palette in numbers: contrast on light and dark pages, and what colour-blind readers see.

Contrast: WCAG 2.2, relative luminance and success criteria 1.4.3 and 1.4.11. Deuteranopia: the
matrix of Machado, Oliveira and Fernandes (2009), "A physiologically-based model for simulation of
color vision deficiency", IEEE TVCG 15(6), severity 1, on linear RGB. Differences: CIE 1976 Lab.
"""

from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray

from dpviz.analysis.topics.registry import SCENES
from dpviz.drawing import theme
from dpviz.drawing.marks import Area, Mark
from dpviz.drawing.svg import SvgFrame

Array = NDArray[np.float64]
WHITE = "#ffffff"
DARK = ("#111111", theme.ON_DARK[theme.PAPER])  # JupyterLab's, and of saved pictures
DEUTERANOPIA = np.array(
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ]
)
XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
COLORS = [color for color in theme.ON_DARK if color != theme.PAPER]


def linear(color: str) -> Array:
    parts = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def contrast(a: str, b: str) -> float:
    dark, light = sorted(float(XYZ[1] @ linear(color)) for color in (a, b))
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: Array) -> Array:
    xyz = XYZ @ rgb / np.array([0.95047, 1.0, 1.08883])
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def under_deuteranopia(color: str) -> Array:
    return lab(np.clip(DEUTERANOPIA @ linear(color), 0, 1))


def distance(a: str, b: str) -> float:
    return float(np.linalg.norm(under_deuteranopia(a) - under_deuteranopia(b)))


def in_grey(a: str, b: str) -> float:
    return float(abs(lab(linear(a))[0] - lab(linear(b))[0]))


def test_the_simulation_is_the_published_one() -> None:
    """Greys stay as they are; red and green of one lightness become alike."""
    np.testing.assert_allclose(DEUTERANOPIA.sum(axis=1), 1, atol=2e-6)
    assert distance("#c00000", "#5f6f00") < 0.3 * np.linalg.norm(
        lab(linear("#c00000")) - lab(linear("#5f6f00"))
    )


@pytest.mark.parametrize("color", COLORS)
def test_marks_and_texts_have_contrast_on_light_and_on_dark_pages(color: str) -> None:
    text = theme.text_color(color)
    assert contrast(color, WHITE) >= 3
    assert contrast(text, WHITE) >= 4.5
    for dark in DARK:
        assert contrast(theme.ON_DARK[color], dark) >= 3
        assert contrast(theme.ON_DARK[text], dark) >= 4.5


@pytest.mark.parametrize("on", ["light", "dark"])
@pytest.mark.parametrize(
    ("a", "b"),
    [(theme.CLAIM, theme.ATTACK), (theme.MEMBER, theme.NONMEMBER), (theme.ATTACK, theme.LIMIT)],
)
def test_promised_and_reached_members_and_others_differ_without_hue(
    a: str, b: str, on: str
) -> None:
    if on == "dark":
        a, b = theme.ON_DARK[a], theme.ON_DARK[b]
    assert distance(a, b) >= 25
    assert in_grey(a, b) >= 12


def look(mark: Mark) -> tuple[object, ...]:  # type: ignore[type-arg]
    """What tells marks apart besides colour."""
    return (type(mark), *(getattr(mark, name, "") for name in ("dash", "width", "marker", "size")))


@pytest.mark.parametrize("name", list(SCENES))
def test_marks_of_a_scene_that_differ_in_colour_only_differ_much(name: str) -> None:
    frame = SvgFrame(SCENES[name])
    for layer in SCENES[name].layers():
        frame.name_next_marks(layer)
        layer.add_to_frame(frame, lambda **_: None)
    assert {drawn.mark.color for drawn in frame.marks} <= set(COLORS)
    for a, b in combinations([drawn.mark for drawn in frame.marks], 2):
        if a.color == b.color or look(a) != look(b) or not (a.label and b.label):
            continue
        for one, two in ((a.color, b.color), (theme.ON_DARK[a.color], theme.ON_DARK[b.color])):
            assert distance(one, two) >= 12, (a.label, b.label)
            # In grey areas overlap, and their labels are in them.
            assert isinstance(a, Area) or in_grey(one, two) >= 8, (a.label, b.label)
