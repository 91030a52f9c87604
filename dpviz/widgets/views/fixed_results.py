"""Figures without a store: certificates, trade-off curves of a family, capital won by bets."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from dpviz import audit, checks
from dpviz.analysis.svg import SvgPicture, as_png, page
from dpviz.analysis.topics import certificate
from dpviz.analysis.topics.claim import short_name
from dpviz.audit import Stream
from dpviz.audit.bounds import Certificate
from dpviz.audit.bounds.result import INDEPENDENT, largest_refuted_epsilon
from dpviz.audit.evidence import CanaryCheckpoints, Checkpoints, ConditionalParameterBound
from dpviz.audit.scores.base import Scores
from dpviz.checks import FloatArray
from dpviz.drawing import theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.frame import Frame
from dpviz.drawing.layers import FNR_AXIS, FPR_AXIS, abbreviated
from dpviz.drawing.marks import Line, Points
from dpviz.drawing.scene import WIDEST_SQUARE, Scene, Shape
from dpviz.drawing.svg import SvgFrame
from dpviz.number_format import lower, percent, short, upper
from dpviz.pictures.page import css_hiding_static, static_bundle
from dpviz.replace_file import replace_file
from dpviz.widgets.base import notebook_output as notebook
from dpviz.widgets.base.html import CSS, Html, css_widget, div, fold, heading_html
from dpviz.widgets.views.figure_view import WHY_LINE

CURVE_POINTS = 7  # points of the curve
CURVE_OVERHANG = 1.6  # where the curve ends, in distances of the published number from chance
FREE_SHARE = 0.15  # share of the range of numbers that is left free above and below
LEAST_RANGE_SHARE = 0.2  # least range of which this share is taken, relative to the largest number
FAMILIES = {"gaussian": "Gaussian", "laplace": "Laplace"}
ATTACK_POINTS = 250  # points of the attack's curve
MARKER_FPRS = np.linspace(0.05, 0.95, 10)  # FPRs of the hollow markers
FAMILY_DETAILS = (
    "The family is an assumption, so its curve has hollow marks. Its parameters are fixed before "
    "anybody sees the scores, and tested in ascending order. The last refuted parameter is the "
    "bound. The statement on curves that fit is separate. It is about the true curve of this "
    f"attack, and has the same confidence. Assumed: {INDEPENDENT}."
)
MOST_POINTS = 400  # points of a line
MOST_NAMES = 6  # checkpoints that the sentence lists
LONGEST_NAME = 16  # letters of the name of a checkpoint
HEADROOM = 1.1  # height of the axis, in largest values

SequentialTest = Stream | Checkpoints | CanaryCheckpoints


@dataclass(frozen=True, eq=False)
class LineOrMarkers:
    """A line or markers with a style and one row in the legend."""

    label: str  # HTML
    places: FloatArray  # shape (k, 2); those that are not finite are left out
    color: str
    spread: FloatArray | None = None  # half the length of vertical whiskers, where finite
    dash: theme.Dash | None = "solid"  # None: no line
    width: float = 2
    marker: str | None = None  # at every place
    outline: float = 0  # of markers that are not filled, its width

    @property
    def finite_points(self) -> FloatArray:
        """The points (x, y) with finite coordinates, shape (k, 2)."""
        return self.places[np.isfinite(self.places).all(axis=1)]

    @property
    def error_bars(self) -> FloatArray:
        """The finite error bars, shape (k, 2, 2): bar, lower or upper end, coordinate x or y."""
        if self.spread is None:
            return np.empty((0, 2, 2))
        x, y = self.places.T
        ends = np.array([[x, y - self.spread], [x, y + self.spread]]).transpose(2, 0, 1)
        return np.asarray(ends[np.isfinite(ends).all(axis=(1, 2))])


class FixedView(ipywidgets.VBox):
    """A figure of lines and markers, `series`, that does not depend on a store."""

    def __init__(
        self,
        *,
        title: str,
        sentence: str,
        x: AxisSpec,
        y: AxisSpec,
        series: Sequence[LineOrMarkers],
        shape: Shape = "wide",
        details: str = "",
        names: Sequence[str] = (),
    ) -> None:
        from dpviz.widgets.plot_frame import PlotFrame  # slow to import: bqplot, with pandas

        self.scene, self.sentence = Scene(title=title, x=x, y=y, shape=shape, layers=list), sentence
        self.frame, self.series = PlotFrame(self.scene), tuple(series)
        self.names = tuple(names)
        self._draw(self.frame)
        said, why = (Html(div("dpviz-sentence", text)) for text in (sentence, details))
        self._said = said
        head = [css_widget(CSS), Html(heading_html(title)), Html(self.frame.legend_html())]
        folded = fold(WHY_LINE, [why], is_hidden=not details)
        widest = f"{WIDEST_SQUARE}px" if shape == "square" else None
        layout = ipywidgets.Layout(min_width="0", max_width=widest, overflow="hidden")
        super().__init__(layout=layout)
        hiding = css_widget(css_hiding_static(self.model_id))  # the static picture
        self.children = [hiding, *head, self.frame.figure, said, folded]
        self.add_class("dpviz")
        self.add_class(f"dpviz-{type(self).__name__}")

    def _redraw(
        self,
        *,
        sentence: str,
        x: AxisSpec,
        y: AxisSpec,
        series: Sequence[LineOrMarkers],
        names: Sequence[str] = (),
        **_: object,
    ) -> None:
        """Replace the sentence, the ranges of the axes and all lines and markers."""
        self.scene, self.sentence = replace(self.scene, x=x, y=y), sentence
        self.series, self.names = tuple(series), tuple(names)
        old = self.frame.clear()
        self.frame.x.set_range(x.low, x.high)
        self.frame.y.set_range(y.low, y.high)
        self._draw(self.frame)
        self._said.value = div("dpviz-sentence", sentence)
        for mark in old:  # the figure shows the new ones
            mark.close()

    def svg(self, prefix: str = "") -> str:
        """Return the picture as an SVG document, whose ids begin with `prefix`."""
        frame = SvgFrame(self.scene, f"{prefix}fixed")
        self._draw(frame)
        return page([SvgPicture(frame, self.scene.title, [self.sentence])])

    def save_svg(self, path: str | Path) -> None:
        """Write the picture to an SVG file; an existing file is replaced."""
        replace_file(path, self.svg().encode(), ".svg")

    def save_png(self, path: str | Path, scale: float = 2) -> None:
        """Write the picture to a PNG file; see :meth:`dpviz.widgets.base.view.View.save_png`."""
        checks.real("scale", scale, 0, 10, closed="right")
        replace_file(path, as_png(self.svg(), scale=scale), ".png")

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentence}"

    def _ipython_display_(self) -> None:
        """Show the widget, then its static picture."""
        bundle = {**self._repr_mimebundle_(), "text/plain": f"{self.scene.title}\n{self.sentence}"}
        if notebook.show_widget(self, bundle):
            svg, alt = self.svg(f"still-{self.model_id[:8]}-"), bundle["text/plain"]
            still = static_bundle(self.model_id, headline=[self.sentence], svg=svg, alt=alt)
            notebook.show(still, raw=True)

    def _draw(self, frame: Frame) -> None:
        for series in self.series:
            color, label = series.color, series.label
            for whisker in series.error_bars:
                frame.add(Line(color=color, width=1.5)).draw(whisker)
            if series.dash is not None:
                line = Line(color=color, dash=series.dash, width=series.width, label=label)
                frame.add(line).draw(series.finite_points)
                label = ""  # one row in the legend
            if series.marker is not None:
                marker, edge = series.marker, series.outline
                points = Points(color=color, marker=marker, size=45, outline=edge, label=label)
                frame.add(points).draw(series.finite_points)
        if self.names:
            frame.x.set_bar_names(self.names, left_end=0)


class CertificateView(FixedView):
    """The epsilon that a published number, such as an AUC, certifies with given class sizes.

    The curve shows, for each epsilon, the smallest published number that refutes it; at epsilon 0
    this is the smallest number that chance, with the claim's delta, does not explain.

    Examples
    --------
    >>> from dpviz import audit
    >>> from dpviz.widgets import CertificateView
    >>> found = audit.certify(auc="0.60", n_members=500, n_nonmembers=500)
    >>> CertificateView(found).sentence
    'AUC 0.60 (read as 0.595 or more) on 500 members and 500 non-members certifies ε ≥ 0.239 ...'
    """

    def __init__(self, found: Certificate) -> None:
        if not isinstance(found, Certificate):
            raise TypeError(f"found must be a Certificate, got {type(found).__name__}")
        what, level = certificate.NAMES[found.statistic], percent(found.confidence_level)
        allowed = _smallest_refuting_number_by_epsilon(found)
        chance, used = allowed[0, 1], found.count / found.law.total
        shown = np.append(allowed[:, 1], [found.least, found.most])
        free = FREE_SHARE * max(float(np.ptp(shown)), LEAST_RANGE_SHARE * shown.max())
        bottom, top = max(0.0, shown.min() - free), min(1.02, shown.max() + free)
        end = max(float(allowed[-1, 0]), 0.1)
        is_rate = found.statistic in certificate.RATES
        text = percent if is_rate else short
        published = f"published: {found.published}"
        if certificate.is_rounded(found):
            published += f", read as {certificate.smallest_unrounded_text(found)} or more"
        unproven = "chance alone" if found.delta == 0 else "chance and δ"
        # A published number is an interval, as it was rounded: a rectangle.
        corners = [(0, found.least), (end, found.least), (end, found.most), (0, found.most)]
        below = f"{unproven}: below {text(upper(chance))} ({level})"
        series = [
            LineOrMarkers(f"limit for each ε ({level})", allowed, theme.CLAIM),
            LineOrMarkers(below, allowed[:1], theme.SELECTION, dash=None, marker="diamond"),
            LineOrMarkers(published, np.array(corners), theme.ATTACK),
        ]
        if found.low > 0:
            line = np.array([[found.low, used], [found.low, bottom]])
            label = f"certified: ε ≥ {short(lower(found.low))}"
            series.append(LineOrMarkers(label, line, theme.LIMIT, dash="dashed", marker="circle"))
        label = f"{what} at {found.place}" if found.place else what
        super().__init__(
            title=f"What does this {what} prove?",
            sentence=certificate.certificate_sentence(found),
            details=certificate.assumptions_sentence(found),
            x=AxisSpec(label="ε", high=end),
            y=AxisSpec(label=label, low=bottom, high=top, is_rate=is_rate),
            series=series,
        )


def _smallest_refuting_number_by_epsilon(found: Certificate) -> FloatArray:
    """Return rows (epsilon, smallest published number that refutes this epsilon), ascending."""
    law, chance, most = found.law, found.law.least_count_refuting_zero, found.law.largest_count
    of_chance = chance / law.total
    if chance >= most:
        return np.array([[0.0, of_chance], [1.0, of_chance]])
    beyond = CURVE_OVERHANG * (found.count - chance) if found.low > 0 else (most - chance) / 2
    last = min(most, chance + beyond)
    # Larger numbers refute larger epsilons, so each search starts where the last one ended.
    places, epsilon = [(0.0, of_chance)], 0.0
    records = law.n_members + law.n_nonmembers
    for count in np.linspace(chance, last, CURVE_POINTS)[1:].astype(np.int64).tolist():
        epsilon = largest_refuted_epsilon(
            law.tail_chance_by_epsilon(count), law.level, near=epsilon, records=records
        )
        places.append((epsilon, count / law.total))
    if found.low > 0:
        places.append((found.low, found.count / law.total))
    return np.array(sorted(places))


class FamilyView(FixedView):
    """A family's curve at the lower confidence limit of its parameter, and the attack's curve.

    Hollow markers show that this curve holds only if the mechanism is of the family. A sentence
    says which curves of the family lie within the attack's confidence band. `bound` is that of
    `audit.smallest` with these scores; ValueError if it is of other numbers of records.

    Examples
    --------
    >>> from dpviz import AttackScores, audit
    >>> from dpviz.widgets import FamilyView
    >>> scores = AttackScores(member=range(50, 150), nonmember=range(100))
    >>> bound = audit.smallest("gaussian", scores, parameters=[0.5, 1, 2, 4])
    >>> FamilyView(scores, bound).sentence.partition(".")[0]
    'If the mechanism is of the Gaussian family, it has μ ≥ 1 (95 % confidence)'
    """

    def __init__(self, scores: Scores, bound: ConditionalParameterBound) -> None:
        if not isinstance(bound, ConditionalParameterBound):
            kind = type(bound).__name__
            raise TypeError(f"bound must be a ConditionalParameterBound, got {kind}")
        sizes = (scores.n_members, scores.n_nonmembers)
        if sizes != (bound.n_members, bound.n_nonmembers):
            raise ValueError(
                f"bound must be of {sizes[0]} members and {sizes[1]} non-members, like the scores, "
                f"got {bound.n_members} and {bound.n_nonmembers}"
            )
        curve = audit.AttackCurve.from_scores(scores)
        band = audit.curve_band(curve, confidence_level=bound.confidence_level)
        kept = np.unique(np.linspace(0, curve.fpr.size - 1, ATTACK_POINTS).astype(int))
        around = np.vstack([band.upper, band.lower[::-1]])
        attack = np.column_stack([curve.fpr[kept], 1 - curve.tpr[kept]])
        label = f"{percent(bound.confidence_level)} band of this attack"
        series = [
            LineOrMarkers(label, around, theme.LIMIT, width=1),
            LineOrMarkers("this attack (estimate)", attack, theme.ATTACK),
        ]
        # The curve at the lower confidence limit of the parameter: dashed, with hollow markers.
        if bound.guarantee is not None:
            fpr = np.unique(np.concatenate([np.linspace(0, 1, 201), np.geomspace(1e-4, 0.1, 30)]))
            places = np.column_stack([fpr, bound.guarantee.beta(fpr)])
            marks = np.column_stack([MARKER_FPRS, bound.guarantee.beta(MARKER_FPRS)])
            label = f"if of this family: {_parameter_bound_text(bound)}"
            series += [
                LineOrMarkers(label, places, theme.CLAIM, dash="dashed", width=1.5),
                LineOrMarkers("", marks, theme.CLAIM, dash=None, marker="circle", outline=1.5),
            ]
        super().__init__(
            title="Which curve of the family fits the attack?",
            sentence=_family_sentence(bound),
            details=FAMILY_DETAILS,
            x=FPR_AXIS,
            y=FNR_AXIS,
            series=series,
            shape="square",
        )


def _family_sentence(bound: ConditionalParameterBound) -> str:
    """Return sentences on the parameter's lower limit, and on curves in the confidence band."""
    level = percent(bound.confidence_level)
    subject = f"If the mechanism is of the {FAMILIES.get(bound.family, bound.family)} family"
    first = f"{subject}, nothing follows: no tested parameter is refuted."
    if bound.guarantee is not None:
        first = f"{subject}, it has {_parameter_bound_text(bound)} ({level} confidence)."
    low, high = bound.between
    if not bound.fits:
        none = f"No curve of this family fits the {level} band"
        if low < high:
            none = (
                f"Curves that fit the {level} band have {bound.parameter} below "
                f"{short(upper(high))}, so no curve meets both conditions "
                f"({percent(bound.misfit_confidence)} confidence)"
            )
        return f"{first} {none}: the mechanism is of another family, or better attacks exist."
    ends = [f"above {short(lower(low))}"] if low > 0 else []
    ends += [f"below {short(upper(high))}"] if isfinite(high) else []
    which = f"The curves with {bound.parameter} {' and '.join(ends)}" if ends else "All its curves"
    return f"{first} {which} fit the {level} band."


