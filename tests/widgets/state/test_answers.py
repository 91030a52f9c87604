"""Computed answers belong to results: kept by question, drawn from there, found again by undo."""

from html import unescape

import pytest

from dpviz import AttackScores
from dpviz.audit import lower_bound
from dpviz.widgets import BoundsView, Store
from tests.widgets.words import words


@pytest.fixture
def store() -> Store:
    members, nonmembers = [0.1, 0.2, 0.3, 0.4], [0.35, 0.6, 0.7, 0.8, 0.9]
    return Store(AttackScores.from_losses(member=members, nonmember=nonmembers))


def test_an_answer_goes_with_its_question_and_undo_finds_it_again(store: Store) -> None:
    view = BoundsView(store=store)
    assert "bounds" not in store.result.answers
    view.compute()
    part = store.result.answers["bounds"]
    assert store.scores is not None
    assert part.chosen_bound is not None
    assert part.chosen_bound.low == lower_bound(store.scores, delta=1e-5).low
    view.fpr = 0.3
    assert store.result.answers["bounds"] is part
    view.delta = 1e-3
    assert "bounds" not in store.result.answers
    waiting = "Nothing is computed yet for these scores and settings. Press “Compute”."
    assert waiting in view.text.value
    store.undo()
    assert store.result.answers["bounds"] is part
    assert store.result.sentences["bounds"] in unescape(words(view))
    assert view.table.value.count("<tr>") > len(part.bounds)
    store.load(None)
    assert "bounds" not in store.result.answers


def test_layers_draw_the_answer_of_a_result_without_a_view(store: Store) -> None:
    view = BoundsView(store=store)
    view.compute()
    assert 'id="bounds-bars-0"' in store.result.svg("bounds")
    assert store.result.sentences["bounds"].split()[0] in store.result.svg("bounds")


def test_views_with_other_choices_show_their_own_answers(store: Store) -> None:
    one, other = BoundsView(store=store), BoundsView(store=store)
    other.choose(directions="both")
    one.compute()
    assert one.shown.bounds
    assert not other.shown.bounds
    other.compute()
    assert other.shown.question.directions == "both"
    assert one.shown.question.directions == "attack"
    other.close()
    store.refresh()
    assert store.result.answers["bounds"] is one.shown
