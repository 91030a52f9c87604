"""From a path and the options of reading to scores."""

from argparse import Namespace

from dpviz.audit.scores.base import ScoreKind, Scores
from dpviz.data import read_scores


def read(
    path: str,
    chosen: Namespace,
    *,
    score: str | None,
    kind: ScoreKind | None,
    group: str | None = None,
) -> Scores:
    """Read the scores of a file; its membership, and what is missing, as the options say."""
    scores = read_scores(
        path,
        score=score,
        member=chosen.member,
        kind=kind,
        missing=chosen.missing,
        group=group,
        memory_limit=chosen.memory_limit,
    )
    return scores.swapped() if chosen.swap else scores
