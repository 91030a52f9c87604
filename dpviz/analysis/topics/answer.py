"""The answer of an audit: one of six states, in words, and on the ruler."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from typing_extensions import override

from dpviz.analysis.attacks import FIRST
from dpviz.analysis.result import AuditPart, Result, SamplePart, allows_everything
from dpviz.analysis.topic import Registered, Topic, as_lead
from dpviz.analysis.topics import attacks, checklist
from dpviz.analysis.topics.attacks import of_attacks
from dpviz.analysis.topics.bounds import at_least
from dpviz.analysis.topics.claim import BARE
from dpviz.analysis.topics.claim import name as name_of_claim
from dpviz.analysis.topics.risk import risk_at_point
from dpviz.audit import EpsilonBound
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec, round_end
from dpviz.drawing.frame import rectangle
from dpviz.drawing.layer import Layer
from dpviz.drawing.marks import NOTHING, Area, DrawnLines, DrawnPoints, Line, Points
from dpviz.drawing.scene import Scene
from dpviz.number_format import lower, percent, short, short_above, upper
from dpviz.theory import ApproximateDP, TradeoffFunction

AnswerState = Literal[
    "contradicted", "not contradicted", "cannot decide", "no claim", "computing", "promise"
]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What scores show of the claim, in one word and on one axis of epsilon at `delta`.

    Parameters
    ----------
    state : str
        One of "contradicted"; "not contradicted", which does not confirm the claim; "cannot decide"
        (even a perfect attack on so few records could not contradict it, or the claim cannot be
        tested); "no claim" (there are scores, but the claim allows every attack); "computing" (not
        known yet); "promise" (there are no scores).
    delta : float
        The delta of all numbers.
    claimed : float or None
        Epsilon of the claim; what it implies at `delta`, if it has none of its own. Perhaps inf.
        None for a claim that allows every attack, which is no claim.
    certified : float or None
        The lower bound; None as long as it is not computed, like the numbers below.
    estimate : float or None
        Epsilon*, an estimate and no bound.
    chance : float or None
        What Epsilon* does not exceed in 95 of 100 random labellings of these records. Of counts:
        None where Epsilon* is that of a fit.
    ceiling : float or None
        The most that a perfect attack on this many records certifies.
    attacks : tuple of pairs
        The names of the compared attacks and what each certifies, all of them at once.

    Examples
    --------
    >>> import dpviz
    >>> dpviz.analyze(epsilon=1.0).answer.state
    'promise'
    """

    state: AnswerState
    delta: float
    claimed: float | None
    certified: float | None = None
    estimate: float | None = None
    chance: float | None = None
    ceiling: float | None = None
    attacks: tuple[tuple[str, float], ...] = ()

    @property
    def largest(self) -> float:
        """The largest finite number that was measured; 0 where there is none."""
        others = (low for _, low in self.attacks)
        found = (self.certified, self.estimate, self.chance, self.ceiling, *others)
        return max(
            (each for each in found if each is not None and math.isfinite(each)), default=0.0
        )


def answer_of(result: Result) -> Answer:
    """The answer of a result, from what is known of its audit."""
    claim, sample = result.claim, result.sample
    claimed = None if allows_everything(claim.claim) else claim.epsilon
    if sample is None:
        return Answer(state="promise", delta=claim.delta, claimed=claimed)
    audit = sample.audit
    is_counted = result.spec.method == "empirical"
    return Answer(
        state=_state(result, sample),
        delta=claim.delta,
        claimed=claimed,
        certified=audit.bound.low if audit.bound else None,
        estimate=sample.epsilon_star.star.value,
        chance=audit.null.quantile("epsilon_star") if audit.null and is_counted else None,
        ceiling=audit.ceiling,
        attacks=_others(audit),
    )


def _others(audit: AuditPart) -> tuple[tuple[str, float], ...]:
    if audit.best_of is None:
        return ()
    bounds = audit.best_of.bounds.items()
    return tuple((name, bound.low) for name, bound in bounds if name != FIRST)


def is_undecidable(result: Result, audit: AuditPart) -> bool:
    """Whether no attack on this many records could contradict an (epsilon, delta) claim.

    The ceiling is at the delta of the bound; a claim at another delta is not compared with it.
    """
    claim = result.claim.claim
    return (
        isinstance(claim, ApproximateDP)
        and claim.claimed_delta == result.claim.delta
        and audit.ceiling is not None
        and audit.ceiling <= claim.claimed_epsilon
    )


