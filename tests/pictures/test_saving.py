"""Views as files, and as pictures where no widget can be."""

import os
import re
import struct
import sys
import zlib
from base64 import b64decode
from errno import ENOSPC
from html import unescape
from pathlib import Path

import ipywidgets
import numpy as np
import pytest

from dpviz import Analysis, AttackScores, Spec, theory
from dpviz.analysis import svg as svg_png
from dpviz.analysis.svg import GAP
from dpviz.drawing.svg import WIDTH
from dpviz.widgets import (
    BoundsView,
    ExperimentView,
    Explorer,
    MechanismView,
    RegionView,
    SlicesView,
    TradeoffView,
)
from tests.pictures.reading import SVG, assert_sound, parse, texts, vertices

EVIL = "<img src=x onerror=alert(1)>"
WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture(scope="module")
def scores() -> AttackScores:
    rng = np.random.default_rng(20)
    groups = {"member_groups": [EVIL] * 40 + ["]]>"] * 40, "nonmember_groups": [EVIL, "]]>"] * 50}
    return AttackScores.from_losses(
        member=rng.normal(0, 1, 80), nonmember=rng.normal(2, 1, 100), **groups
    )


def titles(text: str) -> list[str]:
    return [element.text or "" for element in parse(text).iter(f"{SVG}title")]


def pixels_of_png(image: bytes) -> tuple[int, int, bytes]:
    """Width, height and the filtered rows of a PNG, by its specification."""
    assert image[:8] == b"\x89PNG\r\n\x1a\n"
    at, data = 8, b""
    while at < len(image):
        (length,), kind = struct.unpack(">I", image[at : at + 4]), image[at + 4 : at + 8]
        data += image[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    wide, high = struct.unpack(">II", image[16:24])
    return wide, high, zlib.decompress(data)


def test_a_view_saves_what_it_shows(tmp_path: Path) -> None:
    view = TradeoffView(epsilon=1.0, delta=0.0)
    view.epsilon = 2.0
    view.save_svg(tmp_path / "linear.svg")
    view.axes = "log-log"
    view.save_svg(str(tmp_path / "log.svg"))
    linear, log = ((tmp_path / f"{name}.svg").read_text("utf-8") for name in ("linear", "log"))
    kink = 1 / (1 + np.exp(2))
    curve = vertices(assert_sound(linear), "tradeoff-claim_curve-1")
    np.testing.assert_allclose(curve[1], [62 + 400 * kink, 12 + 400 * (1 - kink)], atol=0.0051)
    assert titles(log) == ["How many members are caught at low FPRs?"]


def test_a_view_that_makes_more_of_a_result_is_saved_too(tmp_path: Path) -> None:
    mechanism = MechanismView(claim=theory.GaussianDP(mu=1.0))
    played = ExperimentView()
    played.advance(500)
    for view, n in ((mechanism, 3), (played, 2)):
        view.save_svg(tmp_path / "view.svg")
        text = (tmp_path / "view.svg").read_text("utf-8")
        assert_sound(text)
        assert titles(text) == [picture.scene.title for picture in view.pictures]
        assert len(titles(text)) == n


@pytest.mark.slow
def test_an_explorer_saves_all_views_that_show_something(
    scores: AttackScores, tmp_path: Path
) -> None:
    explorer = Explorer(scores=scores)
    explorer.save_svg(tmp_path / "all.svg")
    text = (tmp_path / "all.svg").read_text("utf-8")
    assert_sound(text)
    assert "What do these records show?" in titles(text)
    assert "What do other methods show?" not in titles(text)  # nobody asked for them
    bare = Explorer()
    assert "What does the attacker see?" in titles(explorer.svg())
    assert "What ε = 1 allows" in titles(bare.svg())


def test_a_page_in_the_file_says_that_its_audit_was_not_there_yet(scores: AttackScores) -> None:
    early = "Saved while the audit was being computed: run the cell again for the answer."
    explorer = Explorer(scores=scores)
    assert f"<strong>{early}</strong>" in explorer.static_bundle()["text/html"]
    explorer.complete_audit()
    assert explorer.result.sentences["answer"] in unescape(explorer.static_bundle()["text/html"])
    assert "Saved while" not in explorer.static_bundle()["text/html"]


def test_what_is_in_sight_is_a_ruler_and_rows_of_two(scores: AttackScores) -> None:
    explorer = Explorer(scores=scores)
    shown = parse(explorer.svg_in_sight()).findall(f"{SVG}svg")
    places = [(float(each.get("x", "")), float(each.get("y", ""))) for each in shown]
    left, right = GAP, GAP + WIDTH + GAP
    assert [x for x, _ in places] == [left, left, right, left, right]
    ys = [y for _, y in places]
    assert ys == sorted(ys)
    assert len(set(ys)) == 3
    assert len(titles(explorer.svg())) > 10  # of all views


def test_groups_are_data(scores: AttackScores) -> None:
    view = SlicesView(scores=scores)
    with pytest.raises(ValueError, match="SlicesView must have a picture"):
        view.svg()
    view.bound_method = "e_process"
    view.draw(view.result)
    view.compute()
    shown = texts(assert_sound(view.svg()))
    assert f"{EVIL[:25]}…" in shown
    assert "]]>" in shown


def test_files_are_refused_as_files_are(tmp_path: Path) -> None:
    view = RegionView()
    with pytest.raises(FileNotFoundError):
        view.save_svg(tmp_path / "missing" / "view.svg")
    with (tmp_path / "view.svg").open("w") as file, pytest.raises(TypeError):
        view.save_svg(file)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("save", "name", "suffix"),
    [("save_svg", "v.png", ".svg"), ("save_html", "v.SVG", ".html"), ("to_csv", "v.html", ".csv")],
)
def test_a_name_of_another_format_is_refused(
    tmp_path: Path, save: str, name: str, suffix: str
) -> None:
    with pytest.raises(ValueError, match=f"path must be a name that ends in {suffix}, got"):
        getattr(RegionView(), save)(tmp_path / name)
    assert not list(tmp_path.iterdir())
    RegionView().save_svg(tmp_path / "no_suffix")


