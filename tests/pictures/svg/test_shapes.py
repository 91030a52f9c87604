"""Paths: what is left out is not seen; markers have the area they are asked for."""

import re
from itertools import pairwise

import numpy as np
import pytest

from dpviz.drawing.svg import UNIT_MARKERS, at_places, outline, shortened, width, wrapped
from tests.pictures.reading import parse, vertices


def drawn(pixels: list[list[float]] | np.ndarray) -> np.ndarray:
    return vertices(parse(f'<path id="p" d="{outline(np.asarray(pixels, float))}"/>'), "p")


def distance(point: np.ndarray, line: np.ndarray) -> float:
    """From a point to the nearest piece of a line, by brute force."""
    best = np.inf
    for a, b in pairwise(line):
        along = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
        best = min(best, float(np.linalg.norm(point - a - along * (b - a))))
    return best


@pytest.mark.parametrize("seed", range(10))
def test_no_vertex_lies_off_the_line_that_is_drawn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    turns = np.cumsum(rng.normal(0, [0.02, 0.3][seed % 2], 300))
    pixels = 200 + np.cumsum(0.7 * np.column_stack([np.cos(turns), np.sin(turns)]), axis=0)
    found = drawn(pixels)
    assert max(distance(point, found) for point in pixels) <= 0.07  # pixels
    np.testing.assert_allclose(found[[0, -1]], pixels[[0, -1]], atol=0.0051)
    assert len(found) < len(pixels)


def test_corners_stay() -> None:
    corners = [[0, 0], [5, 0], [10, 0], [10, 4], [10, 9], [3, 9], [6, 9], [6, 0.5]]
    expected = [[0, 0], [10, 0], [10, 9], [3, 9], [6, 9], [6, 0.5]]
    np.testing.assert_array_equal(drawn(corners), expected)


def test_equal_vertices_are_one() -> None:
    np.testing.assert_array_equal(drawn([[1, 1], [1, 1.001], [1, 1]]), [[1, 1]])


@pytest.mark.parametrize("marker", UNIT_MARKERS)
def test_markers_have_their_area(marker: str) -> None:
    x, y = np.array(UNIT_MARKERS[marker]).T
    shoelace = abs(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2
    assert shoelace == pytest.approx(1, abs=2e-4)


def test_a_circle_has_its_area() -> None:
    path = at_places(np.array([[10.0, 20.0]]), "circle", 55)
    start, radius = re.match(r"M([\d.]+) 20a([\d.]+) ", path).groups()  # type: ignore[union-attr]
    assert np.pi * float(radius) ** 2 == pytest.approx(55, rel=0.01)
    assert float(start) + float(radius) == pytest.approx(10, abs=0.011)


def test_lines_of_text_fit_and_lose_nothing() -> None:
    text = "one " * 40 + "x" * 200 + " 5 % of all"
    lines = wrapped(text, 12, 200)
    assert all(width(line, 12) <= 200 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert wrapped("", 12, 200) == []


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert shortened("short", 12, 200) == "short"
    cut = shortened("長い名前" * 20, 12, 200)
    assert cut.endswith("…")
    assert width(cut, 12) <= 200