def _state(result: Result, sample: SamplePart) -> AnswerState:
    audit = sample.audit
    if allows_everything(result.claim.claim):
        return "no claim"
    if audit.test is None:
        return "cannot decide" if "test" in dict(audit.refused) else "computing"
    if audit.test.outcome == "contradicted":
        return "contradicted"
    if "ceiling" in dict(audit.pending):
        return "computing"  # without the ceiling it is open why the claim is not contradicted
    return "cannot decide" if is_undecidable(result, audit) else "not contradicted"


# Sentences about adjacency: what the claim is read for, and what its other reading would say.

NAMES = {"replace_one": "replace-one", "add_remove": "add/remove"}


def under(result: Result) -> str:
    """Return under which adjacency the claim is tested: "under replace-one"."""
    converted = " (converted from add/remove)" if result.claim.converted else ""
    return f"under {NAMES[result.claim.claim.adjacency]}{converted}"


def reading(result: Result) -> str:
    """Under which adjacency the claim is tested, and what the other reading of it would say."""
    if result.sample is None or allows_everything(result.claim.claim):
        return ""
    claim, given = result.claim, result.spec.claim
    if type(given) not in BARE:
        return _mechanism(result)
    here, there = NAMES.values() if given.adjacency == "replace_one" else reversed(NAMES.values())
    if claim.other_reading is None:
        return (
            f"The claim is tested as it stands, under {here}; read as {there}, the answer is the "
            "same."
        )
    said = f"The claim is read as {here}"
    if claim.converted:
        said += f", which allows {numbers(claim.claim)} where a record is replaced"
    other = f"Read as {there}, it allows {numbers(claim.other_reading)} here"
    return f"{said}. {other}, which {_outcome(result.sample)}."


def readings_differ(result: Result) -> bool:
    """Whether the losses contradict one reading of the claim and not the other."""
    if result.sample is None or result.claim.other_reading is None:
        return False
    audit = result.sample.audit
    if audit.test is None or audit.other_contradicted is None:
        return False
    return (audit.test.outcome == "contradicted") != audit.other_contradicted


def _mechanism(result: Result) -> str:
    if result.claim.converted:
        return (
            "The claim is for add/remove, converted to replace-one: a record is compared with one "
            "that replaces it."
        )
    return f"The claim is tested as it stands, under {NAMES[result.spec.claim.adjacency]}."


def _outcome(sample: SamplePart) -> str:
    test, contradicted = sample.audit.test, sample.audit.other_contradicted
    if test is None or contradicted is None:
        return "is not tested yet"
    is_same = (test.outcome == "contradicted") == contradicted
    these = "these losses" if sample.histogram.kind == "loss" else "these scores"
    if contradicted:
        return f"{these} contradict" + " too" * is_same
    return f"{these} do not contradict" + " either" * is_same


def numbers(claim: TradeoffFunction) -> str:
    """Return the numbers of a claim that is nothing else: "ε = 2, δ = 1e-05"."""
    if isinstance(claim, ApproximateDP):
        epsilon, delta = claim.claimed_epsilon, claim.claimed_delta
        return f"ε = {short(upper(epsilon), digits=6)}, δ = {short(upper(delta))}"
    (mu,) = claim.parameters.values()
    return f"μ = {short(upper(mu))}"


# The answer in sentences: headline, second line, what it does not say, people and odds.

WHOSE = {"instance": "this trained model", "mechanism": "the training mechanism"}
ABOUT = {
    "instance": "this trained model, not about the training method",
    "mechanism": "the training mechanism, as far as these records were chosen as declared",
}


def answer(result: Result) -> str:
    """The headline."""
    sample, claim = result.sample, short_claim(result)
    if sample is None:
        if allows_everything(result.claim.claim):
            return f"{_first(claim)} is no guarantee: every attack is allowed."
        caught = percent(upper(result.claim.claim.tpr(result.fpr)))
        fpr = percent(result.fpr)
        return f"At FPR {fpr}, {claim} lets an attack catch at most {caught} of the members."
    kind = _scores(sample)
    match result.answer.state:
        case "contradicted":
            return f"The {kind} contradict the claim {claim}."
        case "not contradicted":
            return f"These {kind} do not contradict {claim}. That does not confirm it."
        case "no claim":
            return f"No claim is tested: this is what the {kind} show."
        case "cannot decide":
            return f"These {kind} cannot decide about {claim}."
        case _:
            return f"Not computed yet: whether these {kind} contradict {claim}."


