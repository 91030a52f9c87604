"""The formats of sources: files (listed in `registry`), pairs, folders and Python objects."""
