"""Results as SVG: places known in closed form, texts as data, nothing broken by hard samples."""

import subprocess
import sys
from itertools import combinations

import numpy as np
import pytest

import dpviz
from dpviz import Analysis, Result, Spec, theory
from dpviz.analysis.svg import SvgPicture, page
from dpviz.analysis.topics.registry import (
    SCENES,
    text_names,
)
from tests.pictures.reading import SVG, assert_sound, by_id, parse, texts, vertices
from tests.slow import parametrize
from tests.widgets.base.test_layers import samples

LEFT, TOP, SIDE = 62, 12, 400  # 480 pixels without the margins on both sides
OVERLAYS = (
    theory.GaussianDP(mu=1.0),
    theory.ApproximateDP(epsilon=3.0, delta=1e-3),
    theory.LaplaceMechanism(epsilon=2.0),
)


def pixels(fpr: float, fnr: float) -> tuple[float, float]:
    """By hand: the unit square in the margins of the scenes."""
    return LEFT + SIDE * fpr, TOP + SIDE * (1 - fnr)


@pytest.fixture(scope="module")
def result() -> Result:
    return dpviz.analyze(dpviz.read_sample("overfitted"), epsilon=1.0, delta=1e-5, fpr=0.01)


def test_the_kinks_of_a_claim_stand_where_they_are_by_hand() -> None:
    """1 - delta on both axes; both rates are (1 - delta) / (1 + e^epsilon) at the kink."""
    root = parse(dpviz.analyze(epsilon=2.0, delta=0.1).svg("region", "tradeoff"))
    kink = 0.9 / (1 + np.exp(2))
    curve = vertices(root, "tradeoff-claim_curve-1")
    expected = [pixels(0, 0.9), pixels(kink, kink), pixels(0.9, 0), pixels(1, 0)]
    np.testing.assert_allclose(curve, expected, atol=0.0051)
    region = vertices(root, "region-claim_region-0")
    for corner in [*expected, pixels(1 - kink, 1 - kink), pixels(1, 0.1), pixels(0.1, 1)]:
        assert np.abs(region - corner).max(axis=1).min() <= 0.0051


def test_other_claims_are_curves_in_one_picture_and_outlines_in_the_other() -> None:
    root = parse(dpviz.analyze(epsilon=1.0, overlays=OVERLAYS).svg("region", "tradeoff"))
    outline, curve = (by_id(root, f"{name}-overlays-0") for name in ("region", "tradeoff"))
    assert outline.get("d", "").endswith("Z")
    assert "Z" not in curve.get("d", "Z")


def test_logarithmic_axes_have_equal_decades() -> None:
    root = parse(dpviz.analyze(epsilon=1.0, delta=1e-5).svg("profile"))
    lines = vertices(root, "profile-epsilon_at_delta-0")
    assert lines[0, 1] == pytest.approx(284 - 272 * 7 / 12, abs=0.0051)  # of 12 decades from 1e-12


@pytest.mark.parametrize("name", ["tradeoff", "tail", "epsilon_star", "risk"])
def test_a_script_finds_the_selected_fpr_by_the_picture_s_data(result: Result, name: str) -> None:
    root = parse(result.svg(name))
    said = by_id(root, name)
    low, high, left, width = (
        float(said.get(f"data-{key}", "")) for key in ("x-low", "x-high", "left", "width")
    )
    match said.get("data-x-scale"):
        case "log":
            share = np.log(0.01 / low) / np.log(high / low)
        case "log-odds":
            share = (np.log10(0.01 / 0.99) - low) / (high - low)
        case _:
            share = (0.01 - low) / (high - low)
    found = vertices(root, f"{name}-selected_fpr-0")
    assert found[:, 0] == pytest.approx([left + width * share] * 2, abs=0.0051)