def answer_detail(result: Result) -> str:
    """Why nothing is decided, what is certified, and how many records there are."""
    sample = result.sample
    if sample is None:
        return (
            f"This is what the claim promises{_converted(result)}. What an attack on a trained "
            "model reached needs its scores."
        )
    subject = f"The {_scores(sample)}" if result.answer.state == "no claim" else "They"
    said = [_certified(sample, subject, result.claim.epsilon), _counts(sample), _reversed(sample)]
    said.append(checklist.limits(result.spec))
    test = sample.audit.test
    if test is not None and test.p_value is not None and test.outcome == "contradicted":
        level = percent(test.confidence_level)
        p_value = short(upper(test.p_value))
        said.insert(0, f"A test at all thresholds gives p = {p_value} ({level} confidence).")
    if result.answer.state == "cannot decide":
        said.insert(0, f"{_first(_why(sample))}.")
    return " ".join(filter(None, said))


def answer_limits(result: Result) -> str:
    """What the answer does not say, and what it assumes."""
    sample = result.sample
    if sample is None:
        return (
            "It holds for every attack, known or not. Whether the mechanism keeps the claim is "
            "not checked here."
        )
    return (
        f"This is about {ABOUT[result.spec.applies_to]}. A lower bound cannot show that ε is "
        "small: another attack may reach more. Assumed: members and non-members are independent "
        f"draws, each from its own distribution. {checklist.answer_limits(result.spec)}"
    ).rstrip()


def at_one_percent(result: Result) -> str:
    """How many of 100 members the attack detects at FPR 1 %, and how many the claim allows.

    Where that does not show a contradiction that was found, the clearest place is named.
    """
    sample = result.sample
    if sample is None:
        return ""
    most = result.claim.claim.tpr(0.01)
    said = f"{_caught_at_one_percent(sample)}; the claim allows at most {percent(upper(most))}"
    place = sample.audit.test.place if sample.audit.test is not None else None
    if result.answer.state != "contradicted" or place is None:
        return f"{said}."
    if sample.at_one_percent.tpr > most:
        return f"{said}."
    return f"{said} there. The contradiction is clearest at FPR {percent(place.fpr)}."


def caught_at_one_percent(result: Result) -> str:
    """How many of 100 members the attack detects at FPR 1 %, where nothing is claimed."""
    return "" if result.sample is None else f"{_caught_at_one_percent(result.sample)}."


def _caught_at_one_percent(sample: SamplePart) -> str:
    at = sample.at_one_percent
    return (
        f"At FPR 1 % this attack catches {_of_100(at.tpr)} members, as measured "
        f"({at.true_positives} of {at.n_members})"
    )


def odds(result: Result) -> str:
    """The odds of membership after the attack that the claim allows, beside those before it."""
    prior, at = result.spec.prior, risk_at_point(result)
    before, fpr, ppv = _odds(prior / (1 - prior)), percent(at.fpr), at.ppv
    after = math.inf if ppv >= 1 else ppv / (1 - ppv)
    if math.isinf(after):
        return f"At FPR {fpr} the claim allows certainty about those who are flagged."
    return (
        f"Before the attack the odds of membership are {before}; of a record flagged at FPR {fpr} "
        f"the claim allows odds of at most {_odds(upper(after))}."
    )


def large_delta(result: Result) -> str:
    """That releasing a record in full would satisfy the delta, where it is not below 1/n."""
    sample, delta = result.sample, result.claim.delta
    if sample is None or result.spec.applies_to != "instance":
        return ""
    n = sample.at_fpr.n_members
    if delta * n < 1:
        return ""
    return (
        f"δ = {short(delta)} is not below 1/{n}: publishing one of {n} training records in full, "
        "picked at random, would satisfy it with ε = 0."
    )


