"""Views of evidence: the audit, bounds, plans, designs, groups of records, retrained models."""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import ipywidgets
import numpy as np

from dpviz import checks
from dpviz.analysis import Result
from dpviz.analysis.topics import designs
from dpviz.analysis.topics.bounds import LOWER_BOUNDS, BoundsPart, BoundsQuestion, lower_bounds
from dpviz.analysis.topics.designs import DESIGNS, Compared, DesignsPart, DesignsQuestion
from dpviz.analysis.topics.evidence import EVIDENCE
from dpviz.analysis.topics.plan import PLAN, POWERS, PlanPart, PlanQuestion, plan_part
from dpviz.analysis.topics.retraining import RETRAINING
from dpviz.analysis.topics.showable import (
    SHOWABLE,
    ShowablePart,
    ShowableQuestion,
    showable_part,
)
from dpviz.analysis.topics.slices import SLICES, most_certifiable_group
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.slices import Slices, slices
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.models.retraining import retraining_audit
from dpviz.audit.scores.base import Scores
from dpviz.number_format import percent
from dpviz.widgets.base.html import Html, div
from dpviz.widgets.base.job import AuditJob
from dpviz.widgets.controls.fields import Menu, NumberBox
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.figure_view import ComputeTexts, FigureView

CONFIDENCE_LEVELS = {percent(level): level for level in (0.9, 0.95, 0.99)}
SAMPLINGS = {
    "one model, train against hold-out": None,
    "one canary in and out of independent trainings": "independent_trainings",
    "one training, each record included by a fair coin": "fair_coins",
    "one training, a random split of fixed sizes": "fixed_split",
}
NEIGHBOURS = {"automatic": None, "add or remove one": "add_remove"}
NEIGHBOURS |= {"replace one record": "replace_one"}
# Methods that need no threshold fixed beforehand and no membership decided by fair coins.
PLAIN_METHODS = (k for k, m in BOUNDS.items() if not (m.needs_threshold or m.requires_fair_coins))
BOUND_METHODS = {BOUNDS[name].label: name for name in PLAIN_METHODS}
POWER_MENU = {percent(power): power for power in POWERS}
COMPARISONS: dict[str, Compared] = {"ways to audit": "designs", "several ε": "epsilons"}
DIRECTIONS = {"as given": "attack", "both": "both"}
NO_BOUNDS_TEXT = "Bounds need scores of members and non-members: load a sample or your own file."
NO_PLAN_TEXT = "A plan needs scores of an attack: load a sample or your own file."
NO_DESIGNS_TEXT = "A plan needs a claim, or scores of an attack."
NO_SLICES_TEXT = (
    "These scores have no groups. Read them with read_scores(..., group=<column>), or give "
    "AttackScores member_groups and nonmember_groups."
)
NO_RETRAINING_TEXT = (
    "A retraining audit needs one score per model and canary: "
    "dpviz.audit.retraining_scores(scores, included, kind=...)."
)
THRESHOLD_HINT = "a threshold that was fixed before anybody saw the scores; {}"
CAUTIONS_NAME = "bounds_cautions"  # name of a sentence that is not folded away


class AuditView(FigureView):
    """Claimed epsilon, lower bound, largest possible bound, Epsilon* and Epsilon*'s null quantile.

    The store's :class:`AuditJob` computes the slow parts.

    Examples
    --------
    >>> from dpviz.widgets import AuditView
    >>> view = AuditView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=1.0)
    >>> view.result.sample.audit.bound is None  # until it is computed
    True
    """

    scene = EVIDENCE
    shows_audit = True
    moved_by = ("epsilon", "delta")
    try_it = "move ε up to the lower bound: from there on, the claim is not contradicted."
    table_name = "rates"

    def make_controls(self) -> list[Any]:
        self.audit = self.store.shared(AuditJob)
        self.audit.compute_when_shown(self)
        return [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            Menu("sampling", "these records are", SAMPLINGS, self.change),
            Menu("neighbours", "neighbours", NEIGHBOURS, self.change),
        ]

    def widgets_after_text(self) -> list[ipywidgets.Widget]:
        return [self.audit.widget] if self.is_alone else []

    def compute(self) -> None:
        """Compute the missing parts of the audit, in the background if an event loop runs."""
        self.audit.compute()


