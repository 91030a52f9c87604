"""Lesson 7: tests of five programs that claim ε = 1, and the limits of such tests."""

import inspect
import math
from dataclasses import dataclass
from typing import Any

from dpviz.analysis import Spec
from dpviz.number_format import percent
from dpviz.teach.lesson import Prediction
from dpviz.teach.question import Number, Picture, Question, QuestionMaker
from dpviz.testing.gallery import BUGS, Mechanism
from dpviz.theory import ApproximateDP

EPSILON_TOLERANCE, RUNS_TOLERANCE = 0.05, 0.01  # the second one is relative
PROBABILITY = 0.95  # of a rare output


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program of the gallery and two neighbouring data sets; its text does not name the bug."""

    number: int
    run: Mechanism
    pair: tuple[Any, Any]

    def __str__(self) -> str:
        _, _, *body = inspect.getsource(self.run).splitlines()  # below signature and docstring
        neighbours = [f"# on {self.pair[0]}", f"# and {self.pair[1]}"]
        return "\n".join([f"def program_{self.number}(data, rng):", *body, *neighbours])


# All claim ε = 1, δ = 0, and one of them keeps the claim.
CHOSEN = ("sensitivity", "clamped_noise", "clamped_noise", "noise_reused", "clipping")
PRIVATE = 2
PROGRAMS = {
    number: Program(number=number, run=bug.right if number == PRIVATE else bug.wrong, pair=bug.pair)
    for number, bug in enumerate((BUGS[name] for name in CHOSEN), start=1)
}


def _private_program_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="Which of the five programs keeps its claim?",
        right=f"Program {PRIVATE}.",
        wrong={
            "Program 1.": "One vote is replaced. By how much does the sum change?",
            "Program 3.": "The noise never exceeds 3. What does an output of 14 prove?",
            "Program 4.": "It prints two numbers. Subtract one from the other. What is left?",
            "Program 5.": "One value is 9. By how much does it change the sum before the noise?",
        },
        because="One record moves the count by 1; the noise has scale 1. The output is clamped.",
    )


def _epsilon_of_votes_question(maker: QuestionMaker) -> Question:
    scale = float(maker.rng().choice([0.8, 1.25, 1.6]))
    needed = 2 / scale  # the sum is 1 on one data set and -1 on the other
    fpr, fnr = math.exp(-needed) / 2, 0.5
    start = Spec(claim=ApproximateDP(epsilon=1.0, delta=0.0), fpr=fpr, fnr=fnr)
    return maker.question(
        text=(
            f"Program 1 gets noise of scale {scale:g}. An attack flags outputs of at least 1. "
            f"This attack has an FPR of {percent(fpr)} and an FNR of {percent(fnr)}. "
            "Leave δ at 0. What is the smallest ε whose region reaches this attack?"
        ),
        kind=Picture(start=start, views=("region",), moved_by=("epsilon",)),
        rules={
            "More than ε was changed. Undo the changes, and move only ε.": lambda spec: (
                (spec.fpr, spec.fnr) == (fpr, fnr)
                and spec.claim == ApproximateDP(epsilon=spec.epsilon, delta=0.0)
            ),
            "The point is still outside the region: the program needs a larger ε.": (
                lambda spec: spec.epsilon >= needed - EPSILON_TOLERANCE
            ),
            "The edge of the region is below the point: a smaller ε is enough.": lambda spec: (
                spec.epsilon <= needed + EPSILON_TOLERANCE
            ),
        },
        because="A replaced vote moves the sum by 2: ε is 2 divided by the scale of the noise.",
        tolerance=f"{EPSILON_TOLERANCE} from 2 divided by the student's scale",
        points=2,
    )


def _reused_noise_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="What is wrong in program 4?",
        right="Both numbers have the same noise, so their difference has none.",
        wrong={
            "The noise is too small for two numbers.": "Each costs ε / 2. What do both cost?",
            "The number of records is published.": "Is the noise of this number new or reused?",
            "Rounding removes the noise.": "Six decimals are kept. How large is the noise?",
        },
        because="Each number alone keeps ε = 0.5. Together they give the exact difference away.",
    )


def _rare_output_question(maker: QuestionMaker) -> Question:
    rare = int(maker.rng().choice([200, 500, 2000, 5000]))
    runs = math.log(1 - PROBABILITY) / math.log1p(-1 / rare)
    return maker.question(
        text=(
            f"By chance, a program prints all its data in one of {rare} runs. In how many runs "
            f"does that happen at least once with probability {percent(PROBABILITY)}?"
        ),
        kind=Number(unit="runs"),
        rules={
            f"On average one of {rare} runs prints the data. How probable is it that none does?": (
                lambda number: abs(number - rare) > RUNS_TOLERANCE * rare
            ),
            "Too few runs. How probable is it that none of them prints the data?": (
                lambda number: number >= (1 - RUNS_TOLERANCE) * runs
            ),
            "Too many runs: fewer are enough for this probability.": lambda number: (
                number <= (1 + RUNS_TOLERANCE) * runs
            ),
        },
        because=f"A test sees only outputs that occur. It needs about three times {rare} runs.",
        tolerance=f"{percent(RUNS_TOLERANCE)} of the runs, for the student's own rare output",
        points=2,
    )


def _not_contradicted_question(maker: QuestionMaker) -> Question:
    return maker.multiple_choice(
        text="A test does not contradict the claim of program 2. What does this test prove?",
        right="Nothing certain: other data sets or rare outputs may still break the claim.",
        wrong={
            "The program keeps its claim, with 99.9 % confidence.": (
                "A true claim passes with probability at least 99.9 %. A false one may pass, too."
            ),
            "The claim holds for these two data sets.": "Might rare runs print the data?",
            "The true ε is at most the smallest ε that the test detects.": (
                "The test detects Laplace noise that is too small. Is every bug of this kind?"
            ),
        },
        because="Only a proof about the code shows that program 2 keeps its claim.",
    )


QUESTIONS = {
    "which": _private_program_question,
    "votes": _epsilon_of_votes_question,
    "why": _reused_noise_question,
    "runs": _rare_output_question,
    "means": _not_contradicted_question,
}


def predictions() -> dict[str, Prediction]:
    seen = percent(1 - (1 - 1e-6) ** 10_000)
    return {
        "keep": Prediction(
            text="Five programs add noise, and claim ε = 1. How many of them keep the claim?",
            options=("all five", "three of them", "one of them"),
            because="Only one program. In each of the other four, one line breaks the claim.",
        ),
        "rare": Prediction(
            text="One in a million runs of a program prints all data. Do 10 000 runs show the bug?",
            options=("nearly always", "in about half of the tests", "in about one of 100 tests"),
            because=f"{seen} of such tests find the bug. The other tests find nothing.",
        ),
    }
