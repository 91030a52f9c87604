"""Lesson 6: a student audits a model with the claim ε = 1, and writes a report."""

from functools import cache
from typing import Any

from dpviz import audit
from dpviz.analysis import Spec
from dpviz.analysis.state.json_state import fingerprint
from dpviz.audit import AttackCurve
from dpviz.audit.bounds import EpsilonBound
from dpviz.number_format import lower, percent
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker, Report, data_for
from dpviz.theory import ApproximateDP

TOLERANCE = 0.05  # of a lower bound
TRIES = 3  # attacks of which somebody reports the best
CONFIDENCE = 0.95
FEWEST, MOST = 0.02, 0.08  # FPR of the threshold that is recorded


@cache
def bound_of(login: str) -> EpsilonBound:
    """Return the lower bound on ε from the losses of the student with this login."""
    data = data_for(login)
    return audit.lower_bound(data.scores, delta=data.delta)


@cache
def is_contradicted(login: str) -> bool:
    """Return whether the losses of the student with this login contradict the claim."""
    data = data_for(login)
    claim = ApproximateDP(epsilon=data.epsilon, delta=data.delta)
    test = audit.claim_test(data.scores, claim, bound=bound_of(login))
    return test.outcome == "contradicted"


def _threshold_question(maker: QuestionMaker) -> Question:
    data = data_for(maker.login)
    curve = AttackCurve.from_scores(data.scores)
    start = Spec.of(epsilon=data.epsilon, delta=data.delta)

    def fpr_of_chosen_threshold(spec: Spec) -> float:
        """Return the measured FPR at a spec's threshold; 1 if the spec has no threshold."""
        return curve.at_fpr(spec.fpr).fpr if spec.fpr is not None else 1.0

    return maker.question(
        text=(
            "Drag the threshold to where the attack flags few of your non-members: "
            f"at least {percent(FEWEST)} and at most {percent(MOST)} of them."
        ),
        kind=Picture(start=start, views=("scores",), scores=data.scores),
        rules={
            "The claim was changed. Set ε and δ to their first values.": lambda spec: (
                spec.claim == start.claim
            ),
            "That flags too many non-members. Which losses does the attack flag?": (
                lambda spec: fpr_of_chosen_threshold(spec) <= MOST
            ),
            "The FPR is too small. Let the attack flag a few more losses.": lambda spec: (
                fpr_of_chosen_threshold(spec) >= FEWEST
            ),
        },
        because="A threshold on the loss is an attack, and it fixes both error rates.",
        tolerance=f"any threshold with a measured FPR from {percent(FEWEST)} to {percent(MOST)}",
    )


def _bound_question(maker: QuestionMaker) -> Question:
    data = data_for(maker.login)

    def is_bound(number: float) -> bool:
        return abs(number - bound_of(maker.login).low) <= TOLERANCE

    def is_estimate(number: float) -> bool:
        star = audit.epsilon_star(data.scores, delta=data.delta)
        return abs(number - star.value) <= TOLERANCE

    return maker.question(
        text="Which lower bound on ε do your losses show, at δ = 0.00001 and 95 % confidence?",
        kind=Number(unit="ε"),
        rules={
            "An ε is never negative.": lambda number: number >= 0,
            # A number that is near both is taken for the bound.
            "That is Epsilon*, an estimate, which may be larger than the true ε.": (
                lambda number: is_bound(number) or not is_estimate(number)
            ),
            "Read what is certified on the ruler, not the estimate.": (is_bound),
        },
        because="In at most 5 of 100 such audits, on average, the bound exceeds the true ε.",
        tolerance=f"{TOLERANCE} from what the rank test gives for the student's own losses",
        points=2,
    )


def _conclusion_question(maker: QuestionMaker) -> Question:
    contradicted = "The losses contradict the claim for this trained model."
    not_contradicted = "The losses do not contradict the claim, and do not confirm it."
    larger = "Compare the lower bound with the claim: which is larger?"
    hints = {
        contradicted: larger,
        not_contradicted: larger,
        "The losses confirm the claim.": "Could a better attack find more? Audits confirm nothing.",
        "Even a perfect attack on so few losses could not contradict the claim.": (
            "Look at the ceiling: what would a perfect attack on your records show?"
        ),
    }
    right = contradicted if is_contradicted(maker.login) else not_contradicted
    return maker.multiple_choice(
        text="What do your losses say about the claim ε = 1?",
        right=right,
        wrong={text: hint for text, hint in hints.items() if text != right},
        because="A bound above the claim contradicts it. No audit confirms a claim.",
    )


