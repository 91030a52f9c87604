"""The registry of conventions. A new one is a file here and a line below."""

from dpviz.audit.binned_scores import Scores
from dpviz.data.conventions.convention import Convention
from dpviz.data.conventions.counts import COUNTS
from dpviz.data.conventions.labelled import LABELLED, TABLE
from dpviz.data.conventions.named_pairs import NAMED_PAIRS
from dpviz.data.conventions.predictions import PREDICTIONS
from dpviz.data.conventions.rates import RATES
from dpviz.data.conventions.two_frames import TWO_FRAMES
from dpviz.data.formats.fields import Fields
from dpviz.data.formats.format import ReadError, ReadOptions

# In the order they are asked: logits say more than losses, anything more than rates; arrays that
# are called something else may still be the columns of a table.
CONVENTIONS: tuple[Convention, ...] = (
    PREDICTIONS,
    NAMED_PAIRS,
    TWO_FRAMES,
    LABELLED,
    COUNTS,
    RATES,
    TABLE,
)


def read_fields(fields: Fields, options: ReadOptions) -> Scores:
    """Scores of named values, by the first convention that knows the names.

    Raises
    ------
    ReadError
        If none does, or the values are not what they should be.
    """
    for convention in CONVENTIONS:
        if convention.accepts(fields):
            try:
                return convention.read(fields, options)
            except RecursionError:
                raise ReadError(f"{fields.where}: nested too deeply") from None
    raise ReadError(f"{fields.where}: expected {fields.word}s with values, got none")
