"""Python's end of the browser's half: questions in, state out; no browser here."""

import shutil
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import dpviz
from dpviz import AttackScores, theory
from dpviz.analysis.spec import NUMBER_FIELDS
from dpviz.analysis.state.browser_state import closed_form_state
from dpviz.widgets import Explorer, ProcessingView, RegionView, RiskView, Store
from dpviz.widgets.state.live import STATE_FIELDS, LiveUpdater


@pytest.fixture
def explorer(scores: AttackScores) -> Explorer:
    """With few views: what is tested here is the same, and it is made in a seventh of the time."""
    return dpviz.explore(scores, layout=["region", "tradeoff"])


def live_of(view: Any) -> LiveUpdater:
    live = view.store.live
    assert isinstance(live, LiveUpdater)
    return live


def told(live: LiveUpdater) -> dict[str, object]:
    """What the kernel says, with the last question it has seen."""
    names = (*NUMBER_FIELDS, *STATE_FIELDS, "answers")
    return {name: getattr(live, name) for name in names}


def ask(live: LiveUpdater, field: str, **changes: object) -> None:
    """As a control of the browser asks."""
    key = next(told["key"] for told in live.controls if told["field"] == field)
    live.hand = {"serial": live.hand["serial"] + 1, "changes": {key: changes}}


def test_a_question_changes_the_spec_and_is_answered(explorer: Explorer) -> None:
    live = live_of(explorer)
    ask(live, "epsilon", epsilon=2.5)
    assert explorer.epsilon == 2.5
    assert told(live) == {**closed_form_state(explorer.result), "answers": 1}
    ask(live, "epsilon", epsilon="inf")
    assert explorer.epsilon == float("inf")
    assert live.epsilon == "inf"


def test_widgets_with_a_half_in_the_browser_bring_its_script(explorer: Explorer) -> None:
    for widget in (live_of(explorer), explorer.source.uploads.zone, explorer.tab_bar):
        assert "export" in widget.get_state()["_esm"]


def test_the_browser_knows_what_is_dragged_and_in_which_direction(explorer: Explorer) -> None:
    labels = [label for picture in live_of(explorer).pictures for label in picture["labels"]]
    assert {label["drag"] for label in labels} == {"both", "x", ""}


def test_the_label_of_the_claim_has_the_first_choice_of_a_place(scores: AttackScores) -> None:
    live = live_of(dpviz.explore(scores, layout=["epsilon_star"]))
    first, second, *others = live.pictures[-1]["labels"]  # after the ruler
    assert (first["kind"], first["drag"]) == ("points", "")
    assert second["drag"] == "x"  # then handles, points and lines
    is_line = [label["kind"] != "points" for label in others]
    assert is_line == sorted(is_line)


def test_one_question_of_many_changes_is_one_new_state(explorer: Explorer) -> None:
    live, seen = live_of(explorer), []
    keys = {told["field"]: told["key"] for told in live.controls}
    live.observe(lambda change: seen.append(change["new"]), "answers")
    changes = {keys[name]: {name: 0.25} for name in ("epsilon", "prior", "fpr")}
    live.hand = {"serial": 5, "changes": changes}
    assert (explorer.epsilon, explorer.prior, explorer.fpr) == (0.25, 0.25, 0.25)
    assert seen == [5]
    live.hand = {"serial": 4, "changes": {keys["fpr"]: {"fpr": 0.5}}}  # older than the answer
    live.hand = {"serial": 5, "changes": {keys["fpr"]: {"fpr": 0.75}}}  # said again
    assert explorer.fpr == 0.25


def test_what_is_refused_is_said_and_answered(explorer: Explorer) -> None:
    live, result = live_of(explorer), explorer.result
    ask(live, "delta", delta=2.0)
    assert explorer.error == "δ must be from 0 to 1 (you typed 2)."
    assert explorer.result is result
    assert told(live) == {**closed_form_state(result), "answers": 1}


@pytest.mark.parametrize("name", ["__class__", "self", "store", "output", "delta", "claim.mu", ""])
def test_a_control_changes_its_own_field_only(name: str) -> None:
    """A name becomes that of an argument, and of an attribute of a view."""
    view = ProcessingView(epsilon=1.0)
    live, before = live_of(view), view.result
    for told in (*live.controls, *live.pictures):
        if name != told.get("field", "delta") or not name:
            with pytest.raises(ValueError, match=r"^field must be "):
                live.hand = {"serial": 1, "changes": {told["key"]: {"fpr": 0.5, name: 0.0}}}
    assert view.result is before
    assert live.answers == 0


