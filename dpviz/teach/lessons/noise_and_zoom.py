"""Lesson 3: equal noise on queries of different sensitivity, and a list experiment (a survey)."""

from dpviz.analysis import Spec
from dpviz.number_format import percent, short
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker, generator_for
from dpviz.theory import LaplaceMechanism
from dpviz.theory.mechanisms.discrete import ListExperiment
from dpviz.theory.zoom_levels import ZoomLevels

TOLERANCE = 0.01  # relative
EPSILON_TOLERANCE = 0.02  # of an ε that is set


def maps_of_incomes(login: str) -> ZoomLevels:
    """Return maps of average incomes at three zoom levels, whose sizes depend on the login."""
    rng = generator_for(login, "3.maps")
    streets = int(rng.choice([500, 1000, 1250, 2000]))
    records, high = int(rng.choice([50_000, 100_000])), float(rng.choice([100.0, 200.0]))
    return ZoomLevels(records=records, low=0.0, high=high, regions=[1, 50, streets], scale=1.0)


def _leakiest_map_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="All three maps have the same noise. Which map leaks most about a person?",
        right="The map of streets: one income moves the average of a small group most.",
        wrong={
            "The map of the country: it covers the most people.": (
                "By how much does one income move the average of the whole country?"
            ),
            "None: the same noise gives the same privacy.": (
                "Noise hides a change. Is the change the same on all maps?"
            ),
            "The map of towns: it is between the other two.": (
                "For each map, divide the range of incomes by the number of people in a region."
            ),
        },
        because="Sensitivity is the range of incomes divided by the people in the smallest region.",
    )


def _total_epsilon_question(maker: QuestionMaker) -> Question:
    levels = maps_of_incomes(maker.login)
    *_, finest = levels.epsilons.tolist()

    def is_near(number: float, value: float) -> bool:
        return abs(number - value) <= TOLERANCE * value

    return maker.question(
        text=(
            f"Incomes of {levels.records} people are clipped to 0 to {levels.high:.0f} thousand. "
            f"The averages of the country, {levels.regions[1]} towns and {levels.regions[2]} "
            "streets are published, all with Laplace noise of scale 1 thousand. "
            "What is ε of all maps together?"
        ),
        kind=Number(unit="ε"),
        rules={
            "That is the ε of the finest map. A person is on all three maps.": lambda number: (
                is_near(number, levels.epsilon) or abs(number - finest) > TOLERANCE * finest / 4
            ),
            "Too small. One person moves an average on every map. Add up these changes.": (
                lambda number: number >= (1 - TOLERANCE) * levels.epsilon
            ),
            "Too large. How many regions of a map does a person change?": lambda number: is_near(
                number, levels.epsilon
            ),
        },
        because="One person moves one average on each map, so the three values of ε add up.",
        tolerance=f"{percent(TOLERANCE)} of the ε of the student's maps",
        points=2,
    )


def _epsilon_of_noise_question(maker: QuestionMaker) -> Question:
    levels = maps_of_incomes(maker.login)
    scale = float(maker.rng().choice([2.0, 4.0, 5.0, 8.0]))
    change = float(levels.sensitivities[-1])
    start = Spec(claim=LaplaceMechanism(epsilon=9.0), delta=0.0)

    return maker.question(
        text=(
            f"Only the map of streets is published, now with noise of scale {scale:.0f} thousand. "
            "Set ε to the value that this map guarantees."
        ),
        kind=Picture(start=start, views=("mechanism",), moved_by=("epsilon",)),
        rules={
            "The claim was changed: keep the Laplace mechanism, and move only ε.": lambda spec: (
                type(spec.claim) is LaplaceMechanism
            ),
            "This ε is too small: one person moves an average by more than ε × noise scale.": (
                lambda spec: spec.epsilon >= change / scale - EPSILON_TOLERANCE
            ),
            "This ε is too large: the map guarantees a smaller ε.": lambda spec: (
                spec.epsilon <= change / scale + EPSILON_TOLERANCE
            ),
        },
        because="ε is the largest change by one person, divided by the scale of the noise.",
        tolerance=f"{EPSILON_TOLERANCE} from sensitivity divided by scale, both the student's own",
        points=2,
    )


def _revealing_answer_question(maker: QuestionMaker) -> Question:
    others = int(maker.rng().integers(3, 7))
    # A count is proof if only supporters of the sensitive item can have it.
    counts = ListExperiment(support=(0.5,) * others).outputs()
    reveals = [] if counts is None else ((counts.q > 0) & (counts.p == 0)).tolist()
    return maker.question(
        text=(
            f"The list has {others} harmless items and one sensitive item. Which count proves that "
            "a person supports the sensitive item?"
        ),
        kind=Number(unit="items"),
        rules={
            "The answer must be a possible count, a whole number.": lambda number: (
                number in range(len(reveals))
            ),
            "Somebody who does not support the sensitive item may give this count, too.": (
                lambda number: reveals[int(number)]
            ),
        },
        because="An attacker who sees this count knows the secret, so no finite ε holds at δ = 0.",
        tolerance="exact",
    )


def _clamp_output_or_noise_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="A noisy average must lie between 0 and 1. Which program satisfies ε-DP?",
        right="The program that adds Laplace noise, and then clamps the noisy average to [0, 1].",
        wrong={
            "The program that clamps the noise to [-1, 1], and then adds it to the average.": (
                "Which noisy averages are possible with your record, but not without it?"
            ),
            "Both programs, because both publish numbers in a range.": (
                "One program clamps the output. The other program clamps the noise."
            ),
            "Neither program, because clamping leaks.": (
                "Suppose that the noisy average is public. Does its clamped value reveal more?"
            ),
        },
        because="A change of the output cannot leak more. A change of the noise can.",
    )


QUESTIONS = {
    "finest": _leakiest_map_question,
    "together": _total_epsilon_question,
    "noise": _epsilon_of_noise_question,
    "clamp": _clamp_output_or_noise_question,
    "count": _revealing_answer_question,
}


def predictions() -> dict[str, Prediction]:
    levels = ZoomLevels()
    country, _, streets = levels.epsilons.tolist()
    survey = ListExperiment(support=(0.5,) * 3)
    return {
        "zoom": Prediction(
            text="Averages of country, towns and streets have equal noise. Where is ε largest?",
            options=("the same for all", "largest for the country", "largest for streets"),
            because=(
                f"ε is {short(country)} for the country and {short(streets)} for the streets: "
                "one income is a large part of a street's average."
            ),
        ),
        "survey": Prediction(
            text="People only say how many of four items they support. Is that private?",
            options=("yes, nobody says which", "no"),
            because=(
                "No. A person who supports all four items reveals support for the secret item. If "
                "half of all people support each harmless item, independently, this happens to "
                f"{percent(survey.delta(10.0))} of those who support the secret item."
            ),
        ),
    }
