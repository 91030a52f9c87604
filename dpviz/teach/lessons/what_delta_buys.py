"""Lesson 2: the attacks that δ allows in addition to ε, and mechanisms with equal ε and δ."""

from dpviz.analysis import Spec
from dpviz.number_format import exact, percent, short
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Picture, Question, QuestionMaker
from dpviz.theory import ApproximateDP, GaussianDP, PrivacyLoss, delta_at

GAUSSIAN = GaussianDP(mu=1.0)
LEAKY = ApproximateDP(epsilon=1.0, delta=GAUSSIAN.delta(1.0))  # the same ε at the same δ
DELTA_TOLERANCE = 0.005  # of δ


def _least_delta_question(maker: QuestionMaker) -> Question:
    rng = maker.rng()
    fpr, fnr = float(rng.integers(5, 21)) / 100, float(rng.integers(40, 61)) / 100
    start = Spec(claim=ApproximateDP(epsilon=0.0, delta=0.0), fpr=fpr, fnr=fnr)
    needed = float(delta_at(fpr=fpr, fnr=fnr, epsilon=0.0))

    return maker.question(
        text=(
            f"An attack has FPR {percent(fpr)} and FNR {percent(fnr)}. Leave ε at 0, and choose δ "
            "so that the region just reaches this attack."
        ),
        kind=Picture(start=start, views=("region",), moved_by=("delta",)),
        rules={
            "The point was moved. Undo this change, and move only δ.": lambda spec: (
                (spec.fpr, spec.fnr) == (fpr, fnr)
            ),
            "Leave ε at 0: the question is what δ alone allows.": lambda spec: (
                type(spec.claim) is ApproximateDP and spec.claim.parameters["epsilon"] == 0
            ),
            "The point is still outside the region: this attack needs a larger δ.": (
                lambda spec: spec.claim.parameters["delta"] >= needed - DELTA_TOLERANCE
            ),
            "The edge of the region is below the point: a smaller δ is enough.": lambda spec: (
                spec.claim.parameters["delta"] <= needed + DELTA_TOLERANCE
            ),
        },
        because="At ε = 0, δ is the largest difference of TPR and FPR: the attacker's advantage.",
        tolerance=f"{DELTA_TOLERANCE} from the δ at which the region reaches the student's point",
        points=2,
    )


def _delta_only_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="ε = 0 and δ = 0.05. What is true of the best attack on every such mechanism?",
        right="Its TPR exceeds its FPR by at most 5 percentage points.",
        wrong={
            "It learns nothing: ε = 0 is perfect privacy.": "Set δ = 0.05. How wide is the region?",
            "It learns 5 % of the records, and nothing about the other records.": (
                "This is true of one mechanism with this δ. Is it true of every mechanism?"
            ),
            "It can do anything, but in 5 % of the runs only.": (
                "The claim allows this mechanism. Is every allowed mechanism like it?"
            ),
        },
        because="On the diagonal, attacks only guess. δ adds a band on both sides of the diagonal.",
    )


def _two_claims_question(maker: QuestionMaker) -> Question:
    rng = maker.rng()
    fpr = float(rng.choice([0.3, 0.35, 0.4]))
    # A point above both edges, between them or below both, never near one.
    gaussian, leak = float(GAUSSIAN.beta(fpr)), float(LEAKY.beta(fpr))
    fnr = round(float(rng.choice([gaussian + 0.1, (gaussian + leak) / 2, leak - 0.08])), 2)
    allowed = GAUSSIAN.admits(fpr=fpr, fnr=fnr), LEAKY.admits(fpr=fpr, fnr=fnr)
    look = "Put the point at these two rates, and look at the edges of both regions."
    options = {
        (True, True): "Both of them.",
        (False, True): "Only the (ε, δ) claim.",
        (True, False): "Only Gaussian noise.",
        (False, False): "Neither of them.",
    }
    return maker.multiple_choice(
        text=(
            f"An attack has FPR {percent(fpr)} and FNR {percent(fnr)}. Which of the two guarantees "
            "of this section allows this attack?"
        ),
        right=options[allowed],
        wrong={text: look for pair, text in options.items() if pair != allowed},
        because="The (ε, δ) region contains the region of Gaussian noise. Their edges touch.",
    )


def _release_question(maker: QuestionMaker) -> Question:
    people = int(maker.rng().choice([500, 1000, 2000, 5000]))
    return maker.multiple_choice(
        text=f"A program publishes the record of one random person of {people}. Is it private?",
        right=f"(0, {exact(1 / people)})-DP, and in every run somebody's record is public.",
        wrong={
            "Not differentially private: a record is published.": (
                "In what share of the runs does your record matter? Compare that with δ."
            ),
            f"Private for practical purposes, because δ is only {exact(1 / people)}.": (
                "In how many runs is no record published?"
            ),
            f"({exact(1 / people)}, 0)-DP.": (
                "No run publishes your record if it is not in the data. Can ε be finite at δ = 0?"
            ),
        },
        because="δ has to be far smaller than 1 divided by the number of people.",
    )


QUESTIONS = {
    "touch": _least_delta_question,
    "zone": _delta_only_question,
    "both": _two_claims_question,
    "record": _release_question,
}


def predictions() -> dict[str, Prediction]:
    at = 0.3
    return {
        "zero": Prediction(
            text="At ε = 0 and δ = 0 the region is the diagonal. What does δ = 0.2 make of it?",
            options=("still the diagonal", "a band on both sides", "the whole square"),
            because="A band around the diagonal. TPR and FPR differ by up to 20 percentage points.",
        ),
        "noise": Prediction(
            text="Gaussian noise has δ > 0. In what share of its runs are you given away?",
            options=("in a share δ of them", "in none", "in all"),
            because=(
                "In none: every output is possible with you and without you. With you, "
                f"{percent(PrivacyLoss(GAUSSIAN).tail(1.0))} of the runs give a stronger hint than "
                "ε = 1 allows. δ weighs each such hint by its excess, and is "
                f"{short(GAUSSIAN.delta(1.0))}."
            ),
        ),
        "same": Prediction(
            text="Two guarantees have ε = 1 at the same δ. Do both allow the same attacks?",
            options=("yes", "no"),
            because=(
                f"No. At FPR {percent(at)} the claim lets an attack find {percent(LEAKY.tpr(at))} "
                f"of the members, and Gaussian noise {percent(GAUSSIAN.tpr(at))}."
            ),
        ),
    }
