"""What published deployments allow at the FPR of examples, beside the claim."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpviz.analysis.memo import memoised
from dpviz.analysis.result import Result, allows_everything
from dpviz.analysis.topic import Table, Topic, of_answer
from dpviz.analysis.topics.claim import in_words, name
from dpviz.claims.deployments import Deployment, Per, read_sample_registry
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layer import Layer
from dpviz.drawing.layers import NAMES, outline_of
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import percent, upper
from dpviz.theory import TradeoffFunction, risk


@dataclass(frozen=True, kw_only=True)
class Row:
    """A deployment, what it states of so many units together, and the largest TPR at an FPR."""

    deployment: Deployment
    guarantee: TradeoffFunction
    tpr: float

    def ppv(self, fpr: float, prior: float) -> float:
        """The largest share of right "member" answers at this FPR."""
        return float(risk.ppv(self.guarantee, fpr=fpr, prior=prior))


@dataclass(frozen=True, kw_only=True, eq=False)
class DeploymentsPart:
    """Deployments of one kind of unit, from the least TPR on; `pair` are two of any unit.

    `units` are taken together; `own` is the TPR that the claim allows for one.
    """

    per: Per
    units: int
    fpr: float
    prior: float
    rows: tuple[Row, ...]
    pair: tuple[Row, ...]
    claim: TradeoffFunction
    own: float

    @cached_property
    def exposed(self) -> int:
        """Number of deployments that allow an attack a TPR above 1/2."""
        return int(np.sum([row.tpr > 0.5 for row in self.rows]))


class Deployments:
    """Computes the part; the same arguments give the same object."""

    def __init__(self) -> None:
        self.known = {
            each.label: each for each in read_sample_registry() if each.guarantee is not None
        }

    @memoised
    def part(
        self,
        claim: TradeoffFunction,
        per: Per,
        units: int,
        pair: tuple[str, ...],
        fpr: float,
        prior: float,
    ) -> DeploymentsPart:
        """All deployments of one kind of unit, and two of any by their labels."""
        return DeploymentsPart(
            per=per,
            units=units,
            fpr=fpr,
            prior=prior,
            rows=self._rows(per, units, fpr),
            pair=self._pair(pair, units, fpr),
            claim=claim,
            own=claim.tpr(fpr),
        )

    @memoised
    def _rows(self, per: Per, units: int, fpr: float) -> tuple[Row, ...]:
        rows = [
            self._row(label, units, fpr) for label, each in self.known.items() if each.per == per
        ]
        return tuple(sorted(rows, key=lambda row: (row.tpr, row.deployment.label)))

    @memoised
    def _pair(self, labels: tuple[str, ...], units: int, fpr: float) -> tuple[Row, ...]:
        return tuple(self._row(label, units, fpr) for label in labels)

    def _row(self, label: str, units: int, fpr: float) -> Row:
        guarantee = self._covering(units)[label]
        return Row(deployment=self.known[label], guarantee=guarantee, tpr=guarantee.tpr(fpr))

    @memoised
    def _covering(self, units: int) -> dict[str, TradeoffFunction]:
        """What each states of so many units. Another FPR finds the curves of zCDP made."""
        return {label: each.covering(units) for label, each in self.known.items()}


# Sentences about published deployments beside the claim.

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


# What published deployments allow at one FPR, as horizontal bars, and the claim across them.

WIDEST = 0.14  # length of a number on the axis, in a narrow picture
ABOVE = 0.35  # rows from the upper end of the axis to the name of the claim's line


class PublishedGuarantees(Layer):
    """One bar for each deployment, filled for the two that are compared; a line for the claim."""

    def add_marks(self) -> None:
        self._others = self.add("others", Area(color=theme.LEVEL, opacity=0.15))
        self._pair = self.add("pair", Area(color=theme.CLAIM, opacity=0.5))
        self._ends = self.add("ends", Points(color=theme.LEVEL, marker="diamond", size=8))
        self._numbers = self.add("numbers", Points(color=theme.LEVEL, size=1))
        self._claim = self.add("claim", Line(color=theme.CLAIM, width=2.5))
        self._name = self.add("name", Points(color=theme.CLAIM, size=5))

    def parts(self, result: Result) -> tuple[object, ...]:
        part = _part(result)
        return (part.rows, part.pair, part.claim, part.fpr, result.naming)

    def draw(self, result: Result) -> None:
        part = _part(result)
        places = self.y.set_names([row.deployment.label for row in part.rows])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(result.naming.renamed(at_fpr))
        bars = [(row.tpr, place) for row, place in zip(part.rows, places, strict=True)]
        chosen = {row.deployment.label for row in part.pair}
        is_chosen = [row.deployment.label in chosen for row in part.rows]
        self._pair.draw(outline_of([b for b, c in zip(bars, is_chosen, strict=True) if c]))
        self._others.draw(outline_of([b for b, c in zip(bars, is_chosen, strict=True) if not c]))
        self._ends.draw(np.array(bars))
        is_claimed = not allows_everything(part.claim)
        # A number that the claim's line would cross stands beyond the line.
        beside = [
            (part.own if is_claimed and tpr < part.own < tpr + WIDEST else tpr, place)
            for tpr, place in bars
        ]
        self._numbers.draw(np.array(beside), texts=[percent(upper(tpr)) for tpr, _ in bars])
        if not is_claimed:
            self._claim.draw(NOTHING)
            self._name.draw(NOTHING)
            return
        self._claim.draw(self.frame.vertical(part.own))
        at = np.array([[part.own, self.y.high - ABOVE]])
        self._name.draw(at, texts=[f"the claim: {percent(upper(part.own))}"])


def _part(result: Result) -> DeploymentsPart:
    part: DeploymentsPart = result.answers["deployments"]
    return part


DEPLOYMENTS = Scene(
    title="What do published deployments allow?",
    topic="deployments",
    needs="deployments",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.12, is_rate=True),
    y=NAMES,
    left=210,
    layers=lambda: [PublishedGuarantees()],
)


TOPIC = Topic(
    sentences={
        "deployments_lead": of_answer("deployments", lambda p, _: lead(p), lead=True),
        "deployments": of_answer("deployments", lambda p, _: about(p)),
    },
    tables={
        "deployments": of_answer(
            "deployments",
            lambda p, _: Table(caption(p), HEAD, table(p)),
        ),
        "deployments_pair": of_answer(
            "deployments",
            lambda p, _: Table(pair_caption(p), pair_head(p), pair_table(p)),
        ),
    },
    scenes={
        "deployments": DEPLOYMENTS,
    },
)
