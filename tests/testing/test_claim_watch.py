"""Trainings that are stopped: plain loops, and callbacks of stand-ins for other libraries."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import dpviz
from dpviz import audit, theory
from dpviz.testing import ClaimWatch
from dpviz.widgets import WealthView

CLAIM = theory.PureDP(epsilon=1.0)


class Model:
    """Leaks from its third epoch on."""

    def __init__(self) -> None:
        self.epochs = 0
        self.stop_training = False
        self.rng = np.random.default_rng(2)

    def scores(self) -> tuple[Any, Any]:
        leak = 3.0 if self.epochs >= 3 else 0.0
        return self.rng.normal(leak, 1, 300), self.rng.normal(0, 1, 300)


def watch_of(claim: Any = CLAIM, every: int = 1) -> ClaimWatch:
    return ClaimWatch(claim, Model.scores, every=every)


@pytest.mark.parametrize(("every", "stops"), [(1, 3), (2, 4)])
def test_a_plain_loop_stops_at_the_first_checkpoint_that_leaks(every: int, stops: int) -> None:
    model, watch = Model(), watch_of(every=every)
    for model.epochs in range(1, 10):
        if watch(model):
            break
    assert (model.epochs, watch.test.contradicted) == (stops, (f"epoch {stops}",))


def test_a_true_claim_stops_nothing() -> None:
    model, watch = Model(), watch_of(theory.PureDP(epsilon=8.0))
    stopped = []
    for model.epochs in range(1, 8):
        stopped.append(watch(model))
    assert not any(stopped)


def stand_in(monkeypatch: pytest.MonkeyPatch, *names: str, called: str = "Callback") -> Any:
    """Modules of these names, the last one with an empty class, which is returned."""
    callback = type(called, (), {})
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    setattr(sys.modules[names[-1]], called, callback)
    return callback


def test_keras_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    base = stand_in(monkeypatch, "keras", "keras.callbacks")
    model = Model()
    callback: Any = watch_of().keras()
    assert isinstance(callback, base)
    callback.model = model  # as Keras does before the first epoch
    while not model.stop_training:
        model.epochs += 1
        callback.on_epoch_end(model.epochs - 1, {"loss": 0.1})
    assert model.epochs == 3


@pytest.mark.parametrize("names", [("lightning", "lightning.pytorch"), ("pytorch_lightning",)])
def test_lightning_is_stopped(monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]) -> None:
    for name in ("lightning", "lightning.pytorch", "pytorch_lightning"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    base = stand_in(monkeypatch, *names)
    model = Model()
    callback: Any = watch_of().lightning()
    assert isinstance(callback, base)
    trainer: Any = ModuleType("trainer")
    trainer.should_stop = False
    while not trainer.should_stop:
        model.epochs += 1
        callback.on_train_epoch_end(trainer, model)
    assert model.epochs == 3


def test_a_trainer_of_hugging_face_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    base = stand_in(monkeypatch, "transformers", called="TrainerCallback")
    model = Model()
    callback: Any = watch_of().transformers()
    assert isinstance(callback, base)
    control: Any = ModuleType("control")
    control.should_training_stop = False
    while not control.should_training_stop:
        model.epochs += 1
        # As `CallbackHandler.call_event` of transformers 4.57: by position, then by keyword.
        callback.on_epoch_end(None, None, control, model=model, optimizer=None)
    assert model.epochs == 3


def test_a_picture_is_drawn_at_each_checkpoint() -> None:
    test = audit.evidence.Checkpoints(CLAIM)
    view, model, said = WealthView(test), Model(), []
    watch = ClaimWatch(test, Model.scores, every=2, on_checkpoint=view.update)
    for model.epochs in range(1, 5):
        watch(model)
        said.append(view.sentence.partition(". ")[2])
    assert said == ["", *["Contradicted at 0 of 1 checkpoints."] * 2, said[3]]
    assert said[3] == "Contradicted at 1 of 2 checkpoints: epoch 4."


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="scores must be a function of the model"):
        ClaimWatch(CLAIM, ([1.0], [0.0]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="every must be a whole number"):
        watch_of(every=0)
    with pytest.raises(ValueError, match="claim must be an"):
        watch_of(theory.GaussianDP(mu=1.0))
    for scored in (None, [1.0, 2.0, 3.0]):
        with pytest.raises(ValueError, match="scores must be a function that returns two arrays"):
            ClaimWatch(CLAIM, lambda _, scored=scored: scored)(None)  # type: ignore[misc]
    nothing = ClaimWatch(audit.evidence.Checkpoints(CLAIM), lambda _: ([float("nan")], [0.0]))
    with pytest.raises(ValueError, match="member must be finite"):
        nothing(None)


@pytest.mark.parametrize("claimed", [1.0, 8.0])
def test_scores_of_canaries_stop_a_training_by_their_coins(
    monkeypatch: pytest.MonkeyPatch, claimed: float
) -> None:
    base = stand_in(monkeypatch, "keras", "keras.callbacks")
    plan = dpviz.canaries(n=200, among=range(500), seed=10**40)
    claim = theory.ApproximateDP(claimed, 0.0, adjacency="add_remove")
    test, members = audit.evidence.CanaryCheckpoints(plan, claim, planned=6), set(plan.members())

    def scores(model: Model) -> dict[Any, float]:
        leak = 3.0 if model.epochs >= 3 else 0.0
        return {each: model.rng.normal(leak * (each in members)) for each in plan.canaries}

    model = Model()
    callback: Any = ClaimWatch(test, scores).keras()
    assert isinstance(callback, base)
    callback.model = model
    while not model.stop_training and model.epochs < 6:
        model.epochs += 1
        callback.on_epoch_end(model.epochs - 1, {})
    assert (model.epochs, test.contradicted) == ((3, ("epoch 3",)) if claimed == 1 else (6, ()))


def test_a_watch_goes_on_after_an_interruption(tmp_path: Path) -> None:
    plan = dpviz.canaries(n=60, among=range(100), seed=10**40)
    claim = theory.ApproximateDP(1.0, 0.0, adjacency="add_remove")
    test, path = audit.evidence.CanaryCheckpoints(plan, claim), tmp_path / "test.json"
    members = set(plan.members())

    def scores(leak: float) -> dict[Any, float]:
        return {each: leak * (each in members) for each in plan.canaries}

    ClaimWatch(test, scores, on_checkpoint=lambda: test.save(path))(0.0)
    watch = ClaimWatch(audit.evidence.CanaryCheckpoints.resume(path, plan), scores)
    watch.epochs = 1
    assert watch(3.0)
    assert ([*watch.test.tests], watch.test.contradicted) == (["epoch 1", "epoch 2"], ("epoch 2",))
