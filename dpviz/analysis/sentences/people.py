"""Sentences in whole people: of 100 members, of 100 non-members, and of 10 000 people."""

from dpviz.analysis.number_format import percent
from dpviz.analysis.parts.parts import ResultParts
from dpviz.analysis.parts.people import (
    PER_CLASS,
    PeoplePart,
    RedrawPart,
    down,
    nearest,
    round_half_up,
    up,
)
from dpviz.analysis.sentences.templates import WORDS


def people(result: ResultParts) -> str:
    """How many of 100 members are detected, and of 100 non-members flagged."""
    part = result.people
    if not part.is_measured:
        return WORDS["people.claim"].format(flagged=_whole(part.fpr), detected=_whole(part.tpr))
    allowed = PER_CLASS - part.hundreds.required
    return WORDS["people.attack"].format(
        detected=_about(part.tpr), flagged=_about(part.fpr), allowed=allowed
    )


def people_without_claim(result: ResultParts) -> str:
    """The same of an attack that was measured."""
    part = result.people
    if not part.is_measured:
        return WORDS["no_claim"]
    return WORDS["people.measured"].format(detected=_about(part.tpr), flagged=_about(part.fpr))


def population(result: ResultParts) -> str:
    """How many of those who are called "member" are members: the PPV in people."""
    part, crowd = result.people, result.people.population
    return WORDS[_population_case(part)].format(
        called=f"{crowd.called} {'person' if crowd.called == 1 else 'people'}",
        detected=crowd.detected,
        members=crowd.members,
        prior=percent(result.spec.prior),
    )


def population_without_claim(result: ResultParts) -> str:
    """The same of an attack that was measured."""
    return population(result) if result.people.is_measured else WORDS["no_claim"]


def counts(result: ResultParts) -> str:
    """All four counts of the population."""
    crowd = result.people.population
    return WORDS["population.counts"].format(
        members=crowd.members,
        detected=crowd.detected,
        missed=crowd.missed,
        nonmembers=crowd.nonmembers,
        flagged=crowd.flagged,
        cleared=crowd.cleared,
        prior=percent(result.spec.prior),
    )


def redraws(part: RedrawPart) -> str:
    """The last hypothetical audit, and the range of all so far."""
    crowd = part.crowd
    if part.draws == 0:
        return (
            "Another audit would have other records. Each redraw draws as many with the measured "
            "rates."
        )
    return (
        f"Redraw {part.draws}: {crowd.detected} of 100 members and {crowd.flagged} of 100 "
        f"non-members are called “member”. So far {_range(part.detected)} and "
        f"{_range(part.flagged)}."
    )


def about_redraws(part: RedrawPart) -> str:
    """What is drawn, and what it is not."""
    return (
        f"A redraw is a hypothetical audit of {part.n_members} members and {part.n_nonmembers} "
        "non-members, drawn independently with the measured rates at the same threshold: what the "
        "sample alone leaves uncertain. The range of redraws is no confidence interval."
    )


def _range(ends: tuple[int, int]) -> str:
    low, high = ends
    return str(low) if low == high else f"{low} to {high}"


def rounding(result: ResultParts) -> str:
    """How averages become whole people."""
    if result.people.is_measured:
        return (
            "Drawn are the measured rates of this attack, an estimate, to the nearest whole "
            "person; nobody and everybody only where the count is exact. Rings: members that any "
            "attack with this FPR must miss on average under the claim, rounded down."
        )
    return (
        "Drawn is the best attack that the claim allows, on average and in whole people: detected "
        "members are rounded down and flagged non-members up, so that the picture never shows "
        "more than the claim allows. Rings: members that every attack with this FPR must miss on "
        "average, rounded down."
    )


def _population_case(part: PeoplePart) -> str:
    if part.population.members == 0:
        return "population.few"
    if part.population.called == 0:
        return "population.none"
    return "population.attack" if part.is_measured else "population.claim"


def _whole(rate: float) -> str:
    """The average number of 100 people as whole people: "3" or "2 or 3"."""
    low, high = down(rate * PER_CLASS), up(rate * PER_CLASS)
    return str(low) if low >= high else f"{low} or {high}"


def _about(rate: float) -> str:
    """The nearest number of 100 people: "6", "about 6", or "fewer than 1" where that would be 0."""
    shown, plain = nearest(rate, PER_CLASS), round_half_up(rate * PER_CLASS)
    if down(rate * PER_CLASS) >= up(rate * PER_CLASS):
        return str(shown)
    if plain == shown:
        return f"about {shown}"
    return f"{'fewer' if plain < shown else 'more'} than {shown}"
