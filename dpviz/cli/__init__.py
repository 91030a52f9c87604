"""The command line ``dpviz``; the exit code of ``dpviz audit`` can stop a pipeline."""

from dpviz.cli.command import main

__all__ = ["main"]
