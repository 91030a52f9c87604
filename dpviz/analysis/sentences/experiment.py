"""Sentences about a membership experiment: the rules, the last round, frequencies, rates."""

import math
from typing import TYPE_CHECKING

from dpviz.analysis.number_format import lower, percent, short, upper
from dpviz.audit.experiment.counts import MeasuredRate
from dpviz.audit.experiment.game import opponents_range
from dpviz.theory import ListExperiment

if TYPE_CHECKING:  # the part is computed only when its view is shown
    from dpviz.analysis.parts.experiment import ExperimentPart

LEVEL = 0.95  # of the intervals in the table
PEOPLE, MOST_PEOPLE = 10_000, 10**15
HEAD = ("", "counted", "estimate", f"{percent(LEVEL)} interval", "the claim allows")
LIST_CAPTION = "Respondents of the list experiment by their answer."
LIST_HEAD = ("answer", "supporters", "opponents", "given by")
OUTCOMES = {  # by b and the guess
    (True, True): "a hit",
    (True, False): "a miss",
    (False, True): "a false alarm",
    (False, False): "a correct rejection",
}
NOT_PLAYED = "No round played yet."
OF_A_LIST = " Here a member is a respondent who supports the sensitive item."


def rules(part: "ExperimentPart") -> str:
    """Who does what in a round, with what chances."""
    asked = part.experiment
    return (
        f"In each round the challenger draws b: with probability {percent(asked.prior)} it shows "
        "a member; else a fresh record of the same population takes a member's place. The attack "
        f"is the best one the claim allows at FPR {percent(asked.fpr)}: it flags a member with "
        f"probability {percent(asked.tpr)}, a non-member with probability {percent(asked.fpr)}."
    ) + (OF_A_LIST if isinstance(asked.f, ListExperiment) else "")


def last_round(part: "ExperimentPart") -> str:
    """What happened in the last round."""
    at_fpr = f"FPR {percent(part.experiment.fpr)}"
    if part.last is None:
        return f"{NOT_PLAYED} The attack is the best one the claim allows at {at_fpr}."
    member, guess = bool(part.last.members[0]), bool(part.last.guesses[0])
    return (
        f"Round {grouped(part.counts.rounds)}: the record was a {_kind(member)}; the attack at "
        f"{at_fpr} said {_kind(guess)}: {OUTCOMES[member, guess]}."
    )


def frequencies(part: "ExperimentPart") -> str:
    """Natural frequencies under the claim, and the PPV measured so far."""
    asked = part.experiment
    people, members, others = _population(asked.prior)
    allowed = f"at most {percent(upper(part.ppv_bound))}"
    text = (
        f"Of {grouped(people)} people {_people(members)} "
        f"{'is a member' if round(members) == 1 else 'are members'} and {_people(others)} are "
        f"not. At FPR {percent(asked.fpr)}, {_people(asked.fpr * others)} non-members are flagged, "
        f"and the claim allows at most {_at_most(asked.tpr * members)} members to be flagged: then "
        f"{allowed} of those flagged are members (PPV)."
    )
    counts, right = part.counts, part.counts.true_positives
    if part.last is None:
        return text
    rounds = f" In {grouped(counts.rounds)} {'round' if counts.rounds == 1 else 'rounds'}"
    if counts.flagged == 0:
        return text + f"{rounds} nobody was flagged: no PPV so far."
    return text + (
        f"{rounds}, of the {grouped(counts.flagged)} flagged {grouped(right)} "
        f"{'was a member' if right == 1 else 'were members'}: PPV {percent(counts.ppv.value)} "
        f"(estimate; the claim allows {allowed}). This attack is the best one allowed: its "
        "estimates settle on the bounds, from either side."
    )


def caption(part: "ExperimentPart") -> str:
    """What the table of rates shows."""
    return (
        f"Rounds played: {grouped(part.counts.rounds)}. Intervals are valid for a number of rounds "
        "fixed in advance."
    )


