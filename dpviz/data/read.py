"""`read_scores`: the one entry for attack scores."""

from typing import Any

from dpviz.audit.scores import AttackScores, ScoreKind
from dpviz.data.formats import FORMATS
from dpviz.data.formats.format import Missing, ReadError, ReadOptions

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
) -> AttackScores:
    """Read attack scores: one number per record, and whether the record was a member.

    Parameters
    ----------
    source : str, path, open file, bytes, DataFrame, pair of arrays or AttackScores
        A CSV file in UTF-8 with a header, at most 512 MiB (a str is always a path), a pandas data
        frame, a tuple or list ``(member_losses, nonmember_losses)``, or scores that are passed
        through.
    member : str, optional
        Column of the membership. Left out, it is recognised by name, upper or lower case:
        is_member, member, membership, memberships, in_train, train, split, challenge_bit,
        challenge_bits, keep or in_out. Its cells are 1/0, true/false, yes/no, member/nonmember,
        member/non-member, train/test or in/out.
    score : str, optional
        Column of the numbers. Left out, it is recognised by name: loss, losses, nll, xent or
        cross_entropy (losses); score, scores, llr, mi_signal or signal_values (scores).
    kind : {"loss", "score"}, optional
        Unit of the numbers: a low loss, a high score means member. Left out, the column's name
        decides; a pair is losses.
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

    Returns
    -------
    AttackScores
        At least one member and one non-member.

    Raises
    ------
    ReadError
        A ValueError. If the source or a column is not recognised, more than one column is
        recognised for a role, a cell does not hold what it should, or a class has no rows. In
        messages, row 1 of a CSV file is its header and blank lines count; the rows of a data frame
        count from 0 by position.
    FileNotFoundError
        If there is no file at the path.
    ValueError
        If an option is not one of its choices, or an array of a pair is empty, not one-dimensional
        or not finite.

    Warns
    -----
    UserWarning
        If rows were dropped: how many and which first.
    """
    options = ReadOptions(
        member=member, score=score, kind=kind, missing=missing, name=name, group=group
    )
    for source_format in FORMATS:
        if source_format.accepts(source):
            return source_format.read(source, options)
    accepted = ", ".join(source_format.name for source_format in FORMATS)
    raise ReadError(f"source must be one of: {accepted}; got a {_type_name(source)}")


def _type_name(source: object) -> str:
    module, name = type(source).__module__, type(source).__qualname__
    return name if module == "builtins" else f"{module}.{name}"
