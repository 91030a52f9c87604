"""Which number of a mechanism would be enough, so that no attack may do more than is wanted."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, get_args

from dpviz import checks
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.checks import FloatArray, read_only
from dpviz.theory import TradeoffFunction, for_risk
from dpviz.theory.for_risk import PARAMETERS, risk_target

Wish = Literal["tpr", "advantage", "ppv", "guess"]
WISHES: tuple[Wish, ...] = get_args(Wish)


@dataclass(frozen=True, kw_only=True)
class RiskQuestion:
    """A wish about all attacks: one number of theirs is at most `limit`.

    "tpr" and "ppv" are those of attacks with the FPR `fpr`; `prior` is of the PPV, and `kappa` the
    chance of a right guess without the output. Raises ValueError if `limit` is not in (0, 1).
    """

    claim: TradeoffFunction
    wish: Wish
    limit: float
    fpr: float
    prior: float
    kappa: float

    def __post_init__(self) -> None:
        checks.choice("wish", self.wish, WISHES)
        limit = checks.real("limit", self.limit, 0, 1, closed="neither")
        object.__setattr__(self, "limit", limit)

    @property
    def wanted(self) -> dict[str, float]:
        """The wish as arguments of `dpviz.theory.for_risk`."""
        beside = {
            "tpr": {"fpr": self.fpr},
            "advantage": {},
            "ppv": {"prior": self.prior, "fpr": self.fpr},
            "guess": {"baseline": self.kappa},
        }
        return {self.wish: self.limit, **beside[self.wish]}

    @property
    def place(self) -> tuple[float, float]:
        """The FPR and the largest TPR that is wanted there; not of an advantage."""
        if self.wish == "guess":
            return self.kappa, self.limit
        if self.wish == "tpr":
            return self.fpr, self.limit
        odds = self.limit / (1 - self.limit) * (1 - self.prior) / self.prior
        return self.fpr, odds * self.fpr


@dataclass(frozen=True, kw_only=True)
class Need:
    """One number of the claim: as it is, and the claim with the one that is enough.

    Without such a claim, `reason` says why.
    """

    parameter: str
    now: float
    enough: TradeoffFunction | None = None
    reason: str = ""

    @property
    def is_whole(self) -> bool:
        """Whether the number is a whole one."""
        return PARAMETERS[self.parameter].is_whole


@dataclass(frozen=True, kw_only=True, eq=False)
class RiskNeeds:
    """A question, and for each number of its claim what would be enough.

    `impossible` says why no mechanism, however private, can do what is wanted.
    """

    question: RiskQuestion
    needs: tuple[Need, ...]
    impossible: str = ""

    @property
    def possible(self) -> tuple[Need, ...]:
        """Those with a number that is enough."""
        return tuple(need for need in self.needs if need.enough is not None)

    @cached_property
    def now(self) -> FloatArray:
        """The claim's curve, columns FPR and FNR."""
        return read_only(self.question.claim.min_symmetrized().draw())

    @cached_property
    def enough(self) -> FloatArray | None:
        """The curve of the first claim that is enough; None without one."""
        if not self.possible:
            return None
        claim = self.possible[0].enough
        return None if claim is None else read_only(claim.min_symmetrized().draw())


def risk_needs(question: RiskQuestion, *, progress: Progress = iter) -> RiskNeeds:
    """Search each number of the claim; `progress` wraps their positions."""
    try:
        risk_target(question.wanted)
    except ValueError as error:
        return RiskNeeds(question=question, needs=(), impossible=str(error))
    names = [name for name in question.claim.parameters if name in PARAMETERS]
    needs = tuple(_need(question, names[i]) for i in progress(range(len(names))))
    return RiskNeeds(question=question, needs=needs)


def _need(question: RiskQuestion, parameter: str) -> Need:
    claim = question.claim
    now = float(claim.parameters[parameter])
    search: Callable[..., TradeoffFunction] = for_risk
    try:
        enough = search(claim, parameter, **question.wanted)
    except ValueError as error:
        return Need(parameter=parameter, now=now, reason=str(error))
    return Need(parameter=parameter, now=now, enough=enough)
