"""From a path and the options of reading to scores."""

from argparse import Namespace
from collections.abc import Sequence

from dpviz import checks
from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.data import read_scores


def read(
    paths: Sequence[str],
    chosen: Namespace,
    *,
    score: str | None,
    kind: ScoreKind | None,
    group: str | None = None,
) -> Scores:
    """Read the scores of a file, or of two: of members, then of non-members.

    The membership of one file, and what is missing, are read as the options say. Raises ValueError
    if there are more files, or scores cannot be read.
    """
    if len(paths) > 2:
        raise checks.fail("SCORES", "one file, or two: of members, of non-members", len(paths))
    scores = read_scores(
        paths[0] if len(paths) == 1 else tuple(paths),
        score=score,
        member=chosen.member,
        kind=kind,
        missing=chosen.missing,
        group=group,
        memory_limit=chosen.memory_limit,
    )
    return scores.swapped() if chosen.swap else scores
