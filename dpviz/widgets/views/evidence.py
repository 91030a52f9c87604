"""Views of the evidence: the audit, all methods, the planner, designs, groups, retrained models."""

from dataclasses import replace
from typing import Any, ClassVar

import ipywidgets
import numpy as np

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics.bounds import LOWER_BOUNDS, BoundsPart, BoundsQuestion, lower_bounds
from dpviz.analysis.topics.designs import (
    DESIGNS,
    Compared,
    DesignsPart,
    DesignsQuestion,
    audit_designs,
)
from dpviz.analysis.topics.evidence import EVIDENCE
from dpviz.analysis.topics.plan import PLAN, POWERS, PlanPart, PlanQuestion, record_plan
from dpviz.analysis.topics.registry import TABLES
from dpviz.analysis.topics.retraining import RETRAINING
from dpviz.analysis.topics.slices import SLICES, largest_group
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.slices import Slices, slices
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.retraining import retraining_audit
from dpviz.audit.scores.base import Scores
from dpviz.number_format import percent
from dpviz.widgets.base.html import Html, block, fold, html_table, row
from dpviz.widgets.base.job import AuditJob
from dpviz.widgets.controls.fields import Menu, OptionalBox
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.computed import ComputedView
from dpviz.widgets.views.figure_view import OPTIONS, FigureView, ViewParts

LEVELS = {percent(level): level for level in (0.9, 0.95, 0.99)}
RECORDS = {
    "one model, train against hold-out": "instance",
    "many trainings with and without a canary, or random inclusion": "mechanism",
}

NEIGHBOURS = {
    "automatic": None,
    "add or remove one": "add_remove",
    "replace one record": "replace_one",
}


class AuditView(FigureView):
    """The claim against the lower bound, the ceiling of these records, and chance.

    The slow parts are computed by the store's :class:`AuditJob`.

    Examples
    --------
    >>> from dpviz.widgets import AuditView
    >>> view = AuditView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=1.0)
    >>> view.result.sample.audit.bound is None  # until it is computed
    True
    """

    scene = EVIDENCE
    moved_by = ("epsilon", "delta")
    try_it = "move ε to the lower bound: from there on the claim is not contradicted."

    def arrange(self, parts: ViewParts) -> list[ipywidgets.Widget]:
        parts.words.children += (
            *([self.audit.widget] if self.is_alone else []),  # else the answer has it
            fold(OPTIONS, parts.controls),
            fold("Numbers", [self.table]),
        )
        return [parts.title, parts.error, parts.figure, parts.words]

    def make_controls(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("applies_to", "data", RECORDS, self.change),
            Menu("neighbours", "compared under", NEIGHBOURS, self.change),
        ]
        self.table = Html()
        self.audit = self.store.shared(AuditJob)
        self.audit.watch(self)
        menus = row(control.widget for control in self.controls)
        return [menus]

    def compute(self) -> None:
        """Compute what is not known yet, in the background where there is an event loop."""
        self.audit.compute()

    def draw(self, result: Result) -> None:
        super().draw(result)
        self.table.value = html_table(*TABLES["rates"](result)) if result.sample else ""


# The view of groups of records: a lower bound for each, corrected for the number of groups.


# The methods that need neither a threshold fixed beforehand nor fair coins.
METHODS = {
    method.label: name
    for name, method in BOUNDS.items()
    if not (method.needs_threshold or method.fair_coins)
}


class SlicesView(ComputedView):
    """Lower bounds of groups of records; shown where the scores have groups.

    Examples
    --------
    >>> from dpviz import AttackScores
    >>> from dpviz.widgets import SlicesView
    >>> scores = AttackScores.from_losses(
    ...     member=[0.1, 0.2], nonmember=[0.3, 0.9], member_groups=["a", "b"],
    ...     nonmember_groups=["a", "b"])
    >>> SlicesView(scores=scores).can_compute()
    True
    """

    scene = SLICES
    moved_by = ("epsilon", "delta")
    name = "slices"
    action: ClassVar[str] = "compare groups"
    progress_text: ClassVar[str] = "a bound for each group ..."
    requirement: ClassVar[str] = (
        "Scores without groups: read them with read_scores(..., group=<column>), or give "
        "AttackScores its member_groups and nonmember_groups."
    )
    bound_method: str = DEFAULT  # of `METHODS`

    def choices(self) -> list[ipywidgets.Widget]:
        self.menu = Menu("bound_method", "method", METHODS, self.choose)
        return [self.menu.widget]

    def follow_controls(self, result: Result) -> None:
        self.menu.follow(self)

    def can_compute(self) -> bool:
        return self.store.scores is not None and bool(self.store.scores.groups)

    @classmethod
    def is_wanted(cls, store: Store) -> bool:
        return store.scores is not None and bool(store.scores.groups)

    def question(self, result: Result) -> dict[str, Any]:
        spec = result.spec
        return {
            "delta": result.claim.delta,
            "confidence_level": spec.confidence_level,
            "applies_to": spec.applies_to,
            "method": self.bound_method,
        }

    def work(self, subject: Scores, question: dict[str, Any], progress: Progress) -> Slices:
        """Return one bound after the other, and what the sentence about the largest group needs."""
        found = slices(subject, **question, progress=progress)
        if found.worst is None and found.n_tested:
            _ = largest_group(found).ceiling  # kept: it takes a moment
        return found


# The view of retrained models: each canary's rates in the region, and how tight the claim is.

FIXED_THRESHOLD = (
    "in the unit of the scores, and fixed before looking at them; gives every point its limits"
)


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
            OptionalBox("threshold", "threshold fixed beforehand", FIXED_THRESHOLD, self.choose),
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


