"""The view of retrained models: each canary's rates in the region, and how tight the claim is."""

from typing import Any, ClassVar

import ipywidgets
import numpy as np

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.number_format import percent
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.retraining import retraining_audit
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.evidence import RETRAINING
from dpviz.widgets.controls.fields import Menu, OptionalBox
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.audit import LEVELS
from dpviz.widgets.views.slices import METHODS, SlicesView

PRESET = "in the unit of the scores, and fixed before looking at them; gives every point its limits"


class RetrainingView(SlicesView):
    """Models trained with and without canary records: what they certify of the mechanism.

    Its scores have one group per canary: see :func:`dpviz.audit.retraining_scores`.

    Examples
    --------
    >>> from dpviz.audit import retraining_scores
    >>> from dpviz.widgets import RetrainingView
    >>> scores = retraining_scores([[0.1], [0.9]], [[True], [False]], kind="loss")
    >>> RetrainingView(scores=scores).can_compute()
    True
    """

    scene = RETRAINING
    name = "retraining"
    action: ClassVar[str] = "audit the mechanism"
    progress_text: ClassVar[str] = "a bound for each canary ..."
    requirement: ClassVar[str] = (
        "A retraining audit needs one score per model and canary: "
        "dpviz.audit.retraining_scores(scores, included, kind=...)."
    )
    threshold: float | None = None  # on the original scale, fixed before looking at the scores

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self.choose),
            Menu("bound_method", "method", METHODS, self.choose),
        ]
        return [control.widget for control in self.controls]

    def follow_controls(self, result: Result) -> None:
        self.controls[0].follow(result.spec)
        for control in self.controls[1:]:
            control.follow(self)

    @classmethod
    def is_wanted(cls, store: Store) -> bool:
        return super().is_wanted(store) and store.spec.applies_to == "mechanism"

    def question(self, result: Result) -> dict[str, Any]:
        """Return what decides bounds and limits; the claim is compared with them afterwards."""
        return {
            "delta": result.spec.delta,
            "confidence_level": result.spec.confidence_level,
            "threshold": self.threshold,
            "method": self.bound_method,
        }

    def work(self, subject: Scores, question: dict[str, Any], progress: Progress) -> Any:
        claim = self.store.spec.claim
        return retraining_audit(subject, claim=claim, **question, progress=progress)

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        threshold = choices.get("threshold")
        if threshold is not None:
            checks.real("threshold", threshold, -np.inf, np.inf, closed="neither")
        return choices