def test_a_parameter_of_the_claim(explorer: Explorer) -> None:
    live = live_of(explorer)
    explorer.store.update(claim=theory.GaussianDP(mu=1.0))
    ask(live, "claim.mu", **{"claim.mu": 3.0})
    assert explorer.result.spec.claim == theory.GaussianDP(mu=3.0)
    gone = next(told["key"] for told in live.controls if told["field"] == "claim.mu")
    explorer.store.update(claim=theory.PureDP(epsilon=1.0))
    live.hand = {"serial": 9, "changes": {gone: {"claim.mu": 1.0}}}
    assert explorer.result.spec.claim == theory.PureDP(epsilon=1.0)
    assert explorer.error == ""
    assert live.answers == 9


def test_python_draws_until_the_browser_is_ready_and_where_it_cannot(scores: AttackScores) -> None:
    view = RegionView(scores=scores)
    live, text = live_of(view), view.texts["region"]
    view.epsilon = 2.0
    assert "ε = 2, " in text.value
    live.ready = True
    view.epsilon = 3.0
    assert "ε = 2, " in text.value
    view.store.update(claim=theory.RandomizedResponse(epsilon=1.0, categories=3))
    assert live.claim is None
    assert "randomized response" in text.value
    view.store.update(claim=theory.PureDP(epsilon=4.0))
    assert "randomized response" in text.value


def test_a_closed_explorer_leaves_nothing_and_the_store_goes_on(scores: AttackScores) -> None:
    store = Store(scores)
    stays = RiskView(store=store)
    live = live_of(stays)
    before = (live.controls, live.pictures, live.texts, dict(live._askers))
    explorer = Explorer(store=store)
    store.update(claim=theory.GaussianDP(mu=1.0))
    store.update(claim=theory.GaussianMechanism(noise_multiplier=1.0))
    assert len(live.controls) == 5
    assert len(live.pictures) > len(before[1])
    explorer.close()
    assert (live.controls, live.pictures, live.texts, live._askers) == before
    assert {entry.owner for entry in live._owned} == {stays}
    store.update(claim=theory.GaussianDP(mu=2.0))
    assert live.claim["parameters"] == {"mu": 2.0}
    assert (live.controls, live.pictures, live.texts) == before[:3]


@pytest.fixture
def _switching() -> Any:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.slow
@pytest.mark.usefixtures("_switching")
def test_questions_from_a_second_thread_lose_nothing() -> None:
    store = Store()
    view = RegionView(store=store)
    live = live_of(view)
    key = live.pictures[0]["key"]

    def questions() -> None:
        for serial in range(1, 201):
            live.hand = {"serial": serial, "changes": {key: {"fpr": serial / 1000}}}

    asking = Thread(target=questions, daemon=True)
    asking.start()
    for i in range(200):
        store.update(prior=(i + 1) / 1000)
    asking.join(timeout=300)
    assert not asking.is_alive()
    assert (store.spec.fpr, store.spec.prior) == (0.2, 0.2)
    assert told(live) == {**closed_form_state(store.result), "answers": 200}


def test_a_question_beside_a_change_is_not_answered_before_it_is_done() -> None:
    store = Store()
    live = live_of(RegionView(store=store))
    question = {"serial": 1, "changes": {live.pictures[0]["key"]: {"fpr": 0.5}}}
    asking = Thread(target=live.set_trait, args=("hand", question), daemon=True)
    answers = []

    def follow() -> None:
        if store.spec.epsilon == 2.0 and not answers:
            asking.start()
            asking.join(timeout=0.2)  # it waits for this change
            answers.append(live.answers)

    store.subscribe(lambda _: None, follow)
    store.update(epsilon=2.0)
    asking.join(timeout=300)
    assert not asking.is_alive()
    assert (answers, live.answers, store.spec.fpr) == ([0], 1, 0.5)


@pytest.mark.slow
def test_without_the_bundle_everything_works_through_python(tmp_path: Path) -> None:
    home = Path(dpviz.__file__).parent
    shutil.copytree(home, tmp_path / "dpviz", ignore=shutil.ignore_patterns("*.js", "__pycache__"))
    code = (
        "import dpviz; e = dpviz.explore(); assert e.store.live is None; e.epsilon = 2.0; "
        "assert e.controls['epsilon'].box.value == '2'; print(dpviz.__file__); "
        "assert 'ε = 2, ' in e.views[0].texts['region'].value; "
        "assert 'did not load' in e.late_line.value"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path))


def test_the_name_that_is_heard_of_a_control_begins_with_the_name_that_is_seen(
    explorer: Explorer,
) -> None:
    """Label in Name (WCAG 2.5.3), by which a voice finds the control."""
    seen = [each.slider.description for each in explorer.controls.values()]
    heard = [str(each["label"]) for each in live_of(explorer).controls[: len(seen)]]
    assert [name.partition(":")[0] for name in heard] == seen == ["ε", "δ", "prior p", "FPR"]
    assert heard[0] == "ε: of the claim; smaller is more private"
    assert heard[1].count("δ") == 1