def ruler(result: Result) -> str:
    """The ruler in words."""
    found = result.answer
    claimed = found.claimed
    said = ["nothing claimed" if claimed is None else f"claimed {short(upper(claimed))}"]
    if found.certified is not None:
        said.append(f"certified at least {short_above(found.certified, found.claimed or 0.0)}")
    said += [f"{name} certifies at least {short(lower(low))}" for name, low in found.attacks]
    if found.chance is not None:
        said.append(f"chance alone gives an Epsilon* of up to {short(upper(found.chance))}")
    if found.estimate is not None:
        said.append(f"Epsilon* {short(found.estimate)}, an estimate")
    if found.ceiling is not None:
        said.append(f"so many records certify at most {short(upper(found.ceiling))}")
    return f"ε at δ = {short(found.delta)}: {'; '.join(said)}."


def _certified(sample: SamplePart, subject: str, claimed: float) -> str:
    """The bound that decides about the claim, where there is one, else that at the chosen delta."""
    bound = _bound(sample)
    if bound is None:
        refused = dict(sample.audit.refused)
        said = refused.get("test")  # in the headline
        reason = refused.get("bound")
        return f"No lower bound: {reason}." if reason and reason != said else ""
    level = f"({percent(bound.confidence_level)} confidence, δ = {short(bound.delta)})"
    if bound.low <= 0:
        return f"{subject} certify no ε above 0 {level}."
    return f"{subject} show ε ≥ {at_least(bound, claimed)} for {WHOSE[bound.applies_to]} {level}."


def _bound(sample: SamplePart) -> EpsilonBound | None:
    test = sample.audit.test
    return test.bound if test is not None and test.bound is not None else sample.audit.bound


def _why(sample: SamplePart) -> str:
    reason = dict(sample.audit.refused).get("test")
    if reason:
        return reason
    most = short(upper(sample.audit.ceiling or 0.0))
    return f"with so few records even a perfect attack certifies at most ε = {most}"


def _counts(sample: SamplePart) -> str:
    at = sample.at_fpr
    return f"{at.n_members} members and {at.n_nonmembers} non-members."


def _reversed(sample: SamplePart) -> str:
    area = sample.rates.auc
    if not area.high < 0.5:
        return ""
    return f"The {_scores(sample)} look reversed (AUC {short(area.value)})."


def _scores(sample: SamplePart) -> str:
    return "losses" if sample.histogram.kind == "loss" else "scores"


def short_claim(result: Result) -> str:
    """Return the claim in few signs, where another line has the delta."""
    given = result.spec.claim
    if isinstance(given, ApproximateDP) and "epsilon" in given.parameters:
        return f"ε = {short(given.claimed_epsilon, digits=6)}"
    return name_of_claim(given)


def _converted(result: Result) -> str:
    return ", converted to replace-one" if result.claim.converted else ""


def _of_100(share: float) -> str:
    if 0 < share < 0.005:
        return "fewer than 1 of 100"
    return f"{share * 100:.0f} of 100" if share else "none of 100"


def _odds(value: float) -> str:
    return f"{short(value)} to 1" if value >= 1 else f"1 to {short(lower(1 / value))}"


def _first(text: str) -> str:
    return text if text.startswith("ε") else text[0].upper() + text[1:]


# The ruler: every epsilon of the answer on one axis.


# The y axis is in pixels of a strip: bars at the bottom, above them the label of the claim, and
# rows of other labels, which the short tick of the claim cannot cross.
HEIGHT = 100.0
CHANCE, CERTIFIED = (2.0, 8.0), (10.0, 24.0)
CLAIMED_ROW, FIRST_ROW, ROW = 36.0, 50.0, 14.0
LONGEST_NAME = 16  # letters of an attack
WIDTH = 3.5  # of the claim's tick, in pixels
ROOM = 1.08  # length of the axis over the largest number
ALONE = 1.25  # the least length where there is only a claim
FAR = 4.0  # a claim so many times as large as all else stands at the end of the axis

# Labels are placed for the narrowest picture: in a wider one they are further apart.
NARROWEST, LETTER, BESIDE = 280.0, 7.6, 12.0  # pixels: of the axis, of a letter, to a label

# With several attacks, for its place beside the answer; a label that has no row there is moved to
# where there is room, as in other pictures.
BESIDE_TEXT, LAST_ROW = 540.0, 3


