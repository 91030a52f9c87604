"""Which accuracies records can show, from below and from above, against the number of records."""

from dataclasses import dataclass

import numpy as np

from dpviz.analysis.topic import Table, answer_topic
from dpviz.audit import AttackScores, advantage
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Counts
from dpviz.audit.upper_limits.at_most import SILENT_ABOUT
from dpviz.audit.upper_limits.quantity import Quantity, limit_of_useless_attack
from dpviz.checks import FloatArray, between_0_and_1, read_only
from dpviz.drawing import AnswerLayer, AxisSpec, Line, Scene, theme
from dpviz.number_format import lower, percent, upper

SIZES = (10, 20, 50, 100, 200, 500, 1000, 2000, 4000)  # of each class


@dataclass(frozen=True, kw_only=True)
class ShowableQuestion:
    """The confidence, and the probability (`power`) with which a useless attack shows its limit."""

    confidence_level: float = 0.95
    power: float = 0.8

    def __post_init__(self) -> None:
        object.__setattr__(self, "power", between_0_and_1("power", self.power))


@dataclass(frozen=True, kw_only=True, eq=False)
class ShowablePart:
    """The largest accuracy shown from below and the smallest from above, by size of each class."""

    question: ShowableQuestion
    sizes: Counts
    at_least: FloatArray  # that a perfect attack shows
    at_most: FloatArray  # that a useless attack shows with the probability of the question


def showable_part(question: ShowableQuestion, *, progress: Progress = iter) -> ShowablePart:
    """Return which accuracies classes of equal sizes can show from either side, for `SIZES`."""
    quantity = Quantity(name="accuracy", level=1 - question.confidence_level)
    at_least, at_most = [], []
    for i in progress(range(len(SIZES))):
        n = SIZES[i]
        perfect = AttackScores(member=np.ones(n), nonmember=np.zeros(n))
        least = advantage(perfect, confidence_level=question.confidence_level).low
        at_least.append((1 + least) / 2)  # of equal classes
        at_most.append(limit_of_useless_attack(quantity, n, n, power=question.power))
    return ShowablePart(
        question=question,
        sizes=read_only(np.array(SIZES)),
        at_least=read_only(np.array(at_least)),
        at_most=read_only(np.array(at_most)),
    )


def lead(part: ShowablePart) -> str:
    """Say which accuracies the largest number of records can show from either side."""
    n, above = part.sizes[-1], percent(upper(float(part.at_most[-1])))
    below = percent(lower(float(part.at_least[-1])))
    return (
        f"With {n} members and {n} non-members, an attack that knows nothing can show at most "
        f"{above} accuracy, a perfect one at least {below}."
    )


def summary(part: ShowablePart) -> str:
    """Say what both curves are, and what they assume."""
    level, power = percent(part.question.confidence_level), percent(part.question.power)
    return (
        f"Each limit has {level} confidence, for as many members as non-members. From above: in "
        f"{power} of samples an attack that knows nothing, without tied scores, has a limit no "
        "larger than the dashed curve (exact). An attack that knows something needs more records. "
        "From below: the lower limit of a perfect attack, which no attack exceeds. A limit from "
        f"above {SILENT_ABOUT}."
    )


CAPTION = "Attack accuracies that an audit can show, by number of records of each class."
HEAD = ("members", "non-members", "from below, no more than", "from above, no less than")


def table(part: ShowablePart) -> Table:
    """Return the table of sizes, with what can be shown from below and from above."""
    columns = (part.sizes.tolist(), part.at_least.tolist(), part.at_most.tolist())
    rows = [
        (str(n), str(n), f"at least {percent(lower(a))}", f"at most {percent(upper(b))}")
        for n, a, b in zip(*columns, strict=True)
    ]
    return Table(CAPTION, HEAD, rows)


class LimitsBySize(AnswerLayer[ShowablePart]):
    """What a perfect attack shows from below, and a useless one from above, by records."""

    answer = "showable"
    below = Line(color=theme.ATTACK, label="perfect attack: at least")
    above = Line(color=theme.CLAIM, dash="dashed", label="useless attack: at most")

    def draw_answer(self, part: ShowablePart) -> None:
        self.x.set_range(float(part.sizes[0]), float(part.sizes[-1]))
        self.below.draw(np.column_stack([part.sizes, part.at_least]))
        self.above.draw(np.column_stack([part.sizes, part.at_most]))


SHOWABLE = Scene(
    title="How many records show what?",
    needs="showable",
    x=AxisSpec(label="records of each class (log scale)", low=10, high=10_000, scale="log"),
    y=AxisSpec(label="accuracy, half members", low=0.5, high=1.0, is_rate=True),
    layers=lambda: [LimitsBySize()],
)

TOPIC = answer_topic(SHOWABLE, lead, summary, table)
