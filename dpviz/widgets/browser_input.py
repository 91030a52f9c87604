"""Checks of messages from a browser, and a lock that widgets hold while they handle a message."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from threading import RLock
from typing import Any

import ipywidgets

from dpviz import checks

MAX_ID_SIZE = 100  # characters
MAX_NAME_SIZE = 4096  # characters of a file's or a field's name
LARGEST_WHOLE = 2**53  # whole numbers that a browser writes exactly
UPLOAD_STEPS = ("begin", "piece", "cancel")


@dataclass(frozen=True, kw_only=True)
class UploadMessage:
    """A step of an upload: "begin" with a file's name and size, "piece" with bytes, or "cancel"."""

    step: str
    id: str
    name: str = ""
    size: int = 0
    piece: bytes | memoryview = b""


@dataclass(frozen=True, kw_only=True)
class ChangeRequest:
    """A user's request; `changes` maps the key of a control to fields and their new values."""

    serial: int
    changes: Mapping[str, Mapping[str, float | None]]


def upload_message(content: object, buffers: Sequence[memoryview]) -> UploadMessage:
    """Return the checked content of an upload message; ValueError if it is malformed."""
    found = _checked_mapping("message", content)
    step = checks.choice("message.do", found.get("do"), UPLOAD_STEPS)
    sender = _checked_text("message.id", found.get("id"), MAX_ID_SIZE)
    if step == "begin":
        name = _checked_text("message.name", found.get("name"), MAX_NAME_SIZE)
        size = checks.whole("message.size", found.get("size"), 0, LARGEST_WHOLE)
        return UploadMessage(step=step, id=sender, name=name, size=size)
    if step == "piece":
        # The bytes of a piece come beside the JSON, in one buffer.
        if len(buffers) != 1:
            raise checks.fail("len(buffers)", "1 in a message with a piece of a file", len(buffers))
        return UploadMessage(step=step, id=sender, piece=buffers[0])
    return UploadMessage(step=step, id=sender)


def change_request(content: object) -> ChangeRequest:
    """Return the checked content of a request for changes; ValueError if it is malformed."""
    sent = _checked_mapping("request", content)
    changes = {
        _checked_text("key", key, MAX_ID_SIZE): {
            _checked_text("field", field, MAX_NAME_SIZE): _checked_real_or_none(
                f"request.{field}"[:MAX_ID_SIZE], value
            )
            for field, value in _checked_mapping("fields", fields).items()
        }
        for key, fields in _checked_mapping("request.changes", sent.get("changes")).items()
    }
    serial = checks.whole("request.serial", sent.get("serial"), 0, LARGEST_WHOLE)
    return ChangeRequest(serial=serial, changes=changes)


def chosen_entry_key(content: object) -> str:
    """Return the key of the menu entry that a message names; ValueError for a malformed message."""
    return _checked_text("message.do", _checked_mapping("message", content).get("do"), MAX_ID_SIZE)


def clicked_index(content: object, n_points: int) -> int:
    """Return the index of the clicked point; ValueError unless it is from 0 to `n_points` - 1."""
    data = _checked_mapping("message.data", _checked_mapping("message", content).get("data"))
    return checks.whole("message.data.index", data.get("index"), 0, n_points - 1)


def drag_target(content: object) -> tuple[float, float]:
    """Return the coordinates where a drag ended; ValueError if the message is malformed."""
    point = _checked_mapping("message.point", _checked_mapping("message", content).get("point"))
    return finite_point(point.get("x"), point.get("y"))


def finite_point(x: object, y: object) -> tuple[float, float]:
    """Return the coordinates of a point as two floats; ValueError unless both are finite."""
    return _checked_finite_number("x", x), _checked_finite_number("y", y)


def checked_slide_index(value: object, count: int) -> int:
    """Return the index of a slide; ValueError unless it is from 0 to `count` - 1."""
    return checks.whole("slide", value, 0, max(count - 1, 0))


def name_and_bytes(value: object) -> tuple[str, bytes | memoryview]:
    """Return the name and the content of an uploaded file; ValueError if either is malformed."""
    found = _checked_mapping("file", value)
    content = found.get("content")
    if not isinstance(content, bytes | memoryview):
        raise checks.fail("file.content", "bytes", content)
    return _checked_text("file.name", found.get("name"), MAX_NAME_SIZE), content


def _checked_mapping(name: str, value: object) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise checks.fail(name, "a mapping", value)
    return value


def _checked_text(name: str, value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise checks.fail(name, f"a text of at most {longest} characters", value)
    return value


def _checked_finite_number(name: str, value: object) -> float:
    number = checks.real(name, value)
    if not isfinite(number):
        raise checks.fail(name, "finite", value)
    return number


def _checked_real_or_none(name: str, value: object) -> float | None:
    if value is None:
        return None
    return checks.real(name, float(value) if value in ("inf", "-inf") else value)


# A kernel may handle messages of a browser in more than one thread: JupyterLab sends those of
# widgets to a subshell, so that a slider moves while a cell runs. Without a lock, a user's choice
# that arrives while another thread draws would count as set by the program, and be lost. So all
# code that reads or changes widgets holds this lock: messages, timers, the store.
WIDGET_LOCK = RLock()


class ThreadSafeWidget(ipywidgets.Widget):
    """A widget that holds `WIDGET_LOCK` while it handles a message of the browser."""

    def _handle_msg(self, msg: dict[str, Any]) -> None:
        with WIDGET_LOCK:
            super()._handle_msg(msg)


class FileUpload(ThreadSafeWidget, ipywidgets.FileUpload):
    """A button that uploads a file in one message."""
