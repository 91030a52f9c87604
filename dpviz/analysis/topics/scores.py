"""The scores: histograms of members and non-members, and a threshold that the user can drag."""

from dataclasses import dataclass, replace

import numpy as np

from dpviz.analysis.result import Result, SamplePart
from dpviz.analysis.topic import Table, TextWriter, Topic, has_scores
from dpviz.analysis.topics.tradeoff import detected_in_words
from dpviz.analysis.words import NOT_LOADED, counted
from dpviz.audit.scores.base import OrderedSample, ScoreKind, Scores, copies_phrase
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import AxisSpec, CursorLayer, SampleLayer, Scene, rectangle, theme
from dpviz.drawing.marks import NOTHING, Area, Line
from dpviz.number_format import exact, percent
from dpviz.value_object import ValueObject

BINS = 60  # of each histogram


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class HistogramPart(ValueObject):
    """The share of members and of non-members in each bin, on the original scale of the scores."""

    edges: FloatArray
    member: FloatArray
    nonmember: FloatArray
    n_beyond: int  # records below and above all edges, which the end bins hold, too
    n_infinite: int  # of these
    kind: ScoreKind
    copies: str  # how many records were left out as copies, in words; "" if none was


def histogram(scores: Scores) -> HistogramPart:
    """Return the shares of members and of non-members in 60 bins of equal width."""
    classes = member, nonmember = [
        sample.negated() if scores.kind == "loss" else sample
        for sample in (scores.members, scores.nonmembers)
    ]
    low = min(_quantile(member, 0.001), _quantile(nonmember, 0.001))
    high = max(_quantile(member, 0.999), _quantile(nonmember, 0.999))
    finite = [f for x in classes if (f := x.finite_scores).size] or [np.zeros(1)]
    low, high = max(low, min(x[0] for x in finite)), min(high, max(x[-1] for x in finite))
    # The end bins hold all scores beyond these quantiles, so outliers do not stretch the axis.
    edges = bin_edges(low, high)
    beyond = [x.count_below(edges[0]) + x.size - x.count_at_most(edges[-1]) for x in classes]
    return HistogramPart(
        edges=edges,
        member=read_only(bin_shares(member, edges)),
        nonmember=read_only(bin_shares(nonmember, edges)),
        n_beyond=int(sum(beyond)),
        n_infinite=scores.n_infinite,
        kind=scores.kind,
        copies=copies_phrase(scores) if scores.n_copies else "",
    )


def bin_edges(low: float, high: float) -> FloatArray:
    """Return the edges of 60 equal bins from `low` to `high`, with a margin if `low` = `high`."""
    if low == high:
        margin = max(0.5, 1e-6 * abs(low))
        low, high = low - margin, high + margin
    return read_only(np.linspace(low, high, BINS + 1))


def bin_shares(sample: OrderedSample, edges: FloatArray) -> FloatArray:
    """Return the share of a sample in each bin; the end bins include values outside `edges`."""
    inner = sample.count_below(edges[1:-1])
    return np.diff(np.concatenate([[0], inner, [sample.size]])) / sample.size


def _quantile(sample: OrderedSample, share: float) -> float:
    return float(sample.at_ranks(round(share * (sample.size - 1))))


def lead(sample: SamplePart, result: Result) -> str:
    """Say how many members and non-members the threshold at the selected FPR flags."""
    at = sample.at_fpr
    if at.false_positives == at.true_positives == 0:
        return f"No threshold flags anybody at FPR {percent(result.fpr)} or below."
    return (
        f"Threshold {exact(sample.threshold)}: {detected_in_words(at)} are caught, and "
        f"{at.false_positives} of {at.n_nonmembers} non-members are wrongly accused (FPR "
        f"{percent(at.fpr)})."
    )


