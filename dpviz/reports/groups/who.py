"""Who and what a report is about: versions, state and code; model; auditor; records; protocol."""

import json
import platform
from collections.abc import Callable
from importlib.metadata import version

from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.state import fingerprint, sample_key, state_of
from dpviz.analysis.topics.checklist import indications
from dpviz.audit.inputs import InputChecks
from dpviz.audit.scores.base import Scores
from dpviz.data.check_inputs import check_inputs
from dpviz.reports.material import NO_SCORES, Material
from dpviz.reports.model import Field, Group


def document(made: Material) -> Group:
    """Versions, the state and the code that makes the explorer again."""
    spec, scores = made.result.spec, made.scores
    state = _written("state", "state", lambda: json.dumps(state_of(spec, scores)))
    always = ("lower_bound_method",) if scores is not None else ()
    code = _written(
        "code", "code", lambda: python_code(spec, scores, source=_packages(scores), always=always)
    )
    versions = [
        Field(name=package, label=package, value=version(package)) for package in ("numpy", "scipy")
    ]
    return Group(
        name="document",
        title="How to make this again",
        fields=(
            Field(name="dpviz", label="dpviz", value=version("dpviz")),
            Field(name="python", label="Python", value=platform.python_version()),
            *versions,
            code,
            state,
        ),
    )


def subject(made: Material) -> Group:
    """The audited model."""
    return Group(name="subject", title="Model", fields=made.stated("subject"))


def auditor(made: Material) -> Group:
    """Who made the report."""
    return Group(name="auditor", title="Auditor", fields=made.stated("auditor"))


def _written(name: str, label: str, write: Callable[[], str]) -> Field:
    """A text, or why there is none: a claim of one's own class has no text."""
    try:
        return Field(name=name, label=label, value=write(), is_code=True)
    except ValueError as error:
        return Field(name=name, label=label, reason=str(error))


def _packages(scores: Scores | None) -> str | None:
    """Python that reads the file again; None where another expression is as good or none is."""
    if scores is None or sample_key(scores) is not None:
        return None
    known = scores.provenance
    return f"dpviz.read_scores({known.source!r})" if known and known.path else None


# The records: what was read, how they were drawn, and the attack that scored them.

ORIENTATIONS = {"loss": "low = member", "score": "high = member"}

READ = {  # fields of a provenance
    "source": "source",
    "sha256": "SHA-256 of the file",
    "loader": "read as",
    "understood": "columns",
    "n_rows": "rows read",
    "n_dropped": "rows left out",
}

AS_ARRAYS = "given as arrays"


def scores(made: Material) -> Group:
    """What was read."""
    given = made.scores
    if given is None:
        fields: tuple[Field, ...] = (Field(name="source", label="source", reason=NO_SCORES),)
    else:
        noticed = made.result.answers.get("inputs") or check_inputs(given)
        fields = (*_source(given), *_counted(given), _noticed(noticed))
    return Group(name="scores", title="Records", fields=fields)


def _source(given: Scores) -> list[Field]:
    known = given.provenance
    return [
        Field(
            name=name,
            label=label,
            value=getattr(known, name, None),
            reason=AS_ARRAYS if known is None else "no file",
            about=known.dropped if known and name == "n_dropped" else "",
        )
        for name, label in READ.items()
    ]


def _counted(given: Scores) -> list[Field]:
    n_records = given.n_members + given.n_nonmembers
    return [
        Field(
            name="fingerprint",
            label="SHA-256 of the scores",
            value=fingerprint(given),
            about="in their order, with their labels",
        ),
        Field(name="kind", label="kind", value=given.kind),
        Field(name="orientation", label="direction", value=ORIENTATIONS[given.kind]),
        Field(name="n_members", label="members", value=given.n_members, unit="records"),
        Field(name="n_nonmembers", label="non-members", value=given.n_nonmembers, unit="records"),
        Field(
            name="ties",
            label="records whose score repeats another one",
            value=None if given.is_rounded else n_records - int(given.distinct().size),
            reason="scores were rounded to thresholds",
        ),
        Field(name="is_binned", label="counted in cells", value=given.is_binned),
    ]


def _noticed(found: InputChecks) -> Field:
    """What automatic checks noticed, or nothing: indications."""
    return Field(
        name="noticed",
        label="automatic checks",
        value=[finding.sentence for finding in found.notable],
        shown=indications(found),
    )


def sampling(made: Material) -> Group:
    """How the records were drawn."""
    return Group(name="sampling", title="How records were drawn", fields=made.stated("sampling"))


def attack(made: Material) -> Group:
    """The attack."""
    return Group(name="attack", title="Attack", fields=made.stated("attack"))


# What was registered before the scores existed, and what was done otherwise.


def protocol(made: Material) -> Group:
    """The hash of the receipt, and the differences; not stated where nothing was registered."""
    compared = made.result.answers.get("protocol")
    digest = compared.receipt.sha256 if compared else None
    listed = [str(each) for each in compared.differences] if compared else None
    fields = (
        Field(name="sha256", label="receipt (SHA-256 of the protocol)", value=digest),
        Field(
            name="differences",
            label="done otherwise than planned",
            value=listed,
            shown="; ".join(listed) if listed else "nothing",
        ),
        Field(name="attack", label="planned attack", value=compared and compared.receipt.attack),
    )
    return Group(name="protocol", title="Registered protocol", fields=fields)
