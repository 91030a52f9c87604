"""Guesses about a secret: how much the output helps, and which attack costs least."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import logsumexp

from dpviz.analysis.result import Result
from dpviz.analysis.topic import TextWriter, Topic
from dpviz.analysis.topics.claim import ClaimCurve
from dpviz.analysis.topics.mechanism import DensitiesPart, OutputCurves, densities_part
from dpviz.analysis.words import WORDS
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import PLANE, ROW_AXIS, AxisSpec, CursorLayer, Scene, outline_of, theme
from dpviz.drawing.layer import AnswerLayer, ClaimLayer
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.number_format import percent, percent_at_most, short, tidy_rate, upper
from dpviz.theory import ApproximateDP, TradeoffFunction, best_guess
from dpviz.theory.guessing import Candidates, output_distributions_for_one_candidate
from dpviz.theory.outputs import DiscreteOutputs
from dpviz.value_object import ValueObject

LOWEST_KAPPA = 1e-3  # smallest chance of a right guess without the output that is drawn
KAPPAS = np.geomspace(LOWEST_KAPPA, 1.0, 121)  # of curves over kappa
# Numbers of candidates for which the best guess is drawn.
CANDIDATE_COUNTS = (2, 3, 4, 5, 6, 8, 10, 14, 20, 30, 50, 70, 100, 200, 300, 500, 1000)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class GuessPart(ValueObject):
    """The chances of guessing a secret under a claim; `kappa` is the chance without the output."""

    claim: TradeoffFunction
    epsilon: float
    delta: float
    kappa: float

    @property
    def candidates(self) -> Candidates:
        """The candidates for the secret; the likeliest has the prior `kappa`."""
        return Candidates.for_baseline(self.kappa)

    @cached_property
    def bound(self) -> float:
        """The largest chance of a right guess with the output: the claim's TPR at FPR `kappa`."""
        return self.claim.tpr(self.kappa)

    @property
    def implied_dp(self) -> ApproximateDP:
        """The (epsilon, delta)-DP that the claim implies for both orders of its distributions."""
        return ApproximateDP(epsilon=self.epsilon, delta=self.delta)

    @property
    def loose_bound(self) -> float:
        """The largest probability of a right guess that `implied_dp` alone allows."""
        return self.implied_dp.tpr(self.kappa)

    @cached_property
    def best(self) -> float | None:
        """The probability that the best guess from the output is right; None if unknown."""
        return best_guess(self.claim, baseline=self.kappa)

    @cached_property
    def best_guess_curve(self) -> FloatArray | None:
        """The chance that the best guess among k candidates is right: columns 1/k and chance."""
        if self.best is None:
            return None
        chances = [(1 / k, best_guess(self.claim, candidates=k)) for k in CANDIDATE_COUNTS]
        return read_only(np.array(chances, dtype=np.float64))


@lru_cache(maxsize=16)
def _bound_curve(guarantee: TradeoffFunction) -> FloatArray:
    """Return the curve of the largest probability of a right guess: columns kappa, probability."""
    # With the kinks of the guarantee among them, the curve has its exact corners.
    kinks = [x for x in guarantee.kinks if LOWEST_KAPPA < x < 1]
    kappas = np.union1d(KAPPAS, kinks)
    return read_only(np.column_stack([kappas, guarantee.tpr(kappas)]))


MOST_CANDIDATES = 10_000
CANDIDATE_BARS = 5  # candidates that have a bar of their own


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PosteriorPart(ValueObject):
    """The posterior probability of each candidate for the secret, given an output."""

    laws: DensitiesPart  # of the number of candidate 1, if it is the secret and if not
    output: float  # the number of candidate 1
    prior: float
    posterior: FloatArray
    rows: tuple[int, ...]  # candidates with a bar of their own: the first, the likeliest others

    @property
    def likeliest_candidate(self) -> int:
        """The index (from 0) of the candidate with the largest posterior: the MAP guess."""
        return int(self.posterior.argmax())


