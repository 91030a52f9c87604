"""From the material to the typed report."""

from importlib.metadata import version
from typing import Any

from dpviz.analysis.sentences.registered import Table
from dpviz.analysis.state.state import state_of
from dpviz.pictures.saved.page import Origin, page_title
from dpviz.reports.deployment import deployment
from dpviz.reports.figures import figures
from dpviz.reports.groups.registry import groups_of
from dpviz.reports.material import Material
from dpviz.reports.model import Report
from dpviz.reports.words import lead, meta, not_claimed, plain_words


def report_of(made: Material) -> Report:
    """Everything a report says, computed once for all formats."""
    origin = Origin.of(made.scores)
    test = made.sample.audit.test if made.sample else None
    cautions = test.warnings if test else ()
    return Report(
        created=made.created.isoformat(timespec="seconds"),
        version=version("dpviz"),
        state=made.result.answer.state,
        contradicted=made.contradicted,
        title=page_title(made.result, origin),
        meta=meta(made, origin),
        headline=made.result.sentences["answer"],
        lead=lead(made),
        plain_words=plain_words(made),
        not_claimed=not_claimed(made),
        warnings=tuple(dict.fromkeys((*made.warnings, *cautions))),
        checklist=_checklist(made),
        groups=groups_of(made),
        figures=figures(made),
        sentences=made.sentences,
        spec=_spec(made),
        deployment=deployment(made),
    )


def _spec(made: Material) -> dict[str, Any] | None:
    """The choices; None where the claim is of one's own class, which has no text."""
    try:
        spec: dict[str, Any] = state_of(made.result.spec)["spec"]
    except ValueError:
        return None
    return spec if made.is_claimed else spec | {"claim": None}


def _checklist(made: Material) -> Table | None:
    """The table of the checklist, without the column of what follows where nothing does."""
    table = made.result.tables.get("checklist")
    if table is None or any(row[-1] for row in table.rows):
        return table
    return Table(table.caption, table.head[:-1], [row[:-1] for row in table.rows])