@dataclass(frozen=True)
class Label:
    """A text for a place on the axis, and where it goes: a row from below, and a side."""

    text: str
    share: float  # of the length of the axis
    row: int = 0
    to_the_left: bool = False


class Ruler(Layer):
    """Lower bound, chance level, Epsilon* and ceiling, as far as they are known.

    Beside them what each compared attack certifies, by name. Only the lower bound is a filled bar
    in the colour of the attack; Epsilon*, an estimate, is an open diamond, and so is the Epsilon*
    that chance alone reaches, which says nothing of the bound.
    """

    @override
    def add_marks(self) -> None:
        self._bars = {
            "chance": self.add("chance", Area(color=theme.SHADE, opacity=0.7, outline=False)),
            "certified": self.add("certified", Area(color=theme.ATTACK, opacity=1, outline=False)),
        }
        colors = {
            "chance": theme.SELECTION,
            "certified": theme.ATTACK,
            "estimate": theme.ATTACK,
            "ceiling": theme.SELECTION,
        }
        self._ticks: dict[str, DrawnLines] = {}
        self._labels: dict[str, DrawnPoints] = {}
        lines = {name: Line(color=color, width=1) for name, color in colors.items()}
        for i, (dash, width) in enumerate(theme.ATTACKS):  # as their curves
            lines[_attack(i)] = Line(color=theme.ATTACK, dash=dash, width=width)
        for name, line in lines.items():
            self._ticks[name] = self.add(f"tick of {name}", line)
            self._labels[name] = self.add(f"label of {name}", _end_of_tick(line.color, 1))
        star = Points(color=theme.ATTACK, marker="diamond", size=70, outline=2)
        by_chance = Points(color=theme.SELECTION, marker="diamond", size=40, outline=1.5)
        self._stars = {
            "estimate": self.add("estimate", star),
            "chance": self.add("estimate by chance", by_chance),
        }

    @override
    def parts(self, result: Result) -> tuple[object, ...]:
        sample = result.sample
        if sample is None:
            return (result.claim,)
        audit = sample.audit
        computed = (audit.bound, audit.ceiling, audit.null, audit.best_of)
        return (result.claim, sample.epsilon_star, result.spec.method, *computed)

    @override
    def draw(self, result: Result) -> None:
        answer = result.answer
        end = reach(answer)
        places = {
            name: min(value, end)
            for name, value in _measured(answer).items()
            if value is not None and not math.isnan(value)
        }
        named = [Label(_text(answer, name), place / end) for name, place in places.items()]
        width = BESIDE_TEXT if answer.attacks else NARROWEST
        labels = dict(zip(places, placed(named, width), strict=True))
        for name, label in self._labels.items():
            if name not in labels:
                label.draw(NOTHING)
                self._ticks[name].draw(NOTHING)
                continue
            at = labels[name]
            y = FIRST_ROW + ROW * min(at.row, LAST_ROW)
            foot = {"estimate": sum(CERTIFIED) / 2, "certified": CERTIFIED[1]}.get(name, 0.0)
            x = places[name]
            self._ticks[name].draw(np.array([[x, foot], [x, y]]))
            label.draw(np.array([[x, y]]), texts=[at.text])
        for name, (bottom, top) in {"chance": CHANCE, "certified": CERTIFIED}.items():
            end = places.get(name, 0.0)
            self._bars[name].draw(rectangle(0.0, end, bottom, top) if end else NOTHING)
        for name, (bottom, top) in {"estimate": CERTIFIED, "chance": CHANCE}.items():
            place = [[places[name], (bottom + top) / 2]] if name in places else NOTHING
            self._stars[name].draw(np.array(place))


class ClaimedTick(Layer):
    """The axis of the ruler and the claimed epsilon on it, if anything is claimed."""

    closed_form = True

    @override
    def add_marks(self) -> None:
        self._line = self.add("line", Line(color=theme.CLAIM, width=WIDTH))
        self._label = self.add("label", _end_of_tick(theme.CLAIM, WIDTH))

    @override
    def parts(self, result: Result) -> tuple[object, ...]:
        audit = result.sample and (result.sample.audit, result.sample.epsilon_star)
        return (result.claim, result.spec.method, *(audit or ()))

    @override
    def draw(self, result: Result) -> None:
        answer = result.answer
        self.x.set_range(0.0, reach(answer))
        self.x.set_label(f"ε at δ = {short(answer.delta)}")
        if answer.claimed is None:
            self._line.draw(NOTHING)
            self._label.draw(NOTHING)
            return
        x = self.x.clamp(answer.claimed)
        self._line.draw(np.array([[x, 0.0], [x, CLAIMED_ROW]]))
        is_beyond = x < answer.claimed < math.inf
        text = f"claimed {short(upper(answer.claimed))}{' →' if is_beyond else ''}"
        self._label.draw(np.array([[x, CLAIMED_ROW]]), texts=[text])


