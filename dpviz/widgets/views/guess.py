"""Views of guesses about a secret, and of the attack with the least expected cost."""

from types import SimpleNamespace
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics import guess
from dpviz.analysis.topics.guess import PosteriorPart, posterior_part
from dpviz.analysis.topics.registry import text_names
from dpviz.audit.scores.base import Scores
from dpviz.widgets.base.files import heading_row
from dpviz.widgets.base.html import Html, button, columns, fold, row, stack
from dpviz.widgets.base.picture import Picture
from dpviz.widgets.controls.fields import Menu, NumberBox
from dpviz.widgets.views.figure_view import WHY_LINE, FigureView, stacked_pictures

CANDIDATES_HINT = "a whole number of at least 2: κ becomes 1 / k"
COST_PRESETS = {
    "coverage: send cat ads, miss nobody": (1.0, 10.0),
    "precision: accuse of a crime, spare the innocent": (10.0, 1.0),
    "both errors cost the same": (1.0, 1.0),
}
OWN_COSTS = "costs of your own"


class GuessView(FigureView):
    """The probability of guessing a secret before and after seeing an output, and its bound.

    Attributes
    ----------
    output : float or None, of candidate 1, moved by the user; None is the likeliest output

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.widgets import GuessView
    >>> view = GuessView(claim=GaussianDP(mu=1.0), kappa=0.1)
    >>> round(view.result.guess.best, 3), round(view.result.guess.bound, 3)
    (0.253, 0.389)
    """

    is_wide = True
    scene = guess.GUESS
    further_scenes = (guess.CANDIDATE_OUTPUT, guess.POSTERIOR)
    moved_by = ("epsilon", "delta")
    try_it = "set k to 2, then to 1000, and compare the best guess with its limit."
    output: float | None = None
    _seed = 0

    @property
    def shown(self) -> PosteriorPart | None:
        """The candidates' posteriors, or None for an unknown mechanism or too many candidates."""
        return self.result.answers.get("posterior")

    @property
    def pictures_on_page(self) -> list[Picture]:
        """The pictures of the best guess and, unless `shown` is None, of output and posteriors."""
        return [each for each in self.pictures if not each.scene.is_empty(self.result)]

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return {"posterior": posterior_part(result.guess, self.output, self._seed)}

    def change(self, **changes: Any) -> None:
        """Change fields of the spec.

        `output=o` sets this view's mechanism output; `candidates=k` sets `kappa` to 1 / k.
        """
        with self.showing_errors("kappa"):
            if "output" in changes:
                self.output = changes.pop("output")
                self.store.refresh()
            if "candidates" in changes:
                changes["kappa"] = 1 / checks.whole("candidates", changes.pop("candidates"), 2)
        if changes:
            super().change(**changes)

    def sample_outputs(self) -> None:
        """Draw a new output for each candidate that is not the secret.

        `output` becomes None, which stands for the likeliest output of the secret.
        """
        self._seed += 1
        self.output = None
        self.store.refresh()

    def widgets_in_order(self) -> list[ipywidgets.Widget]:
        further = [self.new_picture(scene) for scene in self.further_scenes]
        names = [name for scene in self.further_scenes for name in text_names(scene)]
        self.texts |= {name: Html() for name in names}
        self.pictures += further
        [kappa] = self.number_controls(["kappa"])
        self.candidates = NumberBox("candidates", "k candidates", CANDIDATES_HINT, self.change)
        self.candidates.widget.add_class("dpviz-short")
        hint = "draw new numbers for all candidates"
        self.new_output = button("New output", self.sample_outputs, tooltip=hint)
        controls = row([kappa.widget, self.candidates.widget, self.new_output])
        self._boxes = [
            stack([heading_row(self, each), stacked_pictures(each), self._stacked_sentences(each)])
            for each in further
        ]
        self._main = stack([self.head, self.figure, self.words])
        self.own_widgets += self._boxes
        self._grid = columns([self._main, *self._boxes], css_class="dpviz-pictures")
        return [self.error_line, controls, self._grid]

    def _stacked_sentences(self, picture: Picture) -> ipywidgets.VBox:
        lead, *others = (self.texts[name] for name in text_names(picture.scene))
        return stack([lead, fold(WHY_LINE, others)], css_class="dpviz-words")

    def update_controls(self, result: Result) -> None:
        # The box is empty unless 1 / kappa is a whole number, up to rounding.
        k = 1 / result.guess.kappa
        self.candidates.show_value(round(k) if abs(k - round(k)) < 1e-9 * k else None)
        is_known = "posterior" in result.answers
        shown = (self._main, *self._boxes) if is_known else (self._main,)
        if self._grid.children != shown:
            self._grid.children = shown
        self.new_output.disabled = not is_known


class CostsView(FigureView):
    """The attack of least expected cost, if false alarms and misses cost the attacker.

    Examples
    --------
    >>> from dpviz.theory import GaussianDP
    >>> from dpviz.widgets import CostsView
    >>> view = CostsView(claim=GaussianDP(mu=1.0), cost_miss=10.0)
    >>> round(view.result.costs.fpr, 3), round(view.result.costs.fnr, 3)
    (0.964, 0.003)
    """

    scene = guess.COSTS
    moved_by = ("epsilon", "delta", "prior")
    try_it = "raise the cost of a miss, then of a false alarm, and watch the attack move."

    def make_visible_controls(self) -> list[ipywidgets.Widget]:
        set_costs, own = self._set_costs, lambda _: OWN_COSTS
        self.presets = Menu("costs", "task", COST_PRESETS, set_costs, write=own)
        numbers = (each.widget for each in self.number_controls(self.scene.numbers))
        return [row([self.presets.widget, *numbers])]

    def update_controls(self, result: Result) -> None:
        costs = (result.spec.cost_false_alarm, result.spec.cost_miss)
        self.presets.update_from(SimpleNamespace(costs=costs))

    def _set_costs(self, costs: tuple[float, float]) -> None:
        self.change(cost_false_alarm=costs[0], cost_miss=costs[1])
