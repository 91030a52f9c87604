"""Published deployments of differential privacy and the claim, compared by the largest TPR."""

from dataclasses import dataclass, replace
from functools import cache, lru_cache

import numpy as np

from dpviz.analysis.result import Result, allows_every_attack
from dpviz.analysis.topic import Table, TextWriter, answer_topic
from dpviz.analysis.topics.claim import short_name
from dpviz.claims.deployments import Deployment, Per, read_sample_registry
from dpviz.drawing import ROW_AXIS, AnswerLayer, AxisSpec, Scene, outline_of, theme
from dpviz.drawing.layer import part_at_path
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.number_format import percent, percent_at_most
from dpviz.theory import TradeoffFunction, risk


@dataclass(frozen=True, kw_only=True)
class DeploymentRow:
    """A deployment, its guarantee for a group of privacy units, and the largest allowed TPR."""

    deployment: Deployment
    guarantee: TradeoffFunction
    tpr: float


@dataclass(frozen=True, kw_only=True, eq=False)
class DeploymentsPart:
    """The deployments with one kind of privacy unit, and the largest TPR that each allows."""

    per: Per
    units: int  # in the groups that guarantees are for
    fpr: float
    prior: float
    rows: tuple[DeploymentRow, ...]  # sorted by the TPR
    pair: tuple[DeploymentRow, ...]  # the two that are compared side by side
    claim: TradeoffFunction
    own: float  # the largest TPR that the claim allows

    @property
    def n_tpr_above_half(self) -> int:
        """The number of deployments that allow a TPR above 1/2."""
        return sum(row.tpr > 0.5 for row in self.rows)


@cache
def deployments_by_label() -> dict[str, Deployment]:
    """Return the published deployments that state a guarantee, by their labels."""
    return {each.label: each for each in read_sample_registry() if each.guarantee is not None}


@lru_cache(maxsize=16)
def deployments_part(
    claim: TradeoffFunction,
    per: Per,
    units: int,
    pair_labels: tuple[str, ...],
    fpr: float,
    prior: float,
) -> DeploymentsPart:
    """Return the deployments with privacy unit `per`, and the two with labels `pair_labels`."""
    return DeploymentsPart(
        per=per,
        units=units,
        fpr=fpr,
        prior=prior,
        rows=_sorted_rows(per, units, fpr),
        pair=_rows_with_labels(pair_labels, units, fpr),
        claim=claim,
        own=claim.tpr(fpr),
    )


@lru_cache(maxsize=16)
def _sorted_rows(per: Per, units: int, fpr: float) -> tuple[DeploymentRow, ...]:
    labels = tuple(label for label, each in deployments_by_label().items() if each.per == per)
    rows = _rows_with_labels(labels, units, fpr)
    return tuple(sorted(rows, key=lambda row: (row.tpr, row.deployment.label)))


@lru_cache(maxsize=16)
def _rows_with_labels(labels: tuple[str, ...], units: int, fpr: float) -> tuple[DeploymentRow, ...]:
    chosen = [(deployments_by_label()[label], _group_guarantee(label, units)) for label in labels]
    return tuple(
        DeploymentRow(deployment=each, guarantee=own, tpr=own.tpr(fpr)) for each, own in chosen
    )


@lru_cache(maxsize=1024)
def _group_guarantee(label: str, units: int) -> TradeoffFunction:
    return deployments_by_label()[label].group_guarantee(units)


def lead(part: DeploymentsPart) -> str:
    """Say how many deployments allow a TPR above 1/2, and which TPR the claim allows."""
    own = ""
    if not allows_every_attack(part.claim):
        own = f"; the claim allows at most {percent_at_most(part.own)}"
    return (
        f"At FPR {percent(part.fpr)}, {part.n_tpr_above_half} of {len(part.rows)} published "
        f"guarantees {unit_and_group_size_phrase(part)} allow an attack to catch most members{own}."
    )


PER: dict[Per, str] = {
    "person": "per person",
    "period": "per user and period",
    "event": "per event",
    "other": "of other units",
}


def unit_and_group_size_phrase(part: DeploymentsPart) -> str:
    """Return the kind of privacy unit in words, and how many units a guarantee covers."""
    return PER[part.per] + (f" ({part.units} together)" if part.units > 1 else "")


ABOUT = (
    "The facts are those of the OpenDP deployments registry (July 2026); they were not checked. No "
    "entry states whether a record is added, removed or replaced; dpviz reads every guarantee as "
    "one record replaced. Guarantees for different units are not comparable: a guarantee per day "
    "is weaker for a person who is in the data for many days. “Units together” converts the "
    "guarantees of deployments by group privacy. A bar shows the largest TPR that the stated "
    "guarantee allows; the mechanism behind the guarantee may allow less."
)