@lru_cache(maxsize=16)
def posterior_part(guess: GuessPart, output: float | None, seed: int) -> PosteriorPart | None:
    """Return posteriors given `output` (None: the likeliest one), or None if not computable."""
    total = guess.candidates.n_candidates
    laws = _output_densities(guess, total) if total <= MOST_CANDIDATES else None
    if laws is None or laws.laws is None:
        return None
    first, last = laws.span
    if output is None and isinstance(laws.laws, DiscreteOutputs):
        output = laws.laws.first + laws.laws.labels.index("this one") + 0.5
    elif output is None:
        output = laws.member[laws.member[:, 1].argmax(), 0]
    y = float(np.clip(output, first, last - 1e-9))
    # The numbers of the other candidates are drawn once; only that of candidate 1 moves.
    losses = _random_log_ratios(laws, total, seed).copy()
    if isinstance(laws.laws, DiscreteOutputs):
        _set_discrete_log_likelihoods(losses, laws.laws, y)
    else:
        losses[0] = laws.laws.log_ratio(np.array(y))
    # Bayes: prior times likelihood, over the sum of both for all candidates.
    logs = np.log(guess.candidates.priors) + losses
    posterior = np.exp(logs - logsumexp(logs))
    # Candidate 1 has the first bar, the likeliest others have the other ones.
    rows = (0, *(1 + np.argsort(-posterior[1:], kind="stable")[: CANDIDATE_BARS - 1]).tolist())
    posterior = read_only(posterior)
    return PosteriorPart(laws=laws, output=y, prior=guess.kappa, posterior=posterior, rows=rows)


@lru_cache(maxsize=16)
def _output_densities(guess: GuessPart, n_candidates: int) -> DensitiesPart | None:
    """Return the output distributions with and without candidate 1 as secret; None if unknown."""
    outputs = output_distributions_for_one_candidate(guess.claim, n_candidates)
    return None if outputs is None else densities_part(outputs)


@lru_cache(maxsize=16)
def _random_log_ratios(laws: DensitiesPart, n_candidates: int, seed: int) -> FloatArray:
    """Simulate log likelihood ratios of all candidates but the first; discrete outputs give 0."""
    losses = np.zeros(n_candidates)
    if laws.laws is not None and not isinstance(laws.laws, DiscreteOutputs):
        drawn = laws.laws.sample(np.random.default_rng(seed), n_candidates - 1, member=False)
        losses[1:] = laws.laws.log_ratio(drawn)
    return losses


def _set_discrete_log_likelihoods(
    log_ratios: FloatArray, laws: DiscreteOutputs, output: float
) -> None:
    """Set in place the log likelihood of `output` for each candidate, up to a constant."""
    label = laws.labels[int(np.floor(output)) - laws.first]
    # The second candidate stands for any other one that the output may name.
    named = 0 if label.endswith("this one") else 1
    this_one = laws.labels.index("this one")
    log_ratios[named] = np.inf if label.startswith("proof") else laws.loss[this_one]
    # A proof rules out all other candidates.
    if np.isinf(log_ratios[named]):
        log_ratios[:] = -np.inf
        log_ratios[named] = 0.0


def guess_lead(result: Result) -> str:
    """Say the chance of a right guess without output, and the largest chance with the output."""
    part = result.guess
    return WORDS["guess_lead"].format(kappa=percent(part.kappa), bound=percent_at_most(part.bound))


def guess_sentence(result: Result) -> str:
    """Say how often the best guess is right, and the largest rate that (epsilon, delta) allows."""
    part, best = result.guess, WORDS["guess.unknown"]
    if part.best is not None:
        kind = "named" if isinstance(part.claim, ApproximateDP) else "noise"
        total = short(part.candidates.n_candidates)
        best = WORDS[f"guess.{kind}"].format(k=total, best=percent(part.best))
    epsilon, loose = short(upper(part.epsilon)), percent_at_most(part.loose_bound)
    loose = WORDS["guess.loose"].format(epsilon=epsilon, delta=short(part.delta), loose=loose)
    return best + loose + WORDS["guess.side"]


def output_sentence(part: PosteriorPart) -> str:
    """Say how the output depends on which candidate is the secret."""
    kind = "named" if isinstance(part.laws.laws, DiscreteOutputs) else "others"
    return WORDS[f"candidate_output.{kind}"]


