"""The view of a mechanism: its output distributions, a test of them, and its privacy loss."""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.claims.query_noise import NORM_NAMES, QueryNoise, noise_norm, noise_sentence
from dpviz.analysis.topics import mechanism
from dpviz.analysis.topics.mechanism import MechanismPart, mechanism_part, output_densities
from dpviz.analysis.topics.registry import detail_names, lead_name
from dpviz.audit.scores.base import Scores
from dpviz.drawing.scene import Scene
from dpviz.theory.outputs import Rule
from dpviz.widgets.base.files import heading_row
from dpviz.widgets.base.html import Html, columns, fold, heading_html, row, sentence_html, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.base.view import View
from dpviz.widgets.controls.fields import Menu, NumberBox
from dpviz.widgets.views.figure_view import OPTIONS_LINE, WHY_LINE, stacked_pictures

TEST_MENU = {"the best test": "best", "one threshold: output ≥ t": "threshold"}
SCENES = (mechanism.OUTPUTS, mechanism.DECISION, mechanism.PRIVACY_LOSS)
NORM_MENU = {name: norm for norm, name in NORM_NAMES.items()}
THRESHOLD_HINT = (
    "the test flags outputs of at least this threshold; for counts, a threshold of 2.3 flags all "
    "outputs from 3 on, and 70 % of the outputs of 2"
)
NO_CLAIM = (
    "Nothing is claimed, so the mechanism may release the record itself. Type an ε, such as 1, to "
    "see a mechanism with a guarantee."
)
NOISE_HINT = "noise of each coordinate: standard deviation if Gaussian, scale if Laplace"


