"""Labels beside marks: none over another, none outside the picture, at any width."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, Result, Spec, theory
from dpviz.analysis.topics.registry import SCENES
from dpviz.data.samples import SAMPLES
from dpviz.drawing.labels import Box, LabelPlace, PathLabel, label_places, text_width
from dpviz.drawing.marks import Area, Handle, is_avoided_by_labels
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import MarkLabel, SvgFrame, SvgMarkers
from dpviz.drawing.theme import CLAIM
from tests.slow import parametrize

WIDTHS = (320, 480, 700, 900)
SMALL = {"ruler", "people"}  # a strip, and 200 dots: labels have rows of their own
OVERLAYS = (theory.GaussianDP(mu=1.0), theory.ApproximateDP(epsilon=3.0, delta=1e-3))


def frame_of(scene: Scene, result: Result, width: float, *, show_extra: bool = False) -> SvgFrame:
    made = SvgFrame(scene, width=width, show_extra=show_extra)
    made.draw_layers(scene.layers(), result)
    return made


def assert_apart(
    places: list[LabelPlace], width: float, height: float, gap: tuple[int, int]
) -> None:
    """`gap` pixels, across or down; the boxes have some room above and below the letters."""
    for found in places:
        left, top, right, bottom = found.box
        assert 0 <= left < right <= width
        assert 0 <= top < bottom <= height
    for one, two in combinations(places, 2):
        a, b = one.box, two.box
        across = max(a[0] - b[2], b[0] - a[2])
        assert across >= gap[0] or max(a[1] - b[3], b[1] - a[3]) >= gap[1]


def assert_clear_of_markers(drawn: SvgFrame, found: list[tuple[MarkLabel, LabelPlace]]) -> None:
    """Letters are three pixels or more from each marker that has a text of its own."""
    for label, place_of in found:
        left, top, right, bottom = place_of.box
        for mark in drawn.marks:
            if isinstance(mark, SvgMarkers) and mark.is_shown and mark.labels():
                x, y = (mark.pixel_vertices() - [drawn.plot.left, drawn.plot.top]).T
                near = mark.mark.label_gap - 1  # from its centre
                across = np.maximum(left - x, x - right)
                down = np.maximum(top - y, y - bottom)
                assert (np.maximum(across, down) >= near).all(), (label.label.text, mark.element_id)


def check(result: Result, widths: tuple[int, ...], *, has_room: bool) -> None:
    """Of all scenes; and each first two labels of marks in the picture have a place."""
    for name, scene in SCENES.items():
        if scene.is_empty(result):
            continue
        for width in widths:
            drawn = frame_of(scene, result, width)
            found = drawn.placed_labels()
            gap = (6, 0) if has_room else (0, 0)
            assert_apart([at for _, at in found], drawn.plot.width, drawn.plot.height, gap)
            names = {label.name for label, _ in found}
            seen = [label for label in drawn.labels() if is_in_sight(label, drawn)]
            assert names >= {label.name for label in seen[:2]}, (name, width)
            if has_room and name not in SMALL:
                assert_clear_of_markers(drawn, found)


def is_in_sight(label: MarkLabel, drawn: SvgFrame) -> bool:
    """Whether a corner of its mark is inside the axes, which may be zoomed."""
    at = label.label.path - [drawn.plot.left, drawn.plot.top]
    return bool(
        ((at >= -0.5) & (at <= [drawn.plot.width + 0.5, drawn.plot.height + 0.5])).all(1).any()
    )


@parametrize("sample", [None, *SAMPLES], slow_but=[None, "overfitted"])
def test_labels_are_apart_and_inside_in_all_scenes_of_all_samples(sample: str | None) -> None:
    scores = None if sample is None else dpviz.read_sample(sample)
    check(dpviz.analyze(scores, epsilon=1.0), WIDTHS, has_room=True)


@parametrize("n_specs", [12, 50], slow_but=[12])
def test_labels_are_apart_and_inside_for_any_spec(n_specs: int) -> None:
    rng = np.random.default_rng(3)
    analyses = [Analysis(dpviz.read_sample("overfitted")), Analysis(None)]
    for i in range(n_specs):
        spec = Spec.of(
            epsilon=float(10 ** rng.uniform(-2, 1.5)),
            delta=float(10 ** rng.uniform(-9, -0.5)),
            prior=float(rng.uniform(0.001, 0.999)),
            fpr=float(rng.choice([0.0, 1.0, 10 ** rng.uniform(-5, 0)])),
            overlays=OVERLAYS[: i % 3],
        )
        check(analyses[i % 2].result(spec), (int(rng.integers(320, 901)),), has_room=False)


@pytest.mark.parametrize("name", list(SCENES))
def test_few_marks_are_named_at_first(name: str) -> None:
    """At most four labels; overlays are chosen by the user, and points name themselves."""
    frame = SvgFrame(SCENES[name])
    for layer in SCENES[name].layers():
        frame.name_next_marks(layer)
        layer.add_to_frame(frame, lambda **_: None)
    first = {drawn.mark.label for drawn in frame.marks if not drawn.mark.extra} - {""}
    assert len(first) <= 4 + sum(isinstance(drawn.mark, Handle) for drawn in frame.marks)


def test_all_marks_are_shown_where_they_are_asked_for() -> None:
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=0.1)
    few, all_of_them = (
        {
            label.label.text
            for label in frame_of(SCENES["region"], result, 480, show_extra=e).labels()
        }
        for e in (False, True)
    )
    more = {"allowed by δ alone", "answers flipped", "mixing two thresholds"}
    assert all_of_them - few == more | {"upper edge of the 95 % band"}


def test_a_label_away_from_its_mark_has_a_line_to_it() -> None:
    """A point in the corner of many lines: its label stands elsewhere."""
    corner = PathLabel(text="far away", path=np.array([[5.0, 5.0]]), kind="points")
    lines = [np.array([[0.0, y], [100.0, y]]) for y in range(0, 60, 3)]
    [found] = label_places([corner], lines, 300, 200, 12)
    assert found is not None
    assert found.leader is not None
    assert found.leader[:2] == (5, 5)
    left, top, right, bottom = found.box
    assert left <= found.leader[2] <= right
    assert top <= found.leader[3] <= bottom


def test_a_label_beside_its_area_has_a_line_to_it_and_one_inside_none() -> None:
    """It stands over another area, which would seem to have its name."""
    wide = np.array([[10.0, 10.0], [200.0, 10.0], [200.0, 190.0], [10.0, 190.0]])
    strip = wide * [0.02, 1] + [210, 0]
    asked = [
        PathLabel(text=text, path=path, kind="area") for text, path in (("a", wide), ("b", strip))
    ]
    inside, beside = label_places(asked, [], 300, 200, 12)
    assert inside is not None
    assert inside.leader is None
    assert beside is not None
    assert beside.leader is not None
    assert 210 <= beside.leader[0] <= 214.2


def test_a_label_that_is_seen_to_be_away_from_its_line_has_a_leader() -> None:
    """A label twelve pixels or more away, as high as a line of text, may seem to name another."""
    result = dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0)
    steps = np.linspace(0, 1, 500)
    for name, scene in SCENES.items():
        for width in () if scene.is_empty(result) else WIDTHS:
            drawn = frame_of(scene, result, width)
            for label, at in drawn.placed_labels():
                if label.label.kind == "area" or at.leader is not None:
                    continue
                x, y = (label.label.path - [drawn.plot.left, drawn.plot.top]).T
                if len(x) > 1:
                    x, y = (np.interp(steps, np.linspace(0, 1, len(x)), side) for side in (x, y))
                left, top, right, bottom = at.box
                across = np.maximum(np.maximum(left - x, x - right), 0)
                down = np.maximum(np.maximum(top - y, y - bottom), 0)
                assert np.hypot(across, down).min() < 13, (name, width, label.label.text)


def is_crossed(leader: Box, label: LabelPlace) -> bool:
    """Return whether the line runs through letters, which are smaller than their box."""
    left, top, right, bottom = label.box
    x, y = np.linspace(leader[:2], leader[2:], 300).T
    return bool(((left + 2 < x) & (x < right - 2) & (top + 3 < y) & (y < bottom - 3)).any())


@pytest.mark.parametrize("sample", ["null", "regularised"])
def test_no_leader_runs_through_a_label_of_the_board(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the low pictures of a small screen; the labels of the region are a key beside it."""
    monkeypatch.setattr("dpviz.drawing.scene.PROPORTION", 1.87)
    for epsilon in (1.0, 5.0):
        result = dpviz.analyze(dpviz.read_sample(sample), epsilon=epsilon)
        for name in ("tradeoff", "epsilon_star", "risk"):
            for width in (318, 360, 400):
                found = [at for _, at in frame_of(SCENES[name], result, width).placed_labels()]
                leaders = [at.leader for at in found if at.leader]
                assert not any(is_crossed(*pair) for pair in product(leaders, found)), (name, width)


