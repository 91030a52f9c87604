"""`read_scores`: the one entry for attack scores."""

import os
from typing import Any

from dpviz import checks
from dpviz.audit.binned_scores import Scores
from dpviz.audit.remarks import reversed_remark
from dpviz.audit.resampling import Progress
from dpviz.audit.scores import ScoreKind
from dpviz.data.distributed import ENGINES, Engine, read_on_dask
from dpviz.data.formats import FORMATS, SUFFIXES
from dpviz.data.formats.file import File, is_file
from dpviz.data.formats.format import Missing, ReadError, ReadOptions, quoted
from dpviz.warn import warn_caller

__all__ = ["ReadError", "read_scores"]


def read_scores(
    source: Any,
    *,
    member: str | None = None,
    score: str | None = None,
    kind: ScoreKind | None = None,
    missing: Missing = "refuse",
    name: str | None = None,
    group: str | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
    engine: Engine = "local",
) -> Scores:
    """Read attack scores: one number per record, and whether the record was a member.

    ``print(scores)`` says in three lines what was understood; `scores.provenance` keeps it.

    Parameters
    ----------
    source : str, path, open file, bytes, table, mapping, pair or AttackScores
        What ``python -m dpviz formats`` lists: files, tables, arrays, and the fields, objects and
        folders of other tools. A str is always a path.
    member : str, optional
        Column of the membership. Left out, it is recognised by name, upper or lower case:
        is_member, member, membership, memberships, in_train, train, split, challenge_bit,
        challenge_bits, keep or in_out. Its cells are 1/0, true/false, yes/no, member/nonmember,
        member/non-member, train/test or in/out.
    score : str, optional
        Column of the numbers. Left out, it is recognised by name: loss, losses, nll, xent,
        cross_entropy, ppl, perplexity or entropy (losses); score, scores, llr, mi_signal,
        signal_values or attack_proba (scores).
    kind : {"loss", "score"}, optional
        Unit of the numbers: a low loss, a high score means member. Left out, the name of the column
        or of the tool's own fields decides; a pair is losses.
    missing : {"refuse", "drop"}
        What to do with rows whose number or membership (with `group` also: label) is missing (empty
        or NaN). Dropping them warns with their number. Infinite numbers and other text are refused
        either way.
    name : str, optional
        What messages call the source. Left out: the file's name, "the uploaded file" for bytes,
        "the data frame" for a data frame.
    group : str, optional
        Column of labels, such as the class of the record or a protected attribute, for bounds per
        group (`AttackScores.groups`). Never recognised: it has to be named. Labels are text; whole
        numbers lose their ".0".
    memory_limit : int, optional
        Bytes that reading may take. A table that would take more is streamed through
        `BinnedScores`, which are as exact at their own thresholds; a file that cannot be streamed
        is refused. Left out: a quarter of the memory that is free.
    progress : callable, optional
        Wraps the range of pieces that are read; one that raises cancels. Left out: a bar of `tqdm`
        where a file is streamed.
    engine : {"local", "dask"}
        Who reads. "dask" counts Parquet files, always into `BinnedScores`, on the cluster of the
        active ``distributed.Client``, or else with Dask's default scheduler: `source` is then a
        path, glob or URL that fsspec knows ("s3://bucket/run/*.parquet"), or a list of them, that
        every worker reaches. All files have the same columns, chosen as in the first. `group`,
        `memory_limit` and `progress` have to be left out.

    Returns
    -------
    AttackScores or BinnedScores
        At least one member and one non-member.

    Raises
    ------
    ReadError
        A ValueError. If the source or a column is not recognised, more than one column is
        recognised for a role, a cell does not hold what it should, or a class has no rows. In
        messages, row 1 of a CSV file is its header and blank lines count; the rows of a data frame,
        a Parquet or a Feather file count from 0.
    FileNotFoundError
        If there is no file at the path.
    ImportError
        If a format needs an extra that is not installed.
    ValueError
        If an option is not one of its choices, or an array of a pair is empty, not one-dimensional
        or not finite.

    Warns
    -----
    UserWarning
        If rows were dropped: how many and which first. If the scores look reversed: their AUC.
    """
    options = ReadOptions(
        member=member,
        score=score,
        kind=kind,
        missing=missing,
        name=name,
        group=group,
        memory_limit=memory_limit,
        progress=progress,
    )
    if checks.choice("engine", engine, ENGINES) == "dask":
        counted = read_on_dask(source, options)
        _warn_reversed(counted)
        return counted
    found = opened(source, name)
    for source_format in FORMATS:
        if source_format.accepts(found):
            scores = source_format.read(found, options)
            if scores is not source:
                _warn_reversed(scores)
            return scores
    raise not_read(found)


def opened(source: Any, name: str | None) -> Any:
    """A `File` for a path, bytes or an open file; anything else as it is."""
    is_object = any(each.accepts(source) for each in FORMATS)
    return File.of(source, name) if not is_object and is_file(source) else source


def not_read(source: Any) -> ReadError:
    """What to say of a source that no format accepts."""
    if not isinstance(source, File):
        accepted = ", ".join(each.name for each in FORMATS)
        return ReadError(f"source must be one of: {accepted}; got a {_type_name(source)}")
    known = ", ".join(SUFFIXES)
    if source.path is not None and os.path.isdir(source.path):
        return ReadError(f"{source.where}: expected a file ({known}), got a directory")
    suffix = quoted(source.suffix) if source.suffix else "no extension"
    return ReadError(f"{source.where}: expected a file that can be read ({known}), got {suffix}")


def _warn_reversed(scores: Scores) -> None:
    """Say that the AUC is below 1/2 by more than chance."""
    said = reversed_remark(scores)
    if said:
        warn_caller(said)


def _type_name(source: object) -> str:
    module, name = type(source).__module__, type(source).__qualname__
    return name if module == "builtins" else f"{module}.{name}"
