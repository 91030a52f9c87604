"""The view of retrained models: each canary's rates in the region, and how tight the claim is."""

from typing import Any, ClassVar

import ipywidgets

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.retraining_sentences import CAPTION, HEAD, summary, table
from dpviz.audit import AttackScores
from dpviz.audit.resampling import Progress
from dpviz.audit.retraining import RetrainingAudit, retraining_audit
from dpviz.widgets.asked_view import AskedView, sentence
from dpviz.widgets.audit_view import LEVELS
from dpviz.widgets.controls import Menu, OptionalBox
from dpviz.widgets.figures import AxisSpec, Frame
from dpviz.widgets.layers.canaries import Canaries
from dpviz.widgets.layers.claim_region import ClaimRegion
from dpviz.widgets.layers.layer import Layer
from dpviz.widgets.view import html_table

PRESET = "in the unit of the scores, and fixed before looking at them; gives every point its limits"


class RetrainingView(AskedView):
    """Models trained with and without canary records: what they certify of the mechanism.

    Its scores have one group per canary: see :func:`dpviz.audit.retraining_scores`.
    """

    title: ClassVar[str] = "Retrained models: canaries in and out"
    asking: ClassVar[str] = "audit the mechanism"
    at_work: ClassVar[str] = "a bound for each canary ..."
    needs: ClassVar[str] = (
        "A retraining audit needs one score per model and canary: "
        "dpviz.audit.retraining_scores(scores, included, kind=...)."
    )
    threshold: float | None = None
    """In the unit of the scores, fixed before looking at them."""

    def frame(self) -> Frame:
        """The unit square."""
        return Frame(x=AxisSpec(label="FPR"), y=AxisSpec(label="FNR"))

    def layers(self) -> list[Layer]:
        """The claim's region, the canaries."""
        return [ClaimRegion(), Canaries(lambda: self.answer)]

    def choices(self) -> list[ipywidgets.Widget]:
        """Level and threshold."""
        self.controls: list[Menu | OptionalBox] = [
            Menu("confidence_level", "confidence", LEVELS, self.change),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self._choose),
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
        }

    def work(
        self, scores: AttackScores, question: dict[str, Any], progress: Progress
    ) -> RetrainingAudit:
        """One bound after the other."""
        claim = self.store.spec.claim
        return retraining_audit(scores, claim=claim, **question, progress=progress)

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
        self.controls[1].follow(self)

    def _choose(self, threshold: Any) -> None:
        with self.guarded():
            self.threshold = None if threshold is None else checks.real("threshold", threshold)
            self.draw(self.result)
        self.controls[1].follow(self)  # what was refused goes back to what holds
