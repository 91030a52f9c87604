"""A pair: scores or losses of the members, and scores or losses of the non-members."""

import os
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpviz.audit.scores.attack_scores import AttackScores
from dpviz.audit.scores.base import Provenance, Scores
from dpviz.checks import naming_foreign_errors
from dpviz.data.collect import binned_scores_if_many
from dpviz.data.formats.format import Format
from dpviz.data.formats.registry import FILES, format_of, opened_file, table_suffixes
from dpviz.data.sources.file import is_file
from dpviz.data.sources.options import (
    ReadError,
    ReadOptions,
    mismatch,
    plural_of,
    printable,
    quoted,
)
from dpviz.data.sources.real_arrays import array_of_any_type, reals_of
from dpviz.data.tables.frame import frame_as_table, is_frame
from dpviz.data.tables.one_class import (
    MembersOrNonmembers,
    common_kind,
    numbers_of_column,
    origins_text,
    scores_of_sides,
)
from dpviz.data.tables.table import DroppedRows


def _read_pair(source: tuple[Any, ...] | list[Any], options: ReadOptions) -> Scores:
    if len(source) != 2:
        raise ReadError(
            "a pair must be two arrays (member_losses, nonmember_losses), "
            f"got a {type(source).__name__} of {len(source)}"
        )
    with naming_foreign_errors("a pair", source):
        is_of_files_or_tables = any(is_frame(each) or is_file(each) for each in source)
    if is_of_files_or_tables:
        return _scores_of_files_or_tables(source[0], source[1], options)
    scores = _scores_of_arrays(source[0], source[1], options)
    return scores if options.kind else _with_remark_if_binary(scores)


def _with_remark_if_binary(scores: Scores) -> Scores:
    """Return scores; if all are 0 or 1, add a remark that guessed labels need kind="score"."""
    is_binary = all(  # first, a few records: sorting many takes longer than reading
        each.distinct_scores().tolist() in ([-1.0, 0.0], [-1.0], [0.0])
        for each in (scores.thinned(1000), scores)
    )
    if scores.provenance is None or not is_binary or scores.n_distinct < 2:
        return scores
    understood = f'{scores.provenance.understood}; guesses (1 = member) need kind="score"'
    return scores.replaced(provenance=replace(scores.provenance, understood=understood))


def _scores_of_arrays(member: Any, nonmember: Any, options: ReadOptions) -> Scores:
    options.reject_column_options("a pair of arrays")
    unit = plural_of(options.kind or "loss")
    with naming_foreign_errors("a pair", (member, nonmember)):
        member = _to_array(member, f"member {unit}")
        nonmember = _to_array(nonmember, f"nonmember {unit}")
    _reject_scores_with_labels(member, nonmember)
    # Missing values are dropped on request; otherwise they are errors further on.
    n_dropped, texts = 0, []
    if options.missing == "drop":
        member, gone = _drop_missing(f"member {unit}", member)
        nonmember, also = _drop_missing(f"nonmember {unit}", nonmember)
        n_dropped, lost = gone.n + also.n, (("members", gone), ("non-members", also))
        texts = [f"{which}: {each.text}" for which, each in lost if each.n]
    provenance = Provenance(
        source=printable(options.name or "two arrays"),
        loader="a pair",
        understood=f"{unit} of members first, of non-members second",
        n_rows=_number_of_entries(member) + _number_of_entries(nonmember) + n_dropped,
        n_dropped=n_dropped,
        dropped="; ".join(texts),
    )
    if options.memory_limit is None and _is_vector(member) and _is_vector(nonmember):
        counted = binned_scores_if_many(member, nonmember, options.kind or "loss", provenance)
        if counted is not None:
            return counted
    build = AttackScores if options.kind == "score" else AttackScores.from_losses
    return build(member=member, nonmember=nonmember, provenance=provenance)


def _is_vector(values: Any) -> bool:
    return type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iuf"


def _to_array(values: Any, where: str) -> Any:
    """Convert a tensor to an array, and an array of one column to a vector."""
    first = values[0] if isinstance(values, list | tuple) and values else values
    is_tensor = callable(getattr(first, "detach", None))
    if is_tensor or isinstance(values, np.ma.MaskedArray):
        values = reals_of(values, where)
    elif hasattr(values, "__array__") and not isinstance(values, np.ndarray):
        values = array_of_any_type(values, where)
    is_column = isinstance(values, np.ndarray) and values.ndim == 2 and values.shape[1] == 1
    return values[:, 0] if is_column else values