def test_pictures_say_what_they_show(result: Result) -> None:
    root = assert_sound(result.svg())
    shown = [element for element in root.iter(f"{SVG}svg") if element.get("role") == "img"]
    full = {name: scene for name, scene in SCENES.items() if scene.needs in ("", "scores")}
    for element, (name, scene) in zip(shown, full.items(), strict=True):
        title, description = element[0], element[1]
        assert (title.tag, description.tag) == (f"{SVG}title", f"{SVG}desc")
        assert element.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
        assert title.text == scene.title_of(result)
        said = [result.sentences[sentence] for sentence in text_names(scene)]
        assert (description.text or "").startswith(" ".join(filter(None, said)))
        written = by_id(element, f"{name}-labels")
        assert all(
            text in (description.text or "") for group in written[0] for text in texts(group)
        )
        words = "".join("".join(texts(element)).split())
        for sentence in said:
            assert "".join(sentence.split()) in words
        assert by_id(root, name).get("data-x-scale") == scene.x.scale


def test_pictures_of_a_document_stand_apart(result: Result) -> None:
    root = parse(result.svg())
    boxes = [
        [float(each.get(name, "")) for name in ("x", "y", "width", "height")]
        for each in root.iter(f"{SVG}svg")
        if each.get("role") == "img"
    ]
    assert len({x for x, *_ in boxes}) == 2  # two columns
    for x, y, width, height in boxes:
        assert 0 <= x <= float(root.get("width", "")) - width
        assert 0 <= y <= float(root.get("height", "")) - height
    for (x, y, width, height), (x2, y2, width2, height2) in combinations(boxes, 2):
        assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y


def test_without_scores_only_claims_are_drawn() -> None:
    without_delta = dpviz.analyze(epsilon=1.0, delta=0.0)
    root = assert_sound(without_delta.svg())
    names = {element.get("id") for element in root.iter()}
    assert {name for name in SCENES if name in names} == {
        name for name, scene in SCENES.items() if not scene.needs
    }
    assert "region-attack_curve_layer-0" not in names
    assert not any("this attack" in text for text in texts(root))
    # A layer that a browser can draw alone keeps its elements: another delta shows the band.
    root = parse(page([SvgPicture.of(SCENES["region"], without_delta, "region", extra=True)]))
    assert by_id(root, "region-delta_band-0").get("display") == "none"
    assert not any("by δ alone" in text for text in texts(root))


def test_documents_stay_small(result: Result) -> None:
    assert (
        len(result.svg().encode()) < 172_000
    )  # two of the pictures are of 200 and of 10 000 people
    for name in SCENES:
        if SCENES[name].is_empty(result):
            continue
        assert len(result.svg(name).encode()) < 40_000


@pytest.mark.slow
@parametrize("name", samples(), slow_but=samples().keys() - {"far", "separated"})
@parametrize("method", ["empirical", "normal"], slow_but=["empirical"])
@parametrize(
    "claim",
    [{"epsilon": 0, "delta": 0}, {"epsilon": 800}, {"delta": 1}],
    slow_but=[{"epsilon": 800}],
)
def test_hard_samples_and_claims_are_drawn(name: str, method: str, claim: dict[str, float]) -> None:
    analysis = Analysis(samples()[name])
    for fpr, fnr in [(0.0, None), (1.0, None), (0.5, 0.0)]:
        spec = Spec.of(method=method, fpr=fpr, fnr=fnr, overlays=OVERLAYS, **claim)
        assert_sound(analysis.result(spec).svg())


def test_names_are_checked(result: Result) -> None:
    with pytest.raises(ValueError, match="one of 'ruler', 'region', 'tradeoff'"):
        result.svg("regions")
    with pytest.raises(ValueError, match="different names"):
        result.svg("region", "region")


def test_neither_widgets_nor_other_libraries_are_needed() -> None:
    heavy = ["ipywidgets", "bqplot", "traitlets", "IPython", "matplotlib", "resvg_py"]
    code = (
        "import sys, dpviz; dpviz.analyze(epsilon=1.0).svg();"
        f"print([m for m in {heavy} if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
