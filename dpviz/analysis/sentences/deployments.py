"""Sentences about published deployments beside the claim."""

from dpviz.analysis.number_format import percent, upper
from dpviz.analysis.parts.answer import allows_everything
from dpviz.analysis.parts.deployments import DeploymentsPart, Row
from dpviz.analysis.sentences.claim import in_words, name
from dpviz.claims.deployments.table import Per

PER: dict[Per, str] = {
    "person": "per person",
    "period": "per user and period",
    "event": "per event",
    "other": "of other units",
}
ABOUT = (
    "Facts of the OpenDP deployments registry (July 2026), as they are stated there; none was "
    "checked. Whether a record is added, removed or replaced is stated nowhere; they are read as "
    "one record replaced. Guarantees of different units are not comparable: one that holds per "
    "day is weaker for a person who is in the data for many days. “Units together” moves between "
    "them by group privacy, for deployments only. A bar is the largest TPR that follows from the "
    "statement; the mechanism behind it may allow less."
)
CAPTION = "Published guarantees {}."
HEAD = ("deployment", "stated", "unit", "TPR at most", "PPV at most")
PAIR_CAPTION = "Two deployments side by side, {}."


def lead(part: DeploymentsPart) -> str:
    """How many of them allow an attack a TPR above 1/2, and what the claim allows."""
    own = ""
    if not allows_everything(part.claim):
        own = f"; the claim at most {percent(upper(part.own))}"
    return (
        f"At FPR {percent(part.fpr)}, {part.exposed} of {len(part.rows)} published guarantees "
        f"{together(part)} allow an attack to catch most members{own}."
    )


def together(part: DeploymentsPart) -> str:
    """The kind of unit, and how many of them count together."""
    return PER[part.per] + (f" ({part.units} together)" if part.units > 1 else "")


def about(part: DeploymentsPart) -> str:
    """What is shown, and what the claim is."""
    return f"The line is {name(part.claim)}. {ABOUT}"


def caption(part: DeploymentsPart) -> str:
    """Title of the table, with the FPR and the prior of its numbers."""
    return CAPTION.format(f"{together(part)}, {_at(part)}")


def pair_caption(part: DeploymentsPart) -> str:
    """Title of the table of two."""
    units = f"{part.units} units together, " if part.units > 1 else ""
    return PAIR_CAPTION.format(units + _at(part))


def table(part: DeploymentsPart) -> list[tuple[str, ...]]:
    """One row for each deployment, under `HEAD`."""
    return [tuple(_cells(row, part)) for row in part.rows]


def pair_head(part: DeploymentsPart) -> tuple[str, ...]:
    """Names of the two."""
    return ("", *(row.deployment.label for row in part.pair))


def pair_table(part: DeploymentsPart) -> list[tuple[str, ...]]:
    """The same facts and numbers of both, under `pair_head`."""
    years = ("year", *(str(row.deployment.year) for row in part.pair))
    columns = [HEAD[1:], *(_cells(row, part)[1:] for row in part.pair)]
    return [years, *zip(*columns, strict=True)]


def _at(part: DeploymentsPart) -> str:
    return f"at FPR {percent(part.fpr)} and prior {percent(part.prior)}"


def _cells(row: Row, part: DeploymentsPart) -> list[str]:
    stated = row.deployment.guarantee
    return [
        f"{row.deployment.label} ({row.deployment.year})",
        "" if stated is None else in_words(stated),
        row.deployment.unit or "not stated",
        percent(upper(row.tpr)),
        percent(upper(row.ppv(part.fpr, part.prior))),
    ]