def _number_of_entries(values: Any) -> int:
    if isinstance(values, np.ndarray):
        return values.size
    return len(values) if hasattr(values, "__len__") else 0


def _reject_scores_with_labels(first: Any, second: Any) -> None:
    """Raise ReadError if the pair looks like scores and 0/1 labels of the same records."""
    if not _number_of_entries(first) == _number_of_entries(second) > 1:
        return
    try:
        sides = np.asarray(first), np.asarray(second)
    except ValueError:  # ragged
        return
    for i, which, other in ((1, "second", "first"), (0, "first", "second")):
        labels, numbers = sides[i], sides[1 - i]
        are_labels = _are_zeros_and_ones(labels) and labels.any() and not labels.all()
        if are_labels and numbers.dtype.kind == "f" and not _are_zeros_and_ones(numbers):
            raise ReadError(
                "a pair must be two arrays (member_losses, nonmember_losses), got only 0 and 1 in "
                f"the {which} array, as if these were labels for the {other} array; pass "
                'read_scores({"score": ..., "member": ...}), or {"loss": ..., "member": ...}'
            )


def _are_zeros_and_ones(values: np.ndarray) -> bool:
    if values.ndim != 1 or values.dtype.kind not in "biuf":
        return False
    # First, a few of them: what is made of many numbers takes memory.
    return all(bool(((x == 0) | (x == 1)).all()) for x in (values[:1000], values))


def _drop_missing(where: str, values: ArrayLike) -> tuple[ArrayLike, DroppedRows]:
    import pandas as pd  # slow to import

    array, dropped = np.asarray(values), DroppedRows(where)
    if array.ndim != 1 or array.dtype.kind == "V":
        return values, dropped
    missing = np.asarray(pd.isna(array))
    if not missing.any():
        return values, dropped
    kept: list[Any] = array[~missing].tolist()
    dropped.add(len(kept), np.flatnonzero(missing).tolist())
    dropped.warn()
    return kept, dropped


def _scores_of_files_or_tables(first: Any, second: Any, options: ReadOptions) -> Scores:
    options.reject_column_options("a table of one class", ("member", "group"))
    member = _read_members_or_nonmembers(first, "members", options)
    nonmember = _read_members_or_nonmembers(second, "non-members", options)
    kind = options.kind or common_kind(member, nonmember) or "loss"
    paths = [os.fsdecode(each) for each in (first, second) if isinstance(each, str | os.PathLike)]
    names = [printable(os.path.basename(path)) for path in paths]
    called = " and ".join(names) if len(names) == 2 else "two sources"
    scores = scores_of_sides(
        member,
        nonmember,
        options,
        kind=kind,
        source=printable(options.name or called),
        loader="a pair",
        understood=origins_text(kind, member.name, nonmember.name),
    )
    is_stated = options.kind or member.kind or nonmember.kind
    return scores if is_stated else _with_remark_if_binary(scores)


def _read_members_or_nonmembers(source: Any, who: str, options: ReadOptions) -> MembersOrNonmembers:
    if is_frame(source):
        table = frame_as_table(source, f"the table of {who}")
        return numbers_of_column(table, options.score, options.memory)
    if not is_file(source):
        return MembersOrNonmembers.of(source, f"the array of {who}")
    is_bytes = isinstance(source, bytes | bytearray | memoryview)
    file = opened_file(source, f"the file of {who}" if is_bytes else None)
    found = format_of(file)
    if found is not None and found.numbers is not None:
        return found.numbers(file)
    if found is not None and found.table is not None:
        return numbers_of_column(found.table(file), options.score, options.memory)
    of_arrays = (suffix for each in FILES if each.numbers for suffix in each.suffixes)
    known = ", ".join((*of_arrays, *table_suffixes()))
    got = quoted(file.suffix) if file.suffix else "no extension"
    raise mismatch(file.where, f"a type of {known}, with a number for each of the {who}", got)


PAIR = Format(
    name="a pair (member_losses, nonmember_losses) of arrays, files or tables",
    recognise=lambda source: isinstance(source, tuple | list),
    reader=_read_pair,
)