def threshold_at_fpr_text(sample: SamplePart, result: Result) -> str:
    """Say the threshold at the selected FPR, and how many records this threshold flags."""
    at, histogram = sample.at_fpr, sample.histogram
    sign = "≤" if histogram.kind == "loss" else "≥"
    realised, requested = percent(at.fpr), percent(result.fpr)
    other = "" if realised == requested else f", requested {requested}"
    text = (
        f"The attack says “member” when the {histogram.kind} is {sign} {exact(sample.threshold)}. "
        f"It flags {at.false_positives} of {at.n_nonmembers} non-members (realised FPR "
        f"{realised}{other}) and catches {detected_in_words(at)}."
    )
    if at.false_positives == at.true_positives == 0:
        text = (
            f"Every {histogram.kind} threshold that flags a record flags more than "
            f"{percent(result.fpr)} of the {at.n_nonmembers} non-members."
        )
    if histogram.n_beyond:
        beyond = counted(histogram.n_beyond, "record")
        infinite = f", {histogram.n_infinite} of them infinite" if histogram.n_infinite else ""
        text += f" The outermost bars also contain {beyond} beyond the ends of the axis{infinite}."
    return text


def table(sample: SamplePart, result: Result) -> Table:
    """Return the confusion matrix at the selected threshold."""
    at, (members, nonmembers) = sample.at_fpr, result.naming.truth
    tp, fp = at.true_positives, at.false_positives
    counts = {"TPR": tp, "FNR": at.n_members - tp, "FPR": fp, "TNR": at.n_nonmembers - fp}
    cells = [f"{n} ({rate} {percent(getattr(at, rate.lower()))})" for rate, n in counts.items()]
    rows = [(members, *cells[:2]), (nonmembers, *cells[2:])]
    return Table(
        "Numbers of records, by class and by the attack's answer.",
        ("", *result.naming.guess),
        rows,
    )


class Histogram(SampleLayer):
    """The histograms of members and non-members."""

    of = ("sample.histogram",)
    members = Line(color=theme.MEMBER, width=1.5, steps=True, fill=0.5, label="members")
    non_members = Line(color=theme.NONMEMBER, width=1.5, steps=True, fill=0.25, label="non-members")

    def draw_sample(self, sample: SamplePart) -> None:
        part = sample.histogram
        self.x.set_range(float(part.edges[0]), float(part.edges[-1]))
        self.y.set_range(0.0, 1.05 * float(max(part.member.max(), part.nonmember.max())))
        end = "low" if part.kind == "loss" else "high"
        self.x.set_label(self.frame.naming.axis_label(f"{part.kind} ({end} = member-like)"))
        for line, shares in ((self.members, part.member), (self.non_members, part.nonmember)):
            line.draw(np.column_stack([part.edges, np.append(shares, shares[-1])]))


# The side of the threshold on which records are flagged, by kind of score.
SIDES: dict[ScoreKind, str] = {"loss": "left", "score": "right"}


class Threshold(CursorLayer, SampleLayer):
    """The threshold of the scores, which the user can drag, and the range of flagged scores."""

    of = ("sample.at_fpr", "sample.histogram")  # the histogram sets the axis

    def add_marks(self) -> None:
        side = Area(color=theme.ATTACK, opacity=0.1, outline=False)
        self._called = {
            kind: self.add(f"accused, {kind}", replace(side, label=f"{which}: called “member”"))
            for kind, which in SIDES.items()
        }
        self.add_cursor("threshold", lambda x: self.change(threshold=x), theme.ATTACK)

    def draw_sample(self, sample: SamplePart) -> None:
        threshold, x, y = sample.at_fpr.original_threshold, self.x, self.y
        end = x.low if sample.histogram.kind == "loss" else x.high
        called = rectangle(x.clamp(threshold), end, y.low, y.high)
        for kind, area in self._called.items():
            area.draw(called if kind == sample.histogram.kind else NOTHING)
        self.place_cursor(threshold)


SCORES = Scene(
    title="What does the attacker see?",
    needs="scores",
    x=AxisSpec(label="loss (low = member-like)"),
    y=AxisSpec(label="share of each class", is_rate=True),
    layers=lambda: [Histogram(), Threshold()],
)

TOPIC = Topic(
    sentences={
        "scores_lead": TextWriter(lead, "scores", "sample", NOT_LOADED, lead=True),
        "scores": TextWriter(threshold_at_fpr_text, "scores", "sample", NOT_LOADED),
    },
    tables={"counts": TextWriter(table, of="sample", when=has_scores)},
    scenes={"scores": SCORES},
)
