"""How many of 100 members, of 100 non-members and of 10 000 people an attack flags.

Expected numbers are rounded to whole people. For the best attack that a claim allows, members and
detected members are rounded down, flagged non-members up, so that no picture shows more than the
claim allows. A measured attack's numbers are rounded to the nearest; nobody and everybody are shown
only for rates of exactly 0 and 1. Redraws simulate other samples of the same size.
"""

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.words import WORDS, counted
from dpviz.checks import FloatArray
from dpviz.drawing import AxisSpec, Layer, Scene, theme
from dpviz.drawing.marks import NOTHING, Area, DrawnLines, DrawnPoints, Points, Segments
from dpviz.number_format import percent, short, upper
from dpviz.theory import TradeoffFunction

PER_CLASS = 100  # dots of members, and dots of non-members
LARGE_CROWD = 10_000  # people, of whom the prior says how many are members
ROUNDING_SLACK = 1e-12  # relative error: 3.0000000000000004 is not rounded up to 4


@dataclass(frozen=True)
class ConfusionCounts:
    """Numbers of members (`detected`) and non-members (`flagged`) that an attack calls "member"."""

    members: int
    nonmembers: int
    detected: int
    flagged: int
    required: int  # members that any attack with this FPR must miss under the claim

    @property
    def missed(self) -> int:
        """The number of members that are called "non-member"."""
        return self.members - self.detected

    @property
    def cleared(self) -> int:
        """The number of non-members that are called "non-member"."""
        return self.nonmembers - self.flagged

    @property
    def n_called_member(self) -> int:
        """The number of people who are called "member"."""
        return self.detected + self.flagged


@dataclass(frozen=True, kw_only=True)
class PeoplePart:
    """Numbers of people flagged by the measured attack, or by the best attack under the claim."""

    fpr: float
    tpr: float
    is_measured: bool
    hundreds: ConfusionCounts  # among 100 members and 100 non-members
    population: ConfusionCounts  # among 10 000 people, with the prior as the share of members


def people_part(
    claim: TradeoffFunction, fpr: float, fnr: float | None = None, *, prior: float
) -> PeoplePart:
    """Return counts of people flagged by the attack (the best under the claim if `fnr` is None)."""
    allowed = claim.tpr(fpr)
    tpr = allowed if fnr is None else 1 - fnr
    members = rounded_down(prior * LARGE_CROWD)

    def rounded_counts(members: int, nonmembers: int) -> ConfusionCounts:
        detected, flagged = rounded_down(tpr * members), rounded_up(fpr * nonmembers)
        if fnr is not None:
            detected, flagged = nearest_count(tpr, members), nearest_count(fpr, nonmembers)
        elif tpr * members + fpr * nonmembers < 1:  # on average less than one person is flagged
            detected = flagged = 0
        required = members - rounded_up(allowed * members)
        return ConfusionCounts(members, nonmembers, detected, flagged, required)

    return PeoplePart(
        fpr=fpr,
        tpr=tpr,
        is_measured=fnr is not None,
        hundreds=rounded_counts(PER_CLASS, PER_CLASS),
        population=rounded_counts(members, LARGE_CROWD - members),
    )


@dataclass(frozen=True, kw_only=True)
class RepeatedAuditsPart:
    """The results of simulated repetitions of an audit with the measured FPR and TPR."""

    people: PeoplePart
    n_members: int
    n_nonmembers: int
    draws: int = 0
    crowd: ConfusionCounts  # of the last repetition, per 100 members and 100 non-members
    detected: tuple[int, int]  # smallest and largest so far, the measured one included
    flagged: tuple[int, int]

    @classmethod
    def of(cls, people: PeoplePart, *, n_members: int, n_nonmembers: int) -> Self:
        """Return results for no repetitions, with the measured attack's counts per 100 records."""
        crowd = people.hundreds
        return cls(
            people=people,
            n_members=n_members,
            n_nonmembers=n_nonmembers,
            crowd=crowd,
            detected=(crowd.detected,) * 2,
            flagged=(crowd.flagged,) * 2,
        )

    def with_repetitions(self, rng: np.random.Generator, draws: int) -> Self:
        """Return the results after `draws` (at least 1) further repetitions."""
        detected = _random_flags_per_100(rng, self.n_members, self.people.tpr, draws)
        flagged = _random_flags_per_100(rng, self.n_nonmembers, self.people.fpr, draws)
        return replace(
            self,
            draws=self.draws + draws,
            crowd=replace(self.crowd, detected=detected[-1], flagged=flagged[-1]),
            detected=(min(*detected, self.detected[0]), max(*detected, self.detected[1])),
            flagged=(min(*flagged, self.flagged[0]), max(*flagged, self.flagged[1])),
        )


