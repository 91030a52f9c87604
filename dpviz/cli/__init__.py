"""The command line: ``dpviz audit`` prints what the explorer shows, and can gate a pipeline."""

from dpviz.cli.command import main

__all__ = ["main"]