class MechanismView(View):
    """A mechanism's output distributions, the errors of a threshold test, and the privacy loss.

    Controls set the claim by the noise and sensitivity of a query, and choose between the best test
    and a test with one threshold where these differ.

    Examples
    --------
    >>> from dpviz.theory import PureDP
    >>> from dpviz.widgets import MechanismView
    >>> view = MechanismView(claim=PureDP(epsilon=1.0), fpr=0.1)
    >>> round(view.shown.decision.fnr, 3)
    0.728
    """

    is_wide: ClassVar[bool] = True
    test: Rule = "best"  # the chosen rule for saying "member"

    @property
    def shown(self) -> MechanismPart:
        """The shown output distributions, the test between them, and the shown privacy loss."""
        return self.result.answers["mechanism"]

    @classmethod
    def initial_scenes_and_result(cls, result: Result) -> tuple[Sequence[Scene], Result]:
        part = mechanism_part(result.claim, fpr=result.fpr, rule=cls.test)
        scenes = SCENES if result.is_claimed else ()
        return scenes, result.with_answer("mechanism", part)

    @classmethod
    def folded_section_titles(cls, result: Result) -> list[str]:
        return [WHY_LINE] if result.is_claimed else []

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        laws = output_densities(result.claim.claim).laws
        rule = "best" if laws is None or laws.is_monotone else self.test
        return {"mechanism": mechanism_part(result.claim, fpr=result.fpr, rule=rule)}

    def make_children(self) -> list[ipywidgets.Widget]:
        self._noise = QueryNoise()
        controls = self._make_controls()
        self.pictures = [self.new_picture(scene) for scene in SCENES]
        self.texts = [Html() for _ in self.pictures]
        self.why = [Html() for _ in self.pictures]
        self.folds = [fold(WHY_LINE, [why]) for why in self.why]
        self.boxes, notes, options = [], [self.late_line], [fold(OPTIONS_LINE, controls)]
        for picture, *texts in zip(self.pictures, self.texts, self.folds, strict=True):
            words = stack([*texts, *options], css_class="dpviz-words")
            head = heading_row(self, picture, *notes)
            self.boxes.append(stack([head, stacked_pictures(picture), words]))
            notes, options = [], []  # beside the first picture alone
        self.own_widgets += self.boxes
        self.nothing = Html()  # shown instead of the boxes where nothing is claimed
        self.grid = columns((), css_class="dpviz-pictures")
        strip = self.slider_row_unless_linked(("epsilon", "delta", "fpr"))
        return [*strip, self.error_line, self.nothing, self.grid]

    @property
    def pictures_on_page(self) -> list[Picture]:
        """The three pictures of the mechanism.

        There are none if nothing is claimed.
        """
        return [each for each in self.pictures if not each.scene.is_empty(self.result)]

    def draw(self, result: Result) -> None:
        said = result.sentences
        for picture, text, why in zip(self.pictures, self.texts, self.why, strict=True):
            picture.draw(result)
            text.value = sentence_html(said[lead_name(picture.scene)])
            why.value = "".join(sentence_html(said[name]) for name in detail_names(picture.scene))
        for folded, why in zip(self.folds, self.why, strict=True):
            folded.is_hidden = not why.value
        title = heading_html(self.pictures[0].title)
        self.nothing.value = "" if result.is_claimed else title + sentence_html(NO_CLAIM)
        self.nothing.is_hidden = result.is_claimed
        self.grid.children = self.boxes if result.is_claimed else []
        self.update_controls(result)

    def update_controls(self, result: Result) -> None:
        claim, part = result.spec.claim, result.answers["mechanism"]
        laws, decision = part.laws.laws, part.decision.decision
        self._noise = self._noise.with_noise_of(claim)
        self.norms.value = sentence_html(noise_sentence(self._noise, claim))
        self.noise_row.is_hidden = noise_norm(claim) is None
        self.rule.widget.is_hidden = laws is None or laws.is_monotone
        self.rule.update_from(SimpleNamespace(rule=self.test))
        self.threshold.widget.is_hidden = laws is None
        t = None if decision is None else decision.threshold
        self.threshold.show_value(None if t is None else float(f"{t:.5g}"))
        for control in self.noise:
            control.update_from(self._noise)

    def choose_rule(self, rule: Rule) -> None:
        """Choose the test that the view shows.

        The choice is between the best test at the FPR and the test that flags all outputs above a
        threshold.
        """
        self.test = rule
        self.store.refresh()

    def choose_threshold(self, threshold: Any) -> None:
        """Set the FPR to the FPR of a threshold test.

        The test flags every output of at least `threshold`.
        """
        laws = self.shown.laws.laws
        with self.showing_errors():
            if laws is not None and threshold is not None:
                self.store.update(fpr=min(1.0, laws.at_least(threshold).fpr))
        self.update_controls(self.result)

    def choose_noise(self, **changes: Any) -> None:
        """Change the sensitivity, norm, dimension or noise of the query, and so the claim."""
        with self.showing_errors():
            noise = replace(self._noise, **changes)
            claim = noise.claim_in_class_of(self.store.spec.claim)
            # An illegal query or claim has raised its error by now, and nothing is changed.
            self._noise = noise
            self.store.update(claim=claim)
        self.update_controls(self.result)

    def _make_controls(self) -> list[ipywidgets.Widget]:
        self.rule = Menu("rule", "test", TEST_MENU, self.choose_rule)
        box, choose = NumberBox, self.choose_noise
        self.threshold = box("threshold", "threshold t", THRESHOLD_HINT, self.choose_threshold)
        self.noise: list[Menu | NumberBox] = [
            box("sensitivity", "sensitivity", "above 0", choose),
            Menu("norm", "in norm", NORM_MENU, choose),
            box("dimension", "dimension", "a whole number", choose),
            box("noise", "noise", NOISE_HINT, choose),
        ]
        for control in (self.threshold, *self.noise):
            if isinstance(control, NumberBox):
                control.widget.add_class("dpviz-short")
        self.noise_row = row((control.widget for control in self.noise), is_hidden=True)
        self.norms = Html()
        return [row([self.threshold.widget, self.rule.widget]), self.noise_row, self.norms]