def _parameter_bound_text(bound: ConditionalParameterBound) -> str:
    return f"{bound.parameter} ≥ {short(lower(bound.low))}"


class WealthView(FixedView):
    """The capital of a bettor against a claim, during one training.

    A dashed line marks the capital that refutes the claim. If the claim is true, the capital
    reaches the dashed line at any time with probability at most ``1 - confidence_level``. Capitals
    of checkpoints, whose lines differ, are scaled to one line. A test by canaries has no capital:
    its picture has the lower bound on epsilon at each checkpoint, and the claimed epsilon.

    Examples
    --------
    >>> import numpy as np
    >>> from dpviz import audit, theory
    >>> from dpviz.widgets import WealthView
    >>> stream, rng = audit.Stream(theory.PureDP(epsilon=1)), np.random.default_rng(1)
    >>> for _ in range(5):
    ...     _ = stream.update(member=rng.normal(2, 1, 10), nonmember=rng.normal(0, 1, 10))
    >>> WealthView(stream).sentence.partition(".")[0]
    'The claim pure DP ε = 1 is contradicted (95 % confidence, however often one looks)'
    """

    def __init__(self, test: SequentialTest) -> None:
        if not isinstance(test, SequentialTest):
            known = "a Stream, Checkpoints or CanaryCheckpoints"
            raise TypeError(f"test must be {known}, got {type(test).__name__}")
        self.test = test
        super().__init__(title="Is the claim contradicted yet?", **_wealth_drawing(test))

    def update(self) -> None:
        """Draw the test as it is now, such as after another checkpoint of a training."""
        self._redraw(**_wealth_drawing(self.test))


