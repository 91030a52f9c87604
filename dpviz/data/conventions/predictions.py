"""Predictions of a model and true classes of members and non-members, turned into losses."""

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.losses import (
    advised_clip,
    losses_from_logits,
    losses_from_probabilities,
)
from dpviz.checks import FloatArray
from dpviz.data.conventions.convention import Convention
from dpviz.data.sources.options import ReadError, ReadOptions, listed, quoted
from dpviz.data.tables.fields import Fields
from dpviz.data.tables.side import Side, scores_of_sides

What = Literal["logits", "probs"]
SIDES = (("train", "test"), ("member", "nonmember"), ("members", "nonmembers"))
WHATS: tuple[What, ...] = ("logits", "probs")
BESIDES = ("probs", "loss", "entropy", "sample_weight")


@dataclass(frozen=True)
class Predictions:
    """Names of the predictions and of the classes, each of members, then of non-members."""

    what: What
    predicted: tuple[str, str]
    labels: tuple[str, str]

    @classmethod
    def found(cls, fields: Fields) -> "Predictions | None":
        """The names that are present; logits before probabilities, which saturate."""
        for what in WHATS:
            for member, nonmember in SIDES:
                names = cls(
                    what,
                    (f"{what}_{member}", f"{what}_{nonmember}"),
                    (f"labels_{member}", f"labels_{nonmember}"),
                )
                if fields.has(*names.predicted, *names.labels):
                    return names
        return None

    def side(self, fields: Fields, i: int) -> Side:
        """Losses of members (0) or non-members (1), NaN where a prediction or class is missing."""
        place = fields.place(self.predicted[i])
        given = fields.matrix(self.predicted[i])
        predicted = given.astype(np.float64)
        labels = fields.numbers(self.labels[i]).astype(np.float64)
        if len(predicted) != labels.size:
            raise ReadError(
                f"{place}: expected one row per label in {quoted(self.labels[i])}, {labels.size}, "
                f"got {len(predicted)}"
            )
        complete = ~(np.isnan(predicted.reshape(labels.size, -1)).any(axis=1) | np.isnan(labels))
        losses = np.full(labels.size, np.nan)
        rows = np.flatnonzero(complete)
        if rows.size:
            losses[rows] = self._losses(predicted[rows], labels[rows], place)
        _reject_certainty(losses, place, given.dtype)
        return Side.of(losses, place)

    def _losses(self, predicted: FloatArray, labels: FloatArray, place: str) -> FloatArray:
        of = losses_from_logits if self.what == "logits" else losses_from_probabilities
        try:
            return of(predicted, labels)
        except ValueError as error:
            raise ReadError(f"{place}: {error}") from None


def _reject_certainty(losses: FloatArray, place: str, dtype: np.dtype[Any]) -> None:
    certain = np.isinf(losses)
    if certain.any():
        raise ReadError(
            f"{place}, position {int(np.argmax(certain))}: expected a probability of the true "
            f"class inside (0, 1), got 0 or 1 ({int(certain.sum())} such); losses_from_"
            f"probabilities(..., logit_clip={advised_clip(losses, dtype)}) bounds losses, logits "
            "never need it"
        )


def _read(fields: Fields, options: ReadOptions) -> Scores:
    options.reject_columns(f"a source with {fields.word}s for members and non-members")
    found = Predictions.found(fields)
    if found is None:
        raise RuntimeError("predictions must be present where they are read")
    if options.kind == "score":
        raise ReadError(
            f"{fields.where}: predictions become losses, so that kind is 'loss', got kind='score'"
        )
    if fields.has("multilabel_data") and fields.load("multilabel_data") is True:
        raise ReadError(
            f"{fields.where}: expected one class per record, got multilabel_data=True; give the "
            "loss of each record instead"
        )
    besides = [name for name in fields.names if name.rpartition("_")[0] in BESIDES]
    left_out = listed(name for name in besides if name not in found.predicted)
    of_members, of_nonmembers = (
        f"{quoted(predicted)} and {quoted(labels)}"
        for predicted, labels in zip(found.predicted, found.labels, strict=True)
    )
    return scores_of_sides(
        found.side(fields, 0),
        found.side(fields, 1),
        options,
        kind="loss",
        source=fields.where,
        loader=PREDICTIONS.name,
        understood=(
            f"losses -logit(p) of the true class, of members from {of_members}, of non-members "
            f"from {of_nonmembers}" + (f"; not read: {left_out}" if left_out else "")
        ),
        file=fields.file,
    )


PREDICTIONS = Convention(
    name="predictions and true classes (TF Privacy)",
    keys=(
        "logits_train or probs_train, labels_train, logits_test or probs_test, labels_test; also "
        "_member and _nonmember"
    ),
    accepts=lambda fields: Predictions.found(fields) is not None,
    read=_read,
)
