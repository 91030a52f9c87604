"""One thing at a time: a kernel may handle messages of a browser in more than one thread.

JupyterLab sends the messages of widgets to a subshell, which is a thread of its own, so that a
slider moves while a cell runs. Before there is one they come to the main thread, and work that was
begun there ends there. Without a lock a choice that arrives while the other thread draws is taken
for one that drawing has set, and is lost.
"""

from threading import RLock
from typing import Any

import ipywidgets

LOCK = RLock()
"""Held by whatever reads or changes the state of widgets: messages, timers, the store."""


class OneAtATime(ipywidgets.Widget):
    """A widget that handles a message when nothing else is being done."""

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        with LOCK:
            super()._handle_msg(msg)


class FileUpload(OneAtATime, ipywidgets.FileUpload):
    """A button that sends a file in one message."""