def table(part: "ExperimentPart") -> list[tuple[str, ...]]:
    """Measured rates, their intervals, what the claim permits."""
    counts, asked = part.counts, part.experiment
    low, high = counts.advantage_interval(confidence_level=LEVEL)
    advantage = short(counts.advantage)
    return [
        ("TPR", *_cells(counts.tpr), f"at most {percent(upper(asked.tpr))}"),
        ("FPR", *_cells(counts.fpr), f"set to {percent(asked.fpr)}"),
        ("PPV", *_cells(counts.ppv), f"at most {percent(upper(part.ppv_bound))}"),
        (
            "advantage",
            "TPR - FPR",
            advantage,
            f"{short(low)} to {short(high)}",
            f"at most {short(upper(max(0.0, asked.tpr - asked.fpr)))}",
        ),
    ]


def giveaway(part: "ExperimentPart") -> str:
    """Why an extreme count gives the opinion away; empty unless the claim is a list experiment."""
    claim, answers = part.experiment.f, part.answers
    if not isinstance(claim, ListExperiment):
        return ""
    fewest, most = opponents_range(claim.support)
    certain, cleared = claim.tpr(0.0), claim.inverse().tpr(0.0)
    text = (
        f"Who answers {most + 1} supports the sensitive item: an opponent names at most {most} "
        f"items. Who answers {fewest} does not: a supporter names at least {fewest + 1}. So "
        f"{percent(certain)} of the supporters and {percent(cleared)} of the opponents give their "
        "opinion away to anybody who reads the answer, whatever else is unknown: no ε has a δ "
        f"below {percent(lower(certain))}."
    )
    if answers is None:
        return text
    return text + (
        f" Of {grouped(answers.rounds)} further respondents, {grouped(answers.given_away)} did so "
        f"({percent(answers.given_away / answers.rounds)}, an estimate)."
    )


def list_table(part: "ExperimentPart") -> list[tuple[str, ...]]:
    """How many supporters and opponents gave each answer; no rows where there is no list."""
    claim, answers = part.experiment.f, part.answers
    if answers is None or not isinstance(claim, ListExperiment):
        return []
    fewest, most = opponents_range(claim.support)
    return [
        (
            str(answer),
            grouped(int(supporters)),
            grouped(int(opponents)),
            _givers(fewest < answer <= most + 1, fewest <= answer <= most),
        )
        for answer, (supporters, opponents) in enumerate(
            zip(answers.supporters, answers.opponents, strict=True)
        )
    ]


def grouped(count: int) -> str:
    """A count in groups of three digits: 10 000."""
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}")


def _population(prior: float) -> tuple[int, float, float]:
    """People, members and non-members among them: 10 000, or more where members are rare."""
    people = PEOPLE
    while people * prior < 10 and not _is_whole(people * prior) and people < MOST_PEOPLE:
        people *= 10
    return people, people * prior, people * (1 - prior)


def _is_whole(number: float) -> bool:
    return round(number) > 0 and abs(number - round(number)) <= 1e-9 * number


def _cells(rate: MeasuredRate) -> tuple[str, str, str]:
    low, high = rate.interval(confidence_level=LEVEL)
    return (
        f"{grouped(rate.hits)} of {grouped(rate.trials)} {rate.among}",
        f"undefined: {rate.reason}" if rate.reason else percent(rate.value),
        f"{percent(lower(low))} to {percent(min(1.0, upper(high)))}",
    )


def _kind(member: bool) -> str:
    return "member" if member else "non-member"


def _people(number: float) -> str:
    """A number of people, with "about" where it is not whole, to a digit where it is small."""
    if number == 0 or _is_whole(number):
        return grouped(round(number))
    return f"about {grouped(round(number)) if number >= 10 else short(number, digits=2)}"


def _at_most(number: float) -> str:
    """A largest number of people, in whole people: 2.7 is "2 or 3" in a round or another."""
    low = math.floor(number + 1e-9)
    if number - low <= 1e-9 * max(1.0, number):
        return grouped(low)
    return f"{grouped(low)} or {grouped(low + 1)}" if number < 10 else grouped(low + 1)


def _givers(supporters: bool, opponents: bool) -> str:
    match supporters, opponents:
        case True, True:
            return "both"
        case True, False:
            return "supporters only"
        case False, True:
            return "opponents only"
        case _:
            return "nobody"
