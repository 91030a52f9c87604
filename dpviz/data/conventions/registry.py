"""The registry of conventions. A new one is a file in this room and a line below."""

from dpviz.audit.scores.base import Scores
from dpviz.data.conventions.convention import Convention
from dpviz.data.conventions.counts import COUNTS
from dpviz.data.conventions.labelled import LABELLED, TABLE
from dpviz.data.conventions.named_pairs import NAMED_PAIRS
from dpviz.data.conventions.predictions import PREDICTIONS
from dpviz.data.conventions.rates import RATES
from dpviz.data.conventions.two_frames import TWO_FRAMES
from dpviz.data.sources.options import ReadError, ReadOptions
from dpviz.data.tables.fields import Fields

# In the order in which they are tried: logits are more exact than losses.
CONVENTIONS: list[Convention] = [
    PREDICTIONS,
    NAMED_PAIRS,
    TWO_FRAMES,
    LABELLED,
    COUNTS,
]
# Tried after all others: rates are rejected, and any arrays may be the columns of a table.
LAST = (RATES, TABLE)


def conventions() -> list[Convention]:
    """Return all conventions, in the order in which they are tried."""
    return [*CONVENTIONS, *LAST]


def read_fields(fields: Fields, options: ReadOptions) -> Scores:
    """Return the scores of named values, by the first convention that knows the names."""
    for convention in conventions():
        if convention.accepts(fields):
            try:
                return convention.read(fields, options)
            except RecursionError:
                raise ReadError(f"{fields.where}: nested too deeply") from None
    raise ReadError(f"{fields.where}: expected {fields.word}s with values, got none")
