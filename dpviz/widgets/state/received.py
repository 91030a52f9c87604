"""What a browser sends, checked for type, finiteness and range before anything is done with it.

JSON of a browser may hold NaN, and anyone who can write to a kernel's socket can send anything.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpviz import checks

LONGEST_ID = 100  # characters
LONGEST_NAME = 4096  # characters of a file's or a field's name
LARGEST = 2**53  # whole numbers that a browser writes exactly
UPLOAD_STEPS = ("begin", "piece", "cancel")


@dataclass(frozen=True, kw_only=True)
class UploadMessage:
    """One step of an upload; `name` and `size` are of the file that begins, `piece` its bytes."""

    step: str
    id: str
    name: str = ""
    size: int = 0
    piece: bytes | memoryview = b""


@dataclass(frozen=True, kw_only=True)
class ChangeRequest:
    """Changes that a user requests: for each control its fields and their new values."""

    serial: int
    changes: Mapping[str, Mapping[str, float | None]]


def upload_message(content: object, buffers: Sequence[memoryview]) -> UploadMessage:
    """Check a message about an upload; ValueError if it is none."""
    found = _mapping("message", content)
    step = checks.choice("message.do", found.get("do"), UPLOAD_STEPS)
    sender = _text("message.id", found.get("id"), LONGEST_ID)
    if step == "begin":
        return UploadMessage(
            step=step,
            id=sender,
            name=_text("message.name", found.get("name"), LONGEST_NAME),
            size=_whole("message.size", found.get("size")),
        )
    if step == "piece":
        if len(buffers) != 1:
            raise checks.fail("message", "with one piece of the file", len(buffers))
        return UploadMessage(step=step, id=sender, piece=buffers[0])
    return UploadMessage(step=step, id=sender)


def change_request(content: object) -> ChangeRequest:
    """Check a request to change numbers; ValueError if it is none."""
    found = _mapping("request", content)
    changes = {
        _text("key", key, LONGEST_ID): {
            _text("field", field, LONGEST_NAME): _number(f"request.{field}"[:LONGEST_ID], value)
            for field, value in _mapping("fields", fields).items()
        }
        for key, fields in _mapping("request.changes", found.get("changes")).items()
    }
    return ChangeRequest(serial=_whole("request.serial", found.get("serial")), changes=changes)


def _mapping(name: str, value: object) -> dict[Any, Any]:
    if not isinstance(value, dict):
        raise checks.fail(name, "a mapping", value)
    return value


def _text(name: str, value: object, longest: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise checks.fail(name, f"a text of at most {longest} characters", value)
    return value


def _whole(name: str, value: object) -> int:
    return checks.whole(name, value, 0, LARGEST)


def _number(name: str, value: object) -> float | None:
    """None is a number that is left out; infinite ones are written as text."""
    if value is None:
        return None
    return checks.real(name, float(value) if value in ("inf", "-inf") else value)
