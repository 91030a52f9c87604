"""A spec as one line of text with a checksum: the answer to a question of a lesson, to be graded.

The line has no quotation marks and no blanks, so it can be pasted between quotes:
dpviz-answer-1?fpr=0.1&fnr=0.25&sum=1c0ffee1

It has the fields of the spec that are not the defaults, as in `dpviz.analysis.state.json_state`,
and the identity of the scores. The checksum finds slips (half a line, an edited number), not
forgers.
"""

import json
import re
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any
from urllib.parse import quote, unquote

from dpviz import checks
from dpviz.analysis.spec import Spec
from dpviz.analysis.state.json_state import from_state, state_of
from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import parse_json, shortened

VERSION = 1
BEGINNING = re.compile(r"dpviz-answer-(\d{1,9})\?", re.ASCII)
UNQUOTED = "{}[]:,/@"  # besides letters, digits and _.-~
LONGEST_LINE = 20_000  # characters


@dataclass(frozen=True, kw_only=True)
class Recording:
    """What a recorded line holds: question, spec, and what identifies the scores (or None)."""

    question: str
    spec: Spec
    scores: dict[str, Any] | None


def record_line(spec: Spec, scores: Scores | None = None, *, question: str = "") -> str:
    """Return the line that records a spec, its scores, and the question that they answer.

    Raises ValueError if the claim or an overlay is of a class that is not in
    `dpviz.theory.MECHANISMS`.
    """
    default = _default_fields()
    state = state_of(spec, scores)
    fields = {"question": question} if question else {}
    # Defaults are left out, which keeps the line short.
    fields |= {name: value for name, value in state["spec"].items() if value != default[name]}
    if state["scores"] is not None:
        fields["scores"] = state["scores"]
    write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    texts = {name: quote(write(value), safe=UNQUOTED) for name, value in fields.items()}
    body = "&".join(f"{name}={text}" for name, text in texts.items())
    return f"dpviz-answer-{VERSION}?{body}&sum={_checksum(body)}"


def read_recording(text: object) -> Recording:
    """Return the content of a line that `record_line` wrote; nothing in the text is executed.

    Raises ValueError, with a message for people, if the text is no such line, is of another
    version, or was cut or edited.
    """
    if not isinstance(text, str):
        raise ValueError(f"A recorded answer is text, not {type(text).__name__}.")
    # A line that a mail program wrapped is whole again without blanks.
    line = "".join(text.split())
    beginning = BEGINNING.match(line)
    if beginning is None:
        raise ValueError('This is no recorded answer: it begins with "dpviz-answer".')
    version = int(beginning[1])
    if version != VERSION:
        raise ValueError(
            f"This answer is of version {version}, but this dpviz reads answers of version "
            f"{VERSION}: record it again."
        )
    # The length is limited before anything is parsed.
    body, _, checksum = line[beginning.end() :].rpartition("&sum=")
    if len(line) > LONGEST_LINE or checksum != _checksum(body):
        raise ValueError(
            "This line is not as it was recorded: a part is missing, or it was edited. "
            "Copy the whole line again."
        )
    fields = {}
    # Values have their "&" and "=" quoted, so these signs only separate.
    for part in body.split("&") if body else []:
        name, _, value = part.partition("=")
        fields[unquote(name)] = parse_json(name, unquote(value))
    question, scores = fields.pop("question", ""), fields.pop("scores", None)
    if not isinstance(question, str):
        raise checks.fail("question", "text", shortened(question))
    default = _default_fields()
    for name in fields:
        checks.choice("field of the answer", name, default)
    # Checked as a state: the fields that were left out are the defaults.
    spec, _ = from_state(state_of(Spec()) | {"spec": default | fields})
    return Recording(question=question, spec=spec, scores=scores)


def _default_fields() -> dict[str, Any]:
    spec: dict[str, Any] = state_of(Spec())["spec"]
    return spec


def _checksum(body: str) -> str:
    return sha256(f"{VERSION}?{body}".encode()).hexdigest()[:8]