@pytest.mark.parametrize("scale", [1, 2])
def test_a_png_has_its_size_and_is_not_blank(tmp_path: Path, scale: int) -> None:
    pytest.importorskip("resvg_py")
    view = RegionView(epsilon=1.0)
    view.save_png(tmp_path / "view.png", scale=scale)
    root = parse(view.svg())
    wide, high, rows = pixels_of_png((tmp_path / "view.png").read_bytes())
    assert (wide, high) == (520 * scale, scale * float(root.get("height", "")))
    assert len(set(rows)) > 100


@pytest.mark.parametrize("scale", [0, -1, 11, np.nan, "2"])
def test_a_scale_is_checked(tmp_path: Path, scale: float) -> None:
    with pytest.raises(ValueError, match="scale must be"):
        RegionView().save_png(tmp_path / "view.png", scale=scale)


def test_png_without_its_extra_says_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(ImportError, match=r"pip install 'dpviz\[png\]'"):
        RegionView().save_png(tmp_path / "view.png")
    assert not (tmp_path / "view.png").exists()


def test_png_without_a_font_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("resvg_py")
    monkeypatch.setattr(svg_png, "FONTS", "No Such Font")
    svg_png.has_font.cache_clear()
    try:
        with pytest.raises(OSError, match="none of these is installed: No Such Font"):
            RegionView().save_png(tmp_path / "view.png")
    finally:
        svg_png.has_font.cache_clear()


def test_a_notebook_carries_a_picture_beside_the_widget() -> None:
    view, other = RegionView(epsilon=1.0), RegionView(epsilon=2.0)
    bundle = view._repr_mimebundle_(include=None, exclude=None)
    assert bundle[WIDGET]["model_id"] == view.model_id
    names = ("region_lead", "region", "implied", "same_inequality", "flipped")
    said = [view.result.sentences[name] for name in names]
    assert bundle["text/plain"].split("\n") == ["What ε = 1 allows", *said]
    still = view.static_bundle()
    root = assert_sound(still["image/svg+xml"])
    (image,) = re.findall('src="data:image/svg.xml;base64,([^"]+)"', still["text/html"])
    assert b64decode(image).decode() == still["image/svg+xml"]
    assert said[0] in unescape(still["text/html"])  # the text of the image
    css_class = f"dpviz-still-{view.model_id[:8]}"
    assert f'class="dpviz-still {css_class}"' in still["text/html"]
    rules = "".join(each.value for each in view.children if isinstance(each, ipywidgets.HTML))
    assert f".{css_class} {{ display: none; }}" in rules
    ids = {e.get("id") for e in root.iter() if e.get("id")}
    theirs = {e.get("id") for e in parse(other.static_bundle()["image/svg+xml"]).iter()}
    assert ids.isdisjoint(theirs)  # both may stand in one page


def test_what_shows_nothing_yet_says_how_to_make_it_live() -> None:
    still = BoundsView().static_bundle()
    assert set(still) == {"text/html"}
    assert "run the cell to make it live" in still["text/html"]


def test_a_file_that_cannot_be_written_stays_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(_source: object, _target: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    path = tmp_path / "view.svg"
    path.write_text("the old one")
    path.chmod(0o640)
    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(OSError, match="No space left"):
        RegionView().save_svg(path)
    assert path.read_text() == "the old one"
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    link = tmp_path / "link.svg"
    link.symlink_to(path)
    RegionView().save_svg(link)
    assert link.is_symlink()
    assert path.read_text("utf-8").startswith("<svg")
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_is_saved_has_the_audit(scores: AttackScores, tmp_path: Path) -> None:
    explorer = Explorer(scores=scores, epsilon=0.5)
    assert explorer.result.sample.audit.pending
    explorer.save_svg(tmp_path / "all.svg")
    assert not explorer.result.sample.audit.pending
    assert "The losses contradict the claim ε = 0.5." in (tmp_path / "all.svg").read_text("utf-8")


def test_explore_gives_the_picture_of_analyze(scores: AttackScores) -> None:
    """The same layers by either way: the region of an explorer is that of its result."""
    alone = Analysis(scores).result(Spec.of(fpr=0.1)).svg("region")
    assert RegionView(scores=scores, fpr=0.1).svg() == alone


@pytest.mark.slow
def test_what_a_view_says_of_its_own_stands_below_its_pictures() -> None:
    explorer = Explorer(claim=theory.GaussianDP(mu=1.0), tab="how")
    view = next(view for view in explorer.views if isinstance(view, MechanismView))
    words = explorer._repr_mimebundle_()["text/plain"]
    for lead, why in zip(view.texts, view.why, strict=True):
        sentences = re.findall(r">([^<]+)</div>", lead.value + why.value)
        assert len(sentences) == 2
        for said in sentences:
            assert unescape(said) in words
            assert unescape(said) in unescape(view.svg())
