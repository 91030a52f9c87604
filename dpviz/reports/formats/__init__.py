"""The formats of a report, one a file; `registry.py` has them by the ending of a file's name."""
