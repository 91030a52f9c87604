"""`read_scores`: attack scores from files, tables, arrays and other tools."""

import os
from collections.abc import Iterator
from typing import Any, Literal, get_args

import numpy as np

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import ScoreKind, Scores, warning_if_reversed
from dpviz.checks import reason, warn_caller
from dpviz.data.collect import binned_if_many
from dpviz.data.formats.format import Format
from dpviz.data.formats.lira import LIRA
from dpviz.data.formats.objects import FRAME, LIST_OF_ROWS, MAPPING, OBJECTS, SCORES
from dpviz.data.formats.pair import PAIR
from dpviz.data.formats.registry import FILES, file_suffixes, opened_file
from dpviz.data.sources.file import File, is_file
from dpviz.data.sources.options import Missing, ReadError, ReadOptions, mismatch, quoted

__all__ = ["ReadError", "read_scores"]
Engine = Literal["local", "dask"]
# Names of files that Python's pickle wrote, those of PyTorch and joblib too.
PICKLES = (".pkl", ".pickle", ".p", ".pt", ".pth", ".joblib")
# Sources other than files are tried first: a data frame may have a column called "read".
OBJECT_FORMATS: list[Format] = [SCORES, LIST_OF_ROWS, PAIR, FRAME, MAPPING, OBJECTS, LIRA]


def formats() -> list[Format]:
    """Return the formats of all sources; the first that accepts a source reads it."""
    return [*OBJECT_FORMATS, *FILES]


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
    r"""Return the attack scores that a source contains.

    Attack scores are one number per record, and whether the record was a member.

    ``print(scores)`` describes in three lines how the source was read, as does `scores.provenance`.
    There is at least one member and one non-member.

    Parameters
    ----------
    source : str, path, open file, bytes, table, mapping, pair or AttackScores
        Any source in the list of ``python -m dpviz formats``: files, tables, arrays, and fields,
        objects and folders of other tools. A str is always a path: of a file, a folder of Parquet
        files, or a glob such as ``"run/*.parquet"``.
    member : str, optional
        Column of the membership. Left out, it is recognised by name, in upper or lower case:
        is_member, member, membership, memberships, in_train, is_train, train, split, challenge_bit,
        challenge_bits, keep or in_out; beside scores that only attacks have (llr, mi_signal,
        signal_values, attack_proba) also label, labels or y_true. Its cells are 1/0, true/false,
        yes/no, member/nonmember, member/non-member, train/test, train/val or in/out.
    score : str, optional
        Column of the numbers. Left out, it is recognised by name: loss, losses, nll, xent,
        cross_entropy, ppl, perplexity or entropy (losses); score, scores, llr, mi_signal,
        signal_values or attack_proba (scores).
    kind : {"loss", "score"}, optional
        Unit of the numbers: a low loss, a high score means member. Left out, the name of the column
        or of the tool's own fields decides; a pair is losses. Guesses, 1 = member, are scores.
    missing : {"refuse", "drop"}
        Whether a row whose number, membership or (with `group`) label is missing (empty or NaN)
        raises an error or is dropped, with a warning. Other text always raises. Infinite numbers
        are the ends of the ranking.
    name : str, optional
        Name of the source in messages. Left out: the file's name, "the uploaded file" for bytes,
        "the data frame" for a data frame.
    group : str, optional
        Column of labels, such as the class of the record or a protected attribute, for bounds per
        group (`AttackScores.groups`). It is never recognised by name. Labels are text; whole
        numbers lose their ".0".
    memory_limit : int, optional
        Bytes that reading may take. A table that would take more is streamed into `BinnedScores`,
        which are exact at their own thresholds; a file that cannot be streamed raises an error.
        Left out: a quarter of the free memory, and at most 2^24 records without groups: more are
        counted, too, which takes a fraction of the time of exact values.
    progress : callable, optional
        Called with the range of pieces to be read, which it iterates over; it may raise to cancel.
        Left out: a bar of `tqdm` if a file is streamed.
    engine : {"local", "dask"}
        "dask" counts Parquet files into `BinnedScores` on the cluster of the active
        ``distributed.Client``, otherwise on Dask's default scheduler. `source` is then a path, a
        glob or a URL that fsspec and every worker can open (``"s3://bucket/run/*.parquet"``), or a
        list of them. All files have the same columns, chosen as in the first. `memory_limit` is for
        each task, by the sizes in file footers. `group` and `progress` have to be left out.

    Raises
    ------
    ReadError, a ValueError: if the source or a column is not recognised, more than one column is
        recognised for a role, a cell is malformed, or a class has no rows. In messages, row 1 of a
        CSV file is its header and blank lines count; rows of a data frame, a Parquet or a Feather
        file count from 0.
    FileNotFoundError, if there is no file at the path
    ImportError, if a format needs an extra that is not installed
    ValueError, if an option is unknown, or an array is empty, not one-dimensional or not finite

    Warns
    -----
    UserWarning, if rows were dropped (how many, and the first), or scores look reversed (their AUC)

    Examples
    --------
    >>> from dpviz import read_scores
    >>> scores = read_scores(b"loss,member\n0.5,1\n0.25,1\n2,0\n3,0\n", name="losses.csv")
    >>> print(scores)
    losses.csv (CSV or TSV table): losses from column "loss", membership from column "member"
    low = member (losses): 2 members, 2 non-members
    no row dropped
    """
    columns: dict[str, Any] = {"member": member, "score": score, "group": group, "name": name}
    limits: dict[str, Any] = {"memory_limit": memory_limit, "progress": progress}
    options = ReadOptions(kind=kind, missing=missing, **columns, **limits)
    if checks.choice("engine", engine, get_args(Engine)) == "dask":
        from dpviz.data.distributed import read_on_dask  # Dask is optional

        scores: Scores = read_on_dask(source, options)
    else:
        scores = _read(source, options)
        if scores is not source and memory_limit is None:
            scores = binned_if_many(scores)
    # Losses may have been read as scores: the AUC is then below 1/2 by more than chance.
    if scores is not source and (remark := warning_if_reversed(scores)):
        warn_caller(remark)
    return scores


