"""The view of groups of records: a lower bound for each, corrected for the number of groups."""

from typing import Any, ClassVar

import ipywidgets

from dpviz.analysis import Result
from dpviz.analysis.sentences.slices import largest_group
from dpviz.audit.bounds import BOUNDS, DEFAULT
from dpviz.audit.bounds.slices import Slices, slices
from dpviz.audit.epsilon_star.resampling import Progress
from dpviz.audit.scores.base import Scores
from dpviz.pictures.scenes.evidence import SLICES
from dpviz.widgets.controls.fields import Menu
from dpviz.widgets.state.store import Store
from dpviz.widgets.views.computed import ComputedView

# The default method, and one that is quick with any number of groups.
METHODS = {BOUNDS[method].label: method for method in (DEFAULT, "local_levels")}


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
