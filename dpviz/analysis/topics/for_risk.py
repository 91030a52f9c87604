"""Parameters with which a mechanism limits a risk: TPR, advantage, PPV or right guesses."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from dpviz import checks
from dpviz.analysis.topic import Table, answer_topic
from dpviz.analysis.topics.claim import SYMBOLS, short_name
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.checks import FloatArray
from dpviz.drawing import PLANE, AnswerLayer, theme
from dpviz.drawing.layers import OverRandomGuessing
from dpviz.drawing.marks import NOTHING, Line, Points
from dpviz.number_format import lower, percent, short, upper
from dpviz.theory import TradeoffFunction, for_risk
from dpviz.theory.calibration import SEARCH_RANGES, excess_function_of_target

Wish = Literal["tpr", "advantage", "ppv", "guess"]
WISHES: tuple[Wish, ...] = get_args(Wish)


@dataclass(frozen=True, kw_only=True)
class RiskQuestion:
    """A wanted `limit` on the risk that `wish` names, for every attack under a claim."""

    claim: TradeoffFunction
    wish: Wish
    limit: float
    fpr: float  # of "tpr" and "ppv"
    prior: float  # of "ppv"
    kappa: float  # of "guess": the chance of a right guess without the output

    def __post_init__(self) -> None:
        checks.choice("wish", self.wish, WISHES)
        limit = checks.real("limit", self.limit, 0, 1, closed="neither")
        object.__setattr__(self, "limit", limit)

    @property
    def for_risk_kwargs(self) -> dict[str, float]:
        """The wanted limit as keyword arguments of `dpviz.theory.for_risk`."""
        beside = {
            "tpr": {"fpr": self.fpr},
            "advantage": {},
            "ppv": {"prior": self.prior, "fpr": self.fpr},
            "guess": {"baseline": self.kappa},
        }
        return {self.wish: self.limit, **beside[self.wish]}


@dataclass(frozen=True, kw_only=True)
class ParameterForRisk:
    """A parameter of a claim, and the claim with this parameter changed to keep the limit."""

    parameter: str
    now: float
    enough: TradeoffFunction | None = None
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the parameter is an integer."""
        return SEARCH_RANGES[self.parameter].is_whole


@dataclass(frozen=True, kw_only=True, eq=False)
class ForRiskPart:
    """For each parameter of a claim, a value with which no attack exceeds the wanted limit."""

    question: RiskQuestion
    needs: tuple[ParameterForRisk, ...]
    impossible: str = ""  # why every mechanism keeps the limit, or why none can

    @property
    def attainable_parameters(self) -> tuple[ParameterForRisk, ...]:
        """The parameters that can keep the wanted limit without a change of other parameters."""
        return tuple(need for need in self.needs if need.enough is not None)


def parameters_for_risk(question: RiskQuestion, *, progress: Progress = iter) -> ForRiskPart:
    """Find, for each parameter, a value that keeps the limit; `progress` wraps the loop."""
    try:
        # A limit that every mechanism keeps, or that none keeps, needs no search.
        excess_function_of_target(question.for_risk_kwargs)
    except ValueError as error:
        return ForRiskPart(question=question, needs=(), impossible=str(error))
    claim, needs = question.claim, []
    names = [name for name in claim.parameters if name in SEARCH_RANGES]
    search: Callable[..., TradeoffFunction] = for_risk
    for i in progress(range(len(names))):
        need = ParameterForRisk(parameter=names[i], now=float(claim.parameters[names[i]]))
        try:
            needs.append(replace(need, enough=search(claim, names[i], **question.for_risk_kwargs)))
        except ValueError as error:
            needs.append(replace(need, reason=str(error)))
    return ForRiskPart(question=question, needs=tuple(needs))


def wanted_limit_in_words(question: RiskQuestion) -> str:
    """Return the wanted limit in words: "TPR - FPR of at most 10 %"."""
    limit, fpr = percent(question.limit), percent(question.fpr)
    return {
        "tpr": f"a TPR of at most {limit} at FPR {fpr}",
        "advantage": f"TPR - FPR of at most {limit}",
        "ppv": f"a PPV of at most {limit} at prior {percent(question.prior)} and FPR {fpr}",
        "guess": f"a right guess of probability at most {limit} (κ = {percent(question.kappa)})",
    }[question.wish]