def test_a_label_stands_where_no_label_is_between_it_and_its_line() -> None:
    """Below the crowd is the other name: what stands under that has a leader through it."""
    name = PathLabel(text="in between", path=np.array([[150.0, 74.0]]), kind="points")
    line = PathLabel(text="a line", path=np.array([[100.0, 20.0], [200.0, 20.0]]), kind="line")
    crowd = [np.array([[0.0, y], [300.0, y]]) for y in range(0, 80, 4)]
    between, found = label_places([name, line], crowd, 300, 140, 12)
    assert between is not None
    assert found is not None
    assert found.leader is not None
    assert not is_crossed(found.leader, between)


@pytest.mark.parametrize(("place_of_line", "at_end"), [(250.0, True), (50.0, False)])
def test_to_the_left_of_its_line_a_text_ends_where_its_box_does(
    place_of_line: float, *, at_end: bool
) -> None:
    """Letters may be narrower than computed: the text would stand away from its line."""
    line = np.array([[place_of_line, 0.0], [place_of_line, 200.0]])
    [found] = label_places([PathLabel(text="a line", path=line, kind="line")], [], 270, 200, 12)
    assert found is not None
    assert found.at_end is at_end


def test_what_has_no_room_is_left_out() -> None:
    long = PathLabel(text="W" * 40, path=np.array([[5.0, 5.0]]), kind="points")
    assert label_places([long], [], 300, 200, 12) == [None]


