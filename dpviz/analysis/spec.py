"""The user's choices as one frozen value, and the control of each."""

from collections.abc import Iterable
from dataclasses import dataclass, field, fields, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from dpviz import checks
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.facts.about import About
from dpviz.analysis.facts.facts import Facts
from dpviz.audit.bounds.registry import DEFAULT, RANK_TESTS
from dpviz.audit.bounds.result import APPLIES_TO, AppliesTo
from dpviz.audit.epsilon_star.estimate import METHODS, Clip, Method, resolved_clip
from dpviz.audit.epsilon_star.fits import TRANSFORMS, Components, Transform, checked_components
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.base import Scores
from dpviz.claims.read import checked_claim
from dpviz.naming import NAMINGS, NamingKey
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES, Adjacency

Scale = Literal["linear", "log10", "log-odds"]
MOST_OVERLAYS = 6  # other claims drawn beside the first
DEFAULT_FPR = 0.01  # selected where nothing speaks against the claim
COSTS = ("cost_false_alarm", "cost_miss")
NEAREST = 1e-9  # distance of a confidence level from 0 and 1: several limits share it


@dataclass(frozen=True, kw_only=True)
class Control:
    """The slider and the exact box of one number of a `Spec`, with a `label` and a `help` text.

    The slider goes from `low` to `high` in steps of `step` on its `scale`, with one more step for 0
    on the left if `stop_at_zero`; the box takes any value from `least` to `most`, `closed` as in
    :mod:`dpviz.checks`. A number that is not `common` moves one picture only, and its control
    stands there.

    Examples
    --------
    >>> from dpviz.analysis import CONTROLS
    >>> CONTROLS["fpr"].low, CONTROLS["fpr"].scale
    (1e-06, 'log10')
    """

    label: str
    help: str
    low: float
    high: float
    step: float
    scale: Scale
    stop_at_zero: bool = False
    least: float = 0.0
    most: float = 1.0
    closed: checks.Closed = "both"
    common: bool = True


def _cost(label: str, explanation: str) -> Control:
    """A cost, of which only the ratio to the other one moves the best attack."""
    return Control(
        label=label,
        help=explanation,
        low=0.1,
        high=1000,
        step=0.05,
        scale="log10",
        most=float("inf"),
        closed="neither",
        common=False,
    )


