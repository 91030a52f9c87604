"""The scores: a histogram of both classes, the threshold, and the counts at it."""

import numpy as np

from dpviz.analysis.result import HistogramPart, Result, SamplePart
from dpviz.analysis.topic import Registered, Table, Topic, as_lead, with_scores
from dpviz.analysis.words import NOT_LOADED
from dpviz.audit import OperatingPoint
from dpviz.audit.scores.base import OrderedSample, ScoreKind, Scores
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.frame import rectangle
from dpviz.drawing.layer import SampleLayer
from dpviz.drawing.layers import CursorLayer
from dpviz.drawing.marks import NOTHING, Area, Line
from dpviz.drawing.scene import Scene
from dpviz.naming import Naming
from dpviz.number_format import exact, percent, records

BINS = 60  # of the histograms of members and of non-members


def histogram(scores: Scores) -> HistogramPart:
    """Shares per bin between the pooled 0.1 % and 99.9 % points; the end bins hold the rest."""
    member, nonmember = (
        sample.negated() if scores.kind == "loss" else sample
        for sample in (scores.members, scores.nonmembers)
    )
    low = min(_quantile(member, 0.001), _quantile(nonmember, 0.001))
    high = max(_quantile(member, 0.999), _quantile(nonmember, 0.999))
    edges = bin_edges(low, high)
    beyond = [x.below(edges[0]) + x.size - x.upto(edges[-1]) for x in (member, nonmember)]
    return HistogramPart(
        edges=edges,
        member=read_only(shares(member, edges)),
        nonmember=read_only(shares(nonmember, edges)),
        n_beyond=int(sum(beyond)),
        kind=scores.kind,
    )


def bin_edges(low: float, high: float) -> FloatArray:
    """Equal bins; a little room around data that are all equal."""
    if low == high:
        margin = max(0.5, 1e-6 * abs(low))
        low, high = low - margin, high + margin
    return read_only(np.linspace(low, high, BINS + 1))


def shares(sample: OrderedSample, edges: FloatArray) -> FloatArray:
    """Share of the sample per bin; the first and last bin take everything beyond the edges."""
    inner = sample.below(edges[1:-1])
    return np.diff(np.concatenate([[0], inner, [sample.size]])) / sample.size


def _quantile(sample: OrderedSample, share: float) -> float:
    return float(sample.at(round(share * (sample.size - 1))))


def about(result: Result) -> str:
    """The threshold of the selected FPR, on the original scale."""
    if result.sample is None:
        return "No scores loaded: choose a sample or a file."
    at, histogram = result.sample.at_fpr, result.sample.histogram
    sign = "≤" if histogram.kind == "loss" else "≥"
    if at.false_positives == 0 and at.true_positives == 0:
        text = (
            f"No {histogram.kind} threshold flags at most {percent(result.fpr)} of the "
            f"{at.n_nonmembers} non-members and anybody at all."
        )
    else:
        text = (
            f"Saying “member” when the {histogram.kind} is {sign} {exact(result.sample.threshold)} "
            f"flags {records(at.false_positives, at.n_nonmembers, 'non-members')} (realised FPR "
            f"{percent(at.fpr)}, requested {percent(result.fpr)}) and catches {caught(at)}."
        )
    if histogram.n_beyond:
        plural = "record" if histogram.n_beyond == 1 else "records"
        text += f" The outermost bars also hold {histogram.n_beyond} {plural} beyond the axis."
    return text


def caught(at: OperatingPoint) -> str:
    """Return the members that an attack detects: "5 of 300 members"."""
    return records(at.true_positives, at.n_members, "members")


def lead(result: Result) -> str:
    """The counts at the threshold of the selected FPR."""
    if result.sample is None:
        return NOT_LOADED
    at = result.sample.at_fpr
    if at.false_positives == at.true_positives == 0:
        return f"No threshold flags anybody at FPR {percent(result.fpr)} or below."
    return (
        f"Threshold {exact(result.sample.threshold)}: {caught(at)} are caught, "
        f"{at.false_positives} of {at.n_nonmembers} non-members wrongly accused (FPR "
        f"{percent(at.fpr)})."
    )


