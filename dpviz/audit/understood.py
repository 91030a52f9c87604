"""What was understood of scores, in three lines: printed, shown at the upload and by the command.

What a source calls itself and its columns is data: it stands here as it was read.
"""

from dpviz.audit.binned_scores import BinnedScores, Scores
from dpviz.audit.remarks import remarks_about


def understood(scores: Scores) -> tuple[str, str, str]:
    """Where scores were read, which end is member-like and how many, and what to look at."""
    return _source(scores), _counts(scores), _remarks(scores)


def _source(scores: Scores) -> str:
    read = scores.provenance
    return f"{read.source} ({read.loader}): {read.understood}" if read else "given as arrays"


def _counts(scores: Scores) -> str:
    direction = "low = member (losses)" if scores.kind == "loss" else "high = member (scores)"
    text = f"{direction}: {scores.n_members} members, {scores.n_nonmembers} non-members"
    if isinstance(scores, BinnedScores):
        n = scores.thresholds.size
        text += (
            f"; rounded down to {n} thresholds of a float32 grid, at which rates are exact"
            if scores.hides.any()
            else f"; counted at {n} thresholds, none rounded"
        )
    return text


def _remarks(scores: Scores) -> str:
    dropped = scores.provenance.dropped if scores.provenance else ""
    return "; ".join([dropped or "no row dropped", *remarks_about(scores)])