HEAD = ("deployment", "stated", "unit", "TPR at most", "PPV at most")


def table(part: DeploymentsPart) -> Table:
    """Return the table of deployments, with the TPR and PPV that each allows."""
    caption = (
        f"Published guarantees {unit_and_group_size_phrase(part)}, {_fpr_and_prior_text(part)}."
    )
    return Table(caption, HEAD, [tuple(_row_texts(row, part)) for row in part.rows])


def pair_table(part: DeploymentsPart) -> Table:
    """Return the table of two deployments, with a column for each deployment."""
    units = f"{part.units} units together, " if part.units > 1 else ""
    years = ("year", *(str(row.deployment.year) for row in part.pair))
    columns = [HEAD[1:], *(_row_texts(row, part)[1:] for row in part.pair)]
    return Table(
        f"Two deployments side by side, {units}{_fpr_and_prior_text(part)}.",
        ("", *(row.deployment.label for row in part.pair)),
        [years, *zip(*columns, strict=True)],
    )


def _fpr_and_prior_text(part: DeploymentsPart) -> str:
    return f"at FPR {percent(part.fpr)} and prior {percent(part.prior)}"


def _row_texts(row: DeploymentRow, part: DeploymentsPart) -> list[str]:
    stated = row.deployment.guarantee
    return [
        f"{row.deployment.label} ({row.deployment.year})",
        "" if stated is None else short_name(stated, with_adjacency=False),
        row.deployment.unit or "not stated",
        percent_at_most(row.tpr),
        percent_at_most(float(risk.ppv(row.guarantee, fpr=part.fpr, prior=part.prior))),
    ]


NUMBER_WIDTH = 0.14  # length of a number on the axis, in a narrow picture
ABOVE = 0.35  # rows from the upper end of the axis to the name of the claim's line


class PublishedGuarantees(AnswerLayer[DeploymentsPart]):
    """Bars of the largest TPR under each deployment, and a line at the claim's largest TPR."""

    answer = "deployments"
    others = Area(color=theme.LEVEL, opacity=0.15)
    pair = Area(color=theme.CLAIM, opacity=0.5)
    ends = Points(color=theme.LEVEL, marker="diamond", size=8)
    numbers = Points(color=theme.LEVEL, size=1)
    claim = Line(color=theme.CLAIM, width=2.5)
    name = Points(color=theme.CLAIM, size=5)

    def needed_parts(self, result: Result) -> tuple[object, ...]:
        rows, pair = (part_at_path(result.answers, f"deployments.{n}") for n in ("rows", "pair"))
        # No mark depends on the prior, which the part has, too.
        return rows, pair, result.spec.claim, result.fpr, result.naming

    def draw_answer(self, part: DeploymentsPart) -> None:
        places = self.y.set_row_names([row.deployment.label for row in part.rows])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(self.frame.naming.renamed(at_fpr))
        bars = [(row.tpr, place) for row, place in zip(part.rows, places, strict=True)]
        labels = {row.deployment.label for row in part.pair}
        is_chosen = [row.deployment.label in labels for row in part.rows]
        for mark, chosen in ((self.pair, True), (self.others, False)):
            mark.draw(outline_of([b for b, c in zip(bars, is_chosen, strict=True) if c == chosen]))
        self.ends.draw(np.array(bars))
        is_claimed = not allows_every_attack(part.claim)
        # A number that the claim's line would cross stands beyond the line.
        beside = [
            (part.own if is_claimed and tpr < part.own < tpr + NUMBER_WIDTH else tpr, place)
            for tpr, place in bars
        ]
        self.numbers.draw(np.array(beside), texts=[percent_at_most(tpr) for tpr, _ in bars])
        self.claim.draw(self.frame.ends_of_vertical_line(part.own) if is_claimed else NOTHING)
        at = np.array([[part.own, self.y.high - ABOVE]])
        text = self.frame.naming.renamed(f"the claim: {percent_at_most(part.own)}")
        self.name.draw(at if is_claimed else NOTHING, texts=[text])


DEPLOYMENTS = Scene(
    title="What do published deployments allow?",
    needs="deployments",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.12, is_rate=True),
    y=ROW_AXIS,
    left=210,
    layers=lambda: [PublishedGuarantees()],
)

OF_ALL = answer_topic(
    DEPLOYMENTS, lead, lambda part: f"The line is {short_name(part.claim)}. {ABOUT}", table
)
OF_PAIR = {"deployments_pair": TextWriter(pair_table, "deployments", "answers.deployments")}
TOPIC = replace(OF_ALL, tables={**OF_ALL.tables, **OF_PAIR})