# The table of counts at the selected threshold: what holds, against what the attack says.

CAPTION = "Records at the selected threshold."


def head(naming: Naming) -> tuple[str, ...]:
    """The columns: what the attack says."""
    return ("", *naming.guess)


def table(result: Result) -> list[tuple[str, ...]]:
    """One row for the members and one for the non-members; counts, and shares of the row."""
    if result.sample is None:
        return []
    at = result.sample.at_fpr
    members, nonmembers = result.naming.truth
    missed, cleared = at.n_members - at.true_positives, at.n_nonmembers - at.false_positives
    return [
        (
            members,
            f"{at.true_positives} (TPR {percent(at.tpr)})",
            f"{missed} (FNR {percent(at.fnr)})",
        ),
        (
            nonmembers,
            f"{at.false_positives} (FPR {percent(at.fpr)})",
            f"{cleared} (TNR {percent(at.tnr)})",
        ),
    ]


# The scores themselves: a histogram of members and one of non-members.


class Histogram(SampleLayer):
    """Shares of members and non-members per bin."""

    def add_marks(self) -> None:
        self._member = self.add(
            "members",
            Line(color=theme.MEMBER, width=1.5, steps=True, fill=0.5, label="members"),
        )
        self._nonmember = self.add(
            "non-members",
            Line(color=theme.NONMEMBER, width=1.5, steps=True, fill=0.25, label="non-members"),
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.histogram,)

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.histogram
        self.x.set_range(float(part.edges[0]), float(part.edges[-1]))
        self.y.set_range(0.0, 1.05 * float(max(part.member.max(), part.nonmember.max())))
        end = "low" if part.kind == "loss" else "high"
        self.x.set_label(self.frame.naming.on_axis(f"{part.kind} ({end} = member-like)"))
        for line, shares in ((self._member, part.member), (self._nonmember, part.nonmember)):
            line.draw(np.column_stack([part.edges, np.append(shares, shares[-1])]))


# The threshold that belongs to the selected FPR.


# Of the threshold, by the kind of the scores: the label may stand on the other side.
SIDES: dict[ScoreKind, str] = {"loss": "left", "score": "right"}


class Threshold(CursorLayer, SampleLayer):
    """The threshold on the original scale of the scores, and the side of it that is called members.

    The user can drag it.
    """

    def add_marks(self) -> None:
        self._accused = {
            kind: self.add(f"accused, {kind}", _area(f"{side}: called “member”"))
            for kind, side in SIDES.items()
        }
        self.add_cursor(
            on_move=lambda x: self.change(threshold=x), label="threshold", color=theme.ATTACK
        )

    def sample_parts(self, sample: SamplePart) -> tuple[object, ...]:
        return (sample.at_fpr, sample.histogram)  # the histogram sets the axis

    def draw_sample(self, sample: SamplePart) -> None:
        threshold, x, y = sample.at_fpr.threshold_in_unit, self.x, self.y
        end = x.low if sample.histogram.kind == "loss" else x.high
        shown = rectangle(x.clamp(threshold), end, y.low, y.high)
        for kind, area in self._accused.items():
            area.draw(shown if kind == sample.histogram.kind else NOTHING)
        self.place_cursor(threshold)


def _area(label: str) -> Area:
    return Area(color=theme.ATTACK, opacity=0.1, outline=False, label=label)


SCORES = Scene(
    title="What does the attacker see?",
    topic="scores",
    needs="scores",
    x=AxisSpec(label="loss (low = member-like)"),
    y=AxisSpec(label="share of each class", is_rate=True),
    layers=lambda: [Histogram(), Threshold()],
)


TOPIC = Topic(
    sentences={
        "scores_lead": as_lead(lead, "scores"),
        "scores": Registered(about, "scores"),
    },
    tables={
        "counts": Registered(lambda r: Table(CAPTION, head(r.naming), table(r)), when=with_scores),
    },
    scenes={
        "scores": SCORES,
    },
)