def _report_question(maker: QuestionMaker) -> Question:
    """Return the question whose answer is a report with numbers that follow from the losses."""
    data = data_for(maker.login)

    # A report is a file of the student, in which any field may be missing or of another kind.
    def value(report: dict[str, Any], group: str, name: str) -> Any:
        fields = report.get(group)
        field = fields.get(name) if isinstance(fields, dict) else None
        return field.get("value") if isinstance(field, dict) else None

    def is_near(given: Any, expected: float, tolerance: float = 0.0) -> bool:
        # Truth values of JSON are no numbers, although Python counts them among the integers.
        is_real = isinstance(given, int | float) and not isinstance(given, bool)
        return is_real and abs(given - expected) <= tolerance

    return maker.question(
        text="Write the report of your audit as JSON, and enter the name of the file.",
        kind=Report(),
        rules={
            "The report is about other losses. Audit those made for your login.": lambda report: (
                value(report, "scores", "fingerprint") == fingerprint(data.scores)
            ),
            "The report is about another claim. The task states ε and δ.": lambda report: (
                is_near(value(report, "claim", "epsilon"), data.epsilon)
                and is_near(value(report, "claim", "delta"), data.delta)
            ),
            "The report and your losses give different lower bounds.": lambda report: is_near(
                value(report, "epsilon", "lower_bound"), bound_of(maker.login).low, TOLERANCE
            ),
            "The conclusion of the report does not follow from your losses.": lambda report: (
                report.get("contradicted") is is_contradicted(maker.login)
            ),
        },
        because="A report names losses, claim, bound and conclusion, so anybody can check them.",
        tolerance=f"own losses, ε and δ exactly, {TOLERANCE} from the lower bound, the conclusion",
        points=2,
    )


def _best_of_three_bounds_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="Somebody ran three attacks. Is the largest of three 95 % bounds a 95 % bound?",
        right="No. Each bound needs a higher confidence, so that all three hold together.",
        wrong={
            "Yes, each bound holds with 95 % confidence.": (
                "Each bound errs in at most 5 % of audits. How often may one of the three err?"
            ),
            "Yes, the best attack is the one that counts.": (
                "The best attack was chosen by its bound on the same records."
            ),
            "No. Only the smallest of the three may be reported.": (
                "The smallest bound is valid, but smaller than necessary."
            ),
        },
        because="dpviz.audit.best_of corrects a bound for the choice among three attacks.",
    )


def _bound_scope_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="Your losses are of one trained model. What is the lower bound about?",
        right="About the two distributions of losses of this one trained model.",
        wrong={
            "About the training algorithm.": (
                "How many trainings did you see? Was membership decided by coins?"
            ),
            "About every model that is trained on these records.": (
                "Another training has other random noise, and may leak less or more."
            ),
            "About each single record of the training data.": (
                "The bound is computed from all records. Some records may leak more than others."
            ),
        },
        because="A bound for the mechanism needs many trainings, or a coin flip for each record.",
    )


QUESTIONS = {
    "threshold": _threshold_question,
    "bound": _bound_question,
    "answer": _conclusion_question,
    "best": _best_of_three_bounds_question,
    "whose": _bound_scope_question,
    "report": _report_question,
}


def predictions() -> dict[str, Prediction]:
    # The numbers in the explanations are computed, so that they follow the library.
    ceiling = audit.ceiling(n_members=100, n_nonmembers=100, delta=1e-5)
    at_least_one = 1 - CONFIDENCE**TRIES
    return {
        "ceiling": Prediction(
            text="An attack on 100 members and 100 non-members never errs. Which ε does it prove?",
            options=("infinite", "about 10", "less than 5"),
            because=(
                f"ε ≥ {lower(ceiling):.2f}, the bound of the picture. No attack on these records "
                "can prove more: some of 200 right answers may be luck."
            ),
        ),
        "three": Prediction(
            text="Nothing leaks. How often is at least one of 3 independent 95 % bounds above 0?",
            options=("in at most 5 of 100 audits", "in up to 15 of 100", "in about half"),
            because=(
                f"At worst all three bounds hold in {percent(CONFIDENCE**TRIES)} of the audits. In "
                f"up to {percent(at_least_one)} of audits, at least one bound exceeds the true ε."
            ),
        ),
    }