def _wealth_drawing(test: SequentialTest) -> dict[str, Any]:
    """Return the arguments of `FixedView` that depend on what the test has seen."""
    if isinstance(test, CanaryCheckpoints):
        return _canary_bounds_drawing(test)
    # The capital at which a claim is contradicted at this confidence (Ville's inequality).
    goal = 1 / (1 - test.confidence_level)
    streams = [test] if isinstance(test, Stream) else list(test.streams.values())
    if isinstance(test, Stream):
        places = np.array([[0, 1.0], *([look.pairs, look.wealth] for look in test.history)])
        kept = np.linspace(0, len(places) - 1, MOST_POINTS).astype(int)
        places = places[np.unique(np.append(kept, places[:, 1].argmax()))]
        label = "capital against the claim, from a stake of 1"
        x = AxisSpec(label="pairs of a member and a non-member", high=max(1.0, places[-1, 0]))
    else:
        places = _at_checkpoints([goal / (each.p_value * each.goal) for each in streams])
        x = AxisSpec(label="checkpoint", high=max(1, len(streams)))
        label = "largest capital at each checkpoint, scaled to one line"
    low, high = places[:, 1].min(initial=1.0), places[:, 1].max(initial=goal)
    line, marker, names = np.array([[x.low, goal], [x.high, goal]]), None, []
    if isinstance(test, Checkpoints):
        marker, names = "circle", [abbreviated(name, LONGEST_NAME) for name in test.streams]
    return {
        "sentence": _outcome_sentences(test),
        "details": _capital_details_text(test, goal),
        "x": x,
        "names": names,
        "y": AxisSpec(label="capital (log scale)", low=low / 2, high=2 * high, scale="log"),
        "series": [
            LineOrMarkers(f"contradicted from {short(goal)} on", line, theme.CLAIM, dash="dashed"),
            LineOrMarkers(label, places, theme.ATTACK, marker=marker),
        ],
    }


