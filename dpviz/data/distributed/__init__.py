"""Dask and remote files."""