# The numbers a user can move, in the order they are shown.
CONTROLS: dict[str, Control] = {
    "epsilon": Control(
        label="ε",
        help="ε of the claim; smaller is more private",
        low=0,
        high=10,
        step=0.05,
        scale="linear",
        most=float("inf"),
    ),
    "delta": Control(
        label="δ",
        help="δ: probability mass the guarantee may ignore; smaller is more private",
        low=1e-12,
        high=0.5,
        step=0.1,
        scale="log10",
        stop_at_zero=True,
    ),
    "prior": Control(
        label="prior p",
        help="share of members among the candidates, before the attack",
        low=1e-4,
        high=1 - 1e-4,
        step=0.05,
        scale="log-odds",
        closed="neither",
    ),
    "fpr": Control(
        label="FPR",
        help="share of non-members that the attacker may wrongly accuse",
        low=1e-6,
        high=1,
        step=0.05,
        scale="log10",
        stop_at_zero=True,
    ),
    "kappa": Control(
        label="κ",
        help="chance of a right guess without the output; 1/k for k candidates",
        low=1e-3,
        high=1 - 1e-3,
        step=0.05,
        scale="log-odds",
        closed="neither",
        common=False,
    ),
    "cost_false_alarm": _cost("cost c_FP", "what wrongly accusing a non-member costs the attacker"),
    "cost_miss": _cost("cost c_FN", "what missing a member costs the attacker"),
}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """Everything a picture depends on besides the first scores; hashable and comparable.

    Parameters
    ----------
    claim : TradeoffFunction
        The guarantee under test, or anything :func:`dpviz.read_claim` takes;
        :class:`ApproximateDP` with epsilon 1 and delta 1e-5 by default.
    delta : float
        In [0, 1]: the delta of Epsilon*. A claim that has a delta of its own sets it.
    prior : float
        In (0, 1): probability that the record is a member.
    fpr : float or None
        In [0, 1]: the selected false positive rate. None selects, with scores, the place of the
        strongest evidence against the claim, and else 0.01; `Result.fpr` is the selected number.
    fnr : float or None
        In [0, 1]: height of the point in the privacy region; None puts it on the attack's curve,
        or on the claim's when there are no scores.
    method : {"empirical", "normal", "mixture"}
        Form of Epsilon*.
    clip : float, None or "paper"
        Clip of Epsilon*; see :func:`dpviz.audit.epsilon_star`, also for the next two.
    transform : {"paper", "none"}
        What distributions are fitted to.
    components : int, "bic" or "ks"
        Components of a mixture.
    overlays : sequence of TradeoffFunction
        Up to 6 further guarantees, drawn beside the claim.
    confidence_level : float
        In (0, 1), and at least 1e-9 away from both: of every interval, band and lower bound.
    applies_to : {"instance", "mechanism"}
        What the records are: train and hold-out losses of one model, or one canary in and out of
        independent trainings; see :func:`dpviz.audit.lower_bound`.
    neighbours : {"add_remove", "replace_one"} or None
        What the compared data sets differ in. A claim for add/remove adjacency is converted where
        they differ in a record that is replaced. None: so it is for losses of one model; everything
        else is compared as the claim stands.
    facts : Facts or mapping
        Answers to the validity checklist; see :class:`Facts`.
    about : mapping
        Who and what a report is about, by group and field of `dpviz.reports.ABOUT`.
    naming : str
        Names of the two errors in every text and on every axis: a key of `dpviz.analysis.NAMINGS`,
        such as "words" (FPR and FNR) or "statistics" (α and β).
    compare : Attacks or mapping of str to scores
        Up to 5 other attacks on the same model, by name; see :class:`dpviz.analysis.Attacks`.
    same_records : bool or None
        Whether compared attacks scored the same records in the same order, so that records can be
        compared one by one. None: only those that were read from one file.
    pinned_point : pair of float or None
        FPR and FNR of a point that is kept beside the one that moves.
    kappa : float
        In (0, 1): probability that a guess about the record is right without the output.
    cost_false_alarm, cost_miss : float
        Positive and finite: what each error costs the attacker; see :func:`best_attack`.
    lower_bound_method : {"rank_exact", "rank"}
        The rank test behind the lower bound; "rank" simulates its p-values.

    Raises
    ------
    ValueError
        If a field leaves its range.

    Examples
    --------
    >>> from dpviz import Spec
    >>> spec = Spec.of(epsilon=2.0, prior=0.1)
    >>> spec.claim, spec.changed(delta=0.0).delta
    (ApproximateDP(epsilon=2.0, delta=1e-05), 0.0)
    """

    claim: TradeoffFunction = field(default_factory=lambda: ApproximateDP(epsilon=1.0, delta=1e-5))
    delta: float = 1e-5
    prior: float = 0.5
    fpr: float | None = None
    fnr: float | None = None
    method: Method = "empirical"
    clip: Clip = "paper"
    transform: Transform = "paper"
    components: Components = "bic"
    overlays: tuple[TradeoffFunction, ...] = ()
    confidence_level: float = 0.95
    applies_to: AppliesTo = "instance"
    neighbours: Adjacency | None = None
    facts: Facts = field(default_factory=Facts)
    about: About = field(default_factory=About)
    naming: NamingKey = "words"
    compare: Attacks = field(default_factory=Attacks)
    same_records: bool | None = None
    pinned_point: tuple[float, float] | None = None
    kappa: float = 0.1
    cost_false_alarm: float = 1.0
    cost_miss: float = 1.0
    lower_bound_method: str = DEFAULT

    def __post_init__(self) -> None:
        claim = checked_claim("claim", self.claim)
        legal = {
            "claim": claim,
            "delta": checks.real("delta", self.delta, 0, 1),
            "prior": checks.real("prior", self.prior, 0, 1, closed="neither"),
            "fpr": None if self.fpr is None else checks.real("fpr", self.fpr, 0, 1),
            "fnr": None if self.fnr is None else checks.real("fnr", self.fnr, 0, 1),
            "method": checks.choice("method", self.method, METHODS),
            "transform": checks.choice("transform", self.transform, TRANSFORMS),
            "components": checked_components(self.components),
            "overlays": _checked_overlays(self.overlays),
            "confidence_level": _checked_level(self.confidence_level),
            "applies_to": checks.choice("applies_to", self.applies_to, APPLIES_TO),
            "neighbours": None
            if self.neighbours is None
            else checks.choice("neighbours", self.neighbours, ADJACENCIES),
            "facts": Facts(self.facts),
            "about": About(self.about),
            "naming": checks.choice("naming", self.naming, NAMINGS),
            "compare": self.compare if isinstance(self.compare, Attacks) else Attacks(self.compare),
            "same_records": _checked_truth("same_records", self.same_records),
            "pinned_point": _checked_point(self.pinned_point),
            "kappa": checks.real("kappa", self.kappa, 0, 1, closed="neither"),
            **{name: _checked_cost(name, getattr(self, name)) for name in COSTS},
            "lower_bound_method": checks.choice(
                "lower_bound_method", self.lower_bound_method, RANK_TESTS
            ),
        }
        legal["delta"] = claim.parameters.get("delta", legal["delta"])
        if self.clip is not None and not (isinstance(self.clip, str) and self.clip == "paper"):
            legal["clip"] = resolved_clip(self.clip, method=self.method, delta=0.0)
        for name, value in legal.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, **changes: Any) -> "Spec":
        """The default spec with some fields changed, as `changed` does it."""
        return cls().changed(**changes)

    @cached_property
    def epsilon(self) -> float:
        """Epsilon of the claim: its parameter where it has one, else what it implies at delta."""
        return float(self.claim.parameters.get("epsilon", self.claim.epsilon(self.delta)))

    @cached_property
    def tpr(self) -> float | None:
        """1 - fnr: height of the point as a rate of members that are detected."""
        return None if self.fnr is None else _complement(self.fnr)

    def can_change(self, name: str) -> bool:
        """Whether a field can be set: not the epsilon of a claim that merely implies one."""
        return name != "epsilon" or "epsilon" in self.claim.parameters

    def changed(self, **changes: Any) -> "Spec":
        """The same spec with some fields changed.

        `epsilon` and `delta` edit the claim; `tpr` sets `fnr` to 1 - tpr.

        Raises
        ------
        ValueError
            If a name is not a field, a value leaves its range, `epsilon` is set while the claim
            has no epsilon to edit, or `tpr` is given beside `fnr`.
        """
        names = {f.name for f in fields(self)} | {"epsilon", "tpr"}
        for name in changes:
            checks.choice("spec field", name, sorted(names))
        if "tpr" in changes:
            tpr = changes.pop("tpr")
            if "fnr" in changes:
                raise checks.fail("tpr", "left out where fnr is given", tpr)
            changes["fnr"] = None if tpr is None else _complement(checks.real("tpr", tpr, 0, 1))
        claim = checked_claim("claim", changes.pop("claim", self.claim))
        implied = "epsilon" in changes and "epsilon" not in claim.parameters
        # A view may send back the epsilon that the claim implies: that is no change.
        if implied and (claim is not self.claim or changes["epsilon"] != self.epsilon):
            raise ValueError(f"epsilon is read-only for {claim!r}, got {changes['epsilon']!r}")
        edits = {
            name: changes[name]
            for name in ("epsilon", "delta")
            if name in changes and name in claim.parameters
        }
        changes.pop("epsilon", None)
        return replace(self, claim=claim.with_parameters(**edits) if edits else claim, **changes)