def _random_flags_per_100(rng: np.random.Generator, n: int, rate: float, draws: int) -> list[int]:
    """Simulate `draws` audits of `n` records; return the number flagged per 100 in each audit."""
    counts, times = np.unique(rng.binomial(n, rate, draws), return_inverse=True)
    hundreds = np.array([nearest_count(count / n, PER_CLASS) for count in counts.tolist()])
    return list(map(int, hundreds[times]))


def rounded_down(people: float) -> int:
    """Return an expected number of people rounded down, with a tolerance for float errors."""
    return math.floor(people * (1 + ROUNDING_SLACK))


def rounded_up(people: float) -> int:
    """Return an expected number of people rounded up, with a tolerance for float errors."""
    return math.ceil(people * (1 - ROUNDING_SLACK))


def nearest_count(rate: float, n: int) -> int:
    """Return rate * n rounded to the nearest integer, but within 1 to n - 1 if 0 < rate < 1."""
    if rate in (0, 1):
        return round(rate * n)
    return min(max(_rounded_half_up(rate * n), min(1, n)), max(n - 1, 0))


def _rounded_half_up(people: float) -> int:
    return math.floor(people + 0.5)


def people_sentence(result: Result) -> str:
    """Say how many of 100 members are detected, and how many of 100 non-members are flagged."""
    part = result.people
    if not (part.is_measured or result.is_claimed):
        return WORDS["no_claim"]
    if not part.is_measured:
        return WORDS["people.claim"].format(
            flagged=short(PER_CLASS * part.fpr), detected=short(upper(PER_CLASS * part.tpr))
        )
    allowed = PER_CLASS - part.hundreds.required
    return WORDS["people.attack" if result.is_claimed else "people.measured"].format(
        detected=_rounded_per_100(part.tpr), flagged=_rounded_per_100(part.fpr), allowed=allowed
    )


def population_sentence(result: Result) -> str:
    """Say how many of the people called "member" are members: the PPV as a count."""
    part, crowd = result.people, result.people.population
    if not (part.is_measured or result.is_claimed):
        return WORDS["no_claim"]
    case = "attack" if part.is_measured else "claim"
    if 0 in (crowd.n_called_member, crowd.members):
        case = "few" if crowd.members == 0 else "none"
    called, prior = counted(crowd.n_called_member, "person", "people"), percent(result.spec.prior)
    return WORDS[f"population.{case}"].format(**vars(crowd), called=called, prior=prior)


def population_counts_sentence(result: Result) -> str:
    """Say how many of 10 000 people are detected, missed, wrongly flagged and cleared."""
    crowd, prior = result.people.population, percent(result.spec.prior)
    others = {"missed": crowd.missed, "cleared": crowd.cleared, "prior": prior}
    return WORDS["population.counts"].format(**vars(crowd), **others)


RINGS = "Rings mark members that even the best attack under the claim misses, on average."


def rounding_sentence(result: Result) -> str:
    """Say how expected numbers are rounded to whole people."""
    if result.people.is_measured:
        return (
            "The measured rates of this attack (estimates) are rounded to whole people. The "
            f"picture shows 0 or 100 only for rates of exactly 0 % or 100 %. {RINGS}"
        )
    return (
        "The picture shows the average result of the best attack that the claim allows, in whole "
        "people. The number of detected members is rounded down, the number of flagged non-members "
        f"up. So the picture never shows more than the claim allows. {RINGS}"
    )


def repeated_audits_sentence(part: RepeatedAuditsPart) -> str:
    """Say the counts of the last simulated audit, and the ranges over all simulated audits."""
    crowd = part.crowd
    if part.draws == 0:
        return (
            "Another audit would use other records. Each redraw simulates an audit of the same "
            "size with the measured rates."
        )
    return (
        f"Redraw {part.draws}: {crowd.detected} of 100 members and {crowd.flagged} of 100 "
        f"non-members are called “member”. All redraws so far: {_range_in_words(part.detected)} "
        f"members and {_range_in_words(part.flagged)} non-members."
    )


def about_repeated_audits_sentence(part: RepeatedAuditsPart) -> str:
    """Say how audits are simulated, and that the range is no confidence interval."""
    return (
        f"A redraw is a hypothetical audit of {part.n_members} members and {part.n_nonmembers} "
        "non-members, drawn independently with the measured rates at the same threshold. It shows "
        "how much chance alone changes the rates. The range of redraws is not a confidence "
        "interval."
    )


def _range_in_words(low_and_high: tuple[int, int]) -> str:
    low, high = low_and_high
    return str(low) if low == high else f"{low} to {high}"


def _rounded_per_100(rate: float) -> str:
    """Return 100 * rate, rounded, as text: "6", "about 6" or "fewer than 1"."""
    rounded, plain = nearest_count(rate, PER_CLASS), _rounded_half_up(rate * PER_CLASS)
    if rounded_down(rate * PER_CLASS) >= rounded_up(rate * PER_CLASS):
        return str(rounded)
    how = "about" if plain == rounded else "fewer than" if plain < rounded else "more than"
    return f"{how} {rounded}"


