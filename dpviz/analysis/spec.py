"""`Spec`: the settings of a user as a frozen dataclass."""
# ruff: noqa: RUF009, as each call makes a dataclass field

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from dpviz import checks
from dpviz.analysis.attacks import Attacks
from dpviz.analysis.facts.about import About
from dpviz.analysis.facts.answers import Facts
from dpviz.audit.bounds.result import (
    APPLIES_TO,
    SAMPLINGS,
    AppliesTo,
    checked_applies_to,
    required_adjacency,
)
from dpviz.audit.epsilon_star.estimate import METHODS, Clip, Method, resolved_clip
from dpviz.audit.epsilon_star.fits import TRANSFORMS, Components, Transform, checked_components
from dpviz.audit.evidence.claim import require_matching_adjacency
from dpviz.audit.roc.curve import AttackCurve
from dpviz.audit.scores.base import Sampling, Scores
from dpviz.claims.read import read_guarantee
from dpviz.naming import NAMINGS, NamingKey
from dpviz.theory import ApproximateDP, TradeoffFunction
from dpviz.theory.tradeoff import ADJACENCIES, Adjacency

Scale = Literal["linear", "log10", "log-odds"]
MOST_OVERLAYS = 6  # guarantees drawn beside the claim
DEFAULT_FPR = 0.01  # the selected FPR without evidence against the claim
MIN_DISTANCE_TO_1 = 1e-9  # least distance of a confidence level from 1
INF = float("inf")
OTHER_WORDS = {  # which are no fields of `Spec`, with the way out
    "alpha": "confidence_level is 1 - alpha",
    **dict.fromkeys(("member", "members", "nonmembers"), "the scores are the first arguments"),
    "kind": "pass dpviz.read_scores(source, kind=...) as the scores",
}


