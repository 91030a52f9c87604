"""The table of malformed sources, a file per family of formats."""

from tests.data.malformed import arrays, arrow_tables, frames, json_files, objects, text_tables

CASES = (
    *text_tables.CASES,
    *arrow_tables.CASES,
    *frames.CASES,
    *arrays.CASES,
    *json_files.CASES,
    *objects.CASES,
)