# Both pictures are square. Dots and cells fill rows from the upper left; a legend is below.
DOTS_X = AxisSpec(label="", low=-1.3, high=21.3, visible=False)
DOTS_Y = AxisSpec(label="", low=-9.2, high=13.4, visible=False)
CELLS_X = AxisSpec(label="", low=-62, high=163, visible=False)
CELLS_Y = AxisSpec(label="", low=-124, high=101, visible=False)

DOTS_PER_ROW = 10
NONMEMBERS_X = 11.0  # x of the first non-member
CELLS_PER_ROW = 100
CELLS_PER_BLOCK = 10  # cells between two grid lines
# A dot of a flagged person covers the outline drawn for everyone.
DOT_SIZE, CALLED_SIZE, RING_SIZE, KEY_SIZE = 75, 100, 95, 90
HEADING = 12.2  # y of the names of both classes
DOT_ROWS = {"called": -1.6, "others": -4.6, "required": -7.6}  # y of a legend, two lines each
KEY_ROWS = (-20, -49, -79, -108)  # y of the legend of 10 000 people, two lines each

LOOKS = (
    ("cleared", theme.NONMEMBER, 0.25),
    ("missed", theme.MEMBER, 0.75),
    ("called detected", theme.ATTACK, 1.0),
    ("called flagged", theme.ATTACK, 0.45),
    ("allowed detected", theme.CLAIM, 1.0),
    ("allowed flagged", theme.CLAIM, 0.45),
)  # "called" for the measured attack, "allowed" for the best attack that the claim allows

# Which of the two prefixes is drawn and which is hidden, by whether an attack was measured.
DRAWN_AND_HIDDEN = (("allowed", "called"), ("called", "allowed"))


class PeopleDots(Layer):
    """Dots of 100 members and 100 non-members, marked if flagged or if missed by every attack."""

    of: tuple[str, ...] = ("people", "claim")
    closed_form = True

    def add_marks(self) -> None:
        self._heads = self.frame.add(Points(color=theme.MEMBER, size=1, opacity=0))
        self._everyone = self.frame.add(Points(color=theme.NONMEMBER, size=DOT_SIZE, outline=1.5))
        self._by_source = {
            "called": self.add("called", Points(color=theme.ATTACK, size=CALLED_SIZE)),
            "allowed": self.add("allowed", Points(color=theme.CLAIM, size=CALLED_SIZE)),
        }
        ring = Points(color=theme.CLAIM, size=RING_SIZE, outline=2.5)
        self._required = self.add("required", ring)

    def draw(self, result: Result) -> None:
        crowd, is_measured = result.people.hundreds, result.people.is_measured
        self.draw_members_and_nonmembers()
        if is_measured or result.is_claimed:
            self.draw_flagged(crowd, is_measured=is_measured)
        else:
            self._by_source["allowed"].hide()
        if result.is_claimed:
            missed = dot_xy(PER_CLASS - crowd.required, PER_CLASS, 0)
            self._draw_dots_with_legend(self._required, missed, "required", required=crowd.required)
        else:
            self._required.hide()

    def draw_members_and_nonmembers(self) -> None:
        """Draw the dots of members and of non-members, with headings."""
        heads = [f"{PER_CLASS} members", f"{PER_CLASS} non-members"]
        places = np.array([[-1.2, HEADING], [NONMEMBERS_X - 1.2, HEADING]])
        self._heads.draw(places, texts=[*map(self.frame.naming.axis_label, heads)])
        everyone = np.vstack([dot_xy(0, PER_CLASS, 0), dot_xy(0, PER_CLASS, NONMEMBERS_X)])
        self._draw_dots_with_legend(self._everyone, everyone, "others")

    def draw_flagged(self, counts: ConfusionCounts, *, is_measured: bool) -> None:
        """Draw people flagged by the measured attack, or by the best attack under the claim."""
        whose, other = DRAWN_AND_HIDDEN[is_measured]
        self._by_source[other].hide()
        called = np.vstack([dot_xy(0, counts.detected, 0), dot_xy(0, counts.flagged, NONMEMBERS_X)])
        self._draw_dots_with_legend(self._by_source[whose], called, whose)

    def _draw_dots_with_legend(
        self, mark: DrawnPoints, dots: FloatArray, legend_key: str, **counts_in_legend: int
    ) -> None:
        row = DOT_ROWS["called" if legend_key in self._by_source else legend_key]
        text = self.frame.naming.renamed(WORDS[f"people.{legend_key}"]).format(**counts_in_legend)
        mark.draw(np.vstack([[0.0, row], dots]), texts=[text, *[""] * len(dots)])


