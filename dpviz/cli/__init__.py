"""The command line: ``dpviz audit`` says what the explorer says, and a pipeline can gate on it."""

from dpviz.cli.command import main

__all__ = ["main"]
