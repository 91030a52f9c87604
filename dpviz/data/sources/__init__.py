"""Bytes: files, text blocks, arrays, reader options and errors."""
