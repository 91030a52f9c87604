"""Four counts of guesses: one threshold, kept exactly as scores 0 and 1."""

import numpy as np

from dpviz.audit.scores.binned_scores import BinnedScores
from dpviz.audit.scores.provenance import Provenance
from dpviz.data.conventions.convention import Convention
from dpviz.data.sources.file import origin_of
from dpviz.data.sources.options import ReadError, ReadOptions
from dpviz.data.tables.fields import Fields

NAMES = ("FN", "TP", "TN", "FP")
MOST = 2**53  # the largest whole number of float64 of which all smaller ones are exact


def _named(fields: Fields) -> dict[str, str]:
    """The four counts and their names in the source, in upper or lower case."""
    found = {name.upper(): name for name in fields.names}
    return {name: found[name] for name in NAMES if name in found}


def _accepts(fields: Fields) -> bool:
    return len(_named(fields)) == len(NAMES)


def _count(fields: Fields, name: str) -> int:
    array = fields.reals(name)
    if array.size != 1:
        raise ReadError(
            f"{fields.place(name)}: expected the count at one threshold, got {array.size} of them"
        )
    number = array.reshape(-1)[0]
    if not (np.isfinite(number) and 0 <= number <= MOST and number == np.floor(number)):
        raise ReadError(
            f"{fields.place(name)}: expected a whole number of at least 0, got {number.item()!r}"
        )
    return int(number)


def _read(fields: Fields, options: ReadOptions) -> BinnedScores:
    options.reject_columns("a source of counts")
    if options.kind == "loss":
        raise ReadError(f"{fields.where}: counts of guesses are scores 0 and 1, got kind='loss'")
    fn, tp, tn, fp = (_count(fields, name) for name in _named(fields).values())
    if fn + tp == 0 or tn + fp == 0:
        raise ReadError(
            f"{fields.where}: expected members and non-members, got {fn + tp} members (TP + FN) "
            f"and {tn + fp} non-members (FP + TN)"
        )
    guesses = np.array([0.0, 1.0])
    member, nonmember = np.array([fn, tp]), np.array([tn, fp])
    some = member + nonmember > 0
    return BinnedScores(
        thresholds=guesses[some],
        member_counts=member[some],
        nonmember_counts=nonmember[some],
        member_means=guesses[some],
        nonmember_means=guesses[some],
        kind="score",
        provenance=Provenance(
            source=fields.where,
            loader=COUNTS.name,
            understood=(
                f"guesses at one threshold as scores 0 and 1: {tp} true and {fp} false positives, "
                f"{tn} true and {fn} false negatives"
            ),
            n_rows=fn + tp + tn + fp,
            **origin_of(fields.file),
        ),
    )


COUNTS = Convention(
    name="counts of guesses",
    keys="FN, FP, TN and TP (Microsoft, LeakPro)",
    accepts=_accepts,
    read=_read,
)
