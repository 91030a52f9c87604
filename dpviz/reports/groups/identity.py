"""What the report is about and how it is made again: versions, state, code; model; auditor."""

import json
import platform
from collections.abc import Callable
from importlib.metadata import version

from dpviz.analysis.state.code import python_code
from dpviz.analysis.state.scores_state import sample_key
from dpviz.analysis.state.state import state_of
from dpviz.audit.scores.base import Scores
from dpviz.reports.material import Material
from dpviz.reports.model import Field, Group


def document(made: Material) -> Group:
    """Versions, the state and the code that makes the explorer again."""
    spec, scores = made.result.spec, made.scores
    state = _written("state", "state", lambda: json.dumps(state_of(spec, scores)))
    always = ("lower_bound_method",) if scores is not None else ()
    code = _written(
        "code", "code", lambda: python_code(spec, scores, source=_read(scores), always=always)
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


def _read(scores: Scores | None) -> str | None:
    """Python that reads the file again; None where another expression is as good or none is."""
    if scores is None or sample_key(scores) is not None:
        return None
    known = scores.provenance
    return f"dpviz.read_scores({known.source!r})" if known and known.path else None
