"""Objects in memory: mappings of names to arrays, data frames, results of attack libraries."""

from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Scores
from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.checks import naming_foreign_errors, reason
from dpviz.data.conventions import read_any_table, read_named_values
from dpviz.data.formats.format import Format
from dpviz.data.sources.file import File
from dpviz.data.sources.options import ReadError, ReadOptions, mismatch, quoted
from dpviz.data.sources.real_arrays import DEEPEST_LISTS
from dpviz.data.tables.frame import NamedValues, frame_as_table, is_frame, rows_as_table

MOST_NAMES = 100_000  # in a mapping that is no dict


def named_values_of(values: Mapping[Any, Any], where: str, file: File | None = None) -> NamedValues:
    """Return the values of a mapping by name; a nested value is named "outer.inner"."""
    # Values of None are left out. A mapping from "0", "1", ... becomes a list, because pandas
    # writes a column to JSON as such a mapping. `file` is the file of the values, if there is one.
    # Raises ReadError if two names are the same text or mappings are nested too deeply.
    try:
        with naming_foreign_errors(where, values):
            flat = _flattened_mapping(values)
    except ReadError as error:
        raise ReadError(f"{where}: {error}") from None
    return NamedValues(where=where, names=tuple(flat), load=flat.__getitem__, file=file)


def _flattened_mapping(values: Mapping[Any, Any], depth: int = 0) -> dict[str, Any]:
    if depth > DEEPEST_LISTS:  # every level copies all names
        raise ReadError("the values are nested too deeply")
    if not isinstance(values, dict):  # it may have no end
        values = dict(islice(values.items(), MOST_NAMES + 1))
        if len(values) > MOST_NAMES:
            raise ReadError(f"expected at most {MOST_NAMES} names, got more")
    flat: dict[str, Any] = {}
    for key, value in values.items():
        inner = value
        if isinstance(value, Mapping) and value and all(k == str(i) for i, k in enumerate(value)):
            inner = list(value.values())
        parts = (
            {f"{key}.{name}": each for name, each in _flattened_mapping(inner, depth + 1).items()}
            if isinstance(inner, Mapping)
            else {str(key): inner}
        )
        for name, each in parts.items():
            if name in flat:
                raise ReadError(f"keys must be different texts, got {quoted(name)} twice")
            if each is not None:
                flat[name] = each
    return flat


def _read_mapping(source: Mapping[Any, Any], options: ReadOptions) -> Scores:
    where = options.name_or("the mapping")
    if not isinstance(source, np.lib.npyio.NpzFile):
        return read_named_values(named_values_of(source, where), options)

    def load(name: str) -> Any:
        try:
            return source[name]
        except ValueError as error:
            raise ReadError(f"{where}, key {quoted(name)}: {reason(error, 200)}") from error

    arrays = NamedValues(where=where, names=tuple(source.files), load=load)
    return read_named_values(arrays, options)


MAPPING = Format(
    name="a mapping of names to arrays",
    recognise=lambda source: isinstance(source, Mapping),
    reader=_read_mapping,
)

# Tables with one score column, one membership column and optionally one of groups.

FRAME: Format = Format(
    name="a table of pandas, polars, pyarrow, Dask, Hugging Face or NumPy",
    recognise=is_frame,
    reader=lambda table, options: read_any_table(
        frame_as_table(table, options.name), options, FRAME.name
    ),
)
LIST_OF_ROWS: Format = Format(
    name="a list of rows, each a mapping",
    recognise=lambda source: (
        isinstance(source, list | tuple)
        and len(source) > 0
        and all(isinstance(row, Mapping) for row in source)
    ),
    reader=lambda rows, options: read_any_table(
        rows_as_table(rows, options.name_or("the list of rows")), options, LIST_OF_ROWS.name
    ),
)

# Attack scores, returned as they are.


def _read_score_object(source: Scores, options: ReadOptions) -> Scores:
    name = type(source).__name__
    options.reject_column_options(name)
    if options.kind not in (None, source.kind):
        known = f"the kind of these {name} is {source.kind!r} already"
        raise ReadError(f"{known}, got kind={options.kind!r}")
    return source


SCORES = Format(
    name="AttackScores or BinnedScores",
    recognise=lambda source: isinstance(source, AttackScores | BinnedScores),
    reader=_read_score_object,
)

# Objects of attack libraries, recognised by their attributes; no library is imported.

INPUT_SIDES = ("train", "test")
# All attributes of TF Privacy's AttackInputData; those that are not set are None.
INPUT_ARRAYS = ("logits", "probs", "labels", "loss", "entropy", "sample_weight")
INPUT_FIELDS = tuple(f"{what}_{side}" for what in INPUT_ARRAYS for side in INPUT_SIDES)
# Of jax-privacy's CanaryScoreAuditor, opake-auditing's OneRunEstimate, TF Privacy's results,
# PrivacyGuard's output and input.
RESULT_FIELDS = (
    ("_in_canary_scores", "_out_canary_scores"),
    ("in_scores", "out_scores"),
    ("membership_scores_train", "membership_scores_test"),
    ("train_membership_probs", "test_membership_probs"),
    ("train_scores", "test_scores"),
    ("_scores_train", "_scores_test"),  # PrivacyGuard's MIAResults
    ("df_train_user", "df_test_user"),
    ("signal_values", "true", "tp", "fp", "tn", "fn"),  # LeakPro's MIAResult
    ("eps", "auc", "accuracy"),  # PrivacyGuard's AnalysisNodeOutput: rates only
)


def _attributes_to_read(source: object) -> tuple[str, ...]:
    if isinstance(source, type):
        return ()
    for names in (INPUT_FIELDS, *RESULT_FIELDS):
        if all(hasattr(source, name) for name in names):
            return (*names, "multilabel_data")
    return ()


def _read_object(source: object, options: ReadOptions) -> Scores:
    where = options.name_or(type(source).__name__)
    names = tuple(n for n in _attributes_to_read(source) if getattr(source, n, None) is not None)
    fields = NamedValues(where=where, names=names, load=partial(getattr, source), word="attribute")
    if not set(names) - {"multilabel_data"}:
        raise mismatch(where, "values in attributes such as loss_train", "only None")
    return read_named_values(fields, options)


OBJECTS = Format(
    name=(
        "TF Privacy's AttackInputData, jax-privacy's CanaryScoreAuditor, opake-auditing's "
        "OneRunEstimate, PrivacyGuard's input or LeakPro's MIAResult"
    ),
    recognise=lambda source: bool(_attributes_to_read(source)),
    reader=_read_object,
)