def posterior_lead(part: PosteriorPart) -> str:
    """Say the posterior of candidate 1, and of the likeliest candidate."""
    return WORDS["posterior"].format(
        first=percent(float(part.posterior[0])),
        guess=part.likeliest_candidate + 1,
        largest=percent(float(part.posterior[part.likeliest_candidate])),
    )


def least_cost_lead(result: Result) -> str:
    """Say the FPR and FNR of the attack with the least expected cost."""
    at = result.costs
    kind = {(0.0, 1.0): "none", (1.0, 0.0): "all"}.get((at.fpr, at.fnr), "at")
    return WORDS[f"costs_lead.{kind}"].format(fpr=percent(at.fpr), fnr=percent(at.fnr))


def least_cost_sentence(result: Result) -> str:
    """Say the least expected cost with the output and without the output."""
    at, spec = result.costs, result.spec
    return WORDS["costs"].format(
        prior=percent(spec.prior),
        alarm=short(spec.cost_false_alarm),
        miss=short(spec.cost_miss),
        gamma=short(at.gamma),
        blind=short(at.blind_cost),
        share=percent_at_most(max(0.0, at.gain / at.blind_cost)),
    )


MAX_KAPPA = 0.999  # chance without the output that a user can drag to


class GuessBounds(ClaimLayer):
    """The largest chance of a right guess with the output, against kappa, the chance without it."""

    closed_form = True
    of = ("guess", "claim")
    loose = Line(color=theme.LEVEL, dash="dash_dotted", width=1.5, label="limit of (ε, δ) alone")
    bound = Line(color=theme.CLAIM, width=2.5, label="limit of the claim: 1 - f(κ)")
    best = Points(color=theme.ATTACK, size=16, label="best guess (MAP)")
    limit = Points(color=theme.CLAIM, marker="diamond", size=90)
    reached = Points(color=theme.ATTACK, size=80)

    def add_marks(self) -> None:
        guide = Line(color=theme.SELECTION, dash="dotted", width=1.5, label="no output")
        self.frame.add(guide).draw(np.column_stack([KAPPAS, KAPPAS]))
        super().add_marks()

    def draw(self, result: Result) -> None:
        part = result.guess
        self.loose.draw(_bound_curve(part.implied_dp))
        self.bound.draw(_bound_curve(part.claim))
        # A chance below the axis stands at its beginning.
        kappa = max(part.kappa, self.x.low)
        self.limit.draw(np.array([[kappa, part.bound]]), texts=[percent_at_most(part.bound)])
        if part.best is None or part.best_guess_curve is None:
            self.best.hide()
            self.reached.hide()
            return
        self.best.draw(part.best_guess_curve)
        self.reached.draw(np.array([[kappa, part.best]]), texts=[percent(part.best)])


class ChanceWithoutOutput(CursorLayer):
    """A vertical line at kappa, the chance without the output; the user can drag the line."""

    of = ("guess",)
    closed_form = True

    def add_marks(self) -> None:
        self.add_cursor("κ", lambda x: self.change(kappa=tidy_rate(min(x, MAX_KAPPA))))

    def draw(self, result: Result) -> None:
        self.place_cursor(result.guess.kappa)


class CandidateOutput(CursorLayer, AnswerLayer[PosteriorPart]):
    """A vertical line at the output that concerns candidate 1; the user can drag the line."""

    answer = "posterior"

    def add_marks(self) -> None:
        self.add_cursor("output y", lambda x: self.change(output=float(f"{x:.4g}")), theme.ATTACK)

    def draw_answer(self, part: PosteriorPart) -> None:
        self.place_cursor(part.output)