@pytest.mark.parametrize("name", ["epsilon_star", "both_sides"])
def test_the_last_tick_of_odds_is_not_cut(name: str) -> None:
    """In letters of 11 pixels."""
    scene = SCENES[name]
    frame = SvgFrame(scene, width=480)
    for reach in range(1, 8):
        frame.x.set_range(-reach, reach)
        last = max(frame.x.ticks)
        beside = (1 - frame.x.relative_positions(np.array(last))) * frame.plot.width
        room = scene.margins["right"] + beside
        assert text_width(frame.x.ticks[last], 11) / 2 <= room, frame.x.ticks[last]


def test_texts_are_no_wider_than_computed() -> None:
    """Widths of DejaVu Sans at 1000 units, by its metrics; Arial is narrower throughout."""
    units = {"a": 613, "i": 278, "m": 974, "W": 989, "%": 950, " ": 318, "5": 636, "δ": 612}
    for letter, width in units.items():
        assert text_width(letter, 1000) >= width


def test_a_line_is_beside_its_label_and_not_through_it() -> None:
    """Where there is no room for the margin of a label, it stands closer to two lines."""
    lines = [np.array([[0.0, y], [400.0, y]]) for y in (8.0, 29.0, 50.0)]
    label = PathLabel(text="a label as long as some", path=lines[1], kind="line")
    [found] = label_places([label], [lines[0], lines[2]], 400, 58, 12)
    assert not any(found.box[1] < line[0, 1] < found.box[3] for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize("sample", ["null", "regularised", "gamma"])
def test_no_tick_of_the_ruler_goes_through_a_label(sample: str) -> None:
    result = dpviz.analyze(dpviz.read_sample(sample), epsilon=1.0)
    for width in (400, 520, 640, 720):
        drawn = frame_of(SCENES["ruler"], result, width)
        corner = [drawn.plot.left, drawn.plot.top]
        lines = [mark.pixel_vertices() - corner for mark in drawn.marks if mark.is_shown]
        ticks = [line for line in lines if len(line) == 2 and line[0, 0] == line[1, 0]]
        assert len(ticks) >= 4
        for label, at in drawn.placed_labels():
            left, top, right, bottom = at.box
            for (x, y), (_, end) in ticks:
                is_beside = not left + 2 < x < right - 2
                # Letters are less high than their line.
                assert is_beside or max(y, end) < top + 3 or min(y, end) > bottom - 3, label.label


def test_labels_may_cross_the_edge_of_a_pale_area_without_an_outline() -> None:
    pale = Area(color=CLAIM, opacity=0.3, outline=False)
    assert not is_avoided_by_labels(pale)
    for other in ({"opacity": 1}, {"outline": True}, {"label": "its name"}):
        assert is_avoided_by_labels(replace(pale, **other))


def test_the_letters_of_a_label_do_not_touch_the_y_axis() -> None:
    """A line from edge to edge in low axes, with its label at either end of it."""
    line = np.array([[0.0, 30.0], [220.0, 30.0]])
    for x in (0.0, 220.0):
        point = PathLabel(text="TPR/FPR", path=np.array([[x, 30.0]]), kind="points")
        label = PathLabel(text="certified ≥ 2.76", path=line, kind="line")
        for found in label_places([point, label], [], 220, 60, 12):
            assert found is not None
            assert found.box[0] >= 3


def test_a_long_label_is_split_between_two_words() -> None:
    text = "a label that is too long for one line"
    label = PathLabel(text=text, path=np.array([[0.0, 100.0], [250.0, 100.0]]), kind="line")
    [found] = label_places([label], [], 250, 200, 12)
    assert found.lines == ("a label that is too", "long for one line")