def _read(source: Any, options: ReadOptions) -> Scores:
    """Read a source by the first format that accepts it; turn library errors into ReadErrors."""
    called = options.name_or("the source")
    try:
        found = opened_if_file(source, options.name)
        reader = next((each for each in formats() if each.accepts(found)), None)
    except (ReadError, OSError, MemoryError):
        raise
    except (Exception, SystemExit) as error:  # of another library's object that was looked at
        raise ReadError(
            f"{called}: expected a source with readable attributes, got a {_type_name(source)} "
            f"that failed with {type(error).__name__}: {reason(error, 200)}"
        ) from error
    if reader is None:
        raise unreadable_source_error(found)
    try:
        return reader.read(found, options)
    except MemoryError as error:
        where = found.where if isinstance(found, File) else called
        raise ReadError(
            f"{where}: reading needs more memory than is free; give a smaller memory_limit, so "
            "that a table (.csv, .parquet, .feather, .jsonl) is read in parts"
        ) from error


def opened_if_file(source: Any, name: str | None) -> Any:
    """Return a `File` for a path, bytes or an open file, and any other source unchanged."""
    is_object = any(each.accepts(source) for each in OBJECT_FORMATS)
    return opened_file(source, name) if not is_object and is_file(source) else source


def unreadable_source_error(source: Any) -> ReadError:
    """Return the error for a source that no format accepts; the message lists the formats."""
    if not isinstance(source, File):
        return ReadError(
            "source must be a pair (member_losses, nonmember_losses), a mapping such as "
            '{"loss": ..., "member": ...}, a table, a path or an open file (see python -m dpviz '
            f"formats), got {_description_of(source)}"
        )
    known = ", ".join(file_suffixes())
    if source.path is not None and os.path.isdir(source.path):
        return mismatch(source.where, f"a file ({known})", "a directory")
    if source.suffix in PICKLES:
        return ReadError(
            f"{source.where}: expected a file that can be read ({known}), got a pickle, which may "
            "run any code and is never opened; where you trust it, open it with the tool that "
            'wrote it and save the arrays: numpy.savez("scores.npz", member=..., nonmember=...), '
            'then read_scores("scores.npz", kind="loss" or "score")'
        )
    suffix = quoted(source.suffix) if source.suffix else "no extension"
    return mismatch(source.where, f"a file that can be read ({known})", suffix)


def _description_of(source: Any) -> str:
    """Describe an unreadable source, and the method that would make it readable, if any."""
    if isinstance(source, np.ndarray):
        return f"one array of shape {source.shape}"
    if isinstance(source, Iterator):
        return f"a {_type_name(source)}: list(...) makes a list"
    methods = [name for name in ("to_pandas", "toPandas", "reset_index") if hasattr(source, name)]
    return f"a {_type_name(source)}" + "".join(f": .{name}() makes a table" for name in methods[:1])


def _type_name(source: object) -> str:
    module, name = type(source).__module__, type(source).__qualname__
    return name if module == "builtins" else f"{module}.{name}"