def reach(answer: Answer) -> float:
    """The upper end of the axis: the largest number has room, but for a claim far beyond."""
    measured, claimed = answer.largest, answer.claimed or 0.0
    if not measured:
        return round_end(ALONE * claimed) if 0 < claimed < math.inf else 1.0
    return ROOM * (claimed if measured < claimed <= FAR * measured else measured)


def placed(labels: Sequence[Label], width: float = NARROWEST) -> list[Label]:
    """Give each label a side, and the lowest row in which it covers no other, from a width on.

    Nor does it cover the line from another label down to its place, if that can be avoided.
    """
    taken: list[tuple[int, float, float, float]] = []  # row; left and right end, place: in pixels
    found: dict[int, Label] = {}
    # From the right, so that a label stands above those that it would cover.
    for i in sorted(range(len(labels)), key=lambda i: -labels[i].share):
        text, x = labels[i].text, labels[i].share * width
        long = LETTER * len(text) + BESIDE
        to_the_left = x + long > width and x > width / 2
        left, right = (x - long, x) if to_the_left else (x, x + long)
        row = 0
        while any(
            (r == row and left < b and a < right) or (r >= row and left < at < right)
            for r, a, b, at in taken
        ):
            row += 1
        taken.append((row, left, right, x))
        found[i] = Label(text, labels[i].share, row, to_the_left)
    return [found[i] for i in range(len(labels))]


def _end_of_tick(color: str, width: float) -> Points:
    return Points(color=color, size=round(math.pi * width**2 / 4))


def _measured(answer: Answer) -> dict[str, float | None]:
    """The numbers by their places; several attacks need the room of the chance level."""
    return {
        "certified": answer.certified,
        "chance": None if answer.attacks else answer.chance,
        "estimate": answer.estimate,
        "ceiling": answer.ceiling,
        **{_attack(i): low or None for i, (_, low) in enumerate(answer.attacks)},
    }


def _attack(i: int) -> str:
    return f"attack {i}"


def _text(answer: Answer, name: str) -> str:
    """A bound is rounded down, what is at most upwards; an estimate says that it is one."""
    match name:
        case "certified":
            return f"certified ≥ {short_above(answer.certified or 0.0, answer.claimed or 0.0)}"
        case "chance":
            return f"chance: up to {short(upper(answer.chance or 0.0))}"
        case "estimate":
            return f"Epsilon* ≈ {short(answer.estimate or 0.0)}"
        case "ceiling":
            return f"ceiling {short(upper(answer.ceiling or 0.0))}"
        case _:
            called, low = answer.attacks[int(name.rpartition(" ")[2])]
            cut = called if len(called) <= LONGEST_NAME else f"{called[: LONGEST_NAME - 1]}…"
            return f"{cut} ≥ {short(lower(low))}"


# The answer in one look.

RULER = Scene(
    title="What is claimed, and what is certified?",
    shape="strip",
    topic="answer",
    x=AxisSpec(label="ε"),
    y=AxisSpec(label="", high=HEIGHT, visible=False),
    layers=lambda: [Ruler(), ClaimedTick()],
)


TOPIC = Topic(
    sentences={
        "answer": as_lead(answer, "answer"),
        "answer_detail": Registered(answer_detail, "answer"),
        "reading": Registered(reading, "answer", about_claim=True),
        "at_one_percent": Registered(
            at_one_percent,
            "answer",
            about_claim=True,
            without_claim=caught_at_one_percent,
        ),
        "answer_limits": Registered(answer_limits, "answer"),
        "large_delta": Registered(large_delta, "answer"),
        "best_of": of_attacks(attacks.best_of, "answer"),
        "odds": Registered(odds, "answer", about_claim=True),
    },
    scenes={
        "ruler": RULER,
    },
)
