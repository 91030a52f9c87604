"""The view of the parameters of a mechanism that keep every attack below a chosen limit."""

from dataclasses import replace
from functools import partial
from typing import Any

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics import for_risk
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.widgets.base.html import button, row
from dpviz.widgets.controls.fields import Menu, NumberBox, dropdown
from dpviz.widgets.views.figure_view import ComputeTexts, FigureView

MENU: dict[str, for_risk.Wish] = {
    "members caught at this FPR (TPR)": "tpr",
    "advantage (TPR - FPR)": "advantage",
    "flagged records that are members (PPV)": "ppv",
    "right guesses of a secret": "guess",
}
LIMITS: dict[for_risk.Wish, float] = {"tpr": 0.05, "advantage": 0.1, "ppv": 0.6, "guess": 0.5}


class ForRiskView(FigureView):
    """The parameters of a mechanism that keep attacks below a limit.

    The view shows the noise, the sampling rate or the number of steps of the claim's mechanism.

    Attributes
    ----------
    wish : {"tpr", "advantage", "ppv", "guess"}, limited at the spec's FPR, prior and kappa
    limit : float, in (0, 1)

    Examples
    --------
    >>> from dpviz.theory import GaussianMechanism
    >>> from dpviz.widgets import ForRiskView
    >>> view = ForRiskView(claim=GaussianMechanism(noise_multiplier=1.0), fpr=0.01)
    >>> view.compute()
    >>> round(view.answer.needs[0].enough.noise_multiplier, 3)
    1.467
    """

    scene = for_risk.FOR_RISK
    moved_by = ("fpr", "prior")
    computation = ComputeTexts("for_risk", "Search", "searching ...")
    wish: for_risk.Wish = "tpr"
    limit: float = LIMITS["tpr"]

    def input_data(self, scores: Scores | None) -> None:
        """Return None, because this view needs no scores.

        The question of the view already has the claim.
        """

    def make_controls(self) -> list[Any]:
        limit = NumberBox("limit", "to", "more than 0 and less than 1", self.choose)
        limit.widget.add_class("dpviz-shorter")
        return [Menu("wish", "limit", MENU, self.choose), limit]

    def widgets_below(self) -> list[ipywidgets.Widget]:
        self.controls, self.change_menu = self.make_controls(), dropdown("change")
        hint = "use the changed mechanism as the claim"
        self.use = button("Use as claim", self._use_changed_mechanism_as_claim, tooltip=hint)
        self._use_row = row([self.change_menu, self.use])
        question = row(control.widget for control in self.controls)
        return [question, self.at_work, self.text, self.why, self._use_row, self.numbers]

    def question(self, result: Result) -> for_risk.RiskQuestion:
        question = partial(
            for_risk.RiskQuestion, claim=result.spec.claim, wish=self.wish, limit=self.limit
        )
        prior, kappa = result.spec.prior, result.guess.kappa
        return question(fpr=result.fpr, prior=prior, kappa=kappa)

    def compute_answer(
        self, subject: None, question: for_risk.RiskQuestion, progress: Progress
    ) -> for_risk.ForRiskPart:
        return for_risk.parameters_for_risk(question, progress=progress)

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        if "wish" in choices:
            checks.choice("wish", choices["wish"], list(LIMITS))
            choices = {"limit": LIMITS[choices["wish"]], **choices}
        if choices.get("limit") is None:
            raise checks.fail("limit", "in (0, 1)", choices.get("limit"))
        replace(self.question(self.result), **choices)
        return choices

    def update_controls(self, result: Result) -> None:
        super().update_controls(result)
        texts = tuple(self._changes_by_menu_text(result))
        if self.change_menu.options != texts:
            self.change_menu.options = texts
            self.change_menu.value = texts[0] if texts else None
        self._use_row.is_hidden = not texts

    def _changes_by_menu_text(self, result: Result) -> dict[str, for_risk.ParameterForRisk]:
        """Return the parameter changes that keep attacks below the limit, by their menu texts."""
        answer = result.answers.get("for_risk")
        possible = () if answer is None else answer.attainable_parameters
        return {
            f"{n.parameter.replace('_', ' ')} = {for_risk.sufficient_text(n)}": n for n in possible
        }

    def _use_changed_mechanism_as_claim(self) -> None:
        need = self._changes_by_menu_text(self.result).get(self.change_menu.value)
        if need is not None and need.enough is not None:
            shown = (int if need.is_whole else float)(for_risk.sufficient_text(need))
            self.change(claim=need.enough.with_parameters(**{need.parameter: shown}))
