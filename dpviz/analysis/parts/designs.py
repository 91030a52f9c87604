"""Several designs of an audit side by side, by the number of records that each needs."""

from bisect import bisect_left
from dataclasses import dataclass
from math import isinf
from typing import Literal

from dpviz import checks
from dpviz.analysis.number_format import short
from dpviz.audit import Plan, ceiling, fewest_records, plan
from dpviz.audit.bounds.plan import shown_epsilon
from dpviz.audit.bounds.registry import BOUNDS
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.theory import TradeoffFunction

Compared = Literal["designs", "epsilons"]
COMPARED: tuple[Compared, ...] = ("designs", "epsilons")
# Methods by what has to be done for them; None is the default of `plan`.
METHODS: dict[str, str | None] = {
    "a training for each": None,
    "one training for all": "one_run_curve",
    "threshold known": "clopper_pearson",
}
SHARES = (1.0, 0.5, 0.25)  # of the claim's epsilon, to be certified with scores
OF_CLAIM = 0.5  # of these: no number of records certifies what is claimed, if it is just kept
LARGEST = 50_000  # records of each class
MOST_TRIED = 5000  # records of each class, with a perfect attack
DIP = 5  # sizes below the one that is found at which some may be enough
MOST_IN_TURN = 100  # of them, where more records may show less
RUNS = 300  # data sets simulated at each size


@dataclass(frozen=True, kw_only=True)
class DesignsQuestion:
    """The epsilons to be certified at `delta`, and how.

    The attack is the best one that `claim` allows; None if it is that of the scores. Raises
    ValueError if `compared` is unknown, `power` is not in (0, 1), or `epsilon` is NaN or negative.
    """

    claim: TradeoffFunction | None = None
    epsilon: float = 1.0
    delta: float = 1e-5
    confidence_level: float = 0.95
    power: float = 0.8
    compared: Compared = "designs"

    def __post_init__(self) -> None:
        power = checks.real("power", self.power, 0, 1, closed="neither")
        object.__setattr__(self, "power", power)
        checks.real("epsilon", self.epsilon, 0)
        checks.choice("compared", self.compared, COMPARED)


@dataclass(frozen=True, kw_only=True, eq=False)
class DesignLine:
    """One design, its plan, and the members and non-members below which no attack is enough."""

    name: str
    plan: Plan
    fewest: tuple[int, int] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class DesignsPart:
    """A question with a line for each design, or the `reason` why there is none.

    Below `anything`, members and non-members, the default method certifies nothing at all.
    """

    question: DesignsQuestion
    lines: tuple[DesignLine, ...] = ()
    anything: tuple[int, int] | None = None
    reason: str = ""


def audit_designs(
    scores: Scores | None, question: DesignsQuestion, *, progress: Progress = iter
) -> DesignsPart:
    """Plan each design, with as many members as non-members.

    The epsilons are `SHARES` of the claim's that the attack shows, without scores `OF_CLAIM` of
    them; of different designs it is the largest one. `progress` wraps the range of designs.
    """
    attack = scores if question.claim is None else question.claim
    if attack is None:
        return DesignsPart(question=question, reason="there is no attack")
    shown = shown_epsilon(attack, question.delta)
    most = question.epsilon if question.claim is None else OF_CLAIM * question.epsilon
    if isinf(most):
        return DesignsPart(question=question, reason="nothing is claimed")
    wanted = [epsilon for share in SHARES if 0 < (epsilon := share * most) < shown]
    if not wanted:
        reason = f"the attack shows no more than ε = {short(shown)}"
        return DesignsPart(question=question, reason=reason)
    asked = [(name, wanted[0], method) for name, method in METHODS.items()]
    if question.compared == "epsilons":
        asked = [(f"ε = {short(epsilon)}", epsilon, None) for epsilon in wanted]
    lines = []
    for i in progress(range(len(asked))):
        name, epsilon, method = asked[i]
        try:
            found = plan(
                attack,
                epsilon=epsilon,
                delta=question.delta,
                power=question.power,
                confidence_level=question.confidence_level,
                method=method,
                largest=LARGEST,
                runs=RUNS,
            )
        except ValueError as error:
            return DesignsPart(question=question, reason=str(error))
        lines.append(DesignLine(name=name, plan=found, fewest=_fewest(found, method)))
    anything = fewest_records(delta=question.delta, confidence_level=question.confidence_level)
    return DesignsPart(question=question, lines=tuple(lines), anything=anything)


def _fewest(found: Plan, method: str | None) -> tuple[int, int] | None:
    """The fewest records of each class, as many of both, with which a perfect attack is enough."""
    delta, level = found.delta, found.confidence_level
    if method is None:
        return fewest_records(epsilon=found.epsilon, delta=delta, confidence_level=level)

    def is_enough(records: int) -> bool:
        most = ceiling(
            n_members=records,
            n_nonmembers=records,
            delta=delta,
            confidence_level=level,
            method=method,
        )
        return most >= found.epsilon

    if more_may_show_less(method, delta):
        fewest = next(filter(is_enough, range(1, MOST_IN_TURN + 1)), MOST_TRIED)
    else:
        fewest = bisect_left(range(1, MOST_TRIED), True, key=is_enough) + 1
        # Guesses are whole numbers, so a few more records may show a little less.
        fewer = range(max(1, fewest - DIP), fewest)
        fewest = next(filter(is_enough, fewer), fewest)
    return None if fewest == MOST_TRIED else (fewest, fewest)


def more_may_show_less(method: str, delta: float) -> bool:
    """Whether delta counts once for every canary of a training, so that many can be too many."""
    return BOUNDS[method].fair_coins and delta > 0
