"""What one output says about each candidate: the posterior, and the guess that it suggests."""

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from dpviz.analysis.memo import memoised
from dpviz.analysis.parts.guess import GuessPart
from dpviz.analysis.parts.mechanism import LawsPart, laws_part
from dpviz.checks import FloatArray, read_only
from dpviz.theory.guessing import candidate_outputs
from dpviz.theory.outputs.bars import Bars

MOST_CANDIDATES = 10_000
ROWS = 5  # candidates that have a bar of their own


@dataclass(frozen=True, kw_only=True, eq=False)
class PosteriorPart:
    """The output's number for candidate 1, which the user moves, and the posterior of each.

    `laws` are the distributions of that number. The numbers of the others are drawn as if candidate
    1 were the secret. `shown` are the candidates with a bar: the first and the likeliest others.
    """

    laws: LawsPart
    output: float
    prior: float
    posterior: FloatArray
    shown: tuple[int, ...]

    @property
    def guess(self) -> int:
        """The candidate of the largest posterior (MAP), counted from 0."""
        return int(self.posterior.argmax())

    @property
    def others(self) -> tuple[int, float]:
        """How many candidates have no bar, and their posterior together."""
        rest = len(self.posterior) - len(self.shown)
        return rest, float(1 - self.posterior[list(self.shown)].sum()) if rest else 0.0


class Posteriors:
    """Computes the posterior; what a moved output does not affect is the same object."""

    @memoised
    def part(self, guess: GuessPart, output: float | None, seed: int) -> PosteriorPart | None:
        """The posterior at an output; None where no mechanism is known, or too many candidates.

        Without an output, it is the mode of candidate 1's number.
        """
        total = guess.candidates.total
        laws = self.laws(guess, total) if total <= MOST_CANDIDATES else None
        if laws is None or laws.laws is None:
            return None
        first, last = laws.span
        if output is None:
            output = _typical(laws)
        y = float(np.clip(output, first, last - 1e-9))
        losses = self.losses(laws, total, seed).copy()
        if isinstance(laws.laws, Bars):
            _name(losses, laws.laws, y)
        else:
            losses[0] = laws.laws.log_ratio(np.array(y))
        logs = np.log(guess.candidates.priors) + losses
        posterior = np.exp(logs - logsumexp(logs))
        order = [0, *(1 + np.argsort(-posterior[1:], kind="stable")[: ROWS - 1]).tolist()]
        return PosteriorPart(
            laws=laws,
            output=y,
            prior=guess.kappa,
            posterior=read_only(posterior),
            shown=tuple(order),
        )

    @memoised
    def laws(self, guess: GuessPart, total: int) -> LawsPart | None:
        """The distributions of one candidate's number."""
        outputs = candidate_outputs(guess.claim, total)
        return None if outputs is None else laws_part(outputs)

    @memoised
    def losses(self, laws: LawsPart, total: int, seed: int) -> FloatArray:
        """The log likelihood ratios of all candidates but the first, whose own is 0 here."""
        found = np.zeros(total)
        if laws.laws is not None and not isinstance(laws.laws, Bars):
            drawn = laws.laws.sample(np.random.default_rng(seed), total - 1, member=False)
            found[1:] = laws.laws.log_ratio(drawn)
        return found


def _typical(laws: LawsPart) -> float:
    """What the output shows of candidate 1 where it is the secret: its mode."""
    if isinstance(laws.laws, Bars):
        return laws.laws.first + laws.laws.labels.index("this one") + 0.5
    curve = laws.member
    return float(curve[curve[:, 1].argmax(), 0])


def _name(losses: FloatArray, bars: Bars, output: float) -> None:
    """Put the evidence where the output names a candidate: the first one, or the second for all."""
    label = bars.labels[int(np.floor(output)) - bars.first]
    named = 0 if label.endswith("this one") else 1
    this_one = bars.labels.index("this one")
    losses[named] = np.inf if label.startswith("proof") else bars.loss[this_one]
    if np.isinf(losses[named]):
        losses[:] = -np.inf
        losses[named] = 0.0
