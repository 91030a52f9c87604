"""SVG: paths from which nothing seen is missing, every kind of mark, and texts that are data."""

import re
from itertools import combinations, pairwise, product

import numpy as np
import pytest

from dpviz.analysis import Result
from dpviz.analysis.svg import SvgPicture, page
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.labels import MARKER_GAP, text_width
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import NOTHING, REACH, Area, Cursor, Handle, Line, Points, Segments
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import (
    UNIT_MARKERS,
    SvgFrame,
    estimated_width,
    markers_path,
    outline_path,
    shortened,
    wrapped,
)
from tests.pictures.reading import SVG, assert_sound, by_id, parse, texts, vertices
from tests.slow import parametrize

TEXT = f"{SVG}text"
SCENE = Scene(x=AxisSpec(label="x"), y=AxisSpec(label="y"), layers=list)
EVIL = ["<img src=x onerror=alert(1)>", "</script>", "]]>", "a\x00b\x1f\ufffe", "\"'&amp;\ud800"]


class Fixed(Layer):
    """A layer with nothing of its own."""

    def add_marks(self) -> None: ...

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        return ()

    def draw(self, result: Result) -> None: ...


def frame() -> SvgFrame:
    made = SvgFrame(SCENE, "p")
    made.name_next_marks(Fixed())
    return made


def written(made: SvgFrame) -> str:
    return page([SvgPicture(made, "title", ["sentence"])])


def test_marks_know_their_elements() -> None:
    made = frame()
    first = made.add(Line(color="#000000"))
    second = made.add(Points(color="#000000"))
    first.draw(np.array([[0, 0], [1, 1]]))
    second.draw(np.array([[0.5, 0.5]]))
    assert [mark.element_id for mark in made.marks] == ["p-fixed-0", "p-fixed-1"]
    root = assert_sound(written(made))
    np.testing.assert_array_equal(vertices(root, "p-fixed-0"), [[62, 284], [462, 12]])


def test_steps_hold_each_height() -> None:
    made = frame()
    made.add(Line(color="#000000", steps=True)).draw(np.array([[0, 0.5], [0.5, 1], [1, 0]]))
    found = vertices(assert_sound(written(made)), "p-fixed-0")
    np.testing.assert_array_equal(found, [[62, 148], [262, 148], [262, 12], [462, 12], [462, 284]])


def test_filled_lines_stand_on_the_axis_and_areas_are_closed() -> None:
    made = frame()
    made.add(Line(color="#000000", fill=0.5)).draw(np.array([[0, 1], [1, 1]]))
    made.add(Area(color="#000000", opacity=0.5)).draw(np.array([[0, 0], [1, 0], [1, 1]]))
    root = assert_sound(written(made))
    expected = [[62, 284], [62, 12], [462, 12], [462, 284]]
    np.testing.assert_array_equal(vertices(root, "p-fixed-0"), expected)
    assert by_id(root, "p-fixed-1").get("d", "").endswith("Z")


def test_no_pixel_is_minus_zero() -> None:
    made = frame()
    to_pixel_0 = -62 / 400 - 1e-6  # the axis of 400 pixels begins at pixel 62
    made.add(Points(color="#000000", size=16)).draw(np.array([[to_pixel_0, 0.5]]))
    made.add(Segments(color="#000000")).draw(np.array([[[to_pixel_0, 0.5], [1, 0.5]]]))
    assert not re.search(r"-0(?![.\d])", written(made))


def test_segments_do_not_hang_together() -> None:
    made = frame()
    made.add(Segments(color="#000000")).draw(np.array([[[0, 0], [0, 1]], [[1, 0], [1, 1]]]))
    assert by_id(assert_sound(written(made)), "p-fixed-0").get("d", "").count("M") == 2


def test_marks_follow_axes_that_are_set_after_them() -> None:
    made = frame()
    made.add(Line(color="#000000")).draw(np.array([[0, 0], [1, 1]]))
    made.x.set_range(0, 2)
    found = vertices(assert_sound(written(made)), "p-fixed-0")
    np.testing.assert_array_equal(found, [[62, 284], [262, 12]])