class BoundsView(FigureView):
    """Lower bounds on epsilon by all methods, the claimed epsilon and the largest possible bound.

    Examples
    --------
    >>> from dpviz.widgets import BoundsView
    >>> view = BoundsView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), delta=1e-3)
    >>> view.choose(directions="both")
    >>> view.shown.question.directions, len(view.shown.bounds)  # until they are computed
    ('both', 0)
    """

    scene = LOWER_BOUNDS
    is_short = True
    needs_scores = True
    moved_by = ("epsilon", "delta")
    computation = ComputeTexts("bounds", "Compute", "computing lower bounds ...", NO_BOUNDS_TEXT)
    own = _question = BoundsQuestion()  # `own` has the chosen directions and threshold

    @property
    def shown(self) -> BoundsPart:
        """The lower bounds on epsilon by all methods.

        There are none before they are computed.
        """
        return self.answer or BoundsPart(question=self.result.answers["bounds_question"])

    def make_controls(self) -> list[Any]:
        hint = THRESHOLD_HINT.format("with it, methods that need a threshold are shown, too")
        return [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            Menu("sampling", "these records are", SAMPLINGS, self.change),
            Menu("directions", "direction", DIRECTIONS, self.choose),
            NumberBox("threshold", "threshold fixed beforehand", hint, self.choose),
        ]

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        return {"own": replace(self.own, **choices)}

    def question(self, result: Result) -> BoundsQuestion:
        spec = result.spec
        question = replace(
            self.own,
            delta=result.claim.delta,
            confidence_level=spec.confidence_level,
            sampling=spec.sampling,
        )
        # An equal question stays the same object, so that nothing is redrawn.
        if question != self._question:
            self._question = question
        return self._question

    def answers(self, result: Result, scores: Scores | None) -> dict[str, Any]:
        return super().answers(result, scores) | {"bounds_question": self.question(result)}

    def compute_answer(
        self, subject: Scores, question: BoundsQuestion, progress: Progress
    ) -> BoundsPart:
        return lower_bounds(subject, question, progress=progress)

    def sentence_widgets(self) -> dict[str, Html]:
        return {k: v for k, v in super().sentence_widgets().items() if k != CAUTIONS_NAME}

    def answer_html(self, result: Result) -> str:
        cautions = result.sentences[CAUTIONS_NAME]
        return super().answer_html(result) + (div("dpviz-warnings", cautions) if cautions else "")


class PlanView(FigureView):
    """The power of an audit against its number of records, estimated from the scores.

    Examples
    --------
    >>> from dpviz.widgets import PlanView
    >>> view = PlanView(scores=([0.1, 0.4, 0.2], [0.3, 0.9, 0.8]), epsilon=0.5)
    >>> view.choose(power=0.9)
    >>> view.question(view.result).power
    0.9
    """

    scene = PLAN
    needs_scores = True
    moved_by = ("epsilon", "delta")
    computation = ComputeTexts("plan", "Plan", "simulating audits ...", NO_PLAN_TEXT)
    power: float = 0.8

    def make_controls(self) -> list[Any]:
        return [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            Menu("power", "probability", POWER_MENU, self.choose),
        ]

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices

    def question(self, result: Result) -> PlanQuestion:
        level, claim = result.spec.confidence_level, result.claim
        chosen = {"confidence_level": level, "power": self.power}
        return PlanQuestion(epsilon=claim.epsilon, delta=claim.delta, **chosen)

    def compute_answer(
        self, subject: Scores, question: PlanQuestion, progress: Progress
    ) -> PlanPart:
        return plan_part(subject, question, progress=progress)


class ShowableView(FigureView):
    """The attack accuracies that an audit can show, by number of records.

    One curve has the largest lower limit that a perfect attack shows, the other the smallest upper
    limit that a useless attack shows.

    Examples
    --------
    >>> from dpviz.widgets import ShowableView
    >>> view = ShowableView()
    >>> view.choose(power=0.5)
    >>> view.question(view.result)
    ShowableQuestion(confidence_level=0.95, power=0.5)
    """

    scene = SHOWABLE
    computation = ComputeTexts("showable", "Plan", "computing limits ...")
    power: float = 0.8

    def make_controls(self) -> list[Any]:
        return [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            Menu("power", "probability", POWER_MENU, self.choose),
        ]

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices

    def question(self, result: Result) -> ShowableQuestion:
        return ShowableQuestion(confidence_level=result.spec.confidence_level, power=self.power)

    def input_data(self, scores: Scores | None) -> None:
        return None  # the limits depend on numbers of records alone

    def compute_answer(
        self, subject: None, question: ShowableQuestion, progress: Progress
    ) -> ShowablePart:
        return showable_part(question, progress=progress)


