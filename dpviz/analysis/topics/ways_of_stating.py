"""Statements that a guarantee implies (mu, rho, epsilon), and the TPR that each allows."""

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.claim import short_name
from dpviz.drawing import ROW_AXIS, AnswerLayer, AxisSpec, Scene, outline_of, theme
from dpviz.drawing.marks import Area, Line, Points
from dpviz.number_format import percent, percent_at_most, short, upper
from dpviz.theory import GaussianDP, PureDP, TradeoffFunction, ZeroConcentratedDP
from dpviz.theory.statements import Statement, ways_of_stating


@dataclass(frozen=True, kw_only=True, eq=False)
class StatementsPart:
    """A guarantee, and the statements that it implies: the guarantee itself, a mu, a rho, ..."""

    guarantee: TradeoffFunction
    statements: tuple[Statement, ...]
    fpr: float

    @cached_property
    def allowed(self) -> tuple[float | None, ...]:
        """The largest TPR at `fpr` under each statement, or None if a statement sets no limit."""
        return tuple(each.tpr(self.fpr) for each in self.statements)

    @property
    def claim_tpr(self) -> float:
        """The largest TPR at `fpr` under the guarantee itself."""
        return self.allowed[0] or 0.0

    def labelled_tprs(self) -> list[tuple[float, str]]:
        """Return (largest TPR, label) for each statement that limits the TPR at `fpr`."""
        labelled = zip(self.allowed, map(statement_label, self.statements), strict=True)
        return [(allowed, text) for allowed, text in labelled if allowed is not None]


kept_statements = lru_cache(maxsize=16)(ways_of_stating)


@lru_cache(maxsize=16)
def statements_part(guarantee: TradeoffFunction, delta: float, fpr: float) -> StatementsPart:
    """Return the statements that follow from a guarantee; epsilon is stated at `delta`."""
    statements = kept_statements(guarantee, delta=delta)
    return StatementsPart(guarantee=guarantee, statements=statements, fpr=fpr)


NOTHING_STATED = {
    "gaussian_dp": "no μ",
    "renyi": "no Rényi divergence is known to be finite",
    "zero_concentrated": "no ρ",
    "approximate": "no finite ε at this δ",
    "approximate_of_renyi": "no ε through Rényi",
    "pure": "no finite ε at δ = 0",
}


def statement_label(statement: Statement) -> str:
    """Return a statement as text with the number rounded up, such as "μ = 1.2"."""
    claim = statement.claim
    if statement.way == "itself":
        return "the claim itself"
    if claim is None:
        return NOTHING_STATED[statement.way]
    if statement.way == "renyi":
        return "Rényi DP at many orders"
    if isinstance(claim, GaussianDP):
        return f"μ = {short(upper(claim.mu))}"
    if isinstance(claim, ZeroConcentratedDP):
        return f"ρ = {short(upper(claim.rho))} (zCDP)"
    epsilon = short(upper(claim.parameters["epsilon"]))
    if isinstance(claim, PureDP):
        return f"ε = {epsilon} (pure)"
    pair = f"ε = {epsilon}, δ = {short(claim.parameters['delta'])}"
    return f"{pair} through Rényi" if statement.way == "approximate_of_renyi" else pair


SMALLEST_DIFFERENCE = 5e-4  # between two TPRs that differ in three digits


def lead(part: StatementsPart) -> str:
    """Say the largest TPR under the guarantee, and the largest TPR under its loosest statement."""
    own, (most, stated) = part.claim_tpr, max(part.labelled_tprs(), key=lambda each: each[0])
    at = f"At FPR {percent(part.fpr)} at most {percent_at_most(own)} of members are caught"
    if most - own < SMALLEST_DIFFERENCE:
        return f"{at}. All ways of stating the claim allow this rate."
    return f"{at}. If only {stated} is known, at most {percent_at_most(most)} are caught."


ABOUT = (
    "Each statement follows from the claim, and so allows every attack that the claim allows. Most "
    "statements allow further attacks. Each number is the smallest for which its statement holds, "
    "rounded up. The μ holds only where FPR and FNR are at least 1e-6. “Through Rényi” is the ε "
    "that follows from Rényi divergences alone, as in an accountant of Rényi DP."
)

CAPTION = "The claim in every way of stating it."
HEAD = ("stated as", "TPR at most", "more than the claim")


def table(part: StatementsPart) -> Table:
    """Return the table of statements, with the TPR that each allows."""
    rows: list[tuple[str, ...]] = []
    for each, tpr in zip(part.statements, part.allowed, strict=True):
        more = None if tpr is None else max(tpr - part.claim_tpr, 0.0)
        cells = ("-" if rate is None else percent_at_most(rate) for rate in (tpr, more))
        rows.append((statement_label(each), *cells))
    return Table(CAPTION, HEAD, rows)


ROOM = 1.5  # length of the axis divided by the longest bar
WHOLE = 1.16  # greatest length of the axis, for a bar of 100 %


class WaysOfStating(AnswerLayer[StatementsPart]):
    """A bar of the largest TPR under each statement; a dotted line at the guarantee's TPR."""

    answer = "ways_of_stating"
    of = ("naming",)
    itself = Area(color=theme.CLAIM, opacity=0.5)
    stated = Area(color=theme.LEVEL, opacity=0.15)
    truth = Line(color=theme.CLAIM, dash="dotted", width=1.5)
    numbers = Points(color=theme.MEMBER, marker="diamond", size=10)

    def draw_answer(self, part: StatementsPart) -> None:
        stated = part.labelled_tprs()
        places = self.y.set_row_names([name for _, name in stated])
        at_fpr = f"members caught at FPR {percent(part.fpr)} at most (TPR)"
        self.x.set_label(self.frame.naming.renamed(at_fpr))
        bars = [(allowed, place) for (allowed, _), place in zip(stated, places, strict=True)]
        self.x.set_range(0.0, min(WHOLE, ROOM * max(allowed for allowed, _ in bars)) or WHOLE)
        self.itself.draw(outline_of(bars[:1]))
        self.stated.draw(outline_of(bars[1:]))
        self.truth.draw(self.frame.ends_of_vertical_line(part.claim_tpr))
        self.numbers.draw(np.array(bars), texts=[percent_at_most(allowed) for allowed, _ in bars])


WAYS_OF_STATING = Scene(
    title="What does each way of stating the claim allow?",
    needs="ways_of_stating",
    x=AxisSpec(label="members caught at most (TPR)", low=0, high=1.16, is_rate=True),
    y=ROW_AXIS,
    left=235,
    layers=lambda: [WaysOfStating()],
)

TOPIC = answer_topic(
    WAYS_OF_STATING, lead, lambda part: f"Stated here: {short_name(part.guarantee)}. {ABOUT}", table
)
