"""The records: what was read, how they were drawn, and the attack that scored them."""

from dpviz.analysis.sentences.checklist import indications
from dpviz.analysis.state.scores_state import fingerprint
from dpviz.audit.inputs.finding import InputChecks
from dpviz.audit.scores.base import Scores
from dpviz.data.check_inputs import check_inputs
from dpviz.reports.material import NO_SCORES, Material
from dpviz.reports.model import Field, Group

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
        fields = (*_read(given), *_counted(given), _noticed(noticed))
    return Group(name="scores", title="Records", fields=fields)


def _read(given: Scores) -> list[Field]:
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