class DesignsView(FigureView):
    """The power of audits against the number of records, for several designs or several epsilons.

    The attack is like that of the scores, or without scores the best one that the claim allows.

    Examples
    --------
    >>> from dpviz.widgets import DesignsView
    >>> view = DesignsView(epsilon=1.0, delta=0.0)
    >>> view.choose(compared="epsilons")
    >>> view.question(view.result).compared
    'epsilons'
    """

    scene = DESIGNS
    moved_by = ("epsilon", "delta")
    computation = ComputeTexts("designs", "Plan", "simulating audits ...", NO_DESIGNS_TEXT)
    power: float = 0.8
    compared: Compared = "designs"

    def can_compute(self) -> bool:
        return self.store.scores is not None or self.result.is_claimed

    def make_controls(self) -> list[Any]:
        return [
            Menu("compared", "compare", COMPARISONS, self.choose),
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            Menu("power", "probability", POWER_MENU, self.choose),
        ]

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        replace(self.question(self.result), **choices)
        return choices

    def question(self, result: Result) -> DesignsQuestion:
        part, level = result.claim, result.spec.confidence_level
        claim = part.claim if self.store.scores is None else None
        question = partial(DesignsQuestion, claim=claim, epsilon=part.epsilon, delta=part.delta)
        return question(confidence_level=level, power=self.power, compared=self.compared)

    def compute_answer(
        self, subject: Any, question: DesignsQuestion, progress: Progress
    ) -> DesignsPart:
        return designs.plan_designs(subject, question, progress=progress)


class SlicesView(FigureView):
    """Lower bounds on epsilon for groups of records, if the scores have groups.

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
    computation = ComputeTexts(
        "slices", "compare groups", "computing a bound for each group ...", NO_SLICES_TEXT
    )
    bound_method: str = DEFAULT  # of `BOUND_METHODS`

    @classmethod
    def has_content_for(cls, store: Store) -> bool:
        return store.scores is not None and bool(store.scores.groups)

    def can_compute(self) -> bool:
        return self.has_content_for(self.store)

    def make_controls(self) -> list[Any]:
        self.menu = Menu("bound_method", "method", BOUND_METHODS, self.choose)
        return [self.menu]

    def controlled_object(self, result: Result) -> Any:
        return self

    def question(self, result: Result) -> dict[str, Any]:
        chosen = {name: getattr(result.spec, name) for name in ("confidence_level", "sampling")}
        method = None if self.bound_method == DEFAULT else self.bound_method
        return {"delta": result.claim.delta, "method": method, **chosen}

    def compute_answer(
        self, subject: Scores, question: dict[str, Any], progress: Progress
    ) -> Slices:
        bounds = slices(subject, **question, progress=progress)
        # A sentence needs the ceiling of the largest group, which is cached: compute it here.
        if bounds.worst is None and bounds.n_tested:
            _ = most_certifiable_group(bounds).ceiling
        return bounds


class RetrainingView(FigureView):
    """Lower bounds on a mechanism's epsilon, from models trained with and without canaries.

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
    moved_by = ("epsilon", "delta")
    computation = ComputeTexts(
        "retraining", "audit the mechanism", "a bound for each canary ...", NO_RETRAINING_TEXT
    )
    bound_method: str = DEFAULT  # of `BOUND_METHODS`
    threshold: float | None = None  # on the original scale, fixed before looking at the scores

    @classmethod
    def has_content_for(cls, store: Store) -> bool:
        return SlicesView.has_content_for(store) and store.spec.sampling == "independent_trainings"

    def can_compute(self) -> bool:
        return SlicesView.has_content_for(self.store)

    def make_controls(self) -> list[Any]:
        hint = THRESHOLD_HINT.format("with it, every point has confidence limits")
        return [
            Menu("confidence_level", "confidence", CONFIDENCE_LEVELS, self.change, write=percent),
            NumberBox("threshold", "threshold fixed beforehand", hint, self.choose),
            Menu("bound_method", "method", BOUND_METHODS, self.choose),
        ]

    def controlled_object(self, result: Result) -> Any:
        return SimpleNamespace(**self.question(result), bound_method=self.bound_method)

    def checked_choices(self, **choices: Any) -> dict[str, Any]:
        threshold = choices.get("threshold")
        if threshold is not None:
            checks.real("threshold", threshold, -np.inf, np.inf, closed="neither")
        return choices

    def question(self, result: Result) -> dict[str, Any]:
        # The claim is no part of the question: bounds do not depend on the claim.
        chosen = {"threshold": self.threshold, "method": self.bound_method}
        level = result.spec.confidence_level
        return {"delta": result.spec.delta, "confidence_level": level, **chosen}

    def compute_answer(self, subject: Scores, question: dict[str, Any], progress: Progress) -> Any:
        return retraining_audit(subject, claim=self.store.spec.claim, **question, progress=progress)
