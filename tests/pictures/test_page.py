"""Saved pages without a browser: one file that loads nothing, texts as data, refusals."""

import csv
import hashlib
import json
import re
import subprocess
import sys
from datetime import date
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

import dpviz
from dpviz import AttackScores, Spec, theory
from dpviz.analysis import Analysis, Result
from dpviz.analysis.state.browser_state import closed_form_state
from dpviz.analysis.topics.claim import short_name
from dpviz.analysis.topics.registry import (
    SCENES,
    text_names,
)
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import Line
from dpviz.drawing.scene import Scene
from dpviz.pictures.page import SCRIPT, SavedPicture, json_for_html, saved_page_html
from dpviz.widgets import BoundsView, Explorer, RegionView, ScoresView, SlicesView
from dpviz.widgets.controls.fields import NumberControl

SAMPLES_FOLDER = Path(dpviz.data.__file__).parent / "samples"
EVIL = ["<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "-->", "\"'&amp;"]
OVERLAYS = (
    theory.GaussianDP(mu=1.0),
    theory.ApproximateDP(epsilon=3.0, delta=1e-3),
    theory.LaplaceMechanism(epsilon=2.0),
    theory.PureDP(epsilon=0.5),
    theory.GaussianDP(mu=2.0),
    theory.TotalVariation(delta=0.2),
)


class Labelled(Layer):
    """A layer whose line has a name from elsewhere."""

    def add_marks(self) -> None:
        self._line = self.add("line", Line(color="#000000", label=EVIL[0]))

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        return ()

    def draw(self, result: Result) -> None:
        self._line.draw(np.array([[0.0, 1.0], [1.0, 0.0]]))


class Page(HTMLParser):
    """What a browser would see: elements with attributes, and their texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.texts.setdefault(self._open, []).append(data)

    def having(self, name: str) -> list[str]:
        return [
            value or "" for _, given in self.elements for n, value in given.items() if n == name
        ]

    def said(self) -> dict[str, object]:
        (block,) = (text for text in self.texts["script"] if text.startswith("{"))
        return dict(json.loads(block))


def page_of(result: Result, *names: str) -> Page:
    pictures = [
        SavedPicture(SCENES[n], result, n, [result.sentences[s] for s in text_names(SCENES[n])])
        for n in names
    ]
    return Page(saved_page_html(result, pictures))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("saved") / "full.html"
    dpviz.explore(dpviz.read_sample("overfitted"), epsilon=1.0, overlays=OVERLAYS).save_html(path)
    return path.read_text("utf-8")


def test_a_script_gets_the_labels_of_a_claim_to_be_ready_when_epsilon_moves() -> None:
    result = Analysis(dpviz.read_sample("overfitted")).result(Spec(tested=False))
    picture = SavedPicture(SCENES["region"], result, "p", [])
    texts = {text for label in picture.browser_data()["labels"] for text in label["texts"]}
    assert "allowed by the claim" in texts
    assert "allowed at ε = 1" in picture.html()
    assert "by the claim" not in picture.html()


def test_what_a_long_page_says_after_the_answer_and_the_board_is_folded(full: str) -> None:
    first, *shown, last = Page(full).texts["summary"]
    assert first == "What this does not say"
    assert shown == ["What this shows"] * 4
    assert last == f"{full.count('<figure>') - 5} further pictures"  # but the ruler and the board
    chosen = page_of(Analysis(None).result(Spec()), "region", "tradeoff", "risk", "profile", "tail")
    assert chosen.texts["summary"] == [first, *shown]


def test_a_page_is_small_and_loads_nothing(full: str) -> None:
    assert len(full.encode()) < 340_000
    page = Page(full)
    assert {"link", "img", "iframe", "object", "base"}.isdisjoint(tag for tag, _ in page.elements)
    assert not page.having("src")
    assert not page.having("href")
    (policy,) = (c for c in page.having("content") if "default-src" in c)
    assert policy == (
        "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
    )
    markup = re.sub("<script type=.module.>.*?</script>", "", full, flags=re.DOTALL)
    assert not re.search(r"url\((?!#)|https?:", markup)


def test_ids_are_unique_and_what_the_script_moves_is_there(full: str) -> None:
    page = Page(full)
    ids = page.having("id")
    assert len(set(ids)) == len(ids)
    pictures = page.said()["pictures"]
    assert isinstance(pictures, list)
    layers = [layer for picture in pictures for layer in picture["layers"]]
    moved = {"ClaimRegion", "DeltaBand", "RegionPoint", "ClaimCurve", "ClaimOdds", "SelectedFpr"}
    moved |= {"RiskBounds", "PeopleDots", "PopulationCells", "ClaimedTick"}
    moved |= {"ClaimedEpsilon"}
    moved |= {"FlippedPoint", "GuessBounds", "ChanceWithoutOutput", "LeastCost", "DensityRatio"}
    assert {layer["name"] for layer in layers} == moved
    assert {mark for layer in layers for mark in layer["marks"].values()} < set(ids)
    assert {"answer", "region_lead", "tradeoff_lead"} <= set(page.having("data-sentence"))
    assert page.having("role").count("status") == 1  # the answer, which screen readers announce
    assert {element for said in page.having("aria-describedby") for element in said.split()} <= set(
        ids
    )


def test_the_script_cannot_end_early() -> None:
    code = SCRIPT.read_text("utf-8")
    assert "</script" not in code.lower()
    assert "<!--" not in code
    assert len(code.encode()) < 45_000


def test_the_script_is_told_the_state() -> None:
    result = dpviz.analyze(claim=theory.LaplaceMechanism(epsilon=np.inf))
    assert page_of(result, "region").said()["state"] == closed_form_state(result)


def test_the_footer_says_the_claim(full: str) -> None:
    claim = short_name(theory.ApproximateDP(epsilon=1.0, delta=1e-5))
    assert f"<p>Claim: {claim}. Saved at " in full


def test_the_script_knows_the_bound_that_contradicts_other_epsilons(full: str) -> None:
    said = Page(full).said()["state"]
    assert isinstance(said, dict)
    found = dpviz.audit.lower_bound(dpviz.read_sample("overfitted"), delta=1e-5)
    assert said["answer"]["bound"] == found.low


@pytest.mark.parametrize("field", ["epsilon", "delta", "prior", "fpr", "claim.noise_multiplier"])
def test_sliders_have_the_steps_of_the_explorer(field: str) -> None:
    said = page_of(
        dpviz.analyze(claim=theory.GaussianMechanism(noise_multiplier=1.0)), "region"
    ).said()
    controls = said["controls"]
    assert isinstance(controls, list)
    (found,) = (control for control in controls if control["field"] == field)
    live = Explorer(claim=theory.GaussianMechanism(noise_multiplier=1.0))
    name = field.removeprefix("claim.")
    control = (live.claim_menu.parameters if name != field else live.controls)[name]
    assert isinstance(control, NumberControl)
    (expected,) = (each for each in live.store.live.controls if each["field"] == field)
    assert found == {key: expected[key] for key in found}
    assert len(found["values"]) == control.slider.max + 1


def test_texts_are_data() -> None:
    result = dpviz.analyze()
    scene = Scene(
        title=EVIL[0],
        x=AxisSpec(label=EVIL[1]),
        y=AxisSpec(label=EVIL[2]),
        layers=lambda: [Labelled()],
    )
    page = Page(saved_page_html(result, [SavedPicture(scene, result, "p", EVIL)]))
    assert page.texts["h2"] == [SCENES["ruler"].title, EVIL[0]]
    assert [text for text in page.texts["p"] if text in EVIL] == EVIL
    assert {EVIL[1], EVIL[2]} <= set(page.texts["text"])
    assert "img" not in {tag for tag, _ in page.elements}  # nor in the legend
    assert [tag for tag, _ in page.elements].count("script") == 2
    assert not any(name.startswith("on") for _, given in page.elements for name in given)


def test_names_of_groups_are_data(tmp_path: Path) -> None:
    rng = np.random.default_rng(20)
    groups = {"member_groups": EVIL[:2] * 40, "nonmember_groups": EVIL[:2] * 50}
    scores = AttackScores.from_losses(
        member=rng.normal(0, 1, 80), nonmember=rng.normal(2, 1, 100), **groups
    )
    view = SlicesView(scores=scores)
    view.bound_method = "e_process"
    view.draw(view.result)
    view.compute()
    view.save_html(tmp_path / "slices.html")
    page = Page((tmp_path / "slices.html").read_text("utf-8"))
    assert any(text.startswith("<img src=x") for text in page.texts["text"])
    assert "img" not in {tag for tag, _ in page.elements}
    assert page.having("data-late") == ["answer", "all"]  # the answer's, and that of the groups


def test_json_in_a_page_holds_no_markup() -> None:
    text = json_for_html({name: [name] for name in EVIL})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {name: [name] for name in EVIL}


def test_a_claim_without_a_closed_form_is_a_picture_that_says_so() -> None:
    claim = theory.RandomizedResponse(epsilon=1.0, categories=4)
    page = page_of(dpviz.analyze(claim=claim), "region")
    assert {"script", "input", "button"}.isdisjoint(tag for tag, _ in page.elements)
    assert not page.having("role").count("status")
    assert "a browser cannot draw this claim" in " ".join(page.texts["p"])


def test_what_follows_altogether_needs_no_excuse() -> None:
    bare = dpviz.analyze()  # only the answer is as it was saved
    assert page_of(bare, "region").having("data-late") == []
    assert page_of(bare, "risk").having("data-late") == []
    assert page_of(bare, "tradeoff").having("data-late") == []
    assert page_of(dpviz.analyze(overlays=OVERLAYS), "region").having("data-late") == []
    attacked = dpviz.analyze(([0.1, 0.3, 0.2], [0.9, 0.5, 1.4, 0.7]))
    assert page_of(attacked, "region").having("data-late") == ["answer", "some"]
    assert page_of(attacked, "scores").having("data-late") == ["answer", "all"]


def test_pictures_that_need_scores_are_left_out_without(full: str, tmp_path: Path) -> None:
    assert SCENES["scores"].title in Page(full).texts["h2"]
    dpviz.explore().save_html(tmp_path / "bare.html")
    titles = Page((tmp_path / "bare.html").read_text("utf-8")).texts["h2"]
    assert "What ε = 1 allows" in titles
    assert SCENES["scores"].title not in titles
    ScoresView().save_html(tmp_path / "alone.html")  # asked for by itself
    alone = Page((tmp_path / "alone.html").read_text("utf-8"))
    assert alone.texts["h2"] == [SCENES["ruler"].title, SCENES["scores"].title]


def test_a_page_begins_with_the_answer(full: str) -> None:
    page = Page(full)
    (title,) = page.texts["title"]
    assert title == "Privacy audit of overfitted.csv: claim ε = 1 contradicted"
    (headline,) = page.texts["h1"]
    assert headline.replace("\N{NO-BREAK SPACE}", " ") == "The losses contradict the claim ε = 1."
    assert page.texts["h2"][0] == SCENES["ruler"].title
    said = " ".join(page.texts["p"]).replace("\N{NO-BREAK SPACE}", " ")
    assert "The losses certify ε ≥ 2.76 for this trained model" in said
    data = hashlib.sha256(b"loss")
    for wanted in ("1", "0"):
        with (SAMPLES_FOLDER / "overfitted.csv").open() as file:
            rows = [row for row in csv.DictReader(file) if row["member"] == wanted]
        data.update(np.array([-float(row["loss"]) for row in rows]).astype("<f8").tobytes())
    assert data.hexdigest() in said
    assert date.today().isoformat() in " ".join(page.texts["small"])


def test_a_page_says_nothing_that_says_nothing(full: str) -> None:
    for empty in ("Not computed", "Nothing computed", "Not worked out", "No round", "No scores"):
        assert empty not in full


def test_a_page_knows_no_path_of_this_machine(tmp_path: Path) -> None:
    folder = tmp_path / "secret-client"
    folder.mkdir()
    (folder / "mine.csv").write_text("loss,member\n" + "0.1,1\n0.2,1\n0.4,0\n0.3,0\n")
    view = RegionView(scores=folder / "mine.csv")
    view.save_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "secret-client" not in page
    assert "Privacy audit of mine.csv: claim ε = 1 " in page


def test_files_are_refused_as_files_are(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        RegionView().save_html(tmp_path / "missing" / "view.html")
    with pytest.raises(ValueError, match="BoundsView must have a picture"):
        BoundsView().save_html(tmp_path / "view.html")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_it_works_without_a_notebook(tmp_path: Path) -> None:
    code = "import dpviz; dpviz.explore(epsilon=2.0).save_html('x.html')"
    command = [sys.executable, "-W", "error::UserWarning", "-c", code]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=300)
    assert "ε = 2" in (tmp_path / "x.html").read_text("utf-8")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_no_browser_reads_is_not_written(number: float) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        json_for_html({"epsilon": number})
