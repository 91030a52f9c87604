"""JSON that dpviz wrote: a guarantee, the state of an explorer, the report of an audit."""

from collections.abc import Mapping
from typing import Any

from dpviz import checks
from dpviz.claims.claim import Claim
from dpviz.claims.guarantee_state import FIELDS, guarantee_of
from dpviz.claims.plain_json import parsed, shortened
from dpviz.claims.reader import Reader

SCHEMA = "dpviz/"


def _source(document: Any) -> str:
    """What a document is called; empty for those that dpviz did not write."""
    if not isinstance(document, Mapping):
        return ""
    if document.keys() == set(FIELDS):
        return "a guarantee written as JSON"
    if "dpviz" in document and "spec" in document:
        return "the state of an explorer"
    schema = document.get("schema")
    is_own = isinstance(schema, str) and schema.startswith(SCHEMA)
    return f"a report, {schema}" if is_own else ""


def _read(document: Mapping[str, Any]) -> Claim:
    source, state = _source(document), parsed("claim", document)
    if "type" not in state:
        spec = state.get("spec")
        if not isinstance(spec, dict) or "claim" not in spec:
            raise checks.fail(source, "a document with spec.claim", shortened(state))
        state = spec["claim"]
    if state is None:
        raise ValueError(f"{source} must state a claim, got none: it was written without one")
    return Claim(guarantee=guarantee_of(state, "claim"), source=source, states_adjacency=True)


WRITTEN = Reader(
    name="JSON written by dpviz", accepts=lambda source: bool(_source(source)), read=_read
)
