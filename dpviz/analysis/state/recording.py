"""What somebody shows, as one line of text with a checksum: to paste, to keep, to compare.

The line has no quotation marks and no blanks, so it can be pasted between quotes::

    dpviz-answer-2?fpr=0.1&fnr=0.25&sum=1c0ffee1

It names the fields of a spec that are not the defaults, as in `dpviz.analysis.state.state`, and
which scores are loaded. The checksum finds slips (half a line, an edited number), not forgers.
"""

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote

from dpviz import checks
from dpviz.analysis.spec import Spec
from dpviz.analysis.state.state import from_state, state_of
from dpviz.audit.bounds.registry import FORMER_DEFAULT
from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import parsed, shortened

VERSION = 2  # of what is written
READABLE = {1: {"lower_bound_method": FORMER_DEFAULT}, 2: {}}
"""The versions that are read, each with the fields whose default was another one."""
BEGINNING = re.compile(r"dpviz-answer-(\d{1,9})\?", re.ASCII)
SAFE = "{}[]:,/@"  # written as they are, as are letters, digits and _.-~
LONGEST = 20_000  # characters


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What was shown: the `question` it belongs to, the `spec`, and which `scores` were loaded.

    `scores` is None, or what `scores_state` says about them.
    """

    question: str
    spec: Spec
    scores: dict[str, Any] | None


def recorded(spec: Spec, scores: Scores | None = None, *, question: str = "") -> str:
    """Return one line that says what is shown.

    Raises ValueError if the claim or an overlay is of a class that is not in
    `dpviz.theory.MECHANISMS`.
    """
    default = _default()
    shown = state_of(spec, scores)
    said = {"question": question} if question else {}
    said |= {name: value for name, value in shown["spec"].items() if value != default[name]}
    if shown["scores"] is not None:
        said["scores"] = shown["scores"]
    body = "&".join(f"{name}={_written(value)}" for name, value in said.items())
    return f"dpviz-answer-{VERSION}?{body}&sum={_checksum(body, VERSION)}"


def read_recording(text: object) -> Recording:
    """Return what a line of `recorded` says.

    Raises ValueError, with a message for people, if it is no such line, or one that was cut, edited
    or written by another version. Nothing in the text is executed.
    """
    if not isinstance(text, str):
        raise ValueError(f"A recorded answer is text, not {type(text).__name__}.")
    line = "".join(text.split())
    begins = BEGINNING.match(line)
    if begins is None:
        raise ValueError('This is no recorded answer: it begins with "dpviz-answer".')
    version = int(begins[1])
    if version not in READABLE:
        raise ValueError("This answer was recorded by another version of dpviz. Record it again.")
    body, _, checksum = line[begins.end() :].rpartition("&sum=")
    if len(line) > LONGEST or checksum != _checksum(body, version):
        raise ValueError(
            "This line is not as it was recorded: a part is missing, or it was edited. "
            "Copy the whole line again."
        )
    said = {}
    for part in body.split("&") if body else []:
        name, _, value = part.partition("=")
        said[unquote(name)] = parsed(name, unquote(value))
    question, scores = said.pop("question", ""), said.pop("scores", None)
    if not isinstance(question, str):
        raise checks.fail("question", "text", shortened(question))
    default = _default() | READABLE[version]
    for name in said:
        checks.choice("field of the answer", name, default)
    spec, _ = from_state(state_of(Spec()) | {"spec": default | said})
    return Recording(question=question, spec=spec, scores=scores)


def _default() -> dict[str, Any]:
    """The fields of the default spec as plain JSON."""
    fields: dict[str, Any] = state_of(Spec())["spec"]
    return fields


def _written(value: object) -> str:
    return quote(json.dumps(value, ensure_ascii=False, separators=(",", ":")), safe=SAFE)


def _checksum(body: str, version: int) -> str:
    return sha256(f"{version}?{body}".encode()).hexdigest()[:8]
