"""The groups of fields of a report, one topic a file; `registry.py` has their order."""