# The view of lower bounds on epsilon: all methods side by side, computed on request.

CAUTIONS = "bounds_cautions"  # in sight
DIRECTIONS = {"as given": "attack", "both": "both"}
PRESET = (
    "in the unit of the scores, and fixed before looking at them; with one, methods that need it "
    "are shown too"
)


class BoundsView(ComputedView):
    """Lower bounds on epsilon of all methods, beside the claim's epsilon and the ceiling.

    Examples
    --------
    >>> from dpviz.widgets import BoundsView
    >>> view = BoundsView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=1e-3)
    >>> view.choose(directions="both")
    >>> view.shown.question.directions, len(view.shown.bounds)  # until they are computed
    ('both', 0)
    """

    scene = LOWER_BOUNDS
    moved_by = ("epsilon", "delta")
    name = "bounds"
    action: ClassVar[str] = "Compute"
    progress_text: ClassVar[str] = "computing lower bounds ..."
    requirement: ClassVar[str] = (
        "Bounds need scores of members and non-members: load a sample or your own file."
    )
    own = _question = BoundsQuestion()  # `own`: the directions and the threshold that were chosen

    @property
    def shown(self) -> BoundsPart:
        """The question, and the bounds once they are computed."""
        return self.answer or BoundsPart(question=self.result.answers["bounds_question"])

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("applies_to", "data", RECORDS, self.change),
            Menu("directions", "direction", DIRECTIONS, self.choose),
            OptionalBox("threshold", "threshold fixed beforehand", PRESET, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> BoundsQuestion:
        spec = result.spec
        asked = replace(
            self.own,
            delta=result.claim.delta,
            confidence_level=spec.confidence_level,
            applies_to=spec.applies_to,
            method=spec.lower_bound_method,
        )
        if asked != self._question:  # else the same object: there is nothing to draw
            self._question = asked
        return self._question

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return super().answers(result, scores) | {"bounds_question": self.question(result)}

    def work(self, subject: Scores, question: BoundsQuestion, progress: Progress) -> BoundsPart:
        return lower_bounds(subject, question, progress=progress)

    def make_texts(self) -> dict[str, Html]:
        return {name: text for name, text in super().make_texts().items() if name != CAUTIONS}

    def written(self, result: Result) -> str:
        cautions = result.sentences[CAUTIONS]
        return super().written(result) + (block("dpviz-warnings", cautions) if cautions else "")

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        return {"own": replace(self.own, **choices)}


# The view of the planner: how many records would certify the claim's epsilon.


class PlanView(ComputedView):
    """Numbers of records with the power that they give an audit by an attack like this one.

    Examples
    --------
    >>> from dpviz.widgets import PlanView
    >>> view = PlanView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=0.5)
    >>> view.choose(power=0.9)
    >>> view.question(view.result).power
    0.9
    """

    scene = PLAN
    moved_by = ("epsilon", "delta")
    name = "plan"
    action: ClassVar[str] = "Plan"
    progress_text: ClassVar[str] = "simulating audits ..."
    requirement: ClassVar[str] = "A plan needs scores of an attack: load a sample or your own file."
    power: float = 0.8

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("power", "probability", {percent(p): p for p in POWERS}, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> PlanQuestion:
        return PlanQuestion(
            epsilon=result.claim.epsilon,
            delta=result.claim.delta,
            confidence_level=result.spec.confidence_level,
            power=self.power,
        )

    def work(self, subject: Scores, question: PlanQuestion, progress: Progress) -> PlanPart:
        return record_plan(subject, question, progress=progress)

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices


# The view of several designs of an audit: how many records each needs.

MENU: dict[str, Compared] = {"ways to audit": "designs", "several ε": "epsilons"}


class DesignsView(ComputedView):
    """The power of several audits over their number of records, with an attack like this one.

    Without scores the attack is the best one that the claim allows.

    Examples
    --------
    >>> from dpviz.widgets import DesignsView
    >>> view = DesignsView(epsilon=1.0, delta=0.0)
    >>> view.choose(compared="epsilons")
    >>> view.question(view.result).compared
    'epsilons'
    """

    scene = DESIGNS
    needs_scores: ClassVar[bool] = False
    moved_by = ("epsilon", "delta")
    name = "designs"
    action: ClassVar[str] = "Plan"
    progress_text: ClassVar[str] = "simulating audits ..."
    requirement: ClassVar[str] = "A plan needs a claim, or scores of an attack."
    power: float = 0.8
    compared: Compared = "designs"

    def can_compute(self) -> bool:
        return self.store.scores is not None or self.result.is_claimed

    def choices(self) -> list[ipywidgets.Widget]:
        self.controls = [
            Menu("compared", "compare", MENU, self.choose),
            Menu("confidence_level", "confidence", LEVELS, self.change, write=percent),
            Menu("power", "probability", {percent(p): p for p in POWERS}, self.choose),
        ]
        return [control.widget for control in self.controls]

    def question(self, result: Result) -> DesignsQuestion:
        return DesignsQuestion(
            claim=result.claim.claim if self.store.scores is None else None,
            epsilon=result.claim.epsilon,
            delta=result.claim.delta,
            confidence_level=result.spec.confidence_level,
            power=self.power,
            compared=self.compared,
        )

    def work(
        self, subject: Scores | None, question: DesignsQuestion, progress: Progress
    ) -> DesignsPart:
        return audit_designs(subject, question, progress=progress)

    def follow_controls(self, result: Result) -> None:
        for control in self.controls:
            control.follow(self.question(result))

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices
