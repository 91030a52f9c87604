"""One naming for every sentence, table and axis."""

import re

import pytest

import dpviz
from dpviz import Spec
from dpviz.analysis import Analysis, Result
from dpviz.analysis.state.browser_state import closed_form_state, text_templates
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.analysis.topics.registry import SCENES, SENTENCES, TABLES
from dpviz.drawing.scene import Scene
from dpviz.drawing.svg import SvgFrame
from dpviz.naming import NAMINGS

RATES = re.compile(r"\b(FPR|FNR|TPR|TNR)s?\b")


@pytest.fixture(scope="module")
def result() -> Result:
    return dpviz.analyze(dpviz.read_sample("overfitted"), naming="statistics", fpr=0.01)


def drawn(scene: Scene, result: Result) -> str:
    """Axes, marks and their names."""
    frame = SvgFrame(scene)
    frame.draw_layers(scene.layers(), result)
    return frame.svg()


@pytest.mark.parametrize(
    ("naming", "text", "renamed"),
    [
        ("words", "TPR at FPR 1 %", "TPR at FPR 1 %"),
        ("statistics", "At FPR {fpr} it misses FNR = 3 %", "At α = {fpr} it misses β = 3 %"),
        ("statistics", "as the FPR goes to 0", "as α goes to 0"),
        ("statistics", "at the smallest FPRs", "at the smallest values of α"),
        ("hypothesis", "largest TPR - FPR", "largest (1 - β) - α"),
        ("lecture", "TPR/FPR", "(1 - type I error)/type II error"),
        ("epsilon_star", "TNR/FNR; FNR 3 %", "(1 - t)/η; η = 3 %"),
        ("attribute", "a hit: the record was a member", "a hit: the record had the attribute"),
        ("attribute", "3 of 100 non-members", "3 of 100 records without the attribute"),
        ("attribute", "{members} said “non-member”", "{members} said “lacks it”"),
        ("attribute", 'column "member" of members.csv', 'column "member" of members.csv'),
        (
            "attribute",
            "2 % (for a non-member's output: 1 %)",
            "2 % (for the output of a record without the attribute: 1 %)",
        ),
        ("attribute", "takes a member's place", "takes the place of a record with the attribute"),
        ("attribute", "from the members' mean", "from the mean of the records with the attribute"),
        ("attribute", "from the members';", "from that of the records with the attribute;"),
        ("attribute", "A member's output says", "The output of a record with the attribute says"),
        ("statistics", "FPRX, tpr and _FPR_ stay", "FPRX, tpr and _FPR_ stay"),
    ],
)
def test_terms_take_the_places_of_rates(naming: str, text: str, renamed: str) -> None:
    assert NAMINGS[naming].renamed(text) == renamed  # type: ignore[index]


def test_no_text_has_another_naming(result: Result) -> None:
    quoted = {name for name, each in SENTENCES.items() if each.user_text}
    assert "naming" in quoted
    assert "answer" not in quoted
    for name, text in result.sentences.items():
        assert name in quoted or not RATES.search(text), name
    for name, table in result.tables.items():
        cells = [] if TABLES[name].user_text else [cell for row in table.rows for cell in row]
        assert not RATES.search(" ".join([table.caption, *table.head, *cells])), name
    browser = [*text_templates(result).values(), *closed_form_state(result)["tails"].values()]
    assert not any(map(RATES.search, browser))
    for name, scene in SCENES.items():
        if not scene.is_empty(result):
            assert not RATES.search(drawn(scene, result)), name


@pytest.mark.slow
def test_attribute_inference_has_no_members() -> None:
    result = dpviz.analyze(dpviz.read_sample("overfitted"), naming="attribute", fpr=0.01)
    said = [text for name, text in result.sentences.items() if not SENTENCES[name].user_text]
    for name, table in result.tables.items():
        said += [] if TABLES[name].user_text else [table.caption, *map(" ".join, table.rows)]
    for scene in SCENES.values():
        said += [] if scene.is_empty(result) else [scene.title_of(result), drawn(scene, result)]
    assert not [text for text in said if re.search(r"\bmember", text)]
    slots = re.compile(r"{\w+}")  # names of numbers
    assert not any("member" in slots.sub("", text) for text in text_templates(result).values())


def test_the_lecture_exchanges_the_names_of_the_axes() -> None:
    results = (dpviz.analyze(naming=naming) for naming in ("statistics", "lecture"))
    usual, swapped = (drawn(SCENES["tradeoff"], result) for result in results)
    assert "accused (type I error α)" in usual
    assert "missed (type II error β)" in usual
    assert "accused (type II error)" in swapped
    assert "missed (type I error)" in swapped


def test_what_nobody_claims_is_named_by_its_epsilon() -> None:
    drawn_only = Spec(tested=False, fpr=0.01)
    analysis = Analysis(dpviz.read_sample("overfitted"))
    chosen, claimed = map(analysis.result, (drawn_only, drawn_only.changed(epsilon=2.0)))
    for result, label, others in ((chosen, "at ε = 1", "claim"), (claimed, "claim", "at ε = 1")):
        for name in ("region", "tradeoff"):
            texts = re.sub("<[^>]*>", " ", drawn(SCENES[name], result))
            assert re.search(label.replace(" ", r"\s+"), texts), name  # perhaps on two lines
            assert others not in texts, name
    marks = [drawn(SCENES["epsilon_star"], result) for result in (chosen, claimed)]
    assert [re.findall(r">((?:ε =|claimed) \d)<", text)[0] for text in marks] == [
        "ε = 1",
        "claimed 2",
    ]
    for name in ("tradeoff_lead", "tail_lead", "risk_lead", "region", "people", "odds", "risk"):
        assert "ε = 1" in chosen.sentences[name]
        assert "the claim" not in chosen.sentences[name]
        assert "the claim" in claimed.sentences[name]
    heads = [result.sentences["readout_claim"] for result in (chosen, claimed)]
    assert heads == ["ε = 1", "claim"]


def test_words_of_users_stay() -> None:
    facts = {"attack": {"note": "chosen at FPR 1 %"}}
    shown = dpviz.analyze(dpviz.read_sample("null"), naming="statistics", facts=facts)
    assert "chosen at FPR 1 %" in shown.sentences["checklist_stated"]


def test_counts_at_the_threshold_are_named(result: Result) -> None:
    _, head, rows = result.tables["counts"]
    assert head == ("", "H0 rejected", "H0 not rejected")
    # By hand: 5 of 300 members and 14 of 1497 non-members have a loss of at most -13.965.
    assert rows == [
        ("H1 is true: members", "5 (power 1.67 %)", "295 (β = 98.3 %)"),
        ("H0 is true: non-members", "14 (α = 0.935 %)", "1483 (1 - α = 99.1 %)"),
    ]


def test_the_naming_is_part_of_the_state() -> None:
    state = state_of(Spec(naming="lecture"))
    assert from_state(state)[0].naming == "lecture"
    with pytest.raises(ValueError, match="naming must be one of 'words', 'statistics'"):
        Spec(naming="greek")  # type: ignore[arg-type]


def test_a_tpr_is_another_word_for_an_fnr() -> None:
    spec = Spec.of(tpr=0.9)
    assert (spec.fnr, spec.tpr) == (0.1, 0.9)
    assert spec.changed(tpr=None).fnr is None
    with pytest.raises(ValueError, match="tpr must be left out if fnr is given"):
        Spec.of(tpr=0.9, fnr=0.1)
    with pytest.raises(ValueError, match=r"tpr must be in \[0, 1\], got 2.0"):
        Spec.of(tpr=2.0)