class PosteriorBars(AnswerLayer[PosteriorPart]):
    """Bars of the posterior of candidate 1 and the likeliest others; the best guess is darker."""

    answer = "posterior"
    # Without a label, which would push numbers away from their bars: the axis names it.
    prior = Line(color=theme.SELECTION, dash="dotted", width=1.5)
    others = Area(color=theme.NONMEMBER, opacity=0.3)
    guess = Area(color=theme.ATTACK, opacity=0.7)
    numbers = Points(color=theme.MEMBER, marker="diamond", size=10)

    def draw_answer(self, part: PosteriorPart) -> None:
        # The candidates without a bar share the last row.
        shown = part.posterior[[*part.rows]]
        values, names = shown.tolist(), [f"candidate {i + 1}" for i in part.rows]
        if n_others := len(part.posterior) - len(part.rows):
            values, names = [*values, float(1 - shown.sum())], [*names, f"{n_others} others"]
        places = self.y.set_row_names(names)
        self.prior.draw(self.frame.ends_of_vertical_line(part.prior))
        bars = list(zip(values, places, strict=True))
        guess = part.rows.index(part.likeliest_candidate)
        self.guess.draw(outline_of([bars[guess]]))
        rest = [bar for i, bar in enumerate(bars) if i != guess]
        self.others.draw(outline_of(rest) if rest else NOTHING)
        self.numbers.draw(np.array(bars), texts=[percent(value) for value in values])


class LeastCost(ClaimLayer):
    """The (FPR, FNR) of least expected cost, and the line of equal costs through this point."""

    of = ("costs", "claim")
    closed_form = True
    line = Line(color=theme.ATTACK, dash="dashed", width=1.5, label="equal cost")
    point = Points(color=theme.ATTACK, marker="diamond", size=150, label="least cost")

    def draw(self, result: Result) -> None:
        at = result.costs
        # A slope of 0 or infinity would give no ends of the line.
        gamma = min(max(at.gamma, 1e-300), 1e300)
        # From where the line enters the plane, at FNR 1 or FPR 0, to where it leaves it.
        left = max(0.0, at.fpr - (1 - at.fnr) / gamma)
        right = min(1.0, at.fpr + at.fnr / gamma)
        ends = [(x, at.fnr + gamma * (at.fpr - x)) for x in (left, right)]
        self.line.draw(np.array(ends))
        self.point.draw(np.array([[at.fpr, at.fnr]]), texts=[f"γ = {short(at.gamma)}"])


GUESS = Scene(
    title="How much does the output help a guess?",
    shape="square",
    topic="guess",
    x=AxisSpec(
        label="right without the output (κ, log scale)", low=LOWEST_KAPPA, scale="log", is_rate=True
    ),
    y=AxisSpec(label="right with the output", high=1.05, is_rate=True),
    numbers=("kappa",),
    layers=lambda: [GuessBounds(), ChanceWithoutOutput()],
)

CANDIDATE_OUTPUT = Scene(
    title="What does the output show of candidate 1?",
    topic="candidate_output",
    needs="posterior",
    x=AxisSpec(label="output"),
    y=AxisSpec(label="density"),
    layers=lambda: [
        OutputCurves("posterior.laws", nonmember="another is the secret", member="candidate 1 is"),
        CandidateOutput(),
    ],
)

POSTERIOR = Scene(
    title="Which candidate is the secret?",
    needs="posterior",
    x=AxisSpec(label="probability after the output (dotted: before)", high=1.15, is_rate=True),
    y=ROW_AXIS,
    left=110,
    layers=lambda: [PosteriorBars()],
)

COSTS = replace(
    PLANE,
    title="Which attack costs least?",
    topic="costs",
    numbers=("cost_false_alarm", "cost_miss"),
    layers=lambda: [ClaimCurve(), LeastCost()],
)

TOPIC = Topic(
    sentences={
        "guess_lead": TextWriter(guess_lead, "guess", lead=True, about_claim=True),
        "guess": TextWriter(guess_sentence, "guess", about_claim=True),
        "candidate_output_lead": TextWriter(
            lambda _: WORDS["candidate_output"], "candidate_output", "answers.posterior", lead=True
        ),
        "candidate_output": TextWriter(output_sentence, "candidate_output", "answers.posterior"),
        "posterior_lead": TextWriter(posterior_lead, "posterior", "answers.posterior", lead=True),
        "posterior": TextWriter(
            lambda _: WORDS["posterior.bayes"], "posterior", "answers.posterior"
        ),
        "costs_lead": TextWriter(least_cost_lead, "costs", lead=True, about_claim=True),
        "costs": TextWriter(least_cost_sentence, "costs", about_claim=True),
    },
    scenes={
        "guess": GUESS,
        "candidate_output": CANDIDATE_OUTPUT,
        "posterior": POSTERIOR,
        "costs": COSTS,
    },
)
