"""Lesson 4: the PPV (share of members among flagged records) at low priors, and its upper bound."""

from dpviz.analysis import Spec
from dpviz.number_format import percent, percent_at_most
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker
from dpviz.theory import ApproximateDP, risk

CLAIM = ApproximateDP(epsilon=1.0, delta=1e-5)
TPR, FPR = 0.9, 0.05  # of the test that flags
TOLERANCE = 0.01


def ppv_at_prior(prior: float) -> float:
    """Return the share of members among records that the lesson's test flags, at a prior."""
    return prior * TPR / (prior * TPR + (1 - prior) * FPR)


def _ppv_question(maker: QuestionMaker) -> Question:
    prior = float(maker.rng().choice([0.005, 0.02, 0.03, 0.04]))
    right = ppv_at_prior(prior)
    return maker.question(
        text=(
            f"The test flags {percent(TPR)} of members and {percent(FPR)} of non-members. "
            f"{percent(prior)} of the candidates are members. "
            "What share of the flagged are members?"
        ),
        kind=Number(unit="share"),
        rules={
            "That is the TPR, a share of the members. First count all flagged people.": (
                lambda share: abs(share - TPR) > TOLERANCE
            ),
            "A share is at least 0 and at most 1, or 100 %.": lambda share: 0 <= share <= 1,
            "Too large. Did you count the flagged non-members, too?": lambda share: (
                share <= right + TOLERANCE / 2
            ),
            "Too small. Divide by the number of people that are flagged.": lambda share: (
                share >= right - TOLERANCE / 2
            ),
        },
        because=f"There are so many non-members that {percent(FPR)} of them outnumber the hits.",
        tolerance=f"{TOLERANCE / 2} from the share at the student's prior",
    )


def _half_ppv_question(maker: QuestionMaker) -> Question:
    fpr = float(maker.rng().choice([0.005, 0.01, 0.02, 0.05]))
    start = Spec(claim=CLAIM, fpr=fpr, prior=0.5)

    def largest_ppv(spec: Spec) -> float:
        return float(risk.ppv(CLAIM, fpr=fpr, prior=spec.prior))

    return maker.question(
        text=(
            f"Keep ε = 1, δ = 0.00001 and FPR {percent(fpr)}. Find the largest prior at which, for "
            "every attack, at most half of the flagged are members."
        ),
        kind=Picture(start=start, views=("risk",), moved_by=("prior",)),
        rules={
            "The claim was changed. Set ε = 1 and δ = 0.00001 again.": lambda spec: (
                spec.claim == CLAIM
            ),
            f"The FPR was changed. Set it to {percent(fpr)} again.": lambda spec: (
                spec.fpr is not None and abs(spec.fpr - fpr) <= 0.01 * fpr
            ),
            "At this prior, over half of the flagged may be members. Choose a smaller prior.": (
                lambda spec: largest_ppv(spec) <= 0.5 + TOLERANCE
            ),
            "At this prior, under half of the flagged can be members. Choose a larger prior.": (
                lambda spec: largest_ppv(spec) >= 0.5 - TOLERANCE
            ),
        },
        because="A claim bounds how far a flag moves the odds. It does not bound the prior odds.",
        tolerance=f"any prior whose bound on the share is within {TOLERANCE} of one half",
        points=2,
    )


def _break_even_question(maker: QuestionMaker) -> Question:
    cost = int(maker.rng().choice([2, 5, 10, 20]))

    def expected_gain(prior: float) -> float:
        """Return the expected gain per candidate: a hit gains 1, a false alarm loses `cost`."""
        return prior * TPR - (1 - prior) * FPR * cost

    return maker.question(
        text=(
            f"Each hit of this test is worth 1, and each false alarm costs {cost}. "
            "From which prior on do the hits pay for the false alarms?"
        ),
        kind=Number(unit="prior"),
        rules={
            "A prior is more than 0 and less than 1.": lambda prior: 0 < prior < 1,
            "At this prior, the false alarms cost more than the hits are worth.": (
                lambda prior: expected_gain(min(prior + TOLERANCE, 1.0)) >= 0
            ),
            "Gains exceed costs at a smaller prior, too. At which prior are they equal?": (
                lambda prior: expected_gain(max(prior - TOLERANCE, 0.0)) <= 0
            ),
        },
        because="The value of a flag depends on the share of members among the candidates.",
        tolerance=f"{TOLERANCE} from the prior at which hits and false alarms balance",
        points=2,
    )


def _zero_fpr_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="Let the FPR go to 0, with ε = 1, δ = 0.00001. Where does the bound on the PPV go?",
        right="To 1, for every prior.",
        wrong={
            "To the prior.": "Set the FPR to 0.000001 and look at the curve.",
            "To e times the prior odds, as with δ = 0.": "Compare δ = 0 and δ = 0.00001.",
            "To 0, because nobody is flagged.": "The bound is on the PPV, not on the TPR.",
        },
        because="At FPR 0 the claim allows a TPR of δ, so all the flagged may be members.",
    )


QUESTIONS = {
    "flag": _ppv_question,
    "half": _half_ppv_question,
    "pays": _break_even_question,
    "limit": _zero_fpr_question,
}


def predictions() -> dict[str, Prediction]:
    prior = 0.01
    members, others = round(10_000 * prior * TPR), round(10_000 * (1 - prior) * FPR)
    leaky = ApproximateDP(epsilon=1.0, delta=0.01)
    few, fewer = (risk.ppv(leaky, fpr=fpr, prior=0.1) for fpr in (0.01, 0.0001))
    return {
        "flagged": Prediction(
            text=(
                "A test flags 90 % of members and 5 % of non-members. One candidate in a hundred "
                "is a member. You are flagged. How probable is it that you are a member?"
            ),
            options=("about 90 %", "about 50 %", "about 15 %"),
            because=(
                f"{percent(ppv_at_prior(prior))}. Of 10 000 people, {members} members and "
                f"{others} non-members are flagged."
            ),
        ),
        "cliff": Prediction(
            text=(
                "One candidate in ten is a member, ε = 1 and δ = 0.01. At FPR 1 % at most "
                f"{percent_at_most(few)} of the flags are right. What happens at ever smaller FPRs?"
            ),
            options=("the share stays as it is", "nearly all flags may be right"),
            because=(
                f"At FPR 0.01 % up to {percent_at_most(fewer)} of the flags are right, and more at "
                "smaller FPRs: δ gives some members away for certain."
            ),
        ),
    }
