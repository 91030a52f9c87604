"""Formats, one a file, and their registries: `files` for files, `registry` for all sources."""