def _canary_bounds_drawing(test: CanaryCheckpoints) -> dict[str, Any]:
    """Return the arguments of `FixedView`: lower bounds at checkpoints, and the claimed epsilon."""
    lows = [each.bound.low if each.bound else 0.0 for each in test.tests.values()]
    claimed = test.claim.claimed_epsilon
    x = AxisSpec(label="checkpoint", high=max(1, len(lows)))
    high = max([1.0, *filter(isfinite, (claimed, *lows))])
    line = np.array([[x.low, claimed], [x.high, claimed]])
    level, bounds = percent(test.confidence_level), "lower bound on ε at each checkpoint"
    return {
        "sentence": _outcome_sentences(test),
        "details": f"The bounds hold jointly: with probability at least {level}, no bound exceeds "
        "the ε of the training up to its checkpoint. One may stop at any checkpoint, for any "
        "reason.",
        "x": x,
        "names": [abbreviated(name, LONGEST_NAME) for name in test.tests],
        "y": AxisSpec(label=f"ε{_at_delta(test)}", high=HEADROOM * high),
        "series": [
            LineOrMarkers("claimed ε: contradicted above", line, theme.CLAIM, dash="dashed"),
            LineOrMarkers(bounds, _at_checkpoints(lows), theme.ATTACK, marker="circle"),
        ],
    }