class SimulatedAuditDots(PeopleDots):
    """Dots of 100 members and 100 non-members, which show the last simulated audit."""

    of = ("answers.redraws",)
    closed_form = False

    def draw(self, result: Result) -> None:
        self.draw_members_and_nonmembers()
        self.draw_flagged(result.answers["redraws"].crowd, is_measured=True)
        self._required.hide()


class PopulationCells(Layer):
    """10 000 cells, one per person, grouped into missed, detected, flagged and cleared people."""

    of = ("people", "claim")
    closed_form = True

    def add_marks(self) -> None:
        self._marks_of: dict[str, tuple[DrawnLines, DrawnPoints]] = {}
        for name, color, opacity in LOOKS:
            area = Area(color=color, opacity=opacity, outline=False)
            key = Points(color=color, opacity=opacity, size=KEY_SIZE)
            self._marks_of[name] = self.add(name, area), self.add(f"{name} key", key)
        guides = np.arange(0, CELLS_PER_ROW + 1, CELLS_PER_BLOCK, dtype=float)
        low, high = np.zeros_like(guides), np.full_like(guides, CELLS_PER_ROW)
        # Exchanging both coordinates turns vertical lines to horizontal ones.
        upright = np.stack([np.column_stack([guides, end]) for end in (low, high)], axis=1)
        grid = np.vstack([upright, upright[..., ::-1]])
        self.frame.add(Segments(color=theme.SHADE, width=0.5)).draw(grid)

    def draw(self, result: Result) -> None:
        if not (result.people.is_measured or result.is_claimed):
            self.hide()
            return
        crowd = result.people.population
        whose, other = DRAWN_AND_HIDDEN[result.people.is_measured]
        for mark in (*self._marks_of[f"{other} detected"], *self._marks_of[f"{other} flagged"]):
            mark.hide()
        first = 0
        for i, role in enumerate(("missed", "detected", "flagged", "cleared")):
            name = role if role in self._marks_of else f"{whose} {role}"
            count, (area, key) = getattr(crowd, role), self._marks_of[name]
            area.draw(cells_outline(first, first + count))
            text = self.frame.naming.renamed(WORDS[f"people.{role}"]).format(**{role: count})
            key.draw(np.array([[0.0, KEY_ROWS[i]]]), texts=[text])
            first += count


def dot_xy(start: int, stop: int, left_x: float) -> FloatArray:
    """Return the (x, y) of dots `start` to `stop` - 1, in rows of 10 that begin at x = `left_x`."""
    rows, columns = np.divmod(np.arange(start, stop), DOTS_PER_ROW)
    return np.column_stack([left_x + columns, DOTS_PER_ROW - rows]).astype(float)


def cells_outline(start: int, stop: int) -> FloatArray:
    """Return the outline of cells `start` to `stop` - 1, numbered in rows of 100 from the top."""
    if start == stop:
        return NOTHING
    # Row and column of the first and of the last cell; both rows may be incomplete.
    (top, left), (bottom, right) = divmod(start, CELLS_PER_ROW), divmod(stop - 1, CELLS_PER_ROW)
    right += 1
    x = [left, CELLS_PER_ROW, CELLS_PER_ROW, right, right, 0, 0, left]
    y = [top, top, bottom, bottom, bottom + 1, bottom + 1, top + 1, top + 1]
    return np.column_stack([x, CELLS_PER_ROW - np.array(y)]).astype(float)


PEOPLE = Scene(
    title="How many people are flagged?",
    topic="people",
    shape="square",
    x=DOTS_X,
    y=DOTS_Y,
    layers=lambda: [PeopleDots()],
)

REDRAWS = replace(
    PEOPLE,
    title="What would another audit show?",
    topic="redraws",
    needs="redraws",
    layers=lambda: [SimulatedAuditDots()],
)

POPULATION = replace(
    PEOPLE,
    title="Who are the people called “member”?",
    topic="population",
    x=CELLS_X,
    y=CELLS_Y,
    layers=lambda: [PopulationCells()],
)

TOPIC = Topic(
    sentences={
        "people": TextWriter(
            people_sentence, "people", lead=True, about_claim=True, without_claim=True
        ),
        "people_rounding": TextWriter(rounding_sentence, "people", about_claim=True),
        "redraws": TextWriter(repeated_audits_sentence, "redraws", "answers.redraws", lead=True),
        "about_redraws": TextWriter(about_repeated_audits_sentence, "redraws", "answers.redraws"),
        "population": TextWriter(
            population_sentence, "population", lead=True, about_claim=True, without_claim=True
        ),
        "population_counts": TextWriter(population_counts_sentence, "population", about_claim=True),
    },
    scenes={"people": PEOPLE, "population": POPULATION, "redraws": REDRAWS},
)
