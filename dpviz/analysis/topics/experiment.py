"""The membership experiment: rounds of a game in which an attack guesses who is a member."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpviz.analysis.result import Result
from dpviz.analysis.topic import Table, TextWriter, Topic
from dpviz.audit import experiment as games
from dpviz.checks import FloatArray, read_only
from dpviz.drawing import PLANE, AnswerLayer, Scene, rectangle, theme
from dpviz.drawing.axes import AxisSpec
from dpviz.drawing.layers import OverRandomGuessing
from dpviz.drawing.marks import NOTHING, Area, Line, Points
from dpviz.number_format import lower, percent, percent_at_most, short, upper
from dpviz.theory import risk
from dpviz.theory.mechanisms.discrete import ListExperiment

MORE_RUNS = 200  # further runs of the same attack, drawn as a cloud

# Numbers of rounds after which the counts are recorded: all at first, then 40 per decade.
RECORDED_ROUNDS = np.unique(np.geomspace(1, 1e9, 9 * 40 + 1).round().astype(np.int64))


@dataclass(frozen=True, kw_only=True, eq=False)
class ExperimentPart:
    """The membership game after some rounds: the counts, and the largest PPV under the claim."""

    experiment: games.Experiment
    ppv_bound: float
    counts: games.ExperimentCounts
    last: games.PlayedRounds | None  # the last round
    milestones: games.Tallies  # rows of a number of rounds, and TP, FP, TN, FN after them
    repeats: games.Tallies  # rows of these counts, of other games of as many rounds
    answers: games.ListExperimentAnswers | None  # None unless the claim is a list experiment

    @classmethod
    def before_first_round(cls, experiment: games.Experiment) -> "ExperimentPart":
        """Return the membership game before its first round."""
        return cls(
            experiment=experiment,
            ppv_bound=risk.ppv(experiment.f, fpr=experiment.fpr, prior=experiment.prior),
            counts=games.ExperimentCounts(),
            last=None,
            milestones=np.zeros((0, 5), dtype=np.int64),
            repeats=np.zeros((MORE_RUNS, 4), dtype=np.int64),
            answers=None,
        )

    @property
    def error_rates_of_repeats(self) -> FloatArray:
        """The measured (FPR, FNR) of each repeated game in which both rates are defined."""
        rates = games.error_rates(self.repeats)
        return rates[~np.isnan(rates).any(axis=1)]

    def running_estimates(self) -> dict[str, FloatArray]:
        """Return the estimates of "ppv", "tpr" and "fpr" as curves: columns rounds and estimate."""
        # The present counts end each line, wherever they are between two milestones.
        now = [self.counts.rounds, *self.counts.tally]
        rounds, tp, fp, tn, fn = np.vstack([self.milestones, [now]]).T
        shares = {"ppv": (tp, tp + fp), "tpr": (tp, tp + fn), "fpr": (fp, fp + tn)}
        return {
            name: np.column_stack([rounds[some], hits[some] / trials[some]])
            for name, (hits, trials) in shares.items()
            for some in [trials > 0]
        }


def advance(part: ExperimentPart, rng: np.random.Generator, rounds: int) -> ExperimentPart:
    """Return the game after `rounds` more rounds; its field `last` holds only the last round."""
    experiment, begin = part.experiment, part.counts.rounds
    end = begin + rounds
    passed = RECORDED_ROUNDS[slice(*np.searchsorted(RECORDED_ROUNDS, [begin + 1, end]))]
    # Tallies of the rounds between two milestones; the last round is played by itself.
    stops = np.concatenate([[begin], passed, [end - 1]])
    steps = experiment.tallies(rng, np.diff(stops))
    last = experiment.play(rng, 1)
    sums = part.counts.tally + np.cumsum(steps, axis=0)
    counts = games.ExperimentCounts.of_tally(sums[-1]) + last.counts
    # The sums before the last step are the tallies at the milestones that were passed.
    kept = [part.milestones, np.column_stack([passed, sums[:-1]])]
    # The last round may be a milestone itself.
    if end in RECORDED_ROUNDS:
        kept.append(np.array([[end, *counts.tally]]))
    repeats = part.repeats + experiment.tallies(rng, np.full(MORE_RUNS, rounds))
    answers = part.answers
    if isinstance(experiment.f, ListExperiment):
        more = games.play_list(rng, experiment.f.support, rounds, prior=experiment.prior)
        answers = more if answers is None else answers + more
    return replace(
        part,
        counts=counts,
        last=last,
        milestones=read_only(np.vstack(kept)),
        repeats=read_only(repeats),
        answers=answers,
    )


CONFIDENCE_LEVEL = 0.95  # of the intervals in the table
PEOPLE, MOST_PEOPLE = 10_000, 10**15  # in the sentence with natural frequencies

NOT_PLAYED = "No round is played yet."


def lead(part: ExperimentPart) -> str:
    """Say how often the attack was right so far."""
    if part.last is None:
        return NOT_PLAYED
    counts = part.counts
    right = counts.true_positives + counts.true_negatives
    return f"In {count_text(counts.rounds)} rounds the attack was right {count_text(right)} times."


def game_rules_text(part: ExperimentPart) -> str:
    """Say the rules of one round of the game, with the probabilities."""
    game = part.experiment
    about_list = " Here a member is a respondent who supports the sensitive item."
    return (
        f"In each round the challenger shows a member with probability {percent(game.prior)}; "
        "otherwise it shows a fresh record of the same population. The attack is the best one "
        f"that the claim allows at FPR {percent(game.fpr)}: it flags a member with probability "
        f"{percent(game.tpr)} and a non-member with probability {percent(game.fpr)}."
    ) + about_list * isinstance(game.f, ListExperiment)


OUTCOMES = {  # by whether the record was a member, and whether the attack said so
    (True, True): "a hit",
    (True, False): "a miss",
    (False, True): "a false alarm",
    (False, False): "a correct rejection",
}


def last_round_sentence(part: ExperimentPart) -> str:
    """Say whether the attack was right in the last round."""
    at_fpr = f"FPR {percent(part.experiment.fpr)}"
    if part.last is None:
        return f"{NOT_PLAYED} The attack is the best one that the claim allows at {at_fpr}."
    member, guess = bool(part.last.members[0]), bool(part.last.guesses[0])
    record, said = ("member" if is_member else "non-member" for is_member in (member, guess))
    return (
        f"Round {count_text(part.counts.rounds)}: the record was a {record}; the attack at "
        f"{at_fpr} said {said}: {OUTCOMES[member, guess]}."
    )


def natural_frequencies_text(part: ExperimentPart) -> str:
    """Say how many of 10 000 people are members, how many are flagged, and the measured PPV."""
    game = part.experiment
    # Ten times more people until at least ten of them are members.
    people = PEOPLE
    while people * game.prior < 10 and not _is_whole(people * game.prior) and people < MOST_PEOPLE:
        people *= 10
    members, others = people * game.prior, people * (1 - game.prior)
    allowed = f"at most {percent_at_most(part.ppv_bound)}"
    text = (
        f"Of {count_text(people)} people {_people_text(members)} "
        f"{'is a member' if round(members) == 1 else 'are members'} and {_people_text(others)} are "
        f"not. At FPR {percent(game.fpr)}, {_people_text(game.fpr * others)} non-members are "
        f"flagged, and the claim allows at most {_rounded_up_people_text(game.tpr * members)} "
        f"members to be flagged on average. Then {allowed} of the flagged people are members (PPV)."
    )
    counts, right = part.counts, part.counts.true_positives
    if part.last is None:
        return text
    rounds = f" In {count_text(counts.rounds)} {'round' if counts.rounds == 1 else 'rounds'}"
    if counts.flagged == 0:
        return text + f"{rounds} nobody was flagged: no PPV so far."
    return text + (
        f"{rounds}, {count_text(right)} of the {count_text(counts.flagged)} flagged "
        f"{'was a member' if right == 1 else 'were members'}: PPV {percent(counts.ppv.value)} (an "
        f"estimate; the claim allows {allowed}). This attack is the best one that the claim "
        "allows, so its estimates converge to the limits, from either side."
    )


def revealing_answers_text(part: ExperimentPart) -> str:
    """Say which answers of a list experiment reveal an opinion; "" for any other claim."""
    claim, answers = part.experiment.f, part.answers
    if not isinstance(claim, ListExperiment):
        return ""
    fewest, most = games.opponents_answer_range(claim.support)
    certain, cleared = claim.tpr(0.0), claim.inverse().tpr(0.0)
    text = (
        f"The answer {most + 1} reveals a supporter of the sensitive item, because an opponent "
        f"names at most {most} items. The answer {fewest} reveals an opponent, because a supporter "
        f"names at least {fewest + 1}. So {percent(certain)} of the supporters and "
        f"{percent(cleared)} of the opponents reveal their opinion to every reader of the answers: "
        f"no ε has a δ below {percent(lower(certain))}."
    )
    if answers is None:
        return text
    return text + (
        f" Of {count_text(answers.rounds)} further respondents, {count_text(answers.n_revealed)} "
        f"revealed their opinion ({percent(answers.n_revealed / answers.rounds)}, an estimate)."
    )


HEAD = ("", "counted", "estimate", f"{percent(CONFIDENCE_LEVEL)} interval", "the claim allows")


def table(part: ExperimentPart) -> Table:
    """Return the table of measured rates with intervals, beside the rates that the claim allows."""
    counts, game = part.counts, part.experiment
    low, high = counts.advantage_interval(confidence_level=CONFIDENCE_LEVEL)
    advantage = ("TPR - FPR", short(counts.advantage), f"{short(low)} to {short(high)}")
    rows = [
        ("TPR", *_rate_texts(counts.tpr), f"at most {percent_at_most(game.tpr)}"),
        ("FPR", *_rate_texts(counts.fpr), f"set to {percent(game.fpr)}"),
        ("PPV", *_rate_texts(counts.ppv), f"at most {percent_at_most(part.ppv_bound)}"),
        ("advantage", *advantage, f"at most {short(upper(max(0.0, game.tpr - game.fpr)))}"),
    ]
    caption = (
        f"Rounds played: {count_text(counts.rounds)}. Intervals are valid for a number of rounds "
        "fixed in advance."
    )
    return Table(caption, HEAD, rows)


LIST_HEAD = ("answer", "supporters", "opponents", "given by")


def list_experiment_table(part: ExperimentPart) -> Table:
    """Return the table of answers in a list experiment; any other claim gives an empty table."""
    caption = "Respondents of the list experiment by their answer."
    claim, answers = part.experiment.f, part.answers
    if answers is None or not isinstance(claim, ListExperiment):
        return Table(caption, LIST_HEAD, [])
    fewest, most = games.opponents_answer_range(claim.support)
    givers = {  # by whether supporters give the answer, and opponents
        (True, True): "both",
        (True, False): "supporters only",
        (False, True): "opponents only",
        (False, False): "nobody",
    }
    rows = []
    for answer, counts in enumerate(zip(answers.supporters, answers.opponents, strict=True)):
        giver = givers[fewest < answer <= most + 1, fewest <= answer <= most]
        rows.append((str(answer), *(count_text(int(count)) for count in counts), giver))
    return Table(caption, LIST_HEAD, rows)


def count_text(count: int) -> str:
    """Return a count as text with its digits in groups of three: "10 000"."""
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}")


def _is_whole(number: float) -> bool:
    return round(number) > 0 and abs(number - round(number)) <= 1e-9 * number


def _rate_texts(rate: games.MeasuredRate) -> tuple[str, str, str]:
    """Return the counts of a rate, its estimate and its confidence interval, each as text."""
    low, high = rate.interval(confidence_level=CONFIDENCE_LEVEL)
    return (
        f"{count_text(rate.hits)} of {count_text(rate.trials)} {rate.among}",
        f"undefined: {rate.reason}" if rate.reason else percent(rate.value),
        f"{percent(lower(low))} to {percent(min(1.0, upper(high)))}",
    )


def _people_text(number: float) -> str:
    """Return a number of people as text: "about 3.5", or "7" if it is whole."""
    if number == 0 or _is_whole(number):
        return count_text(round(number))
    return f"about {count_text(round(number)) if number >= 10 else short(number, digits=2)}"


def _rounded_up_people_text(mean: float) -> str:
    """Return a mean number of people as text, rounded up: "2.31", but "13" for 12.4."""
    # An average that is an integer up to rounding errors stays one.
    return short(upper(mean)) if mean < 10 else count_text(math.ceil(mean * (1 - 1e-9)))


SMALLEST_WINDOW = 2.0**-15  # half the width of the magnified axes; ticks have six digits


class MeasuredPoints(OverRandomGuessing):
    """The claim's curve, and the measured (FPR, FNR) of this game and of repeated games."""

    of = ("answers.experiment", "answers.experiment_magnified", "claim")
    cloud = Points(color=theme.LEVEL, marker="diamond", size=14, label=f"{MORE_RUNS} further runs")
    curve = Line(color=theme.CLAIM, width=2.5, label="limit of the claim")
    rectangle = Area(
        color=theme.ATTACK, opacity=0.15, label=f"{percent(CONFIDENCE_LEVEL)} intervals", extra=True
    )
    point = Points(color=theme.ATTACK, marker="diamond", size=90, label="this run (estimate)")

    def draw(self, result: Result) -> None:
        part: ExperimentPart = result.answers["experiment"]
        counts, cloud, experiment = part.counts, part.error_rates_of_repeats, part.experiment
        truth = np.array([experiment.fpr, experiment.f.beta(experiment.fpr)])
        if result.answers.get("experiment_magnified") and len(cloud):
            around = np.maximum(np.abs(cloud - truth).max(axis=0), SMALLEST_WINDOW)
            # Rounded up to powers of 2, so that the axes seldom change.
            half = 2.0 ** np.ceil(np.log2(around))
            for axis, center, reach in zip((self.x, self.y), truth, half, strict=True):
                axis.set_range(max(0.0, center - reach), min(1.0, center + reach))
        else:
            self.x.set_range(0.0, 1.0)
            self.y.set_range(0.0, 1.0)
        self.curve.draw(self._claim_curve(result))
        self.cloud.draw(cloud)
        here = np.array([[counts.fpr.value, counts.fnr.value]])
        is_placed = bool(np.isfinite(here).all())  # a rate may be 0/0
        self.point.draw(here if is_placed else NOTHING)
        (left, right), (bottom, top) = (
            rate.interval(confidence_level=CONFIDENCE_LEVEL) for rate in (counts.fpr, counts.fnr)
        )
        self.rectangle.draw(rectangle(left, right, bottom, top) if is_placed else NOTHING)

    def _claim_curve(self, result: Result) -> FloatArray:
        """Return the claim's curve; on magnified axes, the curve has a finer grid of FPRs."""
        claim, x = result.claim, self.x
        if (x.low, x.high) == (0.0, 1.0):
            return claim.curve
        kinks = claim.curve[(claim.curve[:, 0] > x.low) & (claim.curve[:, 0] < x.high), 0]
        fpr = np.union1d(np.linspace(x.low, x.high, 200), kinks)
        return np.column_stack([fpr, claim.claim.beta(fpr)])