def test_what_is_far_out_of_the_picture_is_finite() -> None:
    made = frame()
    made.add(Line(color="#000000")).draw(np.array([[0, 0.5], [1e300, 0.5]]))
    made.add(Points(color="#000000", marker="diamond")).draw(np.array([[0.5, 0.5], [5, 5]]))
    root = assert_sound(written(made))
    assert by_id(root, "p-fixed-1").get("d", "").count("M") == 1  # of two markers one is seen


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_has_no_place_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="vertices must be finite, got"):
        frame().add(Line(color="#000000")).draw(np.array([[0, bad], [1, 1]]))


def test_nothing_draws_nothing() -> None:
    made = frame()
    marks = [made.add(Line(color="#000000", label="gone")), made.add(Points(color="#000000"))]
    for mark in marks:
        mark.draw(np.array([[0.5, 0.5]]))
        mark.draw(NOTHING)
    handle = made.add(Handle(color="#000000", marker="diamond", on_move=lambda x, y: None))
    handle.place(0.5, 0.5, text="gone")
    handle.hide()
    root = assert_sound(written(made))
    assert not any((e.get("id") or "").startswith("p-fixed") for e in root.iter())
    assert "gone" not in texts(root)


def test_texts_are_data() -> None:
    made = frame()
    for text in EVIL:
        made.add(Line(color="#000000", label=text)).draw(np.array([[0, 0], [1, 1]]))
    places = np.linspace(0.1, 0.9, len(EVIL))
    made.add(Points(color="#000000")).draw(np.column_stack([places, places]), texts=EVIL)
    made.y.set_row_names(EVIL)
    made.x.set_bar_names(EVIL[1:2], left_end=0)
    made.x.set_label(EVIL[0])
    text = page([SvgPicture(made, EVIL[0], EVIL)])
    root = assert_sound(text)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {
        *("svg", "rect", "title", "desc", "text", "g", "clipPath", "path")
    }
    found = texts(root)
    for evil in EVIL[:3]:
        assert evil in found  # the tick
    assert "a\ufffdb\ufffd\ufffd" in found
    assert "\"'&amp;\ufffd" in found


def test_texts_beside_markers_do_not_hide_each_other() -> None:
    made = frame()
    names = [f"number {i}" for i in range(5)]
    made.add(Points(color="#000000")).draw(np.full((5, 2), 0.98), texts=names)
    root = assert_sound(written(made))
    found = {}
    for element in root.iter(f"{SVG}text"):
        if element.text in names:
            x, y = float(element.get("x", "")), float(element.get("y", ""))
            is_end = element.get("text-anchor") == "end"
            found[element.text] = (x - text_width(element.text) if is_end else x), y
    # None is nearer than a line of text, or a word, to another.
    for one, two in combinations(found.values(), 2):
        assert abs(one[1] - two[1]) >= 12 or abs(one[0] - two[0]) >= 40
    assert all(62 <= x < 420 and 12 <= y <= 284 for x, y in found.values())


def test_what_is_beyond_the_axes_is_cut() -> None:
    made = frame()
    made.add(Line(color="#000000")).draw(np.array([[-1, 0], [2, 1]]))
    root = assert_sound(written(made))
    group = next(e for e in root.iter(f"{SVG}g") if e.get("clip-path"))
    assert [e.get("id") for e in group] == ["p-fixed-0"]
    (rect,) = by_id(root, "p-clip")
    assert [rect.get(k) for k in ("x", "y", "width", "height")] == ["62", "12", "400", "272"]


def test_an_axis_that_is_not_visible_is_not_written() -> None:
    axes = {name: AxisSpec(label=f"name of {name}", visible=False) for name in ("x", "y")}
    made = SvgFrame(Scene(layers=list, **axes), "p")
    made.name_next_marks(Fixed())
    made.add(Points(color="#000000")).draw(np.array([[0.5, 0.5]]))
    assert texts(assert_sound(written(made))) == ["title", "sentence"]


def test_markers_with_an_outline_are_not_filled() -> None:
    made = frame()
    for edge in (0, 2.0):
        made.add(Points(color="#123456", outline=edge)).draw(np.array([[0.5, 0.5]]))
    root = assert_sound(written(made))
    filled, open_ = by_id(root, "p-fixed-0"), by_id(root, "p-fixed-1")
    assert filled.get("fill") == open_.get("stroke") == "#123456"
    assert (filled.get("stroke"), open_.get("fill")) == (None, "none")
    assert open_.get("stroke-width") == "2"


