"""Folders that the LiRA code writes: a model's training records and the scores of all records."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.losses import losses_from_logits
from dpviz.checks import FloatArray
from dpviz.data.formats.arrays import header_of
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, printable, quoted
from dpviz.data.sources.real_arrays import array_of_any_type, reals_of
from dpviz.data.tables.one_class import MembersOrNonmembers, scores_of_sides

KEEP, SCORES, LOGITS, LABELS = "keep.npy", "scores", "logits", "y_train.npy"


def _model_folders(path: str) -> list[str]:
    """Return the names of the model folders in `path`; [""] if `path` is a model folder."""
    names = ["", *sorted(os.listdir(path))]
    models = [name for name in names if os.path.isfile(os.path.join(path, name, KEEP))]
    return [""] if "" in models else models


def _is_lira_folder(source: object) -> bool:
    if not isinstance(source, File) or source.path is None or not os.path.isdir(source.path):
        return False
    return bool(_model_folders(source.path))


def _read_lira_folder(source: File, options: ReadOptions) -> Scores:
    options.reject_column_options("a LiRA folder")
    path = source.path or ""
    models = _model_folders(path)
    if len(models) > 1:
        example = os.path.join(path, models[0])
        raise ReadError(
            f"{source.where}: expected one model, got {len(models)} ({', '.join(models[:3])}"
            f"{', ...' if len(models) > 3 else ''}); all score the same records, so they "
            f"cannot be pooled; choose the attacked model: read_scores({quoted(example)})"
        )
    inside = os.path.normpath(os.path.join(path, models[0]))
    where = f"{source.where}/{printable(models[0])}" if models[0] else source.where
    return LiraFolder(inside, where, options).scores()


@dataclass(frozen=True)
class LiraFolder:
    """The folder of a model: memberships in keep.npy, a file per epoch in scores/ or logits/."""

    _path: str
    _where: str
    _options: ReadOptions

    def scores(self) -> Scores:
        """Return the scores of the last epoch, averaged over augmentations; high means member."""
        # Scores, which LiRA has computed, are preferred to logits.
        folders = {name: os.path.join(self._path, name) for name in (SCORES, LOGITS)}
        what = next((name for name, path in folders.items() if os.path.isdir(path)), None)
        if what is None:
            raise ReadError(f"{self._where}: expected a folder {SCORES} or {LOGITS} beside {KEEP}")
        epoch = self._last_epoch_file(what)
        place = f"{self._where}/{epoch}"
        values = reals_of(self._load_array(epoch), place).astype(np.float64)
        if what == LOGITS:
            values = self._scores_from_logits(values, place)
        elif values.ndim not in (1, 2) or values.size == 0:
            expected = "a row per record and a column per augmentation"
            raise mismatch(place, expected, f"shape {values.shape}")
        n_views = values.size // len(values)
        averaged = values.reshape(-1, n_views).mean(axis=1)
        keep = self._memberships(averaged.size, epoch)
        if self._options.kind == "loss":
            raise ReadError(f"{self._where}: kind must be 'score' for LiRA scores, got 'loss'")
        views = "" if n_views == 1 else f", mean over {n_views} augmentations"
        made = "log-odds of the true class from" if what == LOGITS else "scores from"
        kept = self._side_scores(keep, averaged, "kept")
        left_out = self._side_scores(~keep, averaged, "left-out")
        text = f"{made} {epoch}{views}, membership from {KEEP}"
        known: dict[str, Any] = {"source": self._where, "loader": "LiRA", "understood": text}
        return scores_of_sides(kept, left_out, self._options, kind="score", **known)

    def _last_epoch_file(self, folder: str) -> str:
        entries = os.scandir(os.path.join(self._path, folder))
        files = [each.name for each in entries if each.name.endswith(".npy") and each.is_file()]
        if not files:
            raise mismatch(f"{self._where}/{folder}", ".npy files", "none")
        return f"{folder}/{printable(max(files))}"

    def _load_array(self, name: str, folder: str | None = None) -> np.ndarray:
        file = File.of(os.path.join(folder or self._path, name), f"{self._where}/{name}")
        header = header_of(file)
        header.reject_if_too_large(self._options.memory, file.where)
        with file.open() as stream:
            stream.seek(header.offset)
            return header.read_array(stream, file.where)

    def _scores_from_logits(self, logits: FloatArray, place: str) -> FloatArray:
        """Return minus the loss of each record and augmentation, from logits and true classes."""
        if logits.ndim < 2 or logits.shape[-1] < 2 or logits.size == 0:
            raise mismatch(place, "shape (records, ..., classes)", logits.shape)
        above = os.path.dirname(self._path)
        if not os.path.isfile(os.path.join(above, LABELS)):
            advice = f"put {LABELS} into the folder above"
            raise ReadError(f"{place}: logits need the true classes; {advice}")
        labels = array_of_any_type(self._load_array(LABELS, above), f"{self._where}/../{LABELS}")
        n_records, n_classes = len(logits), logits.shape[-1]
        n_views = logits.size // (n_records * n_classes)
        if labels.ndim != 1 or labels.size < n_records:
            expected = f"{n_records} labels in {LABELS}, one per record"
            raise mismatch(place, expected, f"shape {labels.shape}")
        # All augmentations of a record have the class of the record.
        classes = np.repeat(labels[:n_records], n_views)
        try:
            losses = losses_from_logits(logits.reshape(-1, n_classes), classes)
        except ValueError as error:
            raise ReadError(f"{place}: {error}") from None
        return -losses.reshape(n_records, n_views)

    def _memberships(self, n_records: int, epoch_file: str) -> np.ndarray:
        place = f"{self._where}/{KEEP}"
        keep = self._load_array(KEEP)
        if keep.ndim != 1 or keep.dtype.kind not in "biu" or not np.isin(keep, (0, 1)).all():
            got = f"{keep.dtype} of shape {keep.shape}"
            raise mismatch(place, "true or false for each record", got)
        if keep.size < n_records:
            raise mismatch(place, f"{n_records} marks, as {epoch_file} has", keep.size)
        # Marks beyond the records are ignored, as in the plots of the LiRA code.
        return np.asarray(keep[:n_records] == 1)

    def _side_scores(self, mask: np.ndarray, scores: FloatArray, side: str) -> MembersOrNonmembers:
        if not mask.any():
            raise mismatch(f"{self._where}/{KEEP}", "members and non-members", f"no {side} records")
        return MembersOrNonmembers.of(scores[mask], f"{self._where}, {side} records")


LIRA = Format(
    name="LiRA folder of a model (keep.npy beside scores or logits)",
    recognise=_is_lira_folder,
    reader=_read_lira_folder,
)
