"""The registry of readers of claims: a new one is a file in `readers` and a line below."""

from dpviz.claims.reader import Reader
from dpviz.claims.readers.numbers import NUMBERS
from dpviz.claims.readers.text import TEXT
from dpviz.claims.readers.written import WRITTEN

# The first that accepts a source reads it.
READERS: list[Reader] = [
    TEXT,
    WRITTEN,
    NUMBERS,
]