LEAST_ROUNDS = 100  # smallest end of the axis of rounds
AXIS_FACTOR = 1.5  # length of the axis over its last decade, so that the label has room
# For each rate: a dash; colour and label of its limit; colour and label of its measured line.
LOOKS: dict[str, tuple[theme.Dash, str, str, str, str]] = {
    "ppv": ("solid", theme.CLAIM, "PPV: limit of the claim", theme.ATTACK, "PPV (estimate)"),
    "tpr": ("dashed", theme.CLAIM, "", theme.LIMIT, "TPR (estimate)"),
    "fpr": ("dotted", theme.SELECTION, "", theme.SELECTION, "FPR"),
}


class RatesOverRounds(AnswerLayer[ExperimentPart]):
    """Measured PPV, TPR and FPR against the number of rounds, and lines at the exact values."""

    answer = "experiment"

    def add_marks(self) -> None:
        self._levels = {
            name: self.add(f"{name} level", Line(color=color, dash=dash, width=1.5, label=label))
            for name, (dash, color, label, *_) in LOOKS.items()
        }
        self._running = {
            name: self.add(name, Line(color=color, dash=dash, width=2.5, label=label))
            for name, (dash, *_, color, label) in LOOKS.items()
        }

    def draw_answer(self, part: ExperimentPart) -> None:
        x, y, experiment = self.x, self.y, part.experiment
        levels = {"ppv": part.ppv_bound, "tpr": experiment.tpr, "fpr": experiment.fpr}
        # The axis grows by whole decades, so that it seldom changes.
        decade = np.ceil(np.log10(max(LEAST_ROUNDS, part.counts.rounds)))
        x.set_range(1.0, AXIS_FACTOR * 10.0**decade)
        smallest = min((level for level in levels.values() if level > 0), default=0.1)
        y.set_range(10.0 ** np.floor(np.log10(max(smallest, 1e-12) / 2)), 1.0)
        # Rates below the axis stand at its end.
        for name, level in levels.items():
            self._levels[name].draw(self.frame.ends_of_horizontal_line(y.clamp(level)))
        for name, running in part.running_estimates().items():
            self._running[name].draw(np.maximum(running, [-np.inf, y.low]))