@dataclass(frozen=True, kw_only=True)
class Control:
    """The slider and the text box of one number of a `Spec`.

    Both have the text `label` and the explanation `help`. The slider goes from `low` to `high` in
    steps of `step` on its `scale`, with one more step for 0 on the left if `stop_at_zero`. The box
    takes any value from `least` to `most`; `closed` says which of these ends are legal, as in
    :mod:`dpviz.checks`. A number that is not `common` changes only one picture, and its control is
    beside that picture.

    Examples
    --------
    >>> from dpviz.analysis.spec import CONTROLS
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

    @property
    def explanation(self) -> str:
        """`help` without the label, with which some explanations begin."""
        return self.help.removeprefix(self.label).lstrip(": ")


@dataclass(frozen=True, kw_only=True)
class FieldInfo:
    """The metadata of a field of a `Spec`, for pages, files and the command line."""

    help: str
    # Called with the field's name and a value; returns the legal value or raises ValueError.
    check: Callable[[str, Any], Any] = lambda _, value: value
    control: Control | None = None
    choices: Collection[str] = ()  # the legal words
    option: str = ""  # help of the field's option in ``dpviz audit``; "": no option
    is_number: bool = False  # whether the browser gets it, to draw without Python
    # By other names under which `Spec.changed` takes the field, such as tpr for fnr.
    also: Mapping[str, "FieldInfo"] = field(default_factory=dict)


def spec_field(default: Any, description: str, **more: Any) -> Any:
    """Return a dataclass field with `FieldInfo(**more)`; a callable `default` is a factory."""
    made = {"default_factory": default} if callable(default) else {"default": default}
    return field(**made, metadata={"setting": FieldInfo(help=description, **more)})


def choice_field(
    default: str | None, choices: Collection[str], description: str, *, none: str = "", **more: Any
) -> Any:
    """Return a dataclass field for one of `choices`; None is legal if `none` says what it means."""

    def check(name: str, value: Any) -> Any:
        return None if value is None and none else checks.choice(name, value, choices)

    text = f"{description}: {', '.join(choices)}" + (f"; None: {none}" if none else "")
    return spec_field(default, text, check=check, choices=choices, **more)


def number_field(
    default: float | None,
    description: str,
    slider: dict[str, Any] | None = None,
    *,
    none: str = "",
    **more: Any,
) -> Any:
    """Return a dataclass field for a number in the range of the `slider`, by default [0, 1]."""
    control = Control(help=description, **slider) if slider else None
    low, high = (control.least, control.most) if control else (0.0, 1.0)
    closed: checks.Closed = control.closed if control else "both"

    def check(name: str, value: Any) -> Any:
        is_none = value is None and none
        return None if is_none else checks.real(name, value, low, high, closed=closed)

    text = f"{description}, {checks.interval_text(low, high, closed)}"
    text += f"; None: {none}" if none else ""
    return spec_field(default, text, check=check, control=control, is_number=True, **more)


def _checked_confidence_level(name: str, value: Any) -> float:
    level = checks.confidence_level(value)
    if level > 1 - MIN_DISTANCE_TO_1:
        raise checks.fail(name, f"at most 1 - {MIN_DISTANCE_TO_1:g}", level)
    return level


def _bool_or_none(name: str, value: Any) -> bool | None:
    if value is not None and not isinstance(value, bool):
        raise checks.fail(name, "True, False or None", value)
    return value


def _checked_bool(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise checks.fail(name, "True or False", value)
    return value


def _checked_point(name: str, value: Any) -> tuple[float, float] | None:
    if value is None:
        return None
    rates = checks.reals(name, value, 0, 1)
    if rates.shape != (2,):
        raise checks.fail(name, "a pair of FPR and FNR", value)
    return float(rates[0]), float(rates[1])


def _as_overlays(name: str, value: Any) -> tuple[TradeoffFunction, ...]:
    if isinstance(value, TradeoffFunction) or not isinstance(value, Iterable):
        raise checks.fail(name, "a sequence of trade-off functions", value)
    overlays = tuple(value)
    if any(isinstance(overlay, Scores | AttackCurve) for overlay in overlays):
        raise checks.fail(name, "guarantees", overlays, "pass the scores of attacks as compare")
    claims = tuple(read_guarantee(name, overlay) for overlay in overlays)
    if len(claims) > MOST_OVERLAYS:
        raise checks.fail(name, f"at most {MOST_OVERLAYS} trade-off functions", len(claims))
    return claims


# Epsilon is no field, but a parameter of the claim, which `Spec.changed` edits.
EPSILON_SETTING = FieldInfo(
    help="ε of the claim, in [0, inf]",
    is_number=True,
    control=Control(
        label="ε",
        help="ε of the claim; smaller is more private",
        low=0,
        high=10,
        step=0.05,
        scale="linear",
        most=INF,
    ),
)
RATE_SLIDER = {"step": 0.05, "scale": "log10", "stop_at_zero": True}
OPEN_RATE_SLIDER = {"step": 0.05, "scale": "log-odds", "closed": "neither"}
# Arguments of `Control` for both costs.
COST = {"low": 0.1, "high": 1000, "step": 0.05, "scale": "log10", "most": INF, "closed": "neither"}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """All settings of an analysis.

    The scores of the first attack are not among them. Specs are hashable and comparable.

    Parameters
    ----------
    claim : TradeoffFunction
        The guarantee under test, or anything :func:`dpviz.read_claim` takes;
        :class:`ApproximateDP` with epsilon 1 and delta 1e-5 by default.
    delta : float, in [0, 1]
        The delta of Epsilon*. A claim that has a delta of its own sets it.
    tested : bool
        Whether scores test the claim. If False, the claim is only drawn; setting the claim, its
        epsilon or its delta, even to the same value, makes `tested` True.
    prior : float, in (0, 1): probability that the record is a member
    fpr : float, in [0, 1], or None
        The selected false positive rate. None selects, with scores, the place of the strongest
        evidence against the claim, and else 0.01; `Result.fpr` is the selected number.
    fnr : float, in [0, 1], or None
        Height of the point in the privacy region; None puts it on the attack's curve, or on the
        claim's when there are no scores.
    method : {"empirical", "normal", "mixture"}, the form of Epsilon*
    clip : float, None or "paper"
        Clip of Epsilon*; see :func:`dpviz.audit.epsilon_star`, also for the next two.
    transform : {"paper", "none"}, of losses before distributions are fitted to them
    components : int, "bic" or "ks", of a mixture
    overlays : sequence of TradeoffFunction, up to 6 guarantees that are drawn beside the claim
    confidence_level : float, in [0.5, 1), and at least 1e-9 away from 1
        Of every interval, band and lower bound.
    applies_to : {"instance", "mechanism"}
        Whether epsilon is of one model, from train and hold-out losses, or of the mechanism. A
        change of `sampling` sets it.
    sampling : {"independent_trainings", "fair_coins", "fixed_split"} or None
        How membership was drawn, required for a mechanism; see :func:`dpviz.audit.lower_bound`.
    neighbours : {"add_remove", "replace_one"} or None
        What neighbouring data sets differ in. For "replace_one", a claim for add/remove adjacency
        is converted. None converts it only for losses of one model and a fixed split, or, without
        scores, if an overlay is for replace-one adjacency.
    facts : Facts or mapping, answers to the validity checklist
    about : mapping
        Who and what a report is about, by group and field of `dpviz.reports.ABOUT`.
    naming : str
        Names of the two errors in every text and on every axis: a key of `dpviz.naming.NAMINGS`,
        such as "words" (FPR and FNR) or "statistics" (α and β).
    compare : Attacks or mapping of str to scores
        Up to 5 other attacks on the same model, by name; see
        :class:`~dpviz.analysis.attacks.Attacks`.
    same_records : bool or None
        Whether compared attacks scored the same records in the same order, so that records can be
        compared one by one. None: only those that were read from one file.
    pinned_point : pair of float, or None
        FPR and FNR of a point that stays in the region picture, beside the movable point.
    kappa : float, in (0, 1)
        Probability that a guess about the record is right without the output.
    cost_false_alarm, cost_miss : float, positive and finite
        What each error costs the attacker; see :func:`best_attack`.

    Examples
    --------
    >>> from dpviz import Spec
    >>> spec = Spec.of(epsilon=2.0, prior=0.1)
    >>> spec.claim, spec.changed(delta=0.0).delta
    (ApproximateDP(epsilon=2.0, delta=1e-05), 0.0)
    """

    claim: TradeoffFunction = spec_field(
        lambda: ApproximateDP(epsilon=1.0, delta=1e-5),
        "the guarantee under test (a TradeoffFunction)",
        check=read_guarantee,
        also={"epsilon": EPSILON_SETTING},
    )
    delta: float = number_field(
        1e-5,
        "δ: probability mass the guarantee may ignore; smaller is more private",
        RATE_SLIDER | {"label": "δ", "low": 1e-12, "high": 0.5, "step": 0.1},
        option="delta of the lower bound and of Epsilon*, in [0, 1]; default the claim's, "
        "else {default:g}",
    )
    tested: bool = spec_field(
        True, "whether scores test the claim, or the claim is only drawn", check=_checked_bool
    )
    prior: float = number_field(
        0.5,
        "share of members among the candidates, before the attack",
        OPEN_RATE_SLIDER | {"label": "prior p", "low": 1e-4, "high": 1 - 1e-4},
        option="probability that a record is a member, in (0, 1), for the precision of flagged "
        "records (PPV); default {default:g}",
    )
    fpr: float | None = number_field(
        None,
        "share of non-members that the attacker may wrongly accuse",
        RATE_SLIDER | {"label": "FPR", "low": 1e-6, "high": 1},
        none="where the evidence is strongest",
        option="share of non-members that the attack flags, in [0, 1]; default the FPR of the "
        "strongest evidence against the claim",
    )
    fnr: float | None = number_field(
        None,
        "FNR of the point in the region picture",
        none="the point is on the curve",
        also={"tpr": FieldInfo(help="1 - fnr; None puts the point on the curve")},
    )
    method: Method = choice_field("empirical", METHODS, "form of Epsilon*")
    clip: Clip = spec_field("paper", 'clip of Epsilon*: a number in [0, 0.5), None or "paper"')
    transform: Transform = choice_field("paper", TRANSFORMS, "transform of losses before a fit")
    components: Components = spec_field(
        "bic",
        'components of a mixture: 1 to 20, "bic" or "ks"',
        check=lambda _, value: checked_components(value),
    )
    overlays: tuple[TradeoffFunction, ...] = spec_field(
        (), f"up to {MOST_OVERLAYS} further guarantees, drawn beside the claim", check=_as_overlays
    )
    confidence_level: float = spec_field(
        0.95,
        "confidence of every interval, band and lower bound, in [0.5, 1)",
        check=_checked_confidence_level,
        option="confidence of the bound and of every interval, in [0.5, 1); default {default:g}",
    )
    applies_to: AppliesTo = choice_field(
        "instance",
        APPLIES_TO,
        "whether epsilon is of one trained model or of the mechanism",
        option="whether epsilon is of one model, from training and hold-out losses (instance), "
        "or of the mechanism, which needs --sampling; default mechanism with --sampling",
    )
    sampling: Sampling | None = choice_field(
        None,
        SAMPLINGS,
        "how membership was drawn",
        none="losses of one model",
        option="how membership was drawn: one canary in and out of independent trainings, or in "
        "one training run by a fair coin for each record, or by a random split of fixed sizes",
    )
    neighbours: Adjacency | None = choice_field(
        None,
        ADJACENCIES,
        "difference between neighbouring data sets",
        none="replace_one for losses of one model and a fixed split, else the claim's",
        option="the difference between neighbouring data sets: one record added or removed "
        "(add_remove) or replaced (replace_one, to which an add_remove claim is converted); "
        "default replace_one for an instance and a fixed split, else the claim's",
    )
    facts: Facts = spec_field(
        Facts,
        "answers to the validity checklist (Facts, or a mapping)",
        check=lambda _, value: value if isinstance(value, Facts) else Facts(value),
    )
    about: About = spec_field(
        About,
        "who and what a report is about (a mapping, as dpviz.reports.ABOUT)",
        check=lambda _, value: value if isinstance(value, About) else About(value),
    )
    naming: NamingKey = choice_field(
        "words",
        NAMINGS,
        "names of the two errors",
        option="names of the two error rates in every text, such as statistics for α and β; one of "
        f"{', '.join(NAMINGS)}; default {{default}}",
    )
    compare: Attacks = spec_field(
        Attacks,
        "up to 5 other attacks, by name (Attacks, or a mapping of scores)",
        check=lambda _, value: value if isinstance(value, Attacks) else Attacks(value),
    )
    same_records: bool | None = spec_field(
        None, "whether compared attacks scored the same records; None: unknown", check=_bool_or_none
    )
    pinned_point: tuple[float, float] | None = spec_field(
        None, "FPR and FNR of the pinned point; None: no pinned point", check=_checked_point
    )
    kappa: float = number_field(
        0.1,
        "chance of a right guess without the output; 1/k for k candidates",
        OPEN_RATE_SLIDER | {"label": "κ", "low": 1e-3, "high": 1 - 1e-3, "common": False},
    )
    cost_false_alarm: float = number_field(
        1.0,
        "cost to the attacker of a wrongly accused non-member",
        COST | {"label": "cost c_FP", "common": False},
    )
    cost_miss: float = number_field(
        1.0,
        "cost to the attacker of a missed member",
        COST | {"label": "cost c_FN", "common": False},
    )

    def __post_init__(self) -> None:
        self._set({each.name: getattr(self, each.name) for each in fields(self)})

    def _set(self, values: Mapping[str, Any]) -> None:
        """Set fields of a spec under construction; ValueError if a value is outside its range."""
        for name, value in values.items():
            object.__setattr__(self, name, SETTINGS[name].check(name, value))
        # The claim may set delta, and the method of Epsilon* may set the clip.
        delta = self.claim.parameters.get("delta", self.delta)
        object.__setattr__(self, "delta", delta)
        if self.clip is not None and not (isinstance(self.clip, str) and self.clip == "paper"):
            clip = resolved_clip(self.clip, method=self.method, delta=0.0)
            object.__setattr__(self, "clip", clip)
        checked_applies_to(self.applies_to, self.sampling)
        # A claim for add/remove can be converted to replace-one, but not the other way.
        compared = required_adjacency(self.sampling, self.neighbours)
        is_claimed = self.claim.parameters.get("epsilon") != INF
        if self.sampling == "fair_coins" and compared == "add_remove" and is_claimed:
            require_matching_adjacency(self.claim, self.sampling, self.neighbours)

    @classmethod
    def of(cls, **changes: Any) -> "Spec":
        """Return the default spec with some fields changed."""
        return cls().changed(**changes)

    @cached_property
    def epsilon(self) -> float:
        """The epsilon of the claim.

        This is the claim's parameter `epsilon`. For a claim without that parameter it is the
        epsilon that the claim implies at `delta`.
        """
        return float(self.claim.parameters.get("epsilon", self.claim.epsilon(self.delta)))

    @cached_property
    def tpr(self) -> float | None:
        """The TPR of the point in the region picture.

        The TPR is 1 - `fnr`, or None if `fnr` is None.
        """
        return None if self.fnr is None else _one_minus(self.fnr)

    @property
    def is_one_run(self) -> bool:
        """Whether the scores come from one training run of a mechanism, and so are dependent."""
        return self.sampling in ("fair_coins", "fixed_split")

    def can_change(self, name: str) -> bool:
        """Return whether a field can be changed.

        The field "epsilon" can be changed only if the claim has that parameter.
        """
        return name != "epsilon" or "epsilon" in self.claim.parameters

    def changed(self, **changes: Any) -> "Spec":
        """Return the spec with some fields changed.

        `epsilon` and `delta` edit the claim; `tpr` sets `fnr` to 1 - tpr; `sampling` sets
        `applies_to`, and "instance" removes it.

        Raises
        ------
        ValueError, if a name is no field, a value leaves its range, `tpr` is given beside `fnr`, or
            the claim has no epsilon to edit
        """
        for name in changes:
            if name not in SETTINGS:
                way_out = OTHER_WORDS.get(name) or checks.did_you_mean(name, SETTINGS)
                way_out = way_out or "help(dpviz.Spec) lists them"
                raise checks.fail("argument", "a field of dpviz.Spec", name, way_out)
        if "tpr" in changes:
            tpr = changes.pop("tpr")
            if "fnr" in changes:
                raise checks.fail("tpr", "left out if fnr is given", tpr)
            changes["fnr"] = None if tpr is None else _one_minus(checks.real("tpr", tpr, 0, 1))
        # How membership was drawn decides whose epsilon it is, and the other way round.
        if "sampling" in changes:
            changes.setdefault("applies_to", "mechanism" if changes["sampling"] else "instance")
        elif changes.get("applies_to") == "instance":
            changes["sampling"] = None
        # A new claim is tested, also where the last one was only drawn.
        if not changes.keys().isdisjoint(("claim", "epsilon", "delta")):
            changes.setdefault("tested", True)
        claim = self.claim
        if "claim" in changes:
            claim = read_guarantee("claim", changes.pop("claim"))
        implied = "epsilon" in changes and "epsilon" not in claim.parameters
        # An epsilon equal to the implied one, which a view may send back, is no change.
        if implied and (claim is not self.claim or changes["epsilon"] != self.epsilon):
            condition = f"left out for {claim!r}, which has no parameter epsilon"
            raise checks.fail("epsilon", condition, changes["epsilon"])
        # Epsilon and delta are parameters of the claim where it has them.
        edits = {
            name: changes[name]
            for name in ("epsilon", "delta")
            if name in changes and name in claim.parameters
        }
        changes.pop("epsilon", None)
        # The other fields were checked when this spec was made.
        spec = object.__new__(Spec)
        vars(spec).update({each.name: getattr(self, each.name) for each in fields(self)})
        vars(spec)["claim"] = claim.with_parameters(**edits) if edits else claim
        spec._set(changes)
        return spec


def _one_minus(rate: float) -> float:
    """Return 1 - rate, computed in decimals, so that 0.9 gives exactly 0.1."""
    return float(1 - Decimal(repr(rate)))


# The names that `Spec.changed` takes, the sliders, and the numbers that the browser draws from.
SETTINGS: dict[str, FieldInfo] = {}
for each in fields(Spec):
    SETTINGS[each.name] = each.metadata["setting"]
    SETTINGS |= SETTINGS[each.name].also
CONTROLS = {name: setting.control for name, setting in SETTINGS.items() if setting.control}
NUMBER_FIELDS = tuple(name for name, setting in SETTINGS.items() if setting.is_number)
