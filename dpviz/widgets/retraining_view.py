"""The view of retrained models: each canary's rates in the region, and how tight the claim is."""

from typing import Any, ClassVar

import ipywidgets
import numpy as np

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.retraining_sentences import CAPTION, HEAD, summary, table
from dpviz.audit.binned_scores import Scores
from dpviz.audit.resampling import Progress
from dpviz.audit.retraining import RetrainingAudit, retraining_audit
from dpviz.pictures.axes import AxisSpec
from dpviz.pictures.layers.canaries import Canaries
from dpviz.pictures.layers.claim_region import ClaimRegion
from dpviz.pictures.scene import Scene
from dpviz.widgets.asked_view import AskedView, sentence
from dpviz.widgets.audit_view import LEVELS
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.slices_view import METHODS
from dpviz.widgets.view import html_table

PRESET = "in the unit of the scores, and fixed before looking at them; gives every point its limits"


class RetrainingView(AskedView):
    """Models trained with and without canary records: what they certify of the mechanism.

    Its scores have one group per canary: see :func:`dpviz.audit.retraining_scores`.
    """

    asking: ClassVar[str] = "audit the mechanism"
    at_work: ClassVar[str] = "a bound for each canary ..."
    needs: ClassVar[str] = (
        "A retraining audit needs one score per model and canary: "
        "dpviz.audit.retraining_scores(scores, included, kind=...)."
    )
    threshold: float | None = None
    """In the unit of the scores, fixed before looking at them."""
    bound_method: str = "rank"
    """Of `METHODS`."""

    def scene(self) -> Scene:
        """The claim for the neighbours that were trained on, in the unit square; canaries."""
        return Scene(
            title="Retrained models: canaries in and out",
            x=AxisSpec(label="FPR"),
            y=AxisSpec(label="FNR"),
            layers=lambda: [ClaimRegion(as_claimed=True), Canaries(lambda: self.answer)],
        )

    def choices(self) -> list[ipywidgets.Widget]:
        """Level, threshold and the method of all bounds."""
        self.controls: list[Menu | OptionalBox] = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self._choose),
            Menu("bound_method", "method", METHODS, self._choose_method),
        ]
        return [control.widget for control in self.controls]

    def can_ask(self) -> bool:
        """Whether the scores have groups."""
        return self.store.scores is not None and bool(self.store.scores.groups)

    def is_wanted(self, result: Result) -> bool:
        """Where the records are said to be retrained models, one group for each canary."""
        return self.can_ask() and result.spec.applies_to == "mechanism"

    def question(self, result: Result) -> dict[str, Any]:
        """What decides bounds and limits; the claim is compared with them afterwards."""
        spec = result.spec
        return {
            "delta": spec.delta,
            "confidence_level": spec.confidence_level,
            "threshold": self.threshold,
            "method": self.bound_method,
        }

    def work(
        self, subject: Scores, question: dict[str, Any], progress: Progress
    ) -> RetrainingAudit:
        """One bound after the other."""
        claim = self.store.spec.claim
        return retraining_audit(subject, claim=claim, **question, progress=progress)

    def said(self, result: Result) -> str:
        """The worst canary and the tightness."""
        return sentence(summary(self.answer.against(result.spec.claim)))

    def tabled(self) -> str:
        """One row for each canary."""
        return html_table(CAPTION, HEAD, table(self.answer.against(self.store.spec.claim)))

    def draw(self, result: Result) -> None:
        """Table and controls follow the claim, too."""
        super().draw(result)
        if self.answer is not None:
            self.table.value = self.tabled()
        self.controls[0].follow(result.spec)
        for control in self.controls[1:]:
            control.follow(self)

    def _choose_method(self, bound_method: str) -> None:
        self.bound_method = bound_method
        self.draw(self.result)

    def _choose(self, threshold: Any) -> None:
        with self.guarded():
            if threshold is not None:
                threshold = checks.real("threshold", threshold, -np.inf, np.inf, closed="neither")
            self.threshold = threshold
            self.draw(self.result)
        self.controls[1].follow(self)  # what was refused goes back to what holds
