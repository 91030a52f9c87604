"""The registry of formats. A new one is a file here and a line below."""

from dpviz.data.formats.csv import CSV
from dpviz.data.formats.feather import FEATHER
from dpviz.data.formats.format import Format
from dpviz.data.formats.frame import FRAME
from dpviz.data.formats.pair import PAIR
from dpviz.data.formats.parquet import PARQUET
from dpviz.data.formats.scores import SCORES

# In the order they are asked: a data frame may have a column called "read" and look like a file.
FORMATS: tuple[Format, ...] = (SCORES, PAIR, FRAME, CSV, PARQUET, FEATHER)

SUFFIXES: tuple[str, ...] = tuple(suffix for each in FORMATS for suffix in each.suffixes)
"""Of all files that can be read."""
