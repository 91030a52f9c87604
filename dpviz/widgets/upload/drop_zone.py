"""A place to drop a file: the browser sends it in pieces, and Python confirms each.

Its script: `js/src/upload/`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import anywidget
import ipywidgets
import traitlets

from dpviz.data.formats.registry import suffixes
from dpviz.widgets.one_at_a_time import OneAtATime
from dpviz.widgets.received import upload_message
from dpviz.widgets.upload.received_file import TOO_LARGE, UploadedFile, amount, largest

BUNDLE = Path(__file__).parents[2] / "static" / "upload.js"
WORDS = {
    "label": "upload of scores",
    "choose": "choose a file",
    "drop": "or drop it here, up to {limit}",
    "going": "share of the file that is uploaded",
    "far": "{share} % of {size}",
    "cancel": "cancel",
    "too_large": TOO_LARGE,
    "many": "expected one file at a time, got {n}",
    "unreadable": "{name}: the browser could not read it; is it a folder, or has it just changed?",
}
CSS = """
.dpviz .dpviz-upload { margin: 2px; padding: 0 6px; border-radius: 3px; line-height: 1.45;
  border: 1px dashed var(--jp-border-color1, #999); font-size: var(--jp-widgets-font-size, 13px); }
.dpviz .dpviz-upload-over { border: 1px solid #0072B2; outline: 1px solid #0072B2; }
.dpviz .dpviz-upload button { width: auto; }
.dpviz .dpviz-upload-invite, .dpviz .dpviz-upload-going { display: flex; flex-wrap: wrap;
  align-items: center; gap: 0 .5em; }
.dpviz .dpviz-upload-going[hidden] { display: none; }
.dpviz .dpviz-upload-going bdi { overflow-wrap: anywhere; }
.dpviz .dpviz-upload-going progress { flex: 1 1 4em; min-width: 3em; accent-color: #0072B2; }
"""


class DropZone(OneAtATime, anywidget.AnyWidget):
    """A widget that receives files in pieces; `fallback` is shown until its script has loaded.

    `drop` is called when the browser begins another file or cancels, `done` with a complete file,
    and `refused` with one line about a file that was rejected.
    """

    # As text: anywidget keeps every widget of a file for as long as it watches the file.
    _esm = BUNDLE.read_text(encoding="utf-8") if BUNDLE.is_file() else ""
    _css = CSS
    accept = traitlets.Unicode(help="ends of names").tag(sync=True)
    limit = traitlets.Int(help="bytes").tag(sync=True)
    words = traitlets.Dict(help="texts, some with slots").tag(sync=True)
    fallback = traitlets.Unicode(help="reference to a widget").tag(sync=True)

    def __init__(
        self,
        fallback: ipywidgets.Widget,
        *,
        drop: Callable[[], None],
        done: Callable[[UploadedFile], None],
        refused: Callable[[str], None],
    ) -> None:
        self._drop, self._done, self._refused = drop, done, refused
        self._asker = ""
        self._file: UploadedFile | None = None
        accept, reference = ",".join(suffixes()), f"IPY_MODEL_{fallback.model_id}"
        super().__init__(accept=accept, fallback=reference, **_limited())
        self.on_msg(self._hear)

    def forget(self) -> None:
        """Cancel the upload in progress, if any."""
        if self._file is not None:
            self._file.close()
        if self._asker:
            self.send({"id": self._asker, "stopped": True})
        self._file, self._asker = None, ""

    def _hear(self, _widget: object, content: object, buffers: list[memoryview]) -> None:
        try:
            message = upload_message(content, buffers)
        except ValueError as error:
            self.forget()
            self.send({"stopped": True})  # its sender may have an upload that never began here
            self._refused(str(error))
            return
        try:
            if message.step == "begin":
                self.forget()
                self._asker = message.id
                self._begin(message.name, message.size)
            elif message.id != self._asker:  # of an earlier upload
                return
            elif message.step == "piece":
                self._take(message.piece)
            else:  # cancelled, perhaps after the last piece
                self.forget()
                self._drop()
        except (ValueError, OSError) as error:
            self.forget()
            self._refused(str(error))

    def _begin(self, name: str, size: int) -> None:
        self._drop()
        with self.hold_sync():
            for trait, value in _limited().items():
                setattr(self, trait, value)
        self._file = UploadedFile(name, size)
        self._take(b"")

    def _take(self, piece: bytes | memoryview) -> None:
        """Append a piece, and send the browser the number of bytes so far."""
        file = self._file
        if file is None:
            return
        file.add(piece)
        self.send({"id": self._asker, "taken": file.taken})
        if file.is_whole:
            self._file = None
            self._done(file)


def _limited() -> dict[str, Any]:
    limit = largest()
    words = {key: text.replace("{limit}", amount(limit)) for key, text in WORDS.items()}
    return {"limit": limit, "words": words}
