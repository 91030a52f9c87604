"""The formats of sources: files (listed in `registry`), pairs, folders, objects of Python."""
