"""The directive `dpviz`: what the command `dpviz` prints for some arguments."""

import io
import os
import shlex
from contextlib import redirect_stderr, redirect_stdout, suppress
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from dpviz.cli import main

WIDTH = "84"  # characters, of the terminal


class Command(SphinxDirective):
    """The command's arguments are the directive's."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {}

    def run(self) -> list[nodes.Node]:
        """Return the command and its output as one block."""
        arguments = " ".join(self.arguments)
        os.environ["COLUMNS"] = WIDTH
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output), suppress(SystemExit):
            main(shlex.split(arguments))
        text = f"$ dpviz {arguments}\n{output.getvalue()}"
        return [nodes.literal_block(text, text, language="text")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive; Sphinx has its own `program`, which would win and print nothing."""
    app.add_directive("dpviz", Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
