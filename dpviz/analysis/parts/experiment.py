"""A membership experiment under way: the rounds played so far, as one frozen value."""

from dataclasses import dataclass, replace

import numpy as np

from dpviz.audit.experiment.counts import ExperimentCounts, error_rates
from dpviz.audit.experiment.game import Experiment, ListAnswers, Rounds, Tallies, play_list
from dpviz.checks import FloatArray, read_only
from dpviz.theory import ListExperiment, risk

REPEATS = 200  # further runs of the same attack that make the cloud
# Rounds after which the running estimates are kept: all at first, then 40 per decade.
MILESTONES = np.unique(np.geomspace(1, 1e9, 9 * 40 + 1).round().astype(np.int64))


@dataclass(frozen=True, kw_only=True, eq=False)
class ExperimentPart:
    """The experiment, the bounds that the claim sets, and the counts of the rounds played.

    `ppv_bound` is the largest PPV that the claim permits at this FPR and prior. `milestones` has
    rows of rounds and the four counts after them, `repeats` the counts of further runs of the same
    attack, each as long as this one. `answers` are those of as many respondents, where the claim is
    a list experiment.
    """

    experiment: Experiment
    ppv_bound: float
    counts: ExperimentCounts
    last: Rounds | None
    milestones: Tallies
    repeats: Tallies
    answers: ListAnswers | None

    @classmethod
    def of(cls, experiment: Experiment) -> "ExperimentPart":
        """Nothing played yet."""
        return cls(
            experiment=experiment,
            ppv_bound=risk.ppv(experiment.f, fpr=experiment.fpr, prior=experiment.prior),
            counts=ExperimentCounts(),
            last=None,
            milestones=np.zeros((0, 5), dtype=np.int64),
            repeats=np.zeros((REPEATS, 4), dtype=np.int64),
            answers=None,
        )

    @property
    def cloud(self) -> FloatArray:
        """Measured (FPR, FNR) of the further runs, without those where one is 0/0."""
        rates = error_rates(self.repeats)
        return rates[~np.isnan(rates).any(axis=1)]

    def running(self) -> dict[str, FloatArray]:
        """Rounds and the estimate after them of "ppv", "tpr" and "fpr", where it is no 0/0."""
        now = [self.counts.rounds, *self.counts.tally]
        rounds, tp, fp, tn, fn = np.vstack([self.milestones, [now]]).T
        shares = {"ppv": (tp, tp + fp), "tpr": (tp, tp + fn), "fpr": (fp, fp + tn)}
        return {
            name: np.column_stack([rounds[some], hits[some] / trials[some]])
            for name, (hits, trials) in shares.items()
            for some in [trials > 0]
        }


def advance(part: ExperimentPart, rng: np.random.Generator, rounds: int) -> ExperimentPart:
    """Play some more rounds (at least 1): the last one by itself, those before it in bulk."""
    experiment, begin = part.experiment, part.counts.rounds
    end = begin + rounds
    passed = MILESTONES[slice(*np.searchsorted(MILESTONES, [begin + 1, end]))]
    stops = np.concatenate([[begin], passed, [end - 1]])
    steps = experiment.tallies(rng, np.diff(stops))
    last = experiment.play(rng, 1)
    sums = part.counts.tally + np.cumsum(steps, axis=0)
    counts = ExperimentCounts.of_tally(sums[-1]) + last.counts
    kept = [part.milestones, np.column_stack([passed, sums[:-1]])]
    if end in MILESTONES:
        kept.append(np.array([[end, *counts.tally]]))
    return replace(
        part,
        counts=counts,
        last=last,
        milestones=read_only(np.vstack(kept)),
        repeats=read_only(part.repeats + experiment.tallies(rng, np.full(REPEATS, rounds))),
        answers=_more_answers(part, rng, rounds),
    )


def _more_answers(
    part: ExperimentPart, rng: np.random.Generator, rounds: int
) -> ListAnswers | None:
    claim = part.experiment.f
    if not isinstance(claim, ListExperiment):
        return None
    more = play_list(rng, claim.support, rounds, prior=part.experiment.prior)
    return more if part.answers is None else part.answers + more