def drawn(pixels: list[list[float]] | np.ndarray) -> np.ndarray:
    return vertices(parse(f'<path id="p" d="{outline_path(np.asarray(pixels, float))}"/>'), "p")


def distance(point: np.ndarray, line: np.ndarray) -> float:
    """From a point to the nearest piece of a line, by brute force."""
    best = np.inf
    for a, b in pairwise(line):
        along = np.clip((point - a) @ (b - a) / max((b - a) @ (b - a), 1e-12), 0, 1)
        best = min(best, float(np.linalg.norm(point - a - along * (b - a))))
    return best


@pytest.mark.slow
@parametrize("seed", range(10), slow_but=[1, 2])
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


def test_the_reach_of_a_marker_is_the_farthest_point_of_its_edge() -> None:
    farthest = {name: np.hypot(*np.transpose(edge)).max() for name, edge in UNIT_MARKERS.items()}
    assert pytest.approx({"circle": np.pi**-0.5, **farthest}, abs=5e-5) == REACH
    hollow = Points(color="#000000", size=100, outline=2)
    assert hollow.label_gap == pytest.approx(MARKER_GAP + 5.642 + 1)  # half of a line is outside


@pytest.mark.parametrize("marker", UNIT_MARKERS)
def test_a_marker_lies_around_its_place(marker: str) -> None:
    path = markers_path(np.array([[200.0, 100.0]]), marker, 64.0)
    moves = np.array(re.findall(r"[Ml](\S+?) ([^lz]+)", path), float)
    corners = np.cumsum(moves, axis=0) - [200, 100]
    assert np.hypot(*corners.T).max() == pytest.approx(8 * REACH[marker], abs=0.05)


def test_what_is_at_most_a_pixel_outside_is_in_the_axes() -> None:
    plot = frame().plot
    middle = [plot.left + plot.width / 2, plot.top + plot.height / 2]
    ends = [(plot.left, plot.right), (plot.top, plot.bottom)]
    for axis, sign in product((0, 1), (-1, 1)):
        for beyond, is_inside in ((1, True), (1.01, False)):
            place = list(middle)
            place[axis] = ends[axis][sign == 1] + sign * beyond
            assert plot.contains(np.array([place])).tolist() == [is_inside]


def test_a_cursors_handle_touches_the_axis_and_no_number_below() -> None:
    made = frame()
    made.add(Cursor(color="#000000", on_move=lambda *_: None)).place(0.5, 0.0)
    root = parse(written(made))
    tops = [float(text.get("y", "")) - 0.75 * 11 for text in by_id(root, "p-x-axis").iter(TEXT)]
    path = by_id(root, "p-fixed-0").get("d", "")
    heights = np.cumsum([float(y) for y in re.findall(r"[\d.-]+(?=[lz])", path)])
    assert heights.min() <= made.plot.bottom
    assert max(heights) + 1 < min(tops[:-1])  # the last text is the name of the axis


def test_a_circle_has_its_area() -> None:
    path = markers_path(np.array([[10.0, 20.0]]), "circle", 55)
    start, radius = re.match(r"M([\d.]+) 20a([\d.]+) ", path).groups()  # type: ignore[union-attr]
    assert np.pi * float(radius) ** 2 == pytest.approx(55, rel=0.01)
    assert float(start) + float(radius) == pytest.approx(10, abs=0.011)


def test_lines_of_text_fit_and_lose_nothing() -> None:
    text = "one " * 40 + "x" * 200 + " 5 % of all"
    lines = wrapped(text, 12, 200)
    assert all(estimated_width(line, 12) <= 200 for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())
    assert wrapped("", 12, 200) == []


def test_a_long_text_is_cut_with_an_ellipsis() -> None:
    assert shortened("short", 12, 200) == "short"
    cut = shortened("長い名前" * 20, 12, 200)
    assert cut.endswith("…")
    assert estimated_width(cut, 12) <= 200
