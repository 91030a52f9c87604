"""A game: trials of an attack, its measured error rates with 95 % limits, and the certified ε."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from dpviz import audit
from dpviz.audit.bounds import EpsilonBound
from dpviz.drawing import PLANE, Layer, rectangle, theme
from dpviz.drawing.marks import Area, Points
from dpviz.number_format import lower, percent, short
from dpviz.teach.games.game import Game
from dpviz.teach.lessons.two_kinds_of_wrong import SOURCE_CLAIM, WRONG
from dpviz.teach.question import generator_for
from dpviz.theory import ApproximateDP, epsilon_at

DELTA, EPSILON = SOURCE_CLAIM.claimed_delta, SOURCE_CLAIM.claimed_epsilon


class TrialsLayer(Layer):
    """The regions of claim and certified ε, and the measured rates (with limits) and true rates."""

    claim = Area(color=theme.CLAIM, opacity=0.15, label=f"allowed by ε = {EPSILON}")
    certified = Area(color=theme.LIMIT, opacity=0, dash="dashed", width=1.5)
    limits = Area(color=theme.ATTACK, opacity=0.15, width=1, label="95 % limits of the true rates")
    measured = Points(color=theme.ATTACK, marker="diamond", size=90)
    truth = Points(color=theme.MEMBER, marker="cross", size=60)

    def draw(self, result: Any) -> None:
        bound, [limits] = result.bound, result.bound.evidence
        self.claim.draw(SOURCE_CLAIM.region())
        self.certified.set_label(f"ε ≥ {short(lower(bound.low))}")
        self.certified.draw(ApproximateDP(epsilon=bound.low, delta=DELTA).region())
        self.limits.draw(rectangle(0.0, limits.fpr_upper, 0.0, limits.fnr_upper))
        self.measured.draw(np.array([result.n_wrong]) / result.n, texts=["measured"])
        if result.shows_truth:
            self.truth.draw(np.array([[WRONG, WRONG]]), texts=["true rates"])


@dataclass(frozen=True, kw_only=True)
class Trials(Game):
    """Trainings with and without a record, and an attack with a true FPR and FNR of 10 %."""

    tens: int = 1  # of trials on each side
    shows_truth: bool = False

    scene: ClassVar = replace(
        PLANE, title="What do the trials prove?", layers=lambda: [TrialsLayer()]
    )
    note: ClassVar = (
        "The trials are random, and differ by student. The bound has 95 % confidence only if the "
        "number of trials is fixed beforehand. Do not stop where the bound looks best."
    )
    moves: ClassVar = {
        "train ten more": lambda now: replace(now, tens=now.tens + 1),
        "train 100 more": lambda now: replace(now, tens=now.tens + 10),
        "show the true rates": lambda now: (
            None if now.shows_truth else replace(now, shows_truth=True)
        ),
        "start again": lambda now: Trials(login=now.login) if now.tens > 1 else None,
    }

    @property
    def n(self) -> int:
        """The number of trials with the record, equal to the number without the record."""
        return 10 * self.tens

    @cached_property
    def n_wrong(self) -> tuple[int, int]:
        """The numbers of wrong answers in trials without the record and in trials with it."""
        # More trials begin with the same ones.
        errors = generator_for(self.login, "trials").random((self.tens, 2, 10)) < WRONG
        without, with_record = errors.sum(axis=(0, 2)).tolist()
        return without, with_record

    @cached_property
    def bound(self) -> EpsilonBound:
        """The lower bound on ε from these trials, at 95 % confidence."""
        without, with_record = self.n_wrong
        return audit.lower_bound_from_counts(
            false_positives=without,
            n_nonmembers=self.n,
            false_negatives=with_record,
            n_members=self.n,
            delta=DELTA,
        )

    @property
    def text(self) -> str:
        without, with_record = self.n_wrong
        verdict = "is contradicted" if self.bound.low > EPSILON else "is not contradicted"
        said = (
            f"The attack is wrong in {without} of {self.n} trials without the record, and in "
            f"{with_record} of {self.n} with it. ε is at least {short(lower(self.bound.low))} at "
            f"δ = {DELTA:g}, with 95 % confidence. The claim ε = {EPSILON} {verdict}."
        )
        needed = short(float(epsilon_at(fpr=WRONG, fnr=WRONG, delta=DELTA)))
        truth = f" Both true rates are {percent(WRONG)}. These rates need ε = {needed}."
        return said + truth * self.shows_truth
