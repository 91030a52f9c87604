"""Lesson 5: Epsilon* of one trained model, the effect of choices, and Epsilon* by chance alone."""

from functools import cache

from dpviz import audit
from dpviz.analysis import Spec
from dpviz.audit import AttackScores
from dpviz.data import read_sample
from dpviz.number_format import percent, short
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker, data_for

DELTA = 1e-5
TOLERANCE = 0.02


@cache
def epsilon_star_of(spec: Spec, scores: AttackScores) -> float:
    """Return Epsilon* of the scores, computed with the method, clip and delta of a spec."""
    choices = {name: getattr(spec, name) for name in ("method", "clip", "transform", "components")}
    return audit.epsilon_star(scores, delta=spec.delta, **choices).value


def _raise_epsilon_star_question(maker: QuestionMaker) -> Question:
    data = data_for(maker.login)
    start = Spec.of(epsilon=data.epsilon, delta=DELTA)
    first = epsilon_star_of(start, data.scores)
    return maker.question(
        text=(
            "Keep the losses, the claim and δ. Choose another form of Epsilon* or another "
            "clip, so that Epsilon* becomes at least 1.5 times its first value."
        ),
        kind=Picture(
            start=start, views=("epsilon_star",), moved_by=("method", "clip"), scores=data.scores
        ),
        rules={
            "The claim or δ was changed. Set both to their first values.": lambda spec: (
                (spec.claim, spec.delta) == (start.claim, start.delta)
            ),
            "Choose another form or another clip in the menus of this picture.": lambda spec: (
                (spec.method, spec.clip) != (start.method, start.clip)
            ),
            "Epsilon* is below 1.5 times its first value. Which clip omits fewer thresholds?": (
                lambda spec: epsilon_star_of(spec, data.scores) >= 1.5 * first
            ),
        },
        because="Model and losses are unchanged. Epsilon* also depends on its form and its clip.",
        tolerance="any form and clip whose Epsilon* is at least 1.5 times the first",
        points=2,
    )


def _epsilon_star_cap_question(maker: QuestionMaker) -> Question:
    clip = float(maker.rng().choice([0.002, 0.005, 0.02, 0.05]))
    scores = read_sample("null")  # any sample: the cap depends on clip and δ alone

    def largest_epsilon() -> float:
        return audit.epsilon_star(scores, delta=DELTA, clip=clip).suprema.cap

    return maker.question(
        text=(
            f"Epsilon* uses only rates from {percent(clip)} to {percent(1 - clip)}. "
            "What is the largest possible Epsilon* at δ = 0.00001?"
        ),
        kind=Number(unit="ε"),
        rules={
            "Too small. Divide the largest rate that the clip keeps by the smallest.": (
                lambda number: number >= largest_epsilon() - TOLERANCE
            ),
            "Too large. Take the natural logarithm of a ratio of rates that the clip keeps.": (
                lambda number: number <= largest_epsilon() + TOLERANCE
            ),
        },
        because="No leak, however large, gives an Epsilon* above this cap.",
        tolerance=f"{TOLERANCE} from the cap at the student's clip",
        points=2,
    )


def _shuffled_labels_question(maker: QuestionMaker) -> Question:
    data = data_for(maker.login)
    # Which answer is right depends on the student's own losses.
    null = audit.null_distribution(data.scores, delta=DELTA)
    above = "It exceeds 95 % of the shuffled values: so large a value is rare where nothing leaks."
    below = "It does not exceed 95 % of the shuffled values: chance alone can give as much."
    is_above = null.observed["epsilon_star"] > null.quantile("epsilon_star")
    return maker.multiple_choice(
        text="Shuffled labels leak nothing. How does your Epsilon* compare with shuffled values?",
        right=above if is_above else below,
        wrong={
            (below if is_above else above): "Compare Epsilon* with chance on the ruler.",
            "It cannot be compared: shuffled labels have no Epsilon*.": (
                "Any two groups of losses have an Epsilon*. Look at the ruler."
            ),
            "It is larger than they are: shuffled labels always have Epsilon* = 0.": (
                "By chance alone, the largest of many log ratios exceeds 0. See the ruler."
            ),
        },
        because="What chance gives depends on the number of records. Report it with Epsilon*.",
    )


def _epsilon_star_meaning_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="Your Epsilon* is above the claimed ε = 1. What follows from this number alone?",
        right="Nothing certain: Epsilon* is an estimate, and may be too high.",
        wrong={
            "The claim is contradicted.": (
                "Take losses of a model that leaks nothing. Can Epsilon* be above 1?"
            ),
            "The true ε is at most this number.": "Another attack may find a larger ε.",
            "The true ε is at least this number, with 95 % confidence.": (
                "A number with a confidence level is a bound. What does the ruler call Epsilon*?"
            ),
        },
        because="The error probability of lesson 6's bound is known, that of Epsilon* is not.",
    )


def _sample_size_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text=(
            "Nothing leaks, δ is 0, and all thresholds are used. With more losses, does the "
            "largest log ratio approach 0?"
        ),
        right="No: in a sample of any size, this ratio depends on a few extreme losses.",
        wrong={
            "Yes, every estimate becomes exact with more data.": (
                "At a fixed threshold, yes. But which threshold has the largest log ratio?"
            ),
            "Yes, but only from a million losses on.": (
                "The most extreme threshold flags only one or two of a million losses."
            ),
            "No: it grows with the number of losses.": (
                "At the most extreme threshold, the ratio is infinite in a sample of any size."
            ),
        },
        because="A clip or δ removes thresholds with small rates, where log ratios are extreme.",
    )


QUESTIONS = {
    "more": _sample_size_question,
    "larger": _raise_epsilon_star_question,
    "cap": _epsilon_star_cap_question,
    "chance": _shuffled_labels_question,
    "kind": _epsilon_star_meaning_question,
}


def predictions() -> dict[str, Prediction]:
    nothing = read_sample("null")
    null = audit.null_distribution(nothing, delta=DELTA)
    overfitted = read_sample("overfitted")
    specs = [Spec.of(delta=DELTA, method="empirical", clip=clip) for clip in (0.001, 0.01)]
    values = [epsilon_star_of(spec, overfitted) for spec in specs]
    return {
        "nothing": Prediction(
            text="Nothing leaks. How large is the largest log ratio of 2000 losses per class?",
            options=("0", "about 0.1", "more than 1"),
            because=(
                "It is infinite: at the ends, one class has a record left, and the other class has "
                "none. Where both classes have records, it is still up to "
                f"{short(null.observed['raw_epsilon'])}. Epsilon* below leaves out the ends, and "
                f"is {short(epsilon_star_of(Spec.of(delta=DELTA), nothing))}."
            ),
        ),
        "clip": Prediction(
            text="Leave out rates below 1 % instead of 0.1 %. By how much does Epsilon* change?",
            options=("hardly", "by half or more", "it depends on the losses"),
            because=(
                f"For this network Epsilon* is {short(values[0])} without rates below 0.1 %, and "
                f"{short(values[1])} without rates below 1 %. The change depends on the losses."
            ),
        ),
    }
