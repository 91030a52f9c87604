"""The fields of a report about its origin: scores, protocol, gate and reproduction."""

import json
import platform
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.json_state import fingerprint, packaged_sample_key, state_of
from dpviz.analysis.topics.checklist import checks_text
from dpviz.audit.scores.base import Scores
from dpviz.data.check_inputs import check_inputs
from dpviz.number_format import percent, percent_with_error
from dpviz.reports.material import NO_SCORES, ReportData
from dpviz.reports.model import Field, Group

DIRECTIONS = {"loss": "low = member", "score": "high = member"}
# Labels of the fields of a provenance.
PROVENANCE = {
    **{"source": "source", "sha256": "SHA-256 of the file", "loader": "read as"},
    **{"understood": "columns", "n_rows": "rows read", "n_dropped": "rows left out"},
}


def reproduction_group(material: ReportData) -> Group:
    """Return the fields for reproducing a result: versions of packages, state, Python code."""
    spec, scores = material.result.spec, material.scores
    state = _code_block_field("state", lambda: json.dumps(state_of(spec, scores)))
    # Python reads the file again; packaged samples have names, and arrays no file.
    known = None if scores is None or packaged_sample_key(scores) is not None else scores.provenance
    source = f"dpviz.read_scores({known.source!r})" if known and known.path else None
    code = _code_block_field("code", lambda: python_code(spec, scores, source=source))
    versions = [Field(package, package, version(package)) for package in ("numpy", "scipy")]
    python = Field("python", "Python", platform.python_version())
    fields = (Field("dpviz", "dpviz", version("dpviz")), python, *versions, code, state)
    return Group("document", "How to reproduce this report", fields)


def _code_block_field(name: str, write_code: Callable[[], str]) -> Field:
    try:
        return Field(name, name, write_code(), is_code=True)
    except ValueError as error:
        return Field(name, name, reason=str(error))


def scores_group(material: ReportData) -> Group:
    """Return the fields about the scores: source, numbers of records, automatic checks."""
    given = material.scores
    if given is None:
        fields: tuple[Field, ...] = (Field("source", "source", reason=NO_SCORES),)
    else:
        # The checklist may have looked at more than the scores: then its remarks count.
        remarks = material.result.answers.get("inputs") or check_inputs(given)
        found = [finding.sentence for finding in remarks.notable]
        noticed = Field("noticed", "automatic checks", found, checks_text(remarks))
        fields = (*_source_fields(given), *_count_fields(given), noticed)
    return Group("scores", "Records", fields)


def _source_fields(scores: Scores) -> list[Field]:
    known = scores.provenance
    why = "given as arrays" if known is None else "no file"
    about = {} if known is None else {"n_dropped": known.dropped}
    fields = [
        Field(name, label, getattr(known, name, None), reason=why, about=about.get(name, ""))
        for name, label in PROVENANCE.items()
    ]
    if known is not None and known.receipt is not None:
        fields.append(Field("receipt", "receipt (SHA-256 of the plan of canaries)", known.receipt))
    return fields


def _count_fields(scores: Scores) -> list[Field]:
    n_records = scores.n_members + scores.n_nonmembers
    n_tied = None if scores.is_rounded else n_records - scores.n_distinct
    repeated = "scores that repeat an earlier score"
    rounded = "scores were rounded to thresholds"
    digest, order = fingerprint(scores), "in their order, with their labels"
    return [
        Field("fingerprint", "SHA-256 of the scores", digest, about=order),
        Field("kind", "kind", scores.kind),
        Field("orientation", "direction", DIRECTIONS[scores.kind]),
        Field("n_members", "members", scores.n_members, unit="records"),
        Field("n_nonmembers", "non-members", scores.n_nonmembers, unit="records"),
        Field("ties", repeated, n_tied, reason=rounded),
        Field("is_binned", "counted in cells", scores.is_binned),
    ]


def protocol_group(material: ReportData) -> Group:
    """Return the fields about the registered plan: its hash, and how the audit differs from it."""
    compared = material.result.answers.get("protocol")
    digest = compared.receipt.sha256 if compared else None
    listed = [str(each) for each in compared.differences] if compared else None
    shown = "; ".join(listed) if listed else "none"
    fields = (
        Field("sha256", "receipt (SHA-256 of the protocol)", digest),
        Field("differences", "differences from the plan", listed, shown),
        Field("attack", "planned attack", compared and compared.receipt.attack),
    )
    return Group("protocol", "Registered protocol", fields)


def gate_group(material: ReportData) -> Group:
    """Return the fields about the gate of ``dpviz audit``: outcome, exit code and power."""
    gate, title = material.result.answers.get("gate"), "Pipeline gate (exit code)"
    if gate is None:
        return Group("gate", title, ())
    fields = [
        Field("outcome", "outcome of the gate", gate.outcome),
        Field("exit_code", "exit code of dpviz audit", gate.exit_code),
    ]
    if gate.must_detect is not None:
        power, shown = None, ""
        if gate.power is not None:
            power, shown = gate.power[0], percent_with_error(*gate.power)
        simulated = "simulated for noise with the ε to detect (Gaussian; Laplace if δ is 0)"
        about: dict[str, Any] = {"about": simulated, "reason": "not needed for the outcome"}
        fields += [
            Field(
                "must_detect", "smallest ε that an audit must be able to detect", gate.must_detect
            ),
            Field("min_power", "required power", gate.min_power, percent(gate.min_power)),
            Field("power", "power of the test", power, shown, kind="estimate", **about),
        ]
    return Group("gate", title, tuple(fields))
