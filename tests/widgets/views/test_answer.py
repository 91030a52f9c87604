"""The view of the answer: it computes the audit by itself, once for all views of its store."""

from typing import Any

import numpy as np
import pytest

from dpviz import AttackScores, Spec
from dpviz.theory import ApproximateDP
from dpviz.widgets import AnswerView, AuditView
from dpviz.widgets.state.store import Store
from tests.widgets.base.test_job import in_a_loop, until


def test_one_job_for_all_views_of_a_store(
    scores: AttackScores, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Spec] = []
    prepare = Store.prepare_audit

    def noted(self: Store, spec: Spec, **kwargs: Any) -> None:
        asked.append(spec)
        prepare(self, spec, **kwargs)

    monkeypatch.setattr(Store, "prepare_audit", noted)
    states: list[str] = []

    async def main() -> None:
        store = Store(scores)
        view, table = AnswerView(store=store), AuditView(store=store)
        assert view.audit is table.audit
        store.subscribe(lambda result: states.append(result.answer.state), lambda: None)
        assert "is not computed yet" in view.text.value
        assert store.live is not None
        store.live.ready = True
        assert view.audit.job.is_running
        await until(lambda: not view.audit.job.is_running)
        assert view.result.sample is not None
        assert not view.result.sample.audit.pending
        assert 'role="status"' in view.text.value
        assert "<em>contradict</em>" in view.text.value
        assert "not about the training method" in view.limits.value
        table.close()
        view.close()

    in_a_loop(main)
    assert len(asked) == 1
    assert states[0] == "computing"
    assert states[-1] == "contradicted"


def test_where_the_answer_depends_on_the_neighbours_it_is_asked() -> None:
    """Their certified epsilon lies between that of the claim and twice as much."""
    rng = np.random.default_rng(1)
    losses = [rng.normal(mean, 1.0, 1000) for mean in (0.0, 0.7)]
    view = AnswerView(scores=losses, epsilon=1.0, delta=1e-5)
    assert view.other_reading.is_hidden
    view.compute()
    assert ("The claim is read as replace-one. Read as add/remove, it allows") in view.text.value
    assert view.result.answer.state == "contradicted"
    assert not view.other_reading.is_hidden
    assert view.other_reading.description == "Read it as add/remove"
    view.other_reading.click()
    view.compute()
    assert view.store.spec.claim == ApproximateDP(epsilon=1.0, delta=1e-5, adjacency="add_remove")
    assert view.result.answer.state != "contradicted"
    assert view.other_reading.description == "Read it as replace-one"
    view.epsilon = 5.0
    assert view.other_reading.is_hidden


def test_the_last_view_that_is_closed_takes_the_work_along(scores: AttackScores) -> None:
    async def main() -> None:
        store = Store(scores)
        view, other = AnswerView(store=store), AnswerView(store=store)
        assert store.live is not None
        store.live.ready = True
        view.close()
        assert other.audit.job.is_running
        other.close()
        assert not other.audit.job.is_running

    in_a_loop(main)


def test_the_reason_of_a_refusal_is_escaped(scores: AttackScores) -> None:
    view = AnswerView(scores=scores, confidence_level=0.999999)
    view.compute()
