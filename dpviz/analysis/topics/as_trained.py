"""What the noise, rate and steps of a DP-SGD claim are worth if batches were drawn otherwise."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.claim import short_name
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.checks import FloatArray
from dpviz.drawing import PLANE, AnswerLayer, theme
from dpviz.drawing.layers import OverRandomGuessing
from dpviz.drawing.marks import NOTHING, Line
from dpviz.number_format import lower, percent, upper
from dpviz.theory import SubsampledGaussian, TradeoffFunction
from dpviz.theory.known_attacks import KnownAttack, shuffling_attack
from dpviz.theory.polyline import thinned_curve


@dataclass(frozen=True, kw_only=True)
class TrainingQuestion:
    """A claim, and the FPR at which ways of drawing batches are compared."""

    claim: TradeoffFunction
    fpr: float


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingRow:
    """One way of drawing batches: a guarantee, or what an attack reaches; its curve."""

    way: str  # a key of `WAYS`
    curve: FloatArray  # corners (FPR, FNR)
    tpr: float  # at the question's FPR: the largest under a guarantee, the one of an attack

    @property
    def is_guarantee(self) -> bool:
        """Whether no attack is above the curve's TPR; else some attack reaches it."""
        return self.way != "attack"


@dataclass(frozen=True, kw_only=True, eq=False)
class TrainingPart:
    """The rows of all ways of drawing batches; none if the claim is not about DP-SGD."""

    question: TrainingQuestion
    rows: tuple[TrainingRow, ...]

    def row(self, way: str) -> TrainingRow | None:
        """Return the row of a way of drawing batches, or None if it is left out."""
        return next((row for row in self.rows if row.way == way), None)


WAYS = {  # what the code did
    "poisson": "each record by chance (Poisson)",
    "fixed_size": "samples of a fixed size",
    "random_allocation": "each record in a fixed number of random steps (random allocation)",
    "shuffled": "shuffled batches",
    "attack": "shuffled batches",
    "full_batch": "all records in every step",
    "sampled": "each record by chance, divided by the size of the batch",
}


def ways_of_training(question: TrainingQuestion, *, progress: Progress = iter) -> TrainingPart:
    """Return the curve of each way of drawing batches; `progress` wraps the loop."""
    claim, names, rows = question.claim, list(WAYS), []
    if isinstance(claim, SubsampledGaussian):
        for i in progress(range(len(names))):
            rows += list(_rows_of_way(claim, names[i], question.fpr))
    return TrainingPart(question=question, rows=tuple(rows))


def _rows_of_way(claim: SubsampledGaussian, way: str, fpr: float) -> Iterator[TrainingRow]:
    """Return the row of one way of drawing batches; nothing if it has no such numbers."""
    of = partial(replace, claim, sampling="poisson", averaging="sum")
    if way == "attack":
        attack = _attack(claim)
        if attack is not None:
            yield TrainingRow(way=way, curve=attack.points, tpr=1 - attack.fnr(fpr))
        return
    if way == "fixed_size" and claim.adjacency != "replace_one":
        return
    k = max(1, int(np.ceil(claim.sampling_rate * claim.steps - 1e-6)))  # as many steps, rounded up
    other: dict[str, dict[str, Any]] = {
        "random_allocation": {"sampling": way, "sampling_rate": k / claim.steps},
        "full_batch": {"sampling": way, "sampling_rate": 1.0},
        "sampled": {"averaging": way},
    }
    guarantee = of(**other.get(way, {"sampling": way}))
    yield TrainingRow(way=way, curve=guarantee.draw(), tpr=guarantee.tpr(fpr))


def _attack(claim: SubsampledGaussian) -> KnownAttack | None:
    """Return the attack on whole epochs of shuffled batches; None without one whole epoch."""
    batches = int(np.ceil(1 / claim.sampling_rate - 1e-6))  # with a smaller last one
    epochs = claim.steps // batches
    if not epochs or not np.isfinite(claim.noise_multiplier):
        return None
    return shuffling_attack(
        noise_multiplier=claim.noise_multiplier,
        batches=batches,
        epochs=epochs,
        replaced=claim.adjacency == "replace_one",
    )


def lead(part: TrainingPart) -> str:
    """Say what Poisson samples allow, and what an attack reaches if batches were shuffled."""
    poisson, shuffled = part.row("poisson"), part.row("attack") or part.row("shuffled")
    if poisson is None or shuffled is None:
        return "The claim is not about DP-SGD. Choose DP-SGD to compare ways of drawing batches."
    allowed, reached = percent(upper(poisson.tpr)), percent(lower(shuffled.tpr))
    at = f"At FPR {percent(part.question.fpr)}, Poisson samples allow a TPR of at most {allowed}"
    if not shuffled.is_guarantee:
        return f"{at}; if batches were shuffled, an attack reaches {reached}."
    return f"{at}, shuffled batches one of at most {percent(upper(shuffled.tpr))}."


ABOUT = (
    "Noise, rate and steps are the same in all rows; only the way of drawing batches differs. "
    "Accountants of DP-SGD usually assume Poisson samples. Random allocation puts each record in "
    "the expected number of steps, rounded up. A guarantee holds for every attack. An attack is a "
    "limit from the other side: others may reach more. The exact curve of shuffled batches lies "
    "between both. If the noisy sum is divided by the size of the batch, the size can be read from "
    "the noise of a model with many parameters, and nothing is guaranteed."
)

CAPTION = "The same noise, rate and steps, with batches drawn in another way."
HEAD = ("batches", "known", "TPR")
KNOWN = {"attack": "attack", "sampled": "no guarantee"}


def table(part: TrainingPart) -> Table:
    """Return the table of ways of drawing batches, with the TPR of each."""
    fpr = percent(part.question.fpr)
    rows = []
    for row in part.rows:
        tpr = f"at most {percent(upper(row.tpr))}"
        if not row.is_guarantee:
            tpr = f"at least {percent(lower(row.tpr))}"
        rows.append((WAYS[row.way], KNOWN.get(row.way, "guarantee"), tpr))
    return Table(f"{CAPTION} TPR at FPR {fpr}.", HEAD, rows)


class WaysOfTraining(OverRandomGuessing, AnswerLayer[TrainingPart]):
    """A line per way of drawing batches; the line of the attack is orange."""

    answer = "as_trained"
    full_batch = Line(color=theme.OVERLAYS[4][0], dash="dashed", width=3, label="full batch")
    shuffled = Line(
        color=theme.OVERLAYS[1][0], dash="dotted", width=2, label="shuffled, guaranteed"
    )
    attack = Line(color=theme.ATTACK, dash="dash_dotted", width=2, label="shuffled, attacked")
    fixed_size = Line(color=theme.OVERLAYS[2][0], dash="dash_dotted", width=1.5, label="fixed size")
    random_allocation = Line(
        color=theme.OVERLAYS[3][0], dash="dashed", width=1.5, label="random allocation"
    )
    poisson = Line(color=theme.CLAIM, width=2.5, label="Poisson")

    def draw_answer(self, part: TrainingPart) -> None:
        for way in WAYS:
            if way != "sampled":  # along both axes
                row = part.row(way)
                line = getattr(self, way)
                line.draw(NOTHING if row is None else thinned_curve(row.curve, 512))


AS_TRAINED = replace(
    PLANE,
    title="What did the code really do?",
    needs="as_trained",
    layers=lambda: [WaysOfTraining()],
)

TOPIC = answer_topic(
    AS_TRAINED, lead, lambda part: f"The claim is {short_name(part.question.claim)}. {ABOUT}", table
)
