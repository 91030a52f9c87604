"""Lesson 1: the attacks that a claim forbids, and the conclusions that trials allow."""

import math

from dpviz import audit
from dpviz.analysis import Spec
from dpviz.number_format import lower, percent
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker
from dpviz.theory import ApproximateDP, implied_epsilons

SOURCE_CLAIM = ApproximateDP(epsilon=2.5, delta=1e-4)
WRONG = 0.1  # share of wrong answers of the source's attack, on both sides
TRIALS = (10, 100, 1000, 10_000)
EDGE_TOLERANCE = 0.02  # of FNR, from the least one at the point's FPR


def certified_epsilon(trials: int) -> float:
    """Return the certified ε if FPR and FNR are `WRONG`, each measured in `trials` trials."""
    wrong = round(WRONG * trials)
    bound = audit.lower_bound_from_counts(
        false_positives=wrong,
        n_nonmembers=trials,
        false_negatives=wrong,
        n_members=trials,
        delta=SOURCE_CLAIM.claimed_delta,
    )
    return lower(bound.low)  # three digits, rounded down


def _drag_to_region_edge_question(maker: QuestionMaker) -> Question:
    low = float(maker.rng().integers(8, 21)) / 100
    high = low + 0.1
    start = Spec(claim=SOURCE_CLAIM, fpr=0.5, fnr=0.5)

    def height_above_edge(spec: Spec) -> float:
        """Return the FNR of a spec's point minus the least FNR that the claim allows at its FPR."""
        fpr, fnr = spec.fpr or 0.0, spec.fnr or 0.0  # both are known by then
        return fnr - float(SOURCE_CLAIM.beta(fpr))

    return maker.question(
        text=(
            "Drag the point to the best attack that ε = 2.5, δ = 0.0001 still allows, "
            f"with an FPR between {percent(low)} and {percent(high)}."
        ),
        kind=Picture(start=start, views=("region",)),
        rules={
            "The claim was changed. Set ε = 2.5 and δ = 0.0001 again, and move the point.": (
                lambda spec: spec.claim == SOURCE_CLAIM
            ),
            "Move the point: its coordinates are the error rates of an attack.": lambda spec: (
                spec.fpr is not None and spec.fnr is not None
            ),
            f"The FPR of the point is not between {percent(low)} and {percent(high)}.": (
                lambda spec: low <= spec.fpr <= high
            ),
            "The claim forbids this attack, which misses too few members. Move up.": (
                lambda spec: height_above_edge(spec) >= -EDGE_TOLERANCE
            ),
            "The claim allows better attacks than this. Move down, towards fewer misses.": (
                lambda spec: height_above_edge(spec) <= EDGE_TOLERANCE
            ),
        },
        because="At this FPR, the claim forces attacks to miss at least this share of members.",
        tolerance=f"{EDGE_TOLERANCE} from the least FNR, at an FPR in the student's range",
        points=2,
    )


def _error_name_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="An attack flags a person whose record was not used. What is this error?",
        right="A false positive. It is of type I only if non-membership is the null hypothesis.",
        wrong={
            "A false positive. Every book calls it a type I error.": (
                "If membership is the null hypothesis, which error is a type I error?"
            ),
            "A false negative, because the record is negative.": (
                "The word negative names the attack's answer, not the record. What was that answer?"
            ),
            "No error, because the person might be a member of another data set.": (
                "The attack asks only who is a member of this data set."
            ),
        },
        because="This is a false positive. The null hypothesis decides if it is of type I or II.",
    )


def _trials_question(maker: QuestionMaker) -> Question:
    claimed = 1.0

    def contradicts(trials: float) -> bool:
        return certified_epsilon(int(trials)) > claimed

    return maker.question(
        text=(
            f"An attack is wrong in {percent(WRONG)} of the trials with a record, and in "
            f"{percent(WRONG)} of those without it. Do 10, 100, 1000 or 10000 trials of each kind "
            "contradict ε = 1, at 95 % confidence and δ = 0.0001? Give the smallest such number."
        ),
        kind=Number(unit="trials"),
        rules={
            "The answer is one of 10, 100, 1000 and 10000.": lambda trials: trials in TRIALS,
            "With these few trials, chance alone may explain the rates. Try a larger number.": (
                contradicts
            ),
            # The smallest of the numbers is right: none below it contradicts the claim.
            "This number contradicts the claim, but a smaller number does, too.": lambda trials: (
                not any(contradicts(n) for n in TRIALS if n < trials)
            ),
        },
        because="In more trials, the same rates are stronger evidence: the intervals are narrower.",
        tolerance="exact",
        points=2,
    )


def _point_inside_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text=(
            "An attack errs once in ten trials with a record, and once in ten trials without it. "
            "The point (FPR 10 %, FNR 10 %) is inside the region. What follows?"
        ),
        right="These trials do not contradict the claim, and do not confirm it.",
        wrong={
            "The implementation has no bug.": "Could a broken mechanism give this point, too?",
            "With 95 % confidence the next measured point is inside, too.": (
                "A confidence level is about the true rates, not about the next ten trials."
            ),
            "ε of the implementation is at most 2.5.": (
                "This is one attack. Could another attack be better?"
            ),
        },
        because="An attack bounds ε from below. Nothing here bounds it from above.",
    )


QUESTIONS = {
    "edge": _drag_to_region_edge_question,
    "names": _error_name_question,
    "trials": _trials_question,
    "inside": _point_inside_question,
}


def predictions() -> dict[str, Prediction]:
    # The region is symmetric: this is the FPR where FNR is 0, too.
    flagged = SOURCE_CLAIM.beta(0.0)
    flipped = implied_epsilons(fpr=0.8, fnr=0.7, delta=0.0).max()
    return {
        "perfect": Prediction(
            text=(
                "The claim is ε = 2.5, δ = 0.0001. An attack misses no member. Of 100 non-members, "
                "how many must it flag?"
            ),
            options=("8 or more", "50 or more", "all 100"),
            because=(
                f"At FNR 0 the region begins at FPR {percent(flagged)}: to miss nobody, an attack "
                "has to flag nearly everybody. Look at the lower right corner."
            ),
        ),
        "worse": Prediction(
            text="An attack has FPR 80 % and FNR 70 %. Does ε = 1 allow it?",
            options=("yes, it is worse than guessing", "no"),
            because=(
                "No. The opposite attack, which flags where this one does not, has FPR 20 % and "
                "FNR 30 %. "
                f"These rates need ε = {flipped:.2f}."
            ),
        ),
        "ten": Prediction(
            text=(
                "An attack errs once in ten trials with a record, and once in ten trials without "
                "it. Which ε do the trials prove, at 95 % confidence?"
            ),
            options=("2.2 or more", "about 1", "less than 0.5"),
            because=(
                f"ε is at least {certified_epsilon(10):.2f}: less than 0.5. "
                f"The measured rates give log(0.9 / 0.1) = {math.log(9):.2f}, an estimate."
            ),
        ),
    }
