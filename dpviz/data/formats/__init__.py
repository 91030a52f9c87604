"""The registry of formats. A new one is a file here and a line below."""

from dpviz.data.formats.csv import CSV
from dpviz.data.formats.feather import FEATHER
from dpviz.data.formats.format import Format
from dpviz.data.formats.frame import FRAME
from dpviz.data.formats.json import JSON
from dpviz.data.formats.jsonl import JSONL
from dpviz.data.formats.lira import LIRA
from dpviz.data.formats.mapping import MAPPING
from dpviz.data.formats.npy import NPY
from dpviz.data.formats.npz import NPZ
from dpviz.data.formats.objects import OBJECTS
from dpviz.data.formats.pair import PAIR
from dpviz.data.formats.parquet import PARQUET
from dpviz.data.formats.scores import SCORES

# In the order they are asked: a data frame may have a column called "read" and look like a file.
FORMATS: tuple[Format, ...] = (
    SCORES,
    PAIR,
    FRAME,
    MAPPING,
    OBJECTS,
    LIRA,
    CSV,
    PARQUET,
    FEATHER,
    NPZ,
    NPY,
    JSON,
    JSONL,
)

SUFFIXES: tuple[str, ...] = tuple(suffix for each in FORMATS for suffix in each.suffixes)
"""Of all files that can be read."""