def lead(part: ForRiskPart) -> str:
    """Say which values of the claim's parameters keep the wanted limit."""
    if part.impossible:
        return f"Nothing is enough: {part.impossible}."
    if not part.needs:
        return (
            "This claim has no number that can be changed. Choose a mechanism, such as Gaussian "
            "noise or DP-SGD."
        )
    attainable = part.attainable_parameters
    if not attainable:
        return f"No number of this claim is enough for {wanted_limit_in_words(part.question)}."
    enough = " or ".join(f"{_symbol(need)} = {sufficient_text(need)}" for need in attainable)
    return f"Enough for {wanted_limit_in_words(part.question)}: {enough}."


ABOUT = (
    "Each number is the least private number that is enough, rounded towards more privacy; all "
    "other numbers stay as they are. The numbers refer to the adjacency of the claim. More noise "
    "or a smaller rate also costs accuracy, which is not shown here."
)

CAPTION = "Each row changes one number; all other numbers stay as they are."
HEAD = ("change", "now", "enough")


def table(part: ForRiskPart) -> Table:
    """Return the table of parameters, with present values and values that keep the limit."""
    rows = [
        (_symbol(need), short(need.now), sufficient_text(need) if need.enough else need.reason)
        for need in part.needs
    ]
    return Table(CAPTION, HEAD, rows)


def sufficient_text(need: ParameterForRisk) -> str:
    """Return as text the value that keeps the wanted limit, rounded towards more privacy."""
    if need.enough is None:
        return "none"
    value = need.enough.parameters[need.parameter]
    if need.is_whole:
        return str(int(value))
    return short(upper(value) if SEARCH_RANGES[need.parameter].is_larger_safer else lower(value))


def _symbol(need: ParameterForRisk) -> str:
    return SYMBOLS.get(need.parameter, need.parameter)


class SufficientClaimCurve(OverRandomGuessing, AnswerLayer[ForRiskPart]):
    """The wanted limit, the curve of the present claim, and the curve of a sufficient claim."""

    answer = "for_risk"
    now = Line(color=theme.CLAIM, width=2.5, label="the claim now")
    enough = Line(color=theme.LEVEL, dash="dashed", width=2.5, label="enough")
    line = Line(color=theme.SELECTION, width=1.5, label="wanted")
    point = Points(color=theme.SELECTION, marker="diamond", size=110)

    def draw_answer(self, part: ForRiskPart) -> None:
        enough = next((need.enough for need in part.attainable_parameters), None)
        self.now.draw(part.question.claim.min_symmetrized().draw())
        self.enough.draw(NOTHING if enough is None else enough.min_symmetrized().draw())
        wanted = _wanted_limit_points(part.question)
        is_point = len(wanted) == 1
        self.line.draw(NOTHING if is_point else wanted)
        self.point.draw(wanted if is_point else NOTHING, texts=["wanted"] if is_point else None)


def _wanted_limit_points(question: RiskQuestion) -> FloatArray:
    """Return the wanted limit as (FPR, FNR): one point, or for "advantage" the ends of a line."""
    if question.wish == "advantage":
        return np.array([[0.0, 1 - question.limit], [1 - question.limit, 0.0]])
    fpr, tpr = question.kappa if question.wish == "guess" else question.fpr, question.limit
    # A PPV limits the odds of membership after the attack, so the ratio TPR / FPR.
    if question.wish == "ppv":
        tpr = tpr / (1 - tpr) * (1 - question.prior) / question.prior * fpr
    return np.array([[fpr, max(1 - tpr, 0.0)]])


FOR_RISK = replace(
    PLANE,
    title="Which claim keeps the risk low enough?",
    needs="for_risk",
    layers=lambda: [SufficientClaimCurve()],
)

TOPIC = answer_topic(
    FOR_RISK, lead, lambda part: f"The claim is {short_name(part.question.claim)}. {ABOUT}", table
)
