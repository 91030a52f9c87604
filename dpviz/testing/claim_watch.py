"""`ClaimWatch`: stops a training as soon as the scores of an attack contradict its claim."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from numpy.typing import ArrayLike

from dpviz import checks
from dpviz.audit.evidence import CanaryCheckpoints, Checkpoints

Scored = tuple[ArrayLike, ArrayLike] | Mapping[Any, float]  # of both classes, or by identifier

TESTS = (Checkpoints, CanaryCheckpoints)


class ClaimWatch:
    """A test of the privacy claim of a training, repeated at checkpoints of the training.

    If the claim is true at all checkpoints, the training is stopped with probability at most
    ``1 - confidence_level`` of `test`, however many checkpoints there are (see
    `audit.evidence.Checkpoints` and, for canaries, `audit.evidence.CanaryCheckpoints`).

    Parameters
    ----------
    test : Checkpoints, CanaryCheckpoints, or a claim; the latter is tested at 95 % confidence
    scores : callable
        ``scores(model)`` returns the scores of members and those of non-members, each class in an
        order that does not depend on the model; for canaries, their scores by identifier. It has to
        leave the model as it is.
    every : int, at least 1, epochs from one checkpoint to the next
    on_checkpoint : callable, optional
        Called without arguments after each checkpoint, such as ``WealthView(test).update``.

    Attributes
    ----------
    epochs : int, epochs that have ended

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> from dpviz.testing import ClaimWatch
    >>> rng = np.random.default_rng(0)
    >>> def scores(leak):
    ...     return rng.normal(leak, 1, 300), rng.normal(0, 1, 300)
    >>> watch = ClaimWatch(audit.evidence.Checkpoints(theory.PureDP(epsilon=1), planned=5), scores)
    >>> for leak in [0.0, 0.5, 1.0, 2.0, 3.0]:  # one step of a training each
    ...     if watch(leak):
    ...         break
    >>> leak, watch.test.contradicted
    (2.0, ('epoch 4',))
    """

    def __init__(
        self,
        test: Any,
        scores: Callable[[Any], Scored],
        *,
        every: int = 1,
        on_checkpoint: Callable[[], object] = lambda: None,
    ) -> None:
        if not callable(scores):
            raise checks.fail("scores", "a function of the model", scores)
        self.test = test if isinstance(test, TESTS) else Checkpoints(test)
        self.every = checks.whole("every", every, 1)
        self.epochs = 0
        self._scores, self._on_checkpoint = scores, on_checkpoint

    def __call__(self, model: Any) -> bool:
        """Count an epoch and, at a checkpoint, test the claim; return whether it is contradicted.

        Raises ValueError if a score is not finite, or `test` was planned for fewer checkpoints.
        """
        self.epochs += 1
        if self.epochs % self.every == 0:
            self._test_checkpoint(f"epoch {self.epochs}", self._scores(model))
            self._on_checkpoint()
        return self.test.verdict == "contradicted"

    def _test_checkpoint(self, name: str, scored: Any) -> None:
        if isinstance(self.test, CanaryCheckpoints):
            self.test.update(name, scored)
            return
        try:
            member, nonmember = scored
        except (TypeError, ValueError):
            condition = "a function that returns two arrays, of members and of non-members"
            raise checks.fail("scores", condition, scored) from None
        self.test.update(name, member=member, nonmember=nonmember)

    def keras(self) -> Any:
        """Return a callback for ``model.fit(callbacks=[...])`` of Keras."""

        def on_epoch_end(callback: Any, *_: Any) -> None:
            if self(callback.model):
                callback.model.stop_training = True

        return _callback(on_epoch_end, "Callback", "keras.callbacks")

    def lightning(self) -> Any:
        """Return a callback for ``Trainer(callbacks=[...])`` of Lightning."""

        def on_train_epoch_end(_: Any, trainer: Any, module: Any) -> None:
            if self(module):
                trainer.should_stop = True

        return _callback(on_train_epoch_end, "Callback", "lightning.pytorch", "pytorch_lightning")

    def transformers(self) -> Any:
        """Return a callback for ``Trainer(callbacks=[...])`` of Hugging Face."""

        def on_epoch_end(_: Any, _args: Any, _state: Any, control: Any, **given: Any) -> None:
            if self(given["model"]):
                control.should_training_stop = True

        return _callback(on_epoch_end, "TrainerCallback", "transformers")


def _callback(method: Callable[..., None], base_name: str, *modules: str) -> Any:
    """Return a callback for the first of `modules` already imported, or else for `modules[0]`."""
    imported = [name for name in modules if name in sys.modules]
    base = getattr(import_module((imported or modules)[0]), base_name)
    return type("StopAtContradiction", (base,), {method.__name__: method})()
