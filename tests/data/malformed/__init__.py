"""The table of malformed sources, a file per family of formats."""

from tests.data.malformed import arrow_tables, frames, text_tables

CASES = (*text_tables.CASES, *arrow_tables.CASES, *frames.CASES)
