"""All sources of scores in the order in which they are tried: files and everything else."""

from dpviz.data.formats.format import Format
from dpviz.data.formats.lira import LIRA
from dpviz.data.formats.objects import FRAME, MAPPING, OBJECTS, SCORES
from dpviz.data.formats.pair import PAIR
from dpviz.data.formats.registry import FILES

# Sources other than files: a data frame may have a column called "read", as an open file has.
OTHERS: list[Format] = [
    SCORES,
    PAIR,
    FRAME,
    MAPPING,
    OBJECTS,
    LIRA,
]


def formats() -> list[Format]:
    """Return all formats, in the order in which they are tried."""
    return [*OTHERS, *FILES]