def _at_checkpoints(values: Sequence[float]) -> FloatArray:
    """Return points (x, y), one above the name of each checkpoint; shape (k, 2)."""
    return np.column_stack([np.arange(len(values)) + 0.5, values])


def _at_delta(test: CanaryCheckpoints) -> str:
    delta = test.claim.claimed_delta
    return f" at δ = {short(delta)}" if delta else ""


def _outcome_sentences(test: SequentialTest) -> str:
    """Return the sentences on whether the claim is contradicted, and on what has been reached."""
    claim, level = short_name(test.claim), percent(test.confidence_level)
    if isinstance(test, Stream):
        seen = len(test.history)
        largest = short(lower(max([1.0, *(look.wealth for look in test.history)])))
        reached = f"Largest capital after {test.pairs} pairs: {largest} times the stake."
    else:
        seen = len(test.streams if isinstance(test, Checkpoints) else test.tests)
        names, more = test.contradicted, len(test.contradicted) - MOST_NAMES
        listed = ", ".join(names[:MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
        reached = f"Contradicted at {len(names)} of {seen} checkpoints"
        reached += f": {listed}." if names else "."
    if isinstance(test, CanaryCheckpoints):
        reached += f" Largest lower bound: ε ≥ {short(lower(test.low))}{_at_delta(test)}."
    if not seen:
        return f"The claim {claim} has not been tested yet."
    if test.verdict == "contradicted":
        answer = f"is contradicted ({level} confidence, however often one looks)"
    else:
        answer = "is not contradicted, which does not confirm it"
    return f"The claim {claim} {answer}. {reached}"


def _capital_details_text(test: Stream | Checkpoints, goal: float) -> str:
    """Return the sentences on why a capital of `goal` times the stake contradicts the claim."""
    chance = percent(1 - test.confidence_level)
    said = (
        "If the claim holds, bets against it are fair or worse. The capital then reaches "
        f"{short(goal)} times the stake with probability at most {chance}, however long one bets."
    )
    if isinstance(test, Stream):
        return said
    return (
        f"{said} Checkpoints share this probability, so each has a line of its own; here all lines "
        "are scaled to one."
    )