def _complement(rate: float) -> float:
    """1 - rate, rounded once from the number that is read: 0.1 for 0.9."""
    return float(1 - Decimal(repr(rate)))


def _checked_cost(name: str, value: float) -> float:
    return checks.real(name, value, 0, float("inf"), closed="neither")


def _checked_level(level: float) -> float:
    level = checks.real("confidence_level", level, 0, 1, closed="neither")
    if not NEAREST <= level <= 1 - NEAREST:
        raise checks.fail("confidence_level", f"at least {NEAREST:g} away from 0 and 1", level)
    return level


def _checked_truth(name: str, given: object) -> bool | None:
    if given is not None and not isinstance(given, bool):
        raise checks.fail(name, "True, False or None", given)
    return given


def _checked_point(given: Any) -> tuple[float, float] | None:
    if given is None:
        return None
    rates = checks.reals("pinned_point", given, 0, 1)
    if rates.shape != (2,):
        raise checks.fail("pinned_point", "a pair of FPR and FNR", given)
    return float(rates[0]), float(rates[1])


def _checked_overlays(overlays: object) -> tuple[TradeoffFunction, ...]:
    if isinstance(overlays, TradeoffFunction) or not isinstance(overlays, Iterable):
        raise checks.fail("overlays", "a sequence of trade-off functions", overlays)
    overlays = tuple(overlays)
    if any(isinstance(each, Scores | AttackCurve) for each in overlays):
        raise checks.fail("overlays", "guarantees; attacks go into compare", overlays)
    given = tuple(checked_claim("overlays", overlay) for overlay in overlays)
    if len(given) > MOST_OVERLAYS:
        raise checks.fail("overlays", f"at most {MOST_OVERLAYS} trade-off functions", len(given))
    return given
