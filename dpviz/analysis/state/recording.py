"""A student's answer to a lesson's question: a spec as one line of text with a checksum.

The line has no quotation marks and no blanks: dpviz-answer-1?fpr=0.1&fnr=0.25&sum=1c0ffee1
It contains the fields of the spec that are not defaults, as `dpviz.analysis.state.json_state`
writes them, and identifies the scores. The checksum detects mistakes, but no forgery.
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
from dpviz.documents import cut_for_error, parse_json

VERSION = 1
BEGINNING = re.compile(r"dpviz-answer-(\d{1,9})\?", re.ASCII)
UNQUOTED = "{}[]:,/@"  # besides letters, digits and _.-~
LONGEST_LINE = 20_000  # characters


@dataclass(frozen=True, kw_only=True)
class RecordedAnswer:
    """A recorded answer to a lesson's question; `scores` identifies the scores, if any."""

    question: str
    spec: Spec
    scores: dict[str, Any] | None


def answer_as_line(spec: Spec, scores: Scores | None = None, *, question: str = "") -> str:
    """Return a student's answer as one line of text: spec, identity of the scores, `question`."""
    default = state_of(Spec())["spec"]
    state = state_of(spec, scores)
    fields = {"question": question} if question else {}
    # Fields that have their default are left out.
    fields |= {name: value for name, value in state["spec"].items() if value != default[name]}
    if state["scores"] is not None:
        fields["scores"] = state["scores"]
    write = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))
    texts = {name: quote(write(value), safe=UNQUOTED) for name, value in fields.items()}
    body = "&".join(f"{name}={text}" for name, text in texts.items())
    return f"dpviz-answer-{VERSION}?{body}&sum={_checksum(body)}"


def read_answer_line(text: object) -> RecordedAnswer:
    """Return the answer in a line from `answer_as_line`; ValueError if the line is damaged."""
    if not isinstance(text, str):
        raise ValueError(f"A recorded answer is text, not {type(text).__name__}.")
    # A mail program may have wrapped the line.
    line = "".join(text.split())
    beginning = BEGINNING.match(line)
    if beginning is None:
        raise ValueError('This is no recorded answer: such a line begins with "dpviz-answer".')
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
            "This line differs from the recorded line: a part is missing, or the line was edited. "
            "Copy the whole line again."
        )
    fields = {}
    # In names and values "&" and "=" are quoted.
    for part in body.split("&") if body else []:
        name, _, value = part.partition("=")
        fields[unquote(name)] = parse_json(name, unquote(value))
    question, scores = fields.pop("question", ""), fields.pop("scores", None)
    if not isinstance(question, str):
        raise checks.fail("question", "text", cut_for_error(question))
    default = state_of(Spec())["spec"]
    for name in fields:
        checks.choice("field of the answer", name, default)
    spec, _ = from_state(state_of(Spec()) | {"spec": default | fields})
    return RecordedAnswer(question=question, spec=spec, scores=scores)


def _checksum(body: str) -> str:
    return sha256(f"{VERSION}?{body}".encode()).hexdigest()[:8]
