"""An audit as JSON: schema ``dpviz/audit/1``.

=============== ==================================================================================
schema          "dpviz/audit/1"; fields may be added to it, none changes its meaning
dpviz_version
created         UTC, ISO 8601
scores          what was read: source, loader, understood, kind, orientation, sha256, n_rows,
                n_dropped, dropped (these null where nothing is known), path (always null: a file
                has its name in source and its bytes in sha256), n_members, n_nonmembers,
                ties (records whose score repeats another one; null where scores were rounded),
                is_binned
spec            claim (null, or type, parameters, adjacency), delta, prior, fpr, confidence_level,
                applies_to, neighbours, method, clip (of Epsilon*)
sentences       those of the explorer, by name; about a claim only where one was given
numbers         see `dpviz.cli.numbers.numbers`
answer          "contradicted", "not contradicted", "cannot decide"; null: no claim was given
contradicted    true: the records contradict the claim. false: they do not, which does not
                confirm it. null: no claim was given
`refused`       results that have no value, and why
warnings        what a reader of the numbers has to know
not_claimed     what none of this says
=============== ==================================================================================

JSON has no infinity: such numbers are the strings "inf", "-inf" and "nan".
"""

import json
import math
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from dpviz.audit.scores.base import Scores
from dpviz.claims.guarantee_state import guarantee_state
from dpviz.cli.audited import Audit
from dpviz.cli.numbers import numbers

SCHEMA = "dpviz/audit/1"
READ = ("source", "loader", "understood", "sha256", "n_rows", "n_dropped", "dropped")
CHOSEN = ("delta", "prior", "fpr", "confidence_level", "applies_to", "neighbours", "method", "clip")
NOT_CLAIMED = (
    "A lower bound cannot show that epsilon is small; estimates bound nothing; a claim that is not "
    "contradicted is not thereby confirmed. A statement about one trained model is none about the "
    "method that trained it."
)


def document(audit: Audit) -> str:
    """The JSON text, with a line end."""
    test = audit.sample.audit.test
    cautions = test.warnings if test is not None else ()
    content = {
        "schema": SCHEMA,
        "dpviz_version": version("dpviz"),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "scores": _scores(audit.scores),
        "spec": _spec(audit),
        "sentences": audit.sentences,
        "numbers": numbers(audit),
        "contradicted": audit.contradicted,
        "answer": audit.result.answer.state if audit.is_claimed else None,
        "refused": dict(audit.sample.audit.refused),
        "warnings": list(dict.fromkeys((*audit.warnings, *cautions))),
        "not_claimed": NOT_CLAIMED,
    }
    text = json.dumps(_finite(content), ensure_ascii=False, allow_nan=False, indent=2)
    return f"{text}\n"


def _scores(scores: Scores) -> dict[str, Any]:
    n_records = scores.n_members + scores.n_nonmembers
    return {
        **{field: getattr(scores.provenance, field, None) for field in READ},
        "path": None,  # folders of this machine are not for others who read the document
        "kind": scores.kind,
        "orientation": "low = member" if scores.kind == "loss" else "high = member",
        "n_members": scores.n_members,
        "n_nonmembers": scores.n_nonmembers,
        "ties": None if scores.is_rounded else n_records - int(scores.distinct().size),
        "is_binned": scores.is_binned,
    }


def _spec(audit: Audit) -> dict[str, Any]:
    spec = audit.result.spec
    claim = guarantee_state(spec.claim) if audit.is_claimed else None
    chosen = {field: getattr(spec, field) for field in CHOSEN}
    return {"claim": claim, **chosen, "fpr": audit.result.fpr}


def _finite(value: Any) -> Any:
    """Replace infinite numbers and nan by text."""
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_finite(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(float(value))
    return value