EXPERIMENT = replace(
    PLANE,
    title="Do the rates of many rounds approach the curve?",
    needs="experiment",
    left=92,  # magnified, ticks have up to six digits
    label_offset="5.2em",
    layers=lambda: [MeasuredPoints()],
)

EXPERIMENT_RATES = Scene(
    title="How fast do the estimated rates converge?",
    needs="experiment",
    topic="experiment_rates",
    x=AxisSpec(label="rounds (log scale)", low=1, high=100, scale="log"),
    y=AxisSpec(label="share (log scale)", low=0.001, high=1, scale="log", is_rate=True),
    layers=lambda: [RatesOverRounds()],
)

TOPIC = Topic(
    sentences={
        "experiment_lead": TextWriter(lead, "experiment", "answers.experiment", lead=True),
        "rules": TextWriter(game_rules_text, "experiment", "answers.experiment"),
        "last_round": TextWriter(last_round_sentence, "experiment", "answers.experiment"),
        "frequencies": TextWriter(natural_frequencies_text, "experiment", "answers.experiment"),
        "giveaway": TextWriter(revealing_answers_text, "experiment", "answers.experiment"),
    },
    tables={
        "experiment": TextWriter(table, "experiment", "answers.experiment"),
        "list_experiment": TextWriter(list_experiment_table, "experiment", "answers.experiment"),
    },
    scenes={"experiment": EXPERIMENT, "experiment_rates": EXPERIMENT_RATES},
)
