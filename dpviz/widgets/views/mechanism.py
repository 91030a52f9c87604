"""The view of a mechanism: its outputs, the point a threshold makes, its privacy loss."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.mechanism import Mechanism, MechanismPart
from dpviz.analysis.mechanism_sentences import loss_said, outputs_said, point_said
from dpviz.analysis.query_noise import NORM_NAMES, QueryNoise, counting_norm, norms_said
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.claim_curve import ClaimCurve
from dpviz.pictures.layers.decision_point import DecisionPoint
from dpviz.pictures.layers.output_laws import ErrorAreas, OutputCurves, OutputThreshold
from dpviz.pictures.layers.privacy_loss import LossTails
from dpviz.pictures.layers.selected_fpr import SelectedFpr
from dpviz.pictures.scene import Scene
from dpviz.theory.line_laws import Rule
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.picture import Picture
from dpviz.widgets.view import View, block, columns

TESTS = {"the best test": "best", "one threshold: output ≥ t": "threshold"}
NORMS = {name: norm for norm, name in NORM_NAMES.items()}
THRESHOLD_HINT = (
    "member is said from this output on; among outputs that are counted, 2.3 says it always from 3 "
    "on and in 70 % of the cases at 2"
)
NOISE_HINT = "in each coordinate: standard deviation of Gaussian, scale of Laplace noise"


class MechanismView(View):
    """Output laws with a threshold to drag, its point beside the curve, and the privacy loss.

    Controls of its own say how noise and sensitivity make the claim, where noise is added to a
    query, and which test is meant where one threshold is not the best.
    """

    is_wide: ClassVar[bool] = True

    @property
    def shown(self) -> MechanismPart:
        """What the view shows besides the result."""
        return self._shown

    def contents(self) -> list[ipywidgets.Widget]:
        """Three pictures side by side, the controls under the first."""
        self._mechanism = Mechanism()
        self._rule: Rule = "best"
        self._noise = QueryNoise()
        self._make_controls()
        self.pictures = [Picture(scene, self) for scene in self._scenes()]
        self.texts = [ipywidgets.HTML() for _ in self.pictures]
        first, *others = (picture.scene.title for picture in self.pictures)
        headings = [ipywidgets.HTML(block("dpviz-title", title)) for title in others]
        titles = [self.heading(first), *headings]
        extras = [[self._test_row, self._noise_row, self._norms], [], []]
        layout = ipywidgets.Layout(min_width="0", overflow="hidden")
        boxes = [
            ipywidgets.VBox(
                [
                    title,
                    picture.widget,
                    text,
                    *more,
                ],
                layout=layout,
            )
            for title, picture, text, more in zip(
                titles, self.pictures, self.texts, extras, strict=True
            )
        ]
        return [self.error_line, columns(boxes, narrowest=340)]

    def draw(self, result: Result) -> None:
        """Make the parts, draw the pictures; the controls follow."""
        laws = self._mechanism.laws(result.claim.claim).laws
        is_one_threshold = laws is None or laws.is_monotone
        rule = "best" if is_one_threshold else self._rule
        self._shown = self._mechanism.part(result.claim, fpr=result.spec.fpr, rule=rule)
        sentences = (
            outputs_said(self._shown, result.claim),
            point_said(self._shown.decision),
            loss_said(self._shown.loss),
        )
        for picture, text, sentence in zip(self.pictures, self.texts, sentences, strict=True):
            picture.draw(result)
            text.value = _sentence(sentence)
        self._said = sentences
        self._noise = self._noise.following(result.spec.claim)
        self._norms.value = _sentence(norms_said(self._noise, result.spec.claim))
        is_noise = counting_norm(result.spec.claim) is not None
        self._noise_row.layout.display = None if is_noise else "none"
        self.rule.widget.layout.display = "none" if is_one_threshold else None
        self.threshold.widget.layout.display = "none" if laws is None else None
        self._follow_controls()

    def in_words(self, picture: Picture) -> list[str]:
        """Its sentence."""
        return [self._said[self.pictures.index(picture)]]

    def choose_rule(self, rule: Rule) -> None:
        """Show the best test, or the best that says "member" from a threshold on."""
        self._rule = rule
        self.draw(self.result)

    def choose_threshold(self, threshold: Any) -> None:
        """Select the FPR of "member if the output is at least `threshold`"."""
        laws = self._shown.laws.laws
        with self.guarded():
            if laws is not None and threshold is not None:
                self.store.update(fpr=min(1.0, laws.at_least(threshold).fpr))
        self._follow_controls()  # what was refused goes back to what holds

    def choose_noise(self, **changes: Any) -> None:
        """Change the query or its noise: fields of `QueryNoise`, and with them the claim."""
        with self.guarded():
            noise = replace(self._noise, **changes)
            claim = noise.claim(self.store.spec.claim)
            self._noise = noise
            self.store.update(claim=claim)
            self.draw(self.result)
        self._follow_controls()

    def _scenes(self) -> list[Scene]:
        return [
            Scene(
                title="Outputs of the mechanism",
                x=AxisSpec(label="output"),
                y=AxisSpec(label="density"),
                layers=lambda: [
                    ErrorAreas(self._get),
                    OutputCurves(self._get),
                    OutputThreshold(self._get),
                ],
            ),
            Scene(
                title="The point this test makes",
                x=AxisSpec(label="FPR"),
                y=AxisSpec(label="FNR"),
                layers=lambda: [ClaimCurve(), SelectedFpr(), DecisionPoint(self._get)],
            ),
            Scene(
                title="Privacy loss L = log Q/P",
                x=AxisSpec(label="x, in units of ε"),
                y=AxisSpec(label="probability (log scale)", low=1e-6, scale="log"),
                layers=lambda: [LossTails(self._get)],
            ),
        ]

    def _make_controls(self) -> None:
        self.rule = Menu("rule", "test", TESTS, self.choose_rule)
        self.threshold = OptionalBox(
            "threshold", "threshold t", THRESHOLD_HINT, self.choose_threshold
        )
        self.noise: list[Menu | OptionalBox] = [
            OptionalBox("sensitivity", "sensitivity", "above 0", self.choose_noise),
            Menu("norm", "in norm", NORMS, self.choose_noise),
            OptionalBox("dimension", "dimension", "a whole number", self.choose_noise),
            OptionalBox("noise", "noise", NOISE_HINT, self.choose_noise),
        ]
        for control in (self.threshold, *self.noise):
            if isinstance(control, OptionalBox):
                control.widget.layout.width = "11em"
        row = ipywidgets.Layout(flex_flow="row wrap")
        self._test_row = ipywidgets.HBox([self.threshold.widget, self.rule.widget], layout=row)
        self._noise_row = ipywidgets.HBox(
            [control.widget for control in self.noise],
            layout=ipywidgets.Layout(flex_flow="row wrap"),
        )
        self._norms = ipywidgets.HTML()

    def _get(self) -> MechanismPart:
        return self._shown

    def _follow_controls(self) -> None:
        decision = self._shown.decision.decision
        t = None if decision is None else decision.threshold
        shown = None if t is None else float(f"{t:.5g}")
        self.threshold.follow(SimpleNamespace(threshold=shown))
        self.rule.follow(SimpleNamespace(rule=self._rule))
        for control in self.noise:
            control.follow(self._noise)


def _sentence(text: str) -> str:
    return block("dpviz-sentence", text, role="status") if text else ""
